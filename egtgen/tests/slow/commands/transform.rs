//! `egtgen transform`: transforms boards from arguments, lines and games.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::program::{EgtgenRun, EgtgenSandbox};

const BOARD: &str = "8/2k5/3p4/4P3/8/1N6/2K5/8";
const ROT90: &str = "8/8/8/3P4/2p5/1k4K1/5N2/8 w - - 0 1\n";
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn run(arguments: &[&str]) -> EgtgenRun {
    EgtgenSandbox::new().run(&[&["transform"], arguments].concat())
}

fn run_with(arguments: &[&str], input: &str) -> EgtgenRun {
    EgtgenSandbox::new().run_with(&[&["transform"], arguments].concat(), input)
}

#[test]
fn any_text_for_the_same_does_the_same() {
    for op in
        [&["rot90"][..], &["rotate 90"], &["Rotate", "90"], &["flipV flipD"], &["flipv", "FLIPD"], &["rot180 cont"]]
    {
        let ran = run(&[op, &[BOARD]].concat());
        if op == ["rot180 cont"] {
            ran.failed(2, &["`rot180 cont`: column 8", "first in a twin"]);
        } else {
            assert_eq!(ran.succeeded().stdout, ROT90, "{op:?}");
        }
    }
    // People forget to quote a FEN.
    let ran = run(&["flipcolor", "8/2k5/3p4/4P3/8/1N6/2K5/8", "b", "-", "-", "3", "40", BOARD]).succeeded();
    assert_eq!(ran.stdout, "8/2k5/1n6/8/4p3/3P4/2K5/8 w - - 3 40\n8/2k5/1n6/8/4p3/3P4/2K5/8 b - - 0 1\n");
}

#[test]
fn positions_come_from_lines_files_and_games() {
    let sandbox = EgtgenSandbox::new();
    let lines = format!("\u{feff}{BOARD}\r\n\n  {BOARD} w - - hmvc 0; id \"x\";\n{BOARD} w - - 0 1");
    let pgn = format!("[Event \"a\"]\n[FEN \"{BOARD} w - - 0 1\"]\n\n1. Zz9 {{ {{ *\n\n[Event \"b\"]\n\n1. e4 e5 *\n");
    sandbox.put("some.fen", &lines);
    sandbox.put("some.pgn", &pgn);
    for arguments in [&["rot90"][..], &["rot90", "-"], &["rot90", "--file", "-"], &["rot90", "--input", "fen"]] {
        assert_eq!(run_with(arguments, &lines).succeeded().stdout, ROT90.repeat(3), "{arguments:?}");
    }
    let turned = "rp4PR/np4PN/bp4PB/kp4PK/qp4PQ/bp4PB/np4PN/rp4PR w - - 0 1\n";
    let ran = sandbox.run(&["transform", "rot90", BOARD, "--file", "some.pgn", "--file", "some.fen"]).succeeded();
    assert_eq!(ran.stdout, format!("{ROT90}{ROT90}{turned}{}", ROT90.repeat(3)));
    assert_eq!(run_with(&["rot90"], &format!("\n \n{pgn}")).succeeded().stdout, format!("{ROT90}{turned}"));
    assert_eq!(run_with(&["rot90"], "").succeeded().stdout, "");
    // A text without tags is read as PGN if the command line says so.
    assert_eq!(
        run_with(&["rot90", "--input", "pgn"], "1. e4 e5 1-0\n\n1. d4 *\n").succeeded().stdout,
        turned.repeat(2)
    );
}

#[test]
fn games_are_cut_at_their_borders() {
    let comment = "long ".repeat(20_000);
    let game = |nth: usize| format!("[Event \"{nth}\"]\n[FEN \"{BOARD} w - - 0 {nth}\"]\n\n1. Kd3 {{{comment}}} *\n\n");
    let text: String = (1..30).map(game).collect();
    let expected: String = (1..30).map(|nth| ROT90.replace(" 1\n", &format!(" {nth}\n"))).collect();
    assert_eq!(run_with(&["rot90"], &text).succeeded().stdout, expected);
}

#[test]
fn a_bad_position_among_many_does_not_stop_the_rest() {
    let sandbox = EgtgenSandbox::new();
    sandbox.put("some.fen", format!("{BOARD}\nrubbish\n\n{BOARD} w - - 0 1\n8/8/44p/8/8/8/8/8 w - - 0 1\n{START}\n"));
    sandbox.put("some.pgn", "[FEN \"8/8\"]\n\n*\n\n[Variant \"Horde\"]\n[Result \"*\"]\n\n*\n\n[Event \"c\"]\n\n*\n");
    let ran = sandbox.run(&["transform", "shift c1 a1", "--drop", "--file", "some.fen", "--file", "some.pgn"]);
    let ran = ran.failed(2, &["4 of 8 positions could not be answered"]);
    assert_eq!(ran.stdout.lines().count(), 4, "{}", ran.stdout);
    let said: Vec<&str> = ran.stderr.lines().collect();
    for (line, says) in [
        (0, "some.fen:2: column 2: `u` is no piece"),
        (1, "some.fen:5: column 5: rank 6 has 9 squares"),
        (2, "some.pgn: game 1: its FEN, column 4: a board has 8 ranks"),
        (3, "some.pgn: game 2: variant horde is not supported"),
    ] {
        assert!(said[line].starts_with(says), "{:?} does not begin with {says:?}", said[line]);
    }
    let ran = sandbox.run(&["transform", "rot90", "--file", "some.fen", "--format", "json"]).failed(2, &["2 of 5"]);
    let answers = ran.objects();
    assert_eq!(answers[1]["place"], "some.fen:2");
    assert!(answers[3]["error"].as_str().unwrap().contains("rank 6"), "{}", answers[3]);
    assert_eq!(answers[4]["images"][0]["op"], "rot90");
}

#[test]
fn pieces_at_the_edge() {
    let left = "8/k7/1p6/2P5/8/8/K7/8 w - - 0 1\n";
    for (arguments, is_refused) in [
        (&["shift c1 a1", BOARD][..], true),
        (&["shift c1 a1", BOARD, "--drop"], false),
        (&["shift:-2,0", BOARD], false),
        (&["shift:-2,0", BOARD, "--strict"], true),
    ] {
        match is_refused {
            true => drop(run(arguments).failed(2, &["`shift", "a piece leaves the board: Nb3"])),
            false => assert_eq!(run(arguments).succeeded().stdout, left),
        }
    }
    let ran = run_with(&["rot90 shift:0,5", "--strict"], &format!("{BOARD}\n8/8/8/8/8/8/8/K7\n"));
    let ran = ran.failed(2, &["1 of 2"]);
    assert!(ran.stderr.starts_with("standard input:1: `shift:0,5`: pieces leave the board: "), "{}", ran.stderr);
    assert_eq!(ran.stdout.lines().count(), 1);
}

#[test]
fn epd_by_turns() {
    let ran = run_with(&["flipH", "--format", "epd"], &format!("{BOARD}\n{START}\n")).succeeded();
    let flipped = "8/5k2/4p3/3P4/8/6N1/5K2/8 w - - c0 \"flip a1 h1\"; id \"2\";";
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0], format!("{BOARD} w - - c0 \"original position\"; id \"1\";"));
    assert_eq!((lines[1], lines.len()), (flipped, 4));
    assert!(lines[3].ends_with("c0 \"flip a1 h1\"; id \"4\";"));
    // The program reads its own output.
    let again = run_with(&["flipH"], &ran.stdout).succeeded();
    assert_eq!(again.stdout.lines().next(), Some("8/5k2/4p3/3P4/8/6N1/5K2/8 w - - 0 1"));

    let literal = run(&["--family", "rotate", "--literal", BOARD, START]).succeeded().stdout;
    assert_eq!(literal.lines().nth(1), Some("8/8/8/3P4/2p5/1k4K1/5N2/8 w - - c0 \"rotate  90\"; id \"2\""));
    assert_eq!((literal.lines().count(), literal.contains(';')), (12, true));
    assert!(!literal.lines().any(|line| line.ends_with(';')));
    let shifts = run(&["--family", "shift", BOARD]).succeeded().stdout;
    assert_eq!(shifts.lines().count(), 72);
    assert!(shifts.contains("c0 \"shift c3 a2\"") && shifts.ends_with("c0 \"shift c3 c3\"; id \"72\";\n"));
    assert_eq!(run(&["--family", "shift", BOARD, "--format", "fen"]).succeeded().stdout.lines().count(), 36);
}

#[test]
fn twins_have_labels() {
    let op = "Twin rotate 90 Twin continued mirror a1<-->h1 Twin add white Qh8";
    assert_eq!(run(&[op, BOARD]).succeeded().stdout.lines().count(), 4);
    let text = run(&[op, BOARD, "--format", "text"]).succeeded().stdout;
    assert!(text.contains("\n  a) original position  8/2k5"), "{text}");
    assert!(text.contains("\n  b) rotate 90          8/8/8/3P4"), "{text}");
    let epd = run(&[op, BOARD, "--format", "epd"]).succeeded().stdout;
    assert!(epd.contains("c0 \"d) +wQh8\"; id \"4\";"), "{epd}");
    let object = &run(&["zero polish twin remove d6", BOARD, "--format", "json"]).succeeded().objects()[0];
    assert_eq!(
        object["images"][0],
        json!({"label": "a", "op": "PolishType", "fen": "8/2K5/3P4/4p3/8/1n6/2k5/8 w - - 0 1"})
    );
    assert_eq!((&object["images"][1]["label"], &object["images"][2]), (&json!("b"), &Value::Null));
    run(&["twin rotate 90 twin remove a1", BOARD]).failed(2, &["`remove a1`: twin c: there is no piece on a1"]);
}

#[test]
fn all_images_once_each() {
    let all = run(&["--all", BOARD]).succeeded().stdout;
    let mut lines: Vec<&str> = all.lines().collect();
    assert_eq!((lines.len(), lines[0]), (16, "8/2k5/3p4/4P3/8/1N6/2K5/8 w - - 0 1"));
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 16);
    // A board that is its own mirror image has half as many images. The empty board has one for each side to move.
    assert_eq!(run(&["--all", "3kk3/8/8/8/8/8/3PP3/3KK3"]).succeeded().stdout.lines().count(), 8);
    assert_eq!(
        run(&["--all", "8/8/8/8/8/8/8/8"]).succeeded().stdout,
        "8/8/8/8/8/8/8/8 w - - 0 1\n8/8/8/8/8/8/8/8 b - - 0 1\n"
    );
    let epd = run(&["--all", BOARD, "--format", "epd"]).succeeded().stdout;
    assert!(epd.contains("c0 \"original position\"; id \"1\";\n") && epd.contains("c0 \"flipH flipcolor\""), "{epd}");
}

#[test]
fn what_lies_between_two() {
    let ran = run(&["--detect", "8/8/8/3P4/2p5/1k4K1/5N2/8", BOARD]).succeeded();
    assert_eq!(ran.stdout, "rot90\n");
    assert_eq!(run(&["--detect", BOARD, START]).succeeded().stdout, "none\n");
    // The image comes first: pieces may leave the board, but none may come in from outside.
    let (image, original) = ("8/8/8/8/8/3k4/K7/8", "8/8/8/8/8/4k3/1K6/B7");
    let object = &run(&["--detect", image, original, "--format", "json"]).succeeded().objects()[0];
    assert_eq!(object["relations"], json!(["shift:-1,0"]));
    let object = &run(&["--detect", original, image, "--format", "json"]).succeeded().objects()[0];
    assert_eq!((&object["relations"], &object["image"]), (&json!([]), &json!(format!("{original} w - - 0 1"))));
    let input = format!("{image}\t{original} w - - 0 1\n{image}\n{image}\t8/8\n{START}\t{START}\n");
    let ran = run_with(&["--detect"], &input).failed(2, &["2 of 4"]);
    assert_eq!(ran.stdout, "shift:-1,0\nidentity, flipcolor\n");
    assert!(ran.stderr.contains("standard input:2: write two positions with a tab"), "{}", ran.stderr);
    assert!(ran.stderr.contains("standard input:3: the second position, column 4"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_asked() {
    for (arguments, says) in [
        (&[][..], "there is no operation"),
        (&["-"], "there is no operation"),
        (&["rot45", BOARD], "`rot45`: column 1: `rot45`: this is not a command"),
        (&["rot90", "8/8/8/8/8/8/8"], "column 14: a board has 8 ranks"),
        (&["--all", "rot90", BOARD], "`rot90` is not a FEN"),
        (&["--detect", BOARD], "two positions with a tab between them"),
        (&["--detect", BOARD, BOARD, "--format", "fen"], "--format must be text or json"),
        (&["rot90", BOARD, "--literal", "--format", "fen"], "--literal applies to EPD"),
    ] {
        run(arguments).failed(2, &[says]);
    }
    run(&["rot90", BOARD, "--strict", "--drop"]).failed_usage("--strict");
    run(&["--all", "--detect", BOARD]).failed_usage("--all");
    run(&["--all", "--strict", BOARD]).failed_usage("--strict");
    run_with(&["--detect"], "[Event \"a\"]\n\n*\n").failed(1, &["is PGN"]);
    let sandbox = EgtgenSandbox::new();
    for (name, bytes, says) in [
        ("a.zst", &b"\x28\xb5\x2f\xfd and more"[..], "compressed by zstd; decompress it first"),
        ("a.gz", b"\x1f\x8b and more", "compressed by gzip"),
        ("a.txt", b"\xff\xfe8\0/\0", "UTF-16"),
        ("long", &[b'8'; (1 << 20) + 2], "more than 1048576 bytes: line 1"),
    ] {
        sandbox.put(name, bytes);
        sandbox.run(&["transform", "rot90", "--file", name]).failed(1, &[name, says]);
    }
    sandbox.run(&["transform", "rot90", "--file", "nowhere"]).failed(1, &["nowhere: cannot be read"]);
    sandbox.put("bytes", b"8/8/8/8/8/8/8/8\n\xe4\n");
    sandbox.run(&["transform", "rot90", "--file", "bytes"]).failed(2, &["1 of 2"]);
}

#[test]
fn a_reader_that_leaves_is_no_fault() {
    let sandbox = EgtgenSandbox::new();
    sandbox.put("many.fen", format!("{START}\n").repeat(50_000));
    let mut command = sandbox.command(&["transform", "rot90", "--file", "many.fen"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]));
}

#[test]
#[cfg(unix)]
fn an_interrupt_leaves_whole_lines() {
    let sandbox = EgtgenSandbox::new();
    let mut command = sandbox.command(&["transform", "rot90"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The program transforms a line before the next one arrives.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(format!("{BOARD}\n{BOARD}").as_bytes()).unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, ROT90);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(stdin);
    line.clear();
    out.read_to_string(&mut line).unwrap();
    assert_eq!(line, "");
}
