//! Queries: a question and the requested outputs in, results out.

use std::fmt::Write;
use std::sync::Arc;

use js_sys::{Array, Float64Array, Uint32Array};
use plyfold_core::aliases::AliasKind;
use plyfold_core::board::Board;
use plyfold_core::board::make::FullState;
use plyfold_core::comment_search::bind_comments;
use plyfold_core::corpus::ShardParts;
use plyfold_core::game::{GameId, GameSpan, Ply};
use plyfold_core::headers::{self, CompiledHeaderTests};
use plyfold_core::keys;
use plyfold_core::notation::{self, MoveNotation};
use plyfold_core::query::error::QueryError;
use plyfold_core::query::parse::{parse, parse_sum};
use plyfold_core::query::{CompiledQuery, compose, notes, unknown_names};
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::groups::{COUNTS, GroupTable};
use plyfold_core::reduce::heatmap::{HEATMAP, Heatmap};
use plyfold_core::reduce::key::GroupingKey;
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionRef, PositionSelection};
use plyfold_core::reduce::next_moves::NEXT_MOVES;
use plyfold_core::reduce::shown_names::ShownNames;
use plyfold_core::reduce::structures::{STRUCTURES, TopStructures};
use plyfold_core::reduce::{QueryResults as Found, ReduceRequest, ReducerSelection, run_queries};
use plyfold_core::scan::evidence::PositionRule;
use plyfold_core::scan::fold::ScanObserver;
use plyfold_core::scan::parts::{header_parts, parts_read};
use plyfold_core::scan::unstored::unstored_notes;
use plyfold_core::scan::{Query, ScanStatistics};
use tsify::Tsify;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::cancel::CancellationWatch;
use crate::corpus::Corpus;
use crate::editor::utf16_units;
use crate::endgame_tables::{UnknownPositions, bound_tables, unknown_positions};
use crate::error::JsFailure;
use crate::groups::Groups;
use crate::openings::known_openings;
use crate::plain::{FromJs, Js, List, plain_input, plain_object, to_js};
use crate::result_table::{ResultTable, output_named};
use crate::search_results::{PositionHit, SearchResults, Structure};
use crate::sets::SetFile;

/// The key with this name, which asks the tables if it needs some.
///
/// # Errors
///
/// There is no such key.
pub(crate) fn key_named(name: &str) -> Result<GroupingKey, QueryError> {
    let mut key = keys::parse_key(name)?;
    key.bind_tables(&bound_tables());
    Ok(key)
}

fn compile_query(text: &str) -> Result<CompiledQuery, QueryError> {
    CompiledQuery::read(text, known_openings())
}

/// An error in a query and its place. Places count in UTF-16 units, as JavaScript does.
#[derive(Tsify)]
pub struct QueryProblem {
    /// The error in one clause.
    pub message: String,
    /// Where the error begins.
    pub from: u32,
    /// One past its end.
    pub to: u32,
    /// What could stand there instead.
    pub expected: List<&'static str>,
    /// The known name nearest to an unknown one, or empty.
    pub nearest: String,
    /// Which mistake it is, for a sentence in the language of the page; empty for one that only `message` says.
    #[tsify(
        type = "'' | 'missing-at-end' | 'expected' | 'unknown-word' | 'not-joined' | 'never-opened' | 'never-closed' | 'unknown-sign' | 'in-braces' | 'unknown-name' | 'unknown-opening'"
    )]
    pub id: &'static str,
    /// What that sentence names.
    pub arguments: List<String>,
}
plain_object!(QueryProblem { message, from, to, expected, nearest, id, arguments });

/// Returns the first error of a query, or nothing if the query is valid.
#[wasm_bindgen]
#[must_use]
pub fn check(query: &str) -> Option<Js<QueryProblem>> {
    compile_query(query).err().map(|error| to_js(query_problem(query, error)))
}

/// Returns notes on what a valid query may not mean, each a sentence without its full stop.
#[wasm_bindgen]
#[must_use]
pub fn notes(query: &str) -> Vec<String> {
    compile_query(query).map_or_else(|_| Vec::new(), |compiled| notes::notes(&compiled.tree, query))
}

/// Returns whether a valid query has words about plies, or `then`, so that it selects games and a position alone cannot match it.
#[wasm_bindgen]
#[must_use]
pub fn has_windows(query: &str) -> bool {
    compile_query(query).is_ok_and(|compiled| compiled.tree.has_windows())
}

/// Returns whether a valid query has an opening by its name, so that the names of openings must be loaded before it is read.
#[wasm_bindgen(js_name = namesOpening)]
#[must_use]
pub fn names_opening(query: &str) -> bool {
    parse(query).is_ok_and(|tree| tree.names_opening())
}

/// Returns whether endgame tables decide a valid query, or know a number to group by.
#[wasm_bindgen(js_name = asksTables)]
#[must_use]
pub fn asks_tables(text: &str) -> bool {
    parse(text).is_ok_and(|tree| tree.asks_tables()) || parse_sum(text).is_ok_and(|sum| sum.asks_tables())
}

pub(crate) fn query_problem(query: &str, error: QueryError) -> QueryProblem {
    let (id, arguments) = error.mistake.map_or(("", Vec::new()), |mistake| (mistake.kind.id(), mistake.arguments));
    QueryProblem {
        message: error.message,
        from: utf16_units(query, error.from),
        to: utf16_units(query, error.to),
        expected: error.expected.into_iter().collect(),
        nearest: error.nearest.unwrap_or_default().into(),
        id,
        arguments: arguments.into_iter().collect(),
    }
}

/// A condition that narrows the matching games.
///
/// Either a key has a value at a matching position, or the game continued with a move from a matching
/// position or from a position where another query holds.
#[derive(Tsify)]
#[serde(tag = "by", rename_all = "lowercase")]
pub enum Part {
    /// A key has a value at a matching position.
    Value {
        /// The key.
        key: String,
        /// The value in words.
        value: String,
    },
    /// The game continued with a move.
    Next {
        /// The number that identifies the move.
        code: u32,
        /// The move as SAN.
        san: String,
        /// The query for the position before the move; empty for a matching position.
        position: String,
    },
}

impl FromJs for Part {
    fn from_js_value(value: &JsValue) -> Part {
        match String::property(value, "by").as_str() {
            "next" => Part::Next {
                code: FromJs::property(value, "code"),
                // Only the page shows the SAN; the engine uses the code.
                san: String::new(),
                position: FromJs::property(value, "position"),
            },
            _ => Part::Value { key: FromJs::property(value, "key"), value: FromJs::property(value, "value") },
        }
    }
}

/// A query and its selection of games.
///
/// The selection is all games or those of an expression over named sets, narrowed by the parts, one after
/// the other.
#[derive(Tsify)]
pub struct Question {
    /// The query.
    pub query: String,
    /// An expression over named sets, empty for all games.
    pub within: String,
    /// The parts that narrow the selection.
    #[tsify(type = "readonly Part[]")]
    pub parts: Vec<Part>,
    /// Whether positions match wherever the conditions hold, also if the query has windows; otherwise its windows apply to
    /// positions too.
    pub everywhere: bool,
}
plain_input!(Question { query, within, parts, everywhere });

/// The outputs that a run collects, all in one pass.
#[derive(Default, Tsify)]
pub struct Outputs {
    /// Whether to make a heatmap of the pieces.
    pub heatmap: bool,
    /// The most pawn structures to list, 0 for none.
    pub structures: u32,
    /// The most positions to list, 0 for none.
    pub positions: u32,
    /// Whether to list only the first matching position of each game.
    pub one_per_game: bool,
    /// Whether to collect next moves.
    pub next: bool,
    /// The key to group by, empty for none.
    pub key: String,
    /// The name of an output whose table is made, empty for none.
    pub table: String,
}
plain_input!(Outputs { heatmap, structures, positions, one_per_game, next, key, table });

/// The most rows of a table. A key with an order of its own lists all groups.
const MAX_ROWS: usize = 1000;

impl Outputs {
    /// Returns the reducers for these outputs, which show these names for others.
    ///
    /// # Errors
    ///
    /// There is no such key.
    pub(crate) fn selection(&self, names: &ShownNames) -> Result<ReducerSelection, JsFailure> {
        let limit = |most: u32| (most > 0).then_some(most as usize);
        let choice = if self.one_per_game { PositionChoice::FirstOfGame } else { PositionChoice::Every };
        let counts = if self.key.is_empty() { None } else { Some(COUNTS.by(key_named(&self.key)?).most(MAX_ROWS)) };
        let table = if self.table.is_empty() { None } else { Some(output_named(&self.table, "")?.most(MAX_ROWS)) };
        let outputs = [
            self.heatmap.then(|| HEATMAP.output()),
            limit(self.structures).map(|most| STRUCTURES.output().most(most)),
            self.next.then(|| NEXT_MOVES.output()),
            counts,
            // It is the last one, so that it can be told from the others.
            table,
        ];
        Ok(ReducerSelection {
            games: true,
            positions_count: true,
            positions: (self.positions > 0).then_some(PositionSelection { limit: limit(self.positions), choice }),
            outputs: outputs.into_iter().flatten().map(|output| output.showing(names)).collect(),
        })
    }
}

/// A condition of a query, and what matches without it.
#[derive(Tsify)]
pub struct OmittedCondition {
    /// The condition as the query writes it.
    pub condition: String,
    /// The rest of the query.
    pub query: String,
    /// Number of games that the rest matches.
    pub games: f64,
}
plain_object!(OmittedCondition { condition, query, games });

/// A finished scan. [`Corpus::results`] makes an object of it.
#[wasm_bindgen]
pub struct QueryRun {
    pub(crate) found: Found,
    /// The positions that the query leaves open, if it asks endgame tables.
    unknown: Option<Found>,
    /// Whether the last output is shown as a table.
    has_table: bool,
}

impl QueryRun {
    /// Returns what the scan read.
    #[must_use]
    pub fn statistics(&self) -> &ScanStatistics {
        &self.found.work
    }
}

/// A compiled query and its selection of games.
#[wasm_bindgen]
pub struct PreparedQuestion {
    pub(crate) query: Query,
    /// `None` selects all games.
    pub(crate) within: Option<GameSet>,
}

impl PreparedQuestion {
    /// Returns the same query with a selection of these games.
    pub(crate) fn within_games(&self, games: GameSet) -> PreparedQuestion {
        PreparedQuestion { query: self.query.clone(), within: Some(games) }
    }
}

/// Scans for one query.
///
/// This calls `run_queries`, which takes several queries: `run_query` contains a second scan for games
/// alone, which every page would have to load.
pub(crate) fn run_query(
    spans: &[GameSpan<'_>],
    query: &Query,
    within: Option<&GameSet>,
    selection: &ReducerSelection,
    watch: &dyn ScanObserver,
) -> Result<Found, JsFailure> {
    let request = ReduceRequest { query, within, selection };
    Ok(run_queries(spans, &[request], watch)?.pop().unwrap_or_default())
}

#[wasm_bindgen]
impl Corpus {
    /// Finds the first set, player, event, site or source file that a query names and the corpus does not have.
    #[must_use]
    pub fn unknown(&self, query: &str) -> Option<Js<QueryProblem>> {
        let CompiledQuery { tree, mut plan } = compile_query(query).ok()?;
        self.names.list.bind(&mut plan);
        if let Some(missing) = plan.set_names().find(|name| !self.sets.contains_key(*name)) {
            let message = format!("this corpus has no set @{missing}");
            let error = unknown_names::unknown_set_error(&tree, query, missing, &message);
            return Some(to_js(query_problem(query, error)));
        }
        let tests = unknown_names::name_tests(&plan);
        if tests.is_empty() {
            return None;
        }
        // What is damaged is the error of the search.
        let spans = self.spans_with(header_parts(&plan)).ok()?;
        if spans.iter().all(GameSpan::is_empty) {
            return None;
        }
        let name = headers::find_unknown_name(&CompiledHeaderTests::new(&tests, &spans), &spans)?;
        Some(to_js(query_problem(query, unknown_names::unknown_name_error(&tree, query, &name))))
    }

    /// Returns notes on what a valid query asks for and some games of the corpus do not store, each a sentence without its full stop.
    #[must_use]
    pub fn unstored(&self, query: &str) -> Vec<String> {
        let Ok(CompiledQuery { plan, .. }) = compile_query(query) else { return Vec::new() };
        // What is damaged is the error of the search.
        let spans = self.spans_with(parts_read(&plan) | ShardParts::RECORDS | ShardParts::COLUMNS);
        spans.map_or_else(|_| Vec::new(), |spans| unstored_notes(&plan, &spans))
    }

    /// Compiles the query of a question and finds its selection of games. Each part costs a scan.
    ///
    /// # Errors
    ///
    /// The query or the expression cannot be read; there is no such set or key; the request was cancelled.
    pub fn prepare(&self, question: &Js<Question>) -> Result<PreparedQuestion, JsFailure> {
        self.prepare_question(&Question::from_js_value(question))
    }

    /// Prepares another query on the games that match a question.
    ///
    /// # Errors
    ///
    /// The query cannot be read; the request was cancelled.
    pub fn among(&self, question: &PreparedQuestion, query: &str) -> Result<PreparedQuestion, JsFailure> {
        Ok(PreparedQuestion { query: self.compile(query, false)?, within: Some(self.matching_games(question)?) })
    }

    /// Scans for a question and collects these outputs.
    ///
    /// # Errors
    ///
    /// There is no such key; the request was cancelled.
    pub fn run(&self, question: &PreparedQuestion, outputs: &Js<Outputs>) -> Result<QueryRun, JsFailure> {
        self.run_for(question, &Outputs::from_js_value(outputs))
    }

    /// Makes an object of a run's results.
    ///
    /// # Errors
    ///
    /// The run belongs to another corpus.
    pub fn results(&self, run: QueryRun) -> Result<Js<SearchResults>, JsFailure> {
        Ok(to_js(self.search_results(&run)?))
    }

    /// Leaves out each condition of a question's query in turn, and counts the games that then match. Nothing if the
    /// query is no list of conditions. Each condition costs a scan.
    ///
    /// # Errors
    ///
    /// The question cannot be read; the request was cancelled.
    #[wasm_bindgen(unchecked_return_type = "OmittedCondition[]")]
    pub fn without(&self, question: &Js<Question>) -> Result<Array, JsFailure> {
        let mut question = Question::from_js_value(question);
        let query = std::mem::take(&mut question.query);
        let omitted = List::default();
        for compose::OmittedCondition { condition, rest } in compose::without_each(&query) {
            question.query.clone_from(&rest);
            let games = self.matching_games(&self.prepare_question(&question)?)?.count();
            omitted.push(OmittedCondition { condition: condition.into(), query: rest, games: games as f64 });
        }
        Ok(omitted.0)
    }

    /// Returns the matching games as a set.
    ///
    /// # Errors
    ///
    /// The request was cancelled.
    #[wasm_bindgen(js_name = setOf)]
    pub fn set_of(&self, question: &PreparedQuestion) -> Result<Js<SetFile>, JsFailure> {
        Ok(to_js(self.set_file(&self.matching_games(question)?)))
    }

    /// Returns the plies of game `id` whose positions match, ascending; `everywhere` is that of a question.
    ///
    /// # Errors
    ///
    /// The query cannot be read; there is no such game.
    pub fn matches(&self, id: u32, query: &str, everywhere: bool) -> Result<Vec<u32>, JsFailure> {
        let positions = self.matching_positions(id, &self.compile(query, everywhere)?)?;
        Ok(positions.into_iter().map(|position| position.ply.0).collect())
    }

    /// Writes the matching positions of these games, one line each: FENs, or EPDs with clocks, players and place.
    ///
    /// # Errors
    ///
    /// The query cannot be read; there is no such game.
    pub fn lines(&self, ids: &[u32], query: &str, everywhere: bool, epd: bool) -> Result<Vec<u8>, JsFailure> {
        let query = self.compile(query, everywhere)?;
        let mut lines = String::new();
        for &id in ids {
            let whose = if epd { self.game_title(id)? } else { String::new() };
            for PositionHit { fen, ply, .. } in self.hits(&self.matching_positions(id, &query)?)? {
                // Writing to a string does not fail.
                let _ = match epd {
                    true => writeln!(lines, "{}", notation::epd_line(&fen, &whose, u64::from(id) + 1, ply)),
                    false => writeln!(lines, "{fen}"),
                };
            }
        }
        Ok(lines.into_bytes())
    }
}

impl Corpus {
    /// Compiles the query of a question and finds its games, see [`prepare`](Corpus::prepare).
    ///
    /// # Errors
    ///
    /// The same as there.
    pub fn prepare_question(&self, question: &Question) -> Result<PreparedQuestion, JsFailure> {
        let within = match &*question.within {
            "" if self.deleted().count() == 0 => None,
            "" => Some(self.without_deleted(GameSet::all(self.games() as u32))),
            expression => Some(self.evaluate(expression)?),
        };
        let mut prepared = PreparedQuestion { query: self.compile(&question.query, question.everywhere)?, within };
        for part in &question.parts {
            prepared = match part {
                Part::Value { key, value } => self.with_value(&prepared, key, value)?,
                Part::Next { code, position, .. } => self.going_on(&prepared, *code, position)?,
            };
        }
        Ok(prepared)
    }

    /// Scans for a question, see [`run`](Corpus::run).
    ///
    /// # Errors
    ///
    /// The same as there.
    pub fn run_for(&self, question: &PreparedQuestion, outputs: &Outputs) -> Result<QueryRun, JsFailure> {
        let (query, within, selection) =
            (&question.query, question.within.as_ref(), outputs.selection(&self.names.shown)?);
        let unknown = unknown_positions(query)?;
        let mut requests = vec![ReduceRequest { query, within, selection: &selection }];
        requests.extend(unknown.iter().map(|(query, selection)| ReduceRequest { query, within, selection }));
        let parts = requests.iter().map(ReduceRequest::parts).fold(ShardParts::NONE, ShardParts::union);
        let mut found = run_queries(&self.spans_with(parts)?, &requests, &CancellationWatch)?.into_iter();
        let has_table = !outputs.table.is_empty();
        Ok(QueryRun { found: found.next().unwrap_or_default(), unknown: found.next(), has_table })
    }

    /// Makes the results of a run, with positions and moves in place of the scan's numbers.
    fn search_results(&self, run: &QueryRun) -> Result<SearchResults, JsFailure> {
        let found = &run.found;
        let replayed = found.work.plies_replayed + found.work.plies_read_without_board;
        let ids: Vec<u32> = found.games.iter().flat_map(GameSet::iter).map(|game| game.0).collect();
        let heatmap = found.summary::<Heatmap>().map(|heatmap| {
            Float64Array::from(&*heatmap.flat_counts().iter().map(|&count| count as f64).collect::<Vec<_>>())
        });
        let structures = found.summary::<TopStructures>();
        let table = found.outputs.last().filter(|_| run.has_table);
        let plies = self.opened.header.plies - self.deleted_plies();
        Ok(SearchResults {
            games_total: self.games() - self.deleted().count() as f64,
            plies_total: plies as f64,
            games: found.count.games as f64,
            positions: found.count.positions as f64,
            plies_looked_at: plies.min(replayed) as f64,
            ids: Uint32Array::from(&*ids),
            heatmap,
            structures: structures.iter().flat_map(|structures| &structures.top).map(Structure::from).collect(),
            structures_total: structures.map_or(0.0, |structures| structures.distinct as f64),
            hits: self.hits(found.positions.as_deref().unwrap_or_default())?.into_iter().collect(),
            next: found.summary().map(|table| self.next_move_results(table)).transpose()?,
            groups: found.summary::<GroupTable>().map(Groups::from),
            table: table.map(ResultTable::from),
            unknown: run.unknown.as_ref().map(UnknownPositions::from),
        })
    }

    /// Makes the FENs of positions.
    fn hits(&self, positions: &[PositionRef]) -> Result<Vec<PositionHit>, JsFailure> {
        let mut hits = Vec::new();
        // Positions of the same game follow each other, so the replay continues from one to the next.
        let mut carried: Option<(GameId, Ply, Board)> = None;
        for &PositionRef { game, ply } in positions {
            let moves = self.game(game.0)?;
            let (done, mut board) = match carried.take() {
                Some((carried_game, done, board)) if carried_game == game && done <= ply => (done, board),
                _ => (Ply::START, moves.start_board()),
            };
            let mut last = None;
            for (nth, &mv) in moves.moves.iter().enumerate().take(ply.moves()).skip(done.moves()) {
                if nth + 1 == ply.moves() {
                    last = Some(notation::notate_move(&board, mv));
                }
                board.make::<FullState>(mv);
            }
            let (san, move_number) =
                last.map_or_else(Default::default, |MoveNotation { san, move_number, .. }| (san, move_number.into()));
            hits.push(PositionHit { game: game.0, ply: ply.0, fen: board.fen().to_string(), san, move_number });
            carried = Some((game, ply, board));
        }
        Ok(hits)
    }

    /// Compiles a query together with the sets that it names, the comments that it searches and the tables that it asks.
    pub(crate) fn compile(&self, text: &str, everywhere: bool) -> Result<Query, JsFailure> {
        let rule = if everywhere { PositionRule::Everywhere } else { PositionRule::EvidenceOfWindows };
        self.bind(CompiledQuery::read_positions(text, known_openings(), rule)?.plan)
    }

    /// Gives a query the names that stand for those that it names, its sets, the comments that it searches and the tables that it asks.
    pub(crate) fn bind(&self, mut query: Query) -> Result<Query, JsFailure> {
        self.names.list.bind(&mut query);
        query.bind_sets(|name| self.set_named(name).map(|set| Arc::from(set.words())))?;
        query.bind_tables(&bound_tables());
        if let Some(name) = query.line_names().first() {
            let message = format!(
                "lines such as @{name} are searched on the command line alone: `plyfold repertoire --save @{name}` saves them, and `plyfold query` searches them"
            );
            return Err(JsFailure::new("bad-query", message));
        }
        if query.tag_tests().next().is_some() || !query.comment_patterns().is_empty() {
            self.check_all()?;
        }
        bind_comments(&mut query, &self.opened, &CancellationWatch)?;
        Ok(query)
    }

    /// Returns the matching games.
    pub(crate) fn matching_games(&self, question: &PreparedQuestion) -> Result<GameSet, JsFailure> {
        let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
        Ok(question.run_selection(self, &selection)?.games.unwrap_or_default())
    }

    /// Returns a set without games.
    pub(crate) fn empty_set(&self) -> GameSet {
        GameSet::empty(self.games() as u32)
    }

    /// Returns the board of game `id` after ply `ply`.
    pub(crate) fn board(&self, id: u32, ply: u32) -> Result<Board, JsFailure> {
        Ok(self.game(id)?.board_at(Ply(ply)))
    }

    fn matching_positions(&self, id: u32, query: &Query) -> Result<Vec<PositionRef>, JsFailure> {
        let selection = ReducerSelection {
            positions: Some(PositionSelection { limit: None, choice: PositionChoice::Every }),
            ..ReducerSelection::default()
        };
        Ok(run_query(&[self.span(id)?], query, None, &selection, &())?.positions.unwrap_or_default())
    }

    /// Returns the players and the date of a game, for a text in quotes.
    fn game_title(&self, id: u32) -> Result<String, JsFailure> {
        let (shard, game) = self.locate_shard(id)?;
        let record = &shard.records[game as usize];
        let [white, black] =
            [record.white, record.black].map(|name| self.names.shown(AliasKind::Player, shard.players.get(name)));
        let words = match record.date.year() {
            0 => format!("{white} - {black}"),
            _ => format!("{white} - {black}, {}", record.date),
        };
        Ok(words.replace(['"', '\\'], "'").replace(|letter: char| letter.is_control(), " "))
    }
}
