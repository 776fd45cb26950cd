//! Asking: a text and what is wanted in, answers out.

use std::fmt::Write;
use std::sync::{Arc, OnceLock};

use plyfold_core::board::Board;
use plyfold_core::board::make::FullState;
use plyfold_core::game::GameSpan;
use plyfold_core::headers::{self, CompiledHeaderTests, OpeningNames};
use plyfold_core::keys;
use plyfold_core::notation;
use plyfold_core::query::error::QueryError;
use plyfold_core::query::{compile_with_openings, unknown_names};
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::matching_positions::{PositionRef, PositionSelection};
use plyfold_core::reduce::{QueryResults as Found, ReduceRequest, ReducerSelection, run_queries};
use plyfold_core::scan::Query;
use plyfold_core::scan::fold::ScanObserver;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::corpus::Corpus;
use crate::error::JsFailure;
use crate::sets::JsSetFile;

/// The names of openings, once the page has brought them.
static OPENINGS: OnceLock<OpeningNames> = OnceLock::new();

/// Brings the names of openings: a text of lines `code <tab> name`. The first that come stay.
#[wasm_bindgen(js_name = knowOpenings)]
pub fn know_openings(names: &str) {
    let _ = OPENINGS.get_or_init(|| OpeningNames::new(names));
}

fn compile_query(text: &str) -> Result<Query, QueryError> {
    match OPENINGS.get() {
        Some(openings) => compile_with_openings(text, openings),
        None => compile_with_openings(text, &OpeningNames::default()),
    }
}

/// What is wrong with a query, and where.
#[wasm_bindgen(getter_with_clone)]
pub struct Problem {
    /// One clause.
    pub message: String,
    /// The place in the text, in UTF-16 units as JavaScript counts.
    pub from: u32,
    /// One past the place.
    pub to: u32,
    /// What could stand there.
    pub expected: Vec<String>,
    /// The known name nearest to an unknown one, or empty.
    pub nearest: String,
}

/// The first thing wrong with a query; nothing when it can be asked.
#[wasm_bindgen]
#[must_use]
pub fn check(query: &str) -> Option<Problem> {
    compile_query(query).err().map(|error| js_problem(query, error))
}

pub(crate) fn js_problem(query: &str, error: QueryError) -> Problem {
    let units = |byte: usize| query.get(..byte).unwrap_or(query).encode_utf16().count() as u32;
    Problem {
        message: error.message,
        from: units(error.from),
        to: units(error.to),
        expected: error.expected.into_iter().map(Into::into).collect(),
        nearest: error.nearest.unwrap_or_default().into(),
    }
}

/// What a query found.
#[wasm_bindgen]
pub struct Answers {
    pub(crate) found: Found,
}

/// A query, and the games that are looked at.
#[wasm_bindgen]
pub struct Question {
    pub(crate) query: Query,
    /// Nothing for all games.
    pub(crate) within: Option<GameSet>,
}

impl Question {
    /// The same of these games alone.
    pub(crate) fn within_games(&self, games: GameSet) -> Question {
        Question { query: self.query.clone(), within: Some(games) }
    }
}

#[wasm_bindgen]
impl Answers {
    /// Matching games.
    #[wasm_bindgen(getter)]
    pub fn games(&self) -> f64 {
        self.found.count.games as f64
    }

    /// Matching positions.
    #[wasm_bindgen(getter)]
    pub fn positions(&self) -> f64 {
        self.found.count.positions as f64
    }

    /// Games that were left by their milestones and last signature, without a test.
    #[wasm_bindgen(getter, js_name = gamesSkipped)]
    pub fn games_skipped(&self) -> f64 {
        self.found.work.games_rejected_early as f64
    }

    /// Games for which a board was set up.
    #[wasm_bindgen(getter, js_name = gamesReplayed)]
    pub fn games_replayed(&self) -> f64 {
        self.found.work.games_replayed as f64
    }

    /// Moves that were made on a board; those of a game that was replayed twice count twice.
    #[wasm_bindgen(getter, js_name = pliesReplayed)]
    pub fn plies_replayed(&self) -> f64 {
        self.found.work.plies_replayed as f64
    }

    /// Moves among which those that touch some squares were sought.
    #[wasm_bindgen(getter, js_name = pliesFiltered)]
    pub fn plies_filtered(&self) -> f64 {
        self.found.work.plies_read_without_board as f64
    }

    /// Captures, promotions and changes of pawns that were looked at.
    #[wasm_bindgen(getter)]
    pub fn events(&self) -> f64 {
        self.found.work.events_read as f64
    }

    /// Matching games by number, from 0, ascending.
    pub fn ids(&self) -> Vec<u32> {
        self.found.games.iter().flat_map(|set| set.iter()).map(|game| game.0).collect()
    }

    /// `[2][6][64]`: White, Black; P N B R Q K; a1 … h8. Nothing if it was not wanted.
    pub fn heatmap(&self) -> Option<Vec<f64>> {
        let counts = self.found.heatmap.as_ref()?.counts();
        Some(counts.as_flattened().as_flattened().iter().map(|&count| count as f64).collect())
    }

    /// The most frequent pawn structures, three numbers each: white pawns, black pawns, positions.
    pub fn structures(&self) -> Vec<u64> {
        let top = self.found.structures.iter().flat_map(|structures| &structures.top);
        top.flat_map(|one| [one.white, one.black, one.count]).collect()
    }

    /// How many different pawn structures there are.
    #[wasm_bindgen(getter, js_name = structuresTotal)]
    pub fn structures_total(&self) -> f64 {
        self.found.structures.as_ref().map_or(0.0, |structures| structures.distinct as f64)
    }

    /// Matching positions, two numbers each: game (from 0) and ply (from 1).
    pub fn hits(&self) -> Vec<u32> {
        self.found.positions.iter().flatten().flat_map(|position| [position.game.0, position.ply.0]).collect()
    }
}

/// Asks one question.
///
/// By the door for many: the other one has a scan of its own for those that want games alone, which a page would have to load.
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
    /// The first set, player, event, site or source file that a query asks for and the corpus does not have; nothing if there is none.
    #[must_use]
    pub fn unknown(&self, query: &str) -> Option<Problem> {
        let compiled = compile_query(query).ok()?;
        if let Some(missing) = compiled.set_names().find(|name| !self.sets.contains_key(*name)) {
            let sign = format!("@{missing}");
            let from = query.find(&sign).unwrap_or(0);
            let message = format!("there is no set {sign} of this corpus");
            return Some(js_problem(
                query,
                QueryError { message, from, to: from + sign.len(), expected: Vec::new(), nearest: None },
            ));
        }
        let tests = unknown_names::name_tests(&compiled);
        let spans = self.spans();
        if tests.is_empty() || spans.iter().all(GameSpan::is_empty) {
            return None;
        }
        let name = headers::find_unknown_name(&CompiledHeaderTests::new(&tests, &spans), &spans)?;
        Some(js_problem(query, unknown_names::locate_unknown_name(query, &name)))
    }

    /// A query, of the games that an expression over sets comes to, or of all if that is empty.
    ///
    /// # Errors
    ///
    /// A query or an expression that cannot be read; a name that stands for no set.
    pub fn question(&self, query: &str, within: &str) -> Result<Question, JsFailure> {
        let within = (!within.is_empty()).then(|| self.evaluate(within)).transpose()?;
        Ok(Question { query: self.compile(query)?, within })
    }

    /// Another query, of the games that match a question.
    ///
    /// # Errors
    ///
    /// A query that cannot be read; a request that was given up.
    pub fn among(&self, question: &Question, query: &str) -> Result<Question, JsFailure> {
        Ok(Question { query: self.compile(query)?, within: Some(self.matching_games(question)?) })
    }

    /// Asks of every position. `structures`, `positions` and `groups` say how many of them to keep, 0 for none; `key` is what groups are by,
    /// empty for none.
    ///
    /// # Errors
    ///
    /// No such key; a request that was given up.
    #[allow(clippy::too_many_arguments)]
    pub fn answers(
        &self,
        question: &Question,
        heatmap: bool,
        structures: usize,
        positions: usize,
        next: bool,
        key: &str,
        groups: usize,
    ) -> Result<Answers, JsFailure> {
        let selection = ReducerSelection {
            games: true,
            positions_count: true,
            heatmap,
            structures: (structures > 0).then_some(structures),
            positions: (positions > 0).then_some(PositionSelection { limit: Some(positions), unique: false }),
            next_moves: next,
            groups: if key.is_empty() { Vec::new() } else { vec![(keys::parse_key(key)?, groups)] },
            ..ReducerSelection::default()
        };
        Ok(Answers { found: question.run(self, &selection)? })
    }

    /// The games that match, as a set.
    ///
    /// # Errors
    ///
    /// A request that was given up.
    #[wasm_bindgen(js_name = setOf)]
    pub fn set_of(&self, question: &Question) -> Result<JsSetFile, JsFailure> {
        Ok(self.set_file(&self.matching_games(question)?))
    }

    /// Plies of game `id` whose positions match, ascending.
    ///
    /// # Errors
    ///
    /// A query that cannot be read; no such game.
    pub fn matches(&self, id: u32, query: &str) -> Result<Vec<u32>, JsFailure> {
        Ok(self.matching_positions(id, &self.compile(query)?)?.into_iter().map(|position| position.ply.0).collect())
    }

    /// The matching positions of these games, a line each: FENs, or EPDs with clocks, players and place.
    ///
    /// # Errors
    ///
    /// A query that cannot be read; no such game.
    pub fn lines(&self, ids: &[u32], query: &str, epd: bool) -> Result<Vec<u8>, JsFailure> {
        let query = self.compile(query)?;
        let mut lines = String::new();
        for &id in ids {
            let hits: Vec<u32> =
                self.matching_positions(id, &query)?.iter().flat_map(|hit| [hit.game.0, hit.ply.0]).collect();
            let whose = if epd { self.game_title(id)? } else { String::new() };
            for (fen, hit) in self.fens(&hits)?.iter().zip(hits.chunks_exact(2)) {
                // Writing to a string does not fail.
                let _ = match epd {
                    true => writeln!(lines, "{}", notation::epd_line(fen, &whose, u64::from(id) + 1, hit[1])),
                    false => writeln!(lines, "{fen}"),
                };
            }
        }
        Ok(lines.into_bytes())
    }

    /// FENs of positions given as [`Answers::hits`] gives them.
    ///
    /// # Errors
    ///
    /// No such game.
    pub fn fens(&self, hits: &[u32]) -> Result<Vec<String>, JsFailure> {
        let mut fens = Vec::with_capacity(hits.len() / 2);
        // Positions of one game follow each other, so its board is carried on from one to the next.
        let mut carried: Option<(u32, u32, Board)> = None;
        for hit in hits.chunks_exact(2) {
            let (game, ply) = (hit[0], hit[1]);
            let span = self.span(game)?;
            let Some(moves) = span.games().next() else { continue };
            let (done, mut board) = match carried.take() {
                Some((carried_game, done, board)) if carried_game == game && done <= ply => (done, board),
                _ => (0, moves.start_board()),
            };
            for &mv in moves.moves.iter().take(ply as usize).skip(done as usize) {
                board.make::<FullState>(mv);
            }
            fens.push(board.fen().to_string());
            carried = Some((game, ply, board));
        }
        Ok(fens)
    }
}

impl Corpus {
    /// A query with the sets that it names.
    fn compile(&self, text: &str) -> Result<Query, JsFailure> {
        let mut query = compile_query(text)?;
        query.bind_sets(|name| self.set_named(name).map(|set| Arc::from(set.words())))?;
        Ok(query)
    }

    /// The games that match.
    pub(crate) fn matching_games(&self, question: &Question) -> Result<GameSet, JsFailure> {
        let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
        Ok(question.run(self, &selection)?.games.unwrap_or_default())
    }

    /// A set without games.
    pub(crate) fn empty_set(&self) -> GameSet {
        GameSet::empty(self.games() as u32)
    }

    /// The board of game `id` after ply `ply`.
    pub(crate) fn board(&self, id: u32, ply: u32) -> Result<Option<Board>, JsFailure> {
        let span = self.span(id)?;
        let Some(game) = span.games().next() else { return Ok(None) };
        let mut board = game.start_board();
        for &mv in game.moves.iter().take(ply as usize) {
            board.make::<FullState>(mv);
        }
        Ok(Some(board))
    }

    fn matching_positions(&self, id: u32, query: &Query) -> Result<Vec<PositionRef>, JsFailure> {
        let selection = ReducerSelection {
            positions: Some(PositionSelection { limit: None, unique: false }),
            ..ReducerSelection::default()
        };
        Ok(run_query(&[self.span(id)?], query, None, &selection, &())?.positions.unwrap_or_default())
    }

    /// A game by its players and date, for a text in quotes.
    fn game_title(&self, id: u32) -> Result<String, JsFailure> {
        let (shard, game) = self.locate_shard(id)?;
        let record = &shard.records[game as usize];
        let (white, black) = (shard.players.get(record.white), shard.players.get(record.black));
        let words = match record.date.year() {
            0 => format!("{white} - {black}"),
            _ => format!("{white} - {black}, {}", record.date),
        };
        Ok(words.replace(['"', '\\'], "'").replace(|letter: char| letter.is_control(), " "))
    }
}
