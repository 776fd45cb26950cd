//! The opening of each game: the name of the last of its positions that has one, whatever the order of moves that led there.
//!
//! The positions come from the caller, as lines of moves; the shard stores the names that its games have, as a
//! [column of texts](super::text_columns), so that a later table of openings changes no answer of an older corpus.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::iter;

use hashbrown::HashTable;
use plyfold_board::board::make::HashOnly;
use plyfold_board::board::start::PackedStart;
use plyfold_board::board::{Board, PieceCode};
use plyfold_board::moves::Move;

use super::record::Eco;
use super::text_columns::{GameTextColumn, TextColumns};

/// Positions that have the name of an opening.
#[derive(Clone, Debug)]
pub struct OpeningTable {
    initial: Board,
    /// Codes and names, as a shard stores them.
    texts: Vec<String>,
    /// Zobrist hashes of the positions, each with the index of its text.
    positions: HashTable<(u64, u32)>,
    /// By the pawns that stand where they began: the fewest men of a known position in which no other pawns do; more than a board has
    /// if there is no such position.
    ///
    /// PERF: a game can reach no known position any more after 23 plies on average. By the number of men alone, that is after 51.
    fewest_men: Vec<u8>,
}

/// More men than a board has.
const NO_POSITION: u8 = u8::MAX;

impl Default for OpeningTable {
    fn default() -> OpeningTable {
        let (initial, fewest_men) = (Board::initial(), vec![NO_POSITION; 1 << 16]);
        OpeningTable { initial, texts: Vec::new(), positions: HashTable::new(), fewest_men }
    }
}

impl OpeningTable {
    /// Adds the position after these moves from the initial one. A position that has a name already keeps it.
    pub fn insert(&mut self, moves: &[Move], code: Eco, name: &str) {
        let mut board = self.initial.clone();
        let mut left = WhatIsLeft::INITIAL;
        for &mv in moves {
            left.play(&board, mv);
            board.make::<HashOnly>(mv);
        }
        // All sets of home pawns that include these.
        let mut home_pawns = left.home_pawns;
        loop {
            let fewest = &mut self.fewest_men[usize::from(home_pawns)];
            *fewest = left.men.min(*fewest);
            let Some(next) = home_pawns.checked_add(1) else { break };
            home_pawns = next | left.home_pawns;
        }
        if self.text_at(board.hash).is_none() {
            self.positions.insert_unique(board.hash, (board.hash, self.texts.len() as u32), |known| known.0);
            self.texts.push(format!("{code} {name}"));
        }
    }

    /// Returns how many positions have a name.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The code and the name of the last position of a game that has one, such as `B90 Sicilian Defense: Najdorf Variation`; empty if
    /// none has. Cost: a replay of the moves until no known position can come any more.
    pub fn of_game(&self, start: Option<&PackedStart>, moves: &[Move]) -> &str {
        let mut board = start.map_or_else(|| self.initial.clone(), Board::from_start);
        let mut left = start.map_or(WhatIsLeft::INITIAL, |_| WhatIsLeft::on(&board));
        let mut last = self.text_at(board.hash);
        for &mv in moves {
            left.play(&board, mv);
            if left.men < self.fewest_men[usize::from(left.home_pawns)] {
                break;
            }
            board.make::<HashOnly>(mv);
            last = self.text_at(board.hash).or(last);
        }
        last.unwrap_or("")
    }

    fn text_at(&self, hash: u64) -> Option<&str> {
        let (_, text) = self.positions.find(hash, |known| known.0 == hash)?;
        self.texts.get(*text as usize).map(String::as_str)
    }
}

/// What of a position no move brings back.
struct WhatIsLeft {
    /// Pieces and pawns.
    men: u8,
    /// The pawns that stand where they began: White's from the a-file on in bits 0 to 7, Black's in bits 8 to 15.
    home_pawns: u16,
}

impl WhatIsLeft {
    const INITIAL: WhatIsLeft = WhatIsLeft { men: 32, home_pawns: u16::MAX };

    fn on(board: &Board) -> WhatIsLeft {
        let [white, black] = board.pawns();
        let home_pawns = (white >> 8) as u16 & 0xff | ((black >> 48) as u16 & 0xff) << 8;
        WhatIsLeft { men: board.occupied().count_ones() as u8, home_pawns }
    }

    /// `board` is that before the move.
    fn play(&mut self, board: &Board, mv: Move) {
        let goes = !mv.is_castling() && !mv.is_null();
        let takes = goes && (mv.is_en_passant() || board.mailbox[mv.target()] != PieceCode::NONE);
        self.men = self.men.saturating_sub(u8::from(takes));
        self.home_pawns &= !(home_pawn_bit(mv.origin()) | home_pawn_bit(mv.target()));
    }
}

/// The bit of the pawn that begins on a square; none if no pawn does.
fn home_pawn_bit(square: usize) -> u16 {
    match square / 8 {
        1 => 1 << (square % 8),
        6 => 1 << (square % 8 + 8),
        _ => 0,
    }
}

/// The openings of the games of a shard. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct GameOpenings<'a>(TextColumns<'a, 1>);

impl<'a> GameOpenings<'a> {
    /// Makes the openings of a section, if there is one.
    pub(super) fn new(section: Option<&'a [u8]>) -> GameOpenings<'a> {
        GameOpenings(TextColumns::new(section))
    }

    /// Returns whether openings were found when the games were imported; they were not in a shard of an older version.
    pub fn is_stored(&self) -> bool {
        self.0.is_stored()
    }

    /// The codes and names, by game. Cost: constant.
    pub fn column(&self) -> GameTextColumn<'a> {
        self.0.column(0)
    }

    /// The opening of the game with this index in the shard; none if no position of it has a name.
    pub fn of_game(&self, game: u32) -> Option<GameOpening<'a>> {
        GameOpening::read(self.column().of_game(game))
    }

    /// The code of the opening of a game; if openings are not stored, the code that its tag says.
    pub fn code_of(&self, game: u32, tag: Eco) -> Eco {
        if self.is_stored() { self.of_game(game).map_or(Eco::default(), |opening| opening.code) } else { tag }
    }

    /// Whether the bytes hold openings of so many games. Cost: one pass.
    pub(super) fn is_sound(&self, games: u32) -> bool {
        let texts = self.column().names;
        self.0.is_sound(games) && texts.iter().all(|text| text.is_empty() || GameOpening::read(text).is_some())
    }
}

/// The opening of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameOpening<'a> {
    /// Its code.
    pub code: Eco,
    /// Its name, such as `Sicilian Defense: Najdorf Variation`.
    pub name: &'a str,
}

impl<'a> GameOpening<'a> {
    /// Reads a text as a shard stores it: `B90 Sicilian Defense: Najdorf Variation`.
    pub fn read(text: &'a str) -> Option<GameOpening<'a>> {
        let (code, name) = text.split_once(' ')?;
        let opening = GameOpening { code: Eco::from_pgn(code), name };
        let is_code = code.len() == 3 && code.starts_with(char::is_uppercase) && !opening.code.is_unknown();
        (is_code && !name.is_empty()).then_some(opening)
    }

    /// The names of the openings of which it is a part, the widest first, and its own: `Sicilian Defense`, `Sicilian Defense: Najdorf
    /// Variation`, `Sicilian Defense: Najdorf Variation, English Attack`.
    pub fn wholes(self) -> impl Iterator<Item = &'a str> {
        let family = self.family().len();
        let ends = self.name.match_indices(", ").map(|(at, _)| at).filter(move |&at| at > family);
        let ends = iter::once(family).chain(ends).chain((family < self.name.len()).then_some(self.name.len()));
        ends.map(move |end| &self.name[..end])
    }

    /// The widest of them: `Sicilian Defense`.
    pub fn family(self) -> &'a str {
        self.name.split_once(':').map_or(self.name, |(family, _)| family)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use shakmaty::{Role, Square};

    use super::*;

    const E4: Move = Move::normal(Role::Pawn, Square::E2, Square::E4);
    const E5: Move = Move::normal(Role::Pawn, Square::E7, Square::E5);
    const NF3: Move = Move::normal(Role::Knight, Square::G1, Square::F3);
    const NC6: Move = Move::normal(Role::Knight, Square::B8, Square::C6);
    const H3: Move = Move::normal(Role::Pawn, Square::H2, Square::H3);

    #[test]
    fn the_last_known_position_names_the_game_in_any_order_of_moves() {
        let mut table = OpeningTable::default();
        assert_eq!((table.of_game(None, &[E4]), table.is_empty()), ("", true));
        for (moves, code, name) in [
            (&[E4][..], "B00", "King's Pawn Game"),
            (&[E4, E5, NF3, NC6], "C44", "King's Knight Opening: Normal Variation"),
            // The same position by other moves keeps its first name.
            (&[NF3, NC6, E4, E5], "A00", "Another"),
        ] {
            table.insert(moves, Eco::from_pgn(code), name);
        }
        assert_eq!(table.len(), 2);
        let normal = "C44 King's Knight Opening: Normal Variation";
        for (moves, text) in [
            (&[][..], ""),
            (&[H3], ""),
            (&[E4, NC6, H3], "B00 King's Pawn Game"),
            (&[E4, E5, NF3, NC6, H3], normal),
            (&[NF3, NC6, E4, E5, H3], normal),
        ] {
            assert_eq!(table.of_game(None, moves), text);
        }
        let opening = GameOpening::read(normal).expect("a code and a name");
        assert_eq!((opening.code.to_string().as_str(), opening.name), ("C44", &normal[4..]));
        assert_eq!(opening.wholes().collect::<Vec<_>>(), ["King's Knight Opening", &normal[4..]]);
    }

    #[test]
    fn an_opening_is_a_part_of_others() {
        for (text, wholes) in [
            ("B20 Sicilian Defense", &["Sicilian Defense"][..]),
            (
                "C00 French, or so: A, B, C",
                &["French, or so", "French, or so: A", "French, or so: A, B", "French, or so: A, B, C"],
            ),
        ] {
            assert_eq!(GameOpening::read(text).expect("an opening").wholes().collect::<Vec<_>>(), wholes);
        }
    }

    #[test]
    fn a_text_without_code_or_name_is_no_opening() {
        for text in ["", "B90", "B90 ", "F00 Name", "b90 Name", "B9 Name", "B900 Name", "Sicilian Defense"] {
            assert_eq!(GameOpening::read(text), None, "{text}");
        }
    }
}
