//! Probing: whether a position is a win, a draw or a loss (WDL), how far it is from mate (DTM), and which moves are best.
//!
//! A table has one winner, who is White, so a probe looks into two tables, into the second with the colours swapped. Tables do
//! not contain en passant; if a pawn may be captured en passant, a probe searches one ply.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Reverse;

use shakmaty::{Board, Color, Move};

use super::material::TableMaterial;
use super::successors::TablePosition;

/// A source of tables.
pub trait TableSource {
    /// Why a table cannot be read: for instance, because there is none.
    type Error;

    /// The level of a position in a table: the `N` of `won(N)` if White, the winner, is to move, and of `lost(N)` if Black is; `None`
    /// if White does not win. The board has the material of `table` and is legal; nothing can be captured en passant.
    ///
    /// # Errors
    /// If there is no such table, or it cannot be read.
    fn level(&self, table: TableMaterial, board: &Board, turn: Color) -> Result<Option<u16>, Self::Error>;
}

impl<S: TableSource + ?Sized> TableSource for &S {
    type Error = S::Error;

    fn level(&self, table: TableMaterial, board: &Board, turn: Color) -> Result<Option<u16>, S::Error> {
        (**self).level(table, board, turn)
    }
}

impl<S: TableSource + ?Sized> TableSource for Arc<S> {
    type Error = S::Error;

    fn level(&self, table: TableMaterial, board: &Board, turn: Color) -> Result<Option<u16>, S::Error> {
        (**self).level(table, board, turn)
    }
}

/// The value of a position for one side if both sides play their best. A greater value is better: the shortest win is the greatest,
/// then come draws, then the longest loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProbeValue {
    /// The side mates in this number of its own moves, at least 1.
    Win(u16),
    /// Nobody mates.
    Draw,
    /// The side is mated in this number of the opponent's moves; 0 if it is mate.
    Loss(u16),
}

impl ProbeValue {
    /// Moves of the winner up to mate.
    pub const fn moves(self) -> Option<u16> {
        match self {
            ProbeValue::Win(moves) | ProbeValue::Loss(moves) => Some(moves),
            ProbeValue::Draw => None,
        }
    }

    /// Plies up to mate, if the side is to move: `2N - 1` for a win, `2N` for a loss.
    pub fn plies(self) -> Option<u32> {
        match self {
            ProbeValue::Win(moves) => Some((2 * u32::from(moves)).saturating_sub(1)),
            ProbeValue::Draw => None,
            ProbeValue::Loss(moves) => Some(2 * u32::from(moves)),
        }
    }

    /// The value for the side that moved into a position, given the value for the side to move.
    #[must_use]
    pub const fn before_move(self) -> ProbeValue {
        match self {
            ProbeValue::Win(moves) => ProbeValue::Loss(moves),
            ProbeValue::Draw => ProbeValue::Draw,
            ProbeValue::Loss(moves) => ProbeValue::Win(moves.saturating_add(1)),
        }
    }

    fn sort_key(self) -> (u8, u16, Reverse<u16>) {
        match self {
            ProbeValue::Win(moves) => (2, 0, Reverse(moves)),
            ProbeValue::Draw => (1, 0, Reverse(0)),
            ProbeValue::Loss(moves) => (0, moves, Reverse(0)),
        }
    }
}

impl PartialOrd for ProbeValue {
    fn partial_cmp(&self, other: &ProbeValue) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ProbeValue {
    fn cmp(&self, other: &ProbeValue) -> core::cmp::Ordering {
        self.sort_key().cmp(&other.sort_key())
    }
}

/// A legal move and what it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatedMove {
    /// The move.
    pub played: Move,
    /// The position after it.
    pub after: TablePosition,
    /// Its value for the side that moves.
    pub value: ProbeValue,
}

/// Probes tables for positions.
#[derive(Clone, Copy, Debug)]
pub struct Prober<S> {
    source: S,
}

impl<S: TableSource> Prober<S> {
    /// A prober of these tables.
    pub const fn new(source: S) -> Prober<S> {
        Prober { source }
    }

    /// The tables.
    pub const fn source(&self) -> &S {
        &self.source
    }

    /// The value of a position for the side to move. If one side wins, the tables of that winner are enough.
    ///
    /// # Errors
    /// If a table is missing or cannot be read.
    pub fn value(&self, position: &TablePosition) -> Result<ProbeValue, S::Error> {
        let side_to_move = position.turn();
        match self.level(side_to_move, position) {
            Ok(Some(moves)) => Ok(ProbeValue::Win(moves)),
            Ok(None) => Ok(self.level(!side_to_move, position)?.map_or(ProbeValue::Draw, ProbeValue::Loss)),
            // If the other side wins, its table alone says so.
            Err(error) => match self.level(!side_to_move, position) {
                Ok(Some(moves)) => Ok(ProbeValue::Loss(moves)),
                Ok(None) | Err(_) => Err(error),
            },
        }
    }

    /// Returns in how many moves `N` one side wins: by `won(N)` if it is to move, otherwise by `lost(N)`; `None` if it does not
    /// win.
    ///
    /// # Errors
    /// If a table is missing or cannot be read.
    pub fn level(&self, winner: Color, position: &TablePosition) -> Result<Option<u16>, S::Error> {
        if position.has_en_passant() {
            return self.searched_level(winner, position);
        }
        let board = position.board();
        if winner == Color::White {
            self.stored_level(board, position.turn())
        } else {
            self.stored_level(&board.clone().into_mirrored(), !position.turn())
        }
    }

    /// The level in the table in which White is the winner.
    fn stored_level(&self, board: &Board, turn: Color) -> Result<Option<u16>, S::Error> {
        let table = TableMaterial::of_board(board);
        if table.can_win() { self.source.level(table, board, turn) } else { Ok(None) }
    }

    /// The [`level`](Self::level) of a position, computed from the levels of the positions after it. For a position in a table, the
    /// table must agree.
    ///
    /// # Errors
    /// If a table is missing or cannot be read.
    pub fn searched_level(&self, winner: Color, position: &TablePosition) -> Result<Option<u16>, S::Error> {
        let mut levels = position.successors().map(|(_, after)| self.level(winner, &after));
        if position.turn() == winner {
            let mut shortest: Option<u16> = None;
            for level in levels {
                shortest = level?.into_iter().chain(shortest).min();
            }
            return Ok(shortest.map(|moves| moves.saturating_add(1)));
        }
        if levels.len() == 0 {
            return Ok(position.is_check().then_some(0));
        }
        let mate = Some(0);
        levels.try_fold(mate, |longest, level| {
            Ok(if let Some(most) = longest { level?.map(|moves| moves.max(most)) } else { None })
        })
    }

    /// Every legal move, best first: the shortest win, then draws, then the longest loss. Equal moves are in the order in which
    /// [`TablePosition::successors`] lists them.
    ///
    /// # Errors
    /// If a table is missing or cannot be read.
    pub fn rated_moves(&self, position: &TablePosition) -> Result<Vec<RatedMove>, S::Error> {
        let choice = |(played, after): (Move, TablePosition)| {
            let value = self.value(&after)?.before_move();
            Ok(RatedMove { played, after, value })
        };
        let mut choices = position.successors().map(choice).collect::<Result<Vec<RatedMove>, S::Error>>()?;
        choices.sort_by_key(|choice| Reverse(choice.value));
        Ok(choices)
    }

    /// Best play of both sides up to mate; empty in a draw. It has as many plies as the distance says, and is shorter only if
    /// tables contradict each other. The tables of the winner are enough.
    ///
    /// # Errors
    /// If a table is missing or cannot be read.
    pub fn main_line(&self, position: &TablePosition) -> Result<Vec<RatedMove>, S::Error> {
        let (mut line, mut expected): (Vec<RatedMove>, ProbeValue) = (Vec::new(), self.value(position)?);
        let winner = if matches!(expected, ProbeValue::Win(_)) { position.turn() } else { !position.turn() };
        while expected.plies().is_some_and(|plies| plies > 0) {
            let current = line.last().map_or(position, |choice| &choice.after);
            let Some(best) = self.best_move(current, winner)? else { break };
            if best.value != expected {
                break;
            }
            expected = match best.value {
                ProbeValue::Win(moves) => ProbeValue::Loss(moves - 1),
                ProbeValue::Loss(moves) => ProbeValue::Win(moves),
                ProbeValue::Draw => break,
            };
            line.push(best);
        }
        Ok(line)
    }

    /// The shortest win of the winner's moves, or the longest loss of the other side's; the first of several.
    fn best_move(&self, position: &TablePosition, winner: Color) -> Result<Option<RatedMove>, S::Error> {
        let is_winner = position.turn() == winner;
        let mut best: Option<RatedMove> = None;
        for (played, after) in position.successors() {
            let value = match self.level(winner, &after)? {
                None => continue,
                Some(moves) if is_winner => ProbeValue::Loss(moves).before_move(),
                Some(moves) => ProbeValue::Win(moves).before_move(),
            };
            if best.as_ref().is_none_or(|best| value > best.value) {
                best = Some(RatedMove { played, after, value });
            }
        }
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};
    use core::convert::Infallible;

    use shakmaty::Position as _;

    use super::*;

    fn position(fen: &str) -> TablePosition {
        TablePosition::from_fen(fen).expect("a position of the test")
    }

    /// Mates in a few moves, by trying all moves.
    struct Search(u16);

    impl Search {
        fn is_lost(position: &TablePosition, moves: u16) -> bool {
            let mut after = position.successors().map(|(_, after)| after);
            match after.len() {
                0 => position.is_check(),
                _ => moves > 0 && after.all(|after| Search::is_won(&after, moves)),
            }
        }

        fn is_won(position: &TablePosition, moves: u16) -> bool {
            moves > 0 && position.successors().any(|(_, after)| Search::is_lost(&after, moves - 1))
        }
    }

    impl TableSource for Search {
        type Error = Infallible;

        fn level(&self, _: TableMaterial, board: &Board, turn: Color) -> Result<Option<u16>, Infallible> {
            let position = TablePosition::from_board(board.clone(), turn, None).expect("a legal position");
            let is_within = |moves: &u16| {
                if turn.is_white() { Search::is_won(&position, *moves) } else { Search::is_lost(&position, *moves) }
            };
            Ok((0..=self.0).find(is_within))
        }
    }

    #[test]
    fn lines_are_as_long_as_said() {
        let prober = Prober::new(Search(2));
        let lines = [
            ("7k/8/8/5K2/8/8/8/6Q1 w - - 0 1", ProbeValue::Win(2)),
            ("7k/8/5K2/8/8/8/8/6Q1 b - - 0 1", ProbeValue::Loss(1)),
            ("6q1/8/8/8/8/5k2/8/7K w - - 0 1", ProbeValue::Loss(1)),
            ("8/8/5k2/6pP/7K/5q2/8/8 w - g6 0 1", ProbeValue::Loss(2)),
            ("8/8/8/8/8/2k5/1Q6/6K1 b - - 0 1", ProbeValue::Draw),
            ("k7/8/KQ6/8/8/8/8/8 b - - 0 1", ProbeValue::Draw),
            ("k7/1Q6/K7/8/8/8/8/8 b - - 0 1", ProbeValue::Loss(0)),
        ];
        for (fen, value) in lines {
            let position = position(fen);
            let Ok(found) = prober.value(&position);
            assert_eq!(found, value, "{fen}");
            let Ok(line) = prober.main_line(&position);
            assert_eq!(line.len() as u32, found.plies().unwrap_or(0), "{fen}");
            if let Some(last) = line.last() {
                assert!(last.after.as_chess().is_checkmate(), "{fen} leads to {}", last.after);
            }
            let Ok(choices) = prober.rated_moves(&position);
            assert!(choices.is_sorted_by(|one, next| one.value >= next.value));
            assert!(choices.first().is_none_or(|best| best.value == found));
        }
    }

    /// The table of one winner.
    struct OneWinner;

    impl TableSource for OneWinner {
        type Error = TableMaterial;

        fn level(&self, table: TableMaterial, board: &Board, turn: Color) -> Result<Option<u16>, TableMaterial> {
            match table.to_string().as_str() {
                "KQvK" => Search(2).level(table, board, turn).map_err(|never| match never {}),
                // The knight is of no use to the queen's side, and its own table is missing.
                "KQvKN" => Ok(Some(if turn.is_white() { 3 } else { 2 })),
                _ => Err(table),
            }
        }
    }

    #[test]
    fn the_tables_of_the_winner_are_enough() {
        let prober = Prober::new(OneWinner);
        let [won, lost] = ["8/8/1n6/5k2/8/8/1Q6/K7 w - - 0 1", "8/8/1n6/5k2/8/8/1Q6/K7 b - - 0 1"].map(position);
        assert_eq!(prober.value(&won), Ok(ProbeValue::Win(3)));
        assert_eq!(prober.value(&lost), Ok(ProbeValue::Loss(2)), "the table in which the knight wins is missing");
        let line = prober.main_line(&position("7k/8/8/5K2/8/8/8/6Q1 w - - 0 1"));
        assert_eq!(line.map(|line| line.len()), Ok(3));
        // Black captures the queen: whether its knight wins is not known.
        assert!(prober.value(&position("8/8/8/8/8/1n3k2/8/K7 w - - 0 1")).is_err());
    }

    #[test]
    fn a_pawn_that_can_be_taken_en_passant_gives_no_mate() {
        let prober = Prober::new(Search(2));
        let lines = [
            ("8/8/5Q2/7k/6Pp/5K2/8/8 b - - 0 1", ProbeValue::Loss(0)),
            ("8/8/5Q2/7k/6Pp/5K2/8/8 b - g3 0 1", ProbeValue::Loss(2)),
            ("8/8/5Q2/7k/7p/5K2/6P1/8 w - - 0 1", ProbeValue::Win(2)),
            ("8/8/5k2/6pP/7K/5q2/8/8 w - g6 0 1", ProbeValue::Loss(2)),
        ];
        for (fen, value) in lines {
            let Ok(found) = prober.value(&position(fen));
            assert_eq!(found, value, "{fen}");
        }
    }

    #[test]
    fn colours_change_nothing_but_names() {
        let prober = Prober::new(Search(2));
        for (white, black) in [
            ("8/8/8/8/8/1K6/7R/k7 w - - 0 1", "K7/7r/1k6/8/8/8/8/8 b - - 0 1"),
            ("6k1/4Q3/5K2/8/8/8/8/8 b - - 0 1", "8/8/8/8/8/5k2/4q3/6K1 w - - 0 1"),
        ] {
            let (Ok(one), Ok(other)) = (prober.value(&position(white)), prober.value(&position(black)));
            assert!(one == other && one.moves().is_some(), "{white} is {one:?}, {black} is {other:?}");
        }
    }

    #[test]
    fn values_are_ordered_best_first() {
        let mut values =
            [ProbeValue::Loss(0), ProbeValue::Win(9), ProbeValue::Draw, ProbeValue::Loss(7), ProbeValue::Win(1)];
        values.sort_by_key(|value| Reverse(*value));
        assert_eq!(
            values,
            [ProbeValue::Win(1), ProbeValue::Win(9), ProbeValue::Draw, ProbeValue::Loss(7), ProbeValue::Loss(0)]
        );
        let plies: Vec<String> = values.iter().map(|value| alloc::format!("{:?}", value.plies())).collect();
        assert_eq!(plies, ["Some(1)", "Some(17)", "None", "Some(14)", "Some(0)"]);
    }
}
