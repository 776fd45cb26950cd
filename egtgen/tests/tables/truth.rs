//! Compares all 35 materials of 3 and 4 men with the results of an independent solver: every count, every distance, every
//! longest mate and every sample. These results are in a folder beside the project. Without them, only published longest
//! mates are compared.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::sync::OnceLock;

use egtgen::folder::TableFolder;
use egtgen::prober::{CachedTables, DEFAULT_CACHE_BYTES};
use egtgen::stats::{MateOutcome, SideStats, stats};
use plyfold_tables::material::TableMaterial;
use plyfold_tables::probe::{ProbeValue, Prober};
use plyfold_tables::successors::TablePosition;
use tempfile::TempDir;

use crate::common::{PLENTY, made, request, table};

/// The lines of a reference file, split into columns, without the header line.
fn rows(file: &str) -> Option<Vec<Vec<String>>> {
    let path = format!("{}/../../shared/data/egt/{file}", env!("CARGO_MANIFEST_DIR"));
    let Ok(text) = fs::read_to_string(&path) else {
        // The test harness captures `println!` of tests that pass, and this line must be seen.
        let line = format!(
            "\nSKIPPED: shared/data/egt/{file} is not beside the project; published mates are compared alone\n"
        );
        std::io::stderr().write_all(line.as_bytes()).ok();
        return None;
    };
    Some(text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}

/// All tables of 3 and 4 men, generated once.
fn tables() -> &'static CachedTables {
    static MADE: OnceLock<(TempDir, CachedTables)> = OnceLock::new();
    let (_, tables) = MADE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let both = |material: TableMaterial| [material.to_string(), material.swapped().to_string()];
        let names: Vec<String> = [3, 4].into_iter().flat_map(TableMaterial::all_with_men).flat_map(both).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        made(&request(folder.path(), &names, PLENTY, 2));
        let tables = CachedTables::open(TableFolder::new(folder.path()), DEFAULT_CACHE_BYTES);
        (folder, tables)
    });
    tables
}

/// The longest mates of a side with the first material against the second, in moves of that side. Many sources since Thompson
/// (1986) and Nalimov (2000) have published them.
const PUBLISHED_MATES: [(&str, u32); 9] = [
    ("KQvK", 10),
    ("KRvK", 16),
    ("KPvK", 28),
    ("KBBvK", 19),
    ("KBNvK", 33),
    ("KQvKB", 17),
    ("KQvKN", 21),
    ("KQvKR", 35),
    ("KRvKN", 40),
];

#[test]
fn longest_mates_are_those_published() {
    let folder = tempfile::tempdir().expect("a folder");
    // Counting a material takes the tables of both winners.
    let both = |(name, _): (&str, u32)| [name.to_owned(), material(name).swapped().to_string()];
    let names = PUBLISHED_MATES.map(both);
    let names: Vec<&str> = names.as_flattened().iter().map(String::as_str).collect();
    made(&request(folder.path(), &names, PLENTY, 2));
    let tables = CachedTables::open(TableFolder::new(folder.path()), DEFAULT_CACHE_BYTES);
    for (name, moves) in PUBLISHED_MATES {
        let stats = stats(&tables, material(name), 0).expect("tables that were made");
        // A mate in n moves takes n plies of the winner and n - 1 of the loser.
        assert_eq!(stats.sides[0].max_win_plies, Some(2 * moves - 1), "{name}");
    }
}

/// The same of five men.
const PUBLISHED_MATES_OF_FIVE: [(&str, u16); 6] =
    [("KBBvKN", 78), ("KRBvKR", 65), ("KQRvKQ", 67), ("KRPvKR", 74), ("KNNvKP", 115), ("KQPvKQ", 124)];

/// Makes the table of each winner with what it needs, and compares its longest win.
fn longest_wins_are(published: &[(&str, u16)]) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, moves) in published {
        made(&request(folder.path(), &[name], PLENTY, 2));
        let table = TableFolder::new(folder.path()).open(name).expect("a table").expect("it was made");
        let won = table.table().counts().levels.iter().filter(|level| level.won > 0);
        assert_eq!(won.map(|level| level.n).max(), Some(*moves), "{name}");
    }
}

#[test]
fn two_bishops_take_as_long_as_published() {
    longest_wins_are(&PUBLISHED_MATES_OF_FIVE[..1]);
}

#[test]
#[ignore = "slow"]
fn longest_mates_of_five_men_are_those_published() {
    longest_wins_are(&PUBLISHED_MATES_OF_FIVE);
}

fn material(name: &str) -> TableMaterial {
    table(name)
}

#[test]
fn counts_and_longest_mates_are_those_of_the_truth() {
    let Some(truth) = rows("truth.tsv") else { return };
    let all: Vec<TableMaterial> = [3, 4].into_iter().flat_map(TableMaterial::all_with_men).collect();
    assert_eq!((all.len(), truth.len()), (35, 70), "a row for each side to move");
    for name in all.iter().map(TableMaterial::to_string) {
        let stats = stats(tables(), material(&name), 0).expect("tables that were made");
        for side in &stats.sides {
            let known = truth.iter().find(|row| row[0] == name && row[1] == side.stm.to_string());
            let known = &known.expect("a row for each material and side")[2..8];
            let plies = |plies: Option<u32>| plies.map_or("-1".into(), |plies| plies.to_string());
            let SideStats { legal, won, drawn, lost, max_win_plies, max_loss_plies, .. } = side;
            let counts = [legal, won, drawn, lost].map(u64::to_string);
            let row = [&counts[..], &[plies(*max_win_plies), plies(*max_loss_plies)]].concat();
            assert_eq!(row, known, "{name} {}: legal, won, drawn, lost, longest win, longest loss", side.stm);
        }
    }
}

#[test]
fn longest_mates_of_the_truth_are_as_long_here() {
    let Some(truth) = rows("truth.tsv") else { return };
    let prober = Prober::new(tables());
    let mut seen = 0;
    for row in &truth {
        for (plies, fen) in [(&row[6], &row[8]), (&row[7], &row[9])] {
            if fen != "-" {
                let position = TablePosition::from_fen(fen).expect("a position of the truth");
                let found = prober.value(&position).expect("tables that were made").plies();
                assert_eq!(found.map(|plies| plies.to_string()).as_ref(), Some(plies), "{fen}");
                seen += 1;
            }
        }
    }
    assert!(seen > 70, "{seen} positions: most sides can win or lose");
}

#[test]
fn histograms_are_those_of_the_truth() {
    let Some(rows) = rows("histogram.tsv") else { return };
    let mut known: BTreeMap<(String, String), Vec<Vec<String>>> = BTreeMap::new();
    for row in rows {
        known.entry((row[0].clone(), row[1].clone())).or_default().push(row[2..].to_vec());
    }
    for name in [3, 4].into_iter().flat_map(TableMaterial::all_with_men).map(|material| material.to_string()) {
        let stats = stats(tables(), material(&name), 0).expect("tables that were made");
        for side in &stats.sides {
            let bins = side.histogram.iter().map(|bin| {
                let result = if bin.result == MateOutcome::Win { "win" } else { "loss" };
                vec![bin.plies.to_string(), result.to_owned(), bin.count.to_string()]
            });
            let mut bins: Vec<Vec<String>> = bins.collect();
            let mut known = known.remove(&(name.clone(), side.stm.to_string())).unwrap_or_default();
            bins.sort();
            known.sort();
            assert_eq!(bins, known, "{name} {}", side.stm);
        }
    }
    assert!(known.is_empty(), "materials that there should be no tables of: {:?}", known.keys());
}

#[test]
fn samples_are_what_the_truth_says() {
    let Some(samples) = rows("samples.tsv") else { return };
    let prober = Prober::new(tables());
    let mut wrong = Vec::new();
    for row in &samples {
        let position = TablePosition::from_fen(&row[1]).expect("a position of the truth");
        assert_eq!(position.material().to_string(), row[0], "{}", row[1]);
        let value = prober.value(&position).expect("tables that were made");
        let result = match value {
            ProbeValue::Win(_) => "win",
            ProbeValue::Draw => "draw",
            ProbeValue::Loss(_) => "loss",
        };
        let plies = value.plies().map_or("-1".into(), |plies| plies.to_string());
        if (result, &plies) != (row[2].as_str(), &row[3]) {
            wrong.push(format!("{} is {} {}, not {result} {plies}", row[1], row[2], row[3]));
        }
    }
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), samples.len(), &wrong[..wrong.len().min(10)]);
    assert_eq!(samples.len(), 3500);
}
