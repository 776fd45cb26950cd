//! Runs the attacks: a process for each kind, a watchdog for hangs, and a folder for the inputs of failed attacks.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::attack::{AttackOutcome, AttackTally, Tried, outcome_of};
use crate::{AttackKind, KINDS, Options, random};

/// An attack that takes longer hangs. No attack needs nearly as long, even on a slow and busy machine.
pub const LIMIT: Duration = Duration::from_secs(180);

/// Memory that a process may address, in KiB. A reader that trusts a forged length runs into this limit.
const MOST_KIB: u64 = 16 << 20;

/// The folder for failed inputs, in the build folder of this program.
pub fn folder() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    program.parent().and_then(Path::parent).map_or_else(|| "target".into(), Path::to_path_buf).join("torture")
}

/// Runs all requested kinds: those of a short run as many at a time as there are threads, those that share a time one after the other.
pub fn all(options: &Options) -> Vec<(&'static AttackKind, AttackTally)> {
    let is_requested = |kind: &&AttackKind| options.only.as_deref().is_none_or(|only| only == kind.name);
    let kinds: Vec<&AttackKind> = KINDS.iter().filter(is_requested).collect();
    let shares: u32 = kinds.iter().map(|kind| kind.share).sum();
    let _ = std::fs::create_dir_all(folder());
    let run = |kind: &&'static AttackKind| {
        let begin = Instant::now();
        let seconds = options.seconds * u64::from(kind.share) / u64::from(shares.max(1));
        let tally = of_kind(kind, options, seconds.max(1));
        let (tried, seconds) = (tally.counts()[0], begin.elapsed().as_secs_f64());
        eprintln!("{:9} {tried:>8} in {seconds:6.1} s: {}", kind.name, kind.what);
        (*kind, tally)
    };
    if options.short { kinds.par_iter().map(run).collect() } else { kinds.iter().map(run).collect() }
}

/// Runs a kind in a child process. If the process aborts, counts and names the attack, and continues after it.
fn of_kind(kind: &AttackKind, options: &Options, seconds: u64) -> AttackTally {
    let mut tally = AttackTally::default();
    let (begin, mut from) = (Instant::now(), options.attack.unwrap_or(0));
    let number = folder().join(format!("now-{}", kind.name));
    loop {
        let _ = std::fs::remove_file(&number);
        let left = seconds.saturating_sub(begin.elapsed().as_secs());
        let (part, status) = match child_of(kind, options, left, from) {
            Ok(ran) => ran,
            Err(error) => {
                eprintln!("torture: {}: the process cannot be started: {error}", kind.name);
                tally.count(&AttackOutcome::Panicked(String::new()));
                return tally;
            }
        };
        tally.add(&part);
        if status.success() {
            return tally;
        }
        // The attack that was running when the process died.
        let at = std::fs::read_to_string(&number).ok().and_then(|text| text.trim().parse::<u64>().ok());
        let what = format!("the process ended with {status}");
        eprintln!("torture: {} --seed {} --attack {at:?}: {what}", kind.name, options.seed);
        tally.count(&AttackOutcome::Panicked(what.clone()));
        tally.failed.push(kept(kind.name, options.seed, at.unwrap_or(0), &what, &[]));
        // Without a number, the process died before its first attack, and would do so again.
        match at {
            Some(at) if options.attack.is_none() => from = at + 1,
            _ => return tally,
        }
    }
}

type Ran = (AttackTally, std::process::ExitStatus);

fn child_of(kind: &AttackKind, options: &Options, seconds: u64, from: u64) -> std::io::Result<Ran> {
    let program = std::env::current_exe()?;
    let mut command = if cfg!(unix) {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -v {MOST_KIB}; exec \"$0\" \"$@\"")]).arg(program);
        shell
    } else {
        Command::new(program)
    };
    command.args([seconds.to_string(), "--child".into(), "--only".into(), kind.name.into()]);
    command.args(["--seed".into(), options.seed.to_string(), "--attack".into(), from.to_string()]);
    if options.short || options.attack.is_some() {
        command.arg("--short");
    }
    // A single attack, or all of a short run.
    let most = if options.attack.is_some() { from + 1 } else { kind.short };
    let output = command.env(MOST, most.to_string()).stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().and_then(|line| serde_json::from_str(line).ok());
    let tally = last.as_ref().and_then(AttackTally::from_json).unwrap_or_default();
    Ok((tally, output.status))
}

/// The environment variable that says before which attack a short run stops.
const MOST: &str = "TORTURE_MOST";

/// The state that the watchdog checks.
struct Watched {
    now: Mutex<Option<(u64, Instant)>>,
    tried: Tried,
    tally: Mutex<AttackTally>,
}

/// Tries the attacks of one kind, and prints the tally as JSON.
pub fn child(options: &Options) {
    let name = options.only.as_deref().unwrap_or_default();
    let Some(kind) = KINDS.iter().find(|kind| kind.name == name) else { return };
    let most: u64 = std::env::var(MOST).ok().and_then(|most| most.parse().ok()).unwrap_or(u64::MAX);
    let watched = Arc::new(Watched { now: Mutex::default(), tried: Tried::default(), tally: Mutex::default() });
    {
        // Adds the place of a panic to the description of the attack.
        let watched = Arc::clone(&watched);
        std::panic::set_hook(Box::new(move |panic| {
            if lock(&watched.now).is_none() {
                eprintln!("torture: before the first attack: {panic}");
            }
            if let Some(place) = panic.location() {
                watched.tried.panicked_at(&place.to_string());
            }
        }));
    }
    let mut attacks = match (kind.ready)() {
        Ok(attacks) => attacks,
        Err(why) => {
            let mut tally = AttackTally::default();
            tally.count(&AttackOutcome::Skipped(why));
            println!("{}", tally.to_json());
            return;
        }
    };
    {
        let (watched, seed) = (Arc::clone(&watched), options.seed);
        thread::spawn(move || watch(kind, seed, &watched));
    }
    let begin = Instant::now();
    let note = folder().join(format!("now-{name}"));
    for number in options.attack.unwrap_or(0).. {
        let over = if options.short { number >= most } else { begin.elapsed().as_secs() >= options.seconds };
        if over {
            break;
        }
        watched.tried.clear();
        let _ = std::fs::write(&note, number.to_string());
        *lock(&watched.now) = Some((number, Instant::now()));
        let outcome = outcome_of(&mut *attacks, &mut random::of(options.seed, name, number), &watched.tried);
        *lock(&watched.now) = None;
        count(kind, options.seed, number, &outcome, &watched);
    }
    println!("{}", lock(&watched.tally).to_json());
}

/// Counts an outcome. Reports a failure and saves its inputs.
fn count(kind: &AttackKind, seed: u64, number: u64, outcome: &AttackOutcome, watched: &Watched) {
    let mut tally = lock(&watched.tally);
    if tally.count(outcome) {
        let (line, inputs) = watched.tried.all();
        let what = format!("{line}: {outcome:?}");
        eprintln!("torture: --only {} --seed {seed} --attack {number}: {}", kind.name, shortened(&what));
        // The first failures are enough.
        if tally.failed.len() < 50 {
            tally.failed.push(kept(kind.name, seed, number, &what, &inputs));
        }
    }
}

/// Ends the process if an attack hangs.
fn watch(kind: &AttackKind, seed: u64, watched: &Watched) {
    loop {
        thread::sleep(Duration::from_secs(1));
        let now = *lock(&watched.now);
        if let Some((number, begin)) = now
            && begin.elapsed() > LIMIT
        {
            let outcome = AttackOutcome::Hung(format!("no end after {} s", LIMIT.as_secs()));
            count(kind, seed, number, &outcome, watched);
            println!("{}", lock(&watched.tally).to_json());
            let _ = std::io::stdout().flush();
            std::process::exit(0);
        }
    }
}

/// Saves the inputs of a failed attack in a folder of their own.
fn kept(kind: &str, seed: u64, number: u64, what: &str, inputs: &[(String, Vec<u8>)]) -> PathBuf {
    let folder = folder().join(format!("{kind}-{seed}-{number}"));
    let _ = std::fs::create_dir_all(&folder);
    let _ = std::fs::write(folder.join("what.txt"), format!("{what}\n"));
    for (name, bytes) in inputs {
        let _ = std::fs::write(folder.join(name), bytes);
    }
    folder
}

fn shortened(text: &str) -> String {
    let text: String = text.chars().take(400).collect();
    text.escape_debug().to_string()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
