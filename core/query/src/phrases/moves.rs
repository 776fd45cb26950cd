//! Reads moves and materials that are written with the letters of a language: in German, `Sf3` is `Nf3` and `KTvKD` is `KRvKQ`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::vocabulary::Vocabulary;
use super::words::Word;

impl Vocabulary {
    /// A move of a piece, or a capture by a pawn, as the language of queries writes it, without a sign of check.
    pub(super) fn written_move(&self, word: &Word) -> Option<String> {
        let (letter, rest) = match word.is_capital {
            true => (Some(self.letter_of_officer(word.folded.chars().next()?)?), word.folded.get(1..)?),
            false => (None, &*word.folded),
        };
        let (from, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
        let squares = from.strip_suffix('x').unwrap_or(from);
        let is_from = squares.len() <= 2 && squares.bytes().all(|sign| matches!(sign, b'a'..=b'h' | b'1'..=b'8'));
        let is_move = is_square(to) && is_from && (letter.is_some() || (from.len() == 2 && from.ends_with('x')));
        is_move.then(|| letter.into_iter().chain(rest.chars()).collect())
    }

    /// A text whose moves are written with other letters than those of the language of queries; `None` if it has no such moves.
    pub(super) fn with_letters_of_queries(&self, text: &str) -> Option<String> {
        let mut changed = false;
        let moves = text.split_whitespace().map(|chunk| {
            let (number, written) = chunk.split_at(chunk.rfind('.').map_or(0, |at| at + 1));
            let is_move = written.chars().skip(1).any(|sign| sign.is_ascii_digit());
            let mut before = None;
            let spelled = written.chars().map(|sign| {
                // A piece moves, or is what a pawn becomes.
                let is_letter = is_move && sign.is_ascii_uppercase() && matches!(before, None | Some('='));
                before = Some(sign);
                let letter = if is_letter { self.letter_of_officer(sign.to_ascii_lowercase()) } else { None };
                let letter = letter.unwrap_or(sign);
                changed |= letter != sign;
                letter
            });
            number.chars().chain(spelled.collect::<Vec<_>>()).collect()
        });
        let text = moves.collect::<Vec<String>>().join(" ");
        changed.then_some(text)
    }

    /// A material as it is written: `kqvkr`, `kqkr`.
    pub(super) fn material(&self, word: &str) -> Option<String> {
        let (first, second) = match word.split_once('v') {
            Some(sides) => sides,
            None => word.split_at(1 + word.get(1..)?.find('k')?),
        };
        let side = |side: &str| -> Option<String> {
            let letters: String = side.chars().map(|sign| self.piece_letter(sign)).collect::<Option<_>>()?;
            (letters.starts_with('K') && letters.rfind('K') == Some(0)).then_some(letters)
        };
        let is_some = first.len() + second.len() > 2 && word.len() <= 12;
        Some(format!("{}v{}", side(first)?, side(second)?)).filter(|_| is_some)
    }

    /// Pieces as letters, `KRP` or `RP`, without the king.
    pub(super) fn force(&self, word: &Word) -> Option<String> {
        let letters: String = word.folded.chars().map(|sign| self.piece_letter(sign)).collect::<Option<_>>()?;
        let others = letters.strip_prefix('K').unwrap_or(&letters);
        (word.is_capital && !others.is_empty() && others.len() < 8 && !others.contains('K')).then(|| others.into())
    }

    fn letter_of_officer(&self, sign: char) -> Option<char> {
        self.piece_letter(sign).filter(|letter| *letter != 'P')
    }
}

/// Moves without numbers as a line from the start, `e4 c5` as `1. e4 c5`, and castling that is written with zeros; `None` if the text has
/// other words.
pub(super) fn numbered_line(text: &str) -> Option<String> {
    let moves: Vec<&str> = text.split_whitespace().collect();
    let is_move = |word: &str| {
        let bare = word.trim_end_matches(['+', '#', '!', '?']);
        let end = bare.len().checked_sub(2).and_then(|at| bare.get(at..));
        end.is_some_and(is_square)
            && bare.starts_with(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'K', 'Q', 'R', 'B', 'N'])
    };
    let all: Vec<&str> =
        moves.iter().map(|&word| castling(word).or(is_move(word).then_some(word))).collect::<Option<_>>()?;
    match all[..] {
        [] => None,
        // One move is a predicate; that of a pawn is a square as well.
        [one] => castling(one).map(String::from),
        _ => Some(format!("1. {}", all.join(" "))),
    }
}

/// Castling as the language writes it.
fn castling(word: &str) -> Option<&'static str> {
    match word.trim_end_matches(['+', '#', '!', '?']) {
        "0-0" | "O-O" | "o-o" => Some("O-O"),
        "0-0-0" | "O-O-O" | "o-o-o" => Some("O-O-O"),
        _ => None,
    }
}

pub(super) fn is_square(word: &str) -> bool {
    matches!(word.as_bytes(), [b'a'..=b'h', b'1'..=b'8'])
}
