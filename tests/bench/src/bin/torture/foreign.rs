//! Runs commands in a folder full of files of others, which have the names that the commands use beside their outputs.
//! Whether a command succeeds or is refused, every such file has its bytes afterwards, and every link leads where it led.
//!
//! An empty file with the name of an unfinished output is taken for one, since a program that stops may leave nothing else.
//! Only two things may replace such a file: `--force`, if the command also writes this name without it, and publishing
//! into a folder that was published before, if it is one of the published files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rand::Rng;
use rand::rngs::StdRng;

use crate::attack::{AttackOutcome, AttackSeries, Tried};
use crate::neighbours::{self, COMMANDS, Neighbours};
use crate::programs::{TortureSandbox, told, words};
use crate::random::pick;
use crate::scene::{self, Files};

/// What others write into their files.
const CONTENTS: [&[u8]; 10] = [
    b"",
    b"my thesis, chapter one\n",
    br#"{"precious":1}"#,
    b"[]",
    br#"{"query":"check","mine":true}"#,
    br#"{"format":"another library","version":2}"#,
    b"[Event \"mine\"]\n\n1. e4 *\n",
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    b"\0\0\0\0\0\0\0\x01",
    b"\xff\xfe\x00",
];

/// What the link of somebody leads to.
const ELSEWHERE: &str = "elsewhere/thesis.txt";

/// Attacks with files of others.
pub struct ForeignFiles {
    scene: Files,
    /// For each command, the files that it writes or removes where nobody else has any.
    written: Vec<BTreeSet<PathBuf>>,
}

/// The links of a folder, and where they lead.
type Links = BTreeMap<PathBuf, PathBuf>;

impl ForeignFiles {
    /// Makes the scene, and runs every command once without files of others.
    pub fn new() -> ForeignFiles {
        let mut scene = neighbours::files();
        scene.insert(ELSEWHERE.into(), b"the file of somebody else".to_vec());
        let written = |command: &Neighbours| {
            let sandbox = scene::sandbox(&scene);
            let ran = sandbox.run(command.program, &words(command.line));
            if let Some(fault) = ran.fault(command.program) {
                panic!("{}: {fault:?}", command.line);
            }
            let after = sandbox.files();
            let names = scene.keys().chain(after.keys());
            names.filter(|name| scene.get(*name) != after.get(*name)).cloned().collect()
        };
        let written = COMMANDS.iter().map(written).collect();
        ForeignFiles { scene, written }
    }

    /// Whether a command line asks to replace this file.
    fn is_asked(&self, nth: usize, name: &Path) -> bool {
        let words = words(COMMANDS[nth].line);
        let is_forced = words.iter().any(|word| word == "--force");
        let is_published_before = words.iter().any(|word| word == "pub");
        (is_forced || is_published_before) && self.written[nth].contains(name)
    }
}

impl AttackSeries for ForeignFiles {
    fn attack(&mut self, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
        let nth = random.random_range(0..COMMANDS.len());
        let command = &COMMANDS[nth];
        let line = words(command.line);
        let sandbox = scene::sandbox(&self.scene);
        let mut foreign = Vec::new();
        for _ in 0..random.random_range(1..5) {
            let near = if random.random_range(0..8) == 0 { any_names(random) } else { command.near };
            let name = Path::new(pick(random, near));
            // What the command reads is no file of others, whatever its name.
            if !line.iter().any(|word| name == Path::new(word)) || !self.scene.contains_key(name) {
                foreign.extend(
                    strewn(random, &sandbox, name, &self.scene).map(|what| format!("{} {what}", name.display())),
                );
            }
        }
        told(command.program, &line, tried);
        tried.input("foreign.txt", foreign.join("\n").as_bytes());
        let (before, links) = (sandbox.files(), links_of(sandbox.path()));
        let ran = sandbox.run(command.program, &line);
        if let Some(fault) = ran.fault(command.program) {
            return fault;
        }
        let (after, links_after) = (sandbox.files(), links_of(sandbox.path()));
        let is_ours = |name: &Path| self.scene.get(name).is_some_and(|bytes| before.get(name) == Some(bytes));
        let changed = before.iter().find(|(name, bytes)| {
            // What the command writes of its own files is what it is for.
            let is_written = is_ours(name) && self.written[nth].contains(*name);
            !is_written && !self.is_asked(nth, name) && after.get(*name) != Some(bytes)
        });
        let link = links.iter().find(|(name, to)| !self.is_asked(nth, name) && links_after.get(*name) != Some(to));
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        match (changed.map(|(name, _)| name), link.map(|(name, _)| name)) {
            (Some(name), _) | (None, Some(name)) => {
                let with = foreign.join(", ");
                AttackOutcome::Lost(format!("{} is gone or changed, with {with}; {said}", name.display()))
            }
            (None, None) if matches!(ran.code(), Some(0 | 3)) => AttackOutcome::Answered,
            (None, None) => AttackOutcome::Refused,
        }
    }
}

/// The names beside the outputs of any command.
fn any_names(random: &mut StdRng) -> &'static [&'static str] {
    COMMANDS[random.random_range(0..COMMANDS.len())].near
}

/// Puts something of somebody else under a name, and says what. It is `None` if the folder has no place for it.
fn strewn(random: &mut StdRng, sandbox: &TortureSandbox, name: &Path, scene: &Files) -> Option<String> {
    let path = sandbox.path().join(name);
    fs::create_dir_all(path.parent()?).ok()?;
    if path.is_dir() {
        return None;
    }
    let _ = fs::remove_file(&path);
    match random.random_range(0..8) {
        0 => symlink(sandbox.path().join(ELSEWHERE), &path).ok().map(|()| "is a link".into()),
        1 if name.extension().is_none() => {
            fs::create_dir_all(sandbox.path().join("elsewhere")).ok()?;
            symlink(sandbox.path().join("elsewhere"), &path).ok().map(|()| "is a link to a folder".into())
        }
        2 => symlink("nowhere", &path).ok().map(|()| "is a link to nothing".into()),
        3 => {
            // A sound file of another kind is not an earlier output either.
            let kind = path.extension().unwrap_or_default();
            let other = scene.keys().filter(|other| other.extension().unwrap_or_default() != kind);
            let other = other.collect::<Vec<_>>()[random.random_range(0..8)];
            fs::write(&path, &scene[other]).ok().map(|()| format!("has the bytes of {}", other.display()))
        }
        _ => {
            let is_unfinished = path.to_string_lossy().ends_with("part");
            let bytes = CONTENTS[random.random_range(usize::from(is_unfinished)..CONTENTS.len())];
            fs::write(&path, bytes).ok().map(|()| format!("has {:?}", String::from_utf8_lossy(bytes)))
        }
    }
}

/// All links below a folder. They are not followed.
fn links_of(root: &Path) -> Links {
    let mut links = Links::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_symlink() => {
                    let name = path.strip_prefix(root).unwrap_or(&path).to_path_buf();
                    links.insert(name, fs::read_link(&path).unwrap_or_default());
                }
                _ => {}
            }
        }
    }
    links
}
