//! `egtgen list`: the tables in a folder.

use serde_json::json;

use super::program::EgtgenSandbox;

#[test]
fn whole_tables_have_a_size_and_a_checksum() {
    let sandbox = EgtgenSandbox::with(&["KRvK", "KQvK"]);
    sandbox.put("t/readme.txt", "not a table");
    let rows = sandbox.lines(&["list", "--tables", "t"]);
    let names: Vec<_> = rows.iter().map(|row| row["table"].as_str().unwrap()).collect();
    assert_eq!(names, ["KQvK", "KRvK"]);
    for row in &rows {
        assert_eq!((&row["state"], &row["error"]), (&json!("whole"), &json!(null)));
        let file = sandbox.get(&format!("t/{}", row["file"].as_str().unwrap()));
        assert_eq!(row["bytes"], json!(file.len()));
        assert_eq!(row["checksum"].as_str().unwrap().len(), 16);
    }
    assert_ne!(rows[0]["checksum"], rows[1]["checksum"]);
    let text = sandbox.run(&["list", "--tables", "t", "--check"]).succeeded().stdout;
    assert!(text.contains("KRvK.egt  whole     16 moves") && text.contains("2 whole tables, "), "{text}");
}

#[test]
fn a_folder_without_tables() {
    let sandbox = EgtgenSandbox::new();
    assert_eq!(sandbox.run(&["list", "--tables", "."]).succeeded().stdout, "0 whole tables, 0KiB in total\n");
    sandbox.run(&["list", "--tables", "nowhere"]).failed(1, &["nowhere: ", "egtgen generate"]);
    sandbox.run(&["list"]).failed(2, &["--tables DIR"]);
}
