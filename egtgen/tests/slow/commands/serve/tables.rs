//! Probes tables and serves their files, and nothing else of their folder.

use std::fs;
use std::io::Write;
use std::process::Command;

use serde_json::{Value, json};

use super::{KNIGHT, Served, at, url};
use crate::commands::program::EgtgenSandbox;

#[test]
fn tables_answer_as_lichess_does() {
    let sandbox = EgtgenSandbox::with(&["KRvK", "KPvK"]);
    let served = Served::start(&sandbox, &["--tables", "t"]);
    let probe = |fen: &str| served.tablebase(fen);
    let told = probe("8/8/8/8/8/2k5/1R6/K7 w - - 0 1");
    let (moves, first) = (told["moves"].as_array().unwrap(), &told["moves"][0]);
    assert_eq!((&told["category"], &told["dtm"], &told["dtz"]), (&json!("win"), &json!(31), &json!(null)));
    assert_eq!((&first["category"], &first["dtm"], &first["zeroing"]), (&json!("loss"), &json!(-30), &json!(false)));
    assert_eq!(moves.len(), 16);
    let last = &moves[15];
    assert_eq!((&last["category"], &last["dtm"]), (&json!("draw"), &json!(0)), "{last}");
    for field in ["variant_win", "variant_loss", "checkmate", "stalemate", "insufficient_material"] {
        assert_eq!((&told[field], &first[field]), (&json!(false), &json!(false)), "{field}");
    }
    for field in ["uci", "san", "precise_dtz"] {
        assert!(first.get(field).is_some(), "{field}");
    }
    // Black can take the rook and draw. In the second position Black is mated and delays the mate.
    let told = probe("8/8/8/8/8/1k6/1R6/3K4 b - - 0 1");
    let first = &told["moves"][0];
    assert_eq!(
        (&told["category"], &first["san"], &first["category"]),
        (&json!("draw"), &json!("Kxb2"), &json!("draw"))
    );
    assert_eq!((&first["insufficient_material"], &first["zeroing"]), (&json!(true), &json!(true)));
    let told = probe("8/8/8/8/8/2k5/8/KR6 b - - 0 1");
    assert_eq!((&told["category"], &told["moves"][0]["category"]), (&json!("loss"), &json!("win")));
    assert_eq!(told["dtm"].as_i64().unwrap(), -1 - told["moves"][0]["dtm"].as_i64().unwrap());
    // A mate has no distance, because 0 stands for a draw.
    let told = probe("k1R5/8/1K6/8/8/8/8/8 b - - 0 1");
    assert_eq!(
        (&told["category"], &told["checkmate"], &told["dtm"], &told["moves"]),
        (&json!("loss"), &json!(true), &json!(null), &json!([]))
    );
    let told = probe("k7/2R5/1K6/8/8/8/8/8 w - - 0 1");
    assert_eq!((&told["dtm"], &told["moves"][0]["san"]), (&json!(1), &json!("Rc8#")));
    let told = probe("k7/8/1Q6/8/8/8/8/K7 b - - 0 1");
    assert_eq!((&told["stalemate"], &told["category"], &told["dtm"]), (&json!(true), &json!("draw"), &json!(0)));
    served.ask("GET /tablebase?fen=8/8/8/8/8/2k5/1R6/8").refused(400, "king", at("fen", 0, 19));
    served.ask("GET /tablebase?fen=8/8").refused(400, "8 ranks", at("fen", 3, 3));
    served.ask("GET /tablebase").refused(400, "`fen` is missing", at("fen", 0, 0));
}

#[test]
fn berserk_reads_the_tables() {
    let Some(python) = std::env::var_os("PLYFOLD_PYTHON") else {
        // The test harness captures `println!` of tests that pass, and this line must be seen.
        let line =
            b"\nSKIPPED: PLYFOLD_PYTHON names no Python with berserk; requests of the test itself are answered alone\n";
        std::io::stderr().write_all(line).ok();
        return;
    };
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let served = Served::start(&sandbox, &["--tables", "t"]);
    let fen = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";
    let script = "import berserk, json, sys\n\
                  told = berserk.Client(tablebase_url=sys.argv[1]).tablebase.standard(sys.argv[2])\n\
                  print(json.dumps(told))";
    let mut command = Command::new(python);
    command.args(["-c", script, &format!("http://{}", served.address), fen]).env("NO_PROXY", "127.0.0.1");
    let run = command.output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let told: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(told, served.tablebase(fen));
    assert_eq!((&told["category"], &told["dtm"]), (&json!("win"), &json!(31)));
}

#[test]
fn positions_outside_the_tables_are_answered_by_their_moves() {
    let sandbox = EgtgenSandbox::with(&["KRvK", "KPvK"]);
    let served = Served::start(&sandbox, &["--tables", "t"]);
    let probe = |fen: &str| served.tablebase(fen);
    let told = probe("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1");
    assert_eq!((&told["category"], &told["moves"][0]["san"]), (&json!("win"), &json!("Rd8#")));
    assert_eq!((&told["dtm"], &told["moves"][1]["category"]), (&json!(null), &json!("unknown")));
    for unknown in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "8/8/8/8/3p4/2k5/1R6/K7 w - - 0 1",
        // One side has more pieces than the loser of any table.
        "4k3/8/8/8/8/8/1NN5/KNNR3q w - - 0 1",
    ] {
        let told = probe(unknown);
        assert_eq!((&told["category"], &told["dtm"]), (&json!("unknown"), &json!(null)), "{unknown}");
    }
    // No table has castling rights, but the position after each move is in a table.
    let told = probe("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    assert_eq!((&told["category"], &told["dtm"]), (&json!("win"), &json!(null)));
    // En passant squares and castling rights that are impossible are ignored, as Lichess does.
    assert_eq!(probe("8/8/8/8/8/2k5/1R6/K7 w KQ a3 0 1")["category"], "win");
}

#[test]
fn a_damaged_table_is_named_without_its_folder() {
    let sandbox = EgtgenSandbox::with(&["KRvK", "KPvK"]);
    let mut bytes = sandbox.get("t/KQvK.egt");
    let middle = bytes.len() / 2;
    bytes[middle..middle + 64].fill(0xaa);
    let path = sandbox.path("t").display().to_string();
    sandbox.put("t/KRvK.egt", &bytes);
    let served = Served::start(&sandbox, &["--tables", "t"]);
    let answer = served.ask("GET /tablebase?fen=8/8/8/8/8/2k5/1R6/K7").refused(500, "KRvK.egt: ", None);
    assert!(!answer.text().contains(&path), "{}", answer.text());
    let rows = served.ask("GET /tables/").with_status(200);
    assert!(rows.text().contains(r#""state":"damaged""#) && !rows.text().contains(&path), "{}", rows.text());
}

#[test]
fn a_table_that_does_not_fit_is_refused_with_the_size_that_would_do() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let path = "GET /tablebase?fen=8/8/8/8/8/2k5/1R6/K7";
    let mut cache = "1KiB".to_owned();
    // The refusal names a size that is enough for the next step: the table, its directory, a tile.
    for step in 0.. {
        let served = Served::start(&sandbox, &["--tables", "t", "--cache", &cache]);
        let answer = served.ask(path);
        if answer.status == 200 {
            assert!(step > 0 && answer.json()["category"] == "win");
            break;
        }
        let error =
            answer.refused(503, "KRvK needs at least --cache ", None).json()["error"].as_str().unwrap().to_owned();
        let least = error.split("--cache ").nth(1).and_then(|rest| rest.split(':').next()).unwrap();
        assert_ne!(least, cache);
        cache = least.to_owned();
        // Requests that need no table succeed.
        served.ask(&format!("GET /transform?fen={}&op=rot90", url(KNIGHT))).with_status(200);
    }
    sandbox.run(&["serve", "--cache", "much"]).failed_usage("expected a memory size");
}

/// Paths below `/tables/` that do not name a table of the folder.
const NOT_TABLES: [&str; 26] = [
    ".hidden.egt",
    "%2ehidden.egt",
    "KQvKR.egt.part",
    "notes.txt",
    "sub/KRvK.egt",
    "sub%2fKRvK.egt",
    "folder.egt",
    "link.egt",
    "toHidden.egt",
    "toPart.egt",
    "toNotes.egt",
    "toSub.egt",
    "../outside.egt",
    "..%2foutside.egt",
    "%2e%2e/outside.egt",
    "%2e%2e%2foutside.egt",
    "..\\outside.egt",
    "..%5coutside.egt",
    "KRvK.egt%00",
    "KRvK%00.egt",
    "KRvK.egt/",
    "/KRvK.egt",
    "KRvK",
    "krvk.egt",
    ".egt",
    "KRvK.egt%2f..%2f..%2foutside.egt",
];

#[test]
fn a_folder_shows_tables_and_nothing_else() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    sandbox.put("t/.hidden.egt", "x");
    sandbox.put("t/KQvKR.egt.part", "x");
    sandbox.put("t/notes.txt", "x");
    sandbox.put("outside.egt", "secret");
    fs::create_dir(sandbox.path("t/sub")).unwrap();
    sandbox.put("t/sub/KRvK.egt", "x");
    fs::create_dir(sandbox.path("t/folder.egt")).unwrap();
    #[cfg(unix)]
    for (to, link) in [
        ("outside.egt", "link"),
        ("t/.hidden.egt", "toHidden"),
        ("t/KQvKR.egt.part", "toPart"),
        ("t/notes.txt", "toNotes"),
        ("t/sub/KRvK.egt", "toSub"),
        ("t/KRvK.egt", "again"),
    ] {
        std::os::unix::fs::symlink(sandbox.path(to), sandbox.path(&format!("t/{link}.egt"))).unwrap();
    }
    let served = Served::start(&sandbox, &["--tables", "t"]);
    let rows = served.ask("GET /tables/").with_status(200).json();
    let whole: Vec<_> = rows.as_array().unwrap().iter().filter(|row| row["state"] == "whole").collect();
    assert_eq!((whole.len(), &whole[0]["table"], &whole[0]["longest_win_moves"]), (1, &json!("KRvK"), &json!(16)));
    assert_eq!(served.ask("GET /tables").with_status(200).json(), rows);

    for path in NOT_TABLES {
        served.ask(&format!("GET /tables/{path}")).refused(404, "this table does not exist", None);
    }
    #[cfg(unix)]
    {
        let again = served.ask("GET /tables/again.egt").with_status(200);
        assert!(again.body == sandbox.get("t/KRvK.egt"), "a link to a table of the folder");
    }
    let answer = served.ask("DELETE /tables/KRvK.egt").refused(405, "GET, HEAD", None);
    assert_eq!(answer.header("allow"), Some("GET, HEAD"));
}

#[test]
fn files_of_tables_are_whole_or_in_parts() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let served = Served::start(&sandbox, &["--tables", "t"]);
    let file = sandbox.get("t/KRvK.egt");
    let whole = served.ask("GET /tables/KRvK.egt").with_status(200);
    assert!(whole.body == file && whole.header("accept-ranges") == Some("bytes"), "{}", whole.head);
    assert_eq!(whole.header("content-type"), Some("application/octet-stream"));
    let length = file.len().to_string();
    let head = served.ask("HEAD /tables/KRvK.egt").with_status(200);
    assert_eq!((head.header("content-length"), head.body.len()), (Some(&*length), 0));
    let part = |header: &str| served.with("GET /tables/KRvK.egt", header);
    let some = part("range: bytes=10-19").with_status(206);
    assert_eq!(
        (&some.body[..], some.header("content-range")),
        (&file[10..20], Some(&*format!("bytes 10-19/{length}")))
    );
    assert_eq!(part("range: bytes=-7").with_status(206).body, file[file.len() - 7..]);
    assert_eq!(part("range: bytes=100-").with_status(206).body, file[100..]);
    let beyond = part("range: bytes=99999999-").refused(416, "this range does not exist", None);
    assert_eq!(beyond.header("content-range"), Some(&*format!("bytes */{length}")));
    assert_eq!(part("range: bytes=10-99999999").with_status(206).body, file[10..]);
    // A header that is no range of bytes, or asks for several ranges, gets the whole file.
    for ignored in ["lines=1-2", "bytes=x", "bytes=5-2", "bytes", "bytes=0-1,5-6", "bytes=0-1\r\nrange: bytes=5-6"] {
        let whole = part(&format!("range: {ignored}")).with_status(200);
        assert!(whole.body == file && whole.header("content-range").is_none(), "{ignored}: {}", whole.head);
    }
    let head = served.with("HEAD /tables/KRvK.egt", "range: bytes=0-3").with_status(200);
    assert_eq!((head.header("content-length"), head.body.len()), (Some(&*length), 0));
    let tag = whole.header("etag").unwrap();
    assert!(part(&format!("if-none-match: {tag}")).with_status(304).body.is_empty());
    let fresh = part(&format!("if-range: {tag}\r\nrange: bytes=0-3")).with_status(206);
    assert_eq!((&fresh.body[..], fresh.header("etag")), (&file[..4], Some(tag)));
    let stale = part("if-range: \"other\"\r\nrange: bytes=0-3").with_status(200);
    assert!(stale.body == file);
}

#[test]
#[cfg(unix)]
fn what_is_no_file_is_refused_at_once() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    // Opening a pipe would block until somebody writes to it, and nobody does.
    assert!(Command::new("mkfifo").arg(sandbox.path("t/KQvK.egt")).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", sandbox.path("t/KBvK.egt")).unwrap();
    std::os::unix::fs::symlink("KQvK.egt", sandbox.path("t/KNvK.egt")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.path("t/KPvK.egt")).unwrap();
    let served = Served::start(&sandbox, &["--tables", "t"]);
    for _ in 0..10 {
        let table = |fen: &str| served.ask(&format!("GET /tablebase?fen={fen}"));
        table("8/8/8/5k2/8/8/1Q6/K7").refused(
            500,
            "KQvK.egt: cannot be read: it is a FIFO, and only a regular file is allowed here",
            None,
        );
        table("8/8/8/5k2/8/8/1P6/K7").refused(500, "it is a socket, and only a regular file is allowed here", None);
    }
    for file in ["KQvK.egt", "KBvK.egt", "KNvK.egt", "KPvK.egt"] {
        served.ask(&format!("GET /tables/{file}")).refused(404, "this table does not exist", None);
    }
    assert_eq!(served.ask("GET /tables/").with_status(200).json().as_array().unwrap().len(), 1);
    assert_eq!(served.end("-TERM").0, Some(0));
    for command in ["stats", "verify"] {
        sandbox
            .run(&[command, "KQvK", "--tables", "t"])
            .failed(1, &["KQvK.egt: ", "it is a FIFO, and only a regular file is allowed here"]);
    }
    sandbox.run(&["list", "--tables", "t"]).succeeded();
}
