//! Every file of tests is linked into a program.

use std::collections::BTreeSet;

use super::project::{File, lies_below, project};

/// Files that no test program includes, and unit tests that their manifest leaves out of test runs. Cargo reports neither.
fn unlinked_tests(files: &[File]) -> Vec<String> {
    let programs: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.path.strip_suffix("/main.rs"))
        .filter(|program| program.rsplit('/').nth(1) == Some("tests"))
        .collect();
    let says = |path: String, line: &str| files.iter().any(|file| file.path == path && has_line(&file.text, line));
    let mut found = Vec::new();
    for file in files {
        let module = file.path.strip_suffix("/mod.rs").or(file.path.strip_suffix(".rs"));
        let Some((folder, name)) = module.and_then(|module| module.rsplit_once('/')) else { continue };
        let is_of_program = programs.iter().any(|program| lies_below(folder, program, "/")) && name != "main";
        let parents = [format!("{folder}/main.rs"), format!("{folder}/mod.rs"), format!("{folder}.rs")];
        if is_of_program && !parents.into_iter().any(|parent| says(parent, &format!("mod {name};"))) {
            found.push(format!("{} belongs to no test program", file.path));
        }
    }
    for manifest in files {
        let Some(package) = manifest.path.strip_suffix("Cargo.toml") else { continue };
        for section in manifest.text.split("\n[").filter(|section| has_line(section, "test = false")) {
            let path = section.lines().find_map(|line| line.strip_prefix("path = ")).unwrap_or("").trim_matches('"');
            let is_left_out = |file: &&File| {
                let of_program = |file: &str| file == "src/main.rs" || file.starts_with("src/bin/");
                file.path.strip_prefix(package).is_some_and(|file| match section.lines().next() {
                    Some("lib]") => file.starts_with("src/") && !of_program(file),
                    _ => file == path,
                })
            };
            let with_tests = files.iter().filter(is_left_out).filter(|file| file.text.contains("#[test]"));
            found.extend(with_tests.map(|file| format!("{} has tests, but {} none", file.path, manifest.path)));
        }
    }
    found
}

fn has_line(text: &str, line: &str) -> bool {
    text.lines().any(|other| other.trim() == line)
}

#[test]
fn every_test_is_linked() {
    let found = unlinked_tests(&project());
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn tests_that_are_not_linked_are_seen() {
    let number = |files: &[(&str, &str)]| {
        let file = |&(path, text): &(&str, &str)| File { path: path.into(), text: text.into() };
        unlinked_tests(&files.iter().map(file).collect::<Vec<_>>()).len()
    };
    let main = ("a/tests/b/main.rs", "mod c;\nmod d;\n");
    assert_eq!(number(&[main, ("a/tests/b/c.rs", ""), ("a/tests/b/d/mod.rs", "mod e;"), ("a/tests/b/d/e.rs", "")]), 0);
    assert_eq!(number(&[main, ("a/tests/b/e.rs", ""), ("a/tests/b/d/mod.rs", ""), ("a/tests/b/d/e.rs", "")]), 2);
    let library = ("a/Cargo.toml", "[package]\nname = \"a\"\n\n[lib]\ntest = false\n");
    assert_eq!(number(&[library, ("a/src/main.rs", "#[test]"), ("b/src/lib.rs", "#[test]"), ("a/src/lib.rs", "")]), 0);
    assert_eq!(number(&[library, ("a/src/b.rs", "#[test]")]), 1);
    let program = ("a/Cargo.toml", "[package]\n\n[[bin]]\npath = \"src/main.rs\"\ntest = false\n");
    assert_eq!(number(&[program, ("a/src/lib.rs", "#[test]"), ("a/src/main.rs", "")]), 0);
    assert_eq!(number(&[program, ("a/src/main.rs", "#[test]")]), 1);
}
