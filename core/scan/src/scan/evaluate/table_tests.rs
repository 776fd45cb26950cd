//! Tests of tables read the verdicts of a game once for all predicates, from the first ply with few enough pieces on. A game that
//! never comes to few pieces is not replayed.

use alloc::vec::Vec;

use plyfold_board::board::Board;
use plyfold_board::irreversible::mover_at;

use super::game_at_hand::GameAtHand;
use crate::scan::plies::PredicateSets;
use crate::scan::predicate::{KnownVerdicts, PositionPredicate, TableTest};
use crate::scan::tables::BoundTables;
use crate::scan::verdict_reader::VerdictReader;

/// The tests of tables, by the tables that they ask; usually all ask the same.
pub(in crate::scan) struct TableTests(Vec<TableTestGroup>);

/// Tests that ask the same tables.
struct TableTestGroup {
    tables: BoundTables,
    /// The tests, each with the number of its predicate in the query.
    tests: Vec<(u8, TableTest)>,
    /// Whether some test depends on the last move.
    looks_back: bool,
}

impl TableTests {
    /// Makes the tests for the predicates with these numbers.
    pub fn new(indices: &[u8], predicates: &[PositionPredicate]) -> TableTests {
        let mut groups: Vec<TableTestGroup> = Vec::new();
        for &n in indices {
            let PositionPredicate::Table(test) = &predicates[usize::from(n)] else { continue };
            let at = groups.iter().position(|group| group.tables == test.tables).unwrap_or_else(|| {
                groups.push(TableTestGroup { tables: test.tables.clone(), tests: Vec::new(), looks_back: false });
                groups.len() - 1
            });
            groups[at].looks_back |= test.question.looks_back();
            groups[at].tests.push((n, (**test).clone()));
        }
        TableTests(groups)
    }

    /// Tests the predicates at these plies. Returns the number of plies played on a board.
    pub fn test_plies(
        &self,
        at: &GameAtHand<'_>,
        requested: &[u64],
        (board, reader): (&mut Board, &mut VerdictReader),
        mut sets: PredicateSets<'_>,
    ) -> usize {
        let (moves, events) = (at.game.moves, at.event_streams.material);
        let mut played = 0;
        for TableTestGroup { tables, tests, looks_back } in &self.0 {
            fill_unknown(tests, at, &mut sets);
            board.clone_from(at.start);
            played +=
                reader.read_game(tables, (board, moves, events), (requested, *looks_back), |index, board, known| {
                    let bit = 1 << (index % 64);
                    // All of them ask the same tables.
                    let pass = tests.iter().find_map(|(_, test)| test.pass_on(board));
                    let known = KnownVerdicts { pass, ..known };
                    for (n, test) in tests {
                        let word = sets.word((*n).into(), index / 64);
                        *word = *word & !bit | if test.holds(&known) { bit } else { 0 };
                    }
                });
        }
        played
    }
}

/// Fills the sets with what holds if no verdict is known.
fn fill_unknown(tests: &[(u8, TableTest)], at: &GameAtHand<'_>, sets: &mut PredicateSets<'_>) {
    for (n, test) in tests.iter().filter(|(_, test)| !test.needs_verdict()) {
        for (index, mv) in at.game.moves.iter().enumerate() {
            let mover = (!mv.is_null()).then(|| mover_at(at.start.turn, index + 1).color());
            let holds = test.holds(&KnownVerdicts { mover, before: None, after: None, pass: None });
            *sets.word((*n).into(), index / 64) |= u64::from(holds) << (index % 64);
        }
    }
}
