//! Checks the host name that a request is addressed to.
//!
//! A foreign page can make its own host name resolve to the address of this service (DNS rebinding); the browser then lets the
//! page read the responses. But the header `Host` has the name that the browser used, so the service answers only to its own
//! names.

use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, Uri, Version};

use super::http_error::HttpError;

/// The names that the service answers to.
#[derive(Clone, Debug, Default)]
pub struct AllowedHosts {
    names: Vec<HostName>,
    is_any: bool,
}

/// A host: a name in lower case, or an address.
#[derive(Clone, PartialEq, Eq, Debug)]
enum HostName {
    Address(IpAddr),
    Text(String),
}

impl HostName {
    /// Parses a host without a port.
    fn parse(host: &str) -> HostName {
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        if let Some(address) = bare.and_then(|bare| bare.parse::<Ipv6Addr>().ok()) {
            return HostName::Address(IpAddr::V6(address).to_canonical());
        }
        match host.parse() {
            Ok(address) => HostName::Address(IpAddr::V4(address)),
            // A name may end with a dot, which stands for the root.
            Err(_) => HostName::Text(host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()),
        }
    }

    fn is_of_this_machine(&self) -> bool {
        match self {
            HostName::Address(address) => address.is_loopback(),
            HostName::Text(name) => name == "localhost",
        }
    }
}

/// Reads a name of `--host`.
///
/// # Errors
///
/// The text is not a host, or has a port.
pub fn parse_host(text: &str) -> Result<String, String> {
    let wrong = || "expected a host such as example.org or 192.0.2.7, without scheme, port and path; or *".to_owned();
    if text == "*" {
        return Ok(text.to_owned());
    }
    if let Ok(address) = text.parse::<Ipv6Addr>() {
        return Ok(format!("[{address}]"));
    }
    let authority = Authority::from_str(text).map_err(|_| wrong())?;
    if authority.as_str() == authority.host() { Ok(text.to_owned()) } else { Err(wrong()) }
}

impl AllowedHosts {
    /// The names of `--host`, and the address of the listener.
    pub fn new(names: &[String], listen: IpAddr) -> AllowedHosts {
        let is_any = names.iter().any(|name| name == "*");
        let own = HostName::Address(listen.to_canonical());
        AllowedHosts { names: names.iter().map(|name| HostName::parse(name)).chain([own]).collect(), is_any }
    }

    /// Checks that a request is addressed to this service. `local` is its address on the connection.
    ///
    /// # Errors
    ///
    /// The request names no host, several hosts, or another host.
    pub fn check(
        &self,
        version: Version,
        uri: &Uri,
        headers: &HeaderMap,
        local: Option<IpAddr>,
    ) -> Result<(), HttpError> {
        let mut said = headers.get_all(HOST).iter();
        let (header, more) = (said.next(), said.next());
        if more.is_some() {
            return Err(HttpError::bad_request("the header `Host` appears twice"));
        }
        let unread = || HttpError::bad_request("the header `Host` is not a host and port");
        let header = match header {
            Some(value) => {
                let text = value.to_str().map_err(|_| unread())?;
                let authority = Authority::from_str(text).map_err(|_| unread())?;
                if text.contains('@') {
                    return Err(unread());
                }
                Some(authority)
            }
            // No browser uses this version of HTTP, and it does not require `Host`.
            None if version < Version::HTTP_11 && uri.authority().is_none() => return Ok(()),
            None if version < Version::HTTP_11 => None,
            None => return Err(HttpError::bad_request("the header `Host` is missing")),
        };
        // A URL in the first line takes precedence over the header.
        let Some(host) = uri.authority().or(header.as_ref()).map(Authority::host) else { return Err(unread()) };
        let name = HostName::parse(host);
        let is_here = |local: IpAddr| name == HostName::Address(local.to_canonical());
        if self.is_any || name.is_of_this_machine() || self.names.contains(&name) || local.is_some_and(is_here) {
            return Ok(());
        }
        let message = format!(
            "this service does not answer to the name `{host}`; to allow the name, start the service with --host {host}"
        );
        Err(HttpError::new(StatusCode::MISDIRECTED_REQUEST, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(hosts: &AllowedHosts, version: Version, target: &str, said: &[&str]) -> u16 {
        let mut headers = HeaderMap::new();
        for host in said {
            headers.append(HOST, host.parse().expect("a value"));
        }
        let local = "192.0.2.1".parse().ok();
        match hosts.check(version, &target.parse().expect("a target"), &headers, local) {
            Ok(()) => 200,
            Err(refusal) => axum::response::IntoResponse::into_response(refusal).status().as_u16(),
        }
    }

    #[test]
    fn only_our_own_names_are_answered() {
        let named = |names: &[&str], listen: &str| {
            let names: Vec<String> = names.iter().map(|name| parse_host(name).expect(name)).collect();
            AllowedHosts::new(&names, listen.parse().expect("an address"))
        };
        let hosts = named(&["Example.org", "2001:db8::7"], "192.0.2.99");
        for ours in [
            "localhost",
            "LOCALHOST:8384",
            "localhost.",
            "127.0.0.1",
            "127.0.0.1:1",
            "127.1.2.3",
            "[::1]",
            "[::1]:8384",
            "example.org",
            "EXAMPLE.org:443",
            "[2001:db8::7]",
            "[2001:db8:0::7]:80",
            "192.0.2.99",
            "192.0.2.1:8384",
            "[::ffff:192.0.2.1]",
        ] {
            assert_eq!(asked(&hosts, Version::HTTP_11, "/health", &[ours]), 200, "{ours}");
        }
        for other in [
            "evil.example",
            "localhost.evil.example",
            "example.org.evil.example",
            "192.0.2.98",
            "[2001:db8::8]",
            "127.1",
            "0.0.0.0",
            "xlocalhost",
        ] {
            assert_eq!(asked(&hosts, Version::HTTP_11, "/health", &[other]), 421, "{other}");
        }
        for wrong in ["", "a b", "user@localhost", "http://localhost", "localhost/", "[::1", "localhost:x:y"] {
            assert_eq!(asked(&hosts, Version::HTTP_11, "/health", &[wrong]), 400, "{wrong}");
        }
        assert_eq!(asked(&hosts, Version::HTTP_11, "/health", &[]), 400);
        assert_eq!(asked(&hosts, Version::HTTP_11, "/health", &["localhost", "localhost"]), 400);
        assert_eq!(asked(&hosts, Version::HTTP_10, "/health", &[]), 200);
        assert_eq!(asked(&hosts, Version::HTTP_10, "/health", &["evil.example"]), 421);
        // A URL in the first line takes precedence.
        assert_eq!(asked(&hosts, Version::HTTP_11, "http://evil.example/health", &["localhost"]), 421);
        assert_eq!(asked(&hosts, Version::HTTP_11, "http://localhost/health", &["evil.example"]), 200);
        assert_eq!(asked(&hosts, Version::HTTP_11, "http://localhost/health", &[]), 400);
        assert_eq!(asked(&hosts, Version::HTTP_10, "http://evil.example/health", &[]), 421);
        assert_eq!(asked(&named(&["*"], "0.0.0.0"), Version::HTTP_11, "/", &["any.example"]), 200);
    }

    #[test]
    fn a_host_has_no_port() {
        for right in ["example.org", "192.0.2.7", "[::1]", "::1", "*"] {
            assert!(parse_host(right).is_ok(), "{right}");
        }
        for wrong in ["", "example.org:80", "http://example.org", "example.org/", "a b", "u@example.org", "[::1]:80"] {
            assert!(parse_host(wrong).is_err(), "{wrong}");
        }
    }
}
