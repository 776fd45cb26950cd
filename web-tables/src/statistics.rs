//! Statistics of a material for the page: shares, longest wins, and how many positions there are at each distance.

use std::sync::Arc;

use plyfold_tables::index::{TableAddress, TableIndex};
use plyfold_tables::material::TableMaterial;
use plyfold_tables::packed::tables::{Answer, PackedTable, PackedTables};
use plyfold_tables::successors::TablePosition;
use serde::Serialize;
use shakmaty::Color;
use tsify::Tsify;

use crate::error::Failure;

/// How many of the longest wins are listed.
const MOST_LONGEST: usize = 5;

/// The statistics of a material. Positions are counted on the whole board.
#[derive(Debug, Serialize, Tsify)]
pub struct MaterialStatistics {
    /// The name of the material, the side of White first.
    pub material: String,
    /// With White to move, then with Black to move.
    pub sides: Vec<SideStatistics>,
}

/// The statistics with one side to move, from its point of view.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct SideStatistics {
    /// Won, drawn and lost positions.
    pub counts: [u64; 3],
    /// Moves of the longest win and of the longest loss.
    pub longest: [Option<u16>; 2],
    /// Some positions of the longest win, as FEN.
    pub longest_wins: Vec<String>,
    /// Some positions of the longest loss, as FEN.
    pub longest_losses: Vec<String>,
    /// How many positions are won at each distance, by moves of the winner; none is won at 0.
    pub wins: Vec<u64>,
    /// How many positions are lost at each distance, by moves of the winner; 0 is mate.
    pub losses: Vec<u64>,
}

/// Counts the positions of a material, whose first side is White.
///
/// # Errors
/// A table is missing or damaged.
pub fn statistics(tables: &PackedTables, material: TableMaterial) -> Result<Answer<MaterialStatistics>, Failure> {
    let mut open = [None, None];
    for (slot, winner) in open.iter_mut().zip([material, material.swapped()]) {
        if winner.can_win() {
            match opened(tables, winner)? {
                Answer::Known(table) => *slot = Some(table),
                Answer::Needs(needs) => return Ok(Answer::Needs(needs)),
            }
        }
    }
    let [white, black] = &open;
    let sides = vec![
        side(Color::White, white.as_deref(), black.as_deref()),
        side(Color::Black, black.as_deref(), white.as_deref()),
    ];
    Ok(Answer::Known(MaterialStatistics { material: material.to_string(), sides }))
}

/// A table, opened by a question about one of its positions.
fn opened(tables: &PackedTables, winner: TableMaterial) -> Result<Answer<Arc<PackedTable>>, Failure> {
    if let Some(table) = tables.table(winner) {
        return Ok(Answer::Known(table));
    }
    let index = TableIndex::new(winner);
    let address = |bit| TableAddress { pawn_slice: 0, tile: 0, bit };
    let position = (0..64 * index.tile_words(0) as u64)
        .filter_map(|bit| TablePosition::from_board(index.board_at(address(bit))?, Color::White, None).ok())
        .find(|position| position.material() == winner);
    if let Some(position) = position
        && let Answer::Needs(needs) = tables.values(&[position])?
    {
        return Ok(Answer::Needs(needs));
    }
    tables.table(winner).map(Answer::Known).ok_or_else(|| Failure::new("missing", winner))
}

/// One side to move; `own` is the table in which it is the winner, `other` that of the other side.
fn side(turn: Color, own: Option<&PackedTable>, other: Option<&PackedTable>) -> SideStatistics {
    let levels = |table: Option<&PackedTable>, is_won: bool| -> Vec<u64> {
        let levels = table.map_or(&[][..], |table| &table.facts.totals.levels);
        let mut counts: Vec<u64> = levels.iter().map(|level| if is_won { level.won } else { level.lost }).collect();
        counts.truncate(counts.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1));
        counts
    };
    let (wins, losses) = (levels(own, true), levels(other, false));
    // A table has its winner as White.
    let legal = own.map(|table| table.facts.totals.legal[0]).or(other.map(|table| table.facts.totals.legal[1]));
    let (won, lost): (u64, u64) = (wins.iter().sum(), losses.iter().sum());
    let last = |counts: &[u64]| (!counts.is_empty()).then(|| (counts.len() - 1) as u16);
    SideStatistics {
        counts: [won, legal.unwrap_or(0).saturating_sub(won + lost), lost],
        longest: [last(&wins), last(&losses)],
        longest_wins: own.map_or_else(Vec::new, |table| longest(table, Color::White, turn)),
        longest_losses: other.map_or_else(Vec::new, |table| longest(table, Color::Black, turn)),
        wins,
        losses,
    }
}

/// Positions of the highest level of a table with one side of it to move, turned so that `turn` is to move.
fn longest(table: &PackedTable, to_move: Color, turn: Color) -> Vec<String> {
    let places = &table.facts.longest[usize::from(to_move.is_black())];
    let position = |place: &TableAddress| {
        let board = table.index.board_at(*place)?;
        let board = if to_move == turn { board } else { board.into_mirrored() };
        TablePosition::from_board(board, turn, None).ok()
    };
    places.iter().filter_map(position).take(MOST_LONGEST).map(|position| position.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use egtgen::stats::{MateOutcome, stats};
    use egtgen::{CachedTables, MemoryLibrary};

    use super::*;
    use crate::tables::tests::Supplied;

    #[test]
    fn statistics_are_those_of_egtgen() {
        for name in ["KRvK", "KPvK", "KvKR", "KRvKN"] {
            let material: TableMaterial = name.parse().expect("a material");
            let winners = [material, material.swapped()];
            let mut tables = Supplied::new(&winners);
            let found = tables.answer(|tables| statistics(tables, material));
            let library = MemoryLibrary::generate(&winners, &AtomicBool::new(false)).expect("tables");
            let expected =
                stats(&CachedTables::new(Box::new(library), 1 << 24), material, MOST_LONGEST).expect("tables");
            for (found, expected) in found.sides.iter().zip(&expected.sides) {
                assert_eq!(found.counts, [expected.won, expected.drawn, expected.lost], "{name}");
                let plies = [expected.max_win_plies, expected.max_loss_plies]
                    .map(|plies| plies.map(|plies| plies.div_ceil(2) as u16));
                assert_eq!(found.longest, plies, "{name}");
                assert_eq!(
                    (&found.longest_wins, &found.longest_losses),
                    (&expected.longest_wins, &expected.longest_losses),
                    "{name}"
                );
                for bin in &expected.histogram {
                    let counts = if bin.result == MateOutcome::Win { &found.wins } else { &found.losses };
                    assert_eq!(counts[bin.plies.div_ceil(2) as usize], bin.count, "{name}, {bin:?}");
                }
            }
        }
    }
}
