//! All mutants of some folders, and a sample of them that depends only on the seed.
//!
//! `cargo mutants` lists most of them; [`sites`] finds the place of each and adds finer ones.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::folders::NAIVE_SCAN_FILE;
use super::sites::{SourceSite, SourceSites, Surroundings, sites};
use crate::command::{cargo, output_of};
use crate::machine;
use crate::paths::in_project;

const CARGO_MUTANTS_VERSION: &str = "27.1.0";

/// One change of one file.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// From the project's root, with `/` between parts.
    pub file: String,
    pub line: usize,
    pub column: usize,
    pub description: String,
    pub genre: String,
    /// What a switch does, or why there is none.
    pub change: Result<SourceChange, &'static str>,
    /// The lines that change, before and after.
    pub diff: String,
    /// Decides which mutants are in the sample.
    pub rank: u64,
}

/// A change of the bytes of a file that can be switched on at run time.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceChange {
    pub range: Range<usize>,
    pub kind: ChangeKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ChangeKind {
    /// The expression at the place becomes this one.
    Value(String),
    /// The function whose first statement begins at the place returns this at once.
    Return(String),
    /// The match arm whose pattern ends at the place does not apply.
    NoArm,
}

impl Mutant {
    pub fn name(&self) -> String {
        format!("{}:{}:{}: {}", self.file, self.line, self.column, self.description)
    }
}

impl SourceChange {
    /// The lines that change, before and after.
    fn diff(&self, text: &str) -> String {
        let first = text[..self.range.start].rfind('\n').map_or(0, |end| end + 1);
        let last = text[self.range.end..].find('\n').map_or(text.len(), |end| self.range.end + end);
        let changed = match &self.kind {
            ChangeKind::Value(value) => value.clone(),
            ChangeKind::Return(value) => format!("return {value}; "),
            ChangeKind::NoArm => " if false".to_owned(),
        };
        let before = &text[first..last];
        let after = format!("{}{changed}{}", &text[first..self.range.start], &text[self.range.end..last]);
        let signed = |sign: char, lines: &str| lines.lines().map(|line| format!("{sign} {line}\n")).collect::<String>();
        signed('-', before) + &signed('+', &after)
    }
}

/// All mutants of the files below `folders`, in the order of the files.
///
/// # Errors
/// `cargo mutants` cannot be installed or run, or a file cannot be read.
pub fn mutants(folders: &[String], seed: u64) -> Result<Vec<Mutant>> {
    let mut files: BTreeMap<String, (String, SourceSites)> = BTreeMap::new();
    let mut list = Vec::new();
    for value in list_with_cargo(folders)? {
        let file = value["file"].as_str().context("a mutant without a file")?.to_owned();
        if !files.contains_key(&file) {
            files.insert(file.clone(), read(&file)?);
        }
        let (text, sites) = &files[&file];
        list.push(from_cargo(&value, &file, text, sites)?);
    }
    for (file, (text, sites)) in &files {
        list.extend(from_sites(file, text, sites));
    }
    list.sort_by(|a, b| (&a.file, a.line, a.column, &a.description).cmp(&(&b.file, b.line, b.column, &b.description)));
    rank(&mut list, &files, seed);
    Ok(list)
}

fn list_with_cargo(folders: &[String]) -> Result<Vec<Value>> {
    let tool = machine::cargo_tool("cargo-mutants", CARGO_MUTANTS_VERSION, &[])?.join("cargo-mutants");
    let mut command = crate::command::program(tool);
    command.args(["mutants", "--list", "--json", "--workspace"]).env("CARGO", cargo().get_program());
    for folder in folders {
        // The twin of the scan is a test that lies beside the code it tests.
        command.args(["--file", &format!("{folder}/**"), "--file", folder]);
    }
    command.args(["--exclude", NAIVE_SCAN_FILE]);
    let text = output_of(&mut command)?;
    serde_json::from_str(&text).context("`cargo mutants --list --json` printed something else")
}

fn read(file: &str) -> Result<(String, SourceSites)> {
    let text = fs::read_to_string(in_project(file)).with_context(|| format!("{file} cannot be read"))?;
    let sites = sites(&text).with_context(|| format!("{file} cannot be walked through"))?;
    Ok((text, sites))
}

/// A mutant of `cargo mutants`, with the expression that it changes.
fn from_cargo(value: &Value, file: &str, text: &str, sites: &SourceSites) -> Result<Mutant> {
    let word = |key: &str| value[key].as_str().map(str::to_owned).with_context(|| format!("a mutant without {key}"));
    let start = |key: &str| {
        let number = value["span"]["start"][key].as_u64().with_context(|| format!("a mutant without a {key}"))?;
        anyhow::Ok(usize::try_from(number)?)
    };
    let (line, column) = (start("line")?, start("column")?);
    let (genre, replacement) = (word("genre")?, word("replacement")?);
    let found =
        GENRES.iter().find(|known| **known == genre).and_then(|known| sites.by_position.get(&(*known, (line, column))));
    let change = match found {
        None => Err("not found again"),
        Some((_, Surroundings { is_constant: true, .. })) => Err("a constant"),
        Some((_, Surroundings { is_let_chain: true, .. })) => Err("a chain with let"),
        Some(_)
            if value["function"]["return_type"]
                .as_str()
                .is_some_and(|of| genre == "FnValue" && of.contains("impl ")) =>
        {
            Err("a function of an unnamed type")
        }
        Some((site, _)) => Ok(change(site, &replacement, text)),
    };
    let name = word("name")?;
    let prefix = format!("{file}:{line}:{column}: ");
    let description = name.strip_prefix(&prefix).unwrap_or(&name).to_owned();
    let diff = change.as_ref().map_or_else(|_| String::new(), |change| change.diff(text));
    Ok(Mutant { file: file.to_owned(), line, column, description, genre, change, diff, rank: 0 })
}

const GENRES: [&str; 6] = ["FnValue", "BinaryOperator", "UnaryOperator", "MatchArm", "MatchArmGuard", "StructField"];

fn change(site: &SourceSite, replacement: &str, text: &str) -> SourceChange {
    let operand = |(range, is_loose): &(Range<usize>, bool)| {
        let words = &text[range.clone()];
        if *is_loose { format!("({words})") } else { words.to_owned() }
    };
    let value =
        |whole: &Range<usize>, value: String| SourceChange { range: whole.clone(), kind: ChangeKind::Value(value) };
    match site {
        SourceSite::Binary { whole, left, right } => {
            value(whole, format!("{} {replacement} {}", operand(left), operand(right)))
        }
        SourceSite::Unary { whole, operand } => value(whole, format!("{replacement}{}", &text[operand.clone()])),
        SourceSite::Guard { whole } => value(whole, replacement.to_owned()),
        SourceSite::Field { whole, field } => {
            value(whole, format!("{}{}", &text[whole.start..field.start], &text[field.end..whole.end]))
        }
        SourceSite::Body { start } => {
            SourceChange { range: *start..*start, kind: ChangeKind::Return(replacement.to_owned()) }
        }
        SourceSite::Arm { pattern_end } => SourceChange { range: *pattern_end..*pattern_end, kind: ChangeKind::NoArm },
    }
}

/// The finer mutants.
fn from_sites<'a>(file: &'a str, text: &'a str, sites: &'a SourceSites) -> impl Iterator<Item = Mutant> + 'a {
    sites.proposed.iter().map(move |own| {
        let before = text[own.range.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
        let description = match own.genre {
            "Statement" => format!("leave out {before} in {}", own.function),
            _ => format!("replace {before} with {} in {}", own.replacement, own.function),
        };
        let change = SourceChange { range: own.range.clone(), kind: ChangeKind::Value(own.replacement.clone()) };
        Mutant {
            file: file.to_owned(),
            line: own.position.0,
            column: own.position.1,
            description,
            genre: own.genre.to_owned(),
            diff: change.diff(text),
            change: if own.surroundings.is_constant { Err("a constant") } else { Ok(change) },
            rank: 0,
        }
    })
}

/// Ranks a mutant by its content and not by its line, so that edits elsewhere in the file keep the sample.
fn rank(list: &mut [Mutant], files: &BTreeMap<String, (String, SourceSites)>, seed: u64) {
    let mut repeated: HashMap<String, usize> = HashMap::new();
    for mutant in list {
        let line = files[&mutant.file].0.lines().nth(mutant.line - 1).unwrap_or_default().trim();
        let identity = format!("{}\n{}\n{line}", mutant.file, mutant.description);
        let times = repeated.entry(identity.clone()).or_default();
        mutant.rank = hash(&format!("{seed}\n{times}\n{identity}"));
        *times += 1;
    }
}

/// FNV-1a with the last step of SplitMix64: the same on every machine and with every compiler.
fn hash(text: &str) -> u64 {
    let mut hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// The text of a file of the project.
pub fn text_of(root: &Path, file: &str) -> Result<String> {
    fs::read_to_string(root.join(file)).with_context(|| format!("{file} cannot be read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_of(text: &str, genre: &'static str, replacement: &str) -> String {
        let found = sites(text).expect("Rust");
        let mut of: Vec<_> = found.by_position.iter().filter(|((known, _), _)| *known == genre).collect();
        of.sort_by_key(|((_, place), _)| *place);
        let change = change(&of[0].1.0, replacement, text);
        let ChangeKind::Value(value) = change.kind else { panic!("no value: {change:?}") };
        format!("{}{value}{}", &text[..change.range.start], &text[change.range.end..])
    }

    #[test]
    fn an_operator_alone_is_changed() {
        let binary = |text, to| value_of(text, "BinaryOperator", to);
        assert_eq!(binary("fn f() { (a + b) < c }", "-"), "fn f() { (a - b) < c }");
        assert_eq!(binary("fn f() { x = a as u8 + 3; }", "-"), "fn f() { x = (a as u8) - 3; }");
        assert_eq!(binary("fn f() { a.b += c * d; }", "-="), "fn f() { a.b -= (c * d); }");
        assert_eq!(value_of("fn f() { g(!a.b()) }", "UnaryOperator", ""), "fn f() { g(a.b()) }");
        let field = "fn f() { S { n: 1, m: 2, ..s } }";
        assert_eq!(value_of(field, "StructField", ""), "fn f() { S {  m: 2, ..s } }");
    }

    #[test]
    fn the_hash_is_the_same_everywhere() {
        assert_eq!(hash(""), 0xf52a_15e9_a9b5_e89b);
        assert_ne!(hash("1\n0\na"), hash("2\n0\na"));
    }
}
