//! `plyfold upgrade`: adds the sections of this version to a corpus of an older version.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::corpus::shard::Shard;
use plyfold_core::pgn::upgrade_shard;
use plyfold_core::scan::fold::ScanObserver;
use plyfold_files::PrintablePath;
use plyfold_terminal::output;
use plyfold_terminal::table::{format_bytes, grouped};
use rayon::prelude::*;
use serde::Serialize;

use super::RunArguments;
use crate::appendable_corpus::AppendableCorpus;
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::MappedCorpus;
use crate::progress;
use crate::query_argument::OPENING_TABLE;
use crate::read_in_passing;

/// Upgrade a corpus of an older version, for faster queries and for queries on evaluations and clocks.
///
/// Adds the material signature and event streams of each game, the header columns, and what the texts of the games say of their
/// plies, rounds, annotators, time controls and titles. Games, their numbers and texts, and sets stay unchanged. The corpus is replaced when the new one is complete, so both need room on the disk for a while.
#[derive(clap::Args)]
pub struct Arguments {
    /// The corpus.
    corpus: PathBuf,
    #[command(flatten)]
    run: RunArguments,
}

/// The result of the command, and the JSON object.
#[derive(Serialize)]
struct UpgradeReport {
    file: String,
    games: u64,
    plies: u64,
    shards: usize,
    /// Shards to which something was added.
    upgraded_shards: usize,
    bytes_before: u64,
    bytes: u64,
    seconds: f64,
}

/// Runs the command.
///
/// # Errors
///
/// The corpus cannot be read, is damaged, or cannot be written; it is then unchanged.
pub fn run(arguments: &Arguments) -> Result<()> {
    let told = super::with_threads(arguments.run.threads, || upgrade(arguments))?;
    output::report(arguments.run.format, &told, |out| write_text(out, &told))
}

fn upgrade(arguments: &Arguments) -> Result<UpgradeReport> {
    let begin = Instant::now();
    if read_in_passing::means_games(&arguments.corpus) {
        let what = "has games as PGN, in which nothing can be upgraded: `plyfold import` makes a corpus of them that has everything";
        return Err(CliFailure::unsuitable(&arguments.corpus, what));
    }
    let opened = MappedCorpus::open_one(&arguments.corpus)?;
    let corpus = opened.corpus(CorpusCheck::WithoutTexts)?;
    let header = corpus.header;
    let mut told = UpgradeReport {
        file: opened.path().display().to_string(),
        games: header.games,
        plies: header.plies,
        shards: corpus.shards().len(),
        upgraded_shards: corpus.shards().filter(|shard| !is_up_to_date(shard)).count(),
        bytes_before: header.length,
        bytes: header.length,
        seconds: 0.0,
    };
    if told.upgraded_shards > 0 {
        let mut anew = AppendableCorpus::rewrite(&arguments.corpus, &header)?;
        copy_shards(arguments, &corpus, &mut anew)?;
        told.bytes = anew.finish()?.length;
    }
    told.seconds = (begin.elapsed().as_secs_f64() * 1e3).round() / 1e3;
    Ok(told)
}

fn is_up_to_date(shard: &Shard<'_>) -> bool {
    shard.is_current() && shard.has_annotations() && shard.header_texts.is_stored() && shard.openings.is_stored()
}

/// All shards, upgraded where they are older. As many shards as there are threads are in memory at a time.
fn copy_shards(arguments: &Arguments, corpus: &JoinedCorpus<'_>, to: &mut AppendableCorpus) -> Result<()> {
    let bar = progress::ScanProgress::for_games(corpus.header.games);
    let shards: Vec<(u64, &[u8])> = corpus.shard_bytes().collect();
    let mut games = corpus.shards().map(|shard| shard.records.len() as u32);
    for shards in shards.chunks(rayon::current_num_threads()) {
        let upgrade = |&(offset, shard): &(u64, &[u8])| {
            upgrade_shard(shard, Some(&OPENING_TABLE)).map_err(|error| error.with_offset_base(offset))
        };
        let made: Vec<Result<Option<Vec<u8>>, CorpusError>> = shards.par_iter().map(upgrade).collect();
        for ((_, shard), made) in shards.iter().zip(made) {
            let made = made.map_err(CliFailure::corpus(&arguments.corpus))?;
            to.push(made.as_deref().unwrap_or(shard))?;
            bar.advance(games.next().unwrap_or_default());
        }
    }
    Ok(())
}

fn write_text(out: &mut dyn Write, report: &UpgradeReport) -> Result<()> {
    let UpgradeReport { file, games, plies, shards, upgraded_shards, bytes_before, bytes: size, seconds } = report;
    let file = PrintablePath(Path::new(file));
    if *upgraded_shards == 0 {
        writeln!(out, "{file} is up to date.")?;
        return Ok(());
    }
    writeln!(out, "{file}")?;
    let of = format!("of {}", grouped(*shards as u64));
    writeln!(out, "  {:<9} {:>13}  {of}", "shards", grouped(*upgraded_shards as u64))?;
    writeln!(out, "  {:<9} {:>13}", "games", grouped(*games))?;
    writeln!(out, "  {:<9} {:>13}", "plies", grouped(*plies))?;
    writeln!(out, "  {:<9} {:>13}  {} before", "size", format_bytes(*size), format_bytes(*bytes_before))?;
    writeln!(out, "  {:<9} {:>13}", "seconds", seconds)?;
    Ok(())
}
