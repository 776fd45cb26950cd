//! `egtgen estimate`: what the generation of tables would take.

use serde_json::json;

use super::program::EgtgenSandbox;

#[test]
fn nothing_is_written_and_numbers_are_plausible() {
    let sandbox = EgtgenSandbox::new();
    let answer = sandbox.json(&["estimate", "KRBKR", "--out", "t", "--threads", "2", "--memory", "2GiB"]);
    assert!(sandbox.names(".").is_empty());
    let tables = answer["tables"].as_array().unwrap();
    let names: Vec<_> = tables.iter().map(|row| row["table"].as_str().unwrap()).collect();
    assert_eq!(names, ["KBvK", "KRvK", "KBvKR", "KRvKB", "KRvKR", "KRBvK", "KRvKRB", "KRBvKR"]);
    assert_eq!((&answer["to_make"], &answer["threads"]), (&json!(8), &json!(2)));
    assert_eq!(tables[7]["positions"], json!(10 << 24));
    for range in [&answer["seconds"], &answer["disk_bytes"], &tables[7]["seconds"], &tables[7]["disk_bytes"]] {
        let [low, usual, high] = ["low", "usual", "high"].map(|end| range[end].as_f64().unwrap());
        assert!(0.0 < low && low < usual && usual < high, "{range}");
    }
    let memory = |name: &str| answer["memory"][name].as_u64().unwrap();
    assert!(memory("least") < memory("in_memory") && memory("in_memory") < memory("allowed"));
    assert_eq!(memory("allowed"), 2 << 30);
}

#[test]
fn what_is_there_need_not_be_made() {
    let sandbox = EgtgenSandbox::with(&["KRvK", "KNvK"]);
    let answer = sandbox.json(&["estimate", "KRvKN", "--out", "t"]);
    assert_eq!(answer["to_make"], json!(2));
    let row = &answer["tables"].as_array().unwrap().iter().find(|row| row["table"] == "KRvK").unwrap();
    let size = sandbox.get("t/KRvK.egt").len() as f64;
    assert_eq!((&row["is_there"], &row["disk_bytes"]["usual"]), (&json!(true), &json!(size)));
    assert_eq!(row["seconds"]["high"], json!(0.0));
    let text = sandbox.run(&["estimate", "KRvK", "--out", "t"]).succeeded().stdout;
    assert!(text.ends_with("1 table is needed, and it exists\n"), "{text}");
}

#[test]
fn little_memory_streams_and_too_little_is_said() {
    let sandbox = EgtgenSandbox::new();
    let way = |memory: &str| sandbox.json(&["estimate", "KRBKR", "--memory", memory])["tables"][7]["way"].clone();
    assert_eq!([way("1GiB"), way("60MiB"), way("8MiB")], [json!("in memory"), json!("streaming"), json!("refused")]);
    let text = sandbox.run(&["estimate", "KRBKR", "--memory", "8MiB"]).succeeded().stdout;
    assert!(text.contains("too little memory") && text.contains("the 8MiB allowed is too little"), "{text}");
    let text = sandbox.run(&["estimate", "KRBKR", "--memory", "60MiB"]).succeeded().stdout;
    assert!(text.contains("tables may stream from disk") && text.contains("during generation"), "{text}");
}

#[test]
fn what_cannot_be_estimated() {
    let sandbox = EgtgenSandbox::new();
    sandbox.run(&["estimate", "KK"]).failed(2, &["has only kings"]);
    sandbox.run(&["estimate", "--all", "9"]).failed(2, &["did you mean --all 7?"]);
    sandbox.run(&["estimate"]).failed_usage("<MATERIAL");
}
