//! Matching positions in the order of the corpus, each computed when it is needed.
//!
//! All threads scan and replay a few hundred games at a time. Their positions are passed on before the next games are taken,
//! so memory does not grow with the number of positions. Only `unique` stores something for each distinct position: its hash.

use clap::ValueEnum;
use plyfold_core::annotations::columns::{AnnotatedGame, AnnotationColumns, AnnotationNumber, UNKNOWN};
use plyfold_core::annotations::judgement::Judgement;
use plyfold_core::board::Board;
use plyfold_core::board::make::FullState;
use plyfold_core::game::{GameId, GameSpan};
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::matching_positions::{PositionRef, PositionSelection, SeenHashes};
use plyfold_core::reduce::{ReducerSelection, run_query_within};
use rayon::prelude::*;
use shakmaty::Color;

use crate::progress;
use crate::query_argument::CommandQuery;

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
    /// Returns whether it shows game and ply.
    pub fn has_ref(self) -> bool {
        matches!(self, PositionFormat::Ref | PositionFormat::Both)
    }

    /// Returns whether it shows the FEN.
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
#[derive(Default)]
pub struct ListedPosition {
    /// Number of its game, from 1.
    pub game: u64,
    /// Number of its ply, from 1.
    pub ply: u32,
    /// Its FEN, if requested.
    pub fen: Option<String>,
    /// The names of the images under which it was found, if the query has `under` transforms.
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
    query: &'a CommandQuery,
    within: Option<&'a GameSet>,
    /// How they are listed.
    pub form: PositionFormat,
    /// Whether what the texts say is added.
    pub with_annotations: bool,
    /// The bar that counts finished games.
    pub progress: Option<&'a progress::ScanProgress>,
    remaining: u64,
    /// The hashes of the positions so far, if each distinct position is listed once.
    seen: Option<SeenHashes>,
}

impl<'a> PositionStream<'a> {
    /// The first `limit` matching positions of the games of `spans` that are in `within`, if that is a set; if `unique`, each
    /// distinct position at its first occurrence.
    pub fn new(
        spans: &[GameSpan<'a>],
        query: &'a CommandQuery,
        within: Option<&'a GameSet>,
        form: PositionFormat,
        (unique, limit): (bool, Option<u64>),
    ) -> PositionStream<'a> {
        let batches: Vec<GameSpan<'_>> = spans.iter().flat_map(|span| span.split(GAMES_PER_BATCH)).collect();
        PositionStream {
            batches: batches.into_iter(),
            ready: Vec::new().into_iter(),
            query,
            within,
            form,
            with_annotations: false,
            progress: None,
            remaining: limit.unwrap_or(u64::MAX),
            seen: unique.then(SeenHashes::default),
        }
    }

    /// Returns whether positions come with the images under which they were found.
    pub fn has_images(&self) -> bool {
        self.query.images.is_some()
    }

    /// How many distinct positions were listed so far; `None` unless `unique`.
    pub fn distinct(&self) -> Option<u64> {
        self.seen.as_ref().map(SeenHashes::count)
    }

    /// Where the positions of a span match.
    fn places_in_span(&self, span: &GameSpan<'_>) -> Vec<PositionRef> {
        let selection =
            ReducerSelection { positions: Some(PositionSelection::default()), ..ReducerSelection::default() };
        let Ok(answers) = run_query_within(&[*span], &self.query.query, self.within, &selection, &()) else {
            unreachable!("a scan without a watcher is never cancelled");
        };
        answers.positions.unwrap_or_default()
    }

    /// The matching positions of one span.
    fn positions_in_span(&self, span: &GameSpan<'_>) -> Vec<ListedPosition> {
        let positions = self.places_in_span(span);
        let listed = |position: &PositionRef| ListedPosition {
            game: position.game.number(),
            ply: position.ply.0,
            ..ListedPosition::default()
        };
        if self.form == PositionFormat::Ref && self.seen.is_none() && !self.has_images() {
            return positions.iter().map(listed).collect();
        }
        let mut found = Vec::with_capacity(positions.len());
        replay(span, &positions, |board, position| {
            let fen = self.form.has_fen().then(|| board.fen().to_string());
            let images = self.query.images.as_ref().map(|images| images.matching_images(board));
            found.push(ListedPosition { fen, images, hash: board.hash, ..listed(position) });
        });
        found
    }
}

/// Visits the boards of positions of a span, which are in order.
fn replay(span: &GameSpan<'_>, positions: &[PositionRef], mut visit: impl FnMut(&Board, &PositionRef)) {
    let mut rest = positions;
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
            visit(&board, position);
        }
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
            let positions_of = |span: &GameSpan<'_>| {
                let found = self.positions_in_span(span);
                if self.with_annotations { annotate(span, found) } else { found }
            };
            let ready: Vec<Vec<ListedPosition>> = round.par_iter().map(positions_of).collect();
            if let Some(bar) = self.progress {
                bar.add_games(round.iter().map(GameSpan::len).sum());
            }
            self.ready = ready.into_iter().flatten().collect::<Vec<_>>().into_iter();
        }
    }
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
