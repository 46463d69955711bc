//! From text to a checked expression.

use std::ops::Range;

use super::name::{FIELDS, Name, WORLD};
use super::token::{Token, tokens};
use super::tree::{Expr, Node, Operator};
use super::value::{Kind, Value};

use crate::lab::WorkerId;
use crate::lesson::error::did_you_mean;

/// What is wrong with an expression, and where in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExprError {
    pub range: Range<usize>,
    pub message: String,
    pub expected: String,
}

impl ExprError {
    pub(super) fn new(range: Range<usize>, message: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { range, message: message.into(), expected: expected.into() }
    }
}

/// Reads an expression. `knobs` are the names that may follow `knobs.`, `cast` is how many workers there are.
///
/// # Errors
/// The first mistake, with its place in `text`.
pub fn parse(text: &str, knobs: &[String], cast: usize) -> Result<Expr, ExprError> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens, at: 0, end: text.len(), knobs, cast };
    let (node, kind, _) = parser.either()?;
    match parser.tokens.get(parser.at) {
        None => Ok(Expr { node, kind }),
        Some((_, range)) => Err(ExprError::new(
            range.clone(),
            "this does not follow",
            "an operator, or the end of the expression",
        )),
    }
}

struct Parser<'a> {
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    end: usize,
    knobs: &'a [String],
    cast: usize,
}

/// A part of an expression: what it is, its kind, and its place.
type Part = (Node, Kind, Range<usize>);

impl Parser<'_> {
    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some((Token::Word(found), _)) if found == word);
        self.at += usize::from(found);
        found
    }

    fn take_sign(&mut self, signs: &[(&str, Operator)]) -> Option<Operator> {
        let Some((Token::Sign(found), _)) = self.tokens.get(self.at) else { return None };
        let (_, operator) = signs.iter().find(|(sign, _)| sign == found)?;
        self.at += 1;
        Some(*operator)
    }

    fn either(&mut self) -> Result<Part, ExprError> {
        let mut left = self.every()?;
        while self.take_word("or") {
            let right = self.every()?;
            left = truths(left, Operator::Or, right)?;
        }
        Ok(left)
    }

    fn every(&mut self) -> Result<Part, ExprError> {
        let mut left = self.negation()?;
        while self.take_word("and") {
            let right = self.negation()?;
            left = truths(left, Operator::And, right)?;
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Part, ExprError> {
        if !self.take_word("not") {
            return self.comparison();
        }
        let (node, kind, range) = self.negation()?;
        want(kind, Kind::Truth, &range)?;
        Ok((Node::Not(Box::new(node)), Kind::Truth, range))
    }

    fn comparison(&mut self) -> Result<Part, ExprError> {
        const SIGNS: &[(&str, Operator)] = &[
            ("==", Operator::Equal),
            ("!=", Operator::Unequal),
            ("<=", Operator::AtMost),
            (">=", Operator::AtLeast),
            ("<", Operator::Less),
            (">", Operator::More),
        ];
        let left = self.sum()?;
        let Some(operator) = self.take_sign(SIGNS) else { return Ok(left) };
        let right = self.sum()?;
        want(right.1, left.1, &right.2)?;
        let orders = !matches!(operator, Operator::Equal | Operator::Unequal);
        if orders && matches!(left.1, Kind::Text | Kind::Truth) {
            return Err(ExprError::new(left.2, format!("{} has no order", left.1), "== or !="));
        }
        let range = left.2.start..right.2.end;
        Ok((Node::Both(Box::new(left.0), operator, Box::new(right.0)), Kind::Truth, range))
    }

    fn sum(&mut self) -> Result<Part, ExprError> {
        let mut left = self.product()?;
        while let Some(operator) = self.take_sign(&[("+", Operator::Plus), ("-", Operator::Minus)]) {
            let right = self.product()?;
            if !matches!(left.1, Kind::Number | Kind::Time) {
                return Err(ExprError::new(
                    left.2,
                    format!("{} cannot be added", left.1),
                    "a number or a time",
                ));
            }
            want(right.1, left.1, &right.2)?;
            left = both(left, operator, right);
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Part, ExprError> {
        let mut left = self.primary()?;
        while let Some(operator) = self.take_sign(&[("*", Operator::Times)]) {
            let right = self.primary()?;
            let kind = match (left.1, right.1) {
                (Kind::Number, Kind::Number) => Kind::Number,
                (Kind::Number, Kind::Time) | (Kind::Time, Kind::Number) => Kind::Time,
                _ => {
                    let range = left.2.start..right.2.end;
                    return Err(ExprError::new(
                        range,
                        "only numbers multiply",
                        "a number times a number or a time",
                    ));
                }
            };
            left = both(left, operator, right);
            left.1 = kind;
        }
        Ok(left)
    }

    fn primary(&mut self) -> Result<Part, ExprError> {
        let Some((token, range)) = self.tokens.get(self.at).cloned() else {
            return Err(ExprError::new(
                self.end..self.end,
                "the expression breaks off here",
                "a name or a value",
            ));
        };
        self.at += 1;
        Ok(match token {
            Token::Number(n) => (Node::Literal(Value::Number(n)), Kind::Number, range),
            Token::Time(micros) => (Node::Literal(Value::Time(micros)), Kind::Time, range),
            Token::Text(text) => (Node::Literal(Value::Text(text)), Kind::Text, range),
            Token::Word(word) => match word.as_str() {
                "true" | "false" => (Node::Literal(Value::Truth(word == "true")), Kind::Truth, range),
                _ => self.name(&word, range)?,
            },
            Token::Sign("(") => {
                let (node, kind, _) = self.either()?;
                match self.tokens.get(self.at) {
                    Some((Token::Sign(")"), close)) => {
                        let whole = range.start..close.end;
                        self.at += 1;
                        (node, kind, whole)
                    }
                    other => {
                        let place = other.map_or(self.end..self.end, |(_, place)| place.clone());
                        return Err(ExprError::new(place, "a parenthesis is still open", "`)`"));
                    }
                }
            }
            Token::Sign(sign) => {
                return Err(ExprError::new(
                    range,
                    format!("`{sign}` stands where a value belongs"),
                    "a name or a value",
                ));
            }
        })
    }

    fn name(&self, word: &str, range: Range<usize>) -> Result<Part, ExprError> {
        if let Some(index) = WORLD.iter().position(|(name, ..)| *name == word) {
            return Ok((Node::Name(Name::World(index)), WORLD[index].1, range));
        }
        let (head, field) = word.split_once('.').unwrap_or((word, ""));
        if head == "knobs" {
            return if self.knobs.iter().any(|knob| knob == field) {
                Ok((Node::Name(Name::Knob(field.to_owned())), Kind::Number, range))
            } else {
                let hint = did_you_mean(field, self.knobs.iter().map(String::as_str));
                Err(ExprError::new(
                    range,
                    format!("this lesson has no knob `{field}`"),
                    listed(&hint, "one of the knobs"),
                ))
            };
        }
        if let Some(id) = WorkerId::named(head) {
            if id.index() >= self.cast {
                let message = format!("there is no worker `{head}`: the cast has {}", self.cast);
                return Err(ExprError::new(range, message, "a worker of this take"));
            }
            if let Some(index) = FIELDS.iter().position(|(name, ..)| *name == field) {
                return Ok((Node::Name(Name::Worker(id, index)), FIELDS[index].1, range));
            }
            let fields = FIELDS.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ");
            return Err(ExprError::new(
                range,
                format!("a worker has no `{field}`"),
                format!("one of {fields}"),
            ));
        }
        let hint = did_you_mean(word, WORLD.iter().map(|(name, ..)| *name));
        Err(ExprError::new(
            range,
            format!("`{word}` is not a name that expressions know"),
            listed(&hint, "a name like db.hits, lock.owner or A.line"),
        ))
    }
}

fn listed(hint: &str, otherwise: &str) -> String {
    if hint.is_empty() { otherwise.to_owned() } else { hint.to_owned() }
}

fn want(found: Kind, wanted: Kind, range: &Range<usize>) -> Result<(), ExprError> {
    if found == wanted {
        return Ok(());
    }
    Err(ExprError::new(range.clone(), format!("this is {found}"), format!("{wanted}")))
}

fn both(left: Part, operator: Operator, right: Part) -> Part {
    let range = left.2.start..right.2.end;
    (Node::Both(Box::new(left.0), operator, Box::new(right.0)), left.1, range)
}

fn truths(left: Part, operator: Operator, right: Part) -> Result<Part, ExprError> {
    want(left.1, Kind::Truth, &left.2)?;
    want(right.1, Kind::Truth, &right.2)?;
    Ok(both(left, operator, right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::World;

    fn holds(text: &str) -> bool {
        parse(text, &["px".to_owned()], 3)
            .unwrap_or_else(|error| panic!("{text}: {error:?}"))
            .holds(&World::default())
    }

    #[test]
    fn precedence_is_the_usual_one() {
        assert!(holds("1 + 2 * 3 == 7 and not 1 > 2"));
        assert!(holds("false and false or true"));
        assert!(!holds("false and (false or true)"));
        assert!(holds("2 * 1.5s == 3s and 1000ms == 1s"));
        assert!(holds("lock.owner == 'nobody' and db.hits == 0 and A.line == 0"));
    }

    #[test]
    fn what_is_not_known_is_equal_to_nothing() {
        assert!(!holds("wait.p50 < 1h") && !holds("wait.p50 >= 0s") && holds("wait.p50 != 0s"));
    }

    #[test]
    fn mistakes_are_found_before_anything_runs() {
        let wrong = |text: &str| parse(text, &["px".to_owned()], 3).unwrap_err();
        let error = wrong("db.hit == 1");
        assert_eq!((error.range, error.expected.as_str()), (0..6, "did you mean `db.hits`?"));
        assert_eq!(wrong("db.hits == 1s").range, 11..13);
        assert!(wrong("db.hits ==").message.contains("breaks off"));
        assert!(wrong("(db.hits == 1").message.contains("open"));
        assert!(wrong("D.line == 1").message.contains("the cast has 3"));
        assert!(wrong("A.lien == 1").expected.contains("line"));
        assert!(wrong("knobs.pz == 1").expected.contains("px"));
        assert!(wrong("db.hits and true").expected.contains("truth"));
        assert!(wrong("lock.owner < 'B'").message.contains("no order"));
        assert!(wrong("db.hits # 1").message.contains('#'));
        assert!(wrong("lock.owner == 'B").message.contains("no end"));
        assert!(wrong("5parsec == 1").message.contains("5parsec"));
    }
}
