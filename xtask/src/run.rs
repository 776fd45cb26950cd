//! `cargo xtask run`: from a fresh clone to the page and the result of a first native query, in one command.

use std::path::Path;
use std::process::Command;
use std::thread;

use anyhow::{Context, Result};
use clap::Args;

use crate::command::{program, release_build, run as run_command};
use crate::paths::in_project;
use crate::{dist, machine, server};

#[derive(Args)]
pub struct RunOptions {
    /// Port on 127.0.0.1; 0 takes any free one
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Open the page in headless Chromium, wait for its first result, and exit with 0 when it appears
    #[arg(long)]
    check: bool,
}

/// Builds everything, runs a native query, and serves the page.
///
/// # Errors
/// A build fails, the port is taken, or, with `--check`, the page does not answer.
pub fn run(options: &RunOptions) -> Result<()> {
    // This comes first, so that a taken port is reported at once and not after minutes of building.
    let port = if options.check { 0 } else { options.port };
    let address = server::start(&in_project("dist"), port)?;

    dist::build()?;
    // With the site inside, it publishes games without more.
    let plyfold = release_build("plyfold", &["site"])?;
    answer_natively(&plyfold)?;

    let url = format!("http://{address}/");
    println!("plyfold is at {url}");
    if options.check {
        check(&url)?;
        println!("the page answered");
        return Ok(());
    }
    println!("Ctrl-C ends it");
    loop {
        thread::park();
    }
}

/// Imports the demo games and runs a first query.
fn answer_natively(plyfold: &Path) -> Result<()> {
    let corpus = in_project("target/demo.plyfold");
    if corpus.exists() {
        std::fs::remove_file(&corpus)?;
    }
    run_command(&mut import_command(plyfold, &in_project("www/public/demo/demo.pgn.zst"), &corpus))
        .context("the native engine could not import the demo games")?;
    run_command(&mut query_command(plyfold, &corpus, "queens_off")).context("the native engine could not answer")
}

fn import_command(plyfold: &Path, pgn: &Path, corpus: &Path) -> Command {
    let mut command = program(plyfold);
    command.arg("import").arg(pgn).arg("-o").arg(corpus);
    command
}

fn query_command(plyfold: &Path, corpus: &Path, query: &str) -> Command {
    let mut command = program(plyfold);
    command.arg("query").arg(corpus).arg(query);
    command
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
