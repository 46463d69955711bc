//! Which server it is.

use std::fmt;

/// The two families.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Redis,
    Valkey,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Redis => "redis",
            Self::Valkey => "valkey",
        })
    }
}

/// A server's kind and version, as its `INFO server` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub kind: Kind,
    pub version: String,
    /// It is the [embedded](super::embedded) one, which presents itself as the server of this kind and version.
    pub embedded: bool,
}

impl Identity {
    /// Reads the text of `INFO server`. Valkey also reports a `redis_version`, for clients that look for it.
    pub fn from_info(info: &str) -> Self {
        let field = |name: &str| {
            info.lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                .map(|value| value.trim().to_owned())
        };
        let embedded = field("embedded_in").is_some();
        match field("valkey_version") {
            Some(version) => Self { kind: Kind::Valkey, version, embedded },
            None => Self {
                kind: Kind::Redis,
                version: field("redis_version").unwrap_or_else(|| "unknown".to_owned()),
                embedded,
            },
        }
    }
}

impl Identity {
    /// True for this version and those after it.
    pub fn is_at_least(&self, major: u32, minor: u32) -> bool {
        let mut numbers = self.version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
        (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (major, minor)
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let embedded = if self.embedded { "embedded " } else { "" };
        write!(f, "{embedded}{} {}", self.kind, self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_valkey_is_not_taken_for_the_redis_it_answers_as() {
        let info = "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:9.0.1\r\n";
        assert_eq!(Identity::from_info(info).to_string(), "valkey 9.0.1");
        assert_eq!(Identity::from_info("# Server\r\nredis_version:7.0.15\r\n").to_string(), "redis 7.0.15");
        let redis = Identity::from_info("redis_version:8.4.1\r\n");
        assert!(redis.is_at_least(8, 4) && redis.is_at_least(7, 9) && !redis.is_at_least(8, 5));
        let info = "# Server\r\nredis_version:7.0.15\r\nembedded_in:stampede 1.0.0\r\n";
        assert_eq!(Identity::from_info(info).to_string(), "embedded redis 7.0.15");
    }
}
