//! What a mistake of the command line most likely means: a command by another word, and a format by an option of its own.

use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Words that other programs use, and the command that is meant by them. Of other words clap finds the nearest command.
const MEANT: &[(&str, &[&str])] = &[
    ("query", &["ask", "count", "filter", "find", "grep", "heatmap", "list", "search", "select", "where"]),
    ("import", &["add", "build", "convert", "create", "load", "open", "parse", "read"]),
    ("info", &["about", "describe", "overview", "stat", "stats", "status", "summary"]),
    ("show", &["board", "cat", "display", "game", "print", "view"]),
    ("export", &["dump", "extract", "pgn", "save", "write"]),
    ("position", &["explore", "explorer", "fen", "lookup", "opening", "openings", "tree"]),
    ("explain", &["analyse", "analyze", "why"]),
    ("predicates", &["conditions", "features", "grammar", "syntax", "words"]),
    ("compact", &["join", "merge", "optimize", "pack", "sort"]),
    ("serve", &["server", "web"]),
];

/// Adds to an error of clap what its user most likely means.
pub fn advise(error: &mut clap::Error) {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = context(ContextKind::InvalidSubcommand);
            // A file where a command is expected is asked something.
            let command = if Path::new(&word).exists() { Some("query") } else { command_meant(&word) };
            if let Some(command) = command {
                error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![command.into()]));
            }
        }
        ErrorKind::UnknownArgument => {
            let option = context(ContextKind::InvalidArg);
            if let Some(format) = option.strip_prefix("--").filter(|name| FORMATS.contains(name)) {
                let tip = format!("a format is named by '--format {format}'");
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
            }
        }
        _ => {}
    }
}

/// Formats that some command has.
const FORMATS: [&str; 7] = ["csv", "json", "text", "parquet", "pgn", "fen", "epd"];

/// The command that a word means, if it is a word of other programs.
fn command_meant(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    MEANT.iter().find(|(_, words)| words.contains(&word.as_str())).map(|(command, _)| *command)
}
