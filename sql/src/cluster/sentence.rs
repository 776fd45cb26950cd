//! Sentences that travel from an executor to the client.
//!
//! Ballista carries an error as a text that says how it passed each layer. Ours are between two marks, so that the client finds the
//! sentence in that text.

use datafusion::common::exec_datafusion_err;
use datafusion::error::DataFusionError;

use crate::error::SqlFailure;

const FAILURE: &str = "<plyfold:failure>";
const MISTAKE: &str = "<plyfold:mistake>";
const END: &str = "</plyfold>";

/// A sentence of another machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sentence {
    pub text: String,
    /// Whether the statement has a mistake, rather than a file or a machine.
    pub is_mistake: bool,
}

/// An error that says this sentence, about a file or a machine.
pub(crate) fn failure(text: impl AsRef<str>) -> DataFusionError {
    marked(FAILURE, text.as_ref())
}

fn marked(mark: &str, text: &str) -> DataFusionError {
    exec_datafusion_err!("{mark}{text}{END}")
}

/// The same error as a sentence that travels. `node` is named if a file or the machine is to blame.
pub(crate) fn from_node(error: &DataFusionError, node: &str) -> DataFusionError {
    if of_text(&error.to_string()).is_some() {
        return exec_datafusion_err!("{error}");
    }
    let message = SqlFailure::message(error);
    if SqlFailure::is_mistake(error) { marked(MISTAKE, &message) } else { failure(format!("{node}: {message}")) }
}

/// The sentence in a text, if it has one.
pub(crate) fn of_text(text: &str) -> Option<Sentence> {
    let of_kind = |mark: &str, is_mistake| {
        let (_, after) = text.split_once(mark)?;
        let (text, _) = after.split_once(END)?;
        Some(Sentence { text: unescaped(text), is_mistake })
    };
    of_kind(FAILURE, false).or_else(|| of_kind(MISTAKE, true))
}

/// Ballista prints errors as Rust's debug format does.
fn unescaped(text: &str) -> String {
    let (mut out, mut letters) = (String::new(), text.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_found_in_the_text_of_its_layers() {
        let error = from_node(&SqlFailure::usage("`x` is \"not\" a key\nsee below"), "here");
        let text = format!("Job 7 failed: Task failed due to runtime execution error: {:?}", error);
        let found = of_text(&text).unwrap();
        assert_eq!(found, Sentence { text: "`x` is \"not\" a key\nsee below".into(), is_mistake: true });
        assert_eq!(of_text("Job 7 failed"), None);
    }
}
