//! Matching positions in the order of the corpus, each computed when it is needed.
//!
//! All threads scan and replay a few hundred games at a time. Their positions are passed on before the next games are taken,
//! so memory does not grow with the number of positions. Only `unique` stores something for each listed position: its hash.

use std::collections::HashSet;

use clap::ValueEnum;
use plyfold_core::annotations::columns::{AnnotatedGame, AnnotationColumns, AnnotationNumber, UNKNOWN};
use plyfold_core::annotations::judgement::Judgement;
use plyfold_core::board::make::FullState;
use plyfold_core::game::{GameId, GameSpan};
use plyfold_core::query::transformed;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::matching_positions::{PositionRef, PositionSelection};
use plyfold_core::reduce::{ReducerSelection, run_query_within};
use plyfold_core::scan::Query;
use rayon::prelude::*;
use shakmaty::Color;

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

/// What the text says of a position, where it is known.
#[derive(Clone, Copy, Default)]
pub struct PositionAnnotations {
    /// The evaluation in centipawns, as the number `eval` of a query.
    pub eval: Option<i32>,
    /// The seconds on the clock of the side that moved.
    pub clock: Option<i32>,
    /// The judgement of the last move.
    pub judgement: Option<&'static str>,
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
    /// What the text says, if it was requested.
    pub annotations: Option<PositionAnnotations>,
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
    with_annotations: bool,
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
            with_annotations: false,
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

    /// Adds what the texts say.
    #[must_use]
    pub fn with_annotations(self) -> PositionStream<'a> {
        PositionStream { with_annotations: true, ..self }
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
                let found =
                    positions_in_span(span, (self.query, self.within), self.images, self.with_fens, self.with_hashes);
                if self.with_annotations { annotate(span, found) } else { found }
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
            annotations: None,
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
            let (game, ply, hash) = (game.id.number(), position.ply.0, board.hash);
            found.push(ListedPosition { game, ply, fen, images, hash, annotations: None });
        }
    }
    found
}

/// The positions of a span, in order, with what the texts say of them.
fn annotate(span: &GameSpan<'_>, mut positions: Vec<ListedPosition>) -> Vec<ListedPosition> {
    let mut columns = AnnotationColumns::default();
    for of_game in positions.chunk_by_mut(|one, other| one.game == other.game) {
        let number = of_game[0].game - 1;
        let Some(index) = span.index_of(GameId(number as u32)) else { continue };
        let game = span.game(index);
        let annotated = game.annotated(game.start_board().side_to_move());
        columns.start_game();
        for position in of_game {
            position.annotations = Some(annotations_at(&mut columns, &annotated, position.ply));
        }
    }
    positions
}

fn annotations_at(columns: &mut AnnotationColumns, game: &AnnotatedGame<'_>, ply: u32) -> PositionAnnotations {
    let Some(index) = (ply as usize).checked_sub(1).filter(|&index| index < game.plies) else {
        return PositionAnnotations::default();
    };
    let side = if game.is_blacks(index) { Color::Black } else { Color::White };
    let mut number = |number| Some(columns.column(number, game)[index]).filter(|&value| value != UNKNOWN);
    let (eval, clock) = (number(AnnotationNumber::Eval), number(AnnotationNumber::ClockTime(side)));
    let judgement = match columns.judgements(game)[index] {
        judged if judged == Judgement::Inaccuracy as u8 => Some("inaccuracy"),
        judged if judged == Judgement::Mistake as u8 => Some("mistake"),
        judged if judged == Judgement::Blunder as u8 => Some("blunder"),
        _ => None,
    };
    PositionAnnotations { eval, clock, judgement }
}
