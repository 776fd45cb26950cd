//! `cargo xtask fuzz`: runs the targets of `tests/fuzz`, all or some, for some seconds each, with the pinned toolchain.

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::command::{cargo, output_of, run as run_command};
use crate::machine;
use crate::paths::in_project;

const CARGO_FUZZ_VERSION: &str = "0.13.1";

#[derive(Args)]
pub struct FuzzOptions {
    /// Seconds for each target
    #[arg(default_value_t = 60)]
    seconds: u64,
    /// Only these targets
    targets: Vec<String>,
}

/// Runs every fuzz target.
///
/// # Errors
/// A target finds something; cargo-fuzz then names the file that shows it.
pub fn run(options: &FuzzOptions) -> Result<()> {
    machine::ensure_toolchain()?;
    let tools = machine::cargo_tool("cargo-fuzz", CARGO_FUZZ_VERSION, &[])?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(tools).chain(std::env::split_paths(&path)))?;
    let fuzz = |task: &str| {
        let mut command = cargo();
        command
            .args(["fuzz", task, "--fuzz-dir", "tests/fuzz"])
            .env("PATH", &path)
            .env("CARGO_TARGET_DIR", in_project("target/fuzz"))
            // Sanitizers and coverage need unstable flags, but no other compiler.
            .env("RUSTC_BOOTSTRAP", "1");
        command
    };
    let listed = output_of(&mut fuzz("list"))?;
    if let Some(unknown) = options.targets.iter().find(|target| !listed.lines().any(|line| line == *target)) {
        bail!("there is no fuzz target {unknown}: choose from {}", listed.lines().collect::<Vec<_>>().join(", "));
    }
    let is_chosen = |target: &&str| options.targets.is_empty() || options.targets.iter().any(|chosen| chosen == target);
    let targets: Vec<&str> = listed.lines().filter(is_chosen).collect();
    if targets.is_empty() {
        bail!("tests/fuzz has no targets");
    }
    for target in &targets {
        // New inputs go into the first folder; the second has inputs to begin with.
        let found = in_project(&format!("tests/fuzz/corpus/{target}"));
        std::fs::create_dir_all(&found).with_context(|| format!("{} cannot be made", found.display()))?;
        let seeds = in_project(&format!("tests/fuzz/seeds/{target}"));
        run_command(
            fuzz("run")
                .arg(target)
                .arg(found)
                .args(seeds.is_dir().then_some(seeds))
                .args(["--", "-rss_limit_mb=4096"])
                .arg(format!("-max_total_time={}", options.seconds)),
        )
        .with_context(|| format!("fuzzing {target} found something"))?;
    }
    println!("{} fuzz targets, nothing found", targets.len());
    Ok(())
}

/// Checks that every fuzz target compiles.
///
/// # Errors
/// A target does not compile, or it has warnings.
pub fn check_targets() -> Result<()> {
    run_command(
        cargo()
            .args(["clippy", "--manifest-path", "tests/fuzz/Cargo.toml", "--no-default-features"])
            .env("CARGO_TARGET_DIR", in_project("target"))
            .args(["--", "-D", "warnings"]),
    )
}
