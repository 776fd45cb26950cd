//! Mangles folders that `plyfold publish` has made, and then checks them or publishes again.
//!
//! A check names every file with other bytes than were published, but for `library.json` itself and the files for hosts.
//! Publishing again ends, touches nothing but its own files, and once the files that a check names are gone, it makes the
//! same folder as before.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rand::Rng;
use rand::rngs::StdRng;
use serde_json::Value;

use crate::attack::{AttackOutcome, AttackSeries, Tried};
use crate::bytes::{cut, flipped};
use crate::mangle::mangled;
use crate::neighbours;
use crate::programs::{Program, ProgramRun, TortureSandbox, told, words};
use crate::scene::{self, Files};

const CHECK: &str = "publish --check pub --format json";
const PUBLISH: &str = "publish pub --corpus c.plyfold --site site --about about.md --tables packed-before";
/// Publishes other games, so that files of the old ones are removed.
const PUBLISH_OTHER: &str = "publish pub --corpus lib --site site";

/// Words of the texts of a published folder.
const WORDS: [&str; 12] = [
    "\"corpora\":[]",
    "\"version\":1",
    "\"library/../../c.plyfold\"",
    "\"bytes\":18446744073709551615",
    "\"tables\":{\"folder\":\"../t/\",\"names\":[\"KRvK\"]}",
    "\"questions\":[{\"title\":\"t\",\"query\":\"4 of (check,pawn,knight,bishop)\"}]",
    "[`notes.txt`,`sha256-GDXuxdzfDwXUInlQIWq1tcqy6Rk2218ZgXF+brnI9k4=`],",
    "[`library/notes.txt`,`sha256-6VzxhhXBt/ugxu2muFS+9o3SpDz7WWuPRE0ZUOIfa9E=`],",
    "`0123456789ab`",
    "<title>",
    "null",
    "/*\n  X: y\n",
];

/// Files of somebody else in the folder and beside it.
const NOTES: [&str; 4] = ["pub/notes.txt", "pub/library/notes.txt", "pub/tables/notes.txt", "elsewhere/thesis.txt"];

/// Attacks on published folders.
pub struct PublishedFolders {
    scene: Files,
    /// The published files.
    published: Vec<PathBuf>,
}

impl PublishedFolders {
    /// Publishes a folder.
    pub fn new() -> PublishedFolders {
        let mut scene = neighbours::files();
        let published = scene.keys().filter(|name| name.starts_with("pub")).cloned().collect();
        scene.extend(NOTES.map(|name| (name.into(), b"notes of somebody else".to_vec())));
        PublishedFolders { scene, published }
    }

    /// Damages a published file, and says how.
    fn damage(&self, random: &mut StdRng, sandbox: &TortureSandbox, name: &Path) -> String {
        let bytes = &self.scene[name];
        let path = sandbox.path().join(name);
        let is_text = std::str::from_utf8(bytes).is_ok();
        // Nothing is written through a link.
        let _ = fs::remove_file(&path);
        let (what, new) = match random.random_range(0..8) {
            0 => return format!("{} is removed", name.display()),
            1 => {
                let _ = symlink(sandbox.path().join("elsewhere/thesis.txt"), &path);
                return format!("{} is a link", name.display());
            }
            2 => ("emptied", Vec::new()),
            // Nothing of an empty file can be changed.
            nth if nth == 3 || bytes.is_empty() => {
                let other = &self.published[random.random_range(0..self.published.len())];
                ("another one", self.scene[other].clone())
            }
            4 => ("cut", cut(random, bytes, &[bytes.len() / 2, 64])),
            5..=7 if is_text => ("mangled", mangled(random, bytes, &WORDS)),
            _ => ("flipped", flipped(random, bytes)),
        };
        sandbox.put(name, &new);
        format!("{} is {what}", name.display())
    }

    /// The first file that is not of the folder and is gone or changed.
    fn lost(&self, sandbox: &TortureSandbox) -> Option<AttackOutcome> {
        scene::lost(&self.scene, &sandbox.files(), &self.published).map(AttackOutcome::Lost)
    }

    /// The published files that are not as they were.
    fn changed(&self, sandbox: &TortureSandbox) -> Vec<&PathBuf> {
        let files = sandbox.files();
        self.published.iter().filter(|name| files.get(*name) != self.scene.get(*name)).collect()
    }

    /// A check that finds less than what is wrong, or something else.
    fn wrong_check(&self, sandbox: &TortureSandbox, checked: &ProgramRun) -> Option<AttackOutcome> {
        let changed = self.changed(sandbox);
        if changed.iter().any(|name| name.ends_with("library.json")) {
            return None;
        }
        let named = problems(checked);
        let is_promised =
            |name: &&&PathBuf| !is_for_hosts(name) && !named.contains(&name.to_string_lossy().into_owned());
        // Without the list of the site's files, none of them can be checked.
        let is_seen = |name: &&&PathBuf| name.starts_with("pub/library") || !named.contains(&"pub/sw.js".into());
        let missed = changed.iter().filter(is_promised).find(is_seen)?;
        Some(AttackOutcome::Wrong(format!("the check does not name {}: {named:?}", missed.display())))
    }

    /// Publishes the same again, until the folder is as it was.
    fn published_again(&self, sandbox: &TortureSandbox) -> AttackOutcome {
        let ran = sandbox.run(Program::Plyfold, &words(PUBLISH));
        if let Some(outcome) = ran.fault(Program::Plyfold).or_else(|| self.lost(sandbox)) {
            return outcome;
        }
        if ran.code() != Some(0) {
            return AttackOutcome::Refused;
        }
        // Files of the right length were kept; the check says which of them are damaged.
        let checked = sandbox.run(Program::Plyfold, &words(CHECK));
        if let Some(fault) = checked.fault(Program::Plyfold).or_else(|| self.wrong_check(sandbox, &checked)) {
            return fault;
        }
        for name in problems(&checked) {
            let _ = fs::remove_file(sandbox.path().join(name));
        }
        let ran = sandbox.run(Program::Plyfold, &words(PUBLISH));
        let changed = self.changed(sandbox);
        match (ran.code(), changed.first()) {
            (Some(0), None) => self.lost(sandbox).unwrap_or(AttackOutcome::Answered),
            (_, name) => AttackOutcome::Lost(format!(
                "publishing again does not mend {name:?}: {}",
                String::from_utf8_lossy(&ran.stderr)
            )),
        }
    }
}

impl AttackSeries for PublishedFolders {
    fn attack(&mut self, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
        let sandbox = scene::sandbox(&self.scene);
        let mut said = Vec::new();
        for _ in 0..random.random_range(1..4) {
            let name = &self.published[random.random_range(0..self.published.len())];
            said.push(self.damage(random, &sandbox, name));
            tried.input("damaged", &fs::read(sandbox.path().join(name)).unwrap_or_default());
        }
        let line = [CHECK, PUBLISH, PUBLISH_OTHER][random.random_range(0..3)];
        told(Program::Plyfold, &words(line), tried);
        tried.input("damage.txt", said.join("\n").as_bytes());
        if line == PUBLISH {
            return self.published_again(&sandbox);
        }
        let ran = sandbox.run(Program::Plyfold, &words(line));
        if let Some(outcome) = ran.fault(Program::Plyfold).or_else(|| self.lost(&sandbox)) {
            return outcome;
        }
        match (line == CHECK).then(|| self.wrong_check(&sandbox, &ran)).flatten() {
            Some(wrong) => wrong,
            None if ran.code() == Some(0) => AttackOutcome::Answered,
            None => AttackOutcome::Refused,
        }
    }
}

/// The paths of the files that a check names.
fn problems(checked: &ProgramRun) -> Vec<String> {
    let report: Value = serde_json::from_slice(&checked.stdout).unwrap_or_default();
    let problems = report["problems"].as_array().into_iter().flatten();
    problems.filter_map(|problem| Some(format!("pub/{}", problem["file"].as_str()?))).collect()
}

/// Whether a file is one for hosts, which a check does not read.
fn is_for_hosts(name: &Path) -> bool {
    let is_site =
        ["index.html", "manifest.webmanifest", "icon.svg", "sw.js", "assets", "_headers", "library", "tables"];
    let first = name.strip_prefix("pub").ok().and_then(|name| name.iter().next()).unwrap_or_default();
    !is_site.iter().any(|site| first == *site)
}
