//! The lines of a repertoire: games of PGN with their variations, of any depth, as positions with the moves that the lines play there.

use std::collections::HashMap;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use plyfold_core::board::Board;
use plyfold_core::board::make::FullState;
use plyfold_core::index::fen::board_from_fen;
use plyfold_core::moves::Move;
use plyfold_core::notation::notate_move;
use plyfold_files::open_text;
use shakmaty::{CastlingMode, Chess, FromSetup, Position};

use crate::failure::{CliFailure, Result};

/// The positions of the lines, by their hashes.
pub type RepertoireLines = HashMap<u64, LinePosition>;

/// A position of the lines.
pub struct LinePosition {
    pub board: Board,
    /// The moves to it, as the first line that has it plays them: `1. e4 c5`.
    pub text: String,
    /// The moves that the lines play here.
    pub moves: Vec<Move>,
}

/// Reads the lines of a file.
///
/// # Errors
///
/// The file cannot be read; a game begins from what is no position, or a move cannot be played; there is no move.
pub fn read_lines(path: &Path) -> Result<RepertoireLines> {
    let file = open_text(path).map_err(CliFailure::file(path, "the lines cannot be read"))?;
    parse_lines(file)
        .map_err(CliFailure::file(path, "the lines cannot be read"))?
        .map_err(|what| CliFailure::unsuitable(path, what))
}

fn parse_lines(text: impl Read) -> std::io::Result<Result<RepertoireLines, String>> {
    let mut reader = Reader::new(text);
    let mut visitor = LineReader { games: 0, lines: HashMap::new() };
    while let Some(game) = reader.read_game(&mut visitor)? {
        if let Err(what) = game {
            return Ok(Err(format!("game {}: {what}", visitor.games)));
        }
    }
    let has_moves = visitor.lines.values().any(|position| !position.moves.is_empty());
    Ok(if has_moves { Ok(visitor.lines) } else { Err("has no moves".into()) })
}

struct LineReader {
    games: u32,
    lines: RepertoireLines,
}

/// A place in a line.
#[derive(Clone)]
struct Place {
    board: Board,
    position: Chess,
    text: String,
}

/// Where a game is read.
struct LineState {
    now: Place,
    /// The place before the last move, at which a variation begins.
    before: Place,
    /// Both, for each variation that is open.
    opened: Vec<(Place, Place)>,
}

impl Place {
    fn of(board: Board) -> Option<Place> {
        let position = Chess::from_setup(board.to_setup(), CastlingMode::Chess960).ok()?;
        Some(Place { board, position, text: String::new() })
    }
}

impl LineReader {
    /// Adds the place of a line, and the move there.
    fn add(&mut self, place: &Place, mv: Option<Move>) {
        let position = self.lines.entry(place.board.hash).or_insert_with(|| LinePosition {
            board: place.board.clone(),
            text: place.text.clone(),
            moves: Vec::new(),
        });
        position.moves.extend(mv.filter(|mv| !position.moves.contains(mv)));
    }
}

impl Visitor for LineReader {
    /// The value of the tag FEN.
    type Tags = Option<String>;
    type Movetext = LineState;
    type Output = Result<(), String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        self.games += 1;
        ControlFlow::Continue(None)
    }

    fn tag(&mut self, fen: &mut Option<String>, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        if name == b"FEN" {
            *fen = Some(value.decode_utf8_lossy().into_owned());
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, fen: Option<String>) -> ControlFlow<Self::Output, LineState> {
        let board = match fen {
            None => Ok(Board::initial()),
            Some(fen) => board_from_fen(&fen).map_err(|error| format!("{error}")),
        };
        let place =
            board.and_then(|board| Place::of(board).ok_or_else(|| "no game can begin with its position".to_owned()));
        match place {
            Err(what) => ControlFlow::Break(Err(what)),
            Ok(place) => {
                self.add(&place, None);
                ControlFlow::Continue(LineState { now: place.clone(), before: place, opened: Vec::new() })
            }
        }
    }

    fn san(&mut self, state: &mut LineState, san: SanPlus) -> ControlFlow<Self::Output> {
        let Place { board, position, text } = &state.now;
        let Ok(theirs) = san.san.to_move(position) else {
            return ControlFlow::Break(Err(format!("{san} cannot be played after \"{text}\"")));
        };
        let mv = Move::from(theirs);
        self.add(&state.now, Some(mv));
        let mut after = Place { board: board.clone(), position: position.clone(), text: with_move(board, text, mv) };
        after.board.make::<FullState>(mv);
        after.position.play_unchecked(theirs);
        self.add(&after, None);
        state.before = std::mem::replace(&mut state.now, after);
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, state: &mut LineState) -> ControlFlow<Self::Output, Skip> {
        state.opened.push((state.now.clone(), state.before.clone()));
        state.now = state.before.clone();
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, state: &mut LineState) -> ControlFlow<Self::Output> {
        // A bracket too many closes nothing.
        if let Some((now, before)) = state.opened.pop() {
            (state.now, state.before) = (now, before);
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, _: LineState) -> Self::Output {
        Ok(())
    }
}

/// The text of a line with one more move: `1. e4 c5 2. Nf3`.
pub fn with_move(board: &Board, text: &str, mv: Move) -> String {
    let notation = notate_move(board, mv);
    let number = match (notation.color.is_white(), text.is_empty()) {
        (true, _) => format!("{}. ", notation.move_number),
        (false, true) => format!("{}... ", notation.move_number),
        (false, false) => String::new(),
    };
    let space = if text.is_empty() { "" } else { " " };
    format!("{text}{space}{number}{}", notation.san)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Result<Vec<String>, String> {
        let lines = parse_lines(text.as_bytes()).expect("memory is read")?;
        let of_position =
            |one: &LinePosition| one.moves.iter().map(|&mv| with_move(&one.board, &one.text, mv)).collect::<Vec<_>>();
        let mut all: Vec<String> = lines.values().flat_map(of_position).collect();
        all.sort();
        Ok(all)
    }

    #[test]
    fn variations_are_lines() {
        let read = lines("1. e4 c5 (1... e5 2. Nf3 (2. f4) Nc6) (1... e6) 2. Nf3 *\n\n1. Nf3 c5 2. e4 d6 *");
        let expected = [
            "1. Nf3",
            "1. Nf3 c5",
            "1. Nf3 c5 2. e4",
            "1. e4",
            "1. e4 c5",
            "1. e4 c5 2. Nf3",
            "1. e4 c5 2. Nf3 d6",
            "1. e4 e5",
            "1. e4 e5 2. Nf3",
            "1. e4 e5 2. Nf3 Nc6",
            "1. e4 e5 2. f4",
            "1. e4 e6",
        ];
        assert_eq!(read, Ok(expected.map(String::from).to_vec()));
    }

    #[test]
    fn mistakes_say_where() {
        assert_eq!(lines("1. e4 *\n\n1. e4 Ke3 *"), Err("game 2: Ke3 cannot be played after \"1. e4\"".into()));
        assert_eq!(lines("*"), Err("has no moves".into()));
        assert!(lines("[FEN \"x\"]\n\n1. e4 *").is_err_and(|what| what.starts_with("game 1: ")));
    }
}
