//! Runs that end early, by Ctrl-C or by a signal that cannot be caught. The same command resumes them, and the finished files
//! show no trace of it.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use super::program::EgtgenSandbox;

/// A run with few cycles, each a section of the file, and little work before them.
const SHORT: [&str; 4] = ["generate", "KNNvKN", "--out", "t"];

/// A run with more cycles.
const LONG: [&str; 4] = ["generate", "KNNNvK", "--out", "t"];

/// Runs the program until a line of standard error begins with `line`. Also returns the rest of standard error. `None` if the run ended
/// without such a line.
fn run_until(
    sandbox: &EgtgenSandbox,
    asked: [&str; 4],
    line: &str,
) -> Option<(Child, BufReader<std::process::ChildStderr>)> {
    let mut command = sandbox.command(&[&asked[..], &["--verbose", "--threads", "1"]].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut read = String::new();
    while !read.starts_with(line) {
        read.clear();
        if said.read_line(&mut read).unwrap() == 0 {
            child.wait().unwrap();
            return None;
        }
    }
    Some((child, said))
}

/// All tables of a folder, with their names.
fn tables(sandbox: &EgtgenSandbox) -> Vec<(String, Vec<u8>)> {
    let names = sandbox.names("t");
    names.into_iter().map(|name| (name.clone(), sandbox.get(&format!("t/{name}")))).collect()
}

#[test]
fn killed_and_gone_on_with_the_files_are_the_same() {
    let undisturbed = EgtgenSandbox::new();
    undisturbed.run(&SHORT).succeeded();
    let sandbox = EgtgenSandbox::new();
    let killed = |line: &str| {
        let Some((mut child, _)) = run_until(&sandbox, SHORT, line) else { return false };
        child.kill().unwrap();
        child.wait().unwrap();
        sandbox.names("t").contains(&"KNNvKN.egt.part".to_owned())
    };
    // A run may finish, or get beyond the third cycle, before it can be killed.
    let is_killed = (0..20).any(|_| {
        let _ = fs::remove_dir_all(sandbox.path("t"));
        killed("KNNvKN N 1:") && killed("KNNvKN N 3:")
    });
    assert!(is_killed, "{:?}", sandbox.names("t"));
    let ran = sandbox.run(&SHORT).succeeded();
    assert!(ran.stderr.contains("KNNvKN: continues after N =  "), "{}", ran.stderr);
    assert!(tables(&sandbox) == tables(&undisturbed), "{:?}", sandbox.names("t"));
}

#[test]
fn an_interrupt_says_what_is_safe() {
    for signal in ["-INT", "-TERM"] {
        let sandbox = EgtgenSandbox::new();
        let (mut child, mut said) = run_until(&sandbox, LONG, "KNNNvK N 2:").expect("a second cycle");
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let mut rest = String::new();
        said.read_to_string(&mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{rest}");
        assert!(rest.contains("press Ctrl-C again to stop at once"), "{rest}");
        let last = rest.lines().last().unwrap();
        assert!(last.starts_with("egtgen: interrupted; ") && last.contains(" tables are complete, "), "{rest}");
        assert!(
            last.contains("KNNNvK up to N = ") && last.ends_with("run the same command again to continue"),
            "{rest}"
        );
        let names = sandbox.names("t");
        assert!(
            names.contains(&"KNNNvK.egt.part".to_owned()) && !names.contains(&"KNNNvK.egt".to_owned()),
            "{names:?}"
        );
    }
}

#[test]
fn a_question_ends_at_once() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let mut command = sandbox.command(&["probe", "--tables", "t"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The program has answered, so it handles signals by now. Then it waits for more input.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"8/8/8/8/8/2k5/1R6/K7 w - - 0 1\n").unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0; 20]).unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(String::from_utf8(output.stderr).unwrap().trim(), "egtgen: interrupted");
}
