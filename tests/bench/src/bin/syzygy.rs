//! Compares every position of the tables of three and four men with Syzygy tables, and random ones of five men.
//!
//! `cargo run --release -p plyfold-bench --bin syzygy [--folder DIR] [--tables DIR] [--sample POSITIONS] [--only MATERIAL]
//! [--whole MEN] [--distances]`. With `--whole 5` every position of five men is compared too, which takes an hour. The folder has Syzygy tables; egtgen's own, generated or packed, are those of `--tables`, or are made in a folder
//! for temporary files first. The program prints the number of positions that
//! are equal, and of those whose outcome the fifty-move rule changes. It fails if any other position differs. Random positions are
//! also compared by distance, and with `--distances` all are, which takes ten times as long.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use egtgen::folder::TableFolder;
use egtgen::generation::{GenerationRequest, generate_tables};
use egtgen::syzygy::SyzygyTables;
use egtgen::{CachedTables, Prober, TableMaterial};
use plyfold_tests::syzygy::{Agreement, BothTables, materials_of, total};

/// Materials of so many men are compared as a whole by default, others by a sample.
const MOST_MEN_IN_FULL: usize = 4;

/// Memory for unpacked tiles: those of some pawn slices of both winners.
const CACHE_BYTES: usize = 2 << 30;

fn main() -> ExitCode {
    let (mut folder, mut tables, mut sample, mut only, mut has_distances) = (None, None, 1_000_000, None, false);
    let mut whole = MOST_MEN_IN_FULL;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_else(|| panic!("{argument} needs a value"));
        match argument.as_str() {
            "--folder" => folder = Some(PathBuf::from(value())),
            "--tables" => tables = Some(PathBuf::from(value())),
            "--sample" => sample = value().parse().expect("a number of positions"),
            "--only" => only = Some(TableMaterial::parse(&value()).expect("a material").canonical()),
            "--whole" => whole = value().parse().expect("a number of men"),
            "--distances" => has_distances = true,
            other => {
                panic!("`{other}` is not understood: --folder, --tables, --sample, --only, --whole and --distances are")
            }
        }
    }
    let Some(folder) = folder.or_else(|| plyfold_tests::data::shared("syzygy")) else { return ExitCode::FAILURE };
    let mut materials = materials_of(&folder);
    materials.retain(|material| only.is_none_or(|only| only == *material));
    let made = tempfile::tempdir().expect("a folder for temporary files");
    let own = tables.unwrap_or_else(|| {
        make_tables(&materials, made.path());
        made.path().to_path_buf()
    });

    let mut left_out = Vec::new();
    let syzygy = SyzygyTables::open(&[folder], usize::MAX, &mut left_out);
    left_out.iter().for_each(|error| println!("{error}"));
    let own = Prober::new(CachedTables::open(TableFolder::new(&own), CACHE_BYTES));
    let both = BothTables { own, syzygy };
    let headings = ["compared", "e.p.", "equal", "cursed", "blessed", "unequal", "distances"];
    print_cells("material", &headings.map(str::to_owned));
    let mut rows = Vec::new();
    for material in materials {
        let start = Instant::now();
        let row = match material.men() {
            men if men <= whole => both.compare_all(material, has_distances),
            _ => both.compare_random(material, sample, 7),
        };
        print_row(&material.to_string(), &row);
        eprintln!("{material}: {:.1} s", start.elapsed().as_secs_f64());
        rows.push(row);
    }
    let sum = total(rows);
    print_row("total", &sum);
    ExitCode::from(u8::from(sum.unequal > 0 || sum.compared == 0))
}

/// Makes the tables of these materials and all that they need.
fn make_tables(materials: &[TableMaterial], folder: &Path) {
    let winners: Vec<TableMaterial> = materials.iter().flat_map(|material| [*material, material.swapped()]).collect();
    let request = GenerationRequest::with_closure(&winners, folder).with_memory(2 << 30);
    generate_tables(&request, &|_| {}, &AtomicBool::new(false)).expect("tables");
}

fn print_row(name: &str, row: &Agreement) {
    let Agreement { compared, en_passant, equal, cursed, blessed, unequal, distances } = *row;
    let numbers = [compared, en_passant, equal, cursed, blessed, unequal, distances];
    print_cells(name, &numbers.map(|number| number.to_string()));
}

fn print_cells(name: &str, cells: &[String]) {
    let cells: String = cells.iter().map(|cell| format!(" {cell:>11}")).collect();
    println!("{name:<9}{cells}");
}
