//! `plyfold compact`: writes a corpus or library as one corpus with whole shards.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader};
use plyfold_files::{OutputPlan, OverwriteRule, PrintablePath};
use plyfold_terminal::output;
use plyfold_terminal::table::{format_bytes, grouped};
use serde::Serialize;

use super::RunArguments;
use crate::aliases::AliasArgument;
use crate::appendable_corpus::AppendableCorpus;
use crate::failure::{CliFailure, Result};
use crate::game_order::{self, GameOrder};
use crate::game_rewriter::GameRewriter;
use crate::mapped_corpus::{self, LibraryArgument};
use crate::pending_edits::{edits_by_game, edits_path};
use crate::progress::ScanProgress;
use crate::shard_copies;

/// Write a corpus or library anew as one corpus with whole shards.
///
/// A corpus that grew by many small imports has many small shards, which take more room and more time. The new corpus has the same
/// games with their texts, in the same order unless --order says otherwise, with the edits that `plyfold edit --later` has kept. Named sets
/// and indices belong to the old one.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    library: LibraryArgument,
    /// The corpus to write.
    #[arg(long, short, value_name = "NEW.plyfold")]
    output: PathBuf,
    /// Order of the games; of several, those that are equal in the first are in the order of the next. Games that are equal in all of
    /// them keep their order.
    #[arg(long, value_name = "ORDERS", value_enum, value_delimiter = ',', default_value = "kept")]
    order: Vec<GameOrder>,
    #[command(flatten)]
    aliases: AliasArgument,
    /// Replace an existing file.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    run: RunArguments,
}

/// The result of the command, and the object in JSON.
#[derive(Serialize)]
struct CompactReport {
    output: String,
    games: u64,
    plies: u64,
    /// Games that edits delete.
    deleted: u64,
    /// Games that are other than before, by edits or aliases.
    changed: u64,
    shards_before: u32,
    shards: u32,
    bytes_before: u64,
    bytes: u64,
    seconds: f64,
}

/// Runs the command.
///
/// # Errors
///
/// The corpus cannot be read, or the new one cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut outputs = OutputPlan::new();
    mapped_corpus::declare_inputs(&mut outputs, &arguments.library.path);
    arguments.aliases.declare_inputs(&mut outputs);
    outputs.reads_own("the edits", edits_path(&arguments.library.path));
    outputs.writes("-o", &arguments.output, OverwriteRule::from_force(arguments.force));
    outputs.check()?;
    let report = super::with_threads(arguments.run.threads, || compact(arguments))?;
    output::report(arguments.run.format, &report, |out| write_text(out, &report))
}

fn compact(arguments: &Arguments) -> Result<CompactReport> {
    let begin = Instant::now();
    let opened = arguments.library.open()?;
    let corpus = arguments.library.corpus_without_edits(&opened, CorpusCheck::WithoutTexts)?;
    if corpus.header.games == 0 {
        return Err(CliFailure::unsuitable(&arguments.library.path, "has no games"));
    }
    let edits = edits_by_game(&arguments.library.path, &corpus)?;
    if edits.deleted().count() == corpus.header.games {
        return Err(CliFailure::Other("no game would be left: the edits delete them all".into()));
    }
    let mut output = AppendableCorpus::new(&arguments.output, arguments.force)?;
    let bar = ScanProgress::for_games(corpus.header.games);
    let source = (&corpus, &*arguments.library.path);
    let rewriter = GameRewriter::default().with_aliases(arguments.aliases.read()?).with_edits(edits);
    let mut games = game_order::ordered_games(&corpus, &arguments.order);
    games.retain(|game| rewriter.keeps(*game));
    let games = games.into_iter();
    let edited = match rewriter.is_idle() {
        true => shard_copies::copy_into(&mut output, source, games, &bar).map(|()| 0)?,
        false => shard_copies::copy_changed(&mut output, source, games, &bar, &|id, text| {
            rewriter.changed_game(&corpus, id, text)
        })?,
    };
    let CorpusFileHeader { games, plies, shards, length: bytes, .. } = output.finish()?;
    Ok(CompactReport {
        output: arguments.output.display().to_string(),
        games,
        plies,
        deleted: corpus.header.games - games,
        changed: edited,
        shards_before: corpus.header.shards,
        shards,
        bytes_before: corpus.header.length,
        bytes,
        seconds: (begin.elapsed().as_secs_f64() * 1e3).round() / 1e3,
    })
}

fn write_text(out: &mut dyn Write, report: &CompactReport) -> Result<()> {
    let CompactReport { output, games, plies, deleted, changed, shards_before, shards, bytes_before, bytes, seconds } =
        report;
    writeln!(out, "{}", PrintablePath(Path::new(output)))?;
    writeln!(out, "  {:<9} {:>13}", "games", grouped(*games))?;
    writeln!(out, "  {:<9} {:>13}", "plies", grouped(*plies))?;
    for (name, number) in [("deleted", *deleted), ("changed", *changed)].into_iter().filter(|(_, number)| *number > 0) {
        writeln!(out, "  {name:<9} {:>13}", grouped(number))?;
    }
    let before = grouped(u64::from(*shards_before));
    writeln!(out, "  {:<9} {:>13}  {before} before", "shards", grouped(u64::from(*shards)))?;
    writeln!(out, "  {:<9} {:>13}  {} before", "size", format_bytes(*bytes), format_bytes(*bytes_before))?;
    writeln!(out, "  {:<9} {:>13}", "seconds", seconds)?;
    Ok(())
}
