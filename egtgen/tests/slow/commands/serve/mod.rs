//! `egtgen serve` over raw HTTP: responses, refusals with the place of the mistake, files that must stay private, and clients
//! that are slow or broken.

mod clients;
mod log;
mod openapi;
mod origins;
mod site;
mod start_and_end;
mod tables;
mod transforms;

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::program::EgtgenSandbox;

/// A position, and the position that `rot90` makes of it.
const KNIGHT: &str = "8/2k5/3p4/4P3/8/1N6/2K5/8 b - - 3 40";
const TURNED: &str = "8/8/8/3P4/2p5/1k4K1/5N2/8 b - - 3 40";

/// A running service, which is killed when the value is dropped.
pub struct Served {
    child: Child,
    address: SocketAddr,
    /// The lines of its standard error.
    log: Receiver<String>,
}

/// A response of the service.
#[derive(Debug)]
pub struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Served {
    /// Starts the service with a timeout of one second.
    pub fn start(sandbox: &EgtgenSandbox, more: &[&str]) -> Served {
        let fixed = ["serve", "--listen", "127.0.0.1:0", "--timeout", "1"];
        let mut command = sandbox.command(&[&fixed[..], more].concat());
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| panic!("{line:?}"));
        let address = address.parse().unwrap();
        let (lines, log) = channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| lines.send(line)));
        Served { child, address, log }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Connects from another loopback address of this machine.
    #[cfg(target_os = "linux")]
    fn connect_from(&self, address: &str) -> TcpStream {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let connecting = async {
            let socket = tokio::net::TcpSocket::new_v4().unwrap();
            socket.bind(SocketAddr::new(address.parse().unwrap(), 0)).unwrap();
            socket.connect(self.address).await.unwrap().into_std().unwrap()
        };
        let stream = runtime.block_on(connecting);
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Sends these bytes and reads until the connection is closed.
    fn send(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // The service may respond and close the connection before it has read everything.
        let _ = stream.write_all(bytes);
        Answer::read(&mut stream)
    }

    /// Sends a request without a body.
    pub fn ask(&self, request: &str) -> Answer {
        self.send(format!("{request} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").as_bytes())
    }

    /// Looks up a position in the tables.
    pub fn tablebase(&self, fen: &str) -> Value {
        let answer = self.ask(&format!("GET /tablebase/standard?fen={}", url(fen))).with_status(200);
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        answer.json()
    }

    fn with(&self, request: &str, header: &str) -> Answer {
        self.send(format!("{request} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{header}\r\n\r\n").as_bytes())
    }

    fn post(&self, path: &str, kind: &str, body: &[u8]) -> Answer {
        let length = body.len();
        let head = format!("POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: {kind}\r\n");
        self.send(&[format!("{head}content-length: {length}\r\n\r\n").as_bytes(), body].concat())
    }

    /// Sends a signal, and waits for the service to end.
    fn end(self, signal: &str) -> (Option<i32>, Vec<String>) {
        self.signal(signal);
        self.ended()
    }

    /// Waits for the service to end. Returns its exit code and the lines of its log that are still unread.
    fn ended(mut self) -> (Option<i32>, Vec<String>) {
        let code = self.child.wait().unwrap().code();
        (code, self.log.iter().collect())
    }

    fn signal(&self, signal: &str) {
        assert!(Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap().success());
    }

    /// Waits for a line of the log with this path.
    fn logged(&self, path: &str) -> Value {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let line = self.log.recv_timeout(until - Instant::now()).unwrap();
            let line: Value = serde_json::from_str(&line).unwrap();
            if line["path"] == path {
                return line;
            }
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    fn read(stream: &mut TcpStream) -> Answer {
        let mut bytes = Vec::new();
        match stream.read_to_end(&mut bytes) {
            Ok(_) => {}
            // The service closed the connection without reading everything that was sent.
            Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
            Err(error) => panic!("{error}"),
        }
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(bytes.len(), |at| at + 4);
        let body = bytes.split_off(end);
        let head = String::from_utf8(bytes).unwrap();
        let status = head.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, head, body }
    }

    #[track_caller]
    pub fn with_status(self, status: u16) -> Answer {
        assert_eq!(self.status, status, "{}{}", self.head, self.text());
        self
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}{}", self.head, self.text()))
    }

    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.filter(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    /// Asserts that the request was refused with this status, this message and this place.
    #[track_caller]
    pub fn refused(self, status: u16, says: &str, place: Option<Value>) -> Answer {
        let answer = self.with_status(status);
        let told = answer.json();
        assert!(told["error"].as_str().unwrap().contains(says), "{told}");
        assert_eq!(told.get("where").cloned(), place, "{told}");
        answer
    }
}

fn at(field: &str, from: usize, to: usize) -> Option<Value> {
    Some(json!({"field": field, "from": from, "to": to}))
}

/// A FEN as a part of a URL.
fn url(fen: &str) -> String {
    fen.replace(' ', "_")
}
