//! Measures how fast `egtgen serve` answers good clients among slow and greedy ones, and how much memory it takes.
//!
//!     crowd EGTGEN TABLES [--seconds 60] [--slow 300] [--greedy 64] [--good 200] [--every 200] [--cache 64]
//!
//! EGTGEN is the program, built in release mode. TABLES is a folder with KRBvKR and the tables that it converts into, some 79
//! MB.
//! Slow clients send half a head or half a body, or read a table at 80 kB/s, which the service must tolerate.
//! Greedy clients probe at random as fast as they can, download whole tables and pause for a second at a time without
//! reading, or request the largest lists of images.
//! Each good client sends a request every so many milliseconds, by the clock. Response times count from when the request was
//! due. Each response is compared with that of an idle service, and counts as lost if it differs.
//! Exits with 1 if a response was lost, if a steady reader was cut off, if the 99th percentile of response times exceeds 20
//! ms, or if the service ever used more memory than its cache and 32 MiB.

use std::fs;
use std::io::{self, BufRead};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// The requests of good clients, in rotation. The tables that they need fit the cache.
const ASKED: [&str; 10] = [
    "GET /transform?fen=8/2k5/3p4/4P3/8/1N6/2K5/8_b_-_-_3_40&op=rot90",
    "GET /tablebase?fen=8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1",
    "GET /transform?fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1&all=1",
    "GET /tablebase?fen=8/3B4/8/R7/7r/8/3K4/7k_w_-_-_0_1",
    "GET /detect?image=8/8/8/8/8/3k4/K7/8&original=8/8/8/8/8/4k3/1K6/B7",
    "GET /tablebase?fen=8/8/8/4k3/8/8/1R6/K6r_w_-_-_0_1",
    "GET /health",
    "GET /tablebase?fen=8/8/8/4k3/8/3B4/8/K6r_w_-_-_0_1",
    "GET /tables/KRvK.egt",
    "GET /openapi.json",
];

/// At least 99 of 100 good responses must arrive within this time.
const SOON: Duration = Duration::from_millis(20);
/// KiB of memory that the service may use besides its cache.
const BESIDES: u64 = 32 << 10;

/// The parameters of a run.
#[derive(Clone)]
struct Plan {
    egtgen: String,
    tables: PathBuf,
    seconds: u64,
    slow: usize,
    greedy: usize,
    good: usize,
    /// Milliseconds between the requests of a good client.
    every: u64,
    /// The cache of the service in MiB.
    cache: u64,
}

/// The server, which is killed when the value is dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Counts what the crowd did.
#[derive(Default)]
struct Crowd {
    is_over: AtomicBool,
    /// Steady readers whose transfer was cut off.
    cut: AtomicU64,
    /// Bytes that steady readers received.
    read: AtomicU64,
    /// Greedy requests that were served, and those that were refused.
    served: AtomicU64,
    refused: AtomicU64,
    /// Requests that slow clients began.
    begun: AtomicU64,
}

fn main() -> ExitCode {
    let Some(plan) = plan() else {
        eprintln!(
            "crowd EGTGEN TABLES [--seconds 60] [--slow 300] [--greedy 64] [--good 200] [--every 200] [--cache 64]"
        );
        return ExitCode::from(2);
    };
    match run(&plan) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("crowd: {error}");
            ExitCode::FAILURE
        }
    }
}

fn plan() -> Option<Plan> {
    let (mut seconds, mut slow, mut greedy, mut good, mut every, mut cache) = (60, 300, 64, 200, 200, 64);
    let (mut paths, mut words) = (Vec::new(), std::env::args().skip(1));
    while let Some(word) = words.next() {
        let mut number = || words.next()?.parse::<u64>().ok();
        match &*word {
            "--seconds" => seconds = number()?.max(1),
            "--slow" => slow = number()?,
            "--greedy" => greedy = number()?,
            "--good" => good = number()?.max(1),
            "--every" => every = number()?.max(1),
            "--cache" => cache = number()?.max(1),
            _ if word.starts_with('-') => return None,
            _ => paths.push(word),
        }
    }
    let [egtgen, tables] = paths.try_into().ok()?;
    let (slow, greedy, good) = (slow as usize, greedy as usize, good as usize);
    Some(Plan { egtgen, tables: tables.into(), seconds, slow, greedy, good, every, cache })
}

fn run(plan: &Plan) -> io::Result<bool> {
    let (server, address) = serve(plan)?;
    let runtime = || Builder::new_current_thread().enable_all().build();
    let quiet: Runtime = runtime()?;
    let expected = quiet.block_on(expected(address))?;
    let crowd = Arc::new(Crowd::default());
    let disturbing = {
        let (plan, crowd, runtime) = (plan.clone(), Arc::clone(&crowd), runtime()?);
        thread::spawn(move || runtime.block_on(disturb(&plan, address, &crowd)))
    };
    // The crowd starts before the first good request is due.
    thread::sleep(Duration::from_secs(2));
    let (answered, lost) = quiet.block_on(ask_all(plan, address, Arc::new(expected)));
    crowd.is_over.store(true, Ordering::Relaxed);
    let peak = peak(server.0.id());
    let _ = disturbing.join();
    let mut times: Vec<Duration> = answered.iter().map(|(_, time)| *time).collect();
    times.sort_unstable();
    let quantile = |share: f64| quantile(&times, share);
    let last = times.last().copied().unwrap_or_default();
    let count = |number: &AtomicU64| number.load(Ordering::Relaxed);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!(
        "{} good clients for {} s, every {} ms; {} slow and {} greedy ones beside them; load average {}",
        plan.good,
        plan.seconds,
        plan.every,
        plan.slow,
        plan.greedy,
        load.split(' ').next().unwrap_or("?")
    );
    println!("good answers {}, lost {lost}", times.len());
    println!("median {:?}, p99 {:?}, p99.9 {:?}, longest {last:?}", quantile(0.5), quantile(0.99), quantile(0.999));
    for (which, asked) in ASKED.iter().enumerate() {
        let of_it = answered.iter().filter(|(other, _)| *other == which).map(|(_, time)| *time);
        let mut of_it: Vec<Duration> = of_it.collect();
        of_it.sort_unstable();
        println!("  p99 {:?} of {asked}", self::quantile(&of_it, 0.99));
    }
    println!("steady readers read {} MB; cut {}", count(&crowd.read) / 1_000_000, count(&crowd.cut));
    println!("half requests {}", count(&crowd.begun));
    println!("greedy requests answered {}, refused {}", count(&crowd.served), count(&crowd.refused));
    println!("peak memory {} KiB; cache and 32 MiB are {} KiB", peak, (plan.cache << 10) + BESIDES);
    let is_small = peak <= (plan.cache << 10) + BESIDES;
    Ok(lost == 0 && count(&crowd.cut) == 0 && !times.is_empty() && quantile(0.99) <= SOON && is_small)
}

/// The time that this share of the sorted times does not exceed.
fn quantile(times: &[Duration], share: f64) -> Duration {
    times.get((times.len() as f64 * share) as usize).copied().unwrap_or_default()
}

fn serve(plan: &Plan) -> io::Result<(Server, SocketAddr)> {
    let cache = format!("{}MiB", plan.cache);
    let mut command = Command::new(&plan.egtgen);
    command.args(["serve", "--listen", "127.0.0.1:0", "--log", "json", "--connections", "1024", "--cache", &cache]);
    command.arg("--tables").arg(&plan.tables);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut line = String::new();
    io::BufReader::new(child.stdout.take().ok_or_else(|| io::Error::other("no standard output"))?)
        .read_line(&mut line)?;
    let server = Server(child);
    let address = line.trim().rsplit('/').next().and_then(|address| address.parse().ok());
    Ok((server, address.ok_or_else(|| io::Error::other(format!("it says {line:?}, and no address")))?))
}

/// The peak memory of a process, in KiB.
fn peak(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(u64::MAX >> 20)
}

/// Connects from a loopback address. Each group of clients has one address.
async fn connect(address: SocketAddr, group: u8, nth: usize) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, group, 1 + (nth / 50) as u8)), 0))?;
    let stream = socket.connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Sends one request and returns the status and the body.
async fn ask(stream: &mut BufReader<TcpStream>, request: &[u8]) -> io::Result<(u16, Vec<u8>)> {
    stream.write_all(request).await?;
    let (mut line, mut status, mut length) = (String::new(), 0, 0);
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if line.starts_with("HTTP/1.1 ") {
            status = line.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0);
        }
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok((status, body))
}

fn request(asked: &str) -> Vec<u8> {
    format!("{asked} HTTP/1.1\r\nhost: localhost\r\n\r\n").into_bytes()
}

/// The responses of an idle service.
async fn expected(address: SocketAddr) -> io::Result<Vec<Vec<u8>>> {
    let mut stream = BufReader::new(connect(address, 1, 0).await?);
    let mut expected = Vec::new();
    for asked in ASKED {
        let (status, body) = ask(&mut stream, &request(asked)).await?;
        if status != 200 {
            let said = String::from_utf8_lossy(&body).into_owned();
            return Err(io::Error::other(format!("{asked} is answered with {status}: {said}")));
        }
        expected.push(body);
    }
    Ok(expected)
}

/// Runs all good clients. Returns the number and time of each response, and how many were lost.
async fn ask_all(plan: &Plan, address: SocketAddr, expected: Arc<Vec<Vec<u8>>>) -> (Vec<(usize, Duration)>, u64) {
    let start = Instant::now() + Duration::from_millis(100);
    let mut clients = JoinSet::new();
    for nth in 0..plan.good {
        clients.spawn(ask_often(plan.clone(), nth, address, start, Arc::clone(&expected)));
    }
    let (mut times, mut lost) = (Vec::new(), 0);
    while let Some(done) = clients.join_next().await {
        let (of_one, lost_of_one) = done.unwrap_or_default();
        times.extend(of_one);
        lost += lost_of_one;
    }
    (times, lost)
}

/// A good client: sends each request on one connection when it is due.
async fn ask_often(
    plan: Plan,
    nth: usize,
    address: SocketAddr,
    start: Instant,
    expected: Arc<Vec<Vec<u8>>>,
) -> (Vec<(usize, Duration)>, u64) {
    let (every, mut times, mut lost) = (Duration::from_millis(plan.every), Vec::new(), 0);
    let first = start + every.mul_f64(nth as f64 / plan.good as f64);
    let mut connection: Option<BufReader<TcpStream>> = None;
    for at in 0..(plan.seconds * 1000 / plan.every) {
        let due = first + every * at as u32;
        sleep_until(due).await;
        let which = (at as usize + nth) % ASKED.len();
        let once = async {
            let mut stream = match connection.take() {
                Some(stream) => stream,
                None => BufReader::new(connect(address, 1, nth).await?),
            };
            let answer = ask(&mut stream, &request(ASKED[which])).await?;
            connection = Some(stream);
            io::Result::Ok(answer)
        };
        match timeout(Duration::from_secs(10), once).await {
            Ok(Ok((200, body))) if body == expected[which] => times.push((which, due.elapsed())),
            other => {
                if lost < 3 {
                    let said = other.map(|other| other.map(|(status, _)| status));
                    eprintln!("crowd: lost: {} of client {nth}: {said:?}", ASKED[which]);
                }
                lost += 1;
            }
        }
    }
    (times, lost)
}

/// Runs all slow and greedy clients until the measurement is over.
async fn disturb(plan: &Plan, address: SocketAddr, crowd: &Arc<Crowd>) {
    let mut clients = JoinSet::new();
    let largest = largest_table(&plan.tables).unwrap_or_else(|| "KRvK.egt".to_owned());
    for nth in 0..plan.slow {
        let (crowd, largest) = (Arc::clone(crowd), largest.clone());
        clients.spawn(async move {
            while !crowd.is_over.load(Ordering::Relaxed) {
                // Most of these clients expect to be cut off or turned away.
                let _ = slow(nth, address, &crowd, &largest).await;
                sleep(Duration::from_millis(50)).await;
            }
        });
    }
    for nth in 0..plan.greedy {
        let (crowd, largest) = (Arc::clone(crowd), largest.clone());
        clients.spawn(async move {
            while !crowd.is_over.load(Ordering::Relaxed) {
                let _ = greedy(nth, address, &crowd, &largest).await;
                sleep(Duration::from_millis(10)).await;
            }
        });
    }
    while !crowd.is_over.load(Ordering::Relaxed) {
        sleep(Duration::from_millis(100)).await;
    }
    clients.shutdown().await;
}

/// The name of the largest finished table of a folder.
fn largest_table(folder: &Path) -> Option<String> {
    let files = fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let tables = files.filter(|file| file.path().extension().is_some_and(|ending| ending == "egt"));
    let largest = tables.max_by_key(|file| file.metadata().map_or(0, |about| about.len()))?;
    largest.file_name().into_string().ok()
}

/// One connection of a slow client.
async fn slow(nth: usize, address: SocketAddr, crowd: &Crowd, largest: &str) -> io::Result<()> {
    let mut stream = connect(address, 2, nth).await?;
    let post = "POST /transform?op=rot90 HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\ncontent-length:";
    match nth % 6 {
        // Half a head, letter by letter.
        0 | 1 => {
            crowd.begun.fetch_add(1, Ordering::Relaxed);
            for letter in b"GET /transform?fen=8/8/8/8/8/8/8/8&op=rot90 HTTP/1.1\r\nhost: loc" {
                stream.write_all(&[*letter]).await?;
                sleep(Duration::from_millis(300)).await;
            }
            Ok(())
        }
        // Half a body, small or large, and then nothing.
        kind @ (2 | 3) => {
            crowd.begun.fetch_add(1, Ordering::Relaxed);
            let sent = vec![b'8'; if kind == 2 { 5000 } else { 200_000 }];
            stream.write_all(format!("{post} {}\r\n\r\n", 2 * sent.len()).as_bytes()).await?;
            stream.write_all(&sent).await?;
            stream.read_to_end(&mut Vec::new()).await.map(drop)
        }
        // A steady reader.
        _ => {
            stream.write_all(&request(&format!("GET /tables/{largest}"))).await?;
            let (mut buffer, mut next) = (vec![0; 8000], Instant::now());
            loop {
                next += Duration::from_millis(100);
                sleep_until(next).await;
                let read = stream.read_exact(&mut buffer).await;
                if read.is_err() {
                    if !crowd.is_over.load(Ordering::Relaxed) {
                        crowd.cut.fetch_add(1, Ordering::Relaxed);
                    }
                    return Ok(());
                }
                crowd.read.fetch_add(buffer.len() as u64, Ordering::Relaxed);
            }
        }
    }
}

/// A greedy client on one connection for a while.
async fn greedy(nth: usize, address: SocketAddr, crowd: &Crowd, largest: &str) -> io::Result<()> {
    let mut stream = BufReader::new(connect(address, 3, nth).await?);
    let note = |status: u16| {
        let number = if status < 500 { &crowd.served } else { &crowd.refused };
        number.fetch_add(1, Ordering::Relaxed);
    };
    match nth % 4 {
        // Probes random positions.
        0 | 1 => {
            let mut noise = nth as u64 + 1;
            for _ in 0..1000 {
                let (status, _) = ask(&mut stream, &request(&probe(&mut noise))).await?;
                note(status);
            }
        }
        // Downloads a whole table in bursts.
        2 => {
            stream.write_all(&request(&format!("GET /tables/{largest}"))).await?;
            let mut buffer = vec![0; 1 << 20];
            while stream.read(&mut buffer).await? > 0 {
                sleep(Duration::from_secs(1)).await;
            }
        }
        // Requests the longest lists of images.
        _ => {
            let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
            let line = if nth % 8 == 3 { format!("{fen}\n") } else { "8/8/8/8/8/8/8/8\n".to_owned() };
            let asked = if nth % 8 == 3 { "all=1" } else { "op=rot90" };
            let body = line.repeat(if nth % 8 == 3 { 1250 } else { 20_000 });
            let head = format!("POST /transform?{asked} HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\n");
            let request = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
            for _ in 0..20 {
                let (status, _) = ask(&mut stream, request.as_bytes()).await?;
                note(status);
            }
        }
    }
    Ok(())
}

/// A probe of a random position of five, four or three pieces; some are not legal.
fn probe(noise: &mut u64) -> String {
    let mut random = |below: u64| {
        *noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*noise >> 33) % below
    };
    let pieces: &[u8] = [&b"KRBkr"[..], b"Krkrb", b"KRkr", b"KRBk", b"KBkr"][random(5) as usize];
    let mut board = [b'1'; 64];
    for piece in pieces {
        board[random(64) as usize] = *piece;
    }
    let ranks: Vec<String> = board.chunks(8).map(|rank| String::from_utf8_lossy(rank).into_owned()).collect();
    let side = if random(2) == 0 { "w" } else { "b" };
    format!("GET /tablebase?fen={}_{side}_-_-_0_1", ranks.join("/"))
}
