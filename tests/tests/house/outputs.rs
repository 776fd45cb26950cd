//! An output is one file and one line: no other code decides by its name.

use plyfold_core::reduce::output::OUTPUTS;

use super::project::project;

/// Outputs whose drawings and files have code of their own.
const DRAWN: [&str; 5] = ["heatmap", "structures", "counts", "partition", "next_moves"];

/// Names of outputs that mean something else in a file.
const WORDS: [(&str, &str); 5] = [
    // A table of a report, of kinds of endgames.
    ("endgames", "cli/src/commands/opening/mod.rs"),
    ("endgames", "cli/src/commands/player/tables.rs"),
    // A heading of the list of predicates, and a word of the language.
    ("endgames", "cli/src/commands/predicates.rs"),
    ("endgames", "core/query/src/parse/leaf.rs"),
    // What somebody types for the command that lists predicates.
    ("features", "cli/src/advice.rs"),
];

#[test]
fn no_code_decides_by_the_name_of_an_output() {
    let names: Vec<&str> = OUTPUTS.iter().map(|output| output.name).filter(|name| !DRAWN.contains(name)).collect();
    assert!(!names.is_empty());
    let mut found = Vec::new();
    for file in project() {
        let is_code = [".rs", ".ts", ".svelte"].iter().any(|ending| file.path.ends_with(ending));
        let is_test = file.path.split('/').any(|part| part == "tests") || file.path.contains(".test.");
        if !is_code || is_test || file.path == "tests/tests/house/outputs.rs" {
            continue;
        }
        for &name in &names {
            let own = [format!("core/reduce/src/{name}.rs"), "www/src/state/outputs.ts".into()];
            let is_word = WORDS.contains(&(name, file.path.as_str()));
            let is_named = [format!("\"{name}\""), format!("'{name}'")].iter().any(|word| file.text.contains(word));
            if is_named && !is_word && !own.contains(&file.path) {
                found.push(format!("{} names {name}", file.path));
            }
        }
    }
    assert_eq!(found, Vec::<String>::new(), "an output is told from others by its definition");
}
