//! Asking: a text and what is wanted in, answers out.

use std::sync::OnceLock;

use plyfold_core::board::Board;
use plyfold_core::board::make::Whole;
use plyfold_core::game::Span;
use plyfold_core::headers::{self, Headers, Openings};
use plyfold_core::query::error::QueryError;
use plyfold_core::query::{compile_with, names};
use plyfold_core::reduce::positions::Which;
use plyfold_core::reduce::{Answers as Found, Wanted, answer};
use plyfold_core::scan::Query;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::cancel;
use crate::corpus::Corpus;
use crate::error::Failure;

/// The names of openings, once the page has brought them.
static OPENINGS: OnceLock<Openings> = OnceLock::new();

/// Brings the names of openings: a text of lines `code <tab> name`. The first that come stay.
#[wasm_bindgen(js_name = knowOpenings)]
pub fn know_openings(names: &str) {
    let _ = OPENINGS.get_or_init(|| Openings::new(names));
}

fn compile(text: &str) -> Result<Query, QueryError> {
    match OPENINGS.get() {
        Some(openings) => compile_with(text, openings),
        None => compile_with(text, &Openings::default()),
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
    compile(query).err().map(|error| problem(query, error))
}

fn problem(query: &str, error: QueryError) -> Problem {
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
    found: Found,
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
        self.found.work.games_cut as f64
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
        self.found.work.plies_filtered as f64
    }

    /// Captures, promotions and changes of pawns that were looked at.
    #[wasm_bindgen(getter)]
    pub fn events(&self) -> f64 {
        self.found.work.events as f64
    }

    /// Matching games by number, from 0, ascending.
    pub fn ids(&self) -> Vec<u32> {
        self.found.games.iter().flat_map(|set| set.iter()).collect()
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
        self.found.positions.iter().flatten().flat_map(|position| [position.game, position.ply]).collect()
    }
}

#[wasm_bindgen]
impl Corpus {
    /// The first player, event, site or source file that a query asks for and no game of the corpus has; nothing if there is none.
    #[must_use]
    pub fn unknown(&self, query: &str) -> Option<Problem> {
        let tests = names::asked(&compile(query).ok()?);
        let spans = self.spans();
        if tests.is_empty() || spans.iter().all(Span::is_empty) {
            return None;
        }
        let name = headers::unknown(&Headers::new(&tests, &spans), &spans)?;
        Some(problem(query, names::placed(query, &name)))
    }

    /// Asks `query` of every position. `structures` and `positions` say how many of them to keep, 0 for none.
    ///
    /// # Errors
    ///
    /// A query that cannot be read; a request that was given up.
    pub fn query(&self, query: &str, heatmap: bool, structures: usize, positions: usize) -> Result<Answers, Failure> {
        let query = compile(query)?;
        let wanted = Wanted {
            games: true,
            positions_count: true,
            heatmap,
            structures: (structures > 0).then_some(structures),
            positions: (positions > 0).then_some(Which { limit: Some(positions), unique: false }),
            ..Wanted::default()
        };
        Ok(Answers { found: answer(&self.spans(), &query, &wanted, &cancel::Wanted)? })
    }

    /// Plies of game `id` whose positions match, ascending.
    ///
    /// # Errors
    ///
    /// A query that cannot be read; no such game.
    pub fn matches(&self, id: u32, query: &str) -> Result<Vec<u32>, Failure> {
        let query = compile(query)?;
        let wanted = Wanted { positions: Some(Which { limit: None, unique: false }), ..Wanted::default() };
        let found = answer(&[self.span(id)?], &query, &wanted, &())?;
        Ok(found.positions.into_iter().flatten().map(|position| position.ply).collect())
    }

    /// FENs of positions given as [`Answers::hits`] gives them.
    ///
    /// # Errors
    ///
    /// No such game.
    pub fn fens(&self, hits: &[u32]) -> Result<Vec<String>, Failure> {
        let mut fens = Vec::with_capacity(hits.len() / 2);
        // Positions of one game follow each other, so its board is carried on from one to the next.
        let mut carried: Option<(u32, u32, Board)> = None;
        for hit in hits.chunks_exact(2) {
            let (game, ply) = (hit[0], hit[1]);
            let span = self.span(game)?;
            let Some(moves) = span.games().next() else { continue };
            let (done, mut board) = match carried.take() {
                Some((carried_game, done, board)) if carried_game == game && done <= ply => (done, board),
                _ => (0, moves.start()),
            };
            for &mv in moves.moves.iter().take(ply as usize).skip(done as usize) {
                board.make::<Whole>(mv);
            }
            fens.push(board.fen().to_string());
            carried = Some((game, ply, board));
        }
        Ok(fens)
    }
}
