//! Files of others with the names that commands use beside their outputs: they are refused or left alone, whatever they are called.

use std::fs;

use crate::program::CliSandbox;
use crate::published::{files, put_tables, with_site};

#[test]
fn a_set_removes_no_file_that_is_no_definition() {
    let sandbox = CliSandbox::with_sample();
    let query = r#"{"squares":{"side":"white","of":"passed_pawn"}}"#;
    for folder in ["my.sets", "sample.sets"] {
        fs::create_dir(sandbox.path(folder)).unwrap();
        for name in ["q", "notes"] {
            sandbox.put(&format!("{folder}/{name}.json"), query);
        }
    }
    let asked = ["query", "sample.plyfold", "--json-query", "my.sets/q.json", "--save-games"];
    for set in ["my.sets/q.bm", "my.sets/notes.bm", "@q", "@notes"] {
        sandbox.run(&[&asked[..], &[set]].concat()).succeeded();
    }
    sandbox.put("my.sets/plan.json", r#"{"queries":[{"name":"n","query":"check","save_games":"my.sets/plan.bm"}]}"#);
    sandbox.run(&["scan", "sample.plyfold", "my.sets/plan.json"]).succeeded();
    for file in ["my.sets/q.json", "my.sets/notes.json", "sample.sets/q.json", "sample.sets/notes.json"] {
        assert_eq!(sandbox.get(file), query.as_bytes(), "{file}");
    }
    assert!(sandbox.path("my.sets/plan.json").exists());
}

#[test]
fn collections_replace_and_remove_no_file_of_others() {
    let sandbox = CliSandbox::with_sample();
    fs::create_dir(sandbox.path("sample.sets")).unwrap();
    sandbox.put("sample.sets/mine.json", "{\"precious\":1}");
    sandbox.put("sample.sets/song.bm", "a song");
    let add = |name: &str| sandbox.run(&["collections", "add", "sample.plyfold", name, "check"]);
    add("@mine").failed_in_a_line(2, &["mine.json is not the definition of a collection"]);
    let large = fs::File::create(sandbox.path("sample.sets/large.json")).unwrap();
    large.set_len(1 << 40).unwrap();
    add("@large").failed_in_a_line(2, &["large.json is not the definition of a collection"]);
    add("@song").failed_in_a_line(2, &["song.bm is not a set of games"]);
    sandbox
        .run(&["query", "sample.plyfold", "check", "--save-games", "@song"])
        .failed_in_a_line(2, &["song.bm is not"]);
    sandbox.run(&["collections", "remove", "sample.plyfold", "@mine"]).failed(2, &["@mine"]);
    assert_eq!(sandbox.get("sample.sets/mine.json"), b"{\"precious\":1}");
    assert_eq!(sandbox.get("sample.sets/song.bm"), b"a song");
}

/// The names of parts are known when they have been found, and those of collections when they are listed.
#[test]
fn sets_without_a_name_on_the_command_line_replace_no_file_of_others() {
    let sandbox = CliSandbox::with_sample();
    sandbox.run(&["collections", "add", "sample.plyfold", "@coll", "check"]).succeeded();
    let parts = ["query", "sample.plyfold", "", "--partition", "result", "--save-parts", "@part"];
    sandbox.run(&parts).succeeded();
    let sets = fs::read_dir(sandbox.path("sample.sets")).unwrap().map(|entry| entry.unwrap().file_name());
    let sets = sets.map(|name| name.to_str().unwrap().to_owned()).filter(|name| name.ends_with(".bm"));
    let sets: Vec<String> = sets.collect();
    assert!(sets.len() > 2, "{sets:?}");
    for name in sets {
        let set = format!("sample.sets/{name}");
        let sound = sandbox.get(&set);
        sandbox.put(&set, "a song");
        let update = ["collections", "update", "sample.plyfold", "@coll", "--whole"];
        let line = if name == "coll.bm" { &update[..] } else { &parts };
        sandbox.run(line).failed_in_a_line(1, &[&format!("{name}: is not a set of games, so it stays")]);
        assert_eq!(sandbox.get(&set), b"a song");
        sandbox.put(&set, sound);
        sandbox.run(line).succeeded();
    }
}

#[test]
#[cfg(unix)]
fn links_to_nothing_stay() {
    let sandbox = CliSandbox::with_sample();
    sandbox.run(&["collections", "add", "sample.plyfold", "@coll", "check"]).succeeded();
    fs::remove_file(sandbox.path("sample.sets/coll.bm")).unwrap();
    fs::create_dir(sandbox.path("lib")).unwrap();
    for (link, line) in [
        ("sample.sets/x.bm", &["query", "sample.plyfold", "check", "--save-games", "@x"][..]),
        ("sample.sets/c.json", &["collections", "add", "sample.plyfold", "@c", "check"]),
        ("sample.sets/coll.bm", &["collections", "remove", "sample.plyfold", "@coll"]),
        ("sample.plyindex", &["index", "sample.plyfold"]),
        ("lib/plyfold-import.json", &["import", "sample.pgn", "-o", "lib/", "--split", "2"]),
        ("lib.plyfold-import.json", &["import", "sample.pgn", "-o", "lib.plyfold", "--split", "2"]),
    ] {
        let link = sandbox.path(link);
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        let ran = sandbox.run(line);
        assert!(ran.code != Some(0) && !ran.stderr.is_empty(), "{line:?}: {}", ran.stderr);
        assert!(link.is_symlink(), "{line:?}");
        fs::remove_file(&link).unwrap();
        sandbox.run(line).succeeded();
    }
}

#[test]
fn corpora_of_one_name_have_sets_and_indices_of_their_own() {
    let sandbox = CliSandbox::with_sample();
    sandbox.run(&["import", "sample.pgn", "-o", "lib/", "--split", "2"]).succeeded();
    for corpus in ["lib.plyfold", "lib.db"] {
        fs::copy(sandbox.path("sample.plyfold"), sandbox.path(corpus)).unwrap();
    }
    for (corpus, query) in [("lib", "queens_off"), ("lib.plyfold", "checkmate"), ("lib.db", "check")] {
        sandbox.run(&["query", corpus, query, "--save-games", "@a"]).succeeded();
    }
    for (corpus, query) in [("lib", "queens_off"), ("lib.plyfold", "checkmate"), ("lib.db", "check")] {
        let asked = |query: &str| sandbox.json(&["query", corpus, query])["games"].clone();
        assert_eq!(asked("in @a"), asked(query), "{corpus}");
    }
    for (corpus, index) in [("lib.plyfold", "lib.plyindex"), ("lib.db", "lib.db.plyindex-of-file")] {
        sandbox.run(&["index", corpus]).succeeded();
        assert!(sandbox.path(index).exists(), "{index}");
    }
}

#[test]
fn the_journal_of_an_import_is_no_input_and_no_file_of_others() {
    let sandbox = CliSandbox::with_sample();
    let games = sandbox.get("sample.pgn");
    fs::create_dir(sandbox.path("a")).unwrap();
    sandbox.put("a/plyfold-import.json", &games);
    for force in [&[][..], &["--force"]] {
        let import = ["import", "a/plyfold-import.json", "-o", "a/", "--split", "2"];
        sandbox.run(&[&import[..], force].concat()).failed(2, &["is also the input"]);
        let other = ["import", "sample.pgn", "-o", "a/", "--split", "2"];
        sandbox.run(&[&other[..], force].concat()).failed(1, &["plyfold-import.json: is no journal"]);
    }
    assert_eq!(sandbox.get("a/plyfold-import.json"), games);
    let refused = ["import", "sample.pgn", "-o", "b/", "--split", "2", "--ledger", "b/plyfold-import.json"];
    sandbox.run(&refused).failed(2, &["is also the journal of --split"]);
}

#[test]
#[cfg(unix)]
fn a_journal_that_is_no_file_is_told() {
    let sandbox = CliSandbox::with_sample();
    for (folder, what) in [("fifo", "a FIFO"), ("device", "a device")] {
        fs::create_dir(sandbox.path(folder)).unwrap();
        let journal = sandbox.path(&format!("{folder}/plyfold-import.json"));
        match folder {
            "fifo" => assert!(std::process::Command::new("mkfifo").arg(&journal).status().unwrap().success()),
            _ => std::os::unix::fs::symlink("/dev/zero", &journal).unwrap(),
        }
        let import = ["import", "sample.pgn", "-o", &format!("{folder}/"), "--split", "2"];
        let ran = sandbox.run(&import);
        assert!(ran.code != Some(0) && ran.stderr.contains(what), "{folder}: {}", ran.stderr);
    }
}

#[test]
#[cfg(unix)]
fn what_a_pattern_or_a_link_means_is_no_output() {
    let sandbox = with_site();
    let corpus = sandbox.get("sample.plyfold");
    fs::create_dir_all(sandbox.path("out/library")).unwrap();
    fs::create_dir(sandbox.path("links")).unwrap();
    sandbox.put("out/library/0123456789abcdef.scan", &corpus);
    std::os::unix::fs::symlink("../out/library/0123456789abcdef.scan", sandbox.path("links/a.plyfold")).unwrap();
    for corpora in ["out/library/*.scan", "links/"] {
        let publish = ["publish", "out", "--corpus", corpora, "--site", "site", "--force"];
        sandbox.run(&publish).failed_in_a_line(2, &["the corpus ", "which is written"]);
    }
    assert_eq!(sandbox.get("out/library/0123456789abcdef.scan"), corpus);
}

#[test]
fn a_folder_is_ours_by_what_is_in_it() {
    let sandbox = with_site();
    fs::create_dir_all(sandbox.path("web/library")).unwrap();
    sandbox.put("web/index.html", "my page");
    for name in ["0123456789abcdef.md", &format!("{}.md", "0".repeat(64))] {
        sandbox.put(&format!("web/library/{name}"), "notes");
    }
    let before = files(&sandbox.path("web"));
    let publish = ["publish", "web", "--corpus", "sample.plyfold", "--site", "site"];
    sandbox.run(&publish).failed_in_a_line(1, &["web: has files", "--force"]);
    assert!(files(&sandbox.path("web")) == before);
    // With --force it becomes ours, and the notes stay all the same.
    sandbox.run(&[&publish[..], &["--force"]].concat()).succeeded();
    sandbox.run(&publish).succeeded();
    assert_eq!(sandbox.get("web/library/0123456789abcdef.md"), b"notes");
}

/// What a folder lists of itself may have been changed by somebody else.
#[test]
fn what_a_changed_list_names_is_not_removed() {
    let sandbox = with_site();
    put_tables(&sandbox);
    let publish = ["publish", "out", "--corpus", "sample.plyfold", "--site", "site"];
    sandbox.run(&[&publish[..], &["--tables", "packed"]].concat()).succeeded();
    for name in ["out/notes.txt", "out/tables/KBvK.egp"] {
        sandbox.put(name, "notes");
    }
    let changed = |file: &str, from: &str, to: &str| {
        let text = String::from_utf8(sandbox.get(file)).unwrap();
        assert!(text.contains(from), "{text}");
        sandbox.put(file, text.replace(from, to));
    };
    changed("out/sw.js", "[`icon.svg`", "[`notes.txt`");
    changed("out/library.json", "\"KRvK\"", "\"KBvK\"");
    sandbox.run(&publish).succeeded();
    for name in ["out/notes.txt", "out/tables/KBvK.egp"] {
        assert_eq!(sandbox.get(name), b"notes", "{name}");
    }
    assert!(!sandbox.path("out/tables/KQvK.egp").exists(), "it is no longer named");
}

/// What somebody else has written into a game, a definition or a query moves no cursor and turns no text.
#[test]
fn texts_of_others_steer_no_terminal() {
    let sandbox = CliSandbox::new();
    let (esc, csi, turned) = ('\u{1b}', '\u{9b}', '\u{202e}');
    let refused = format!("[Event \"x\"]\n[FEN \"{csi}31m{turned}\"]\n\n1. e4 *\n\n");
    let tags = format!("[Event \"{turned}y\"]\n[White \"A{esc}[2J{csi}31m{turned}b\"]\n\n1. e4 *\n");
    sandbox.put("h.pgn", format!("{refused}{tags}"));
    let query = format!("white \"x{esc}[2Jy{turned}{csi}\"");
    let imported = sandbox.run(&["import", "h.pgn", "-o", "h.plyfold"]);
    sandbox.run(&["query", "h.plyfold", "check", "--save-games", "@h"]).succeeded();
    sandbox.put("h.sets/h.json", serde_json::json!({ "query": query }).to_string());
    let plan = serde_json::json!({ "queries": [{ "name": format!("n{esc}[2J{turned}"), "query": "check" }] });
    sandbox.put("plan.json", plan.to_string());
    let mut runs = vec![imported];
    for line in [
        &["collections", "list", "h.plyfold"][..],
        &["explain", &query],
        &["query", "h.plyfold", &query],
        &["query", "h.plyfold", "", "--games", "5"],
        &["query", "h.plyfold", "", "--by", "white"],
        &["info", "h.plyfold"],
        &["position", "h.plyfold", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "--games", "5"],
        &["sets", "h.plyfold"],
        &["scan", "h.plyfold", "plan.json"],
    ] {
        runs.push(sandbox.run(line));
    }
    for run in runs {
        for text in [String::from_utf8_lossy(&run.stdout).into_owned(), run.stderr] {
            assert!(!text.contains([esc, csi, turned]), "{text:?}");
        }
    }
}

#[test]
fn a_corpus_is_no_pgn_file() {
    let sandbox = CliSandbox::with_sample();
    sandbox
        .run(&["import", "sample.plyfold", "-o", "z.plyfold"])
        .failed(1, &["sample.plyfold: is a corpus of plyfold"]);
    assert!(!sandbox.path("z.plyfold").exists());
}
