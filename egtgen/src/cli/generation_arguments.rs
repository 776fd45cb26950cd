//! Options for materials, memory and threads.

use std::num::NonZero;
use std::thread::available_parallelism;

use clap::ValueEnum;
use plyfold_tables::material::{MAX_MEN, TableMaterial, closure};
use plyfold_terminal::threads::parse_threads;

use super::failure::{EgtgenFailure, Result};
use super::size;

/// The winners whose tables are meant.
#[derive(clap::Args)]
pub struct WinnerArgument {
    /// Only the tables in which this side wins, and what they need; White is the side named first, or the stronger one with --all
    /// [default: both].
    #[arg(long, value_name = "SIDE", value_enum)]
    winner: Option<WinnerSide>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WinnerSide {
    /// The side named first.
    White,
    /// The side named second.
    Black,
}

impl WinnerArgument {
    /// The tables of a material in which a chosen side wins. In each, the winner is White.
    ///
    /// # Errors
    ///
    /// The side is a lone king.
    pub fn tables(&self, material: TableMaterial) -> Result<Vec<TableMaterial>> {
        let chosen = match self.winner {
            None => return Ok([material, material.swapped()].into_iter().filter(|table| table.can_win()).collect()),
            Some(WinnerSide::White) => material,
            Some(WinnerSide::Black) => material.swapped(),
        };
        if chosen.can_win() {
            return Ok(vec![chosen]);
        }
        let side = if self.winner == Some(WinnerSide::White) { "White" } else { "Black" };
        Err(EgtgenFailure::Usage(format!("--winner: {side} is a lone king in {material} and wins nothing")))
    }
}

/// What to make.
#[derive(clap::Args)]
pub struct MaterialArguments {
    #[command(flatten)]
    materials: MaterialSelection,
    #[command(flatten)]
    winner: WinnerArgument,
    /// Generate only the named materials; the smaller tables that they convert into must exist.
    #[arg(long)]
    pub no_closure: bool,
}

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct MaterialSelection {
    /// The materials, such as KRBvKR; tables are made for both sides as winners, or for the one of --winner.
    #[arg(value_name = "MATERIAL")]
    named: Vec<String>,
    /// Every material of three up to this many men.
    #[arg(long, value_name = "MEN")]
    all: Option<usize>,
}

/// What to make it with.
#[derive(clap::Args)]
pub struct ResourceArguments {
    /// Total memory to use, such as 512MiB or 2GiB [default: half of the machine's memory].
    #[arg(long, value_name = "SIZE", value_parser = size::parse_size)]
    memory: Option<u64>,
    /// Number of threads [default: one per core].
    #[arg(long, value_parser = parse_threads)]
    threads: Option<usize>,
}

impl MaterialArguments {
    /// The tables to generate, each after those that it needs; White is the winner.
    ///
    /// # Errors
    ///
    /// A name is not a material; the message has the nearest one.
    pub fn tables(&self) -> Result<Vec<TableMaterial>> {
        let materials: Vec<TableMaterial> = match self.materials.all {
            Some(most @ 3..=MAX_MEN) => (3..=most).flat_map(TableMaterial::all_with_men).collect(),
            Some(men) => {
                let nearest = men.clamp(3, MAX_MEN);
                return Err(EgtgenFailure::Usage(format!(
                    "--all {men}: tables have 3 to {MAX_MEN} men, kings included; did you mean --all {nearest}?"
                )));
            }
            None => self.materials.named.iter().map(|name| parse_material(name)).collect::<Result<Vec<_>>>()?,
        };
        let of_one = self.materials.all.is_some() && self.winner.winner == Some(WinnerSide::Black);
        let mut winners = Vec::new();
        // With --all, the weaker side of some materials is a lone king.
        for material in materials.into_iter().filter(|material| !of_one || material.swapped().can_win()) {
            winners.extend(self.winner.tables(material)?);
        }
        if winners.is_empty() {
            let what = "--winner black: in all these materials Black is a lone king and wins nothing";
            return Err(EgtgenFailure::Usage(what.to_owned()));
        }
        let mut tables = closure(&winners);
        if self.no_closure {
            tables.retain(|table| winners.contains(table));
        }
        Ok(tables)
    }
}

impl ResourceArguments {
    /// Memory in bytes.
    pub fn memory(&self) -> u64 {
        self.memory.unwrap_or_else(size::half_of_memory)
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or_else(default_threads)
    }
}

/// The number of threads that the machine runs at once.
pub fn default_threads() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

/// Reads the name of a material.
///
/// # Errors
///
/// The name is not a material; the message has the nearest one.
pub fn parse_material(name: &str) -> Result<TableMaterial> {
    TableMaterial::parse(name).map_err(|error| EgtgenFailure::Usage(error.to_string()))
}
