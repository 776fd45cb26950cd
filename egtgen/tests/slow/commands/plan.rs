//! `egtgen plan`: the jobs that make tables, run by make and by what stands for Slurm here.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use serde_json::{Value, json};

use super::program::EgtgenSandbox;

const MATERIALS: [&str; 4] = ["plan", "KPvKN", "--threads", "1"];

fn plan(sandbox: &EgtgenSandbox, format: &str) -> String {
    sandbox.run(&[&MATERIALS[..], &["--memory", "1GiB", "--out", "t", "--format", format]].concat()).succeeded().stdout
}

/// Runs a program in the folder of the sandbox; the variable `EGTGEN` names the program that is tested.
fn run(sandbox: &EgtgenSandbox, program: &str, arguments: &[&str]) -> std::io::Result<Output> {
    let path = format!("{}:{}", sandbox.path("").display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(program);
    command.current_dir(sandbox.path("")).args(arguments).env("PATH", path).env("EGTGEN", env!("CARGO_BIN_EXE_egtgen"));
    command.output()
}

/// The tables of the plan are there, as one process makes them.
#[track_caller]
fn assert_tables(sandbox: &EgtgenSandbox) {
    let whole = EgtgenSandbox::with(&["KPvKN"]);
    let names: Vec<String> = whole.names("t").into_iter().filter(|name| name.ends_with(".egt")).collect();
    assert!(names.len() > 12, "{names:?}");
    for name in names {
        assert_eq!(sandbox.get(&format!("t/{name}")), whole.get(&format!("t/{name}")), "{name}");
    }
}

#[test]
fn jobs_have_what_they_need_and_take() {
    let sandbox = EgtgenSandbox::new();
    let plan: Value = serde_json::from_str(&plan(&sandbox, "json")).unwrap();
    let jobs = plan["jobs"].as_array().unwrap();
    let last = jobs.last().unwrap();
    assert_eq!((&last["material"], &last["tables"]), (&json!("KNvKP"), &json!(["KPvKN", "KNvKP"])));
    let materials: Vec<&Value> = jobs.iter().map(|job| &job["material"]).collect();
    for (place, job) in jobs.iter().enumerate() {
        for need in job["needs"].as_array().unwrap() {
            assert!(materials[..place].contains(&need), "{job}");
        }
        assert!(job["memory_bytes"].as_u64().unwrap() > 1 << 20 && job["disk_bytes"].as_u64().unwrap() > 0, "{job}");
        assert!(job["seconds"].as_f64().unwrap() <= job["most_seconds"].as_f64().unwrap(), "{job}");
    }
    assert!(sandbox.names(".").is_empty(), "nothing is written");
}

#[test]
fn make_makes_them_several_at_once() {
    let sandbox = EgtgenSandbox::new();
    sandbox.put("Makefile", plan(&sandbox, "make"));
    let Ok(made) = run(&sandbox, "make", &["-j3"]) else {
        // The test harness captures `eprintln!` of tests that pass, and this line must be seen.
        std::io::stderr().write_all(b"\nSKIPPED: make is not there; the script for Slurm is run\n").ok();
        return;
    };
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    assert_tables(&sandbox);
    let again = run(&sandbox, "make", &["-j3"]).unwrap();
    assert!(String::from_utf8_lossy(&again.stdout).contains("Nothing to be done"), "{again:?}");
}

/// Runs the tasks of an array job at once, one after another, and says its number. A job before which another must be done has that
/// one's number.
const SBATCH: &str = r#"#!/bin/sh
set -e
echo "$@" | head -n1 >> submitted
for argument; do
  case $argument in --array=1-*) count=${argument#--array=1-} ;; esac
  script=$argument
done
task=1
while [ "$task" -le "$count" ]; do
  SLURM_ARRAY_TASK_ID=$task sh -c "$script" >&2
  task=$((task + 1))
done
wc -l < submitted
"#;

#[test]
fn slurm_gets_an_array_job_for_each_stage() {
    let sandbox = EgtgenSandbox::new();
    sandbox.put("sbatch", SBATCH);
    std::fs::set_permissions(sandbox.path("sbatch"), std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.put("submit.sh", plan(&sandbox, "slurm"));
    let submitted = run(&sandbox, "sh", &["submit.sh"]).unwrap();
    assert!(submitted.status.success(), "{}", String::from_utf8_lossy(&submitted.stderr));
    assert_tables(&sandbox);
    let jobs = String::from_utf8(sandbox.get("submitted")).unwrap();
    let jobs: Vec<&str> = jobs.lines().collect();
    assert!(jobs.len() > 2 && !jobs[0].contains("--dependency"), "{jobs:?}");
    for (before, job) in jobs.iter().enumerate().skip(1) {
        assert!(job.contains(&format!("--dependency=afterok:{before} ")) && job.contains("--mem="), "{job}");
    }
}

#[test]
fn what_cannot_be_planned() {
    let sandbox = EgtgenSandbox::new();
    sandbox.run(&["plan", "KRBvKR", "--memory", "8MiB"]).failed(2, &["needs at least", "--memory"]);
    sandbox.run(&["plan", "KRvK", "--out", "a b", "--format", "make"]).failed(2, &["letters, digits"]);
    sandbox.run(&["plan", "KRvK", "--out", "a b", "--format", "json"]).succeeded();
    sandbox.run(&["plan", "KK"]).failed(2, &["has only kings"]);
}
