//! The opening of each game: the name of the last of its positions that has one, whatever the order of moves that led there.
//!
//! The positions come from the caller, as lines of moves; the shard stores the names that its games have, as a
//! [column of texts](super::text_columns), so that a later table of openings changes no answer of an older corpus.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::iter;

use hashbrown::HashTable;
use plyfold_board::board::make::HashOnly;
use plyfold_board::board::start::PackedStart;
use plyfold_board::board::{Board, PieceCode};
use plyfold_board::moves::Move;

use super::record::Eco;
use super::text_columns::{TextColumn, TextColumns};

/// Positions that have the name of an opening.
#[derive(Clone, Debug, Default)]
pub struct OpeningTable {
    initial: Board,
    /// Codes and names, as a shard stores them.
    texts: Vec<String>,
    /// Zobrist hashes of the positions, each with the index of its text.
    positions: HashTable<(u64, u32)>,
    /// No known position has fewer pieces and pawns.
    fewest_men: u32,
}

impl OpeningTable {
    /// Adds the position after these moves from the initial one. A position that has a name already keeps it.
    pub fn insert(&mut self, moves: &[Move], code: Eco, name: &str) {
        let mut board = self.initial.clone();
        let mut men = 32;
        for &mv in moves {
            men -= u32::from(captures(&board, mv));
            board.make::<HashOnly>(mv);
        }
        self.fewest_men = if self.texts.is_empty() { men } else { self.fewest_men.min(men) };
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
    /// none has. Cost: a replay of the moves until too few men are left for any known position.
    pub fn of_game(&self, start: Option<&PackedStart>, moves: &[Move]) -> &str {
        let mut board = start.map_or_else(|| self.initial.clone(), Board::from_start);
        let mut men = start.map_or(32, |_| board.occupied().count_ones());
        let mut last = self.text_at(board.hash);
        for &mv in moves {
            men -= u32::from(captures(&board, mv)).min(men);
            if men < self.fewest_men {
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

/// Whether a move takes what stands on the square that it goes to. A pawn taken en passant may count later: there are never fewer men
/// than a replay counts.
fn captures(board: &Board, mv: Move) -> bool {
    !mv.is_castling() && !mv.is_null() && board.mailbox[mv.target()] != PieceCode::NONE
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
    pub fn column(&self) -> TextColumn<'a> {
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
        (code.len() == 3 && opening.code.to_string() == code && !name.is_empty()).then_some(opening)
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
