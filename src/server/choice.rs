//! Which server the user asked for.

use std::net::IpAddr;

use super::embedded::Dialect;

/// What `--server` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wish {
    /// A private server from PATH, or the embedded one.
    #[default]
    Auto,
    /// A private server from PATH.
    Spawn,
    /// The server inside this program, presenting itself as one of its originals.
    Embedded(Dialect),
}

/// The server to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    Url(String),
    Start(Wish),
}

/// Why `REDIS_URL` is not followed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("REDIS_URL points at {host}, which is not this machine; to run lessons there say so with --redis")]
pub struct ChoiceError {
    pub host: String,
}

impl Choice {
    /// What flags and environment ask for. A flag goes before `REDIS_URL`, which is followed only to this machine:
    /// a variable set for another purpose must not lead a lesson to somebody's production.
    ///
    /// # Errors
    /// When `REDIS_URL` leads elsewhere and no flag says otherwise.
    pub fn from_flags(
        flag: Option<&str>,
        variable: Option<&str>,
        wish: Option<Wish>,
    ) -> Result<Self, ChoiceError> {
        if let Some(url) = flag {
            return Ok(Self::Url(url.to_owned()));
        }
        match (wish, variable.filter(|url| !url.is_empty())) {
            (None, Some(url)) => match remote_host(url) {
                None => Ok(Self::Url(url.to_owned())),
                Some(host) => Err(ChoiceError { host }),
            },
            (wish, _) => Ok(Self::Start(wish.unwrap_or_default())),
        }
    }
}

/// The host of a URL that leads to another machine.
fn remote_host(url: &str) -> Option<String> {
    let info = <&str as redis::IntoConnectionInfo>::into_connection_info(url).ok()?;
    match info.addr() {
        redis::ConnectionAddr::Tcp(host, _) | redis::ConnectionAddr::TcpTls { host, .. } => {
            let bare = host.trim_matches(['[', ']']);
            let local =
                bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
            (!local).then(|| host.clone())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_goes_before_the_environment() {
        let choice = Choice::from_flags(Some("redis://example.org"), Some("redis://localhost"), None);
        assert_eq!(choice, Ok(Choice::Url("redis://example.org".to_owned())));
        assert_eq!(Choice::from_flags(None, None, None), Ok(Choice::Start(Wish::Auto)));
        let spawn = Choice::from_flags(None, Some("redis://localhost"), Some(Wish::Spawn));
        assert_eq!(spawn, Ok(Choice::Start(Wish::Spawn)), "an explicit --server beats a variable");
    }

    #[test]
    fn the_environment_leads_only_to_this_machine() {
        for local in [
            "redis://127.0.0.1:7000/2",
            "redis://localhost",
            "redis://[::1]:6379",
            "redis+unix:///tmp/r.sock",
        ] {
            assert_eq!(
                Choice::from_flags(None, Some(local), None),
                Ok(Choice::Url(local.to_owned())),
                "{local}"
            );
        }
        let error = Choice::from_flags(None, Some("redis://cache.example.org:6379"), None).unwrap_err();
        assert_eq!(error.host, "cache.example.org");
    }
}
