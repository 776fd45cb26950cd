//! `plyfold upgrade`, and that a corpus of an older version also works without it.

use std::fs::{self, File};

use serde_json::json;

use crate::program::{CliSandbox, OLDER, SAMPLE};

/// A folder with `older.plyfold`, and the sample as this version writes it.
fn with_older() -> CliSandbox {
    let sandbox = CliSandbox::with_sample();
    sandbox.put("older.plyfold", OLDER);
    sandbox
}

/// Kind, flags and bytes of all sections, shard after shard, as FORMAT.md defines them. Leaves out the source files, which an
/// upgrade cannot know.
fn content(corpus: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let number = |at: usize| u64::from_le_bytes(corpus[at..at + 8].try_into().unwrap());
    let (mut shard, mut content) = (64, Vec::new());
    while shard < corpus.len() {
        let sections = (number(shard + 8) >> 32) as usize;
        for entry in (0..sections).map(|nth| shard + 64 + nth * 32) {
            let (from, length) = (shard + number(entry + 8) as usize, number(entry + 16) as usize);
            content.push((number(entry), corpus[from..from + length].to_vec()));
        }
        shard += number(shard + 16) as usize;
    }
    content.retain(|(kind, _)| *kind as u32 != 14);
    content
}

#[test]
fn an_older_corpus_becomes_what_an_import_makes() {
    let sandbox = with_older();
    let id = sandbox.json(&["info", "older.plyfold"])["id"].clone();
    let told = sandbox.json(&["upgrade", "older.plyfold"]);
    let (before, after) = (OLDER.len(), sandbox.get("older.plyfold").len());
    for (name, value) in [
        ("file", json!("older.plyfold")),
        ("games", json!(4)),
        ("plies", json!(23)),
        ("shards", json!(1)),
        ("upgraded_shards", json!(1)),
        ("bytes_before", json!(before)),
        ("bytes", json!(after)),
    ] {
        assert_eq!(told[name], value, "{name}");
    }
    let (upgraded, fresh) = (sandbox.get("older.plyfold"), sandbox.get("sample.plyfold"));
    assert_eq!(content(&upgraded), content(&fresh));
    let info = sandbox.json(&["info", "older.plyfold", "--verify"]);
    assert_eq!((&info["id"], &info["shards_with_signatures"]), (&id, &json!(1)));
    assert_eq!(sandbox.names(), ["older.plyfold", "sample.pgn", "sample.plyfold"]);
}

#[test]
fn what_has_everything_is_left_alone() {
    let sandbox = CliSandbox::with_sample();
    let place = sandbox.path("sample.plyfold");
    let written = fs::metadata(&place).unwrap().modified().unwrap();
    let text = sandbox.run(&["upgrade", "sample.plyfold"]).succeeded().text();
    assert_eq!(text, "sample.plyfold is up to date.\n");
    let told = sandbox.json(&["upgrade", "sample.plyfold"]);
    assert_eq!((&told["upgraded_shards"], &told["bytes"]), (&json!(0), &told["bytes_before"]));
    assert_eq!(fs::metadata(&place).unwrap().modified().unwrap(), written);
}

#[test]
fn an_older_corpus_answers_the_same_and_grows() {
    let sandbox = with_older();
    let info = sandbox.json(&["info", "older.plyfold", "--verify"]);
    assert_eq!((&info["shards"], &info["shards_with_signatures"]), (&json!(1), &json!(0)));
    let text = sandbox.run(&["info", "older.plyfold"]).succeeded().text();
    assert!(text.contains("  with signatures                0  (the other shards have none: plyfold"), "{text}");
    let answers = |name: &str| {
        ["", "queens_off", "white pawn on e5", "not castled and check"].map(|query| {
            let answer = sandbox.json(&["query", name, query, "--games", "9", "--heatmap"]);
            ["games", "positions", "games_matching", "heatmap"].map(|part| answer[part].clone())
        })
    };
    let expected = answers("sample.plyfold");
    assert_eq!(answers("older.plyfold"), expected);
    let export = |name| sandbox.run(&["export", name]).succeeded().stdout;
    assert_eq!(export("older.plyfold"), export("sample.plyfold"));

    // The appended games have signatures, and the existing bytes do not change.
    for name in ["older.plyfold", "sample.plyfold"] {
        sandbox.run(&["import", "--append", "sample.pgn", "-o", name]).succeeded();
    }
    assert_eq!(sandbox.get("older.plyfold")[64..OLDER.len()], OLDER[64..]);
    let info = sandbox.json(&["info", "older.plyfold", "--verify"]);
    assert_eq!((&info["shards"], &info["shards_with_signatures"]), (&json!(2), &json!(1)));
    let expected = answers("sample.plyfold");
    assert_eq!(answers("older.plyfold"), expected);

    let text = sandbox.run(&["upgrade", "older.plyfold"]).succeeded().text();
    assert!(text.contains("  shards                1  of 2\n"), "{text}");
    let (upgraded, fresh) = (sandbox.get("older.plyfold"), sandbox.get("sample.plyfold"));
    assert_eq!(content(&upgraded), content(&fresh));
    assert_eq!(answers("older.plyfold"), expected);
    assert_eq!(export("older.plyfold"), export("sample.plyfold"));
    assert_eq!(
        export("older.plyfold").windows(4).filter(|word| word == b"best").count(),
        2 * SAMPLE.windows(4).filter(|word| word == b"best").count()
    );
}

#[test]
fn an_index_stays_good() {
    let sandbox = with_older();
    sandbox.run(&["index", "older.plyfold"]).succeeded();
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let position = || {
        let mut answer = sandbox.json(&["position", "older.plyfold", fen]);
        answer.as_object_mut().unwrap().remove("elapsed_ms").unwrap();
        // The upgrade finds it.
        answer["game_list"][0].as_object_mut().unwrap().remove("opening").unwrap();
        answer
    };
    let before = position();
    sandbox.run(&["upgrade", "older.plyfold"]).succeeded();
    assert_eq!(position(), before);
    assert_eq!(before["games"], 1);
}

#[test]
fn an_upgrade_that_cannot_be_leaves_the_corpus_as_it_was() {
    let sandbox = with_older();
    // Another process is appending to the corpus.
    let file = File::options().write(true).open(sandbox.path("older.plyfold")).unwrap();
    file.try_lock().unwrap();
    sandbox.run(&["upgrade", "older.plyfold"]).failed_in_a_line(1, &["older.plyfold: another program is writing it"]);
    drop(file);
    // Damage in the moves that an upgrade replays, and a cut file.
    for (name, bytes) in [
        ("damaged", [&OLDER[..500], &[OLDER[500] ^ 1], &OLDER[501..]].concat()),
        ("cut", OLDER[..OLDER.len() - 9].to_vec()),
    ] {
        sandbox.put(name, &bytes);
        sandbox.run(&["upgrade", name]).failed_in_a_line(1, &[name]);
        assert_eq!(sandbox.get(name), bytes);
    }
    sandbox.run(&["upgrade", "missing"]).failed_in_a_line(1, &["missing: cannot be opened"]);
    sandbox
        .run(&["upgrade", "sample.pgn"])
        .failed_in_a_line(1, &["sample.pgn: has games as PGN, in which nothing can be upgraded"]);
    assert_eq!(sandbox.get("older.plyfold"), OLDER);
    assert_eq!(sandbox.names(), ["cut", "damaged", "older.plyfold", "sample.pgn", "sample.plyfold"]);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_rights_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let sandbox = with_older();
    fs::set_permissions(sandbox.path("older.plyfold"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink(sandbox.path("older.plyfold"), sandbox.path("link.plyfold")).unwrap();
    sandbox.run(&["upgrade", "link.plyfold"]).succeeded();
    assert!(fs::symlink_metadata(sandbox.path("link.plyfold")).unwrap().is_symlink());
    assert_eq!(fs::metadata(sandbox.path("older.plyfold")).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(sandbox.json(&["info", "older.plyfold"])["shards_with_signatures"], 1);
}
