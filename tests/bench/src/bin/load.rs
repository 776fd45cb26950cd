//! Measures how `egtgen serve` handles many requests on one core while slow and broken clients disturb it.
//!
//!     load EGTGEN [--rate 2000] [--seconds 60] [--broken 200] [--threads 4]
//!
//! EGTGEN is the program, built in release mode. `taskset` pins it to the first core, and this program to the others.
//! Requests go out by the clock, even if earlier ones are still waiting. Response times count from when the request was due,
//! so a server that falls behind is seen. A response that differs from the expected one counts as lost.
//! Exits with 1 if a response was lost, or if the server's memory grew by more than half from the tenth second to the last.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The requests in rotation, and how the response to each ends.
const ASKED: [(&str, &str); 4] = [
    ("fen=8/2k5/3p4/4P3/8/1N6/2K5/8_b_-_-_3_40&op=rot90", "\"8/8/8/3P4/2p5/1k4K1/5N2/8 b - - 3 40\"}]}"),
    ("fen=8/2k5/3p4/4P3/8/1N6/2K5/8_b_-_-_3_40&op=shift:1,0+flipcolor", "\"8/3k4/2n5/8/5p2/4P3/3K4/8 w - - 3 40\"}]}"),
    ("fen=8/2k5/3p4/4P3/8/1N6/2K5/8_b_-_-_3_40&op=flipAD", "\"8/5N2/1k4K1/2p5/3P4/8/8/8 b - - 3 40\"}]}"),
    (
        "fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1&op=flipH",
        "\"rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1\"}]}",
    ),
];

/// The parameters of a run.
struct Plan {
    egtgen: String,
    rate: u64,
    seconds: u64,
    broken: usize,
    threads: usize,
}

/// The server, which is killed when the value is dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() -> ExitCode {
    let Some(plan) = plan() else {
        eprintln!("load EGTGEN [--rate 2000] [--seconds 60] [--broken 200] [--threads 4]");
        return ExitCode::from(2);
    };
    match run(&plan) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("load: {error}");
            ExitCode::FAILURE
        }
    }
}

fn plan() -> Option<Plan> {
    let mut plan = Plan { egtgen: String::new(), rate: 2000, seconds: 60, broken: 200, threads: 4 };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next()?.parse::<u64>().ok();
        match &*word {
            "--rate" => plan.rate = number()?.max(1),
            "--seconds" => plan.seconds = number()?.max(1),
            "--broken" => plan.broken = number()? as usize,
            "--threads" => plan.threads = (number()? as usize).max(1),
            _ if word.starts_with('-') || !plan.egtgen.is_empty() => return None,
            _ => plan.egtgen = word,
        }
    }
    (!plan.egtgen.is_empty()).then_some(plan)
}

fn run(plan: &Plan) -> std::io::Result<bool> {
    let (server, address) = start_server(&plan.egtgen)?;
    leave_the_first_core()?;
    let outcome = load_server(plan, server.0.id(), address);
    print_outcome(plan, &outcome);
    Ok(outcome.is_good())
}

/// Starts the server on the first core and reads its address from its output.
fn start_server(egtgen: &str) -> std::io::Result<(Server, SocketAddr)> {
    let mut command = Command::new("taskset");
    command.args([
        "-c",
        "0",
        egtgen,
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--timeout",
        "2",
        "--log",
        "json",
        "--connections-per-client",
        "512",
    ]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut server = Server(child);
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().ok_or_else(|| std::io::Error::other("no standard output"))?)
        .read_line(&mut line)?;
    let address = line.trim().rsplit('/').next().and_then(|address| address.parse::<SocketAddr>().ok());
    let address = address.ok_or_else(|| std::io::Error::other(format!("it says {line:?}, and no address")))?;
    Ok((server, address))
}

/// Pins this program to all cores but the first.
fn leave_the_first_core() -> std::io::Result<()> {
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if cores > 1 {
        let others = format!("1-{}", cores - 1);
        let ours = std::process::id().to_string();
        Command::new("taskset").args(["-a", "-p", "-c", &others, &ours]).stdout(Stdio::null()).status()?;
    }
    Ok(())
}

/// The results of a run.
struct LoadOutcome {
    /// Response times in ascending order.
    times: Vec<Duration>,
    lost: u64,
    /// Resident memory of the server in KiB, once a second.
    memory: Vec<u64>,
    /// How often a broken client has finished its part.
    disturbed: u64,
}

impl LoadOutcome {
    /// Resident memory in KiB at the start (0), in the middle (1) and at the end (2).
    fn memory_at(&self, half: usize) -> u64 {
        self.memory.get((self.memory.len() - 1) * half / 2).copied().unwrap_or(0)
    }

    /// Whether no response was lost and the memory grew by no more than half from the tenth second on.
    fn is_good(&self) -> bool {
        let settled = self.memory.get(10).or(self.memory.first()).copied().unwrap_or(0);
        self.lost == 0 && !self.times.is_empty() && self.memory_at(2) <= settled + settled / 2
    }
}

/// Sends all requests while broken clients disturb the server.
fn load_server(plan: &Plan, pid: u32, address: SocketAddr) -> LoadOutcome {
    let (is_over, disturbed) = (AtomicBool::new(false), AtomicU64::new(0));
    let (mut times, lost, memory) = thread::scope(|scope| {
        for nth in 0..plan.broken {
            let (is_over, disturbed) = (&is_over, &disturbed);
            let clients = thread::Builder::new().stack_size(128 << 10);
            let started = clients.spawn_scoped(scope, move || disturb(nth, address, is_over, disturbed));
            if let Err(error) = started {
                eprintln!("load: broken client {nth} cannot be started: {error}");
            }
        }
        thread::sleep(Duration::from_millis(500));
        let start = Instant::now();
        let clients: Vec<_> =
            (0..plan.threads).map(|nth| scope.spawn(move || ask(nth, plan, address, start))).collect();
        let mut memory = Vec::new();
        for second in 0..=plan.seconds {
            thread::sleep((start + Duration::from_secs(second)).saturating_duration_since(Instant::now()));
            memory.push(resident(pid));
        }
        let mut answered = Vec::new();
        let mut lost = 0;
        for client in clients {
            let (times, failed) = client.join().unwrap_or_else(|_| (Vec::new(), plan.rate * plan.seconds));
            answered.extend(times);
            lost += failed;
        }
        is_over.store(true, Ordering::Relaxed);
        (answered, lost, memory)
    });
    times.sort_unstable();
    LoadOutcome { times, lost, memory, disturbed: disturbed.into_inner() }
}

fn print_outcome(plan: &Plan, outcome: &LoadOutcome) {
    let LoadOutcome { times, lost, disturbed, .. } = outcome;
    let quantile = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or_default();
    let last = times.last().copied().unwrap_or_default();
    println!(
        "{} requests a second for {} s, {} slow or broken clients beside them",
        plan.rate, plan.seconds, plan.broken
    );
    println!("answered {}, lost {lost}", times.len());
    println!("median {:?}, p99 {:?}, p99.9 {:?}, longest {last:?}", quantile(0.5), quantile(0.99), quantile(0.999));
    let [start, middle, end] = [0, 1, 2].map(|half| outcome.memory_at(half));
    println!("resident {start} KiB at the start, {middle} in the middle, {end} at the end");
    println!("what the others did: {disturbed} times");
}

/// Resident memory of a process in KiB.
fn resident(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Sends each request on one connection when it is due. Returns the response times and the number of lost responses.
fn ask(nth: usize, plan: &Plan, address: SocketAddr, start: Instant) -> (Vec<Duration>, u64) {
    let each = plan.threads as u64 * 1_000_000_000 / plan.rate;
    let number = plan.rate * plan.seconds / plan.threads as u64;
    let first = Duration::from_nanos(each * nth as u64 / plan.threads as u64);
    let (mut times, mut lost) = (Vec::with_capacity(number as usize), 0);
    let mut connection: Option<(TcpStream, BufReader<TcpStream>)> = None;
    for at in 0..number {
        let due = start + first + Duration::from_nanos(each * at);
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let (query, expected) = ASKED[at as usize % ASKED.len()];
        let mut once = || -> std::io::Result<bool> {
            if connection.is_none() {
                let stream = TcpStream::connect(address)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(Duration::from_secs(10)))?;
                connection = Some((stream.try_clone()?, BufReader::new(stream)));
            }
            let Some((stream, reader)) = &mut connection else { return Ok(false) };
            stream.write_all(format!("GET /transform?{query} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes())?;
            let (mut line, mut is_right, mut length) = (String::new(), false, 0);
            loop {
                line.clear();
                if reader.read_line(&mut line)? == 0 {
                    return Ok(false);
                }
                is_right |= line.starts_with("HTTP/1.1 200 ");
                if let Some(value) = line.strip_prefix("content-length: ") {
                    length = value.trim().parse().unwrap_or(0);
                }
                if line == "\r\n" {
                    break;
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body)?;
            Ok(is_right && body.ends_with(expected.as_bytes()))
        };
        match once() {
            Ok(true) => times.push(due.elapsed()),
            Ok(false) | Err(_) => {
                lost += 1;
                connection = None;
            }
        }
    }
    (times, lost)
}

/// Disturbs the server again and again until the measurement is over.
fn disturb(nth: usize, address: SocketAddr, is_over: &AtomicBool, done: &AtomicU64) {
    while !is_over.load(Ordering::Relaxed) {
        // These clients expect to be turned away.
        let _ = disturb_once(nth, address, is_over);
        done.fetch_add(1, Ordering::Relaxed);
        pause(20);
    }
}

fn pause(milliseconds: u64) {
    thread::sleep(Duration::from_millis(milliseconds));
}

/// Runs one broken client of eight kinds: it connects, does its part and disconnects.
fn disturb_once(nth: usize, address: SocketAddr, is_over: &AtomicBool) -> std::io::Result<()> {
    let head = "POST /transform?op=rot90 HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\ncontent-length: 1000000\r\n\r\n";
    let get = "GET /transform?fen=8/8/8/8/8/8/8/8&op=rot90 HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(4)))?;
    stream.set_write_timeout(Some(Duration::from_secs(4)))?;
    match nth % 8 {
        // Half a head, letter by letter.
        0 => write_slowly(&mut stream, &get.as_bytes()[..40]),
        // Half a body, and then nothing.
        1 => {
            stream.write_all(head.as_bytes())?;
            stream.write_all(&[b'8'; 5000])?;
            stream.read_to_end(&mut Vec::new()).map(drop)
        }
        // A body that arrives byte by byte.
        2 => {
            stream.write_all(head.as_bytes())?;
            write_slowly(&mut stream, &[b'8'; 40])
        }
        3 => {
            stream.write_all(&garbage(nth as u32 + 1))?;
            pause(50);
            Ok(())
        }
        // Disconnects before it reads the response, which resets the connection.
        4 => {
            stream.write_all(get.as_bytes())?;
            pause(20);
            Ok(())
        }
        // Does not read the responses. One of these clients requests more than the connection can buffer.
        5 => {
            for _ in 0..if nth == 5 { 1000 } else { 10 } {
                stream.write_all(b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n")?;
            }
            pause(3000);
            Ok(())
        }
        // Sends nothing.
        6 => stream.read_to_end(&mut Vec::new()).map(drop),
        // Announces a body that is too large.
        _ => {
            stream.write_all(head.replace("1000000", "100000000").as_bytes())?;
            while stream.write(&[b'8'; 8192])? > 0 && !is_over.load(Ordering::Relaxed) {}
            Ok(())
        }
    }
}

/// Writes a byte every tenth of a second.
fn write_slowly(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    for byte in bytes {
        stream.write_all(&[*byte])?;
        pause(100);
    }
    Ok(())
}

/// Random bytes.
fn garbage(mut noise: u32) -> Vec<u8> {
    let byte = |_| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (noise >> 24) as u8
    };
    (0..4096).map(byte).collect()
}
