//! Files of cases.
//!
//! ```text
//! # A comment.
//! == SET with NX leaves what is there
//! SET k v
//!   | +OK¶
//! SET k w NX
//!   2| $-1¶
//!   3| _¶
//! ```
//!
//! Replies stand below their command as the bytes that came, `¶` for CR LF and Rust's escapes for what is not printable.
//! After a title, `@cluster`, `@redis`, `@valkey` and `@2` say where and how a case is played, if not everywhere.

use std::fmt;
use std::path::{Path, PathBuf};

use stampede::server::embedded::{Dialect, Protocol};

use crate::step::Step;

/// A presentation and a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Variant {
    pub(crate) dialect: Dialect,
    pub(crate) protocol: Protocol,
}

impl Variant {
    pub(crate) const ALL: [Self; 4] = [
        Self { dialect: Dialect::Redis, protocol: Protocol::Resp2 },
        Self { dialect: Dialect::Redis, protocol: Protocol::Resp3 },
        Self { dialect: Dialect::Valkey, protocol: Protocol::Resp2 },
        Self { dialect: Dialect::Valkey, protocol: Protocol::Resp3 },
    ];

    /// Whether a tag is true of it.
    pub(crate) fn has(self, tag: &str) -> bool {
        self.to_string().split(' ').any(|own| own == tag)
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let server = if self.dialect == Dialect::Redis { "redis" } else { "valkey" };
        write!(f, "{server} {}", if self.protocol == Protocol::Resp2 { 2 } else { 3 })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) title: String,
    tags: Vec<String>,
    pub(crate) steps: Vec<Step>,
}

impl Case {
    pub(crate) fn is_for(&self, variant: Variant) -> bool {
        self.tags.iter().filter(|tag| *tag != "cluster").all(|tag| variant.has(tag))
    }

    pub(crate) fn in_cluster(&self) -> bool {
        self.tags.iter().any(|tag| tag == "cluster")
    }
}

pub(crate) struct CaseFile {
    path: PathBuf,
    /// What stands before the first case.
    head: Vec<String>,
    pub(crate) cases: Vec<Case>,
}

impl CaseFile {
    pub(crate) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("cases are text");
        let mut file = Self { path: path.to_owned(), head: Vec::new(), cases: Vec::new() };
        for line in text.lines() {
            if let Some(title) = line.strip_prefix("== ") {
                let mut parts = title.split(" @");
                let title = parts.next().unwrap_or_default().to_owned();
                let known = ["cluster", "redis", "valkey", "2", "3"];
                assert!(title.split(" @").skip(1).all(|tag| known.contains(&tag)), "an unknown tag: {title}");
                file.cases.push(Case { title, tags: parts.map(str::to_owned).collect(), steps: Vec::new() });
                continue;
            }
            match file.cases.last_mut() {
                None => file.head.push(line.to_owned()),
                Some(_) if line.trim().is_empty() => {}
                Some(case) if line.starts_with("  ") => {
                    case.steps.last_mut().expect("a reply has a command").read_recorded(line);
                }
                Some(case) => case.steps.push(Step::read(line)),
            }
        }
        assert!(!file.cases.is_empty(), "{} has cases", path.display());
        file
    }

    pub(crate) fn name(&self) -> String {
        self.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Writes it back with the replies that it has now.
    pub(crate) fn write(&self) {
        let mut text = self.head.join("\n");
        for case in &self.cases {
            let title = std::iter::once(&case.title).chain(&case.tags).map(String::as_str);
            text.push_str(&format!("\n== {}\n", title.collect::<Vec<_>>().join(" @")));
            for step in &case.steps {
                text.push_str(&format!("{}\n", step.text));
                for line in step.lines() {
                    text.push_str(&format!("{line}\n"));
                }
            }
        }
        std::fs::write(&self.path, text.trim_start()).expect("the record can be written");
    }
}
