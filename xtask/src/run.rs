//! `cargo xtask run`: from a fresh clone to the result of a first native query and to the page, in one command.
//!
//! The native program comes first, because it is built in a fraction of the time that the page takes. It is not the one that ships: it
//! is compiled as the tests are, which takes a third of the time of a release.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;

use crate::command::{debug_build, program, run as run_command};
use crate::paths::in_project;
use crate::{dist, machine};

#[derive(Args)]
pub struct RunOptions {
    /// Port on 127.0.0.1; 0 takes any free one
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Open the page in headless Chromium, wait for its first result, and exit with 0 when it appears
    #[arg(long)]
    check: bool,
}

/// Builds the command line, runs a native query, builds the page, and serves it.
///
/// # Errors
/// Something that is needed is missing, a build fails, the port is taken, or, with `--check`, the page does not answer.
pub fn run(options: &RunOptions) -> Result<()> {
    // Both come first, so that what is missing is reported at once and not after minutes of building.
    machine::ensure_programs()?;
    let port = if options.check { 0 } else { options.port };
    ensure_port(port)?;

    let start = Instant::now();
    let plyfold = step(&start, "1 of 3: the command line, and a first query", || {
        let plyfold = debug_build("plyfold")?;
        answer_natively(&plyfold)?;
        Ok(plyfold)
    })?;
    step(&start, "2 of 3: the page", dist::build_quickly)?;
    step(&start, "3 of 3: the server", || serve(&plyfold, port, options.check))
}

/// Prints what is done now, and how long it took.
fn step<T>(start: &Instant, name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("\n== {name}");
    let done = work()?;
    println!("== {name}: done, {:.0} s after the start", start.elapsed().as_secs_f64());
    Ok(done)
}

fn ensure_port(port: u16) -> Result<()> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map(drop).map_err(|error| {
        anyhow!("port {port} cannot be used ({error}): choose another with --port, 0 takes any free one")
    })
}

/// Imports the demo games and runs a first query.
fn answer_natively(plyfold: &Path) -> Result<()> {
    let corpus = in_project("target/demo.plyfold");
    if corpus.exists() {
        std::fs::remove_file(&corpus)?;
    }
    let mut import = program(plyfold);
    import.arg("import").arg(in_project("demo/demo.pgn.zst")).arg("-o").arg(&corpus);
    run_command(&mut import).context("the native engine could not import the demo games")?;
    run_command(program(plyfold).arg("query").arg(&corpus).arg("queens_off"))
        .context("the native engine could not answer")
}

/// `plyfold serve`, which ends with this program.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It fails only if the server has ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Serves the page until Ctrl-C, or, if it is only to be checked, until it has answered.
fn serve(plyfold: &Path, port: u16, is_check: bool) -> Result<()> {
    let mut command = program(plyfold);
    command.arg("serve").arg(in_project("dist")).args(["--port", &port.to_string()]);
    let (mut server, url) = start_server(&mut command)?;
    println!("plyfold is at {url}");
    if is_check {
        check(&url)?;
        println!("the page answered");
        return Ok(());
    }
    println!("Ctrl-C ends it");
    let status = server.0.wait()?;
    bail!("the server ended ({status})")
}

/// Starts the server and waits for its first line, which begins with its address.
fn start_server(command: &mut Command) -> Result<(Server, String)> {
    let mut child = command.stdout(Stdio::piped()).spawn().context("the server could not be started")?;
    let output = child.stdout.take().context("the server has a standard output")?;
    let server = Server(child);
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    let url = line.split_whitespace().next().context("the server ended before it said its address")?;
    Ok((server, url.to_owned()))
}

/// Waits for the first result of the page in a real browser.
fn check(url: &str) -> Result<()> {
    let chromium = machine::chromium()?;
    machine::ensure_npm_packages("tests/e2e")?;
    run_command(
        program("node").arg(in_project("tests/e2e/check.mjs")).env("PLYFOLD_URL", url).env("CHROMIUM", chromium),
    )
    .context("the page did not answer")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_is_taken_is_reported() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = taken.local_addr().expect("an address").port();
        let error = ensure_port(port).expect_err("it is taken");
        assert!(error.to_string().contains("--port"), "{error}");
        ensure_port(0).expect("any free port will do");
    }

    #[test]
    fn the_address_is_the_first_word_of_the_server() {
        let mut says = program("sh");
        says.args(["-c", "echo 'http://127.0.0.1:1/ (Ctrl-C ends it)'; exec sleep 600"]);
        let (server, url) = start_server(&mut says).expect("a line");
        assert_eq!(url, "http://127.0.0.1:1/");
        drop(server);
        assert!(start_server(program("sh").args(["-c", "exit 1"])).is_err());
    }
}
