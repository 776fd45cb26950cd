//! Ctrl-C while the program waits for input: it leaves no files behind and says that it was interrupted.
#![cfg(unix)]

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{CliSandbox, SAMPLE};

/// Sends the signal when `ready` holds and waits for the program to end. Returns the exit code and the messages.
fn interrupted(mut child: Child, signal: &str, ready: impl Fn() -> bool) -> (Option<i32>, String) {
    let begin = Instant::now();
    while !ready() {
        assert!(begin.elapsed() < Duration::from_secs(60), "the import never began");
        std::thread::sleep(Duration::from_millis(5));
    }
    // `wait` would close standard input, and the program might notice that before the signal.
    let _input = child.stdin.take();
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    let code = child.wait().unwrap().code();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (code, said)
}

fn slow_import(sandbox: &CliSandbox, arguments: &[&str]) -> Child {
    let mut command = sandbox.command(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    // The program gets half a file and waits for the rest.
    child.stdin.as_mut().unwrap().write_all(&SAMPLE[..500]).unwrap();
    child
}

#[test]
fn a_new_corpus_is_not_left_half() {
    for signal in ["-INT", "-TERM"] {
        let sandbox = CliSandbox::new();
        let child = slow_import(&sandbox, &["import", "-", "-o", "out.plyfold"]);
        let (code, said) = interrupted(child, signal, || sandbox.partial("out.plyfold").is_some());
        assert_eq!(code, Some(130), "{said}");
        assert!(said.contains("plyfold: interrupted; out.plyfold was not written"), "{said}");
        assert!(sandbox.names().is_empty(), "{:?}", sandbox.names());
    }
}

#[test]
fn an_old_corpus_is_as_it_was() {
    let sandbox = CliSandbox::with_sample();
    let before = sandbox.get("sample.plyfold");
    // An append first removes the remains of an interrupted one, so their disappearance shows that it has begun.
    sandbox.put("sample.plyfold", [&before[..], &[7; 1000]].concat());
    let child = slow_import(&sandbox, &["import", "-", "-o", "sample.plyfold", "--append"]);
    let begun = || sandbox.get("sample.plyfold").len() == before.len();
    let (code, said) = interrupted(child, "-INT", begun);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("interrupted; sample.plyfold is as it was"), "{said}");
    assert_eq!(sandbox.get("sample.plyfold"), before);
    sandbox.run(&["import", "sample.pgn", "-o", "sample.plyfold", "--append"]).succeeded();
}

#[test]
fn a_long_answer_is_broken_off() {
    let sandbox = CliSandbox::new();
    sandbox.put("many.pgn", SAMPLE.repeat(1000));
    sandbox.run(&["import", "many.pgn", "-o", "many.plyfold"]).succeeded();
    let mut command = sandbox.command(&["query", "many.plyfold", "", "--positions", "fen"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The program has written part of its output and blocks, because nobody reads the rest.
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 100]).unwrap();
    let (code, said) = interrupted(child, "-INT", || true);
    assert_eq!((code, said.trim()), (Some(130), "plyfold: interrupted"));
}

#[test]
fn an_export_is_not_left_half() {
    let sandbox = CliSandbox::new();
    sandbox.put("many.pgn", SAMPLE.repeat(20_000));
    sandbox.run(&["import", "many.pgn", "-o", "many.plyfold"]).succeeded();
    for format in ["epd", "parquet"] {
        let place = format!("out.{format}");
        sandbox.put(&place, "as it was");
        let table = if format == "parquet" { &["--positions"][..] } else { &[] };
        let arguments = ["export", "many.plyfold", "--format", format, "-o", &place, "--threads", "1", "--force"];
        let mut command = sandbox.command(&[&arguments[..], table].concat());
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (code, said) = interrupted(child, "-INT", || sandbox.partial(&place).is_some());
        assert_eq!(code, Some(130), "{format}: {said}");
        assert!(said.contains(&format!("plyfold: interrupted; {place} is as it was")), "{said}");
        assert_eq!(sandbox.get(&place), b"as it was");
        assert_eq!(sandbox.partial(&place), None);
    }
}
