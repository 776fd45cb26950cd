//! `egtgen stats`: counts the won, drawn and lost positions of a material by distance, and shows the longest mates.

use std::io::Write;

use clap::ValueEnum;
use egtgen::stats::{Bin, MateOutcome, SideStats, Stats, stats};
use plyfold_terminal::output;
use plyfold_terminal::table::{TextTable, grouped};

use crate::cli::failure::Result;
use crate::cli::generation_arguments;
use crate::cli::table_folder::TableFolderArgument;

/// How many of the longest mates are shown by default.
const DEFAULT_LONGEST: usize = 3;

/// Count the positions of a material: won, drawn, lost and by distance, with the longest as FEN.
///
/// Positions are counted on all squares of the board, for each side to move; identical pieces in one order; without castling;
/// the fifty-move rule does not exist, en passant does.
#[derive(clap::Args)]
pub struct Arguments {
    /// The material, such as KBNvK; the side named first is White.
    material: String,
    #[command(flatten)]
    folder: TableFolderArgument,
    /// In TSV, write the positions by distance instead of the totals.
    #[arg(long)]
    histogram: bool,
    /// Number of the longest wins and losses to show; TSV shows one.
    #[arg(long, value_name = "NUMBER", default_value_t = DEFAULT_LONGEST)]
    longest: usize,
    /// Format of the output.
    #[arg(long, value_enum, default_value_t = StatsFormat::Text)]
    format: StatsFormat,
}

/// How counts are written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StatsFormat {
    /// For people.
    Text,
    /// For programs: one object.
    Json,
    /// For spreadsheets: a row for each side to move.
    Tsv,
}

/// Runs the command.
///
/// # Errors
///
/// The name is not a material, or a table is missing or damaged.
pub fn run(arguments: &Arguments) -> Result<()> {
    let material = generation_arguments::parse_material(&arguments.material)?;
    let tables = arguments.folder.open()?;
    let longest = if arguments.format == StatsFormat::Tsv { 1 } else { arguments.longest };
    let stats = stats(&tables, material, longest).map_err(|error| arguments.folder.failure(error))?;
    output::print(|out| match arguments.format {
        StatsFormat::Text => write_text(out, &stats),
        StatsFormat::Json => Ok(output::json(out, &stats)?),
        StatsFormat::Tsv if arguments.histogram => write_histogram(out, &stats),
        StatsFormat::Tsv => write_sums(out, &stats),
    })
}

fn write_sums(out: &mut dyn Write, stats: &Stats) -> Result<()> {
    let columns =
        "material\tstm\tlegal\twon\tdrawn\tlost\tmax_win_plies\tmax_loss_plies\tfen_longest_win\tfen_longest_loss";
    writeln!(out, "{columns}")?;
    let plies = |plies: Option<u32>| plies.map_or(-1, i64::from);
    fn fen(fens: &[String]) -> &str {
        fens.first().map_or("-", String::as_str)
    }
    for side in &stats.sides {
        let SideStats { stm, legal, won, drawn, lost, .. } = side;
        let (win, loss) = (plies(side.max_win_plies), plies(side.max_loss_plies));
        let (longest_win, longest_loss) = (fen(&side.longest_wins), fen(&side.longest_losses));
        let material = &stats.material;
        writeln!(
            out,
            "{material}\t{stm}\t{legal}\t{won}\t{drawn}\t{lost}\t{win}\t{loss}\t{longest_win}\t{longest_loss}"
        )?;
    }
    Ok(())
}

fn write_histogram(out: &mut dyn Write, stats: &Stats) -> Result<()> {
    writeln!(out, "material\tstm\tplies\tresult\tcount")?;
    for side in &stats.sides {
        for Bin { plies, result, count } in &side.histogram {
            let result = outcome_name(*result);
            writeln!(out, "{}\t{}\t{plies}\t{result}\t{count}", stats.material, side.stm)?;
        }
    }
    Ok(())
}

fn outcome_name(result: MateOutcome) -> &'static str {
    match result {
        MateOutcome::Win => "win",
        MateOutcome::Loss => "loss",
    }
}

fn write_text(out: &mut dyn Write, stats: &Stats) -> Result<()> {
    writeln!(out, "{}\n", stats.material)?;
    let [white, black] = &stats.sides;
    let mut rows = TextTable::with_headings(&[("side to move", false), ("White", true), ("Black", true)]);
    let mut count = |name: &str, count_of: fn(&SideStats) -> u64| {
        rows.push([name.to_owned(), grouped(count_of(white)), grouped(count_of(black))]);
    };
    count("legal", |side| side.legal);
    count("won", |side| side.won);
    count("drawn", |side| side.drawn);
    count("lost", |side| side.lost);
    let mut longest = |name: &str, plies_of: fn(&SideStats) -> Option<u32>| {
        let plies = |side| plies_of(side).map_or("-".to_owned(), |plies| format!("{plies} plies"));
        rows.push([name.to_owned(), plies(white), plies(black)]);
    };
    longest("longest win", |side| side.max_win_plies);
    longest("longest loss", |side| side.max_loss_plies);
    rows.write(out)?;
    for (side, name) in [(white, "White"), (black, "Black")] {
        for (fens, plies, what) in [
            (&side.longest_wins, side.max_win_plies, "longest wins"),
            (&side.longest_losses, side.max_loss_plies, "longest losses"),
        ] {
            if let Some(plies) = plies.filter(|_| !fens.is_empty()) {
                writeln!(out, "\n{name} to move, {what}: {} moves", plies.div_ceil(2))?;
                fens.iter().try_for_each(|fen| writeln!(out, "  {fen}"))?;
            }
        }
    }
    let headings =
        [("moves", true), ("White wins", true), ("White loses", true), ("Black wins", true), ("Black loses", true)];
    let mut rows = TextTable::with_headings(&headings);
    let most = stats.sides.iter().flat_map(|side| &side.histogram).map(|bin| bin.plies.div_ceil(2)).max();
    for moves in 0..=most.unwrap_or(0) {
        let count = |side: &SideStats, result: MateOutcome| {
            let mut bins = side.histogram.iter();
            let bin = bins.find(|bin| bin.result == result && bin.plies.div_ceil(2) == moves);
            bin.map_or(String::new(), |bin| grouped(bin.count))
        };
        let counts = [white, black].map(|side| [MateOutcome::Win, MateOutcome::Loss].map(|result| count(side, result)));
        let counts = counts.into_iter().flatten();
        if counts.clone().any(|count| !count.is_empty()) {
            rows.push([moves.to_string()].into_iter().chain(counts).collect::<Vec<_>>());
        }
    }
    if most.is_some() {
        writeln!(out, "\nPositions by distance")?;
        rows.write(out)?;
    }
    Ok(())
}
