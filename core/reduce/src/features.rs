//! How often each feature is on the board: what happens in games.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use plyfold_scan::game::{GameSpan, ShardParts};
use plyfold_scan::scan::feature_tests::FeatureTests;
use plyfold_scan::scan::measure::BoardFeature;
use plyfold_scan::scan::reducer::ScanMatch;
use shakmaty::Color;

use super::output::{
    Output, OutputArgument, OutputArguments, OutputContext, OutputDefinition, PartialStates, Summary, SummaryReducer,
};
use super::partial_state::partial_struct;
use super::result_counts::ResultCounts;
use super::result_table::{RESULT_COLUMNS, ResultColumn, ResultTable, result_cells};

/// How often each feature is on the board.
pub const FEATURES: OutputDefinition = OutputDefinition {
    name: "features",
    option: "features",
    summary: "How often each feature is on the board at the matching positions, and how these games ended",
    title: "Features on the board",
    legend: None,
    argument: OutputArgument::Nothing,
    takes_positions: |_| true,
    asks_tables: false,
    parts: |_| ShardParts::MOVES,
    reducer: |_, _| Box::new(FeatureReducer::default()),
    partial_states: PartialStates::of::<Features>(),
};

/// How often each feature is on the board, for each side that has it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// In the order of the language: the feature of White before that of Black.
    pub rows: Vec<FeatureCount>,
}

/// How often a feature is on the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeatureCount {
    /// The feature, as a query names it.
    pub feature: String,
    /// The side: `white`, `black`, or nothing if the feature has no sides.
    pub side: String,
    /// The matching positions with it.
    pub positions: u64,
    /// The games of these positions by result.
    pub results: ResultCounts,
}

partial_struct!(FeatureCount { feature, side, positions, results });
partial_struct!(Features { rows });

/// The side that a query names; none for a feature without sides.
fn side_of(feature: &BoardFeature, colour: Color) -> &'static str {
    if feature.has_sides { colour.fold_wb("white", "black") } else { "" }
}

impl FeatureCount {
    fn condition(&self) -> String {
        if self.side.is_empty() { self.feature.clone() } else { format!("{} {}", self.side, self.feature) }
    }
}

impl Summary for Features {
    /// All rows, whatever the most rows are: they have an order of their own.
    fn table(&self, _: &OutputArguments) -> ResultTable<'_> {
        let mut columns = vec![ResultColumn::text("feature"), ResultColumn::text("side")];
        columns.extend([ResultColumn::count("positions"), ResultColumn::count("games")]);
        columns.extend(RESULT_COLUMNS);
        columns.push(ResultColumn::condition("condition"));
        let rows = self.rows.iter().map(|row| {
            let mut cells = vec![(&*row.feature).into(), (&*row.side).into()];
            cells.extend([row.positions.into(), row.results.games().into()]);
            cells.extend(result_cells(&row.results));
            cells.push(row.condition().into());
            cells
        });
        ResultTable::new(columns, rows)
    }

    fn merged(parts: Vec<Features>, _: &OutputArguments) -> Features {
        // In the order of the language, which no part need have completely.
        let order = FeatureTests::default();
        let mut rows: Vec<Option<FeatureCount>> = vec![None; order.features().len()];
        for row in parts.into_iter().flat_map(|part| part.rows) {
            let is_of = |(feature, colour): &(&BoardFeature, Color)| {
                feature.name == row.feature && side_of(feature, *colour) == row.side
            };
            let Some(place) = order.features().iter().position(is_of) else { continue };
            match &mut rows[place] {
                Some(all) => {
                    all.positions += row.positions;
                    all.results.add(&row.results);
                }
                empty => *empty = Some(row),
            }
        }
        Features { rows: rows.into_iter().flatten().collect() }
    }
}

/// Counts the features of matching positions.
#[derive(Default)]
struct FeatureReducer {
    tests: FeatureTests,
    /// In the order of the tests.
    counts: Vec<(u64, ResultCounts)>,
    /// The matching plies of the game at hand, if all match.
    every_ply: Vec<u64>,
}

impl SummaryReducer for FeatureReducer {
    type Summary = Features;

    fn game(&mut self, found_game: &ScanMatch<'_>, _: &OutputContext<'_>) {
        let (game, matches) = (found_game.game, &found_game.matches);
        if matches.count() == 0 {
            return;
        }
        self.counts.resize(self.tests.features().len(), Default::default());
        let wanted = matches.words().unwrap_or_else(|| {
            self.every_ply.clear();
            self.every_ply.resize(game.moves.len().div_ceil(64), u64::MAX);
            if let (Some(last), rest @ 1..) = (self.every_ply.last_mut(), game.moves.len() % 64) {
                *last = (1 << rest) - 1;
            }
            &self.every_ply
        });
        let result = game.record.result() as usize;
        for (plies, (positions, results)) in
            self.tests.test(found_game.start_board, game.moves, wanted).zip(&mut self.counts)
        {
            let found: u32 = plies.iter().map(|word| word.count_ones()).sum();
            if found > 0 {
                *positions += u64::from(found);
                results.add_game(result);
            }
        }
    }

    fn merge(&mut self, other: FeatureReducer) {
        self.counts.resize(self.tests.features().len(), Default::default());
        for ((positions, results), (more, of)) in self.counts.iter_mut().zip(&other.counts) {
            *positions += more;
            results.add(of);
        }
    }

    fn finish(self, _: &Output, _: &OutputContext<'_>, _: &[GameSpan<'_>]) -> Features {
        let rows = self.tests.features().iter().zip(self.counts).filter(|(_, (positions, _))| *positions > 0);
        let rows = rows.map(|((feature, colour), (positions, results))| FeatureCount {
            feature: feature.name.into(),
            side: side_of(feature, *colour).into(),
            positions,
            results,
        });
        Features { rows: rows.collect() }
    }
}
