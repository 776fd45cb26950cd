//! The files of the project, and what Rust, manifests and scripts name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// A file of the project: its text, and its path from the root with `/` as separator.
pub(super) struct File {
    pub(super) path: String,
    pub(super) text: String,
}

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies inside the project").to_owned()
}

/// Whether a path is never committed: `.git`, and everything that `.gitignore` covers.
pub(super) fn is_generated(path: &str) -> bool {
    static IGNORED: OnceLock<Vec<String>> = OnceLock::new();
    let ignored = IGNORED.get_or_init(|| {
        let list = fs::read_to_string(root().join(".gitignore")).expect(".gitignore");
        list.lines().chain([".git"]).map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
    });
    ignored.iter().any(|pattern| is_ignored_by(path, pattern))
}

/// Whether a line of `.gitignore` covers a path. Supports `/from/the/root`, `name` and `*.ending`, which are all that ours
/// uses.
pub(super) fn is_ignored_by(path: &str, pattern: &str) -> bool {
    assert!(!pattern.starts_with(['!', '#']) && !pattern.trim_start_matches('*').contains('*'), "unknown: {pattern}");
    let pattern = pattern.trim_end_matches('/');
    match (pattern.strip_prefix('/'), pattern.strip_prefix('*')) {
        (Some(from_root), _) => lies_below(path, from_root, "/"),
        (_, Some(ending)) => path.split('/').any(|part| part.ends_with(ending)),
        _ => path.split('/').any(|part| part == pattern),
    }
}

#[test]
fn ignored_paths_are_told_from_others() {
    for (path, other, pattern) in [
        ("target/x", "a/target/x", "/target"),
        ("www/a/node_modules/b", "www/node_modules_of/b", "node_modules"),
        ("a/b.swp", "a/b.swp.rs", "*.swp"),
        ("a/seeds/b", "a/seeds.txt", "seeds/"),
    ] {
        assert!(is_ignored_by(path, pattern) && !is_ignored_by(other, pattern), "{pattern}");
    }
    assert!(is_generated(".git/HEAD") && is_generated("target") && !is_generated("tests/tests/house/project.rs"));
}

/// All text files that can be committed.
pub(super) fn project() -> Vec<File> {
    let mut files = Vec::new();
    collect(&root(), "", &mut files);
    assert!(files.iter().any(|file| file.path == "tests/tests/house/project.rs"), "the project was not found");
    files
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<File>) {
    // A file that disappears meanwhile was not to be committed.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if is_generated(&path) {
            continue;
        }
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{path}/"), files);
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            files.push(File { path, text });
        }
    }
}

/// Whether `name` is `place` or lies below it. Everything lies below the empty place.
pub(super) fn lies_below(name: &str, place: &str, separator: &str) -> bool {
    place.is_empty() || name.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with(separator))
}

pub(super) fn rust_files<'a>(files: &'a [File], places: &'a [&str]) -> impl Iterator<Item = &'a File> {
    let ours = files.iter().filter(|file| file.path.ends_with(".rs"));
    ours.filter(|file| places.iter().any(|place| lies_below(&file.path, place, "/")))
}

pub(super) fn all_dependencies(files: &[File], path: &str) -> Vec<(String, String)> {
    let manifests = files.iter().filter(|file| file.path.ends_with("Cargo.toml") && lies_below(&file.path, path, "/"));
    manifests
        .flat_map(|file| dependencies(&file.text).map(|name| (file.path.clone(), name)).collect::<Vec<_>>())
        .collect()
}

/// Names below `[dependencies]` and similar headings of a manifest, without those of development and build scripts.
fn dependencies(manifest: &str) -> impl Iterator<Item = String> {
    let mut inside = false;
    manifest.lines().filter_map(move |line| {
        let line = line.trim();
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            let section = section.rsplit_once("'.").map_or(section, |(_, last)| last);
            inside = section == "dependencies";
            return section.strip_prefix("dependencies.").map(str::to_owned);
        }
        let name = line.split(['=', '.']).next().unwrap_or("").trim();
        (inside && !name.is_empty() && !name.starts_with('#')).then(|| name.to_owned())
    })
}

/// The paths that a TypeScript or Svelte file loads: the strings after `from`, `import` and `new URL`.
pub(super) fn script_imports(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//") && !line.trim_start().starts_with('*'));
    let text = lines.collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for door in ["from", "import", "import(", "new URL("] {
        for (at, _) in text.match_indices(door) {
            let rest = text[at + door.len()..].trim_start();
            if let Some(quote @ ('\'' | '"' | '`')) = rest.chars().next() {
                found.extend(rest[1..].split(quote).next().map(str::to_owned));
            }
        }
    }
    found
}

/// The tokens of Rust code without comments, literals and test-only code; `::` is one token.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let stream: TokenStream = text.parse().unwrap_or_else(|error| panic!("{error}: {text}"));
    let mut found = Vec::new();
    collect_tokens(stream, &mut found);
    found
}

fn collect_tokens(stream: TokenStream, found: &mut Vec<String>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Punct(mark) if mark.as_char() == '#' && trees.peek().is_some_and(is_test_attribute) => {
                // The item after the attribute ends with its braces or a semicolon.
                let is_end = |tree: &TokenTree| match tree {
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    TokenTree::Punct(mark) => mark.as_char() == ';',
                    _ => false,
                };
                trees.find(is_end);
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' && mark.spacing() == Spacing::Joint => {
                trees.next();
                found.push("::".into());
            }
            TokenTree::Punct(mark) => found.push(mark.as_char().into()),
            TokenTree::Ident(word) => found.push(word.to_string()),
            TokenTree::Literal(_) => found.push("literal".into()),
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                found.push(open.into());
                collect_tokens(group.stream(), found);
                found.push(close.into());
            }
        }
    }
}

/// Whether this token is the `[cfg(test)]` of an attribute.
fn is_test_attribute(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.stream().to_string().replace(' ', "") == "cfg(test)")
}

pub(super) fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Whether Rust code contains these tokens in sequence.
pub(super) fn says(text: &str, words: &str) -> bool {
    let words = tokens(words);
    tokens(text).windows(words.len()).any(|some| some == words)
}

pub(super) fn has_word(text: &str, word: &str) -> bool {
    tokens(text).iter().any(|token| token == word)
}

/// Every path that a Rust file names, in `use` or in an expression. Paths that begin with `super` or `self` are resolved to
/// `crate`.
pub(super) fn names(file: &File) -> BTreeSet<String> {
    let tokens = tokens(&file.text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let in_path = at > 0 && tokens[at - 1] == "::" && at > 1 && is_word(&tokens[at - 2]);
        if is_word(&tokens[at]) && !in_path {
            at = path(&tokens, at, "", &mut found);
        } else {
            at += 1;
        }
    }
    found.into_iter().map(|name| rooted(&file.path, &name)).collect()
}

/// Reads a path or a `use` tree at `at`, and returns its end.
fn path(tokens: &[String], mut at: usize, prefix: &str, found: &mut Vec<String>) -> usize {
    let mut name = prefix.to_owned();
    loop {
        let token = tokens.get(at).map_or("", String::as_str);
        if is_word(token) {
            name = if name.is_empty() { token.to_owned() } else { format!("{name}::{token}") };
            at += 1;
            if tokens.get(at).is_some_and(|next| next == "::") {
                at += 1;
                continue;
            }
        } else if token == "{" && !name.is_empty() {
            at += 1;
            while let Some(token) = tokens.get(at).filter(|token| *token != "}") {
                at = if is_word(token) && token != "as" { path(tokens, at, &name, found) } else { at + 1 };
            }
            return at + 1;
        }
        found.push(name);
        return at;
    }
}

/// A path in the file at `place`, resolved from the root of its crate.
fn rooted(place: &str, name: &str) -> String {
    let inside = place.split_once("src/").map_or("", |(_, inside)| inside).trim_end_matches(".rs");
    let inside = inside.trim_end_matches("/mod");
    let mut module: Vec<&str> =
        inside.split('/').filter(|part| !matches!(*part, "" | "lib" | "main" | "mod")).collect();
    let mut parts = name.split("::").peekable();
    let mut relative = false;
    while let Some(&part) = parts.peek().filter(|part| matches!(**part, "super" | "self")) {
        relative = true;
        if part == "super" {
            module.pop();
        }
        parts.next();
    }
    let rest: Vec<&str> = parts.collect();
    match relative {
        true => ["crate"].into_iter().chain(module).chain(rest).collect::<Vec<_>>().join("::"),
        false => rest.join("::"),
    }
}

#[test]
fn names_are_read_from_trees_and_in_passing() {
    let text = "use crate::{board::{self, make::{Bits, Whole as W}}, game};\nuse super::Query;\n\
        fn f<'a>(x: &'a str) -> ::std::io::Result<()> { super::super::reduce::go(\"no::this\", 'x', '\\''); r#\"not::\"#; }\n\
        // not::that\n#[cfg(test)]\n#[allow(x)]\nmod tests { use not::here; }\nfn g() { core::mem::swap() }";
    let file = File { path: "core/scan/src/scan/fold.rs".into(), text: text.into() };
    let names = names(&file);
    for expected in [
        "crate::board::self",
        "crate::board::make::Bits",
        "crate::board::make::Whole",
        "crate::game",
        "crate::scan::Query",
        "std::io::Result",
        "crate::reduce::go",
        "core::mem::swap",
    ] {
        assert!(names.contains(expected), "{expected} is not in {names:?}");
    }
    assert!(!names.iter().any(|name| name.starts_with("not")), "{names:?}");
}
