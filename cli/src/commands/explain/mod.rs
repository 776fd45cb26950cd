//! `plyfold explain`: shows what a query means, and how a scan will run it.
//!
//! The command guesses nothing: the modules of the scan themselves report where a predicate is tested and what a condition
//! implies.

mod conditions;
mod plan;
mod query_words;
mod skipping;
mod text;
mod why_not;
mod wording;

use std::collections::BTreeMap;
use std::path::PathBuf;

use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::matsig::target::MaterialBounds;
use plyfold_core::query::error::QueryError;
use plyfold_core::query::json::QueryDocument;
use plyfold_core::query::plan::plan_part;
use plyfold_core::query::tree::QueryTree;
use plyfold_core::query::window::WindowClause;
use plyfold_core::reduce::count::MatchCount;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::matching_positions::PositionReducer;
use plyfold_core::reduce::output::{OUTPUTS, Output};
use plyfold_core::scan::combine::Formula;
use plyfold_core::scan::plan::implied_bounds;
use plyfold_core::scan::plan::{AccessPath, PlannedPredicate};
use plyfold_core::scan::reducer::Reducer;
use plyfold_core::scan::replay_needs::ReplayNeeds;
use plyfold_core::scan::tables::BoundTables;
use plyfold_terminal::{ReportFormat, output};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use shakmaty::Role;

use self::conditions::WrittenCondition;
use self::plan::PlanReport;
use self::skipping::SkippedWork;
use self::why_not::GameArgument;

use crate::commands::{predicates, scan};
use crate::diagram::squares;
use crate::endgame_tables::TablesArgument;
use crate::failure::{CliFailure, Result};
use crate::plain_words::GivenQuery;
use crate::query_argument::{CommandQuery, OPENING_RESOLVER, QueryArgument};
use crate::{read_in_passing, warning};

/// Explain what a query means and how a scan tests it.
///
/// Shows the conditions of a query, where each of its predicates is tested, whether a board is needed, and which games can be
/// skipped or left early. It needs no corpus, but for the names of players and events in plain words. With --game and --corpus it says why
/// a game matches or not.
#[derive(clap::Args)]
#[command(after_long_help = predicates::help())]
pub struct Arguments {
    #[command(flatten)]
    given: QueryArgument,
    #[command(flatten)]
    tables: TablesArgument,
    #[command(flatten)]
    asked: GameArgument,
    /// Say what the queries of a plan share when `plyfold scan` runs them in one pass; `-` reads the plan from standard input.
    #[arg(long, value_name = "PLAN.json", conflicts_with_all = ["query", "query_file", "json_query", "game", "corpus"])]
    plan: Option<PathBuf>,
    /// Format of the output.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

fn write_document<S: Serializer>(tree: &QueryTree, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    QueryDocument::of(tree).serialize(serializer)
}

/// The parts of a query, and the JSON object.
#[derive(Serialize)]
struct Explained {
    query: String,
    /// The query as it was understood.
    reads_as: String,
    /// The query as JSON, with the version of its language.
    #[serde(serialize_with = "write_document")]
    tree: QueryTree,
    /// How conditions, by number, decide which games match.
    verdict: String,
    /// How they decide which positions match.
    positions: String,
    /// How braces change the query.
    braces: Option<String>,
    /// The images of each part that is searched `under` transforms, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    images: Vec<Vec<String>>,
    conditions: Vec<ConditionReport>,
    predicates: Vec<PredicateReport>,
    board: ReplayReport,
    cut_offs: SkippedWork,
    early_exit: EarlyExit,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
    /// Whether positions match by less than games do.
    #[serde(skip)]
    has_windows: bool,
}

/// A condition.
#[derive(Serialize)]
struct ConditionReport {
    /// From 1.
    number: usize,
    /// Without its window.
    text: String,
    /// When and how often it holds, in words.
    holds: String,
    /// The same, as in the JSON of a query; absent if the condition need hold at only one ply.
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<WindowClause>,
    /// What must come before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<After>,
    /// Whether the header of a game decides it.
    by_header: bool,
    /// Numbers of its predicates.
    predicates: Vec<usize>,
    /// What it implies about the pieces on the board, in words.
    implies: Option<String>,
    /// The implied numbers by side, for programs. A missing number has no bound.
    implied: Value,
}

/// What must come before a condition.
#[derive(Serialize)]
struct After {
    /// Numbers of conditions.
    first: String,
    /// The most plies between those conditions and this one.
    within: Option<u32>,
}

/// A predicate.
#[derive(Serialize)]
struct PredicateReport {
    /// From 1.
    number: usize,
    text: String,
    /// What must change before its value can change.
    depends_on: String,
    /// Whether that is a change on the board.
    #[serde(skip)]
    board: bool,
    source: &'static str,
    /// The access path in words.
    tested: String,
    /// The squares at which moves are filtered; only for that access path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    squares: Vec<String>,
}

/// The replays of a game.
#[derive(Serialize)]
struct ReplayReport {
    needed: bool,
    keeps: String,
    /// A game is replayed once for each of these.
    replays: Vec<ReplayPass>,
}

/// A replay.
#[derive(Serialize)]
struct ReplayPass {
    /// The variant of making a move that it uses.
    policy: &'static str,
    /// The state that this variant maintains.
    keeps: &'static str,
    /// Numbers of the predicates that need it.
    predicates: Vec<usize>,
}

/// The results for which a scan leaves a game once it is known whether it matches.
#[derive(Serialize)]
struct EarlyExit {
    count_of_games: bool,
    list_of_games: bool,
    count_of_positions: bool,
    list_of_positions: bool,
    /// The outputs by name.
    #[serde(flatten)]
    outputs: BTreeMap<&'static str, bool>,
}

impl EarlyExit {
    /// The reducers themselves decide this: those that collect positions need all of them.
    fn of_reducers() -> EarlyExit {
        let leaves_early = |output: &Output| !output.takes_positions();
        EarlyExit {
            count_of_games: GameSet::VERDICT_ONLY,
            list_of_games: GameSet::VERDICT_ONLY,
            count_of_positions: MatchCount::VERDICT_ONLY,
            list_of_positions: PositionReducer::VERDICT_ONLY,
            outputs: OUTPUTS.iter().map(|output| (output.name, leaves_early(&output.output()))).collect(),
        }
    }
}

/// Runs the command.
///
/// # Errors
///
/// The query has a mistake; the result cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    if let Some(plan) = &arguments.plan {
        let shared = PlanReport::new(&scan::read_plan(plan, false, &arguments.tables.open()?)?);
        return output::report(arguments.format, &shared, |out| shared.write(out));
    }
    let given = GivenQuery::from_argument(&arguments.given)?;
    let path = arguments.asked.corpus.as_deref();
    let opened = path.map(read_in_passing::open).transpose()?;
    let corpus = opened.as_ref().map(|opened| opened.corpus(CorpusCheck::WhenUsed)).transpose()?;
    let command_query = given.read(corpus.as_ref(), Ok)?.with_tables(&arguments.tables.open()?);
    if let (Some(number), Some(path), Some(corpus)) = (arguments.asked.game, path, &corpus) {
        let why = why_not::why_not(&command_query, path, corpus, number)?;
        return output::report(arguments.format, &why, |out| why.write(out));
    }
    let explained = explain(command_query)?;
    output::report(arguments.format, &explained, |out| text::write(out, &explained))
}

fn explain(CommandQuery { text, tree, query, images, notes, tables, .. }: CommandQuery) -> Result<Explained> {
    let expanded = tree.expanded();
    let (part, mut written) = conditions::collect_conditions(&expanded, &text)?;
    written.iter_mut().for_each(|one| one.query.bind_tables(&tables.bound));
    let number_of = |one| query.predicates.iter().position(|other| other == one).map(|nth| nth + 1);
    let reports = (1..).zip(&written).map(|(number, one)| {
        let numbers = one.query.predicates.iter().filter_map(number_of).collect();
        condition_report(number, one, (&expanded, &tables.bound), numbers)
            .map_err(|error| CliFailure::Query(error, text.clone()))
    });
    let reports = reports.collect::<Result<Vec<ConditionReport>>>()?;

    let sorted = PlannedPredicate::plan_all(&query.predicates);
    let alone = sorted.iter().all(|sorted| sorted.access_path == AccessPath::Replay);
    let words = query_words::words_of_predicates(&expanded, &query, &tables.bound);
    let tested = query.predicates.iter().zip(&sorted);
    let predicates =
        words.into_iter().zip(tested).enumerate().map(|(index, (text, (predicate, sorted)))| PredicateReport {
            number: index + 1,
            text,
            depends_on: wording::describe_dependency(predicate, sorted),
            board: !matches!(sorted.access_path, AccessPath::Header | AccessPath::PlyNumber),
            source: sorted.access_path.name(),
            tested: wording::describe_access_path(predicate, sorted, alone),
            squares: if sorted.access_path == AccessPath::TouchedSquares {
                squares(sorted.squares)
            } else {
                Vec::new()
            },
        });
    Ok(Explained {
        reads_as: tree.to_string(),
        verdict: part.games,
        positions: part.positions,
        braces: conditions::describe_braces(&expanded, &written),
        images: images.map(|images| images.image_names().collect()).unwrap_or_default(),
        predicates: predicates.collect(),
        board: ReplayReport {
            needed: sorted.iter().any(|sorted| sorted.access_path == AccessPath::Replay),
            keeps: PlannedPredicate::replay_needs(&sorted).to_string(),
            replays: replay_passes(&sorted),
        },
        cut_offs: SkippedWork::of_query(&query),
        early_exit: EarlyExit::of_reducers(),
        has_windows: warning::window_words(&tree).is_some(),
        notices: warning::window_words(&tree).into_iter().chain(notes).collect(),
        conditions: reports,
        tree,
        query: text,
    })
}

/// The replays of a game, the cheapest first: one for all predicates, of 64, that need the same state.
fn replay_passes(sorted: &[PlannedPredicate]) -> Vec<ReplayPass> {
    let on_board = sorted.iter().enumerate().filter(|(_, sorted)| sorted.access_path == AccessPath::Replay);
    let on_board: Vec<((ReplayNeeds, usize), usize)> =
        on_board.map(|(nth, sorted)| ((sorted.needs, nth / 64), nth + 1)).collect();
    let mut all: Vec<(ReplayNeeds, usize)> = on_board.iter().map(|(pass, _)| *pass).collect();
    all.sort();
    all.dedup();
    let replay = |pass: (ReplayNeeds, usize)| {
        let (policy, keeps) = wording::make_policy(pass.0);
        let predicates = on_board.iter().filter(|(of_pass, _)| *of_pass == pass).map(|(_, number)| *number).collect();
        ReplayPass { policy, keeps, predicates }
    };
    all.into_iter().map(replay).collect()
}

/// The report of a condition with these predicates.
fn condition_report(
    number: usize,
    written: &WrittenCondition<'_>,
    (whole, tables): (&QueryTree, &BoundTables),
    predicates: Vec<usize>,
) -> Result<ConditionReport, QueryError> {
    // The condition without its window.
    let mut bare = plan_part(written.body, whole, OPENING_RESOLVER)?;
    bare.bind_tables(tables);
    let formula = bare.conditions.first().map_or(&Formula::True, |condition| &condition.formula);
    let bounds = implied_bounds::implied_bounds(formula, &bare.predicates);
    let window = match written.tree {
        QueryTree::Condition { window, .. } => Some(*window),
        _ => None,
    };
    Ok(ConditionReport {
        number,
        text: written.body.to_string(),
        holds: written.describe_window(),
        window,
        after: written.after.clone().map(|(first, within)| After { first, within }),
        by_header: written.is_header_test(),
        predicates,
        implies: wording::describe_bounds(&bounds),
        implied: implied_by_side(&bounds),
    })
}

/// The implied bounds, for programs.
fn implied_by_side(material_bounds: &MaterialBounds) -> Value {
    let side = |side: usize| {
        let numbers = wording::PIECE_NAMES.iter().zip(Role::ALL).filter_map(|(name, role)| {
            let code = wording::side_of(side).piece(role);
            let (least, most) = (material_bounds.min_pieces[code], material_bounds.max_pieces[code]);
            let bounds = json!({ "least": least, "most": (most < u8::MAX).then_some(most) });
            ((least, most) != (0, u8::MAX)).then(|| ((*name).to_owned(), bounds))
        });
        json!({
            "men": numbers.collect::<Map<String, Value>>(),
            "pawns_on": squares(material_bounds.required_pawns[side]),
            "no_pawns_on": squares(!material_bounds.allowed_pawns[side] & wording::PAWN_SQUARES),
        })
    };
    // With the kings.
    let most_pieces = (material_bounds.max_total < u8::MAX).then(|| u32::from(material_bounds.max_total) + 2);
    json!({ "white": side(0), "black": side(1), "most_pieces": most_pieces })
}

#[cfg(test)]
mod tests {
    use plyfold_core::query::compile;
    use plyfold_core::scan::Query;

    use super::*;

    fn explained(text: &str) -> Explained {
        explain(CommandQuery::new(text).expect(text)).expect(text)
    }

    /// Queries of every form for which the language has words.
    const QUERIES: &[&str] = &[
        "queens_off and { white bishop_pair and black knight on f6 e4 } for 8 and not (check or empty e4)",
        "points(white) - points(black) >= 3 or count(white rook on a..c) - 2 * count(black king) < 0 - 1",
        "0 - count(black check) < 0 - 1 and 0 * count(pawn) = 3 - 3 and count(white pawn on e..h) - count(rook) != 7",
        "no pawn on e and both rook_on_seventh and neither castled and count(passed_pawn) = 1",
        "queens_off or { queens_off } or (queens_off for 1) or queens_off for 2 or { check or check }",
        "white \"A*\" and elo 2000..2400 and eco B80-B99, C42 and date 1990.05..1991 and plies >= 40 and year >= 1990",
        "result 1-0 and ended checkmate and time_class blitz, rapid and event \"X\" or average elo >= 2000",
        "winner elo >= loser elo + 200 or black elo != white elo or white elo = black elo - 5",
        "white comment \"*novelty*\" and not comment \"x\" or loser comment \"y\" for 2",
        "in_repertoire @mine and not white left @mine or loser left @other for 2",
        "round \"3*\" and annotator \"A\" or time_control \"300+3\" and winner title GM, IM and not title \"W*\"",
        "never white knight attacks queen on d8 before move 20 and always { move 2..9 or ply >= 6 }",
        "white tb win or winner threw_away draw and tb_dtm(white) - half_points_lost(black) < 9 or black threw_away",
        "became black rook defends pawn then within 8 white bishop attacks e4 d5 at least 2 times",
    ];

    #[test]
    fn conditions_are_those_of_the_plan() {
        for text in QUERIES.iter().chain(&[
            "endgame minor or endgame rook",
            "fen \"8/8/4k3/8/8/4K3/4P3/8 w - -\" and structure \"8/p7/8/8/8/8/P7/8\"",
        ]) {
            let Query { predicates, conditions, .. } = CommandQuery::new(text).expect(text).query;
            let explained = explained(text);
            assert_eq!(explained.conditions.len(), conditions.len(), "{text}");
            for (told, condition) in explained.conditions.iter().zip(&conditions) {
                let again = compile(&told.text).expect(&told.text);
                let asked = implied_bounds::implied_bounds(&again.conditions[0].formula, &again.predicates);
                assert_eq!(told.implied, implied_by_side(&asked), "{text}: {}", told.text);
                assert_eq!(told.after.is_some(), condition.gate.is_some(), "{text}: {}", told.text);
                let told_predicates = told.predicates.iter().map(|number| &predicates[number - 1]);
                assert!(told_predicates.eq(&again.predicates), "{text}: {}", told.text);
            }
        }
    }

    #[test]
    fn a_condition_may_use_a_name_that_another_introduces() {
        let texts = |text: &str| explained(text).conditions.into_iter().map(|one| one.text).collect::<Vec<_>>();
        let text = "white knight as N on b1 then N on d5 and { queen attacks N or captures N }";
        assert_eq!(
            texts(text),
            ["white knight as N on b1", "N on d5", "{ queen attacks N or captures N }"].map(str::to_owned)
        );
    }

    #[test]
    fn predicates_that_a_query_has_words_for_are_in_these_words() {
        for text in QUERIES {
            let query = CommandQuery::new(text).expect(text).query;
            for (predicate, tested) in query.predicates.iter().zip(explained(text).predicates) {
                let again = compile(&tested.text).expect(&tested.text);
                assert!(again.predicates.contains(predicate), "{}", tested.text);
            }
        }
    }
}
