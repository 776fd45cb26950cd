//! `egtgen generate`: tables appear together with those that they need, and are generated only once.

use std::fs;
use std::io::Write;

use serde_json::{Value, json};

use super::program::EgtgenSandbox;

#[test]
fn both_winners_and_all_smaller_tables_are_made_once() {
    let sandbox = EgtgenSandbox::new();
    let ran = sandbox.run(&["generate", "KRKN", "--out", "new/folder"]).succeeded();
    let names = ["KNvK.egt", "KNvKR.egt", "KRvK.egt", "KRvKN.egt"];
    assert_eq!(sandbox.names("new/folder"), names);
    let rows: Vec<Vec<&str>> = ran.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["table", "longest", "win", "size", "time"]);
    assert!(rows.iter().any(|row| row[..3] == ["KRvKN", "40", "moves"]), "{}", ran.stdout);
    assert!(rows.iter().any(|row| row[..2] == ["KNvK", "-"]), "{}", ran.stdout);

    let before: Vec<Vec<u8>> = names.iter().map(|name| sandbox.get(&format!("new/folder/{name}"))).collect();
    let again = sandbox.lines(&["generate", "KRKN", "krk", "--out", "new/folder"]);
    assert_eq!(again.len(), 4);
    for (name, bytes) in names.iter().zip(before) {
        let row = again.iter().find(|row| format!("{}.egt", row["table"].as_str().unwrap()) == *name).unwrap();
        assert_eq!((&row["made"], &row["bytes"]), (&json!(false), &json!(bytes.len())), "{row}");
        assert_eq!(sandbox.get(&format!("new/folder/{name}")), bytes);
    }
}

#[test]
fn tables_are_listed_for_programs() {
    let sandbox = EgtgenSandbox::new();
    let rows = sandbox.lines(&["generate", "KRvK", "KQvK", "--out", "t", "--threads", "1", "--memory", "64MiB"]);
    let longest: Vec<_> = rows.iter().map(|row| (row["table"].clone(), row["longest_win_moves"].clone())).collect();
    assert_eq!(longest, [(json!("KRvK"), json!(16)), (json!("KQvK"), json!(10))]);
    for row in rows {
        assert_eq!(row["made"], json!(true));
        assert!(row["seconds"].is_f64() && row["cycles"].as_u64() > row["longest_win_moves"].as_u64(), "{row}");
        let file = sandbox.get(&format!("t/{}.egt", row["table"].as_str().unwrap()));
        assert_eq!(row["bytes"], json!(file.len()));
    }
}

#[test]
fn progress_is_a_line_for_each_table_and_cycle() {
    let sandbox = EgtgenSandbox::new();
    let ran = sandbox.run(&["generate", "KQvK", "--out", "t"]).succeeded();
    assert!(ran.stderr.starts_with("KQvK: generated in ") && ran.stderr.lines().count() == 1, "{}", ran.stderr);
    let sandbox = EgtgenSandbox::new();
    let ran = sandbox.run(&["generate", "KQvK", "--out", "t", "--verbose"]).succeeded();
    let first = ran.stderr.lines().find(|line| line.starts_with("KQvK N 1: ")).unwrap();
    for part in ["won ", "lost ", "chunks ", "read ", "written ", " positions/s"] {
        assert!(first.contains(part), "{first:?} does not say {part:?}");
    }
    assert!(ran.stderr.contains("KQvK N 10: "), "{}", ran.stderr);
}

#[test]
fn all_materials_of_so_many_men() {
    let sandbox = EgtgenSandbox::new();
    let rows = sandbox.lines(&["generate", "--all", "3", "--out", "t"]);
    assert_eq!(rows.len(), 5);
    assert_eq!(sandbox.names("t"), ["KBvK.egt", "KNvK.egt", "KPvK.egt", "KQvK.egt", "KRvK.egt"]);
    for (men, nearest) in [("2", "--all 3"), ("8", "--all 7")] {
        sandbox.run(&["generate", "--all", men, "--out", "t"]).failed(2, &["3 to 7 men", nearest]);
    }
}

#[test]
fn one_winner_takes_its_own_tables_alone() {
    let sandbox = EgtgenSandbox::new();
    let both: Value = sandbox.json(&["estimate", "KQvKR"]);
    let one: Value = sandbox.json(&["estimate", "KQvKR", "--winner", "white"]);
    let names = |report: &Value| -> Vec<String> {
        report["tables"].as_array().unwrap().iter().map(|row| row["table"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!((names(&both).len(), names(&one)), (4, vec!["KQvK".to_owned(), "KQvKR".to_owned()]));
    assert_eq!(one["positions"].as_u64().unwrap() * 2, both["positions"].as_u64().unwrap());
    sandbox.run(&["generate", "KQvKR", "--winner", "white", "--out", "t"]).succeeded();
    assert_eq!(sandbox.names("t"), ["KQvK.egt", "KQvKR.egt"]);
    let whole = EgtgenSandbox::with(&["KQvKR"]);
    assert!(sandbox.get("t/KQvKR.egt") == whole.get("t/KQvKR.egt"), "the same table");
    // White is the side named first, whichever is stronger.
    sandbox.run(&["generate", "KRvKQ", "--winner", "white", "--out", "r"]).succeeded();
    sandbox.run(&["generate", "KQvKR", "--winner", "black", "--out", "q"]).succeeded();
    assert_eq!((sandbox.names("r"), sandbox.names("q")), (names_of(&["KRvK", "KRvKQ"]), names_of(&["KRvK", "KRvKQ"])));
    let plan: Value =
        serde_json::from_str(&sandbox.run(&["plan", "KQvKR", "--winner", "white"]).succeeded().stdout).unwrap();
    assert_eq!(plan["jobs"].as_array().unwrap().last().unwrap()["tables"], json!(["KQvKR"]));
    sandbox.run(&["generate", "KQvK", "--winner", "black", "--out", "k"]).failed(2, &["Black is a lone king in KQvK"]);
    sandbox.run(&["generate", "--all", "3", "--winner", "black", "--out", "k"]).failed(2, &["lone king"]);
    sandbox.run(&["verify", "KQvKR", "--tables", "t"]).failed(1, &["the table KRvKQ is missing"]);
    let report = sandbox.json(&["verify", "KQvKR", "--winner", "white", "--tables", "t", "--sample", "2000"]);
    assert_eq!((&report["tables"], &report["checked"]), (&json!(["KQvKR"]), &json!(2000)));
    sandbox.run(&["pack", "KQvKR", "--winner", "white", "--tables", "t", "--out", "p", "--check"]).succeeded();
}

fn names_of(tables: &[&str]) -> Vec<String> {
    tables.iter().map(|table| format!("{table}.egt")).collect()
}

#[test]
fn without_smaller_tables_nothing_is_made() {
    let sandbox = EgtgenSandbox::new();
    let asked = ["generate", "KRvKN", "--no-closure", "--out", "t"];
    sandbox.run(&asked).failed(1, &["is needed but missing", "--no-closure"]);
    assert!(!sandbox.names("t").iter().any(|name| name == "KRvKN.egt"));
    sandbox.run(&["generate", "KRvK", "KNvK", "--no-closure", "--out", "t"]).succeeded();
    let rows = sandbox.lines(&asked);
    assert_eq!(rows.len(), 2, "both winners, nothing else");
}

#[test]
fn what_is_no_material_is_one_sentence_with_the_nearest() {
    let sandbox = EgtgenSandbox::new();
    for (name, says) in [
        ("KK", "`KK` has only kings"),
        ("KRR", "did you mean KRRvK?"),
        ("KRvKvK", "did you mean KRvK?"),
        ("KXvK", "`X`, which is no piece"),
        ("KQRBNPvKQ", "has 8 men; tables have at most 7, kings included; did you mean KQRBvKQ?"),
        ("KQvKRRBN", "has at most 4 men, its king included; did you mean KQvKRRB?"),
        ("", "names no pieces"),
    ] {
        sandbox.run(&["generate", "KRvK", name, "--out", "t"]).failed(2, &[says]);
    }
    assert!(sandbox.names(".").is_empty(), "nothing was begun");
}

#[test]
fn command_lines_that_cannot_be() {
    let sandbox = EgtgenSandbox::new();
    sandbox.run(&["generate", "--out", "t"]).failed_usage("<MATERIAL|--all <MEN>>");
    sandbox.run(&["generate", "KRvK"]).failed_usage("--out");
    sandbox.run(&["generate", "KRvK", "--all", "3", "--out", "t"]).failed_usage("--all");
    for size in ["much", "0", "12 apples"] {
        sandbox.run(&["generate", "KRvK", "--out", "t", "--memory", size]).failed_usage("48MiB");
    }
    sandbox.run(&["generate", "KRvK", "--out", "t", "--threads", "0"]).failed_usage("from 1 to");
    assert!(sandbox.names(".").is_empty());
}

#[test]
fn too_little_memory_is_refused_with_the_least_that_does() {
    let sandbox = EgtgenSandbox::new();
    let ran = sandbox.run(&["generate", "KQvKR", "--out", "t", "--memory", "1MiB"]);
    let ran = ran.failed(2, &["needs at least --memory ", "1MiB was allowed"]);
    assert!(sandbox.names("t").is_empty(), "nothing was begun");
    // The memory that the message names is enough.
    let least = ran.stderr.split_whitespace().skip_while(|word| *word != "--memory").nth(1).unwrap();
    sandbox.run(&["generate", "KQvKR", "--out", "t", "--memory", least.trim_end_matches(';')]).succeeded();
}

#[test]
#[cfg(unix)]
fn a_disk_that_is_too_small_is_refused_before_the_start() {
    let sandbox = EgtgenSandbox::new();
    // The free blocks of 1,024 bytes are in the fourth column.
    let told = std::process::Command::new("df").args(["-Pk"]).arg(sandbox.path("")).output().unwrap();
    let told = String::from_utf8(told.stdout).unwrap();
    let free: u64 = told.lines().nth(1).unwrap().split_whitespace().nth(3).unwrap().parse().unwrap();
    // Seven men, and what they need.
    let asked = ["generate", "KQRBvKQR", "--out", "t", "--memory", "48MiB"];
    if free < 100_000_000 {
        sandbox.run(&asked).failed(2, &["the tables take about", "of disk, between", "free: make room", "--force"]);
    } else {
        std::io::stderr().write_all(b"\nSKIPPED: the disk is so large that no table is refused\n").ok();
    }
    assert_eq!(sandbox.names("t").len(), 0, "nothing was begun");
    sandbox.run(&[&asked[..], &["--force"]].concat()).failed(2, &["needs at least --memory"]);
}

#[test]
fn folders_that_cannot_be_written() {
    let sandbox = EgtgenSandbox::new();
    sandbox.put("file", "");
    sandbox.run(&["generate", "KRvK", "--out", "file"]).failed(1, &["file: is not a folder", "--out"]);
    sandbox.run(&["generate", "KRvK", "--out", "file/below"]).failed(1, &["file/below: cannot be made"]);
    // A folder has the name of the table.
    fs::create_dir_all(sandbox.path("t/KRvK.egt")).unwrap();
    sandbox.run(&["generate", "KRvK", "--out", "t"]).failed(1, &["KRvK.egt"]);
}
