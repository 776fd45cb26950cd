//! `egtgen stats`: counts, distances, longest positions.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::json;

use super::program::EgtgenSandbox;

const KRVK: &str = "\
material\tstm\tlegal\twon\tdrawn\tlost\tmax_win_plies\tmax_loss_plies\tfen_longest_win\tfen_longest_loss
KRvK\tw\t175168\t175168\t0\t0\t31\t-1\t8/8/8/8/8/2k5/1R6/K7 w - - 0 1\t-
KRvK\tb\t223944\t0\t22244\t201700\t-1\t32\t-\t8/8/8/8/8/8/1Rk5/K7 b - - 0 1
";

#[test]
fn sums_for_spreadsheets() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    assert_eq!(sandbox.run(&["stats", "krk", "--tables", "t", "--format", "tsv"]).succeeded().stdout, KRVK);
    // With the colours swapped, the rows are swapped too.
    let flipped = sandbox.json(&["stats", "KvKR", "--tables", "t"]);
    assert_eq!((&flipped["sides"][1]["won"], &flipped["sides"][0]["lost"]), (&json!(175_168), &json!(201_700)));
}

#[test]
fn counts_for_reading_and_for_programs() {
    let sandbox = EgtgenSandbox::with(&["KQvK"]);
    let stats = sandbox.json(&["stats", "KQvK", "--tables", "t", "--longest", "2"]);
    let [white, black] = [0, 1].map(|side| &stats["sides"][side]);
    assert_eq!(
        (&white["legal"], &white["won"], &white["max_win_plies"]),
        (&json!(144_508), &json!(144_508), &json!(19))
    );
    assert_eq!((&black["legal"], &black["drawn"], &black["lost"]), (&json!(223_944), &json!(23_048), &json!(200_896)));
    assert_eq!(black["longest_losses"].as_array().unwrap().len(), 2);
    let text = sandbox.run(&["stats", "KQvK", "--tables", "t"]).succeeded().stdout;
    for part in ["144,508   223,944", "White to move, longest wins: 10 moves", "Positions by distance"] {
        assert!(text.contains(part), "{text}");
    }
}

/// The rows of some materials in a reference file, without the positions, because many positions are equally long.
fn reference(file: &Path, materials: &[&str]) -> Option<Vec<String>> {
    let text = fs::read_to_string(file).ok()?;
    let rows = text.lines().filter(|line| materials.contains(&line.split('\t').next().unwrap()));
    Some(rows.map(|row| row.split('\t').take(8).collect::<Vec<&str>>().join("\t")).collect())
}

#[test]
fn counts_and_histograms_are_those_of_the_reference() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/egt");
    let materials = ["KRvK", "KPvK", "KQvKR"];
    let (Some(sums), Some(bins)) =
        (reference(&folder.join("truth.tsv"), &materials), reference(&folder.join("histogram.tsv"), &materials))
    else {
        let line =
            format!("\nSKIPPED: {} is not there; tests/tables/truth.rs compares published mates\n", folder.display());
        std::io::stderr().write_all(line.as_bytes()).ok();
        return;
    };
    let sandbox = EgtgenSandbox::with(&materials);
    let mut found: BTreeMap<bool, Vec<String>> = BTreeMap::new();
    for material in materials {
        for is_histogram in [false, true] {
            let more: &[&str] = if is_histogram { &["--histogram"] } else { &[] };
            let ran =
                sandbox.run(&[&["stats", material, "--tables", "t", "--format", "tsv"], more].concat()).succeeded();
            let rows = ran.stdout.lines().skip(1).map(|row| row.split('\t').take(8).collect::<Vec<&str>>().join("\t"));
            found.entry(is_histogram).or_default().extend(rows);
        }
    }
    for (is_histogram, mut expected) in [(false, sums), (true, bins)] {
        let found = found.get_mut(&is_histogram).unwrap();
        expected.sort();
        found.sort();
        assert_eq!(*found, expected);
    }
}

#[test]
fn what_cannot_be_counted() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    sandbox.run(&["stats", "KK", "--tables", "t"]).failed(2, &["has only kings"]);
    sandbox.run(&["stats", "KQvK", "--tables", "t"]).failed(1, &["the table KQvK is missing"]);
    sandbox.run(&["stats", "KRvK"]).failed(2, &["--tables DIR"]);
}
