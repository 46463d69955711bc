//! Which original the embedded server follows.

/// The server it presents itself as. Where the two differ, each presentation answers as its original does, down to the
/// wording of errors; `tests/conformance` holds both against real servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// Redis 7.0.
    #[default]
    Redis,
    /// Valkey 9, which has `SET … IFEQ` and `DELIFEQ`.
    Valkey,
}

impl Dialect {
    /// How the server calls itself in `HELLO`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Redis => "redis",
            Self::Valkey => "valkey",
        }
    }

    /// How it calls itself in sentences.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Redis => "Redis",
            Self::Valkey => "Valkey",
        }
    }

    /// The version of the original whose replies were recorded.
    pub(super) const fn version(self) -> &'static str {
        match self {
            Self::Redis => "7.0.15",
            Self::Valkey => "9.1.2",
        }
    }

    /// The version of Redis that it says it can stand in for.
    pub(super) const fn redis_version(self) -> &'static str {
        match self {
            Self::Redis => "7.0.15",
            Self::Valkey => "7.2.4",
        }
    }

    /// [`version`](Self::version) and [`redis_version`](Self::redis_version) as `0x00MMmmpp`, as scripts see them.
    pub(super) const fn version_numbers(self) -> (u32, u32) {
        match self {
            Self::Redis => (0x0007_000F, 0x0007_000F),
            Self::Valkey => (0x0009_0102, 0x0007_0204),
        }
    }
}
