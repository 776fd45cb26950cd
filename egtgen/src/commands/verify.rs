//! `egtgen verify`: derives the value of every position from the positions after it, and compares.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use egtgen::folder::TableFolder;
use egtgen::packed_folder::packed_path;
use egtgen::packing::PackingContext;
use egtgen::prober::open_generated;
use egtgen::verify::{Miscount, Verification, VerificationExtent, VerificationProgress, VerificationReport};
use plyfold_tables::index::TableIndex;
use plyfold_tables::material::TableMaterial;
use plyfold_terminal::progress;
use plyfold_terminal::table::{format_duration, grouped, rounded};
use plyfold_terminal::threads::{parse_threads, thread_pool};
use plyfold_terminal::{ReportFormat, interrupt, output};
use serde::Serialize;

use crate::cli::failure::{EgtgenFailure, Result};
use crate::cli::generation_arguments::{self, WinnerArgument, default_threads};
use crate::cli::table_folder::TableFolderArgument;
use crate::commands::pack;

/// Tables of at most this many addresses are verified completely by default.
const MAX_PLACES_VERIFIED_WHOLE: u64 = 20_000_000;

/// About how many addresses of a larger table are checked by default.
const SAMPLED_PLACES: f64 = 2e6;

/// The largest sample: each position takes some 40 bytes of memory at once.
const MAX_SAMPLE: u64 = 10_000_000;

/// Derive the values of positions again from the rules of chess, and compare them with the tables.
///
/// Verification shares no code with generation. It checks small tables completely and a random fraction of larger ones;
/// --fraction sets the fraction, and --sample the number of positions.
#[derive(clap::Args)]
pub struct Arguments {
    /// The material, such as KBNvK; its tables for both winners are verified, or for the one of --winner.
    material: String,
    #[command(flatten)]
    winner: WinnerArgument,
    #[command(flatten)]
    folder: TableFolderArgument,
    /// Compare packed tables with the generated ones of this folder, position by position, instead.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["fraction", "sample", "seed"])]
    against: Option<PathBuf>,
    /// The fraction of positions to verify, above 0 and up to 1.
    #[arg(long, value_parser = parse_fraction)]
    fraction: Option<f64>,
    /// Verify this number of positions, drawn at random. It takes little memory, however large the tables are.
    #[arg(long, value_name = "POSITIONS", conflicts_with = "fraction", value_parser = clap::value_parser!(u64).range(1..=MAX_SAMPLE))]
    sample: Option<u64>,
    /// The seed of the random choice: the same seed chooses the same positions.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of threads [default: one per core].
    #[arg(long, value_parser = parse_threads)]
    threads: Option<usize>,
    /// Format of the report.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// Reads a fraction.
fn parse_fraction(text: &str) -> std::result::Result<f64, String> {
    match text.parse::<f64>() {
        Ok(fraction) if fraction > 0.0 && fraction <= 1.0 => Ok(fraction),
        _ => Err("expected a number above 0 and up to 1, such as 0.01".to_owned()),
    }
}

/// Runs the command.
///
/// # Errors
///
/// The name is not a material, a table is missing or damaged, the user interrupts, or there are differences.
pub fn run(arguments: &Arguments) -> Result<()> {
    let material = generation_arguments::parse_material(&arguments.material)?;
    if let Some(generated) = &arguments.against {
        return verify_against(arguments, material, generated);
    }
    let tables = arguments.folder.open()?;
    let winners = arguments.winner.tables(material)?;
    let pool = thread_pool::<EgtgenFailure>(Some(arguments.threads.unwrap_or_else(default_threads)))?;
    let bar = progress::bar(0, "{bar:30} {percent} %  {msg}  {elapsed}, {eta} left");
    let watch = |progress: VerificationProgress| {
        bar.set_length(progress.total);
        bar.set_position(progress.done);
        bar.set_message(format!("{} positions, {} differences", grouped(progress.checked), progress.differences));
    };
    let report = pool.install(|| {
        let verification = Verification::open(&tables, &winners, interrupt::stop_flag(), &watch)?;
        match arguments.sample {
            Some(positions) => verification.run_sample(positions, arguments.seed),
            None => {
                let fraction = arguments.fraction.unwrap_or_else(|| default_fraction(&winners));
                verification.run(VerificationExtent { fraction, seed: arguments.seed })
            }
        }
    });
    bar.finish_and_clear();
    let report = report.map_err(|error| arguments.folder.failure(error))?;
    output::report(arguments.format, &report, |out| write_text(out, &report))?;
    match (report.is_stopped, report.is_sound()) {
        (true, _) => Err(EgtgenFailure::Interrupted("only a part was verified".to_owned())),
        (false, true) => Ok(()),
        (false, false) if report.differences > 0 => {
            let what = format!("{} differences were found: generate the tables again", report.differences);
            Err(EgtgenFailure::Other(what))
        }
        (false, false) => {
            let number = report.miscounts.len();
            let wrong = if number == 1 { "1 count is wrong".to_owned() } else { format!("{number} counts are wrong") };
            let tables: BTreeSet<&str> = report.miscounts.iter().map(|miscount| &*miscount.table).collect();
            let tables = tables.into_iter().collect::<Vec<_>>().join(" and ");
            Err(EgtgenFailure::Other(format!("{wrong}: generate {tables} again")))
        }
    }
}

/// A packed table and the generated one agree, and the JSON object.
#[derive(Serialize)]
struct PackedAgreement {
    table: String,
    /// Places that were compared.
    compared: u64,
}

/// Compares the packed tables of a material with the generated ones.
fn verify_against(arguments: &Arguments, material: TableMaterial, generated: &Path) -> Result<()> {
    let folder = arguments.folder.path()?;
    let source = open_generated(TableFolder::new(generated));
    let context = PackingContext { source: &*source, stop: interrupt::stop_flag(), on_progress: &|_| () };
    let mut agreements = Vec::new();
    for table in arguments.winner.tables(material)? {
        let compared = pack::compare(&context, &packed_path(folder, table), table)
            .map_err(|error| arguments.folder.failure(error))?;
        agreements.push(PackedAgreement { table: table.to_string(), compared });
    }
    output::report_rows(arguments.format, &agreements, |out| {
        agreements.iter().try_for_each(|PackedAgreement { table, compared }| {
            Ok(writeln!(out, "{table}: {} places are the same packed and generated", grouped(*compared))?)
        })
    })
}

/// All of a small table, about two million addresses of a larger one.
fn default_fraction(winners: &[TableMaterial]) -> f64 {
    let places = winners.iter().map(|table| {
        let index = TableIndex::new(*table);
        (index.pawn_slices().len() * index.pawn_slice_words()) as u64 * 128
    });
    let most = places.max().unwrap_or(0);
    if most <= 2 * MAX_PLACES_VERIFIED_WHOLE {
        return 1.0;
    }
    // Two digits, so that the user can type it again.
    let fraction = SAMPLED_PLACES / most as f64;
    format!("{fraction:.1e}").parse().unwrap_or(fraction)
}

fn write_text(out: &mut dyn Write, report: &VerificationReport) -> Result<()> {
    let extent = match report.sample {
        Some(positions) => format!("{} random positions, seed {}", grouped(positions), report.seed),
        None if report.fraction >= 1.0 => "every position".to_owned(),
        None => format!("a random fraction of {}, seed {}", report.fraction, report.seed),
    };
    writeln!(out, "{} ({}): {extent}", report.material, report.tables.join(" and "))?;
    let share = report.covered as f64 * 100.0 / report.legal.max(1) as f64;
    writeln!(
        out,
        "  {} positions derived again, which represent {} of {} on the board ({share:.3} %)",
        grouped(report.checked),
        grouped(report.covered),
        grouped(report.legal)
    )?;
    let time = format_duration(Duration::from_secs_f64(report.seconds));
    writeln!(out, "  {time}, {} positions/s", rounded(report.speed()))?;
    for Miscount { table, what, stored, counted } in &report.miscounts {
        writeln!(out, "  {table}: {what}: the table says {}, but there are {}", grouped(*stored), grouped(*counted))?;
    }
    if report.differences == 0 {
        writeln!(out, "  no differences")?;
        return Ok(());
    }
    writeln!(out, "  {} differences; the first:", grouped(report.differences))?;
    for difference in &report.first {
        let said = |moves: Option<u16>| moves.map_or("no win".to_owned(), |moves| format!("mate in {moves}"));
        let (stored, derived) = (said(difference.stored), said(difference.derived));
        writeln!(out, "  {}  {}: stored {stored}, derived {derived}", difference.table, difference.fen)?;
    }
    Ok(())
}
