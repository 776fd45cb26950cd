//! Processes on loopback.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(120);

/// A process, which ends with the test.
pub struct Node {
    process: Child,
    /// What it reports, line by line.
    log: Receiver<String>,
}

/// A scheduler and its executors.
pub struct Nodes {
    /// `HOST:PORT` of the scheduler.
    pub address: String,
    pub scheduler: Node,
    pub executors: Vec<Node>,
}

impl Node {
    fn start(mut command: Command) -> Node {
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let (sender, log) = channel();
        let lines = BufReader::new(process.stderr.take().unwrap()).lines();
        // The thread ends with the process. It reads on when nobody listens, so that the process never waits for a reader.
        std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| {
                let _ = sender.send(line);
            });
        });
        Node { process, log }
    }

    /// Waits until it reports a line with this text.
    pub fn wait_for(&self, text: &str) {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let line = self.log.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no line with `{text}`"));
            if line.contains(text) {
                return;
            }
        }
        panic!("no line with `{text}` in time");
    }

    /// Ends it as `kill -9` does.
    pub fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    fn has_ended(&mut self) -> bool {
        self.process.try_wait().unwrap().is_some()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Nodes {
    /// Starts a scheduler and so many executors with one core each, and waits until all have registered.
    pub fn start(executors: usize) -> Nodes {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plyfold-scheduler"));
        command.args([
            "--listen",
            "127.0.0.1:0",
            "--executor-timeout",
            "3",
            "--ready-executors",
            &executors.to_string(),
        ]);
        let mut scheduler = Node::start({
            command.stdout(Stdio::piped());
            command
        });
        let mut line = String::new();
        BufReader::new(scheduler.process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("plyfold-scheduler listens on ").unwrap().to_owned();
        let mut executors: Vec<Node> = (0..executors).map(|_| executor(&address)).collect();
        let begun = Instant::now();
        while !is_ready(&address) {
            assert!(begun.elapsed() < PATIENCE, "the executors have not registered");
            // Another program may have taken a port before the executor did.
            for node in &mut executors {
                if node.has_ended() {
                    *node = executor(&address);
                }
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Nodes { address, scheduler, executors }
    }
}

fn executor(scheduler: &str) -> Node {
    let ports = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let [port, task_port] = ports.each_ref().map(|port| port.local_addr().unwrap().port().to_string());
    drop(ports);
    let mut command = Command::new(env!("CARGO_BIN_EXE_plyfold-executor"));
    command.args([
        "--scheduler",
        scheduler,
        "--external-host",
        "127.0.0.1",
        "--port",
        &port,
        "--task-port",
        &task_port,
    ]);
    command.args(["--cores", "1", "--heartbeat", "1", "--log", "info"]);
    Node::start(command)
}

/// Whether the scheduler says that all executors have registered.
fn is_ready(address: &str) -> bool {
    let Ok(mut connection) = TcpStream::connect(address) else { return false };
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let mut answer = String::new();
    connection.write_all(request.as_bytes()).is_ok()
        && connection.read_to_string(&mut answer).is_ok()
        && answer.starts_with("HTTP/1.1 200")
}
