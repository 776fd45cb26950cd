//! The table "What never imports what" holds row by row, and each row is able to fail.
//!
//! These tests read Rust as tokens and everything else as text. Each rule carries snippets that break it, and a test checks that the rule
//! catches them.

use std::fs;

use super::project::{
    File, all_dependencies, has_word, lies_below, names, project, root, rust_files, says, script_imports,
};
use super::rules_of_core::RULES_OF_CORE;
use super::rules_of_programs::RULES_OF_PROGRAMS;

/// The only files that may contain `unsafe`.
pub(super) const UNSAFE: &[&str] = &[
    "library/src/map.rs",
    "core/board/src/board/avx2.rs",
    "core/board/src/board/vectors.rs",
    "egtgen/src/vectors.rs",
    "egtgen/src/cli/arena.rs",
];

/// A row of the table in ARCHITECTURE.md.
pub(super) struct Rule {
    pub(super) who: &'static str,
    pub(super) never: &'static str,
    pub(super) because: &'static str,
    pub(super) checks: &'static [Check],
    /// Files that break the rule, each alone.
    pub(super) bad: &'static [(&'static str, &'static str)],
}

/// A check of the files of the project.
pub(super) enum Check {
    /// Rust files below the first paths name nothing below the second. Unit tests are ignored.
    Names(&'static [&'static str], &'static [&'static str]),
    /// Of the first module tree, Rust files below the first path name only the listed modules.
    OnlyNames(&'static str, &'static str, &'static [&'static str]),
    /// Like `Names`, except for files below the third paths.
    NamesBut(&'static [&'static str], &'static [&'static str], &'static [&'static str]),
    /// The manifest depends on none of these crates. Development dependencies are ignored.
    Depends(&'static str, &'static [&'static str]),
    /// The manifests below the path depend only on these crates. Development dependencies are ignored.
    DependsOnly(&'static str, &'static [&'static str]),
    /// The root of each library below the path contains this text.
    Says(&'static str, &'static str),
    /// Of the TypeScript and Svelte files below the first path, only the third ones import a path that contains the second.
    Imports(&'static str, &'static str, &'static [&'static str]),
    /// No folder or file has one of these names, with any extension.
    Called(&'static [&'static str]),
    /// Only these Rust files contain the word. Comments and literals are ignored.
    Word(&'static str, &'static [&'static str]),
}

pub(super) use Check::{Called, Depends, DependsOnly, Imports, Names, NamesBut, OnlyNames, Says, Word};

/// The table in ARCHITECTURE.md.
fn rules() -> impl Iterator<Item = &'static Rule> {
    RULES_OF_CORE.iter().chain(RULES_OF_PROGRAMS)
}

impl Check {
    /// The problems in `files`, one a line.
    fn problems(&self, files: &[File]) -> Vec<String> {
        match *self {
            Names(places, never) => forbidden_names(files, places, never, &[]),
            NamesBut(places, never, but) => forbidden_names(files, places, never, but),
            OnlyNames(place, tree, only) => other_names(files, place, tree, only),
            Depends(path, never) => dependencies_that(files, path, |name| never.contains(&name)),
            DependsOnly(path, only) => dependencies_that(files, path, |name| !only.contains(&name)),
            Says(path, words) => {
                let places = [path];
                let silent = rust_files(files, &places)
                    .filter(|file| file.path.ends_with("src/lib.rs") && !says(&file.text, words));
                silent.map(|file| format!("{} does not say {words}", file.path)).collect()
            }
            Imports(place, what, only) => forbidden_script_imports(files, place, what, only),
            Called(never) => {
                let parts =
                    |path: &str| path.split('/').any(|part| never.contains(&part.split('.').next().unwrap_or(part)));
                files.iter().filter(|file| parts(&file.path)).map(|file| file.path.clone()).collect()
            }
            Word(word, only) => {
                let others = rust_files(files, &[""]).filter(|file| !only.contains(&file.path.as_str()));
                let with = others.filter(|file| has_word(&file.text, word));
                with.map(|file| format!("{} has {word}", file.path)).collect()
            }
        }
    }

    /// The files and folders that the check is about. They must exist, because the check would hold for a missing file.
    fn places(&self) -> Vec<&'static str> {
        match *self {
            Names(places, _) => places.to_vec(),
            NamesBut(places, _, but) => [places, but].concat(),
            OnlyNames(place, ..) | Depends(place, _) | DependsOnly(place, _) | Says(place, _) => vec![place],
            Imports(place, _, only) => [place].into_iter().chain(only.iter().copied()).collect(),
            Word(_, only) => only.to_vec(),
            Called(_) => Vec::new(),
        }
    }
}

/// The places where Rust files below `places`, except those below `but`, name something below `never`.
fn forbidden_names(files: &[File], places: &[&str], never: &[&str], but: &[&str]) -> Vec<String> {
    let is_in = |file: &&File| !but.iter().any(|but| lies_below(&file.path, but, "/"));
    let mut found = Vec::new();
    for file in rust_files(files, places).filter(is_in) {
        for name in names(file) {
            if never.iter().any(|never| lies_below(&name, never, "::")) {
                found.push(format!("{} names {name}", file.path));
            }
        }
    }
    found
}

/// The places where Rust files below `place` name a module of `tree` that is not in `only`.
fn other_names(files: &[File], place: &str, tree: &str, only: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for file in rust_files(files, &[place]) {
        for name in names(file) {
            let module = name.strip_prefix(tree).and_then(|rest| rest.strip_prefix("::"));
            let module = module.map(|rest| rest.split("::").next().unwrap_or(rest));
            if module.is_some_and(|module| !only.contains(&module)) {
                found.push(format!("{} names {name}", file.path));
            }
        }
    }
    found
}

/// The dependencies of the manifest at `path` that are forbidden.
fn dependencies_that(files: &[File], path: &str, is_forbidden: impl Fn(&str) -> bool) -> Vec<String> {
    let forbidden = all_dependencies(files, path).into_iter().filter(|(_, name)| is_forbidden(name));
    forbidden.map(|(manifest, name)| format!("{manifest} depends on {name}")).collect()
}

/// The places where scripts below `place`, except those in `only`, import `what`.
fn forbidden_script_imports(files: &[File], place: &str, what: &str, only: &[&str]) -> Vec<String> {
    let ours = files.iter().filter(|file| lies_below(&file.path, place, "/"));
    let scripts = ours.filter(|file| file.path.ends_with(".ts") || file.path.ends_with(".svelte"));
    let mut found = Vec::new();
    for file in scripts.filter(|file| !only.contains(&file.path.as_str())) {
        for import in script_imports(&file.text) {
            let stem = import.trim_end_matches(".ts").trim_end_matches(".js");
            if stem.ends_with(what) || what.ends_with('/') && stem.contains(what) {
                found.push(format!("{} imports {import}", file.path));
            }
        }
    }
    found
}

#[test]
fn nothing_imports_what_it_never_imports() {
    let files = project();
    let mut found = Vec::new();
    for rule in rules() {
        for problem in rule.checks.iter().flat_map(|check| check.problems(&files)) {
            found.push(format!("{problem}, but {} never imports {}", rule.who, rule.never));
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn every_rule_can_fail() {
    for rule in rules() {
        assert!(!rule.bad.is_empty());
        for &(path, text) in rule.bad {
            let files = [File { path: path.into(), text: text.into() }];
            let seen = rule.checks.iter().any(|check| !check.problems(&files).is_empty());
            assert!(seen, "{path} with {text:?} passes, but {} never imports {}", rule.who, rule.never);
        }
    }
}

#[test]
fn rules_let_pass_what_they_should() {
    let good = [
        (
            "core/board/src/board/mod.rs",
            "// use std::fs;\n/* use std::io; */ const A: &str = \"std::fs\"; use core::fmt;",
        ),
        ("core/board/src/board/mod.rs", "#[cfg(test)]\nmod tests {\n    use std::fs; fn f() { '{'; \"}\"; }\n}\n"),
        ("core/scan/src/scan/fold.rs", "use super::{Query, reducer::{End, Ply}}; use crate::game::Game;"),
        ("core/src/lib.rs", "#![no_std]\nextern crate alloc;"),
        (
            "core/Cargo.toml",
            "[features]\nstd = []\n[dependencies]\nrayon.workspace = true\n[dev-dependencies]\nlibc = \"1\"",
        ),
        ("input/src/import.rs", "use plyfold_pgn::{Report, into_shard}; use std::thread::yield_now;"),
        ("core/tables/src/layout/section.rs", "use super::number::{Numbers, put}; use crate::layout::Kind;"),
        ("egtgen/src/commands/generate.rs", "use clap::Args; use plyfold_tables::index::TableIndex;"),
        ("egtgen/src/retrograde/conversion/mod.rs", "use plyfold_transform::symmetry::Symmetry; use super::shape;"),
        ("www/src/main.ts", "// from './engine/build'\nimport { startWorker } from './engine/start';"),
        ("xtask/src/dist.rs", "let without = all.replace(\"require-corp\", \"unsafe-none\");"),
    ];
    for (path, text) in good {
        let files = [File { path: path.into(), text: text.into() }];
        for rule in rules() {
            let problems: Vec<_> = rule.checks.iter().flat_map(|check| check.problems(&files)).collect();
            assert!(problems.is_empty(), "{path} with {text:?}: {problems:?}");
        }
    }
}

#[test]
fn rules_speak_of_what_is_there() {
    for place in rules().flat_map(|rule| rule.checks).flat_map(Check::places) {
        assert!(root().join(place).exists(), "there is a rule about {place}, which is gone");
    }
    for path in UNSAFE {
        let text = fs::read_to_string(root().join(path)).expect("a file of the list");
        assert!(has_word(&text, "unsafe"), "{path} has no unsafe: take it off the list");
    }
}

#[test]
fn the_table_of_the_architecture_is_the_one_that_is_tested() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let section = page.split("## What never imports what").nth(1).expect("the section");
    let rows = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let told: Vec<String> = rows.take_while(|line| line.starts_with('|')).map(str::to_owned).collect();
    let tested: Vec<String> =
        rules().map(|rule| format!("| {} | {} | {} |", rule.who, rule.never, rule.because)).collect();
    assert_eq!(told, tested, "the table in ARCHITECTURE.md and the rules in tests/tests/house differ");
}
