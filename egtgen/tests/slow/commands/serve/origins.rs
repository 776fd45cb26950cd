//! Checks from which pages, and under which names, the service may be asked.

use super::Served;
use crate::commands::program::EgtgenSandbox;

#[test]
fn pages_of_other_origins_are_let_in_where_they_are_named() {
    let sandbox = EgtgenSandbox::new();
    let allowed = |more: &[&str], request: &str, origin: &str| {
        let served = Served::start(&sandbox, more);
        let answer = served.with(request, &format!("origin: {origin}\r\naccess-control-request-method: POST"));
        answer.header("access-control-allow-origin").map(str::to_owned)
    };
    let (here, there) = ("https://example.org", "https://example.com");
    for request in ["GET /health", "OPTIONS /transform"] {
        assert_eq!(allowed(&[], request, here), None);
        assert_eq!(allowed(&["--allow-origin", here], request, here).as_deref(), Some(here));
        assert_eq!(allowed(&["--allow-origin", here], request, there), None);
        assert_eq!(allowed(&["--allow-origin", here, "--allow-origin", "*"], request, there).as_deref(), Some("*"));
    }
    for path in ["/tablebase", "/standard"] {
        assert_eq!(allowed(&[], &format!("OPTIONS {path}"), here).as_deref(), Some("*"));
    }
    sandbox.run(&["serve", "--allow-origin", "example.org/"]).failed_usage("expected an origin");
}

#[test]
fn only_our_own_names_are_answered() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let served = Served::start(&sandbox, &["--tables", "t", "--host", "tables.example"]);
    let port = served.address.port();
    let asked = |version: &str, target: &str, headers: &str| {
        served.send(format!("GET {target} HTTP/{version}\r\n{headers}connection: close\r\n\r\n").as_bytes())
    };
    for ours in ["localhost", &format!("127.0.0.1:{port}"), "[::1]:8384", "LOCALHOST", "tables.example:80"] {
        asked("1.1", "/tables/KRvK.egt", &format!("host: {ours}\r\n")).with_status(200);
    }
    // A browser would allow a page of this name to read the response.
    for path in
        ["/tables/", "/tables/KRvK.egt", "/health", "/transform?fen=8/8/8/8/8/8/8/8&op=rot90", "/", "/openapi.json"]
    {
        let rebound = asked("1.1", path, &format!("host: rebound.example:{port}\r\n"));
        rebound.refused(421, "--host rebound.example", None);
    }
    asked("1.1", "/health", "").refused(400, "`Host` is missing", None);
    asked("1.1", "/health", "host: localhost\r\nhost: localhost\r\n").refused(400, "twice", None);
    asked("1.1", "/health", "host: a b\r\n").refused(400, "not a host", None);
    asked("1.1", "http://rebound.example/health", "host: localhost\r\n").refused(421, "rebound.example", None);
    asked("1.1", "http://localhost/health", "host: localhost\r\n").with_status(200);
    // HTTP/1.0 does not require a host.
    asked("1.0", "/health", "").with_status(200);
    asked("1.0", "/health", "host: rebound.example\r\n").refused(421, "rebound.example", None);
    let any = Served::start(&sandbox, &["--host", "*"]);
    any.send(b"GET /health HTTP/1.1\r\nhost: any.example\r\nconnection: close\r\n\r\n").with_status(200);
    sandbox.run(&["serve", "--host", "http://example.org"]).failed_usage("expected a host");
}
