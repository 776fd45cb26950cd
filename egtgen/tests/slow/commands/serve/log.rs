//! Reads the log of requests and of transfers that were cut.

use std::fs;
use std::io::{Read, Write};
use std::time::Duration;

use serde_json::{Value, json};

use super::{KNIGHT, Served, url};
use crate::commands::program::EgtgenSandbox;

#[test]
fn requests_are_logged() {
    let sandbox = EgtgenSandbox::new();
    let served = Served::start(&sandbox, &[]);
    let body = served.ask("GET /health").with_status(200).body.len();
    let line = served.logged("/health");
    assert_eq!((&line["method"], &line["status"], &line["bytes"]), (&json!("GET"), &json!(200), &json!(body)));
    assert!(line["ms"].as_f64().unwrap() < 1000.0);
    let time = line["time"].as_str().unwrap();
    assert!(time.len() == 24 && time.ends_with('Z') && time.as_bytes()[10] == b'T', "{time}");
    // The log does not contain the query of a request.
    served.ask(&format!("GET /transform?fen={}&op=rot90", url(KNIGHT))).with_status(200);
    let line = served.logged("/transform");
    assert!(!line.to_string().contains("2k5"), "{line}");
    let quiet = Served::start(&sandbox, &["--log", "none"]);
    quiet.ask("GET /health").with_status(200);
    let (code, said) = quiet.end("-TERM");
    assert!(code == Some(0) && !said.iter().any(|line| line.contains("health")), "{said:?}");
    let plain = Served::start(&sandbox, &["--log", "text"]);
    plain.ask("GET /a%1b").with_status(404);
    plain.ask("GET /health").with_status(200);
    let (_, said) = plain.end("-TERM");
    assert!(said.iter().any(|line| line.contains(" 200 GET /health ")), "{said:?}");
    assert!(said.iter().any(|line| line.contains(" 404 GET /a%1b ")), "{said:?}");
}

#[test]
fn a_transfer_that_is_cut_is_logged_as_cut() {
    let sandbox = EgtgenSandbox::new();
    fs::create_dir(sandbox.path("t")).unwrap();
    fs::File::create(sandbox.path("t/Large.egt")).unwrap().set_len(64 << 20).unwrap();
    let request = b"GET /tables/Large.egt HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let served = Served::start(&sandbox, &["--tables", "t"]);
    // A client that reads everything.
    let whole = served.send(request).with_status(200);
    let line = served.logged("/tables/Large.egt");
    assert_eq!((whole.body.len(), &line["bytes"], line.get("cut")), (64 << 20, &json!(64 << 20), None), "{line}");
    // A client that leaves in the middle.
    let mut stream = served.connect();
    stream.write_all(request).unwrap();
    let mut some = vec![0; 8 << 20];
    stream.read_exact(&mut some).unwrap();
    drop(stream);
    let line = served.logged("/tables/Large.egt");
    let bytes = line["bytes"].as_u64().unwrap();
    assert_eq!((&line["status"], &line["cut"]), (&json!(200), &json!("left")), "{line}");
    assert!(bytes > (8 << 20) - 1024 && bytes < 64 << 20, "{line}");
    // A client that is still connected when the service ends, and reads nothing.
    let mut stream = served.connect();
    stream.write_all(request).unwrap();
    stream.read_exact(&mut [0; 12]).unwrap();
    let (code, said) = served.end("-TERM");
    let line: Value = serde_json::from_str(said.last().unwrap()).unwrap();
    assert!(code == Some(0) && ["ended", "slow"].contains(&line["cut"].as_str().unwrap()), "{line}");
    // The log as text.
    let served = Served::start(&sandbox, &["--tables", "t", "--log", "text"]);
    let mut stream = served.connect();
    stream.write_all(request).unwrap();
    let line = served.log.recv_timeout(Duration::from_secs(20)).unwrap();
    assert!(line.contains(" 200 GET /tables/Large.egt ") && line.ends_with(" cut (slow)"), "{line}");
    drop(stream);
}
