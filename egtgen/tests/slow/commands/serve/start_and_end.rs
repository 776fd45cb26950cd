//! Starts the service where it cannot serve, and ends it while it does.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Answer, KNIGHT, Served, TURNED};
use crate::commands::program::EgtgenSandbox;

#[test]
fn what_cannot_be_served_is_said_at_once() {
    let sandbox = EgtgenSandbox::new();
    fs::create_dir(sandbox.path("empty")).unwrap();
    sandbox.run(&["serve", "--tables", "nowhere"]).failed(1, &["nowhere: "]);
    sandbox.run(&["serve", "--site", "nowhere"]).failed(1, &["nowhere: ", "cannot be read"]);
    sandbox.run(&["serve", "--site", "empty"]).failed(1, &["empty: ", "no index.html"]);
    sandbox.put("empty/index.html", "<p>site");
    sandbox.put("empty/_headers", "x");
    sandbox.run(&["serve", "--site", "empty"]).failed(1, &["empty/_headers: line 1: "]);
    sandbox.run(&["serve", "--listen", "localhost"]).failed_usage("--listen");
    sandbox.run(&["serve", "--timeout", "0"]).failed_usage("--timeout");
    sandbox.run(&["serve", "--connections", "0"]).failed_usage("--connections");
    let served = Served::start(&sandbox, &[]);
    let address = served.address.to_string();
    sandbox.run(&["serve", "--listen", &address]).failed(1, &[&address, "port 0"]);
    served.ask("GET /").refused(404, "--site DIR", None);
    for path in ["/tables", "/tables/", "/tables/KRvK.egt"] {
        served.ask(&format!("GET {path}")).refused(404, "--tables DIR", None);
    }
    let told = served.ask("GET /tablebase?fen=k1R5/8/1K6/8/8/8/8/8_b").with_status(200).json();
    assert_eq!((&told["category"], &told["checkmate"]), (&json!("loss"), &json!(true)));
}

#[test]
fn an_end_is_in_good_order() {
    for signal in ["-INT", "-TERM"] {
        let served = Served::start(&EgtgenSandbox::new(), &[]);
        let mut idle = served.connect();
        idle.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        let mut first = [0; 15];
        idle.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 200 OK");
        let mut running = served.connect();
        let head = "POST /transform?op=rot90&format=text HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\n";
        let length = KNIGHT.len();
        let half = KNIGHT.split_at(10);
        running.write_all(format!("{head}content-length: {length}\r\n\r\n{}", half.0).as_bytes()).unwrap();
        // Once another request has been served, the service has begun with this one.
        served.ask("GET /health").with_status(200);
        served.signal(signal);
        // The service closes idle connections and accepts no new ones.
        idle.read_to_end(&mut Vec::new()).unwrap();
        assert_eq!(TcpStream::connect(served.address).unwrap_err().kind(), ErrorKind::ConnectionRefused);
        running.write_all(half.1.as_bytes()).unwrap();
        assert_eq!(Answer::read(&mut running).with_status(200).text(), format!("{TURNED}\n"));
        let (code, said) = served.ended();
        assert_eq!(code, Some(0), "{said:?}");
        // The line about the signal may come before or after this one.
        let last = said.iter().rfind(|line| line.starts_with('{')).unwrap();
        let last: Value = serde_json::from_str(last).unwrap();
        assert_eq!((&last["path"], &last["status"]), (&json!("/transform"), &json!(200)), "the last line is there");
    }
    // The service waits no longer than its timeout for a request that never ends.
    let served = Served::start(&EgtgenSandbox::new(), &[]);
    let mut stream = served.connect();
    stream.write_all(b"GET /health HTTP/1.1\r\nho").unwrap();
    served.ask("GET /health").with_status(200);
    let start = Instant::now();
    let (code, _) = served.end("-TERM");
    assert!(code == Some(0) && start.elapsed() < Duration::from_secs(5), "{code:?} after {:?}", start.elapsed());
}
