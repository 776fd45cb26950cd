//! `egtgen generate --fleet`: several processes make the tables of one folder together, and whichever of them is killed, the files are
//! those of one process.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::json;

use super::program::{EgtgenRun, EgtgenSandbox};

/// A table with few positions that takes some cycles, each a section of the file.
const TABLE: [&str; 3] = ["generate", "KNNNvK", "--verbose"];

/// The command of a member.
fn member(sandbox: &EgtgenSandbox, asked: &[&str]) -> Command {
    let mut command =
        sandbox.command(&[asked, &["--out", "t", "--fleet", "--threads", "1", "--memory", "1GiB"]].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A member, started.
fn start(sandbox: &EgtgenSandbox, asked: &[&str]) -> (Child, BufReader<ChildStderr>) {
    let mut child = member(sandbox, asked).spawn().unwrap();
    let said = BufReader::new(child.stderr.take().unwrap());
    (child, said)
}

/// Reads what a member says up to a line that begins like this.
fn read_until(said: &mut BufReader<ChildStderr>, line: &str) {
    let mut read = String::new();
    while !read.starts_with(line) {
        read.clear();
        assert!(said.read_line(&mut read).unwrap() > 0, "it never said {line:?}");
    }
}

/// Asserts that the folder has the tables of one process, and nothing else.
#[track_caller]
fn assert_same(sandbox: &EgtgenSandbox, whole: &EgtgenSandbox) {
    assert_eq!(sandbox.names("t"), whole.names("t"));
    for name in whole.names("t") {
        assert!(sandbox.get(&format!("t/{name}")) == whole.get(&format!("t/{name}")), "{name} differs");
    }
}

#[test]
#[ignore = "slow"]
fn a_member_that_is_killed_is_followed_by_one_that_waited() {
    let sandbox = EgtgenSandbox::new();
    let (mut first, mut said) = start(&sandbox, &TABLE);
    read_until(&mut said, "KNNNvK N 2:");
    let (second, mut waits) = start(&sandbox, &TABLE);
    read_until(&mut waits, "waits for KNNNvK, which other processes make");
    let lease = String::from_utf8(sandbox.get("t/.fleet/KNNNvK.lease")).unwrap();
    assert!(lease.contains(&format!("process {}\n", first.id())), "{lease}");
    first.kill().unwrap();
    first.wait().unwrap();
    read_until(&mut waits, "KNNNvK: continues after N =");
    drop(waits);
    EgtgenRun::of(second.wait_with_output().unwrap());
    assert_same(&sandbox, &EgtgenSandbox::with(&["KNNNvK"]));
}

#[test]
fn each_table_is_made_by_one_member() {
    const ASKED: [&str; 5] = ["generate", "--all", "3", "--format", "json"];
    let sandbox = EgtgenSandbox::new();
    let members: Vec<Child> = (0..3).map(|_| member(&sandbox, &ASKED).spawn().unwrap()).collect();
    let runs = members.into_iter().map(|child| EgtgenRun::of(child.wait_with_output().unwrap()).succeeded());
    let rows: Vec<_> = runs.flat_map(|run| run.objects()).collect();
    assert_eq!(rows.len(), 15, "each member reports all tables");
    let made = rows.iter().filter(|row| row["made"] == json!(true)).map(|row| row["table"].as_str().unwrap());
    let made: Vec<&str> = made.collect();
    assert_eq!((made.len(), made.iter().collect::<BTreeSet<_>>().len()), (5, 5), "{made:?}");
    let whole = EgtgenSandbox::new();
    whole.run(&["generate", "--all", "3", "--out", "t"]).succeeded();
    assert_same(&sandbox, &whole);
}

#[test]
fn a_member_that_waits_can_be_interrupted() {
    let sandbox = EgtgenSandbox::new();
    let (mut first, mut said) = start(&sandbox, &TABLE);
    read_until(&mut said, "KNNNvK N 1:");
    let (second, mut waits) = start(&sandbox, &TABLE);
    read_until(&mut waits, "waits for KNNNvK");
    assert!(Command::new("kill").args(["-INT", &second.id().to_string()]).status().unwrap().success());
    drop(waits);
    let ran = second.wait_with_output().unwrap();
    assert_eq!(ran.status.code(), Some(130));
    first.kill().unwrap();
    first.wait().unwrap();
}

#[test]
fn what_a_member_cannot_do() {
    let sandbox = EgtgenSandbox::new();
    sandbox.run(&["generate", "KRvKN", "--no-closure", "--fleet", "--out", "t"]).failed(1, &["is needed but missing"]);
    // It makes what it can, and leaves the rest to those who have more memory.
    let too_small = ["generate", "KQvKR", "--fleet", "--out", "m", "--memory", "16MiB", "--threads", "1"];
    sandbox.run(&too_small).failed(2, &["KQvKR needs at least --memory"]);
    assert_eq!(sandbox.names("m"), ["KQvK.egt", "KRvK.egt"]);
    sandbox.run(&["generate", "KRvK", "--fleet", "--pack", "p", "--out", "t"]).failed_usage("--pack");
    sandbox.run(&["generate", "KQvKR", "--fleet", "--out", "t"]).succeeded();
    assert!(!sandbox.names("t").contains(&".fleet".to_owned()), "{:?}", sandbox.names("t"));
}

/// Kills members of two fleets, each of three processes, until so many are killed, and starts others in their place. `wait` returns
/// when a member shall be killed. Then each fleet completes its folder.
fn kill_members(asked: &[&str], kills: usize, mut wait: impl FnMut(&mut BufReader<ChildStderr>)) {
    let whole = EgtgenSandbox::new();
    whole.run(&[asked, &["--out", "t"]].concat()).succeeded();
    let (mut random, mut killed) = (random(), 0);
    while killed < kills {
        let fleets = [EgtgenSandbox::new(), EgtgenSandbox::new()];
        let mut members: Vec<_> = (0..6).map(|number| start(&fleets[number % 2], asked)).collect();
        let is_whole = |fleet: &Path| whole.names("t").iter().all(|name| fleet.join(name).exists());
        while killed < kills && !fleets.iter().all(|fleet| is_whole(&fleet.path("t"))) {
            let number = random.random_range(0..members.len());
            let (child, said) = &mut members[number];
            wait(said);
            killed += usize::from(child.try_wait().unwrap().is_none());
            child.kill().unwrap();
            child.wait().unwrap();
            members[number] = start(&fleets[number % 2], asked);
        }
        for (child, said) in members {
            drop(said);
            EgtgenRun::of(child.wait_with_output().unwrap());
        }
        for fleet in &fleets {
            fleet.run(&[asked, &["--out", "t", "--fleet"]].concat()).succeeded();
            assert_same(fleet, &whole);
        }
        println!("{killed} of {kills} members are killed, and both folders are complete");
    }
}

fn random() -> StdRng {
    let seed = std::env::var("PLYFOLD_SEED").ok().and_then(|seed| seed.parse().ok());
    StdRng::seed_from_u64(seed.unwrap_or(1))
}

#[test]
#[ignore = "slow"]
fn two_fleets_end_with_the_files_of_one_process_whoever_is_killed() {
    let mut random = random();
    kill_members(&["generate", "KNNNvK", "KNNvKN", "--verbose"], 4, |said| {
        let mut line = String::new();
        for _ in 0..random.random_range(0..12) {
            said.read_line(&mut line).unwrap();
        }
    });
}

#[test]
#[ignore = "slow"]
fn two_fleets_survive_a_hundred_kills() {
    let mut random = random();
    kill_members(&["generate", "--all", "4"], 100, |_| {
        std::thread::sleep(Duration::from_millis(random.random_range(0..1500)));
    });
}
