//! `plyfold-sql`: SQL over packed games, which `plyfold sql` runs.

mod output;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::prelude::SessionContext;
use plyfold_datafusion::cluster::{Cluster, cancel_running_job};
use plyfold_datafusion::{
    Library, NamedFile, SessionOptions, SqlFailure, is_address, open_session, register_files, run_statements,
};
use plyfold_files::{FileError, OutputError, OutputPlan, OverwriteRule};
use plyfold_library::{corpus_files, remember_checks_in, table_files};
use plyfold_terminal::Failure as _;
use plyfold_terminal::interrupt::UndoGuard;
use plyfold_terminal::program::{cache_folder, say};
use plyfold_terminal::progress::bar;
use plyfold_terminal::table::grouped;
use thiserror::Error;
use tokio::task::JoinHandle;

use output::OutputFormat;

/// Ask a corpus, or several as one library, in SQL.
///
/// The games are the table `games`; `matches('queens_off')` is a condition on them in plyfold's query language. The functions
/// search, positions, next_moves and counts are tables, and so are Parquet, CSV and JSON files that --file names.
#[derive(Parser)]
#[command(name = "plyfold-sql", version, after_help = AFTER_HELP)]
struct Arguments {
    /// The corpus; a folder of corpora, or a pattern such as 'games/*.plyfold', is one library. Addresses are libraries, too:
    /// 's3://bucket/games/*.plyfold', gs://bucket/games/, or https://host/games.plyfold, several of them separated by blanks.
    #[arg(value_name = "LIBRARY")]
    library: String,
    /// The statement. Several are separated by semicolons; the rows of the last are the answer.
    #[arg(value_name = "SQL")]
    statement: String,
    /// Format of the rows.
    #[arg(long, value_enum, default_value_t = OutputFormat::Table)]
    format: OutputFormat,
    /// Write to this file, which appears when it is complete, instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace an existing file.
    #[arg(long)]
    force: bool,
    /// Folder of endgame tables made by egtgen, which tb(fen) and conditions such as `white tb win` ask. May be repeated.
    #[arg(long, value_name = "DIR")]
    tables: Vec<PathBuf>,
    /// Folder of Syzygy tables, which know no distances to mate. May be repeated.
    #[arg(long, value_name = "DIR")]
    syzygy: Vec<PathBuf>,
    /// File that the statement may read beside the library: a Parquet, CSV or JSON file is the table NAME, and a corpus the library NAME,
    /// such as in search('NAME', 'check'). May be repeated.
    #[arg(long, value_name = "NAME=FILE", value_parser = named_file)]
    file: Vec<NamedFile>,
    /// Scheduler of a cluster, whose executors run the statement; they must be able to read the library at the same path.
    #[arg(long, value_name = "HOST:PORT")]
    cluster: Option<String>,
    /// How many parts of a statement run at the same time [default: one per core; on a cluster 16].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Leave out damaged files of a library, and name them.
    #[arg(long)]
    skip_damaged: bool,
    /// Report on standard error what was read, and how long it took.
    #[arg(long)]
    stats: bool,
}

const AFTER_HELP: &str = "\
Exit codes: 0 success; 1 a problem with a file; 2 a mistake in the command line or in the statement; 130 interrupted.

Example:
  plyfold-sql games.plyfold \"SELECT eco, count(*) FROM games WHERE matches('queens_off') AND white_elo > 2600 GROUP BY eco\"";

/// Why the program failed.
#[derive(Debug, Error)]
enum Failure {
    /// A sentence, and the exit code that goes with it.
    #[error("{0}")]
    Sentence(String, u8),
    /// Standard output cannot be written.
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Failure {
    /// The same sentence with more behind it.
    fn with_note(self, note: &str) -> Failure {
        Failure::Sentence(format!("{self}{note}"), self.exit_code())
    }
}

impl plyfold_terminal::Failure for Failure {
    fn other(sentence: String) -> Failure {
        Failure::Sentence(sentence, 1)
    }

    fn exit_code(&self) -> u8 {
        if let Failure::Sentence(_, code) = self { *code } else { 1 }
    }

    fn into_output_error(self) -> Result<io::Error, Failure> {
        if let Failure::Output(error) = self { Ok(error) } else { Err(self) }
    }
}

impl From<DataFusionError> for Failure {
    fn from(error: DataFusionError) -> Failure {
        Failure::Sentence(SqlFailure::message(&error), if SqlFailure::is_mistake(&error) { 2 } else { 1 })
    }
}

impl From<OutputError> for Failure {
    fn from(refused: OutputError) -> Failure {
        let or = if refused.is_replaceable() { ", or replace it with --force" } else { "" };
        Failure::Sentence(format!("{refused}{or}"), 2)
    }
}

fn main() -> ExitCode {
    if let Some(folder) = cache_folder() {
        remember_checks_in(folder);
    }
    plyfold_terminal::run("plyfold-sql", |arguments: Arguments| {
        let threads =
            arguments.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
        let runtime = runtime.map_err(|error| Failure::other(format!("cannot start threads: {error}")))?;
        // An interrupt ends the program whatever its threads are doing.
        let _job = UndoGuard::new(String::new(), || {
            cancel_running_job();
        });
        let outcome = runtime.block_on(run(&arguments));
        runtime.shutdown_background();
        outcome
    })
}

async fn run(arguments: &Arguments) -> Result<(), Failure> {
    check_files(arguments)?;
    let partitions = arguments.threads.map(usize::from);
    let (tables, syzygy) = (arguments.tables.clone(), arguments.syzygy.clone());
    let files = arguments.file.clone();
    let options = SessionOptions { tables, syzygy, partitions, files, skip_damaged: arguments.skip_damaged };
    let begun = Instant::now();
    let cluster = arguments.cluster.as_deref().map(|scheduler| Cluster::new(scheduler, &options)).transpose()?;
    let (context, library) = match &cluster {
        None => open_session(&arguments.library, &options)?,
        Some(cluster) => cluster.open_session(&arguments.library)?,
    };
    name_left_out(&library);
    register_files(&context, &options.files).await?;
    let rows = execute(&context, &arguments.statement, cluster.as_ref()).await?;
    name_left_out(&library);
    let bar = if cluster.is_none() { progress_bar(arguments, &library) } else { None };
    let written = output::write(rows, arguments.format, arguments.out.as_deref(), arguments.force).await;
    if let Some(ticker) = bar {
        ticker.abort();
        // It fails, because it was ended; then its bar is gone.
        let _ = ticker.await;
    }
    if arguments.stats {
        report(&library, begun.elapsed());
    }
    written
}

/// Reads `NAME=FILE`.
fn named_file(text: &str) -> Result<NamedFile, String> {
    let (name, path) = text.split_once('=').ok_or("it has the form NAME=FILE, such as players=players.csv")?;
    NamedFile::new(name, path).map_err(|error| SqlFailure::message(&error))
}

/// Names the files that were left out since the last call.
fn name_left_out(library: &Library) {
    for why in library.work().take_left_out() {
        say(&format!("left out: {why}"));
    }
}

/// Reports what the statement has read.
fn report(library: &Library, elapsed: Duration) {
    let (work, games, plies) = (library.work(), library.games(), library.plies());
    let (games, plies) = (grouped(games.into()), grouped(plies));
    let (scanned, seconds) = (grouped(library.progress.games()), elapsed.as_secs_f64());
    let read = match work.size_bytes() {
        0 => "mapped into memory".to_owned(),
        size => {
            let (bytes, share) = (work.bytes_read(), work.bytes_read() as f64 * 100.0 / size as f64);
            let (bytes, size, requests) = (grouped(bytes), grouped(size), grouped(work.requests()));
            format!("read {bytes} of {size} bytes ({share:.1} %) in {requests} requests")
        }
    };
    say(&format!("library of {games} games, {plies} plies; {read}; {scanned} games scanned; {seconds:.3} s"));
}

/// Runs all statements but the last, and begins the last.
async fn execute(
    context: &SessionContext,
    text: &str,
    cluster: Option<&Cluster>,
) -> Result<SendableRecordBatchStream, DataFusionError> {
    let rows = run_statements(context, text).await?;
    match cluster {
        None => rows.execute_stream().await,
        Some(cluster) => cluster.execute(context, rows.create_physical_plan().await?).await,
    }
}

/// Refuses an output that is an input or exists.
fn check_files(arguments: &Arguments) -> Result<(), Failure> {
    let mut outputs = OutputPlan::new();
    if !is_address(&arguments.library) {
        let files = corpus_files(arguments.library.as_ref()).unwrap_or_default();
        files.into_iter().for_each(|file| outputs.reads("the corpus", file));
    }
    table_files(&arguments.tables, &arguments.syzygy).for_each(|path| outputs.reads("an endgame table", path));
    arguments.file.iter().filter(|file| !is_address(&file.path.to_string_lossy())).for_each(|file| {
        let files =
            if file.is_library() { corpus_files(&file.path).unwrap_or_default() } else { vec![file.path.clone()] };
        files.into_iter().for_each(|file| outputs.reads("--file", file));
    });
    if let Some(path) = &arguments.out {
        outputs.writes("--out", path, OverwriteRule::from_force(arguments.force));
    }
    Ok(outputs.check()?)
}

/// A bar of the games that the scans have passed: on standard error, only on a terminal, and not beside rows on the same terminal. It is
/// there until its task ends.
fn progress_bar(arguments: &Arguments, library: &Arc<Library>) -> Option<JoinHandle<()>> {
    if arguments.out.is_none() && io::stdout().is_terminal() || !io::stderr().is_terminal() {
        return None;
    }
    let bar = bar(library.games().into(), "{wide_bar} {percent} %  {human_pos} games  {per_sec}");
    let library = library.clone();
    Some(tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(100)).await;
            bar.set_position(library.progress.games());
        }
    }))
}
