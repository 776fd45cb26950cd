//! When each side castled, and how those games ended.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use plyfold_scan::game::{GameSpan, ShardParts};
use plyfold_scan::scan::reducer::ScanMatch;

use super::output::{
    Output, OutputArgument, OutputArguments, OutputContext, OutputDefinition, PartialStates, Summary, SummaryReducer,
};
use super::partial_state::partial_struct;
use super::result_counts::ResultCounts;
use super::result_table::{RESULT_COLUMNS, ResultColumn, ResultTable, result_cells};

/// When each side castled.
pub const CASTLINGS: OutputDefinition = OutputDefinition {
    name: "castlings",
    option: "castlings",
    summary: "The plies at which each side castled in the matching games, and how these ended",
    title: "When each side castled",
    legend: None,
    argument: OutputArgument::Nothing,
    takes_positions: |_| false,
    asks_tables: false,
    parts: |_| ShardParts::MOVES,
    reducer: |_, _| Box::new(Castlings::default()),
    partial_states: PartialStates::of::<Castlings>(),
};

/// The games in which a side castled, by the ply at which it did. Each matching game counts once for each side.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Castlings {
    /// The plies of White, then those of Black, ascending; the games in which a side did not castle come last.
    pub plies: Vec<CastlingPly>,
}

/// The games in which a side castled at a ply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CastlingPly {
    /// 0 for White, 1 for Black.
    pub side: u32,
    /// The ply, from 1; none if the side did not castle.
    pub ply: Option<u32>,
    /// The games by result.
    pub results: ResultCounts,
}

partial_struct!(CastlingPly { side, ply, results });
partial_struct!(Castlings { plies });

impl Castlings {
    /// The counts of a side and a ply.
    fn at(&mut self, side: u32, ply: Option<u32>) -> &mut ResultCounts {
        let key = |side: u32, ply: Option<u32>| (side, ply.unwrap_or(u32::MAX));
        let place = self.plies.binary_search_by_key(&key(side, ply), |one| key(one.side, one.ply));
        let place = place.unwrap_or_else(|place| {
            self.plies.insert(place, CastlingPly { side, ply, results: ResultCounts::default() });
            place
        });
        &mut self.plies[place].results
    }
}

impl Summary for Castlings {
    /// All rows, whatever the most rows are: they have an order of their own.
    fn table(&self, _: &OutputArguments) -> ResultTable<'_> {
        let mut columns = vec![ResultColumn::text("side"), ResultColumn::count("ply").optional()];
        columns.push(ResultColumn::count("games"));
        columns.extend(RESULT_COLUMNS);
        columns.push(ResultColumn::condition("condition"));
        let rows = self.plies.iter().map(|CastlingPly { side, ply, results }| {
            let side = if *side == 0 { "white" } else { "black" };
            let condition = match ply {
                Some(ply) => format!("{side} castles at ply {ply}"),
                None => format!("never {side} castles"),
            };
            let mut row = vec![side.into(), ply.map(u64::from).into(), results.games().into()];
            row.extend(result_cells(results));
            row.push(condition.into());
            row
        });
        ResultTable::new(columns, rows)
    }

    fn merged(parts: Vec<Castlings>, _: &OutputArguments) -> Castlings {
        let mut all = Castlings::default();
        parts.into_iter().for_each(|part| all.merge(part));
        all
    }
}

impl SummaryReducer for Castlings {
    type Summary = Castlings;

    fn game(&mut self, found_game: &ScanMatch<'_>, _: &OutputContext<'_>) {
        if !found_game.verdict {
            return;
        }
        let (game, black_first) = (found_game.game, u32::from(found_game.start_board.turn.is_black()));
        let mut castled = [None; 2];
        for (ply, _) in (1u32..).zip(game.moves).filter(|(_, mv)| mv.is_castling()) {
            castled[((ply - 1 + black_first) % 2) as usize] = Some(ply);
        }
        for (side, ply) in (0u32..).zip(castled) {
            self.at(side, ply).add_game(game.record.result() as usize);
        }
    }

    fn merge(&mut self, other: Castlings) {
        for CastlingPly { side, ply, results } in other.plies {
            self.at(side, ply).add(&results);
        }
    }

    fn finish(self, _: &Output, _: &OutputContext<'_>, _: &[GameSpan<'_>]) -> Castlings {
        self
    }
}
