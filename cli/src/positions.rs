//! Matching positions, one after the other in the order of the corpus, each made when it is wanted.
//!
//! A few hundred games at a time are scanned and replayed on all threads, and what they give is handed on before the next
//! are taken: memory does not grow with the number of positions. Only if each different position is to come once, the
//! hashes of those that came are kept.

use std::collections::HashSet;

use clap::ValueEnum;
use plyfold_core::board::make::Whole;
use plyfold_core::game::Span;
use plyfold_core::query::under;
use plyfold_core::reduce::games::GameSet;
use plyfold_core::reduce::positions::{Position, Which};
use plyfold_core::reduce::{Wanted, answer_within};
use plyfold_core::scan::Query;
use rayon::prelude::*;

use crate::progress;

/// Games that a thread takes at a time.
const BATCH: u32 = 64;
/// Batches that each thread does before what they gave is handed on.
const ROUND: usize = 8;

/// How positions are listed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
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

impl Form {
    /// Whether game and ply are told.
    pub fn has_ref(self) -> bool {
        matches!(self, Form::Ref | Form::Both)
    }

    /// Whether the FEN is told.
    pub fn has_fen(self) -> bool {
        matches!(self, Form::Fen | Form::Both)
    }
}

/// A matching position.
pub struct Found {
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
pub struct Stream<'a> {
    batches: std::vec::IntoIter<Span<'a>>,
    ready: std::vec::IntoIter<Found>,
    query: &'a Query,
    within: Option<&'a GameSet>,
    images: Option<&'a under::Found>,
    fens: bool,
    hashes: bool,
    watch: Option<&'a progress::Scan>,
    left: u64,
    /// Hashes of those that came, if each different one is to come once.
    seen: Option<HashSet<u64>>,
}

impl<'a> Stream<'a> {
    /// The first `limit` positions of `spans` that match; if `unique`, each different one where it first occurs.
    pub fn new(spans: Vec<Span<'a>>, query: &'a Query, fens: bool, unique: bool, limit: Option<u64>) -> Stream<'a> {
        let batches: Vec<Span<'_>> = spans.into_iter().flat_map(|span| span.split(BATCH)).collect();
        Stream {
            batches: batches.into_iter(),
            ready: Vec::new().into_iter(),
            query,
            within: None,
            images: None,
            fens,
            hashes: unique,
            watch: None,
            left: limit.unwrap_or(u64::MAX),
            seen: unique.then(HashSet::new),
        }
    }

    /// The same of the games of a set alone, if there is one.
    #[must_use]
    pub fn within(self, set: Option<&'a GameSet>) -> Stream<'a> {
        Stream { within: set, ..self }
    }

    /// The same, and the bar hears of the games that are done.
    #[must_use]
    pub fn watched(self, bar: &'a progress::Scan) -> Stream<'a> {
        Stream { watch: Some(bar), ..self }
    }

    /// The same with the images as which they were found, if there are any to tell.
    #[must_use]
    pub fn with_images(self, images: Option<&'a under::Found>) -> Stream<'a> {
        Stream { images, ..self }
    }

    /// Whether the images are told as which positions were found.
    pub fn has_images(&self) -> bool {
        self.images.is_some()
    }

    /// The same with hashes.
    #[must_use]
    pub fn with_hashes(self, hashes: bool) -> Stream<'a> {
        Stream { hashes: self.hashes || hashes, ..self }
    }

    /// How many different positions match, whether they came or not; none if that was not asked. Runs to the end.
    pub fn distinct(&mut self) -> Option<u64> {
        self.fens = false;
        self.left = u64::MAX;
        self.seen.as_ref()?;
        self.for_each(drop);
        self.seen.as_ref().map(|seen| seen.len() as u64)
    }
}

impl Iterator for Stream<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        if self.left == 0 {
            return None;
        }
        loop {
            for found in self.ready.by_ref() {
                if self.seen.as_mut().is_none_or(|seen| seen.insert(found.hash)) {
                    self.left -= 1;
                    return Some(found);
                }
            }
            let round: Vec<Span<'_>> = self.batches.by_ref().take(rayon::current_num_threads() * ROUND).collect();
            if round.is_empty() {
                return None;
            }
            let games = round.iter().map(Span::len).sum();
            let make = |span: &Span<'_>| of(span, (self.query, self.within), self.images, self.fens, self.hashes);
            let ready: Vec<Vec<Found>> = round.par_iter().map(make).collect();
            if let Some(bar) = self.watch {
                bar.done(games);
            }
            self.ready = ready.into_iter().flatten().collect::<Vec<_>>().into_iter();
        }
    }
}

/// The matching positions of one span.
fn of(
    span: &Span<'_>,
    (query, within): (&Query, Option<&GameSet>),
    images: Option<&under::Found>,
    fens: bool,
    hashes: bool,
) -> Vec<Found> {
    let wanted = Wanted { positions: Some(Which::default()), ..Wanted::default() };
    let Ok(answers) = answer_within(&[*span], query, within, &wanted, &()) else {
        unreachable!("nobody watches, so nobody cancels");
    };
    let positions = answers.positions.unwrap_or_default();
    if !fens && !hashes && images.is_none() {
        let each = |position: Position| Found {
            game: u64::from(position.game) + 1,
            ply: position.ply,
            fen: None,
            images: None,
            hash: 0,
        };
        return positions.into_iter().map(each).collect();
    }
    let mut found = Vec::with_capacity(positions.len());
    let mut rest = positions.as_slice();
    for game in span.games() {
        let (of_game, others) = rest.split_at(rest.partition_point(|position| position.game <= game.id));
        rest = others;
        let mut board = game.start();
        let mut played = 0;
        for position in of_game {
            for &mv in &game.moves[played..position.ply as usize] {
                board.make::<Whole>(mv);
            }
            played = position.ply as usize;
            let fen = fens.then(|| board.fen().to_string());
            let images = images.map(|images| images.names(&board));
            found.push(Found { game: u64::from(game.id) + 1, ply: position.ply, fen, images, hash: board.hash });
        }
    }
    found
}
