//! `egtgen serve` over raw HTTP: responses, refusals with the place of the mistake, files that must stay private, and clients
//! that are slow or broken.

use std::fs;
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

#[test]
fn positions_are_turned() {
    let served = Served::start(&EgtgenSandbox::new(), &[]);
    let one = json!({"fen": KNIGHT, "images": [{"name": "Rotate 90", "fen": TURNED}]});
    let path = format!("/transform?fen={}&op=rot90", url(KNIGHT));
    let answer = served.ask(&format!("GET {path}")).with_status(200);
    assert_eq!((answer.json(), answer.header("content-type")), (one.clone(), Some("application/json")));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert!(answer.header("access-control-allow-origin").is_none());
    let answer = served.ask(&format!("HEAD {path}")).with_status(200);
    assert!(answer.body.is_empty());
    let line = format!("{TURNED}\n");
    assert_eq!(served.with(&format!("GET {path}"), "accept: text/plain").with_status(200).text(), line);
    assert_eq!(served.ask(&format!("GET {path}&format=text")).with_status(200).text(), line);
    assert_eq!(served.with(&format!("GET {path}&format=json"), "accept: text/plain").with_status(200).json(), one);

    let twins = "Twin%20rotate%2090+Twin%20Continued%20shift%20a1%20b2";
    let row = served.ask(&format!("GET /transform?fen={}&op={twins}", url(KNIGHT))).with_status(200).json();
    let told: Vec<_> =
        row["images"].as_array().unwrap().iter().map(|image| (&image["label"], &image["name"])).collect();
    assert_eq!(json!(told), json!([["a", ""], ["b", "rotate 90"], ["c", "shift a1 ==> b2"]]));
    let count = |fen: &str| {
        let all = served.ask(&format!("GET /transform?fen={}&all=1", url(fen))).with_status(200).json();
        let images = all["images"].as_array().unwrap().clone();
        assert_eq!(images[0], json!({"name": "identity", "fen": fen}));
        images.len()
    };
    assert_eq!(count(KNIGHT), 16);
    // Each image is listed once: the board has one piece on a long diagonal, so a flip along that diagonal changes nothing.
    assert_eq!(count("8/8/8/8/8/8/8/K7 w - - 0 1"), 8);

    let posted = |body: Value| served.post("/transform", "application/json", body.to_string().as_bytes());
    assert_eq!(posted(json!({"fen": KNIGHT, "op": "rot90"})).with_status(200).json(), one);
    let many = json!({"positions": [one, one]});
    assert_eq!(posted(json!({"fens": [KNIGHT, KNIGHT], "op": "rot90"})).with_status(200).json(), many);
    assert_eq!(posted(json!({"fens": [], "op": "rot90"})).with_status(200).json(), json!({"positions": []}));
    let lines = format!("{KNIGHT}\r\n\n{KNIGHT}");
    let path = "/transform?op=rot90";
    assert_eq!(served.post(path, "text/plain; charset=utf-8", lines.as_bytes()).with_status(200).json(), many);
    let asked = format!("{path}&format=text");
    assert_eq!(served.post(&asked, "Text/Plain", lines.as_bytes()).with_status(200).text(), line.repeat(2));
    let shifted = posted(json!({"fen": KNIGHT, "op": "shift a1 h8", "leaving": "drop"})).with_status(200).json();
    assert_eq!(shifted["images"][0]["fen"], "8/8/8/8/8/8/8/8 b - - 3 40");
    // A longer list than the service transforms at once while other requests wait.
    let lines = format!("{KNIGHT}\n").repeat(10_000);
    assert_eq!(served.post(&asked, "text/plain", lines.as_bytes()).with_status(200).text(), line.repeat(10_000));
}

#[test]
fn relations_are_found() {
    let served = Served::start(&EgtgenSandbox::new(), &[]);
    let (image, original) = ("8/8/8/8/8/3k4/K7/8 w - - 0 1", "8/8/8/8/8/4k3/1K6/B7 w - - 0 1");
    let found = json!({"image": image, "original": original, "transforms": ["shift:-1,0"]});
    let path = format!("/detect?image={}&original={}", url(image), url(original));
    assert_eq!(served.ask(&format!("GET {path}")).with_status(200).json(), found);
    assert_eq!(served.ask(&format!("GET {path}&format=text")).with_status(200).text(), "shift:-1,0\n");
    let asked = json!({"image": image, "original": original}).to_string();
    assert_eq!(served.post("/detect", "application/json", asked.as_bytes()).with_status(200).json(), found);
    // The order counts: no transform brings a bishop in from outside the board.
    let other = format!("{original}\n{image}\n");
    let none = served.post("/detect", "text/plain", other.as_bytes()).with_status(200).json();
    assert_eq!(none["transforms"], json!([]));
    served.post("/detect", "text/plain", b"8/8/8/8/8/8/8/8").refused(400, "two lines", at("body", 0, 15));
    let place = Some(json!({"field": "body", "line": 3, "from": 0, "to": 1}));
    served.post("/detect", "text/plain", b"8/8/8/8/8/8/8/8\n\nx").refused(400, "`x`", place);
    served.ask("GET /detect?image=8/8/8/8/8/8/8/8").refused(400, "`original` is missing", at("original", 0, 0));
}

#[test]
fn faults_have_a_place() {
    let served = Served::start(&EgtgenSandbox::new(), &[]);
    let fen = url(KNIGHT);
    for (query, says, place) in [
        (String::new(), "`op` is missing", at("op", 0, 0)),
        ("op=rot90".to_owned(), "`fen` is missing", at("fen", 0, 0)),
        ("fen=8/8/9&op=rot90".to_owned(), "`9`", at("fen", 4, 5)),
        (format!("fen={fen}&op=rot45"), "not a command", at("op", 0, 5)),
        (format!("fen={fen}&op=rot90+remove+a1"), "no piece on a1", at("op", 6, 15)),
        (format!("fen={fen}&op=shift:-2,0&leaving=strict"), "Nb3", at("op", 0, 10)),
        (format!("fen={fen}&op=shift:-2,0&leaving=go"), "`strict` or `drop`", at("leaving", 0, 2)),
        (format!("fen={fen}&op=rot90&all=1"), "leave `op` out", at("op", 0, 5)),
        (format!("fen={fen}&all=yes"), "1 or 0", at("all", 0, 3)),
        (format!("fen={fen}&op=rot90&format=xml"), "`json` or `text`", at("format", 0, 3)),
        (format!("fen={fen}&op=rot90&leave=drop"), "unknown", at("leave", 0, 4)),
        (format!("fen={fen}&op=rot90&op=rot90"), "twice", at("op", 0, 5)),
        (format!("fen=%ff%00&op={}", "a".repeat(1025)), "at most 1024", at("op", 1024, 1025)),
        ("fen=%ff%00&op=rot90".to_owned(), "is no piece", at("fen", 0, 3)),
    ] {
        served.ask(&format!("GET /transform?{query}")).refused(400, says, place);
    }
    let posted = |body: &str| served.post("/transform", "application/json", body.as_bytes());
    posted(r#"{"fens":["8/8/8/8/8/8/8/8","8/8"],"op":"rot90"}"#).refused(400, "not 2", at("fens[1]", 3, 3));
    posted(r#"{"op":"rot90"}"#).refused(400, "either `fen` or `fens`", at("body", 0, 14));
    posted(r#"{"fen":"","fens":[],"op":"rot90"}"#).refused(400, "either", at("body", 0, 33));
    posted(r#"{"fen":1}"#).refused(400, "expected a string", at("body", 7, 8));
    posted(r#"{"fne":""}"#).refused(400, "unknown field `fne`", at("body", 5, 6));
    posted("").refused(400, "EOF", at("body", 0, 0));
    posted(&"[".repeat(100_000)).with_status(400);
    served.post("/transform?op=rot90", "text/plain", b"\xff").refused(400, "UTF-8", at("body", 0, 1));
    served.post("/transform?op=rot90", "application/x-www-form-urlencoded", b"fen=").refused(415, "Content-Type", None);
    let many = format!("{KNIGHT}\n").repeat(2_000);
    served.post("/transform?all=1", "text/plain", many.as_bytes()).refused(413, "20000 images", None);
}

#[test]
fn tables_answer_as_lichess_does() {
    let sandbox = EgtgenSandbox::with(&["KRvK", "KPvK"]);
    let served = Served::start(&sandbox, &["--tables", "t"]);
    let probe = |fen: &str| served.tablebase(fen);
    let told = probe("8/8/8/8/8/2k5/1R6/K7 w - - 0 1");
    let (moves, first) = (told["moves"].as_array().unwrap(), &told["moves"][0]);
    assert_eq!((&told["category"], &told["dtm"], &told["dtz"]), (&json!("win"), &json!(31), &json!(null)));
    assert_eq!((&first["category"], &first["dtm"], &first["zeroing"]), (&json!("loss"), &json!(-30), &json!(false)));
    assert_eq!(moves.len(), 16);
    let last = &moves[15];
    assert_eq!((&last["category"], &last["dtm"]), (&json!("draw"), &json!(0)), "{last}");
    for field in ["variant_win", "variant_loss", "checkmate", "stalemate", "insufficient_material"] {
        assert_eq!((&told[field], &first[field]), (&json!(false), &json!(false)), "{field}");
    }
    for field in ["uci", "san", "precise_dtz"] {
        assert!(first.get(field).is_some(), "{field}");
    }
    // Black can take the rook and draw. In the second position Black is mated and delays the mate.
    let told = probe("8/8/8/8/8/1k6/1R6/3K4 b - - 0 1");
    let first = &told["moves"][0];
    assert_eq!(
        (&told["category"], &first["san"], &first["category"]),
        (&json!("draw"), &json!("Kxb2"), &json!("draw"))
    );
    assert_eq!((&first["insufficient_material"], &first["zeroing"]), (&json!(true), &json!(true)));
    let told = probe("8/8/8/8/8/2k5/8/KR6 b - - 0 1");
    assert_eq!((&told["category"], &told["moves"][0]["category"]), (&json!("loss"), &json!("win")));
    assert_eq!(told["dtm"].as_i64().unwrap(), -1 - told["moves"][0]["dtm"].as_i64().unwrap());
    // A mate has no distance, because 0 stands for a draw.
    let told = probe("k1R5/8/1K6/8/8/8/8/8 b - - 0 1");
    assert_eq!(
        (&told["category"], &told["checkmate"], &told["dtm"], &told["moves"]),
        (&json!("loss"), &json!(true), &json!(null), &json!([]))
    );
    let told = probe("k7/2R5/1K6/8/8/8/8/8 w - - 0 1");
    assert_eq!((&told["dtm"], &told["moves"][0]["san"]), (&json!(1), &json!("Rc8#")));
    let told = probe("k7/8/1Q6/8/8/8/8/K7 b - - 0 1");
    assert_eq!((&told["stalemate"], &told["category"], &told["dtm"]), (&json!(true), &json!("draw"), &json!(0)));
    served.ask("GET /tablebase?fen=8/8/8/8/8/2k5/1R6/8").refused(400, "king", at("fen", 0, 19));
    served.ask("GET /tablebase?fen=8/8").refused(400, "8 ranks", at("fen", 3, 3));
    served.ask("GET /tablebase").refused(400, "`fen` is missing", at("fen", 0, 0));
}

#[test]
fn berserk_reads_the_tables() {
    let Some(python) = std::env::var_os("PLYFOLD_PYTHON") else {
        // The test harness captures `println!` of tests that pass, and this line must be seen.
        let line =
            b"\nSKIPPED: PLYFOLD_PYTHON names no Python with berserk; requests of the test itself are answered alone\n";
        std::io::stderr().write_all(line).ok();
        return;
    };
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let served = Served::start(&sandbox, &["--tables", "t"]);
    let fen = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";
    let script = "import berserk, json, sys\n\
                  told = berserk.Client(tablebase_url=sys.argv[1]).tablebase.standard(sys.argv[2])\n\
                  print(json.dumps(told))";
    let mut command = Command::new(python);
    command.args(["-c", script, &format!("http://{}", served.address), fen]).env("NO_PROXY", "127.0.0.1");
    let run = command.output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let told: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(told, served.tablebase(fen));
    assert_eq!((&told["category"], &told["dtm"]), (&json!("win"), &json!(31)));
}

#[test]
fn positions_outside_the_tables_are_answered_by_their_moves() {
    let sandbox = EgtgenSandbox::with(&["KRvK", "KPvK"]);
    let served = Served::start(&sandbox, &["--tables", "t"]);
    let probe = |fen: &str| served.tablebase(fen);
    let told = probe("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1");
    assert_eq!((&told["category"], &told["moves"][0]["san"]), (&json!("win"), &json!("Rd8#")));
    assert_eq!((&told["dtm"], &told["moves"][1]["category"]), (&json!(null), &json!("unknown")));
    for unknown in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "8/8/8/8/3p4/2k5/1R6/K7 w - - 0 1",
        // One side has more pieces than the loser of any table.
        "4k3/8/8/8/8/8/1NN5/KNNR3q w - - 0 1",
    ] {
        let told = probe(unknown);
        assert_eq!((&told["category"], &told["dtm"]), (&json!("unknown"), &json!(null)), "{unknown}");
    }
    // No table has castling rights, but the position after each move is in a table.
    let told = probe("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    assert_eq!((&told["category"], &told["dtm"]), (&json!("win"), &json!(null)));
    // En passant squares and castling rights that are impossible are ignored, as Lichess does.
    assert_eq!(probe("8/8/8/8/8/2k5/1R6/K7 w KQ a3 0 1")["category"], "win");
}

#[test]
fn a_damaged_table_is_named_without_its_folder() {
    let sandbox = EgtgenSandbox::with(&["KRvK", "KPvK"]);
    let mut bytes = sandbox.get("t/KQvK.egt");
    let middle = bytes.len() / 2;
    bytes[middle..middle + 64].fill(0xaa);
    let path = sandbox.path("t").display().to_string();
    sandbox.put("t/KRvK.egt", &bytes);
    let served = Served::start(&sandbox, &["--tables", "t"]);
    let answer = served.ask("GET /tablebase?fen=8/8/8/8/8/2k5/1R6/K7").refused(500, "KRvK.egt: ", None);
    assert!(!answer.text().contains(&path), "{}", answer.text());
    let rows = served.ask("GET /tables/").with_status(200);
    assert!(rows.text().contains(r#""state":"damaged""#) && !rows.text().contains(&path), "{}", rows.text());
}

/// Paths below `/tables/` that do not name a table of the folder.
const NOT_TABLES: [&str; 26] = [
    ".hidden.egt",
    "%2ehidden.egt",
    "KQvKR.egt.part",
    "notes.txt",
    "sub/KRvK.egt",
    "sub%2fKRvK.egt",
    "folder.egt",
    "link.egt",
    "toHidden.egt",
    "toPart.egt",
    "toNotes.egt",
    "toSub.egt",
    "../outside.egt",
    "..%2foutside.egt",
    "%2e%2e/outside.egt",
    "%2e%2e%2foutside.egt",
    "..\\outside.egt",
    "..%5coutside.egt",
    "KRvK.egt%00",
    "KRvK%00.egt",
    "KRvK.egt/",
    "/KRvK.egt",
    "KRvK",
    "krvk.egt",
    ".egt",
    "KRvK.egt%2f..%2f..%2foutside.egt",
];

#[test]
fn a_folder_shows_tables_and_nothing_else() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    sandbox.put("t/.hidden.egt", "x");
    sandbox.put("t/KQvKR.egt.part", "x");
    sandbox.put("t/notes.txt", "x");
    sandbox.put("outside.egt", "secret");
    fs::create_dir(sandbox.path("t/sub")).unwrap();
    sandbox.put("t/sub/KRvK.egt", "x");
    fs::create_dir(sandbox.path("t/folder.egt")).unwrap();
    #[cfg(unix)]
    for (to, link) in [
        ("outside.egt", "link"),
        ("t/.hidden.egt", "toHidden"),
        ("t/KQvKR.egt.part", "toPart"),
        ("t/notes.txt", "toNotes"),
        ("t/sub/KRvK.egt", "toSub"),
        ("t/KRvK.egt", "again"),
    ] {
        std::os::unix::fs::symlink(sandbox.path(to), sandbox.path(&format!("t/{link}.egt"))).unwrap();
    }
    let served = Served::start(&sandbox, &["--tables", "t"]);
    let rows = served.ask("GET /tables/").with_status(200).json();
    let whole: Vec<_> = rows.as_array().unwrap().iter().filter(|row| row["state"] == "whole").collect();
    assert_eq!((whole.len(), &whole[0]["table"], &whole[0]["longest_win_moves"]), (1, &json!("KRvK"), &json!(16)));
    assert_eq!(served.ask("GET /tables").with_status(200).json(), rows);

    for path in NOT_TABLES {
        served.ask(&format!("GET /tables/{path}")).refused(404, "this table does not exist", None);
    }
    #[cfg(unix)]
    {
        let again = served.ask("GET /tables/again.egt").with_status(200);
        assert!(again.body == sandbox.get("t/KRvK.egt"), "a link to a table of the folder");
    }
    let answer = served.ask("DELETE /tables/KRvK.egt").refused(405, "GET, HEAD", None);
    assert_eq!(answer.header("allow"), Some("GET, HEAD"));
}

#[test]
fn files_of_tables_are_whole_or_in_parts() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let served = Served::start(&sandbox, &["--tables", "t"]);
    let file = sandbox.get("t/KRvK.egt");
    let whole = served.ask("GET /tables/KRvK.egt").with_status(200);
    assert!(whole.body == file && whole.header("accept-ranges") == Some("bytes"), "{}", whole.head);
    assert_eq!(whole.header("content-type"), Some("application/octet-stream"));
    let length = file.len().to_string();
    let head = served.ask("HEAD /tables/KRvK.egt").with_status(200);
    assert_eq!((head.header("content-length"), head.body.len()), (Some(&*length), 0));
    let part = |header: &str| served.with("GET /tables/KRvK.egt", header);
    let some = part("range: bytes=10-19").with_status(206);
    assert_eq!(
        (&some.body[..], some.header("content-range")),
        (&file[10..20], Some(&*format!("bytes 10-19/{length}")))
    );
    assert_eq!(part("range: bytes=-7").with_status(206).body, file[file.len() - 7..]);
    assert_eq!(part("range: bytes=100-").with_status(206).body, file[100..]);
    let beyond = part("range: bytes=99999999-").refused(416, "this range does not exist", None);
    assert_eq!(beyond.header("content-range"), Some(&*format!("bytes */{length}")));
    assert_eq!(part("range: bytes=10-99999999").with_status(206).body, file[10..]);
    // A header that is no range of bytes, or asks for several ranges, gets the whole file.
    for ignored in ["lines=1-2", "bytes=x", "bytes=5-2", "bytes", "bytes=0-1,5-6", "bytes=0-1\r\nrange: bytes=5-6"] {
        let whole = part(&format!("range: {ignored}")).with_status(200);
        assert!(whole.body == file && whole.header("content-range").is_none(), "{ignored}: {}", whole.head);
    }
    let head = served.with("HEAD /tables/KRvK.egt", "range: bytes=0-3").with_status(200);
    assert_eq!((head.header("content-length"), head.body.len()), (Some(&*length), 0));
    let tag = whole.header("etag").unwrap();
    assert!(part(&format!("if-none-match: {tag}")).with_status(304).body.is_empty());
    let fresh = part(&format!("if-range: {tag}\r\nrange: bytes=0-3")).with_status(206);
    assert_eq!((&fresh.body[..], fresh.header("etag")), (&file[..4], Some(tag)));
    let stale = part("if-range: \"other\"\r\nrange: bytes=0-3").with_status(200);
    assert!(stale.body == file);
}

/// Paths that do not name a file of the site.
const NOT_OF_THE_SITE: [&str; 30] = [
    "/none",
    "/assets",
    "/assets/",
    "/.git/config",
    "/%2egit/config",
    "/link",
    "/config.js",
    "/git/config",
    "/new.js",
    "/new.js.part",
    "/out/secret",
    "/out/",
    "/../secret",
    "/%2e%2e/secret",
    "/%2e%2e%2fsecret",
    "/assets/../../secret",
    "/assets/..%2f..%2fsecret",
    "/..%5csecret",
    "/..\\secret",
    "//secret",
    "/index.html%00",
    "/%00",
    "/%ff",
    "/%",
    "/%zz",
    "/./index.html",
    "/index.html/",
    "/transform/",
    "/health/x",
    "/tablebase/atomic",
];

#[test]
fn the_site_is_served_and_nothing_beside_it() {
    let sandbox = EgtgenSandbox::new();
    for folder in ["s", "s/assets", "s/.git", "other"] {
        fs::create_dir(sandbox.path(folder)).unwrap();
    }
    sandbox.put("s/index.html", "<p>site");
    sandbox.put("s/assets/a b.wasm", "\0asm");
    sandbox.put("s/assets/c.js", "1");
    sandbox.put("s/.git/config", "secret");
    sandbox.put("s/new.js.part", "half");
    sandbox.put("other/secret", "secret");
    sandbox.put("secret", "secret");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(sandbox.path("secret"), sandbox.path("s/link")).unwrap();
        std::os::unix::fs::symlink(sandbox.path("other"), sandbox.path("s/out")).unwrap();
        std::os::unix::fs::symlink(sandbox.path("s/.git/config"), sandbox.path("s/config.js")).unwrap();
        std::os::unix::fs::symlink(sandbox.path("s/.git"), sandbox.path("s/git")).unwrap();
        std::os::unix::fs::symlink(sandbox.path("s/new.js.part"), sandbox.path("s/new.js")).unwrap();
    }
    let served = Served::start(&sandbox, &["--site", "s"]);
    let page = served.ask("GET /").with_status(200);
    assert_eq!((page.text().as_str(), page.header("content-type")), ("<p>site", Some("text/html")));
    assert_eq!(served.ask("GET /index.html?v=1").with_status(200).text(), "<p>site");
    let wasm = served.ask("GET /assets/a%20b.wasm").with_status(200);
    assert_eq!(
        (wasm.header("content-type"), wasm.header("cache-control")),
        (Some("application/wasm"), Some("no-cache"))
    );
    assert_eq!(served.ask("GET /assets/c.js").with_status(200).header("content-type"), Some("text/javascript"));
    for path in NOT_OF_THE_SITE {
        served.ask(&format!("GET {path}")).refused(404, "no such file", None);
    }
    let answer = served.ask("POST /index.html").refused(405, "GET, HEAD", None);
    assert_eq!(answer.header("allow"), Some("GET, HEAD"));
}

/// The headers of a part of the file `_headers`.
fn header_lines(text: &str) -> Vec<(&str, &str)> {
    text.lines().filter_map(|line| line.strip_prefix("  ")?.split_once(": ")).collect()
}

#[test]
fn the_site_has_the_headers_with_which_it_is_deployed() {
    let sandbox = EgtgenSandbox::new();
    fs::create_dir(sandbox.path("s")).unwrap();
    sandbox.put("s/index.html", "<p>site");
    sandbox.put("s/a.wasm", "\0asm");
    fs::create_dir(sandbox.path("s/assets")).unwrap();
    sandbox.put("s/assets/tablesworker-1.js", "0");
    sandbox.put("s/assets/hostworker-1.js", "0");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../www/public/_headers");
    let file = fs::read_to_string(file).unwrap();
    sandbox.put("s/_headers", &file);
    let served = Served::start(&sandbox, &["--site", "s"]);
    let page = served.ask("GET /").with_status(200);
    let wasm = served.ask("GET /a.wasm").with_status(200);
    let mut blocks = file.split("\n/assets/");
    let pairs = header_lines(blocks.next().unwrap());
    let exceptions: Vec<_> = blocks.map(|block| block.split_once("*\n").unwrap()).collect();
    assert_eq!(exceptions.len(), 2);
    for (script, exception) in exceptions {
        let answer = served.ask(&format!("GET /assets/{script}1.js")).with_status(200);
        for (name, value) in header_lines(exception) {
            assert_eq!(answer.header(name), Some(value), "{script}, {name}");
        }
        assert_eq!(answer.header("cross-origin-embedder-policy"), Some("require-corp"));
    }
    assert_eq!(pairs.len(), 6, "{pairs:?}");
    assert!(
        pairs
            .iter()
            .any(|(name, value)| *name == "Content-Security-Policy" && value.contains("frame-ancestors 'none'"))
    );
    for (name, value) in pairs {
        assert_eq!(page.header(name), Some(value), "{name}");
        assert_eq!(wasm.header(name), Some(value), "{name}");
    }
}

#[test]
fn the_description_is_kept() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let served = Served::start(&sandbox, &["--tables", "t"]);
    let described = served.ask("GET /openapi.json").with_status(200).json();
    assert_eq!(described["openapi"], "3.1.0");
    for (path, item) in described["paths"].as_object().unwrap() {
        let url = path.replace("{file}", "KRvK.egt");
        if path == "/{path}" {
            continue;
        }
        for (method, operation) in item.as_object().unwrap() {
            let is_get = method == "get";
            let parameters: Vec<&Value> = operation["parameters"].as_array().into_iter().flatten().collect();
            let examples = parameters.iter().filter(|one| one["in"] == "query" && one.get("example").is_some());
            let query: Vec<String> = examples
                .map(|one| format!("{}={}", one["name"].as_str().unwrap(), self::url(one["example"].as_str().unwrap())))
                .collect();
            let url = if query.is_empty() { url.clone() } else { format!("{url}?{}", query.join("&")) };
            let answer = if is_get {
                served.ask(&format!("GET {url}"))
            } else {
                let schema = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
                let name = schema.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
                let example = match &described["components"]["schemas"][&name]["examples"][0] {
                    Value::Null => json!({"image": "8/8/8/8/8/8/8/8", "original": "8/8/8/8/8/8/8/8"}),
                    example => example.clone(),
                };
                served.post(&url, "application/json", example.to_string().as_bytes())
            };
            let answer = answer.with_status(200);
            // The response has all required fields and none that the schema does not describe.
            let Value::Object(told) = serde_json::from_slice(&answer.body).unwrap_or(Value::Null) else { continue };
            let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
            let schema = schema.get("oneOf").map_or(schema, |all| &all[usize::from(told.contains_key("positions"))]);
            let Some(name) = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) else { continue };
            let described = &described["components"]["schemas"][name];
            let required: Vec<&str> =
                described["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            assert!(required.iter().all(|field| told.contains_key(*field)), "{path}: {told:?}");
            assert!(told.keys().all(|field| described["properties"].get(field).is_some()), "{path}: {told:?}");
        }
        let allowed = if item.get("post").is_some() { "GET, HEAD, POST" } else { "GET, HEAD" };
        for method in ["PUT", "DELETE", "PATCH", "TRACE", "BREW"] {
            let answer = served.ask(&format!("{method} {url}")).refused(405, "allowed here", None);
            assert_eq!(answer.header("allow"), Some(allowed), "{method} {url}");
        }
    }
    let health = served.ask("GET /health").with_status(200).json();
    assert_eq!((&health["status"], &health["tables"], &health["site"]), (&json!("ok"), &json!(true), &json!(false)));
}

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
#[cfg(unix)]
fn what_is_no_file_is_refused_at_once() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    // Opening a pipe would block until somebody writes to it, and nobody does.
    assert!(Command::new("mkfifo").arg(sandbox.path("t/KQvK.egt")).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", sandbox.path("t/KBvK.egt")).unwrap();
    std::os::unix::fs::symlink("KQvK.egt", sandbox.path("t/KNvK.egt")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.path("t/KPvK.egt")).unwrap();
    let served = Served::start(&sandbox, &["--tables", "t"]);
    for _ in 0..10 {
        let table = |fen: &str| served.ask(&format!("GET /tablebase?fen={fen}"));
        table("8/8/8/5k2/8/8/1Q6/K7").refused(
            500,
            "KQvK.egt: cannot be read: it is a FIFO, and only a regular file is allowed here",
            None,
        );
        table("8/8/8/5k2/8/8/1P6/K7").refused(500, "it is a socket, and only a regular file is allowed here", None);
    }
    for file in ["KQvK.egt", "KBvK.egt", "KNvK.egt", "KPvK.egt"] {
        served.ask(&format!("GET /tables/{file}")).refused(404, "this table does not exist", None);
    }
    assert_eq!(served.ask("GET /tables/").with_status(200).json().as_array().unwrap().len(), 1);
    assert_eq!(served.end("-TERM").0, Some(0));
    for command in ["stats", "verify"] {
        sandbox
            .run(&[command, "KQvK", "--tables", "t"])
            .failed(1, &["KQvK.egt: ", "it is a FIFO, and only a regular file is allowed here"]);
    }
    sandbox.run(&["list", "--tables", "t"]).succeeded();
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

#[test]
fn a_table_that_does_not_fit_is_refused_with_the_size_that_would_do() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let path = "GET /tablebase?fen=8/8/8/8/8/2k5/1R6/K7";
    let mut cache = "1KiB".to_owned();
    // The refusal names a size that is enough for the next step: the table, its directory, a tile.
    for step in 0.. {
        let served = Served::start(&sandbox, &["--tables", "t", "--cache", &cache]);
        let answer = served.ask(path);
        if answer.status == 200 {
            assert!(step > 0 && answer.json()["category"] == "win");
            break;
        }
        let error =
            answer.refused(503, "KRvK needs at least --cache ", None).json()["error"].as_str().unwrap().to_owned();
        let least = error.split("--cache ").nth(1).and_then(|rest| rest.split(':').next()).unwrap();
        assert_ne!(least, cache);
        cache = least.to_owned();
        // Requests that need no table succeed.
        served.ask(&format!("GET /transform?fen={}&op=rot90", url(KNIGHT))).with_status(200);
    }
    sandbox.run(&["serve", "--cache", "much"]).failed_usage("expected a memory size");
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
