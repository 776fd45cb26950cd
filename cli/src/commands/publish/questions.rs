//! The file of `--questions`: a first question a line, `title: query` or only a query; lines that begin with `#` are comments.

use std::path::Path;

use plyfold_core::query;

use super::library::{MAX_QUESTIONS, MAX_TITLE_LETTERS, Question};
use crate::failure::{CliFailure, Result};
use crate::query_argument::OPENING_NAMES;

/// Reads the questions of a text. Every query is compiled.
///
/// # Errors
///
/// The file and the line of a query with a mistake, of a title that is too long; too many questions.
pub fn read_questions(path: &Path, text: &str) -> Result<Vec<Question>> {
    let wrong = |what: String| CliFailure::unsuitable(path, what);
    let mut questions = Vec::new();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let question = question_of(line);
        question.check().map_err(|what| wrong(format!("line {number} {what}")))?;
        questions.push(question);
    }
    if questions.len() > MAX_QUESTIONS {
        return Err(wrong(format!("has {} questions, and {MAX_QUESTIONS} is the most", questions.len())));
    }
    Ok(questions)
}

/// Splits a line into title and query. A query may itself have a colon, in quotes; so a line that is a query has no title.
fn question_of(line: &str) -> Question {
    match line.split_once(':') {
        Some((title, query)) if query::compile_with_openings(line, &OPENING_NAMES).is_err() => {
            Question::new(title.trim().to_owned(), query.trim())
        }
        // The title of a long query is its beginning.
        _ => Question::new(beginning(line), line),
    }
}

/// Returns as much of a text as a title can have.
fn beginning(text: &str) -> String {
    let mut letters = 0;
    let fits = |letter: &char| {
        letters += letter.len_utf16();
        letters <= MAX_TITLE_LETTERS
    };
    text.chars().take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Question>, String> {
        read_questions(Path::new("q.txt"), text).map_err(|failure| failure.to_string())
    }

    #[test]
    fn a_line_is_a_question() {
        let text = "\u{feff}# first\n\nQueens off early: queens_off before move 20\r\n  check  \nsite \"a: b\"\n";
        let questions = read(text).expect("questions");
        let pairs: Vec<_> = questions.iter().map(|one| (one.title.as_str(), one.query.as_str())).collect();
        let quoted = "site \"a: b\"";
        assert_eq!(pairs, [("Queens off early", "queens_off before move 20"), ("check", "check"), (quoted, quoted)]);
    }

    #[test]
    fn a_mistake_has_its_line() {
        let error = read("check\nOld: chekc\n").expect_err("a mistake");
        assert!(error.starts_with("q.txt: line 2 has a mistake: "), "{error}");
        let error = read(": check\n").expect_err("no title");
        assert!(error.starts_with("q.txt: line 1 has a title that is empty"), "{error}");
        assert!(read(&"check\n".repeat(101)).expect_err("too many").contains("101 questions"));
    }
}
