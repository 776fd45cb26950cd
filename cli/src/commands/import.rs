//! `plyfold import`: PGN files into a corpus.
//!
//! The reading is done by `plyfold-input`; here is where the shards go ([`Growing`]), what is said meanwhile, and what is
//! said afterwards.

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::ProgressBar;
use plyfold_core::corpus::file::{Check, FileHeader};
use plyfold_core::pgn::{Refusal, Report};
use plyfold_files::{Existing, Outputs, Shown, escaped_lines};
use plyfold_input::import::{self, Options, Progress};
use plyfold_input::{InputError, Source};
use serde::Serialize;

use crate::collections::{self, Updated};
use crate::failure::{Failure, Result};
use crate::growing::Growing;
use crate::opened::Opened;
use crate::progress::style;
use crate::table::{bytes, grouped};
use crate::{Format, out, stored};

/// Refused games that are named; the others are counted.
const NAMED: usize = 10;

/// Read PGN files into a corpus.
///
/// Reads plain text, gzip, zstd and bzip2. Games that cannot be read are refused one by one and reported; the rest goes on.
#[derive(clap::Args)]
pub struct Arguments {
    /// PGN files; `-` for standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The corpus to write.
    #[arg(long, short, value_name = "OUT.plyfold")]
    output: PathBuf,
    /// Add the games to the corpus if it exists; what it has stays as it is.
    #[arg(long)]
    append: bool,
    /// Replace files that exist: the corpus and that of --refused. With --append, the latter alone.
    #[arg(long)]
    force: bool,
    /// Use so many threads; all cores without it.
    #[arg(long, value_name = "N", value_parser = super::threads)]
    threads: Option<usize>,
    /// Write the refused games to a file, one JSON object a line (the first 10,000 of each PGN file).
    #[arg(long, value_name = "FILE")]
    refused: Option<PathBuf>,
    /// How the report is written.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// What became of all files, and the object in JSON.
#[derive(Serialize)]
struct Told<'a> {
    output: String,
    games_read: u64,
    imported: u64,
    refused: u64,
    plies: u64,
    /// Of text, after decompression.
    bytes: u64,
    seconds: f64,
    games_per_second: u64,
    plies_per_second: u64,
    bytes_per_second: u64,
    corpus_games: u64,
    corpus_plies: u64,
    corpus_bytes: u64,
    /// Collections that the new games were scanned for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    collections: Vec<Updated>,
    files: Vec<File<'a>>,
    /// The first few.
    refusals: Vec<Refused<'a>>,
}

#[derive(Serialize)]
struct File<'a> {
    file: &'a str,
    games_read: u64,
    imported: u64,
    refused: u64,
    plies: u64,
    bytes: u64,
}

/// A refused game.
#[derive(Serialize)]
struct Refused<'a> {
    file: &'a str,
    /// In the decompressed file: of the move at fault, or of the game.
    byte: u64,
    /// From 1, in its file.
    game: u64,
    /// From 1; 0 where no move is at fault.
    ply: u32,
    reason: String,
    white: &'a str,
    black: &'a str,
}

impl<'a> Refused<'a> {
    fn of(file: &'a str, refusal: &'a Refusal) -> Refused<'a> {
        let Refusal { offset: byte, game, ply, ref reason, ref white, ref black } = *refusal;
        Refused { file, byte, game, ply, reason: reason.to_string(), white, black }
    }
}

/// Runs the command.
///
/// # Errors
///
/// A file that cannot be read or is no PGN, a corpus that cannot be written; nothing is changed then. And
/// [`Failure::Refused`] when all is done but some games were refused.
pub fn run(arguments: &Arguments) -> Result<()> {
    let place = &arguments.output;
    read_once(&arguments.files)?;
    outputs(arguments).check()?;
    // The calling thread reads the file and writes the corpus; those of the pool read the games.
    let threads = arguments.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    pool.map_err(|error| Failure::Other(format!("cannot start threads: {error}")))?;
    let begin = Instant::now();
    let mut corpus = match arguments.append && place.exists() {
        true => Growing::append(place)?,
        false => Growing::new(place, arguments.force && !arguments.append)?,
    };
    let bar = Bar::over(&arguments.files);
    let mut reports: Vec<(String, Report)> = Vec::new();
    for file in &arguments.files {
        let report = one_file(file, threads, &mut corpus, &bar)?;
        if report.games() == 0 {
            return Err(Failure::NotThat(named(file), "has no games: is it a PGN file?".into()));
        }
        reports.push((named(file).display().to_string(), report));
    }
    drop(bar);
    nothing_imported(&reports)?;
    if let Some(path) = &arguments.refused {
        write_refused(path, arguments.force, &reports)?;
    }
    let header = corpus.finish()?;
    let mut told = told(arguments, &reports, &header, begin.elapsed().as_secs_f64());
    if arguments.append {
        told.collections = grown(place);
    }
    out::report(arguments.format, &told, |out| write_text(out, &told))?;
    match told.refused {
        0 => Ok(()),
        refused => Err(Failure::Refused { refused, read: told.games_read }),
    }
}

/// Scans the new games for the collections of the corpus. What goes wrong with one is said, and hinders neither the others nor the import.
fn grown(place: &Path) -> Vec<Updated> {
    let trouble = |failure: Failure| {
        // If nobody listens, whoever asks for the collection next hears it.
        let _ = writeln!(std::io::stderr(), "plyfold: note: {}", escaped_lines(&failure.to_string()));
    };
    let update = || -> Result<Vec<Updated>> {
        let names = collections::names(place)?;
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let opened = Opened::at(place)?;
        let corpus = opened.corpus(Check::Scan)?;
        let each = names.iter().filter_map(|name| match collections::update(place, &corpus, name, false) {
            Ok(updated) => updated,
            Err(failure) => {
                trouble(failure);
                None
            }
        });
        Ok(each.collect())
    };
    update().unwrap_or_else(|failure| {
        trouble(failure);
        Vec::new()
    })
}

/// Standard input can be read once.
fn read_once(files: &[PathBuf]) -> Result<()> {
    match files.iter().filter(|file| is_standard_input(file)).count() {
        0 | 1 => Ok(()),
        _ => Err(Failure::Usage("standard input (-) can be read only once".into())),
    }
}

/// What is read and written.
fn outputs(arguments: &Arguments) -> Outputs {
    let Arguments { files, output, append, force, refused, .. } = arguments;
    let mut outputs = Outputs::new();
    for file in files.iter().filter(|file| !is_standard_input(file)) {
        outputs.reads("the input", file);
    }
    outputs.writes("-o", output, if *append { Existing::Updated } else { Existing::forced(*force) });
    if let Some(refused) = refused {
        outputs.streams("--refused", refused, Existing::forced(*force));
    }
    if *append {
        // Collections are brought up to date. If they cannot be listed, that is said then.
        for name in collections::names(output).unwrap_or_default() {
            stored::read_by(&mut outputs, output, &format!("@{name}"));
        }
    }
    outputs
}

fn is_standard_input(file: &Path) -> bool {
    file == Path::new("-")
}

fn named(file: &Path) -> PathBuf {
    if is_standard_input(file) { "standard input".into() } else { file.into() }
}

fn one_file(file: &Path, threads: usize, corpus: &mut Growing, bar: &Bar) -> Result<Report> {
    let failed = |error: InputError| match error {
        // What our own sink failed with comes back as it was.
        InputError::Store(error) => match error.downcast::<Failure>() {
            Ok(failure) => *failure,
            Err(error) => Failure::Other(error.to_string()),
        },
        error => Failure::NotThat(named(file), error.to_string()),
    };
    let source = match is_standard_input(file) {
        true => Source::new(std::io::stdin(), None).map(|source| source.named("-")),
        false => Source::open(file),
    };
    let mut source = source.map_err(failed)?;
    let before = bar.state();
    let report = import::run(
        &mut source,
        &Options { threads, ..Options::default() },
        &mut |progress| {
            bar.show(&before, progress);
            true
        },
        &mut |shard| corpus.push(&shard).map_err(|failure| Box::new(failure) as Box<dyn Error + Send + Sync>),
    );
    report.map_err(failed)
}

/// A corpus without games is nobody's wish: it is said why there are none.
fn nothing_imported(reports: &[(String, Report)]) -> Result<()> {
    if reports.iter().any(|(_, report)| report.imported > 0) {
        return Ok(());
    }
    let refused: u64 = reports.iter().map(|(_, report)| report.refused).sum();
    let first = reports.iter().flat_map(|(file, report)| report.refusals.iter().map(move |refusal| (file, refusal)));
    let first =
        first.map(|(file, refusal)| format!("{}: {refusal}", Shown(Path::new(file)))).next().unwrap_or_default();
    let count = if refused == 1 { String::new() } else { format!(" (the first of {})", grouped(refused)) };
    Err(Failure::Other(format!("no game could be imported: {first}{count}")))
}

fn write_refused(path: &Path, replaces: bool, reports: &[(String, Report)]) -> Result<()> {
    out::write(Some(path), replaces, |out| {
        for (file, report) in reports {
            for refusal in &report.refusals {
                serde_json::to_writer(&mut *out, &Refused::of(file, refusal))?;
                writeln!(out)?;
            }
        }
        Ok(())
    })
}

fn told<'a>(arguments: &Arguments, reports: &'a [(String, Report)], header: &FileHeader, seconds: f64) -> Told<'a> {
    let files = reports.iter().map(|(file, report)| File {
        file,
        games_read: report.games(),
        imported: report.imported,
        refused: report.refused,
        plies: report.plies,
        bytes: report.bytes,
    });
    let files: Vec<File<'_>> = files.collect();
    let sum = |part: fn(&File<'_>) -> u64| files.iter().map(part).sum::<u64>();
    let rate = |count: u64| (count as f64 / seconds.max(1e-9)).round() as u64;
    let refusals =
        reports.iter().flat_map(|(file, report)| report.refusals.iter().map(|refusal| Refused::of(file, refusal)));
    Told {
        output: arguments.output.display().to_string(),
        games_read: sum(|file| file.games_read),
        imported: sum(|file| file.imported),
        refused: sum(|file| file.refused),
        plies: sum(|file| file.plies),
        bytes: sum(|file| file.bytes),
        seconds: (seconds * 1e3).round() / 1e3,
        games_per_second: rate(sum(|file| file.imported)),
        plies_per_second: rate(sum(|file| file.plies)),
        bytes_per_second: rate(sum(|file| file.bytes)),
        corpus_games: header.games,
        corpus_plies: header.plies,
        corpus_bytes: header.length,
        collections: Vec::new(),
        refusals: refusals.take(NAMED).collect(),
        files,
    }
}

fn write_text(out: &mut dyn Write, told: &Told<'_>) -> Result<()> {
    // What is wrong goes to standard error; if nobody listens there, the report still says how many.
    let mut errors = std::io::stderr().lock();
    for refused in &told.refusals {
        let Refused { file, byte, game, ply, reason, .. } = refused;
        let ply = if *ply == 0 { String::new() } else { format!(", ply {ply}") };
        let file = Shown(Path::new(file));
        let _ = writeln!(errors, "{file}: game {game} at byte {byte}{ply}: {reason}");
    }
    let unnamed = told.refused - told.refusals.len() as u64;
    if unnamed > 0 {
        let _ = writeln!(errors, "and {} more (--refused FILE lists them)", grouped(unnamed));
    }
    let line = |name: &str, count: u64, rate: String| format!("  {name:<9} {:>13}  {rate}", grouped(count));
    writeln!(out, "{}", Shown(Path::new(&told.output)))?;
    writeln!(out, "{}", line("read", told.games_read, String::new()).trim_end())?;
    writeln!(out, "{}", line("imported", told.imported, format!("{} games a second", grouped(told.games_per_second))))?;
    writeln!(out, "{}", line("refused", told.refused, String::new()).trim_end())?;
    writeln!(out, "{}", line("plies", told.plies, format!("{} a second", grouped(told.plies_per_second))))?;
    writeln!(out, "{}", line("bytes", told.bytes, format!("{} a second", bytes(told.bytes_per_second))))?;
    writeln!(out, "  {:<9} {:>13}", "seconds", told.seconds)?;
    let (games, plies, size) = (grouped(told.corpus_games), grouped(told.corpus_plies), bytes(told.corpus_bytes));
    writeln!(out, "The corpus has {games} games, {plies} plies, {size}.")?;
    for Updated { name, games, new, .. } in &told.collections {
        writeln!(out, "The collection {name} has {} games, {} of them new.", grouped(*games), grouped(*new))?;
    }
    Ok(())
}

/// The progress bar of all files: by bytes where their lengths are known.
struct Bar {
    bar: ProgressBar,
    begin: Instant,
    state: std::cell::Cell<Progress>,
}

impl Bar {
    fn over(files: &[PathBuf]) -> Bar {
        let length =
            |file: &PathBuf| std::fs::metadata(file).ok().filter(|found| found.is_file()).map(|found| found.len());
        let lengths: Option<Vec<u64>> = files.iter().map(length).collect();
        let bar = match lengths {
            Some(lengths) => {
                let bar = ProgressBar::new(lengths.iter().sum());
                bar.set_style(style("{wide_bar} {percent} %  {msg}  {eta} left"));
                bar
            }
            None => {
                let bar = ProgressBar::new_spinner();
                bar.set_style(style("{spinner} {bytes}  {msg}"));
                bar
            }
        };
        Bar { bar, begin: Instant::now(), state: std::cell::Cell::default() }
    }

    /// What the files before had.
    fn state(&self) -> Progress {
        self.state.get()
    }

    fn show(&self, before: &Progress, now: &Progress) {
        let state = Progress {
            bytes_in: before.bytes_in + now.bytes_in,
            bytes: before.bytes + now.bytes,
            games: before.games + now.games,
            refused: before.refused + now.refused,
            plies: before.plies + now.plies,
        };
        self.state.set(state);
        let rate = state.games as f64 / self.begin.elapsed().as_secs_f64().max(1e-3);
        self.bar.set_position(state.bytes_in);
        self.bar.set_message(format!("{} games, {} a second", grouped(state.games), grouped(rate as u64)));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
