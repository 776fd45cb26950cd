//! The scratch copy of the project: its files with switches in them, and the build of its tests.
//!
//! If the compiler refuses a mutant, its switch is removed and the build starts again.

use std::collections::BTreeMap;
use std::fs;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::list::{Mutant, text_of};
use super::switches::{SwitchedSource, insert_switches};
use crate::command::{cargo, output_of, program};
use crate::paths::in_project;

/// The packages whose files can have switches, with the path of the function that says whether a mutant is on.
const PACKAGES: [(&str, &str); 2] = [("core/", "crate::mutant::on"), ("egtgen/", "plyfold_core::mutant::on")];

/// The file to which the copy adds the module.
const LIBRARY: &str = "core/src/lib.rs";

/// More rounds than this mean that no round makes progress.
const ROUNDS: usize = 60;

/// The module that the copy of `core` gets.
const SWITCH: &str = r#"//! Which mutant is on.
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

const UNKNOWN: u32 = u32::MAX;
const RECORDING: u32 = u32::MAX - 1;
static ON: AtomicU32 = AtomicU32::new(UNKNOWN);
static SEEN: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];

/// Whether this mutant is the one that `MUTANT` names.
#[inline]
pub fn on(number: u32) -> bool {
    let on = ON.load(Relaxed);
    if on < RECORDING { on == number } else { seldom(number) }
}

#[cold]
#[inline(never)]
fn seldom(number: u32) -> bool {
    if ON.load(Relaxed) == UNKNOWN {
        let named = std::env::var("MUTANT").ok().and_then(|word| word.parse().ok()).unwrap_or(0);
        ON.store(if std::env::var_os("MUTANTS_SEEN").is_some() { RECORDING } else { named }, Relaxed);
        return on(number);
    }
    if !SEEN[number as usize].swap(true, Relaxed) {
        let path = std::env::var_os("MUTANTS_SEEN").expect("it was there");
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).expect("a file");
        file.write_all(format!("{number}\n").as_bytes()).expect("a line");
    }
    false
}
"#;

/// The copy after the last build.
pub struct MutantTree {
    pub root: PathBuf,
    target: PathBuf,
    /// The mutants with a switch, by number from 1.
    pub numbered: BTreeMap<u32, Mutant>,
    /// The mutants without one, each with the reason.
    pub dropped: Vec<(Mutant, String)>,
    /// The text of every file that can have switches.
    sources: BTreeMap<String, String>,
    switched: BTreeMap<String, SwitchedSource>,
}

/// A test binary and the folder in which its tests run.
#[derive(Clone, Debug)]
pub struct Binary {
    pub package: String,
    pub name: String,
    pub path: PathBuf,
    pub folder: PathBuf,
}

impl MutantTree {
    /// Copies the project and numbers the mutants that can have a switch.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn new(mutants: Vec<Mutant>) -> Result<Self> {
        let home = in_project("target/mutants");
        let root = home.join("tree");
        copy_project(&root)?;
        copy_data(&home)?;
        let mut sources = BTreeMap::new();
        for file in project_files()?.into_iter().filter(|file| is_source(file)) {
            let text = text_of(&in_project(""), &file)?;
            sources.insert(file, text);
        }
        let mut tree = Self {
            root,
            target: home.join("target"),
            numbered: BTreeMap::new(),
            dropped: Vec::new(),
            sources,
            switched: BTreeMap::new(),
        };
        for (number, mutant) in (1..).zip(mutants) {
            match mutant.change {
                Ok(_) => drop(tree.numbered.insert(number, mutant)),
                Err(reason) => tree.dropped.push((mutant, reason.to_owned())),
            }
        }
        Ok(tree)
    }

    /// Builds the tests of `packages` with as many mutants as compile.
    ///
    /// # Errors
    /// The build fails for another reason than a switch.
    pub fn build(&mut self, arguments: &[&str]) -> Result<Vec<Binary>> {
        for round in 1..=ROUNDS {
            self.write()?;
            println!("build {round}: {} mutants", self.numbered.len());
            let (binaries, errors) = self.compile(arguments)?;
            if errors.is_empty() {
                return Ok(binaries);
            }
            let before = self.numbered.len();
            for error in &errors {
                self.drop_rejected(error)?;
            }
            if before == self.numbered.len() {
                let text = errors[0]["rendered"].as_str().unwrap_or_default();
                bail!("the copy does not compile, and no mutant is the cause:\n{text}");
            }
        }
        bail!("the copy does not compile after {ROUNDS} rounds")
    }

    /// Writes the files with the remaining switches.
    fn write(&mut self) -> Result<()> {
        let count = self.numbered.keys().last().map_or(0, |last| last + 1);
        write_if_new(&self.root.join("core/src/mutant.rs"), &SWITCH.replace("; COUNT]", &format!("; {count}]")))?;
        for (file, text) in &self.sources {
            let mut woven = self.insert_switches(file, text);
            if file == LIBRARY {
                woven.text = woven.text.replace("#![no_std]", "") + "\npub mod mutant;\n";
            }
            if file.ends_with("/src/lib.rs") {
                // A mutant may compute nonsense; the tests should say so, not the compiler.
                woven.text.insert_str(0, "#![allow(arithmetic_overflow, unconditional_panic)] ");
            }
            write_if_new(&self.root.join(file), &woven.text)?;
            self.switched.insert(file.clone(), woven);
        }
        Ok(())
    }

    fn insert_switches(&self, file: &str, text: &str) -> SwitchedSource {
        let path = PACKAGES.iter().find(|(folder, _)| file.starts_with(folder)).map_or("", |(_, path)| *path);
        let mutants: Vec<_> = self
            .numbered
            .iter()
            .filter(|(_, mutant)| mutant.file == file)
            .filter_map(|(number, mutant)| Some((*number, mutant.change.as_ref().ok()?)))
            .collect();
        insert_switches(text, &mutants, path)
    }

    /// Runs cargo; returns the test binaries, or the errors of the compiler.
    fn compile(&self, arguments: &[&str]) -> Result<(Vec<Binary>, Vec<Value>)> {
        let mut command: Command = cargo();
        command
            .args(["test", "--no-run", "--message-format", "json"])
            .args(arguments)
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.target)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().context("cargo could not be started")?;
        let output = std::io::BufReader::new(child.stdout.take().context("cargo has no output")?);
        let (mut binaries, mut errors) = (Vec::new(), Vec::new());
        for line in output.lines() {
            let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
            if message["reason"] == "compiler-message" && message["message"]["level"] == "error" {
                errors.push(message["message"].clone());
            }
            binaries.extend(parse_binary(&message));
        }
        let status = child.wait()?;
        errors.retain(|error| error["spans"].as_array().is_some_and(|spans| !spans.is_empty()));
        if !status.success() && errors.is_empty() {
            bail!("cargo test --no-run failed in {} ({status})", self.root.display());
        }
        Ok((binaries, errors))
    }

    /// Removes the mutant that causes a compiler error: the one at its place, or else the nearest of that file.
    fn drop_rejected(&mut self, error: &Value) -> Result<()> {
        let spans = error["spans"].as_array().context("an error without spans")?;
        let is_primary = |span: &&Value| span["is_primary"] == true;
        // Secondary places only explain, and may lie in unrelated mutants.
        for span in spans.iter().filter(is_primary).chain(spans.iter().filter(|span| !is_primary(span))) {
            let (Some(file), Some(byte)) = (span["file_name"].as_str(), span["byte_start"].as_u64()) else { continue };
            let byte = usize::try_from(byte)?;
            let Some(woven) = self.switched.get(file) else { continue };
            if let Some(numbers) = woven.around(byte).or_else(|| woven.nearest(byte)) {
                let numbers = numbers.to_vec();
                self.drop_all(&numbers);
                return Ok(());
            }
        }
        Ok(())
    }

    fn drop_all(&mut self, numbers: &[u32]) {
        for number in numbers {
            if let Some(mutant) = self.numbered.remove(number) {
                println!("dropped, it does not compile: {}", mutant.name());
                self.dropped.push((mutant, "does not compile".to_owned()));
            }
        }
    }
}

/// The test binary in a message of cargo.
fn parse_binary(message: &Value) -> Option<Binary> {
    if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
        return None;
    }
    let manifest = Path::new(message["manifest_path"].as_str()?);
    let folder = manifest.parent()?.to_owned();
    Some(Binary {
        package: folder.file_name()?.to_str()?.to_owned(),
        name: match message["target"]["kind"][0].as_str()? {
            "lib" => "lib".to_owned(),
            _ => message["target"]["name"].as_str()?.to_owned(),
        },
        path: message["executable"].as_str()?.into(),
        folder,
    })
}

/// Files of the project that git tracks or would track.
fn project_files() -> Result<Vec<String>> {
    let list = output_of(program("git").args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]))?;
    let mut files: Vec<String> = list.split('\0').filter(|file| !file.is_empty()).map(str::to_owned).collect();
    // Programs that no test runs take long to link.
    files.retain(|file| !file.starts_with("tests/src/bin/"));
    files.retain(|file| in_project(file).is_file());
    files.sort();
    files.dedup();
    Ok(files)
}

/// Whether a file can have switches.
fn is_source(file: &str) -> bool {
    file.ends_with(".rs") && (file.starts_with("core/src/") || file.starts_with("egtgen/src/"))
}

/// Copies only changed files, so that cargo builds only those, and removes files that no longer exist.
fn copy_project(root: &Path) -> Result<()> {
    let files = project_files()?;
    // Sources are written with their switches, so that unchanged ones are not compiled again.
    for file in files.iter().filter(|file| !is_source(file)) {
        let text = fs::read(in_project(file)).with_context(|| format!("{file} cannot be read"))?;
        let there = root.join(file);
        if fs::read(&there).is_ok_and(|old| old == text) {
            continue;
        }
        fs::create_dir_all(there.parent().context("a file lies in a folder")?)?;
        fs::write(&there, text)?;
    }
    let list = root.with_extension("files");
    for old in fs::read_to_string(&list).unwrap_or_default().lines() {
        if files.binary_search_by(|file| file.as_str().cmp(old)).is_err() {
            let _ = fs::remove_file(root.join(old));
        }
    }
    fs::write(list, files.join("\n"))?;
    Ok(())
}

/// Tests look for reference games beside the project; a link gives them to the copy.
#[cfg(unix)]
fn copy_data(home: &Path) -> Result<()> {
    let link = home.join("shared");
    let data = in_project("../shared");
    if data.is_dir() && !link.exists() {
        std::os::unix::fs::symlink(data.canonicalize()?, link)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn copy_data(_: &Path) -> Result<()> {
    Ok(())
}

fn write_if_new(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}
