//! Compares results with known ones: those of python-chess on the demo games, and those on real games if they are beside
//! the project.

use std::path::Path;

use serde_json::{Value, json};

use crate::program::{CliSandbox, reference_data};

#[test]
fn demo_games() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let truth = std::fs::read(project.join("demo/truth.json")).unwrap();
    let truth: Value = serde_json::from_slice(&truth).unwrap();
    let sandbox = CliSandbox::new();
    let games = project.join("demo/demo.pgn.zst");
    let report = sandbox.json(&["import", games.to_str().unwrap(), "-o", "demo.plyfold"]);
    assert_eq!((&report["imported"], &report["refused"]), (&truth["games"], &json!(0)));
    let answer = sandbox.json(&["query", "demo.plyfold", "queens_off"]);
    assert_eq!((&answer["games"], &answer["positions"]), (&truth["queens_off_games"], &truth["queens_off_plies"]));
    let answer = sandbox.json(&["query", "demo.plyfold", "", "--structures", "1", "--threads", "1"]);
    assert_eq!(
        (&answer["structures"]["distinct"], &answer["structures"]["positions"]),
        (&truth["distinct_pawn_structures"], &truth["plies"])
    );
    assert_eq!(sandbox.json(&["info", "demo.plyfold", "--verify"])["games"], truth["games"]);
}

#[test]
fn thirty_thousand_games() {
    let Some(data) = reference_data("master-30k.pgn.zst", "the demo games are compared alone") else { return };
    let sandbox = CliSandbox::new();
    let report = sandbox.json(&["import", &data, "-o", "master.plyfold"]);
    assert_eq!((&report["imported"], &report["refused"]), (&json!(30_000), &json!(0)));
    let answer = sandbox.json(&["query", "master.plyfold", "queens_off"]);
    assert_eq!((&answer["games"], &answer["positions"]), (&json!(16_039), &json!(741_956)));
    let answer = sandbox.json(&["query", "master.plyfold", "", "--structures", "1", "--threads", "1"]);
    assert_eq!(
        (&answer["structures"]["distinct"], &answer["structures"]["positions"]),
        (&json!(493_943), &json!(2_517_412))
    );
    assert_eq!(sandbox.json(&["info", "master.plyfold", "--verify"])["games"], 30_000);
}
