//! `plyfold signature`: signatures of positions, and whether one can be reached from another.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::{CliRun, CliSandbox};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
const START_SIGNATURE: &str = "05960000000000ff 0596ff0000000000";

/// Runs the program with `input` on standard input.
fn fed(arguments: &[&str], input: &[u8]) -> CliRun {
    let mut command = CliSandbox::new().command(arguments);
    command.current_dir(".").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = command.spawn().unwrap();
    // The program stops reading at a mistake, so this write may fail.
    let _ = running.stdin.take().unwrap().write_all(input);
    CliRun::of(running.wait_with_output().unwrap())
}

fn text(arguments: &[&str]) -> String {
    CliSandbox::new().run(arguments).succeeded().text()
}

#[test]
fn a_position_has_two_words() {
    assert_eq!(text(&["signature", START]), format!("{START_SIGNATURE}\n"));
    assert_eq!(text(&["signature", E4, START]), format!("0d960000001000ef 0596ff0000000000\n{START_SIGNATURE}\n"));
    // Without quotes, the shell splits a FEN into words.
    let pieces: Vec<&str> = ["signature"].into_iter().chain(START.split(' ')).chain(E4.split(' ')).collect();
    assert_eq!(text(&pieces), format!("{START_SIGNATURE}\n0d960000001000ef 0596ff0000000000\n"));
    assert_eq!(
        CliSandbox::new().json(&["signature", E4]),
        json!({ "fen": E4, "white": "0d960000001000ef", "black": "0596ff0000000000" })
    );
}

#[test]
fn no_rule_is_asked_of_a_position() {
    for (fen, signature) in [
        // Nine queens and more, no kings, no pieces at all.
        ("QQQQQQQQ/QQQ5/8/8/8/8/8/8", "0300000000000000 0000000000000000"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "0000000000000000 0000000000000000"),
        ("8/pppppppp/pppp4/8/8/8/PPPPPPPP/8 b - - 0 1", "04000000000000ff 0000ff0f00000000"),
    ] {
        assert_eq!(text(&["signature", fen]), format!("{signature}\n"), "{fen}");
    }
}

#[test]
fn positions_are_read_line_by_line() {
    let input = format!("{START}\r\n\n  {E4}\n{START_SIGNATURE}");
    let expected = format!("{START_SIGNATURE}\n0d960000001000ef 0596ff0000000000\n{START_SIGNATURE}\n");
    for arguments in [&["signature"][..], &["signature", "-"]] {
        assert_eq!(fed(arguments, input.as_bytes()).succeeded().text(), expected);
    }
    assert_eq!(fed(&["signature"], b"").succeeded().text(), "");
}

#[test]
fn verdicts_on_pairs() {
    assert_eq!(text(&["signature", "--can-reach", START, E4]), "true\n");
    assert_eq!(text(&["signature", "--can-reach", E4, START]), "false\n");
    // A signature may know steps that no position shows: the pawn on a7 can make one more step, but not two.
    let [five, six, seven] = ["18000100000000fe 0", "1c000000000000fe 0", "20000000000000fe 0"];
    assert_eq!(text(&["signature", "--can-reach", five, six]), "true\n");
    assert_eq!(text(&["signature", "--can-reach", five, seven]), "false\n");
    let input = format!("{START}\t{E4}\n{E4}\t{START}\n\n{E4} \t {E4}\n");
    assert_eq!(fed(&["signature", "--can-reach"], input.as_bytes()).succeeded().text(), "true\nfalse\ntrue\n");
    let ran = fed(&["signature", "--can-reach", "--format", "json", "-"], input.as_bytes()).succeeded().text();
    let verdicts: Vec<Value> = ran.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(verdicts.len(), 3);
    assert_eq!(
        verdicts[1],
        json!({
            "from": { "fen": E4, "white": "0d960000001000ef", "black": "0596ff0000000000" },
            "to": { "fen": START, "white": "05960000000000ff", "black": "0596ff0000000000" },
            "can_reach": false,
        })
    );
}

#[test]
fn what_is_no_position_is_named() {
    let run = |arguments: &[&str]| CliSandbox::new().run(arguments);
    run(&["signature", "rnbq"]).failed_in_a_line(2, &["\"rnbq\" is neither a FEN nor a signature"]);
    run(&["signature", "P7/8/8/8/8/8/8/8"]).failed_in_a_line(2, &["a pawn stands on a8"]);
    run(&["signature", "8/8/8/8/8/8/8/8[Q]"]).failed_in_a_line(2, &["pocket"]);
    run(&["signature", START, "12"]).failed_in_a_line(2, &["0 1 12"]);
    for fens in [&[START][..], &[START, E4, START]] {
        run(&[&["signature", "--can-reach"], fens].concat()).failed_in_a_line(2, &["two positions"]);
    }
    // Lines before the mistake are processed.
    let ran = fed(&["signature"], format!("{START}\n\nx\n{START}\n").as_bytes());
    assert_eq!(ran.failed_in_a_line(1, &["standard input: line 3: \"x\""]).text(), format!("{START_SIGNATURE}\n"));
    let pair = |line: &str| fed(&["signature", "--can-reach"], line.as_bytes());
    pair(START).failed_in_a_line(1, &["line 1", "no tab"]);
    pair("0 0\t0 0\t0 0").failed_in_a_line(1, &["line 1", "this line has 3"]);
    pair("0 0\t").failed_in_a_line(1, &["line 1"]);
    fed(&["signature"], &[0xff, 0xfe, b'\n']).failed_in_a_line(1, &["line 1"]);
}
