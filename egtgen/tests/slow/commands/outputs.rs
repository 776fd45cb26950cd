//! Files beside a table never touch files of the user: the program does not follow, empty, remove or wait for anything that
//! it did not make.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::program::{EgtgenRun, EgtgenSandbox};

/// Kinds of things that can be where a table is to be written, and the message for each.
const KINDS: [(&str, &str); 7] = [
    ("file", "is not a partial table of egtgen: remove it"),
    ("link", "it is a symbolic link"),
    ("hard link", "it has another name (a hard link)"),
    ("link to a begun table", "it is a symbolic link"),
    ("fifo", "it is a FIFO"),
    ("socket", "it is a socket"),
    ("folder", "it is a directory"),
];

/// Creates something of the user's at a path. A socket exists as long as the returned value.
fn put(sandbox: &EgtgenSandbox, place: &str, kind: &str) -> Option<UnixListener> {
    sandbox.put("precious", "precious");
    let path = sandbox.path(place);
    match kind {
        "file" => sandbox.put(place, "precious"),
        "link" => symlink(sandbox.path("precious"), path).unwrap(),
        "hard link" => fs::hard_link(sandbox.path("precious"), path).unwrap(),
        "link to a begun table" => symlink(sandbox.path("begun"), path).unwrap(),
        "fifo" => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        "socket" => return Some(UnixListener::bind(path).unwrap()),
        _ => fs::create_dir(path).unwrap(),
    }
    None
}

/// Runs the program, which must not wait for anything. Ends it after far longer than it can need.
fn run_without_waiting(sandbox: &EgtgenSandbox, line: &[&str]) -> EgtgenRun {
    let mut command = sandbox.command(line);
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > Duration::from_secs(300) {
            child.kill().unwrap();
            panic!("{line:?} waits");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    EgtgenRun::of(child.wait_with_output().unwrap())
}

#[test]
fn a_foreign_part_is_left_alone() {
    for (kind, says) in KINDS {
        let sandbox = EgtgenSandbox::new();
        fs::create_dir(sandbox.path("t")).unwrap();
        // The program could resume this file if it were not a link.
        let begun = EgtgenSandbox::with(&["KRvK"]).get("t/KRvK.egt");
        sandbox.put("begun", &begun[..begun.len() - 1]);
        let socket = put(&sandbox, "t/KRvK.egt.part", kind);
        let before = fs::symlink_metadata(sandbox.path("t/KRvK.egt.part")).unwrap();
        for fleet in [&["--fleet"][..], &[]] {
            let line = [&["generate", "KRvK", "--out", "t"], fleet].concat();
            run_without_waiting(&sandbox, &line).failed(1, &["t/KRvK.egt.part: ", says]);
        }
        let after = fs::symlink_metadata(sandbox.path("t/KRvK.egt.part")).unwrap();
        assert_eq!((before.file_type(), before.len()), (after.file_type(), after.len()), "{kind}");
        assert_eq!(sandbox.get("precious"), b"precious", "{kind}");
        assert_eq!(sandbox.get("begun"), &begun[..begun.len() - 1], "{kind}");
        assert_eq!(sandbox.names("t"), ["KRvK.egt.part"], "{kind}");
        drop(socket);
    }
}

#[test]
fn what_is_no_file_is_no_table() {
    for kind in ["fifo", "socket", "folder"] {
        let sandbox = EgtgenSandbox::new();
        fs::create_dir(sandbox.path("t")).unwrap();
        let socket = put(&sandbox, "t/KRvK.egt", kind);
        for line in [
            &["generate", "KRvK", "--out", "t"][..],
            &["probe", "8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "--tables", "t"],
            &["stats", "KRvK", "--tables", "t"],
            &["verify", "KRvK", "--tables", "t"],
        ] {
            run_without_waiting(&sandbox, line).failed(1, &["t/KRvK.egt"]);
        }
        assert_eq!(sandbox.names("t"), ["KRvK.egt"], "{kind}");
        drop(socket);
    }
}

/// The program neither writes through a dangling link nor replaces it.
#[test]
fn a_link_in_the_place_of_a_table_is_left_alone() {
    let sandbox = EgtgenSandbox::new();
    fs::create_dir(sandbox.path("t")).unwrap();
    symlink(sandbox.path("later"), sandbox.path("t/KRvK.egt")).unwrap();
    sandbox.run(&["generate", "KRvK", "--out", "t"]).failed(1, &["t/KRvK.egt: is not a regular file: remove it"]);
    assert!(sandbox.path("t/KRvK.egt").is_symlink() && !sandbox.path("later").exists());
}

#[test]
fn what_is_no_packed_table_is_not_replaced() {
    for kind in ["file", "link", "nowhere"] {
        let sandbox = EgtgenSandbox::with(&["KRvK"]);
        fs::create_dir(sandbox.path("p")).unwrap();
        match kind {
            "nowhere" => symlink("nowhere", sandbox.path("p/KRvK.egp")).unwrap(),
            kind => drop(put(&sandbox, "p/KRvK.egp", kind)),
        }
        let lines =
            [&["pack", "--tables", "t", "--out", "p"][..], &["generate", "KRvK", "--out", "new", "--pack", "p"]];
        for line in lines {
            sandbox.run(line).failed(1, &["p/KRvK.egp: "]);
            assert_eq!(sandbox.path("p/KRvK.egp").is_symlink(), kind != "file", "{kind}");
            assert!(kind == "nowhere" || sandbox.get("p/KRvK.egp") == b"precious", "{kind}");
        }
        assert!(sandbox.names("new").is_empty(), "nothing is generated in vain");
        sandbox.run(&["pack", "--tables", "t", "--out", "p", "--force"]).succeeded();
        assert!(sandbox.get("p/KRvK.egp").starts_with(b"plyegtp\0"), "{kind}");
    }
}

#[test]
fn names_of_files_cannot_steer_a_terminal() {
    const STEERS: &str = "a\u{1b}[31m\u{9b}2J\r\u{202e}b";
    const SHOWN: &str = "a\\u{1b}[31m\\u{9b}2J\\r\\u{202e}b";
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    fs::create_dir(sandbox.path(STEERS)).unwrap();
    sandbox.put(&format!("{STEERS}/{STEERS}.egt"), "no table");
    sandbox.put(&format!("{STEERS}.txt"), "no position\n8/8/8/8/8/2k5/1R6/K7 w - - 0 1\n");
    sandbox.put("file", "");
    for (line, code) in [
        (&["list", "--tables", STEERS][..], 1),
        (&["probe", "8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "--tables", STEERS], 1),
        (&["probe", "8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "--tables", &format!("{STEERS}/none")], 1),
        (&["generate", "KRvK", "--out", &format!("file/{STEERS}")], 1),
        (&["transform", "flipH", "--file", &format!("{STEERS}.txt")], 2),
        (&["transform", "flipH", "--file", STEERS], 1),
        (&["stats", "KRvK", STEERS, "--tables", "t"], 2),
    ] {
        let ran = sandbox.run(line);
        let said = ran.stdout.clone() + &ran.stderr;
        assert_eq!(ran.code, Some(code), "{line:?}: {said}");
        assert!(said.contains(SHOWN) || said.contains("\\u{9b}2J"), "{line:?}: {said}");
        assert!(!said.contains(|letter: char| letter.is_control() && letter != '\n'), "{line:?}: {said:?}");
    }
}
