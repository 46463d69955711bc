//! The checked expression, and its value in a world.

use super::name::Name;
use super::value::{Kind, Value};
use crate::lab::World;

/// A checked expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    pub(super) node: Node,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Literal(Value),
    Name(Name),
    Not(Box<Node>),
    Both(Box<Node>, Operator, Box<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
    Plus,
    Minus,
    Times,
}

impl Expr {
    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn value(&self, world: &World) -> Value {
        value_of(&self.node, world)
    }

    /// True when it is a truth and holds.
    pub fn holds(&self, world: &World) -> bool {
        self.value(world) == Value::Truth(true)
    }
}

fn value_of(node: &Node, world: &World) -> Value {
    match node {
        Node::Literal(value) => value.clone(),
        Node::Name(name) => name.value(world),
        Node::Not(inner) => Value::Truth(value_of(inner, world) != Value::Truth(true)),
        Node::Both(left, Operator::And, right) => Value::Truth(
            value_of(left, world) == Value::Truth(true) && value_of(right, world) == Value::Truth(true),
        ),
        Node::Both(left, Operator::Or, right) => Value::Truth(
            value_of(left, world) == Value::Truth(true) || value_of(right, world) == Value::Truth(true),
        ),
        Node::Both(left, operator, right) => {
            combine(&value_of(left, world), *operator, &value_of(right, world))
        }
    }
}

fn combine(left: &Value, operator: Operator, right: &Value) -> Value {
    let known = *left != Value::Unknown && *right != Value::Unknown;
    let order = known.then(|| left.partial_cmp(right)).flatten();
    match operator {
        Operator::Equal => Value::Truth(known && left == right),
        Operator::Unequal => Value::Truth(!known || left != right),
        Operator::Less => Value::Truth(order.is_some_and(std::cmp::Ordering::is_lt)),
        Operator::AtMost => Value::Truth(order.is_some_and(std::cmp::Ordering::is_le)),
        Operator::More => Value::Truth(order.is_some_and(std::cmp::Ordering::is_gt)),
        Operator::AtLeast => Value::Truth(order.is_some_and(std::cmp::Ordering::is_ge)),
        Operator::Plus => left.arithmetic(right, i64::saturating_add),
        Operator::Minus => left.arithmetic(right, i64::saturating_sub),
        Operator::Times => left.arithmetic(right, i64::saturating_mul),
        Operator::And | Operator::Or => unreachable!("handled where they may stop early"),
    }
}
