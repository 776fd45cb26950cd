//! Says of a text that is written in another language what it is, and what to write instead: a FEN, SQL, CQL, a name behind `=`.

use alloc::string::String;

use crate::error::{QueryError, error_at};

/// The error of a text that is no query, or a better one.
pub(super) fn advised(text: &str, error: QueryError) -> QueryError {
    let written = text.trim();
    let first = written.split_whitespace().next().unwrap_or_default();
    let small: String = written.to_ascii_lowercase();
    let message = if is_placement(first) {
        "this is a position: write it in quotes after `fen`, or its pieces alone after `board`, as in `fen \"8/8/8/4k3/8/8/4K3/8 w - -\"`"
    } else if small.starts_with("select ") && (small.contains(" from ") || small.contains(" where ")) {
        "this is SQL, which `plyfold sql` reads; a query has conditions alone, as in `white \"Carlsen*\" and queens_off`"
    } else if is_cql(&small) {
        "this is CQL: docs/PEERS.md has the examples of CQL in the words of this language, such as `white queen attacks black king`"
    } else if is_name_behind_sign(written, error.from) {
        "leave out the sign: a name stands in quotes behind its word, as in `white \"Carlsen*\"`"
    } else {
        return error;
    };
    let from = text.len() - text.trim_start().len();
    error_at(message, from, from + written.len(), &[])
}

/// Whether a word has the ranks of a board: `8/8/8/4k3/8/8/4K3/8`.
fn is_placement(word: &str) -> bool {
    word.split('/').count() == 8 && word.chars().all(|sign| sign == '/' || "pnbrqkPNBRQK12345678".contains(sign))
}

/// Whether a text begins as CQL does, or has a list of its pieces: `[RQ]a1`.
fn is_cql(small: &str) -> bool {
    const FILTERS: [&str; 6] = ["cql(", "cql (", "flip ", "flipcolor ", "piece [", "square "];
    // The quoted text of a board has such lists, too.
    let begin = small.split('"').next().unwrap_or_default();
    let list = begin.find('[').and_then(|at| begin[at + 1..].split_once(']'));
    FILTERS.iter().any(|filter| small.starts_with(filter))
        || list.is_some_and(|(pieces, _)| !pieces.is_empty() && pieces.chars().all(|sign| "pnbrqka".contains(sign)))
}

/// Whether the mistake is a sign between the word of a name and the name: `white = "Tal"`.
fn is_name_behind_sign(text: &str, at: usize) -> bool {
    let (Some(before), Some(rest)) = (text.get(..at), text.get(at..)) else { return false };
    let word = before.split_whitespace().next_back().unwrap_or_default();
    let name = rest.trim_start_matches(['=', ':', ' ']);
    let is_of_names =
        ["white", "black", "player", "winner", "loser", "event", "site", "opening", "annotator"].contains(&word);
    is_of_names && name.len() < rest.len() && (name.starts_with(['"', '\'']) || name.starts_with(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use crate::parse::parse;

    #[test]
    fn other_languages_are_recognised() {
        for (text, says) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "`fen`"),
            ("SELECT * FROM games WHERE white = 'Carlsen'", "SQL"),
            ("select count(*) from games", "SQL"),
            ("cql() mate", "CQL"),
            ("[QR]a1", "CQL"),
            ("white = \"Carlsen\"", "leave out the sign"),
            ("result 1-0 and event == \"Linares\"", "leave out the sign"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.message.contains(says), "{text}: {}", error.message);
        }
        for text in ["select", "white knight on = e5", "[pawn] e4", "knight on e5/e6", "board \"[Pp]7/8\""] {
            let message = parse(text).expect_err(text).message;
            assert!(["`fen`", "SQL", "CQL", "sign:"].iter().all(|wrong| !message.contains(wrong)), "{text}: {message}");
        }
    }
}
