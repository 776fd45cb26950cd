//! A web server on loopback that counts what it sends and can fail in many ways.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// What the server does with requests.
#[derive(Clone, PartialEq, Debug)]
pub enum Behaviour {
    /// Serves ranges of files.
    Serve,
    /// Serves whole files, whatever the range.
    IgnoreRanges,
    /// Answers with this status.
    Refuse(&'static str),
    /// Closes the connection after half of each body.
    Cut,
    /// The same, for the next answer alone.
    CutOnce,
    /// The files have another tag than before.
    Change,
    /// The same, and the server says nothing of conditions.
    ChangeUnasked,
    /// The last byte of each body is wrong.
    Damage,
    /// Bodies are shorter than the range.
    Shorten,
    /// Never answers: a request waits until its client gives up.
    Stall,
}

/// The server; it ends with the test.
pub struct FileServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    folder: PathBuf,
    behaviour: Mutex<Behaviour>,
    bytes: AtomicU64,
    requests: AtomicU64,
    stalled: AtomicU64,
    ended: AtomicBool,
}

impl FileServer {
    /// Serves the files of a folder.
    pub fn new(folder: impl Into<PathBuf>) -> FileServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            folder: folder.into(),
            behaviour: Mutex::new(Behaviour::Serve),
            bytes: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            stalled: AtomicU64::new(0),
            ended: AtomicBool::new(false),
        });
        let server = shared.clone();
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                if server.ended.load(Ordering::SeqCst) {
                    break;
                }
                let server = server.clone();
                // A client that closes the connection ends the thread.
                std::thread::spawn(move || drop(server.answer_all(connection)));
            }
        });
        FileServer { address, shared }
    }

    /// The address of a file.
    pub fn address(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    /// What it does from now on.
    pub fn behave(&self, behaviour: Behaviour) {
        *self.shared.behaviour.lock().unwrap() = behaviour;
    }

    /// The bytes of bodies that it has sent.
    pub fn bytes(&self) -> u64 {
        self.shared.bytes.load(Ordering::SeqCst)
    }

    /// Waits until a request waits for its answer.
    pub fn wait_for_stalled_request(&self) {
        while self.shared.stalled.load(Ordering::SeqCst) == 0 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    /// The requests that it has had.
    pub fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::SeqCst)
    }
}

impl Drop for FileServer {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

/// A request: its path, its range, and the tag that the file must have.
struct Request {
    path: String,
    range: Option<(usize, usize)>,
    tag: Option<String>,
}

impl Request {
    fn read(lines: &mut impl BufRead) -> Option<Request> {
        let mut line = || {
            let mut text = String::new();
            lines.read_line(&mut text).ok().filter(|&length| length > 0).map(|_| text.trim_end().to_owned())
        };
        let path = line()?.split(' ').nth(1)?.trim_start_matches('/').replace("%20", " ");
        let mut request = Request { path: path.split('?').next()?.to_owned(), range: None, tag: None };
        loop {
            let header = line()?;
            let Some((name, value)) = header.split_once(": ") else { return Some(request) };
            match &*name.to_ascii_lowercase() {
                "range" => {
                    let (from, to) = value.strip_prefix("bytes=")?.split_once('-')?;
                    request.range = Some((from.parse().ok()?, to.parse().ok()?));
                }
                "if-match" => request.tag = Some(value.to_owned()),
                _ => {}
            }
        }
    }
}

impl Shared {
    fn answer_all(&self, connection: TcpStream) -> std::io::Result<()> {
        let mut lines = BufReader::new(connection.try_clone()?);
        let mut out = connection;
        while let Some(request) = Request::read(&mut lines) {
            self.requests.fetch_add(1, Ordering::SeqCst);
            let behaviour = {
                let mut now = self.behaviour.lock().unwrap();
                let behaviour = now.clone();
                if behaviour == Behaviour::CutOnce {
                    *now = Behaviour::Serve;
                }
                behaviour
            };
            if !self.answer(&request, &behaviour, &mut out)? {
                break;
            }
        }
        Ok(())
    }

    /// Answers a request. Returns whether the connection goes on.
    fn answer(&self, request: &Request, behaviour: &Behaviour, out: &mut TcpStream) -> std::io::Result<bool> {
        let refuse = |status: &str, out: &mut TcpStream| {
            write!(out, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").map(|()| true)
        };
        match behaviour {
            Behaviour::Refuse(status) => return refuse(status, out),
            Behaviour::Stall => {
                self.stalled.fetch_add(1, Ordering::SeqCst);
                // The client sends nothing more, so this returns when it closes the connection.
                let _ = out.read(&mut [0])?;
                return Ok(false);
            }
            _ => {}
        }
        let Ok(file) = std::fs::read(self.folder.join(&request.path)) else { return refuse("404 Not Found", out) };
        let tag = if matches!(behaviour, Behaviour::Change | Behaviour::ChangeUnasked) { "\"b\"" } else { "\"a\"" };
        if *behaviour != Behaviour::ChangeUnasked && request.tag.as_ref().is_some_and(|asked| asked != tag) {
            return refuse("412 Precondition Failed", out);
        }
        let range = request.range.filter(|_| *behaviour != Behaviour::IgnoreRanges);
        let (from, to) = range.map_or((0, file.len()), |(from, to)| (from, file.len().min(to + 1)));
        if range.is_some() && from >= file.len() {
            return refuse("416 Range Not Satisfiable", out);
        }
        let mut body = file[from..to].to_vec();
        match behaviour {
            Behaviour::Damage => *body.last_mut().unwrap() ^= 1,
            Behaviour::Shorten => body.truncate(body.len() - 1),
            _ => {}
        }
        let status = if range.is_some() { "206 Partial Content" } else { "200 OK" };
        write!(out, "HTTP/1.1 {status}\r\nContent-Length: {}\r\nETag: {tag}\r\n", body.len())?;
        if range.is_some() {
            write!(out, "Content-Range: bytes {from}-{}/{}\r\n", to - 1, file.len())?;
        }
        write!(out, "\r\n")?;
        let is_cut = matches!(behaviour, Behaviour::Cut | Behaviour::CutOnce);
        let sent = if is_cut { body.len() / 2 } else { body.len() };
        out.write_all(&body[..sent])?;
        self.bytes.fetch_add(sent as u64, Ordering::SeqCst);
        if is_cut {
            out.shutdown(std::net::Shutdown::Both)?;
        }
        Ok(!is_cut)
    }
}
