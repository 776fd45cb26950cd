//! Paths and texts in messages: characters that would steer a terminal are escaped.

use std::fmt;
use std::path::Path;

/// A path for a message. Control characters, and characters that change the direction of the text, appear as `\u{1b}`.
#[derive(Clone, Copy, Debug)]
pub struct PrintablePath<'a>(pub &'a Path);

impl fmt::Display for PrintablePath<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&escape_controls(&self.0.to_string_lossy()))
    }
}

/// The text, with all characters escaped that would steer a terminal.
#[must_use]
pub fn escape_controls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_terminal_control(letter) { out.extend(letter.escape_default()) } else { out.push(letter) }
    }
    out
}

/// A message of several lines, each escaped as [`escape_controls`] does.
#[must_use]
pub fn escape_control_lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(escape_controls).collect();
    lines.join("\n")
}

/// Returns whether the character makes a terminal do something other than show it.
#[must_use]
pub fn is_terminal_control(letter: char) -> bool {
    // Direction marks can make a name read as another one.
    letter.is_control() || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_steer_a_terminal() {
        let name = "a\u{1b}[2J\u{9b}31m\rb\n\t\u{202e}gnp.c\u{7f}";
        let shown = PrintablePath(Path::new(name)).to_string();
        assert_eq!(shown, "a\\u{1b}[2J\\u{9b}31m\\rb\\n\\t\\u{202e}gnp.c\\u{7f}");
        assert_eq!(escape_control_lines("a\u{1b}[2J\n  b\0\n"), "a\\u{1b}[2J\n  b\\u{0}\n");
        assert_eq!(PrintablePath(Path::new("Öküzoğlu – games.pgn")).to_string(), "Öküzoğlu – games.pgn");
    }
}
