//! The pages show what the program prints: each command of README.md and docs/cli.md is run, and its output compared.

use std::fs;
use std::path::Path;

use crate::program::CliSandbox;

/// A command of a page and the output that the page shows.
struct ShownCommand<'a> {
    line: &'a str,
    output: Vec<&'a str>,
}

/// The commands of a page in order. A block with a pipe is left out, because it needs a shell.
fn shown_commands(page: &str) -> Vec<ShownCommand<'_>> {
    let mut shown: Vec<ShownCommand> = Vec::new();
    for block in page.split("```").skip(1).step_by(2).filter(|block| !block.contains(" |\n")) {
        let mut in_command = false;
        for line in block.lines() {
            if let Some(line) = line.strip_prefix("$ ") {
                in_command = line.starts_with("plyfold ");
                if in_command {
                    shown.push(ShownCommand { line, output: Vec::new() });
                }
            } else if in_command && let Some(command) = shown.last_mut() {
                command.output.push(line);
            }
        }
    }
    shown
}

/// Whether a line is as the page shows it. Times differ from run to run, so of such a line only the beginning counts.
fn is_as_shown(shown: &str, printed: &str) -> bool {
    let is_timed = |line: &str| line.contains("a second") || line.trim_start().starts_with("seconds");
    let begin = |line: &str| line.split_whitespace().take(2).map(str::to_owned).collect::<Vec<_>>();
    match (is_timed(shown), is_timed(printed)) {
        (true, true) if shown.contains("a second") => begin(shown) == begin(printed),
        (true, true) => true,
        _ => shown.trim_end() == printed.trim_end(),
    }
}

/// Compares line by line; a line `…` stands for any number of lines.
fn assert_as_shown(page: &str, command: &ShownCommand<'_>, printed: &str) {
    let mut printed = printed.lines().peekable();
    let mut shown = command.output.iter().peekable();
    while let Some(&line) = shown.next() {
        if line == "…" {
            let Some(&&next) = shown.peek() else { return };
            while printed.next_if(|printed| !is_as_shown(next, printed)).is_some() {}
            continue;
        }
        let found = printed.next().unwrap_or("(nothing more)");
        assert!(is_as_shown(line, found), "{page}, {}:\n  shown   {line}\n  printed {found}", command.line);
    }
    let more = printed.find(|line| !line.trim().is_empty() && !command.output.is_empty());
    assert_eq!(more, None, "{page}, {}: the page shows less", command.line);
}

#[test]
fn commands_of_the_pages_print_what_the_pages_show() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let demo = "demo/demo.pgn.zst";
    for (page, least) in [("README.md", 2), ("docs/cli.md", 9)] {
        let sandbox = CliSandbox::new();
        fs::create_dir_all(sandbox.path(demo).parent().unwrap()).unwrap();
        fs::copy(project.join(demo), sandbox.path(demo)).unwrap();
        let text = fs::read_to_string(project.join(page)).unwrap();
        let commands = shown_commands(&text);
        for command in &commands {
            let words = shlex::split(command.line).unwrap();
            let arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
            let ran = sandbox.run(&arguments).succeeded();
            assert_as_shown(page, command, &String::from_utf8(ran.stdout).unwrap());
        }
        assert!(commands.len() >= least, "{page} has {} commands", commands.len());
    }
}
