//! Slow and broken clients of `egtgen serve`: each gets an HTTP response or a closed connection, and proper clients beside it
//! always get the right response.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use rand::Rng;
use rand::rngs::StdRng;

use crate::attack::{AttackOutcome, AttackSeries, Tried};
use crate::mangle::mangled;
use crate::programs::{Program, TortureSandbox, words};
use crate::scene;

/// A response that takes longer counts as a hang.
const LIMIT: Duration = Duration::from_secs(60);

/// Valid requests, with `HOST` for the address of the server.
const REQUESTS: &[&str] = &[
    "GET /health HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
    "GET /tablebase?fen=8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1 HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
    "GET /transform?fen=8/2k5/3p4/4P3/8/1N6/2K5/8_b_-_-_3_40&op=rot90 HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
    "GET /tables/KRvK.egt HTTP/1.1\r\nHost: HOST\r\nRange: bytes=0-99\r\nConnection: close\r\n\r\n",
    "GET /tables/KQvK.egt HTTP/1.1\r\nHost: HOST\r\nRange: bytes=-100\r\nIf-Range: \"x\"\r\nConnection: close\r\n\r\n",
    "HEAD /tables/KPvK.egt HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
    "GET /tables/ HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
    "POST /transform?op=rot90 HTTP/1.1\r\nHost: HOST\r\nContent-Type: text/plain\r\nContent-Length: 30\r\nConnection: close\r\n\r\n8/8/8/8/8/2k5/1R6/K7 w - - 0 1",
    "GET /detect?from=8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1&to=8/8/8/8/8/5k2/6R1/7K_w_-_-_0_1 HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
    "GET /openapi.json HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
    "GET /tables/..%2f..%2fetc/passwd HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
    "OPTIONS /tablebase HTTP/1.1\r\nHost: HOST\r\nOrigin: https://example.org\r\nConnection: close\r\n\r\n",
];

/// Words of HTTP and of these paths.
const WORDS: &[&str] = &[
    "GET",
    "POST",
    "HEAD",
    "TRACE",
    "HTTP/1.0",
    "HTTP/9.9",
    "Host:",
    "Range: bytes=0-",
    "Range: bytes=9-1",
    "Range: lines=1-2",
    "Content-Length: 99999999999",
    "Content-Length: -1",
    "Transfer-Encoding: chunked",
    "Expect: 100-continue",
    "Connection: keep-alive",
    "%00",
    "%2e%2e%2f",
    "../",
    "?fen=",
    "&op=",
    "//",
    "/tables/.hidden",
    "\r\n",
    "\r\n\r\n",
    "FFFFFFFFFFFFFFFF\r\n",
    "Upgrade: h2c",
];

/// The server, and its responses to proper clients.
pub struct Clients {
    server: Child,
    address: SocketAddr,
    right: Vec<u8>,
    /// Connections that do nothing. They hold places while others are served.
    idle: Vec<TcpStream>,
    /// The server's folder, which exists as long as the server runs.
    _folder: TortureSandbox,
}

impl Drop for Clients {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Clients {
    /// Starts a server over the tables of the scene.
    pub fn new() -> Result<Clients, String> {
        let folder = scene::sandbox(&scene::files());
        let mut command =
            folder.command(Program::Egtgen, &words("serve --tables t --listen 127.0.0.1:0 --timeout 1 --log none"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().map_err(|error| format!("egtgen serve cannot be started: {error}"))?;
        let mut line = String::new();
        let told = server.stdout.take().map(|out| BufReader::new(out).read_line(&mut line));
        let address = line.trim().rsplit('/').next().and_then(|address| address.parse::<SocketAddr>().ok());
        let Some(address) = address else {
            let _ = server.kill();
            return Err(format!("egtgen serve cannot listen here: {told:?}, it says {line:?}"));
        };
        let mut clients = Clients { server, address, right: Vec::new(), idle: Vec::new(), _folder: folder };
        clients.right = clients.ask_properly()?;
        Ok(clients)
    }

    /// The responses to proper requests for a position and for bytes of a table.
    fn ask_properly(&self) -> Result<Vec<u8>, String> {
        let mut all = Vec::new();
        for request in [REQUESTS[1], REQUESTS[2], REQUESTS[3]] {
            let request = request.replace("HOST", &self.address.to_string());
            let answer = self.exchange(&[request.as_bytes()], false).map_err(|error| format!("no answer: {error}"))?;
            // Leaves out the head, which has the date.
            let body = answer.windows(4).position(|four| four == b"\r\n\r\n").map(|at| &answer[at..]);
            let is_right = answer.starts_with(b"HTTP/1.1 2");
            all.extend_from_slice(body.filter(|_| is_right).ok_or_else(|| told(&answer))?);
        }
        Ok(all)
    }

    /// Sends pieces, shuts down the sending side if `says_end`, and reads the whole response.
    fn exchange(&self, pieces: &[&[u8]], says_end: bool) -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(LIMIT))?;
        stream.set_write_timeout(Some(LIMIT))?;
        stream.set_nodelay(true)?;
        for (nth, piece) in pieces.iter().enumerate() {
            if nth > 0 {
                thread::sleep(Duration::from_millis(5));
            }
            // A client that is turned away early can still read the response.
            if stream.write_all(piece).is_err() {
                break;
            }
        }
        if says_end {
            let _ = stream.shutdown(Shutdown::Write);
        }
        let mut answer = Vec::new();
        match stream.read_to_end(&mut answer) {
            // A connection reset counts as the end.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => Ok(answer),
            Err(error) => Err(error),
            Ok(_) => Ok(answer),
        }
    }

    fn is_alive(&mut self) -> bool {
        matches!(self.server.try_wait(), Ok(None))
    }

    /// Sends bytes, and returns what is wrong with the response, if anything.
    fn disturb(&mut self, random: &mut StdRng, sent: &[u8]) -> Result<AttackOutcome, AttackOutcome> {
        let lost = |error: std::io::Error| AttackOutcome::Hung(format!("no end of the answer: {error}"));
        // A server waits for the rest of a request that is not whole, and sends nothing to a client that hangs up.
        let says_end = !sent.windows(4).any(|four| four == b"\r\n\r\n") && random.random_range(0..4) > 0;
        let answer = match random.random_range(0..12) {
            // In small pieces.
            0 => self
                .exchange(&sent.chunks(sent.len().div_ceil(20).max(1)).collect::<Vec<_>>(), says_end)
                .map_err(lost)?,
            // Disconnects at once without reading the response.
            1 => {
                let mut stream = TcpStream::connect(self.address).map_err(lost)?;
                let _ = stream.write_all(sent);
                return Ok(AttackOutcome::Refused);
            }
            // Stays silent and holds a place until the server times out.
            2 => {
                let mut stream = TcpStream::connect(self.address).map_err(lost)?;
                let _ = stream.write_all(&sent[..sent.len() / 2]);
                self.idle.push(stream);
                if self.idle.len() > 24 {
                    self.idle.remove(0);
                }
                return Ok(AttackOutcome::Refused);
            }
            // Several requests at once.
            3 => self.exchange(&[sent, sent, sent], says_end).map_err(lost)?,
            _ => self.exchange(&[sent], says_end).map_err(lost)?,
        };
        // A response without a head, as in HTTP/0.9, is wrong: every request that gets a response here has a head.
        match answer.get(..10) {
            None if answer.is_empty() => Ok(AttackOutcome::Refused),
            Some(head)
                if head.starts_with(b"HTTP/1.")
                    && head[9] == b'5'
                    && !answer.starts_with(b"HTTP/1.1 503")
                    && !answer.starts_with(b"HTTP/1.1 505") =>
            {
                Err(AttackOutcome::Panicked(told(&answer)))
            }
            Some(head) if head.starts_with(b"HTTP/1.") => {
                Ok(if head[9] == b'2' { AttackOutcome::Answered } else { AttackOutcome::Refused })
            }
            _ => Err(AttackOutcome::Wrong(format!("no HTTP: {}", told(&answer)))),
        }
    }
}

impl AttackSeries for Clients {
    fn attack(&mut self, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
        let sound = REQUESTS[random.random_range(0..REQUESTS.len())].replace("HOST", &self.address.to_string());
        let sent = match random.random_range(0..5) {
            0 => sound.into_bytes(),
            1 => (0..random.random_range(1..5000)).map(|_| random.random::<u8>()).collect(),
            _ => mangled(random, sound.as_bytes(), WORDS),
        };
        tried.says("a broken client of egtgen serve");
        tried.input("request", &sent);
        let outcome = self.disturb(random, &sent).unwrap_or_else(|outcome| outcome);
        if !self.is_alive() {
            return AttackOutcome::Panicked("the server has ended".into());
        }
        match self.ask_properly() {
            Ok(answer) if answer == self.right => outcome,
            Ok(answer) => AttackOutcome::Wrong(format!("another answer to a good client: {}", told(&answer))),
            Err(error) => AttackOutcome::Lost(format!("a good client: {error}")),
        }
    }
}

fn told(answer: &[u8]) -> String {
    String::from_utf8_lossy(&answer[..answer.len().min(200)]).escape_debug().to_string()
}
