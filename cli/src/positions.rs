//! Matching positions in the order of the corpus, each computed when it is needed.
//!
//! All threads scan and replay a few hundred games at a time. Their positions are passed on before the next games are taken,
//! so memory does not grow with the number of positions. Only `unique` stores something for each listed position: its hash.

use std::collections::HashSet;

use clap::ValueEnum;
use plyfold_core::board::make::FullState;
use plyfold_core::game::GameSpan;
use plyfold_core::query::transformed;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::matching_positions::{PositionRef, PositionSelection};
use plyfold_core::reduce::{ReducerSelection, run_query_within};
use plyfold_core::scan::Query;
use rayon::prelude::*;

use crate::progress;

/// Games that a thread takes at a time.
const GAMES_PER_BATCH: u32 = 64;
/// Batches that each thread does before their positions are passed on.
const BATCHES_PER_ROUND: usize = 8;

/// How positions are listed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PositionFormat {
    /// Game number and ply.
    Ref,
    /// FEN.
    Fen,
    /// Game, ply and FEN.
    Both,
    /// A hash of 16 hexadecimal digits: the Zobrist hash of Polyglot's opening books (en passant counts only if
    /// it is legal), which is the same in every run and every corpus.
    Hash,
}

impl PositionFormat {
    /// Whether it shows game and ply.
    pub fn has_ref(self) -> bool {
        matches!(self, PositionFormat::Ref | PositionFormat::Both)
    }

    /// Whether it shows the FEN.
    pub fn has_fen(self) -> bool {
        matches!(self, PositionFormat::Fen | PositionFormat::Both)
    }
}

/// A matching position.
pub struct ListedPosition {
    /// Number of its game, from 1.
    pub game: u64,
    /// Number of its ply, from 1.
    pub ply: u32,
    /// Its FEN, if requested.
    pub fen: Option<String>,
    /// The names of the images under which it was found, if the query has `under` and the images are requested.
    pub images: Option<Vec<String>>,
    /// Its Zobrist hash with Polyglot's keys, en passant only where it is legal; 0 if it was not requested.
    pub hash: u64,
}

/// The matching positions of some games.
pub struct PositionStream<'a> {
    batches: std::vec::IntoIter<GameSpan<'a>>,
    ready: std::vec::IntoIter<ListedPosition>,
    query: &'a Query,
    within: Option<&'a GameSet>,
    images: Option<&'a transformed::ImageMatcher>,
    with_fens: bool,
    with_hashes: bool,
    progress: Option<&'a progress::ScanProgress>,
    remaining: u64,
    /// The hashes of the positions so far, if each distinct position is listed once.
    seen: Option<HashSet<u64>>,
}

impl<'a> PositionStream<'a> {
    /// The first `limit` matching positions of `spans`; if `unique`, each distinct position at its first occurrence.
    pub fn new(
        spans: Vec<GameSpan<'a>>,
        query: &'a Query,
        fens: bool,
        unique: bool,
        limit: Option<u64>,
    ) -> PositionStream<'a> {
        let batches: Vec<GameSpan<'_>> = spans.into_iter().flat_map(|span| span.split(GAMES_PER_BATCH)).collect();
        PositionStream {
            batches: batches.into_iter(),
            ready: Vec::new().into_iter(),
            query,
            within: None,
            images: None,
            with_fens: fens,
            with_hashes: unique,
            progress: None,
            remaining: limit.unwrap_or(u64::MAX),
            seen: unique.then(HashSet::new),
        }
    }

    /// Restricts the stream to the games of a set, if there is one.
    #[must_use]
    pub fn within(self, set: Option<&'a GameSet>) -> PositionStream<'a> {
        PositionStream { within: set, ..self }
    }

    /// Counts finished games on the bar.
    #[must_use]
    pub fn with_progress(self, bar: &'a progress::ScanProgress) -> PositionStream<'a> {
        PositionStream { progress: Some(bar), ..self }
    }

    /// Adds the images under which positions were found, if there are any.
    #[must_use]
    pub fn with_images(self, images: Option<&'a transformed::ImageMatcher>) -> PositionStream<'a> {
        PositionStream { images, ..self }
    }

    /// Whether positions come with their images.
    pub fn has_images(&self) -> bool {
        self.images.is_some()
    }

    /// Adds hashes.
    #[must_use]
    pub fn with_hashes(self, hashes: bool) -> PositionStream<'a> {
        PositionStream { with_hashes: self.with_hashes || hashes, ..self }
    }

    /// How many distinct positions match, listed or not; `None` unless `unique`. Runs the stream to its end.
    pub fn distinct(&mut self) -> Option<u64> {
        self.with_fens = false;
        self.remaining = u64::MAX;
        self.seen.as_ref()?;
        self.for_each(drop);
        self.seen.as_ref().map(|seen| seen.len() as u64)
    }
}

impl Iterator for PositionStream<'_> {
    type Item = ListedPosition;

    fn next(&mut self) -> Option<ListedPosition> {
        if self.remaining == 0 {
            return None;
        }
        loop {
            for found in self.ready.by_ref() {
                if self.seen.as_mut().is_none_or(|seen| seen.insert(found.hash)) {
                    self.remaining -= 1;
                    return Some(found);
                }
            }
            let round: Vec<GameSpan<'_>> =
                self.batches.by_ref().take(rayon::current_num_threads() * BATCHES_PER_ROUND).collect();
            if round.is_empty() {
                return None;
            }
            let games = round.iter().map(GameSpan::len).sum();
            let make = |span: &GameSpan<'_>| {
                positions_in_span(span, (self.query, self.within), self.images, self.with_fens, self.with_hashes)
            };
            let ready: Vec<Vec<ListedPosition>> = round.par_iter().map(make).collect();
            if let Some(bar) = self.progress {
                bar.add_games(games);
            }
            self.ready = ready.into_iter().flatten().collect::<Vec<_>>().into_iter();
        }
    }
}

/// The matching positions of one span.
fn positions_in_span(
    span: &GameSpan<'_>,
    (query, within): (&Query, Option<&GameSet>),
    images: Option<&transformed::ImageMatcher>,
    with_fens: bool,
    with_hashes: bool,
) -> Vec<ListedPosition> {
    let selection = ReducerSelection { positions: Some(PositionSelection::default()), ..ReducerSelection::default() };
    let Ok(answers) = run_query_within(&[*span], query, within, &selection, &()) else {
        unreachable!("a scan without a watcher is never cancelled");
    };
    let positions = answers.positions.unwrap_or_default();
    if !with_fens && !with_hashes && images.is_none() {
        let listed_position = |position: PositionRef| ListedPosition {
            game: position.game.number(),
            ply: position.ply.0,
            fen: None,
            images: None,
            hash: 0,
        };
        return positions.into_iter().map(listed_position).collect();
    }
    let mut found = Vec::with_capacity(positions.len());
    let mut rest = positions.as_slice();
    for game in span.games() {
        let (of_game, others) = rest.split_at(rest.partition_point(|position| position.game <= game.id));
        rest = others;
        let mut board = game.start_board();
        let mut played = 0;
        for position in of_game {
            for &mv in &game.moves[played..position.ply.moves()] {
                board.make::<FullState>(mv);
            }
            played = position.ply.moves();
            let fen = with_fens.then(|| board.fen().to_string());
            let images = images.map(|images| images.matching_images(&board));
            found.push(ListedPosition { game: game.id.number(), ply: position.ply.0, fen, images, hash: board.hash });
        }
    }
    found
}
