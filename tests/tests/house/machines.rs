//! No committed file names a machine.

use super::project::{File, project};

#[test]
fn nothing_names_a_machine() {
    let found: Vec<String> = project().iter().flat_map(machine_paths).collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn machine_paths_are_seen() {
    let lines = |text: &str| machine_paths(&File { path: "a.md".into(), text: text.into() }).len();
    for home in homes() {
        assert_eq!(lines(&format!("one\nin {home}/somebody/x\n")), 1);
        assert_eq!(lines(&format!("https://example.org{home}/x, net{home}/x, {home}s/x")), 0);
    }
}

/// Folders in which people and machines keep a clone. Assembled here, so that this file does not contain their names.
fn homes() -> [String; 4] {
    ["work", "home", "root", "Users"].map(|name| format!("/{name}"))
}

/// Lines of a file that contain a path below one of the [`homes`].
fn machine_paths(file: &File) -> Vec<String> {
    let names = |line: &str| {
        homes().iter().any(|home| {
            let home = format!("{home}/");
            line.match_indices(&home).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '.'))
        })
    };
    let lines = (1..).zip(file.text.lines()).filter(|(_, line)| names(line));
    lines.map(|(number, line)| format!("{}:{number}: {}", file.path, line.trim())).collect()
}
