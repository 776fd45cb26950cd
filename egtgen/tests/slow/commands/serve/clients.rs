//! Sends too much, too slowly or too often, and holds connections.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Answer, KNIGHT, Served, TURNED, url};
use crate::commands::program::EgtgenSandbox;

#[test]
fn too_much_is_refused() {
    let served = Served::start(&EgtgenSandbox::new(), &[]);
    let body = vec![b'8'; (1 << 20) + 1];
    served.post("/transform?op=rot90", "text/plain", &body).refused(413, "1048576", None);
    let head = "POST /transform?op=rot90 HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\n";
    // The service refuses by the length alone, before the body has arrived.
    let answer = served.send(format!("{head}content-length: 99999999999\r\n\r\n8").as_bytes());
    answer.refused(413, "1048576", None);
    let chunk = format!("10000\r\n{}\r\n", "8".repeat(0x10000)).repeat(17);
    served
        .send(format!("{head}transfer-encoding: chunked\r\n\r\n{chunk}0\r\n\r\n").as_bytes())
        .refused(413, "1048576", None);
    let long = "a".repeat(20 << 10);
    served.ask(&format!("GET /transform?fen={long}")).with_status(431);
    served.with("GET /health", &format!("x: {long}")).with_status(431);
    served.with("GET /health", &"x: y\r\n".repeat(100)).with_status(431);
    // Garbage is not a request.
    for garbage in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01",
        b"GET / HTTP/1.1\r\na b: c\r\n\r\n",
    ] {
        let answer = served.send(garbage);
        assert!(matches!(answer.status, 400 | 0), "{garbage:?}: {}", answer.head);
    }
    let both = format!(
        "{head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"
    );
    let answer = served.send(both.as_bytes());
    assert!(!answer.text().contains("\"ok\""), "a request hides in another: {}", answer.text());
    served.ask("GET /health").with_status(200);
}

#[test]
fn the_slow_are_not_waited_for_and_hold_up_nobody() {
    let sandbox = EgtgenSandbox::new();
    fs::create_dir(sandbox.path("t")).unwrap();
    // The file is larger than what operating systems buffer for a client that does not read.
    fs::File::create(sandbox.path("t/Large.egt")).unwrap().set_len(256 << 20).unwrap();
    let served = Served::start(&sandbox, &["--tables", "t"]);
    let start = Instant::now();
    let post = "POST /transform?op=rot90 HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\n8/8";
    let half = |text: &str| {
        let mut stream = served.connect();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    };
    let heads: Vec<TcpStream> = (0..20).map(|_| half("GET /health HTTP/1.1\r\nho")).collect();
    let bodies: Vec<TcpStream> = (0..20).map(|_| half(post)).collect();
    let silent: Vec<TcpStream> = (0..20).map(|_| half("")).collect();
    let deaf = half("GET /tables/Large.egt HTTP/1.1\r\nhost: localhost\r\n\r\n");
    // Meanwhile the service responds to others, many times on one connection.
    let mut stream = served.connect();
    let request =
        format!("GET /transform?fen={}&op=rot90&format=text HTTP/1.1\r\nhost: localhost\r\n\r\n", url(KNIGHT));
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    for _ in 0..200 {
        stream.write_all(request.as_bytes()).unwrap();
        let (mut line, mut last) = (String::new(), String::new());
        while last != format!("{TURNED}\n") {
            last.clear();
            assert!(reader.read_line(&mut last).unwrap() > 0, "{line}");
            line += &last;
        }
        assert!(line.starts_with("HTTP/1.1 200"), "{line}");
    }
    assert!(start.elapsed() < Duration::from_secs(1), "they waited: {:?}", start.elapsed());
    for mut stream in heads.into_iter().chain(silent) {
        assert_eq!(Answer::read(&mut stream).status, 0);
    }
    for mut stream in bodies {
        Answer::read(&mut stream).refused(408, "did not arrive in time", None);
    }
    // This client made requests and then sends nothing more.
    let mut rest = String::new();
    reader.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    let line = served.logged("/tables/Large.egt");
    // Only what the systems of both ends buffer was sent.
    assert_eq!((&line["status"], &line["cut"]), (&json!(200), &json!("slow")), "{line}");
    assert!(line["bytes"].as_u64().unwrap() < 4 << 20, "{line}");
    drop(deaf);
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
}

#[test]
#[cfg(target_os = "linux")]
fn one_client_cannot_take_every_place() {
    let sandbox = EgtgenSandbox::new();
    let hold = |served: &Served, from: &str| {
        let mut stream = served.connect_from(from);
        stream.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).unwrap();
        (stream, String::from_utf8_lossy(&first[9..]).into_owned())
    };
    let served = Served::start(&sandbox, &["--connections", "4", "--connections-per-client", "2"]);
    let greedy: Vec<_> = (0..2).map(|_| hold(&served, "127.0.0.7")).collect();
    assert!(greedy.iter().all(|(_, status)| status == "200"));
    let mut refused = served.connect_from("127.0.0.7");
    let answer = Answer::read(&mut refused).refused(503, "your address has too many", None);
    assert_eq!(answer.header("retry-after"), Some("1"));
    let (_others, status) = hold(&served, "127.0.0.8");
    assert_eq!(status, "200");
    // A connection that is closed makes room for another.
    drop(greedy);
    let until = Instant::now() + Duration::from_secs(20);
    while hold(&served, "127.0.0.7").1 != "200" {
        assert!(Instant::now() < until, "there is never room again");
    }
    // A proxy may open connections for many clients.
    let more = ["--connections", "4", "--connections-per-client", "1", "--proxy", "127.0.0.7"];
    let served = Served::start(&sandbox, &more);
    let proxied: Vec<_> = (0..3).map(|_| hold(&served, "127.0.0.7")).collect();
    assert!(proxied.iter().all(|(_, status)| status == "200"));
}

#[test]
fn one_too_many_is_told_to_come_again() {
    let served = Served::start(&EgtgenSandbox::new(), &["--connections", "2"]);
    let mut held: Vec<TcpStream> = (0..2).map(|_| served.connect()).collect();
    for stream in &mut held {
        stream.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        stream.read_exact(&mut [0; 12]).unwrap();
    }
    let answer = served.ask("GET /health").refused(503, "try again", None);
    assert_eq!(answer.header("retry-after"), Some("1"));
    drop(held);
    let until = Instant::now() + Duration::from_secs(10);
    while served.ask("GET /health").status != 200 {
        assert!(Instant::now() < until, "there is never room again");
    }
}

/// The peak memory of a process, in KiB.
#[cfg(target_os = "linux")]
fn peak(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn memory_stays_within_the_cache_and_32_mib() {
    let names = ["KQvKR", "KRvKR", "KQvKQ", "KRvKB", "KRvKN", "KQvKB", "KQvKN"];
    let sandbox = EgtgenSandbox::with(&names);
    let served = Served::start(&sandbox, &["--tables", "t", "--cache", "8MiB"]);
    // Tiles of all tables, some 60 MiB of them.
    for name in names {
        let (white, black) = (&name[1..2], name[4..5].to_lowercase());
        for side in ["w", "b"] {
            let path = format!("/tablebase?fen=8/8/8/3k4/1{black}6/8/8/K4{white}2_{side}_-_-_0_1");
            assert_ne!(served.ask(&format!("GET {path}")).with_status(200).json()["category"], "unknown");
        }
    }
    // A list with more positions than the service accepts.
    let list = format!("{{\"op\":\"rot90\",\"fens\":[{}\"\"]}}", "\"\",".repeat(340_000));
    served.post("/transform", "application/json", list.as_bytes()).with_status(413);
    // The largest lists of images, with names of 1 KiB, for clients that do not read them.
    let op = format!("shift:0,0{}", " shift:0,0".repeat(99));
    let body = "8/8/8/8/8/8/8/8\n".repeat(20_000);
    let head = format!("POST /transform?op={} HTTP/1.1\r\nhost: localhost\r\n", op.replace(' ', "+"));
    let request = format!("{head}content-type: text/plain\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let deaf = (0..20).map(|_| {
        let mut stream = served.connect();
        // The service may refuse before it has read everything.
        let _ = stream.write_all(request.as_bytes());
        stream
    });
    let deaf: Vec<TcpStream> = deaf.collect();
    for mut stream in &deaf {
        let mut first = [0; 12];
        stream.read_exact(&mut first).unwrap();
        assert!(matches!(&first[9..], b"200" | b"503"), "{}", String::from_utf8_lossy(&first));
    }
    let most = peak(served.child.id());
    assert!(most <= (8 + 32) << 10, "{most} KiB");
}
