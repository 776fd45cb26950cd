//! What was checked of a large file is remembered, and forgotten when the file changes.
#![cfg(unix)]

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::program::{CliRun, CliSandbox};

/// The demo games as a corpus that was written some time ago.
fn with_demo() -> CliSandbox {
    let sandbox = CliSandbox::new();
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../demo/demo.pgn.zst");
    sandbox.run(&["import", games.to_str().unwrap(), "-o", "demo.plyfold"]).succeeded();
    age(&sandbox, "demo.plyfold");
    sandbox
}

/// As if a file was written a minute ago.
fn age(sandbox: &CliSandbox, name: &str) {
    let file = File::options().write(true).open(sandbox.path(name)).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
}

/// Runs a command that remembers in the folder `caches`.
fn run(sandbox: &CliSandbox, arguments: &[&str]) -> CliRun {
    CliRun::of(sandbox.command(arguments).env("XDG_CACHE_HOME", sandbox.path("caches")).output().unwrap())
}

/// The file in which something is remembered of a file.
fn memory(sandbox: &CliSandbox, name: &str) -> PathBuf {
    let found = fs::metadata(sandbox.path(name)).unwrap();
    sandbox.path("caches").join(format!("plyfold/checked/{}-{}", found.dev(), found.ino()))
}

fn state(sandbox: &CliSandbox, name: &str) -> String {
    let found = fs::metadata(sandbox.path(name)).unwrap();
    let times = [(found.mtime(), found.mtime_nsec()), (found.ctime(), found.ctime_nsec())];
    let [modified, changed] = times.map(|(seconds, nanoseconds)| format!("{seconds}.{nanoseconds:09}"));
    format!("1 {} {modified} {changed}", found.len())
}

/// Changes a byte of the first section, and nothing else.
fn damage(sandbox: &CliSandbox, name: &str) {
    let mut bytes = sandbox.get(name);
    bytes[4096] ^= 1;
    sandbox.put(name, bytes);
    age(sandbox, name);
}

#[test]
fn a_part_that_was_checked_is_checked_again_when_the_file_changes() {
    let sandbox = with_demo();
    let answer = run(&sandbox, &["query", "demo.plyfold", "queens_off"]).succeeded().stdout;
    let memory = memory(&sandbox, "demo.plyfold");
    let kept = fs::read_to_string(&memory).unwrap();
    let (of, parts) = kept.split_once('\n').unwrap();
    assert_eq!(of, state(&sandbox, "demo.plyfold"));
    assert_eq!(run(&sandbox, &["query", "demo.plyfold", "queens_off"]).succeeded().stdout, answer);

    // Other parts are checked when they are first used, and remembered as well.
    run(&sandbox, &["query", "demo.plyfold", "fork"]).succeeded();
    let more = fs::read_to_string(&memory).unwrap();
    assert!(more.starts_with(of) && more != kept, "{more}");

    damage(&sandbox, "demo.plyfold");
    run(&sandbox, &["query", "demo.plyfold", "fork"]).failed_in_a_line(1, &["demo.plyfold: corrupt header records"]);
    // That it is remembered makes the difference: of this file, in this state, somebody says that it is sound.
    fs::write(&memory, format!("{}\n{parts}", state(&sandbox, "demo.plyfold"))).unwrap();
    run(&sandbox, &["query", "demo.plyfold", "queens_off"]).succeeded();
    // Whoever wants to know checks every byte.
    run(&sandbox, &["info", "demo.plyfold", "--verify"]).failed_in_a_line(1, &["corrupt header records"]);
}

#[test]
fn a_file_that_was_just_written_and_a_damaged_memory_count_for_nothing() {
    let sandbox = with_demo();
    for kept in ["", "\n", "nonsense", "1 2 3", "1 2 3\n99999999999\n", "\u{0}\n1\n"] {
        fs::create_dir_all(memory(&sandbox, "demo.plyfold").parent().unwrap()).unwrap();
        fs::write(memory(&sandbox, "demo.plyfold"), kept).unwrap();
        run(&sandbox, &["query", "demo.plyfold", "queens_off"]).succeeded();
        let now = fs::read_to_string(memory(&sandbox, "demo.plyfold")).unwrap();
        assert!(now.starts_with(&state(&sandbox, "demo.plyfold")), "{now}");
        for parts in ["", "65535\n65535\n65535\n65535\n65535\n65535\n", "a\n"] {
            fs::write(memory(&sandbox, "demo.plyfold"), format!("{}\n{parts}", state(&sandbox, "demo.plyfold")))
                .unwrap();
            run(&sandbox, &["query", "demo.plyfold", "fork"]).succeeded();
        }
    }
    fs::remove_dir_all(sandbox.path("caches")).unwrap();
    sandbox.put("new.plyfold", sandbox.get("demo.plyfold"));
    run(&sandbox, &["query", "new.plyfold", "queens_off"]).succeeded();
    assert!(!sandbox.path("caches").exists());
}

#[test]
fn an_index_that_was_compared_with_its_corpus_is_compared_again_when_one_of_them_changes() {
    let sandbox = with_demo();
    let look_up = || run(&sandbox, &["position", "demo.plyfold", "startpos"]);
    run(&sandbox, &["index", "demo.plyfold"]).succeeded();
    age(&sandbox, "demo.plyindex");
    let answer = |ran: CliRun| ran.text().lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    let first = answer(look_up().succeeded());
    let memory = memory(&sandbox, "demo.plyindex");
    let kept = fs::read_to_string(&memory).unwrap();
    assert!(kept.contains("\ncovers "), "{kept}");
    assert_eq!(answer(look_up().succeeded()).len(), first.len());

    // A corpus with other games in its place.
    run(&sandbox, &["export", "demo.plyfold", "--query", "result 1-0", "-o", "some.pgn"]).succeeded();
    run(&sandbox, &["import", "some.pgn", "-o", "demo.plyfold", "--force"]).succeeded();
    age(&sandbox, "demo.plyfold");
    look_up().failed(1, &["plyfold index demo.plyfold"]);
}
