//! Known answers on real games, where the data stands beside the project.

use std::path::Path;

use serde_json::json;

use crate::program::CliSandbox;

#[test]
fn thirty_thousand_games() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/master-30k.pgn.zst");
    if !data.exists() {
        eprintln!("skipped: {} is not there", data.display());
        return;
    }
    let sandbox = CliSandbox::new();
    let report = sandbox.json(&["import", data.to_str().unwrap(), "-o", "master.plyfold"]);
    assert_eq!((&report["imported"], &report["refused"]), (&json!(30_000), &json!(0)));
    let answer = sandbox.json(&["query", "master.plyfold", "queens_off"]);
    assert_eq!((&answer["games"], &answer["positions"]), (&json!(16_039), &json!(741_956)));
    let answer = sandbox.json(&["query", "master.plyfold", "", "--structures", "1", "--threads", "1"]);
    assert_eq!(
        (&answer["structures"]["distinct"], &answer["structures"]["total"]),
        (&json!(493_943), &json!(2_517_412))
    );
    assert_eq!(sandbox.json(&["info", "master.plyfold", "--verify"])["games"], 30_000);
}
