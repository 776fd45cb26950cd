//! `plyfold index` and `plyfold position`: the index file beside the corpus, and the results that it gives.

use std::fs;

use serde_json::{Value, json};

use crate::program::{CliSandbox, SAMPLE};

const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";

fn with_index() -> CliSandbox {
    let sandbox = CliSandbox::with_sample();
    sandbox.run(&["index", "sample.plyfold"]).succeeded();
    sandbox
}

#[test]
fn an_index_lies_beside_its_corpus() {
    let sandbox = CliSandbox::with_sample();
    let told = sandbox.json(&["index", "sample.plyfold"]);
    let size = sandbox.get("sample.plyindex").len();
    for (name, value) in [
        ("file", json!("sample.plyindex")),
        ("games", json!(4)),
        ("plies", json!(23)),
        ("indexed_games", json!(4)),
        ("indexed_plies", json!(23)),
        ("segments", json!(1)),
        ("bytes", json!(size)),
    ] {
        assert_eq!(told[name], value, "{name}");
    }
    assert!(told.get("anew_because").is_none());
    // An index that is up to date is not written again.
    let before = fs::metadata(sandbox.path("sample.plyindex")).unwrap().modified().unwrap();
    assert_eq!(sandbox.json(&["index", "sample.plyfold"])["indexed_games"], 0);
    assert_eq!(fs::metadata(sandbox.path("sample.plyindex")).unwrap().modified().unwrap(), before);
    assert_eq!(sandbox.json(&["index", "sample.plyfold", "--force", "--threads", "1"])["indexed_games"], 4);
    assert_eq!(sandbox.names(), ["sample.pgn", "sample.plyfold", "sample.plyindex"]);
    let said = sandbox.run(&["index", "sample.plyfold"]).succeeded().text();
    assert!(said.starts_with("sample.plyindex is up to date"), "{said}");
}

#[test]
fn a_position_is_answered() {
    let sandbox = with_index();
    let start = sandbox.json(&["position", "sample.plyfold", "startpos"]);
    for (name, value) in [
        ("fen", json!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")),
        ("games_total", json!(4)),
        ("games", json!(2)),
        ("begin", json!(2)),
        ("reach", json!(0)),
        ("positions", json!(0)),
        ("white", json!(1)),
        ("draw", json!(1)),
        ("black", json!(0)),
        ("unknown", json!(0)),
    ] {
        assert_eq!(start[name], value, "{name}");
    }
    let next = |san: &str, uci: &str, [white, draw]: [u64; 2]| json!({ "san": san, "uci": uci, "games": 1, "white": white, "draw": draw, "black": 0, "unknown": 0 });
    assert_eq!(start["next_moves"], json!([next("d4", "d2d4", [0, 1]), next("e4", "e2e4", [1, 0])]));
    let game = &start["game_list"][1];
    assert_eq!((&game["number"], &game["ply"], &game["white"]), (&json!(2), &json!(0), &json!("Carla")));

    let e4 = sandbox.json(&["position", "sample.plyfold", AFTER_E4]);
    assert_eq!((&e4["games"], &e4["reach"], &e4["positions"]), (&json!(1), &json!(1), &json!(1)));
    assert_eq!(e4["game_list"][0]["ply"], 1);

    // The mating position has no next move, a null move counts as one, and Chess960 castling is accepted as it is written.
    let mate = "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4";
    assert_eq!(sandbox.json(&["position", "sample.plyfold", mate])["next_moves"], json!([]));
    let passed = sandbox.json(&["position", "sample.plyfold", "8/3k4/8/8/4P3/8/3K4/8 b - - 2 2"]);
    assert_eq!((&passed["next_moves"][0]["san"], &passed["unknown"]), (&json!("--"), &json!(1)));
    let other =
        sandbox.json(&["position", "sample.plyfold", "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w CAca - 0 1"]);
    assert_eq!((&other["begin"], &other["black"]), (&json!(1), &json!(1)));
    // Castling rights are part of a position.
    let other = sandbox.json(&["position", "sample.plyfold", "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w C - 0 1"]);
    assert_eq!((&other["games"], &other["game_list"]), (&json!(0), &json!([])));
}

#[test]
fn three_formats() {
    let sandbox = with_index();
    let csv = |arguments: &[&str]| {
        let arguments = [&["position", "sample.plyfold", "startpos", "--format", "csv"], arguments].concat();
        sandbox.run(&arguments).succeeded().text()
    };
    assert_eq!(csv(&[]), "san,uci,games,white,draw,black,unknown\r\nd4,d2d4,1,0,1,0,0\r\ne4,e2e4,1,1,0,0,0\r\n");
    let games = csv(&["--games"]);
    let lines: Vec<&str> = games.lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], "number,ply,white,black,white_elo,black_elo,result,eco,opening,eco_tag,date,event,site,plies");
    assert!(
        lines[1].starts_with("1,0,Anna,Bert,2100,1900,1-0,C20,King's Pawn Game: Wayward Queen Attack,C20,2001.02.03,"),
        "{}",
        lines[1]
    );
    assert_eq!(csv(&["--games", "1"]).lines().count(), 2);

    let text = sandbox.run(&["position", "sample.plyfold", "startpos", "--games", "1"]).succeeded().text();
    for line in ["  games      2 of 4  (50.0 %)", "  begin here 2", "  come here  0", "  White won  1  (50.0 %)"] {
        assert!(text.lines().any(|found| found == line), "{line:?} in\n{text}");
    }
    assert!(text.ends_with("and 1 more (--games lists all)\n"), "{text}");
    sandbox.run(&["position", "sample.plyfold", "startpos", "--format", "csv", "-o", "out.csv"]).succeeded();
    assert_eq!(sandbox.get("out.csv"), csv(&[]).as_bytes());
}

#[test]
fn an_index_is_asked_for_where_it_is_missing_or_behind() {
    let sandbox = CliSandbox::with_sample();
    let position = ["position", "sample.plyfold", "startpos"];
    sandbox.run(&position).failed_in_a_line(1, &["sample.plyindex: is missing", "`plyfold index sample.plyfold`"]);
    sandbox.run(&["index", "sample.plyfold"]).succeeded();
    sandbox.run(&["import", "sample.pgn", "-o", "sample.plyfold", "--append"]).succeeded();
    sandbox.run(&position).failed_in_a_line(1, &["covers 4 of the 8 games", "(plyfold index sample.plyfold)"]);
    let told = sandbox.json(&["index", "sample.plyfold"]);
    assert_eq!((&told["games"], told.get("anew_because")), (&json!(8), None));
    assert_eq!(sandbox.json(&position)["games"], 4);

    // Another corpus replaces this one.
    sandbox.put("other.pgn", &SAMPLE[..SAMPLE.len() / 2]);
    sandbox.run(&["import", "other.pgn", "-o", "sample.plyfold", "--force"]);
    sandbox.run(&position).failed_in_a_line(1, &["another corpus", "(plyfold index sample.plyfold)"]);
    let told = sandbox.json(&["index", "sample.plyfold"]);
    assert!(told["anew_because"].as_str().unwrap().contains("another corpus"), "{told}");
    sandbox.run(&position).succeeded();
}

#[test]
fn an_append_indexes_what_is_new() {
    let sandbox = CliSandbox::new();
    sandbox.put("many.pgn", SAMPLE.repeat(50));
    sandbox.put("sample.pgn", SAMPLE);
    sandbox.run(&["import", "many.pgn", "-o", "many.plyfold"]).succeeded();
    sandbox.run(&["index", "many.plyfold"]).succeeded();
    sandbox.run(&["import", "sample.pgn", "-o", "many.plyfold", "--append"]).succeeded();
    let told = sandbox.json(&["index", "many.plyfold"]);
    assert_eq!((&told["games"], &told["indexed_games"], &told["segments"]), (&json!(204), &json!(4), &json!(2)));
    let grown = answer(&sandbox);
    sandbox.run(&["index", "many.plyfold", "--force"]).succeeded();
    assert_eq!(answer(&sandbox), grown);
    assert_eq!((&grown["games"], &grown["white"]), (&json!(102), &json!(51)));
}

fn answer(sandbox: &CliSandbox) -> Value {
    let mut answer = sandbox.json(&["position", "many.plyfold", "startpos", "--games"]);
    answer.as_object_mut().unwrap().remove("elapsed_ms");
    answer
}

#[test]
fn mistakes_are_told() {
    let sandbox = with_index();
    for (fen, says) in [
        ("e4", "not a FEN"),
        ("", "not a FEN"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "White has 0 kings; each side needs one"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", "not a FEN"),
    ] {
        sandbox.run(&["position", "sample.plyfold", fen]).failed_in_a_line(2, &[says]);
    }
    sandbox.run(&["index", "missing.plyfold"]).failed_in_a_line(1, &["missing.plyfold: cannot be opened"]);
    sandbox.put("odd.plyindex", sandbox.get("sample.plyfold"));
    sandbox.run(&["index", "odd.plyindex"]).failed_in_a_line(1, &["rename the corpus"]);
}

#[test]
fn what_is_no_index_stays() {
    let sandbox = with_index();
    let sound = sandbox.get("sample.plyindex");
    let mut newer = sound.clone();
    newer[8] = 9;
    for (bytes, says) in
        [(&b"my own notes"[..], "not a position index"), (b"", "not a position index"), (&newer, "update")]
    {
        sandbox.put("sample.plyindex", bytes);
        for command in [&["index", "sample.plyfold"][..], &["position", "sample.plyfold", "startpos"]] {
            sandbox.run(command).failed_in_a_line(1, &["sample.plyindex: ", says]);
        }
        assert_eq!(sandbox.get("sample.plyindex"), bytes);
        sandbox.run(&["index", "sample.plyfold", "--force"]).succeeded();
        assert_eq!(sandbox.get("sample.plyindex"), sound);
    }
    fs::remove_file(sandbox.path("sample.plyindex")).unwrap();
    fs::create_dir(sandbox.path("sample.plyindex")).unwrap();
    sandbox.run(&["index", "sample.plyfold"]).failed_in_a_line(1, &["sample.plyindex: is not a regular file"]);
}

#[test]
fn a_damaged_index_is_made_again_without_force() {
    let sandbox = with_index();
    let sound = sandbox.get("sample.plyindex");
    for at in 0..sound.len() {
        // A file with another magic number or a newer version is foreign, so only --force replaces it.
        if at < 12 {
            continue;
        }
        let mut damaged = sound.clone();
        damaged[at] ^= 1;
        sandbox.put("sample.plyindex", &damaged);
        let said = sandbox.run(&["index", "sample.plyfold"]).succeeded().text();
        assert!(said.starts_with("The old index could not be used"), "byte {at}: {said}");
        assert_eq!(sandbox.get("sample.plyindex"), sound, "byte {at}");
    }
}

#[test]
fn a_damaged_index_is_never_believed() {
    let sandbox = with_index();
    let sound = sandbox.get("sample.plyindex");
    let position = |ply: &str| sandbox.run(&["position", "sample.plyfold", ply, "--format", "csv"]);
    let answer = position(AFTER_E4).succeeded().stdout;
    let mut refused = 0;
    for at in (0..sound.len()).step_by(3) {
        let mut damaged = sound.clone();
        damaged[at] ^= 1 << (at % 8);
        sandbox.put("sample.plyindex", &damaged);
        let ran = position(AFTER_E4);
        match ran.code {
            Some(0) => assert_eq!(ran.stdout, answer, "byte {at}"),
            _ => {
                refused += 1;
                ran.failed_in_a_line(1, &["sample.plyindex: "]);
            }
        }
    }
    assert!(refused > sound.len() / 6, "{refused} of {}", sound.len() / 3);
    for cut in [9, 63, 64, 100, sound.len() - 1] {
        sandbox.put("sample.plyindex", &sound[..cut]);
        position(AFTER_E4).failed_in_a_line(1, &["sample.plyindex: truncated in", "plyfold index sample.plyfold"]);
        // The program rebuilds a damaged index without `--force`.
        let told = sandbox.json(&["index", "sample.plyfold"]);
        assert!(told["anew_because"].as_str().unwrap().starts_with("truncated"), "{told}");
        assert_eq!(sandbox.get("sample.plyindex"), sound);
    }
}

#[cfg(unix)]
#[test]
fn an_index_that_cannot_be_written_leaves_the_old_one() {
    let sandbox = with_index();
    let before = sandbox.get("sample.plyindex");
    sandbox.run(&["import", "sample.pgn", "-o", "sample.plyfold", "--append"]).succeeded();
    // Another process is writing the index.
    let part = sandbox.put_partial("sample.plyindex");
    sandbox.run(&["index", "sample.plyfold"]).failed_in_a_line(1, &["another program is writing it"]);
    assert_eq!(sandbox.get("sample.plyindex"), before);
    drop(part);
    sandbox.run(&["index", "sample.plyfold"]).succeeded();
    assert_ne!(sandbox.get("sample.plyindex"), before);
}
