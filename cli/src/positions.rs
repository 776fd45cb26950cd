//! Matching positions, one after the other in the order of the corpus, each made when it is wanted.
//!
//! A few hundred games at a time are scanned and replayed on all threads, and what they give is handed on before the next
//! are taken: memory does not grow with the number of positions. Only if each different position is to come once, the
//! hashes of those that came are kept.

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
/// Batches that each thread does before what they gave is handed on.
const BATCHES_PER_ROUND: usize = 8;

/// How positions are listed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PositionFormat {
    /// Number of the game and number of the ply.
    Ref,
    /// FEN.
    Fen,
    /// Game, ply and FEN.
    Both,
    /// What tells positions apart, in 16 hexadecimal digits: the Zobrist hash of Polyglot's opening books (en passant counts only where
    /// it is legal), the same in every run and every corpus.
    Hash,
}

impl PositionFormat {
    /// Whether game and ply are told.
    pub fn has_ref(self) -> bool {
        matches!(self, PositionFormat::Ref | PositionFormat::Both)
    }

    /// Whether the FEN is told.
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
    /// Its FEN, if that was asked for.
    pub fen: Option<String>,
    /// As which images of what is sought `under` transforms it was found, if that was asked for: their names.
    pub images: Option<Vec<String>>,
    /// Its Zobrist hash with Polyglot's keys, en passant only where it is legal; 0 if it was not asked for.
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
    /// Hashes of those that came, if each different one is to come once.
    seen: Option<HashSet<u64>>,
}

impl<'a> PositionStream<'a> {
    /// The first `limit` positions of `spans` that match; if `unique`, each different one where it first occurs.
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

    /// The same of the games of a set alone, if there is one.
    #[must_use]
    pub fn within(self, set: Option<&'a GameSet>) -> PositionStream<'a> {
        PositionStream { within: set, ..self }
    }

    /// The same, and the bar hears of the games that are done.
    #[must_use]
    pub fn with_progress(self, bar: &'a progress::ScanProgress) -> PositionStream<'a> {
        PositionStream { progress: Some(bar), ..self }
    }

    /// The same with the images as which they were found, if there are any to tell.
    #[must_use]
    pub fn with_images(self, images: Option<&'a transformed::ImageMatcher>) -> PositionStream<'a> {
        PositionStream { images, ..self }
    }

    /// Whether the images are told as which positions were found.
    pub fn has_images(&self) -> bool {
        self.images.is_some()
    }

    /// The same with hashes.
    #[must_use]
    pub fn with_hashes(self, hashes: bool) -> PositionStream<'a> {
        PositionStream { with_hashes: self.with_hashes || hashes, ..self }
    }

    /// How many different positions match, whether they came or not; none if that was not asked. Runs to the end.
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
        unreachable!("nobody watches, so nobody cancels");
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
