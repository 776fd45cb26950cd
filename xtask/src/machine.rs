//! Installs what a machine lacks: the parts of the pinned toolchain, cargo tools at fixed versions, npm packages by
//! lock file, browsers, valgrind, python-chess. Tools go into `.cache/` of the project. Only the browsers, valgrind and
//! Python's venv module change the system, and only as root.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};

use crate::command::{cargo, output_of, program, run};
use crate::paths::in_project;

/// The PyPI packages that tests of crates use: berserk, a client of Lichess's tablebase.
const PACKAGES_OF_TESTS: &[&str] = &["berserk==0.14.0"];

/// Installs every missing component and target of `rust-toolchain.toml`.
///
/// # Errors
/// Something is missing and rustup cannot install it.
pub fn ensure_toolchain() -> Result<()> {
    let toolchain = fs::read_to_string(in_project("rust-toolchain.toml"))?;
    let Ok(components) = output_of(rustup().args(["component", "list", "--installed"])) else {
        return install_toolchain();
    };
    // Components of the host have its name as a suffix; a target is the component `rust-std-<target>`.
    let present =
        |name: &str| components.lines().any(|line| line.starts_with(name) || line == format!("rust-std-{name}"));
    let all_there =
        ["components", "targets"].iter().flat_map(|key| list_in_toml(&toolchain, key)).all(|name| present(&name));
    if all_there { Ok(()) } else { install_toolchain() }
}

/// What a machine must have before anything is built, and how one gets it.
const PROGRAMS: [(&str, &str); 3] = [
    ("node", "Node 20 or later, from https://nodejs.org or your system's packages"),
    ("npm", "npm, which comes with Node (on Debian the package `npm`)"),
    ("cc", "a C compiler (on Debian `sudo apt-get install gcc libc6-dev`)"),
];

/// The oldest Node with which the page is built.
const OLDEST_NODE: u32 = 20;

/// Looks for the programs that must be there, all of them.
///
/// # Errors
/// A program is missing or too old; the error names each, and how one gets it.
pub fn ensure_programs() -> Result<()> {
    let is_there = |name: &str| {
        output_of(program(name).arg("--version")).is_ok_and(|version| name != "node" || is_recent(&version))
    };
    let missing: Vec<String> = PROGRAMS
        .iter()
        .filter(|(name, _)| !is_there(name))
        .map(|(name, remedy)| format!("  {name}: install {remedy}"))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    bail!("something that is needed is missing or too old:\n{}", missing.join("\n"))
}

/// Whether a version such as `v20.20.2` is one of Node with which the page is built.
fn is_recent(version: &str) -> bool {
    let major = version.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    major.is_some_and(|major| major >= OLDEST_NODE)
}

fn install_toolchain() -> Result<()> {
    // Without arguments rustup installs what the project's file names, even if automatic installs are off.
    run(rustup().args(["toolchain", "install"])).context("install rustup from https://rustup.rs and try again")
}

fn rustup() -> Command {
    let mut command = program("rustup");
    // Rustup sets it for programs under cargo; it would hide the project's toolchain file.
    command.env_remove("RUSTUP_TOOLCHAIN");
    command
}

/// The strings of `key = ["a", "b"]` on one line of a TOML text.
fn list_in_toml(text: &str, key: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.split_once('='))
        .filter(|(name, _)| name.trim() == key)
        .flat_map(|(_, list)| list.split('"').skip(1).step_by(2).map(str::to_owned))
        .collect()
}

/// The path of `wasm-bindgen-test-runner` of the version in `Cargo.lock`, with which it must agree.
///
/// # Errors
/// The version cannot be read, or the installation fails.
pub fn wasm_bindgen_test_runner() -> Result<PathBuf> {
    let lock = fs::read_to_string(in_project("Cargo.lock"))?;
    let version = locked_version(&lock, "wasm-bindgen")
        .context("Cargo.lock has no wasm-bindgen: is plyfold-web in the workspace?")?;
    // Its tests can also run on other machines, for which it has a library of TLS.
    let options = ["--no-default-features", "--bin", "wasm-bindgen-test-runner"];
    Ok(cargo_tool("wasm-bindgen-cli", version, &options)?.join("wasm-bindgen-test-runner"))
}

/// The version of `package` in the text of a `Cargo.lock`.
fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')
}

/// The folder of the programs of a cargo package, which is installed into `.cache/tools` with these options if it is missing.
///
/// # Errors
/// The installation fails.
pub fn cargo_tool(package: &str, version: &str, options: &[&str]) -> Result<PathBuf> {
    let home = in_project(&format!(".cache/tools/{package}-{version}"));
    // Cargo writes this list last, so an interrupted installation is not taken for a complete one.
    if !home.join(".crates.toml").exists() {
        println!("{package} {version} is not there yet: installing it once, this takes minutes");
        // Not `--locked`: the lock file of wasm-bindgen-cli does not build with every toolchain.
        let install = || {
            run(cargo()
                .args(["install", package, "--version", version, "--root"])
                .arg(&home)
                .args(options)
                .env("CARGO_TARGET_DIR", in_project("target/tools"))
                // These programs run for seconds and compile for minutes.
                .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
                .env_remove("RUSTFLAGS"))
        };
        // Hundreds of packages are downloaded, compiled and linked; a second try continues after a passing failure.
        install().or_else(|error| {
            println!("{error:#}: once more");
            install()
        })?;
    }
    Ok(home.join("bin"))
}

/// Runs `npm ci` in a folder of the project, unless its lock file is the one that was installed last. No package runs a script.
///
/// # Errors
/// There is no lock file, or npm fails.
pub fn ensure_npm_packages(folder: &str) -> Result<()> {
    let folder = in_project(folder);
    let lock = folder.join("package-lock.json");
    let expected = fingerprint(&[&fs::read(&lock).with_context(|| format!("{} cannot be read", lock.display()))?]);
    let stamp = folder.join("node_modules/.installed-lock");
    if stamp_says(&stamp, &expected) {
        return Ok(());
    }
    run(program("npm").args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&folder))
        .context("npm packages could not be installed (Node 20 with npm is needed)")?;
    fs::write(&stamp, expected)?;
    Ok(())
}

/// A program of the browser tests.
struct BrowserProgram {
    /// The environment variable that may name another path, and under which the tests receive the path.
    variable: &'static str,
    paths: &'static [&'static str],
    /// The Debian packages that install it; others follow for a system that does not have the first.
    packages: &'static [&'static [&'static str]],
}

/// The shell without windows comes first: the tests take a fifth less of the processor with it.
const CHROMIUM: BrowserProgram = BrowserProgram {
    variable: "CHROMIUM",
    paths: &[
        "/usr/bin/chromium-headless-shell",
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ],
    packages: &[&["chromium-headless-shell"], &["chromium"]],
};
const FIREFOX: BrowserProgram = BrowserProgram {
    variable: "FIREFOX",
    paths: &["/usr/bin/firefox-esr", "/usr/bin/firefox"],
    packages: &[&["firefox-esr"]],
};
/// The package also installs MiniBrowser, the browser that this program drives.
const WEBKIT_DRIVER: BrowserProgram = BrowserProgram {
    variable: "WEBKIT_DRIVER",
    paths: &["/usr/bin/WebKitWebDriver"],
    packages: &[&["webkit2gtk-driver"]],
};
/// `MiniBrowser` has no headless mode, so it runs on a virtual display.
const XVFB_RUN: BrowserProgram =
    BrowserProgram { variable: "XVFB_RUN", paths: &["/usr/bin/xvfb-run"], packages: &[&["xvfb", "xauth"]] };

impl BrowserProgram {
    /// The path of the program, which apt-get installs if it is missing and we are root.
    fn path(&self) -> Result<PathBuf> {
        let (variable, packages) = (self.variable, self.packages[0].join(" "));
        if let Some(path) = std::env::var_os(variable).map(PathBuf::from) {
            if path.exists() {
                return Ok(path);
            }
            bail!("{variable} names {}, which does not exist: correct or unset it", path.display());
        }
        let find = || self.paths.iter().map(PathBuf::from).find(|path| path.exists());
        if let Some(path) = find() {
            return Ok(path);
        }
        let (last, others) = self.packages.split_last().context("no package has this program")?;
        let is_installed = others.iter().any(|packages| apt_install(packages).is_ok());
        if is_installed { Ok(()) } else { apt_install(last) }.with_context(|| {
            format!(
                "no {}: type `sudo apt-get install {packages}`, or set {variable} to the program's path",
                self.paths[0]
            )
        })?;
        find().with_context(|| format!("apt-get brought no {}: set {variable} to the program's path", self.paths[0]))
    }
}

/// The path of a Chromium, which apt-get installs if it is missing and we are root.
///
/// # Errors
/// There is none and it cannot be installed; the error is the line to type.
pub fn chromium() -> Result<PathBuf> {
    CHROMIUM.path()
}

/// The programs of all browser tests, each with the environment variable under which the tests receive its path.
/// apt-get installs what is missing if we are root.
///
/// # Errors
/// A program is missing and cannot be installed; the error is the line to type.
pub fn browsers() -> Result<Vec<(&'static str, PathBuf)>> {
    [CHROMIUM, FIREFOX, WEBKIT_DRIVER, XVFB_RUN].iter().map(|program| Ok((program.variable, program.path()?))).collect()
}

/// The path of valgrind, which counts instructions; apt-get installs it if it is missing and we are root.
///
/// # Errors
/// There is none and it cannot be installed; the error is the line to type.
pub fn valgrind() -> Result<PathBuf> {
    let find = || {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&folders).map(|folder| folder.join("valgrind")).find(|path| path.exists())
    };
    if let Some(path) = find() {
        return Ok(path);
    }
    apt_install(&["valgrind"]).context("no valgrind: type `sudo apt-get install valgrind`")?;
    find().context("apt-get brought no valgrind: is it on the PATH?")
}

/// A Python with the packages that tests of crates use, in a venv of its own. If it cannot be installed, a line says so and the
/// result is `None`.
pub fn python_of_tests() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("PLYFOLD_PYTHON") {
        return Some(given.into());
    }
    match python_with(".cache/python", PACKAGES_OF_TESTS) {
        Ok(python) => Some(python),
        Err(error) => {
            println!(
                "{} could not be installed, tests that want them skip: {error:#}",
                PACKAGES_OF_TESTS.join(" and ")
            );
            None
        }
    }
}

/// A Python with these packages, in a venv of its own in a folder of the project.
///
/// # Errors
/// There is no Python, or a package cannot be installed.
pub fn python_with(home: &str, packages: &[&str]) -> Result<PathBuf> {
    let home = in_project(home);
    let python = home.join("bin/python");
    let stamp = home.join(".packages");
    let expected = packages.join(" ");
    if stamp_says(&stamp, &expected) {
        return Ok(python);
    }
    let mut make_venv = program("python3");
    make_venv.args(["-m", "venv", "--clear"]).arg(&home);
    if run(&mut make_venv).is_err() {
        apt_install(&["python3-venv"])?;
        run(&mut make_venv)?;
    }
    run(program(&python).args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages))?;
    fs::write(&stamp, expected)?;
    Ok(python)
}

/// Installs Debian packages without questions.
fn apt_install(packages: &[&str]) -> Result<()> {
    // apt-get refuses to run twice at a time.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    if output_of(program("id").arg("-u"))?.trim() != "0" {
        bail!("{} cannot be installed without being root", packages.join(", "));
    }
    let apt_get = || {
        let mut command = program("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive").arg("-qq");
        command
    };
    run(apt_get().arg("update"))?;
    run(apt_get().args(["install", "-y", "--no-install-recommends"]).args(packages))
}

/// Whether a stamp file says that the state has been reached.
pub fn stamp_says(stamp: &Path, expected: &str) -> bool {
    fs::read_to_string(stamp).is_ok_and(|found| found == expected)
}

/// A short text that changes with any of the parts. It may differ between compilers, so it serves stamps only.
pub fn fingerprint(parts: &[&[u8]]) -> String {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_is_read_by_exact_name() {
        let lock = "[[package]]\nname = \"wasm-bindgen-rayon\"\nversion = \"1.3.0\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.99\"\n";
        assert_eq!(locked_version(lock, "wasm-bindgen"), Some("0.2.99"));
        assert_eq!(locked_version(lock, "wasm"), None);
    }

    #[test]
    fn the_toolchain_file_is_understood() {
        let text = fs::read_to_string(in_project("rust-toolchain.toml")).expect("the file is there");
        assert!(list_in_toml(&text, "components").contains(&"clippy".to_owned()));
        assert!(list_in_toml(&text, "targets").contains(&"wasm32-unknown-unknown".to_owned()));
        assert!(list_in_toml(&text, "profile").is_empty());
    }

    #[test]
    fn an_old_node_is_told_from_a_recent_one() {
        assert!(is_recent("v20.20.2\n") && is_recent("v24.0.0"));
        assert!(!is_recent("v18.20.1") && !is_recent("") && !is_recent("nonsense"));
    }

    #[test]
    fn fingerprints_tell_parts_apart() {
        assert_eq!(fingerprint(&[b"ab", b"c"]), fingerprint(&[b"ab", b"c"]));
        assert_ne!(fingerprint(&[b"ab", b"c"]), fingerprint(&[b"a", b"bc"]));
    }
}
