//! `plyfold index`: creates or updates the position index beside a corpus.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::corpus_spans;
use plyfold_core::index::build::{BuildError, build_index};
use plyfold_core::index::error::IndexError;
use plyfold_core::index::layout::IndexFileHeader;
use plyfold_core::index::plan::{IndexPlan, MAX_SEGMENT_PLIES};
use plyfold_files::{OutputPlan, OverwriteRule, PrintablePath};
use plyfold_terminal::output;
use plyfold_terminal::partial_output::PartialOutput;
use plyfold_terminal::progress;
use plyfold_terminal::table::{format_bytes, grouped};
use serde::Serialize;

use super::RunArguments;
use crate::failure::{CliFailure, Result};
use crate::index_file::{MappedIndex, index_path};
use crate::{mapped_corpus, read_in_passing};

/// Create or update a position index.
///
/// The index is a file beside the corpus, games.plyindex for games.plyfold; `plyfold position` reads it. After games are
/// appended, only the new ones are indexed. The old index stays until the new one is complete.
#[derive(clap::Args)]
pub struct Arguments {
    /// The corpus, or PGN as `plyfold query` reads it. The index of games.pgn is games.pgn.plyindex-of-file.
    corpus: PathBuf,
    /// Index all games again, and replace the file that is there.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    run: RunArguments,
}

/// The result of the command, and the JSON object.
#[derive(Serialize)]
struct IndexReport {
    file: String,
    games: u64,
    plies: u64,
    /// Games that were indexed by this run.
    indexed_games: u64,
    indexed_plies: u64,
    /// Why the existing index could not be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    anew_because: Option<String>,
    segments: u32,
    bytes: u64,
    bytes_per_ply: f64,
    seconds: f64,
    plies_per_second: u64,
}

/// Runs the command.
///
/// # Errors
///
/// The corpus cannot be read, the index cannot be written, or another file has its name. An old index is kept then.
pub fn run(arguments: &Arguments) -> Result<()> {
    let report = super::with_threads(arguments.run.threads, || index(arguments))?;
    output::report(arguments.run.format, &report, |out| write_text(out, &report))
}

fn index(arguments: &Arguments) -> Result<IndexReport> {
    let begin = Instant::now();
    let place = index_path(&arguments.corpus);
    if mapped_corpus::is_pattern(&arguments.corpus) {
        let what = "a pattern has no index beside it: name a corpus, a file of games, or a folder of such files";
        return Err(CliFailure::Usage(what.into()));
    }
    if place == arguments.corpus {
        let what = "is named like an index, so its own index cannot have a name beside it: rename the corpus";
        return Err(CliFailure::unsuitable(place, what));
    }
    let opened = read_in_passing::open_one(&arguments.corpus)?;
    let corpus = opened.corpus(CorpusCheck::WithoutTexts)?;
    let (old, mut anew_because) = existing_index(&place, arguments.force)?;
    let mut outputs = OutputPlan::new();
    outputs.reads("the corpus", &arguments.corpus);
    outputs.writes("the index", &place, OverwriteRule::Update);
    outputs.check()?;
    let (plan, header) = loop {
        let tried = old.as_ref().filter(|_| anew_because.is_none());
        match try_build(&place, &corpus, tried) {
            // Another file has the name of our index, or the index is damaged: all games are indexed again.
            Err(BuildOutcome::Old(error)) if tried.is_some() => anew_because = Some(error.to_string()),
            Err(BuildOutcome::Old(error)) => return Err(CliFailure::unsuitable(place, error.to_string())),
            Err(BuildOutcome::Failed(failure)) => return Err(failure),
            Ok(done) => break done,
        }
    };
    let seconds = begin.elapsed().as_secs_f64();
    Ok(IndexReport {
        file: place.display().to_string(),
        games: header.games,
        plies: header.plies,
        indexed_games: plan.games(),
        indexed_plies: plan.plies(),
        anew_because,
        segments: header.segments,
        bytes: header.length,
        bytes_per_ply: (header.length as f64 * 100.0 / header.plies.max(1) as f64).round() / 100.0,
        seconds: (seconds * 1e3).round() / 1e3,
        plies_per_second: (plan.plies() as f64 / seconds.max(1e-9)).round() as u64,
    })
}

/// The existing index, or why it cannot be used. A file that is not an index is left alone.
fn existing_index(path: &Path, force: bool) -> Result<(Option<MappedIndex>, Option<String>)> {
    if force {
        return Ok((None, None));
    }
    match MappedIndex::open(path)? {
        None => Ok((None, None)),
        Some(Ok(indexed)) => Ok((Some(indexed), None)),
        Some(Err(error @ (IndexError::NotAnIndex | IndexError::Newer { .. }))) => {
            Err(CliFailure::unsuitable(path, format!("{error} (--force replaces it)")))
        }
        Some(Err(error)) => Ok((None, Some(error.to_string()))),
    }
}

/// Why an index was not made.
enum BuildOutcome {
    /// The old index cannot be continued.
    Old(IndexError),
    Failed(CliFailure),
}

/// Makes the index, continuing from `old`. If there are no new games, nothing is written.
fn try_build<'a>(
    path: &Path,
    corpus: &'a JoinedCorpus<'_>,
    existing: Option<&MappedIndex>,
) -> std::result::Result<(IndexPlan<'a>, IndexFileHeader), BuildOutcome> {
    let spans = corpus_spans(corpus);
    let old = existing.map(MappedIndex::index);
    let plan = IndexPlan::new(corpus.header.id, &spans, old.as_ref(), MAX_SEGMENT_PLIES).map_err(BuildOutcome::Old)?;
    if let Some(old) = old.as_ref().filter(|_| plan.new_segments.is_empty()) {
        // Only an intact index may be reported as up to date.
        old.check_whole().map_err(BuildOutcome::Old)?;
        return Ok((plan, *old.header()));
    }
    let cannot = || CliFailure::file(path, "cannot be written");
    let begin = || -> Result<PartialOutput> {
        let mut file = PartialOutput::begin(path, true)?;
        file.write_all(&[0; IndexFileHeader::BYTES]).map_err(cannot())?;
        Ok(file)
    };
    let mut file = begin().map_err(BuildOutcome::Failed)?;
    // Each ply is counted twice: when it is replayed and when it is sorted.
    let bar = progress::bar(2 * plan.plies(), "{wide_bar} {percent} %  {msg}  {eta} left");
    let mut tell = |plies| {
        bar.inc(plies);
        let rate = bar.position() as f64 / 2.0 / bar.elapsed().as_secs_f64().max(1e-3);
        bar.set_message(format!("{} plies a second", grouped(rate as u64)));
        true
    };
    let header = build_index(&plan, old.as_ref(), &mut tell, &mut |piece| file.write_all(piece));
    drop(bar);
    let header = header.map_err(|stopped| match stopped {
        BuildError::OldIndex(error) => BuildOutcome::Old(error),
        BuildError::Sink(error) => BuildOutcome::Failed(cannot()(error)),
        stopped => BuildOutcome::Failed(CliFailure::Other(stopped.to_string())),
    })?;
    let finish = file.seek_to(0).and_then(|()| file.write_all(&header.to_bytes())).and_then(|()| file.finish());
    finish.map_err(|error| BuildOutcome::Failed(cannot()(error)))?;
    Ok((plan, header))
}

fn write_text(out: &mut dyn Write, report: &IndexReport) -> Result<()> {
    if let Some(because) = &report.anew_because {
        writeln!(out, "The old index could not be used: {because}")?;
    }
    let file = PrintablePath(Path::new(&report.file));
    match (report.indexed_games, report.games) {
        (0, _) => writeln!(out, "{file} is up to date")?,
        (new, all) if new == all => writeln!(out, "{file}: indexed {} games", grouped(new))?,
        (new, all) => writeln!(out, "{file}: indexed {} of {} games", grouped(new), grouped(all))?,
    }
    if report.indexed_games > 0 {
        let IndexReport { indexed_plies, seconds, plies_per_second, .. } = *report;
        let (plies, rate) = (grouped(indexed_plies), grouped(plies_per_second));
        writeln!(out, "  {plies} plies in {seconds:.1} s, {rate} a second")?;
    }
    let segments =
        if report.segments == 1 { "one segment".to_owned() } else { format!("{} segments", report.segments) };
    writeln!(out, "  {} in {segments}, {:.2} bytes a ply", format_bytes(report.bytes), report.bytes_per_ply)?;
    Ok(())
}
