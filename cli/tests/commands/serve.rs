//! `plyfold serve`: the files of a folder with their headers, completely and in parts.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use crate::program::CliSandbox;
use crate::published::{files, with_site};

/// A running server, and its address.
struct Server(Child, String);

impl Server {
    fn start(sandbox: &CliSandbox, arguments: &[&str]) -> Server {
        let mut command = sandbox.command(&[&["serve", "out"], arguments].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("http://").and_then(|line| line.split('/').next());
        Server(child, address.unwrap_or_else(|| panic!("{line}")).to_owned())
    }

    /// The head and the body of the response to a request.
    fn ask(&self, line: &str, header: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.1).unwrap();
        write!(stream, "{line} HTTP/1.1\r\nhost: {}\r\n{header}connection: close\r\n\r\n", self.1).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
        (String::from_utf8(answer[..end].to_vec()).unwrap().to_lowercase(), answer[end..].to_vec())
    }

    fn interrupt(mut self) -> Option<i32> {
        assert!(Command::new("kill").args(["-INT", &self.0.id().to_string()]).status().unwrap().success());
        self.0.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

fn with_published() -> CliSandbox {
    let sandbox = with_site();
    sandbox.run(&["publish", "out", "--corpus", "sample.plyfold", "--site", "site"]).succeeded();
    sandbox
}

#[test]
fn files_have_their_headers_and_parts() {
    let sandbox = with_published();
    let server = Server::start(&sandbox, &["--port", "0"]);
    let out = files(&sandbox.path("out"));
    let (head, body) = server.ask("GET /", "");
    assert!(head.starts_with("http/1.1 200") && head.contains("content-type: text/html"), "{head}");
    assert!(
        head.contains("cache-control: no-cache\r\n") && head.contains("x-content-type-options: nosniff\r\n"),
        "{head}"
    );
    assert_eq!(body, out["index.html"]);
    let text = out.keys().find(|path| path.ends_with(".text")).unwrap();
    let (head, body) = server.ask(&format!("GET /{text}"), "range: bytes=2-5\r\n");
    assert!(head.starts_with("http/1.1 206") && head.contains("immutable"), "{head}");
    assert!(head.contains(&format!("content-range: bytes 2-5/{}\r\n", out[text].len())), "{head}");
    assert_eq!(body, out[text][2..6]);
    let whole = format!("content-length: {}\r\n", out[text].len());
    for ignored in [
        "lines=2-5",
        "bytes=5-2",
        "bytes=0-1,3-4",
        "bytes=x",
        "bytes=0-1\r\nif-range: \"other\"",
        "bytes=0-1\r\nrange: bytes=0-1",
    ] {
        let (head, body) = server.ask(&format!("GET /{text}"), &format!("range: {ignored}\r\n"));
        assert!(head.starts_with("http/1.1 200") && head.contains(&whole) && body == out[text], "{ignored}: {head}");
    }
    let (head, body) = server.ask(&format!("GET /{text}"), "range: bytes=99999999-\r\n");
    assert!(head.starts_with("http/1.1 416") && body.is_empty(), "{head}");
    let (head, body) = server.ask(&format!("HEAD /{text}"), "range: bytes=2-5\r\n");
    assert!(head.starts_with("http/1.1 200") && head.contains(&whole) && body.is_empty(), "{head}");
    let (head, body) = server.ask("HEAD /sw.js", "");
    assert!(head.contains(&format!("content-length: {}\r\n", out["sw.js"].len())) && body.is_empty(), "{head}");
    for (line, status) in [
        ("GET /missing", "404"),
        ("GET /../sample.plyfold", "404"),
        ("GET /..%2fsample.plyfold", "404"),
        ("GET /assets/%2e%2e/%2e%2e/sample.plyfold", "404"),
        ("GET /assets/..%5c..%5csample.plyfold", "404"),
        ("GET /%00", "404"),
        ("GET /%ff", "404"),
        ("POST /", "405"),
        ("DELETE /sw.js", "405"),
        ("BREW /", "405"),
        ("GET /sw.js?x=1", "200"),
    ] {
        let (head, _) = server.ask(line, "");
        assert!(head.starts_with(&format!("http/1.1 {status}")), "{line}: {head}");
    }
    assert_eq!(server.interrupt(), Some(0));
}

#[test]
fn a_port_is_chosen_or_refused() {
    let sandbox = with_published();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    sandbox.run(&["serve", "out", "--port", &port]).failed_in_a_line(1, &["cannot be opened", "--port"]);
    // Two at a time: the second one takes a free port.
    let (first, second) = (Server::start(&sandbox, &[]), Server::start(&sandbox, &[]));
    assert_ne!(first.1, second.1);
    for server in [&first, &second] {
        assert!(server.ask("GET /library.json", "").0.contains("access-control-allow-origin: *\r\n"));
    }
}

#[test]
fn files_without_a_rule_are_asked_for_again() {
    let sandbox = with_published();
    let is_revalidated = |path: &str| {
        let server = Server::start(&sandbox, &["--port", "0"]);
        server.ask(path, "").0.contains("cache-control: no-cache\r\n")
    };
    // A site that has just been built has a file of rules without any about caches; a folder may have no file at all.
    sandbox.put("out/_headers", "/*\n  X-Content-Type-Options: nosniff\n/sw.js\n  Cache-Control: max-age=60\n");
    assert!(is_revalidated("GET /") && is_revalidated("GET /missing") && !is_revalidated("GET /sw.js"));
    std::fs::remove_file(sandbox.path("out/_headers")).unwrap();
    assert!(is_revalidated("GET /sw.js"));
}

/// Each would keep a thread, and there are 512.
#[test]
fn what_is_no_file_is_not_there_and_keeps_nobody_waiting() {
    let sandbox = with_published();
    std::fs::create_dir(sandbox.path("out/folder")).unwrap();
    for place in ["out/a fifo", "out/folder/index.html"] {
        assert!(Command::new("mkfifo").arg(sandbox.path(place)).status().unwrap().success());
    }
    let server = Server::start(&sandbox, &["--port", "0"]);
    for path in ["GET /a%20fifo", "GET /folder/", "HEAD /a%20fifo", "GET /./a%20fifo", "GET //a%20fifo"].repeat(120) {
        let (head, _) = server.ask(path, "range: bytes=0-1\r\n");
        assert!(!head.starts_with("http/1.1 2"), "{path}: {head}");
    }
    assert!(server.ask("GET /", "").0.starts_with("http/1.1 200"));
    std::fs::remove_file(sandbox.path("out/_headers")).unwrap();
    assert!(Command::new("mkfifo").arg(sandbox.path("out/_headers")).status().unwrap().success());
    sandbox.run(&["serve", "out"]).failed_in_a_line(1, &["_headers: is no regular file"]);
}

#[test]
fn folders_without_a_page_are_refused() {
    let sandbox = with_published();
    sandbox.run(&["serve", "missing"]).failed_in_a_line(1, &["missing: has no index.html"]);
    sandbox.put("out/_headers", "  A: 1\n");
    sandbox.run(&["serve", "out"]).failed_in_a_line(1, &["_headers: line 1: "]);
}
