//! Reads lines: games with their variations, of any depth, as positions with the moves that the lines play there.
//!
//! Lines that transpose meet, so a position has the moves of all lines that reach it.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::mem;
use core::ops::ControlFlow;

use plyfold_board::board::Board;
use plyfold_board::board::make::FullState;
use plyfold_board::board::start::PackedStart;
use plyfold_board::moves::Move;
use thiserror::Error;

use super::PgnEntry;
use super::game::{PgnReader, read_tag_section};
use super::movetext::ParsedMovetext;
use super::rejection::{RejectedGame, RejectionReason};
use super::rules::ResolverPosition;
use super::tags::TagValues;
use super::tokens::{after_comment, line_end};

/// Variations within variations, at most: each that is open keeps its positions.
const MAX_DEPTH: usize = 1000;

/// The positions of lines, by their hashes.
#[derive(Clone, Debug, Default)]
pub struct LineTree {
    positions: BTreeMap<u64, LinePosition>,
}

/// A position of the lines.
#[derive(Clone, Debug)]
pub struct LinePosition {
    /// Its board, with every field.
    pub board: Board,
    /// The position and the move that led to it, in the first line that has it; none where a line begins.
    pub before: Option<(u64, Move)>,
    /// The moves that the lines play here.
    pub moves: Vec<Move>,
}

/// Why lines cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum LineFault {
    /// A game cannot be read, or not to its end.
    #[error("{0}")]
    Game(RejectedGame),
    /// A variation has what cannot be played or read.
    #[error("game {game} at byte {offset}, in a variation: {reason}")]
    Variation {
        /// The number of the game, from 1.
        game: u64,
        /// The byte of the text at fault.
        offset: u64,
        /// Why, with the word as it is written.
        reason: RejectionReason,
    },
    /// Variations are nested deeper than a thousand times.
    #[error("game {game} at byte {offset}: variations are nested deeper than {MAX_DEPTH} times")]
    TooDeep {
        /// The number of the game, from 1.
        game: u64,
        /// Where the variation begins.
        offset: u64,
    },
    /// There is no move.
    #[error("has no moves")]
    NoMoves,
}

impl LineTree {
    /// Reads all games of `text`. Time and memory grow in proportion to its bytes.
    ///
    /// ```
    /// let lines = plyfold_pgn::LineTree::read(b"1. e4 c5 (1... e5 2. Nf3) 2. Nf3 *").unwrap();
    /// assert_eq!(lines.len(), 6);
    /// let start = plyfold_board::board::Board::initial();
    /// assert_eq!(lines.get(start.hash).unwrap().moves.len(), 1);
    /// ```
    ///
    /// # Errors
    ///
    /// A game or a variation has what cannot be played or read; variations are nested too deep; there is no move.
    pub fn read(text: &[u8]) -> Result<LineTree, LineFault> {
        let (mut tree, mut read, mut game) = (LineTree::default(), Ok(()), 0);
        PgnReader::new().read_games(text, 0, &mut |entry| {
            game += 1;
            if read.is_ok() {
                read = match entry {
                    PgnEntry::Rejected(rejected) => Err(LineFault::Game(rejected)),
                    PgnEntry::Game { fault: Some(rejected), .. } => Err(LineFault::Game(rejected.clone())),
                    PgnEntry::Game { start, text, offset, .. } => tree.read_game(text, start.as_ref(), (game, offset)),
                };
            }
        });
        read?;
        match tree.positions.values().any(|position| !position.moves.is_empty()) {
            true => Ok(tree),
            false => Err(LineFault::NoMoves),
        }
    }

    /// The position with this hash.
    pub fn get(&self, hash: u64) -> Option<&LinePosition> {
        self.positions.get(&hash)
    }

    /// The positions, by their hashes, which ascend.
    pub fn positions(&self) -> impl Iterator<Item = (u64, &LinePosition)> {
        self.positions.iter().map(|(&hash, position)| (hash, position))
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The moves to a position from where its line begins, each with the position before it.
    pub fn moves_to(&self, hash: u64) -> Vec<(&LinePosition, Move)> {
        let mut moves = Vec::new();
        let mut at = self.get(hash);
        while let Some((before, mv)) = at.and_then(|position| position.before) {
            at = self.get(before);
            moves.extend(at.map(|before| (before, mv)));
        }
        moves.reverse();
        moves
    }

    /// Adds a position with the move that led to it.
    fn add(&mut self, board: &Board, before: Option<(u64, Move)>) {
        let position = || LinePosition { board: board.clone(), before, moves: Vec::new() };
        self.positions.entry(board.hash).or_insert_with(position);
    }

    /// Reads the moves of a game with this text, whose main line can be played.
    fn read_game(&mut self, text: &[u8], start: Option<&PackedStart>, game: (u64, u64)) -> Result<(), LineFault> {
        let board = start.map_or_else(Board::initial, Board::from_start);
        self.add(&board, None);
        let (tags, mut at, _) = read_tag_section(text, 0);
        let mut reader = PgnReader::new();
        reader.set_up(start);
        let now = Place { resolver: reader.position.clone(), board };
        let movetext = ParsedMovetext::default();
        let mut game = GameLines { game, text, tags, reader, movetext, before: now.clone(), now, opened: Vec::new() };
        while at < text.len() {
            match game.read_token(self, at)? {
                Some(next) => at = next,
                None => break,
            }
        }
        Ok(())
    }
}

/// A place in a line.
#[derive(Clone)]
struct Place {
    board: Board,
    resolver: ResolverPosition,
}

/// Where a game is read.
struct GameLines<'t> {
    /// Its number, and the byte at which its text begins.
    game: (u64, u64),
    text: &'t [u8],
    tags: TagValues<'t>,
    /// It reads the moves of variations as it reads those of the main line.
    reader: PgnReader,
    movetext: ParsedMovetext,
    now: Place,
    /// The place before the last move, at which a variation begins.
    before: Place,
    /// Both, for each variation that is open, with the number of moves before it.
    opened: Vec<(Place, Place, usize)>,
}

impl GameLines<'_> {
    /// Reads the token at `at`, and returns where the next one begins; none where the game ends.
    fn read_token(&mut self, tree: &mut LineTree, at: usize) -> Result<Option<usize>, LineFault> {
        let text = self.text;
        Ok(Some(match text[at] {
            b'{' => after_comment(text, at),
            b';' => line_end(text, at),
            b'(' if self.opened.len() >= MAX_DEPTH => {
                let (game, begin) = self.game;
                return Err(LineFault::TooDeep { game, offset: begin + at as u64 });
            }
            b'(' => {
                let before = self.before.clone();
                self.reader.position = before.resolver.clone();
                let now = mem::replace(&mut self.now, before.clone());
                self.opened.push((now, before, self.reader.moves.len()));
                at + 1
            }
            b')' => {
                // A bracket too many closes nothing.
                if let Some((now, before, moves)) = self.opened.pop() {
                    (self.now, self.before) = (now, before);
                    self.reader.position = self.now.resolver.clone();
                    self.reader.moves.truncate(moves);
                }
                at + 1
            }
            _ => return self.read_word(tree, at),
        }))
    }

    /// Reads a move or another token that is no comment and no bracket.
    fn read_word(&mut self, tree: &mut LineTree, at: usize) -> Result<Option<usize>, LineFault> {
        let played = self.reader.moves.len();
        let next = self.reader.read_token::<false>(self.text, at, &self.tags, &mut self.movetext);
        if let Some((place, reason)) = self.movetext.rejection.take() {
            let (game, begin) = self.game;
            return Err(LineFault::Variation { game, offset: begin + place as u64, reason });
        }
        if self.reader.moves.len() > played
            && let Some(&mv) = self.reader.moves.last()
        {
            self.play(tree, mv);
        }
        Ok(match next {
            ControlFlow::Continue(next) => Some(next),
            // A variation goes on behind a result.
            ControlFlow::Break(end) => (!self.opened.is_empty()).then_some(end.max(at + 1)),
        })
    }

    fn play(&mut self, tree: &mut LineTree, mv: Move) {
        let from = self.now.board.hash;
        let mut board = self.now.board.clone();
        board.make::<FullState>(mv);
        let after = Place { board, resolver: self.reader.position.clone() };
        self.before = mem::replace(&mut self.now, after);
        if let Some(position) = tree.positions.get_mut(&from)
            && !position.moves.contains(&mv)
        {
            position.moves.push(mv);
        }
        tree.add(&self.now.board, Some((from, mv)));
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    /// The number of positions, and of the moves that the lines play in them.
    fn counts(text: &str) -> (usize, usize) {
        let tree = LineTree::read(text.as_bytes()).expect(text);
        (tree.len(), tree.positions().map(|(_, position)| position.moves.len()).sum())
    }

    #[test]
    fn variations_are_lines() {
        for (text, expected) in [
            ("1. e4 c5 *", (3, 2)),
            ("1. e4 c5 (1... e5 2. Nf3 (2. f4) Nc6) (1... e6) 2. Nf3 *", (9, 8)),
            ("1. e4 e5 2. Nf3 *\n\n1. Nf3 e5 2. e4 *", (6, 6)),
            ("1. e4 (1. d4 1-0) (1. c4 {so)} ; or)\n c5) 1... e5) 2. Nf3 (2. f4", (8, 7)),
            ("[FEN \"8/8/8/8/8/2k5/8/K1q5 w - - 0 1\"]\n\n1. Ka2 Qb2# *", (3, 2)),
            ("[FEN \"8/8/8/8/8/2k5/8/K1q5 w - - 0 1\"]\n\n*\n\n1. e4 *", (3, 1)),
            ("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 *", (4, 4)),
        ] {
            assert_eq!(counts(text), expected, "{text}");
        }
    }

    #[test]
    fn a_position_has_the_moves_to_it() {
        let tree = LineTree::read(b"1. e4 c5 (1... e5 2. Nf3) 2. c3 *").expect("lines");
        let mut lengths: Vec<_> = tree.positions().map(|(hash, _)| tree.moves_to(hash).len()).collect();
        lengths.sort_unstable();
        assert_eq!(lengths, [0, 1, 2, 2, 3, 3]);
        let mut board = Board::initial();
        let last = tree.positions().map(|(hash, _)| hash).find(|&hash| tree.moves_to(hash).len() == 3).expect("a line");
        for (before, mv) in tree.moves_to(last) {
            assert_eq!(before.board, board);
            board.make::<FullState>(mv);
        }
        assert_eq!(board.hash, last);
    }

    #[test]
    fn faults_say_where() {
        let fault = |text: &str| LineTree::read(text.as_bytes()).map(|tree| tree.len());
        let says = |text: &str| fault(text).expect_err(text).to_string();
        assert_eq!(says("1. e4 *\n\n1. e4 Ke3 *"), "game 2 at byte 15, ply 2: illegal move \"Ke3\"");
        assert_eq!(says("\n1. e4 e5 (1... Ke3) *"), "game 1 at byte 16, in a variation: illegal move \"Ke3\"");
        assert!(says("[FEN \"x\"]\n\n1. e4 *").starts_with("game 1 at byte 0"));
        assert_eq!(fault("*"), Err(LineFault::NoMoves));
        assert_eq!(fault(&["1. e4 ", &"(".repeat(1001)].concat()), Err(LineFault::TooDeep { game: 1, offset: 1006 }));
        assert_eq!(fault(&["1. e4 ", &"(".repeat(1000)].concat()), Ok(2));
    }
}
