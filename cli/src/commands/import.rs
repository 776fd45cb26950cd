//! `plyfold import`: imports PGN files into a corpus.
//!
//! `plyfold-input` reads the files. This file decides where the shards go ([`AppendableCorpus`]), and reports during
//! the import and after it.

use std::cell::Cell;
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader};
use plyfold_core::pgn::{KnownGames, PgnImportReport};
use plyfold_files::{OutputPlan, OverwriteRule, PrintablePath};
use plyfold_input::import::{self, ImportOptions, ImportProgress};
use plyfold_input::{InputError, PgnSource};
use plyfold_terminal::table::{format_bytes, grouped};
use plyfold_terminal::{ReportFormat, output, write_note};
use serde::Serialize;

use crate::appendable_corpus::AppendableCorpus;
use crate::collections;
use crate::companions::corpus_beside;
use crate::current_sets::{CollectionUpdate, CurrentSets};
use crate::failure::{CliFailure, Result};
use crate::import_account::{ImportAccount, LedgerEntry};
use crate::mapped_corpus::MappedCorpus;
use crate::progress::ImportBar;
use crate::query_argument::OPENING_TABLE;
use crate::set_expression;
use crate::split_corpora::{CorpusTotals, ImportJournal, SplitCorpora, SplitNames, SplitRequest};

/// Read PGN files into a corpus.
///
/// Reads plain text, gzip, zstd and bzip2, and the .pgn files in zip, tar and 7z archives. Of a game with a move that cannot be played or read, the moves before are kept; what cannot be
/// read at all is refused. Both are reported, and the import continues.
#[derive(clap::Args)]
pub struct Arguments {
    /// PGN files; `-` for standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The corpus to write [default: games.plyfold beside games.pgn]; with --split, the begin of the names of the corpora, or their
    /// folder.
    #[arg(long, short, value_name = "OUT.plyfold")]
    output: Option<PathBuf>,
    /// Add the games to the corpus if it exists; its games stay unchanged.
    #[arg(long, requires = "output")]
    append: bool,
    /// Write corpora of N games each, the last with the rest: OUT-001.plyfold, OUT-002.plyfold, and so on; in a folder, 001.plyfold.
    /// After a kill, the same command goes on with the next corpus.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=u64::from(u32::MAX)), conflicts_with = "append", requires = "output")]
    split: Option<u64>,
    /// Keep no texts of games, only headers, moves, evaluations, clocks and marks: a PGN is then written from these.
    #[arg(long)]
    no_text: bool,
    /// Replace existing files: the corpora and the file of --ledger; with --append, only the latter.
    #[arg(long)]
    force: bool,
    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = super::parse_threads)]
    threads: Option<usize>,
    /// Refuse games of which a move cannot be played or read, instead of keeping the moves before.
    #[arg(long)]
    strict: bool,
    /// With --append, leave out games that the corpus has already: the same players, date, start and moves.
    #[arg(long, requires = "append")]
    skip_known: bool,
    /// Write all games that were refused or kept in part, and all that was not understood, to a file, one JSON object per line.
    #[arg(long, alias = "refused", value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Format of the report.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// The result of the import, and the object in JSON.
#[derive(Serialize)]
struct ImportReport<'a> {
    output: String,
    games_read: u64,
    /// Games that are kept, those in part included.
    imported: u64,
    in_part: u64,
    refused: u64,
    /// With --append: games that the corpus had already, and how many of them were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
    plies: u64,
    /// Bytes of text, after decompression.
    bytes: u64,
    seconds: f64,
    games_per_second: u64,
    plies_per_second: u64,
    bytes_per_second: u64,
    /// What the corpus has now, or with --split all corpora together.
    corpus_games: u64,
    corpus_plies: u64,
    corpus_bytes: u64,
    /// Corpora that --split has made, and how many of them an earlier run of the same command had completed, with their games.
    #[serde(skip_serializing_if = "Option::is_none")]
    corpora: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept_corpora: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept_games: Option<u64>,
    /// Collections for which the new games were scanned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    collections: Vec<CollectionUpdate>,
    files: Vec<FileReport<'a>>,
    #[serde(flatten)]
    account: ImportAccount<'a>,
}

#[derive(Serialize)]
struct FileReport<'a> {
    file: &'a str,
    games_read: u64,
    imported: u64,
    in_part: u64,
    refused: u64,
    plies: u64,
    bytes: u64,
}

/// Runs the command.
///
/// # Errors
///
/// A file cannot be read or is no PGN, or the corpus cannot be written; nothing is changed then.
/// [`CliFailure::Refused`] means that the import is complete but some games were refused.
pub fn run(arguments: &Arguments) -> Result<()> {
    check_inputs_differ(&arguments.files)?;
    let place = &place(arguments)?;
    outputs(arguments, place).check()?;
    // The calling thread reads the file and writes the corpus; the threads of the pool read the games.
    let threads = arguments.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    pool.map_err(|error| CliFailure::Other(format!("cannot start threads: {error}")))?;
    let begin = Instant::now();
    let mut target = ImportTarget::begin(arguments, place)?;
    let kept = target.kept();
    let bar = ImportBar::for_files(&arguments.files);
    let known = Arc::new(if arguments.append { known_games(place)? } else { KnownGames::default() });
    let mut reports = Vec::new();
    match &arguments.ledger {
        None => import_files((arguments, &known), (&mut target, &mut None), &bar, &mut reports)?,
        Some(path) => output::write(Some(path), arguments.force, |ledger| {
            import_files((arguments, &known), (&mut target, &mut Some(ledger)), &bar, &mut reports)
        })?,
    }
    drop(bar);
    check_any_imported(&reports)?;
    let (totals, journal) = target.finish()?;
    let mut told = import_report((arguments, place), &reports, (totals, kept), begin.elapsed().as_secs_f64());
    if arguments.append {
        told.collections = update_collections(place);
    }
    output::report(arguments.format, &told, |out| write_text(out, &told))?;
    journal.map_or(Ok(()), ImportJournal::remove)?;
    match told.refused {
        0 => Ok(()),
        refused => Err(CliFailure::Refused { refused, read: told.games_read }),
    }
}

/// The corpus to write: that of -o, or one beside the only file.
fn place(arguments: &Arguments) -> Result<PathBuf> {
    match (&arguments.output, &arguments.files[..]) {
        (Some(output), _) => Ok(output.clone()),
        (None, [file]) if !is_standard_input(file) => Ok(corpus_beside(file)),
        _ => Err(CliFailure::Usage("say where the corpus goes: -o OUT.plyfold".into())),
    }
}

/// Where the games go.
enum ImportTarget {
    Corpus(AppendableCorpus),
    Library(Box<SplitCorpora>),
}

impl ImportTarget {
    fn begin(arguments: &Arguments, output: &Path) -> Result<ImportTarget> {
        let Arguments { files, append, force, .. } = arguments;
        if let Some(games_per_corpus) = arguments.split {
            let inputs = files.iter().map(|file| file.display().to_string()).collect();
            let request =
                SplitRequest { inputs, games_per_corpus, keeps_texts: !arguments.no_text, is_strict: arguments.strict };
            let library = SplitCorpora::begin(SplitNames::of(output), request, *force)?;
            return Ok(ImportTarget::Library(Box::new(library)));
        }
        let corpus = match *append && output.exists() {
            true => AppendableCorpus::append(output)?,
            false => AppendableCorpus::new(output, *force && !append)?,
        };
        Ok(ImportTarget::Corpus(corpus))
    }

    /// Returns the totals of what an earlier run has written.
    fn kept(&self) -> CorpusTotals {
        match self {
            ImportTarget::Corpus(_) => CorpusTotals::default(),
            ImportTarget::Library(library) => library.kept(),
        }
    }

    /// Returns where to begin with an input, and whether an earlier run has read it whole.
    fn begin_of(&self, input: usize) -> (ImportProgress, bool) {
        match self {
            ImportTarget::Corpus(_) => (ImportProgress::default(), false),
            ImportTarget::Library(library) => library.begin_of(input),
        }
    }

    fn push(&mut self, shard: &[u8], before: &ImportProgress) -> Result<()> {
        match self {
            ImportTarget::Corpus(corpus) => corpus.push(shard),
            ImportTarget::Library(library) => library.push(shard, before),
        }
    }

    fn end_input(&mut self, state: &ImportProgress) -> Result<()> {
        match self {
            ImportTarget::Corpus(_) => Ok(()),
            ImportTarget::Library(library) => library.end_input(state),
        }
    }

    fn finish(self) -> Result<(CorpusTotals, Option<ImportJournal>)> {
        match self {
            ImportTarget::Corpus(corpus) => {
                let CorpusFileHeader { games, plies, length: bytes, .. } = corpus.finish()?;
                Ok((CorpusTotals { corpora: 1, games, plies, bytes }, None))
            }
            ImportTarget::Library(library) => library.finish().map(|(totals, journal)| (totals, Some(journal))),
        }
    }
}

/// The games of the corpus to which others are appended.
fn known_games(place: &Path) -> Result<KnownGames> {
    if !place.exists() {
        return Ok(KnownGames::default());
    }
    let opened = MappedCorpus::open_one(place)?;
    let corpus = opened.corpus(CorpusCheck::WithoutTexts)?;
    Ok(KnownGames::new(corpus.shards().flat_map(|shard| shard.identities().collect::<Vec<_>>()).collect()))
}

/// Scans the new games for the collections of the corpus. If one fails, a note says so; the other collections and the
/// import go on.
fn update_collections(place: &Path) -> Vec<CollectionUpdate> {
    // If the note cannot be written, the next command that uses the collection reports the error.
    let trouble = |failure: CliFailure| write_note(&failure.to_string());
    let update = || -> Result<Vec<CollectionUpdate>> {
        let names = collections::collection_names(place)?;
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let opened = MappedCorpus::open_one(place)?;
        let corpus = opened.corpus(CorpusCheck::WithoutTexts)?;
        let sets = CurrentSets::new(place, &corpus);
        let each = names.iter().filter_map(|name| match sets.update(name, false) {
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

/// Checks that standard input is named only once, because it can be read only once.
fn check_inputs_differ(files: &[PathBuf]) -> Result<()> {
    match files.iter().filter(|file| is_standard_input(file)).count() {
        0 | 1 => Ok(()),
        _ => Err(CliFailure::Usage("standard input (-) can be read only once".into())),
    }
}

/// The files that the command reads and writes.
fn outputs(arguments: &Arguments, output: &Path) -> OutputPlan {
    let Arguments { files, append, force, ledger, split, .. } = arguments;
    let mut outputs = OutputPlan::new();
    for file in files.iter().filter(|file| !is_standard_input(file)) {
        outputs.reads("the input", file);
    }
    if split.is_some() {
        // Whether these may be replaced is decided when the journal of the import has been read.
        let names = SplitNames::of(output);
        outputs.writes("the journal of --split", names.journal(), OverwriteRule::Update);
        for corpus in names.existing() {
            outputs.writes("--split", corpus, OverwriteRule::Update);
        }
    } else {
        outputs.writes("-o", output, if *append { OverwriteRule::Update } else { OverwriteRule::from_force(*force) });
    }
    if let Some(ledger) = ledger {
        outputs.streams("--ledger", ledger, OverwriteRule::from_force(*force));
    }
    if *append {
        // Collections are updated after the import. If they cannot be listed, the error appears then.
        for name in collections::collection_names(output).unwrap_or_default() {
            set_expression::declare_inputs(&mut outputs, output, &format!("@{name}"));
        }
    }
    outputs
}

fn is_standard_input(file: &Path) -> bool {
    file == Path::new("-")
}

fn display_path(file: &Path) -> PathBuf {
    if is_standard_input(file) { "standard input".into() } else { file.into() }
}

/// The name of each file, and the report of its import.
type FileReports = Vec<(String, PgnImportReport)>;

/// Where games go, and what is told of them.
type Targets<'t, 'l> = (&'t mut ImportTarget, &'t mut Option<&'l mut dyn Write>);

fn import_files(
    (arguments, known): (&Arguments, &Arc<KnownGames>),
    (target, ledger): Targets<'_, '_>,
    bar: &ImportBar,
    reports: &mut FileReports,
) -> Result<()> {
    for (nth, file) in arguments.files.iter().enumerate() {
        let report = import_file((nth, file), (arguments, known), (target, ledger), bar)?;
        if report.games() == 0 {
            return Err(CliFailure::unsuitable(display_path(file), "has no games: is it a PGN file?"));
        }
        reports.push((display_path(file).display().to_string(), report));
    }
    Ok(())
}

fn import_file(
    (index, file): (usize, &Path),
    (arguments, known): (&Arguments, &Arc<KnownGames>),
    (target, ledger): Targets<'_, '_>,
    bar: &ImportBar,
) -> Result<PgnImportReport> {
    let (begin, is_read) = target.begin_of(index);
    if is_read {
        let ImportProgress { bytes, games: imported, in_part, refused: rejected, plies, .. } = begin;
        return Ok(PgnImportReport { imported, in_part, rejected, plies, bytes, ..PgnImportReport::default() });
    }
    let failed = |error: InputError| match error {
        // An error of our own sink comes back unchanged.
        InputError::Store(error) => match error.downcast::<CliFailure>() {
            Ok(failure) => *failure,
            Err(error) => CliFailure::Other(error.to_string()),
        },
        error => CliFailure::unsuitable(display_path(file), error.to_string()),
    };
    let source = match is_standard_input(file) {
        true => PgnSource::new(std::io::stdin(), None).map(|source| source.with_name("-")),
        false => PgnSource::open(file),
    };
    let mut source = source.map_err(failed)?;
    let before = bar.state();
    let stored = Cell::new(begin);
    let (name, mut unwritten) = (display_path(file).display().to_string(), Ok(()));
    let threads = arguments.threads.unwrap_or(0);
    let report = import::import_games_beside(
        known,
        &mut source,
        &ImportOptions {
            threads,
            keeps_texts: !arguments.no_text,
            is_strict: arguments.strict,
            skips_known: arguments.skip_known,
            openings: Some(Arc::clone(&OPENING_TABLE)),
            begin,
            ..ImportOptions::default()
        },
        &mut |progress, report| {
            stored.set(*progress);
            bar.draw(before, progress);
            write_ledger(ledger, (&name, report), &mut unwritten)
        },
        &mut |shard| {
            let pushed = target.push(&shard, &stored.get());
            pushed.map_err(|failure| Box::new(failure) as Box<dyn Error + Send + Sync>)
        },
    );
    unwritten?;
    let report = report.map_err(failed)?;
    target.end_input(&stored.get())?;
    Ok(report)
}

/// Adds a report to the ledger. The result is whether the import goes on; if not, `unwritten` says why.
fn write_ledger(
    ledger: &mut Option<&mut dyn Write>,
    (file, report): (&str, &PgnImportReport),
    unwritten: &mut Result<()>,
) -> bool {
    if let Some(out) = ledger {
        let mut entries = LedgerEntry::all(file, report);
        *unwritten = entries.try_for_each(|entry| output::json(&mut **out, &entry)).map_err(Into::into);
    }
    unwritten.is_ok()
}

/// Refuses to write a corpus without games, and reports why there are none.
fn check_any_imported(reports: &[(String, PgnImportReport)]) -> Result<()> {
    if reports.iter().any(|(_, report)| report.imported + report.left_out > 0) {
        return Ok(());
    }
    let refused: u64 = reports.iter().map(|(_, report)| report.rejected).sum();
    let first = reports.iter().flat_map(|(file, report)| report.rejections.iter().map(move |refusal| (file, refusal)));
    let first = first.map(|(file, refusal)| format!("{}: {refusal}", PrintablePath(Path::new(file)))).next();
    let first = first.unwrap_or_default();
    let count = if refused == 1 { String::new() } else { format!(" (the first of {})", grouped(refused)) };
    Err(CliFailure::Other(format!("no game could be imported: {first}{count}")))
}

fn import_report<'a>(
    (arguments, place): (&Arguments, &Path),
    reports: &'a [(String, PgnImportReport)],
    (totals, kept): (CorpusTotals, CorpusTotals),
    seconds: f64,
) -> ImportReport<'a> {
    let files = reports.iter().map(|(file, report)| FileReport {
        file,
        games_read: report.games(),
        imported: report.imported,
        in_part: report.in_part,
        refused: report.rejected,
        plies: report.plies,
        bytes: report.bytes,
    });
    let files: Vec<FileReport<'_>> = files.collect();
    let sum = |part: fn(&FileReport<'_>) -> u64| files.iter().map(part).sum::<u64>();
    let rate = |count: u64| (count as f64 / seconds.max(1e-9)).round() as u64;
    ImportReport {
        output: place.display().to_string(),
        games_read: sum(|file| file.games_read),
        imported: sum(|file| file.imported),
        in_part: sum(|file| file.in_part),
        refused: sum(|file| file.refused),
        known: arguments.append.then(|| reports.iter().map(|(_, report)| report.known).sum()),
        left_out: arguments.append.then(|| reports.iter().map(|(_, report)| report.left_out).sum()),
        plies: sum(|file| file.plies),
        bytes: sum(|file| file.bytes),
        seconds: (seconds * 1e3).round() / 1e3,
        games_per_second: rate(sum(|file| file.imported) - kept.games),
        plies_per_second: rate(sum(|file| file.plies) - kept.plies),
        bytes_per_second: rate(sum(|file| file.bytes)),
        corpus_games: totals.games,
        corpus_plies: totals.plies,
        corpus_bytes: totals.bytes,
        corpora: arguments.split.map(|_| totals.corpora),
        kept_corpora: arguments.split.map(|_| kept.corpora),
        kept_games: arguments.split.map(|_| kept.games),
        collections: Vec::new(),
        account: ImportAccount::new(reports),
        files,
    }
}

fn write_text(out: &mut dyn Write, report: &ImportReport<'_>) -> Result<()> {
    // They go to standard error. If they cannot be written there, the report still counts them.
    let _ = report.account.write_refusals(&mut std::io::stderr().lock(), report.refused + report.in_part);
    let line = |name: &str, count: u64, rate: String| format!("  {name:<9} {:>13}  {rate}", grouped(count));
    writeln!(out, "{}", PrintablePath(Path::new(&report.output)))?;
    writeln!(out, "{}", line("read", report.games_read, String::new()).trim_end())?;
    let rate = format!("{} games a second", grouped(report.games_per_second));
    writeln!(out, "{}", line("imported", report.imported, rate))?;
    writeln!(out, "{}", line("in part", report.in_part, String::new()).trim_end())?;
    writeln!(out, "{}", line("refused", report.refused, String::new()).trim_end())?;
    writeln!(out, "{}", line("plies", report.plies, format!("{} a second", grouped(report.plies_per_second))))?;
    writeln!(out, "{}", line("bytes", report.bytes, format!("{} a second", format_bytes(report.bytes_per_second))))?;
    writeln!(out, "  {:<9} {:>13}", "seconds", report.seconds)?;
    let (games, plies, size) =
        (grouped(report.corpus_games), grouped(report.corpus_plies), format_bytes(report.corpus_bytes));
    match report.corpora {
        None => writeln!(out, "The corpus has {games} games, {plies} plies, {size}.")?,
        Some(corpora) => {
            let corpora = if corpora == 1 { "1 corpus".to_owned() } else { format!("{corpora} corpora") };
            writeln!(out, "The library has {games} games, {plies} plies, {size} in {corpora}.")?;
        }
    }
    if let (Some(kept), Some(games)) = (report.kept_corpora.filter(|&kept| kept > 0), report.kept_games) {
        let kept = if kept == 1 { "1 corpus".to_owned() } else { format!("{kept} corpora") };
        writeln!(out, "An earlier run had written {kept} with {} games of it, which were kept.", grouped(games))?;
    }
    match (report.known.unwrap_or(0), report.left_out.unwrap_or(0)) {
        (0, _) => {}
        (known, 0) => writeln!(
            out,
            "The corpus had {} of these games already; --skip-known leaves such games out.",
            grouped(known)
        )?,
        (_, left_out) => {
            writeln!(out, "The corpus had {} more of these games already; they were left out.", grouped(left_out))?
        }
    }
    report.account.write_notes(out)?;
    for CollectionUpdate { name, games, new, .. } in &report.collections {
        writeln!(out, "The collection {name} has {} games, {} of them new.", grouped(*games), grouped(*new))?;
    }
    Ok(())
}
