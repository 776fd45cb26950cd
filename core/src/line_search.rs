//! Finds where games are in the lines of a repertoire, and where they leave them.
//!
//! A game leaves the lines at the last of their positions that it has, so an order of moves that transposes does not leave them. It does not
//! leave them either where the lines end, or where the game does.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use plyfold_board::board::make::HashOnly;
use plyfold_board::moves::Move;
use plyfold_pgn::LineTree;
use plyfold_reduce::game_set::GameSet;
use plyfold_reduce::{ReducerSelection, run_query};
use plyfold_scan::game::{Game, GameSpan};
use plyfold_scan::scan::Query;
use plyfold_scan::scan::fold::{ScanCancelled, ScanObserver};
use plyfold_scan::scan::predicate::FoundPlies;

/// How a game and lines went apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineParting {
    /// The game has no position of the lines.
    Never,
    /// The game ended within them.
    Ended,
    /// The line ended before the game.
    LineEnded,
    /// A move left the lines.
    Left {
        /// The hash of the position in which it was played.
        position: u64,
        /// The ply of the move, from 1.
        ply: u16,
        /// The move.
        mv: Move,
    },
}

/// The plies of games that tests of lines ask for.
#[derive(Clone, Default, Debug)]
struct LinePlies {
    /// Those with a position of the lines.
    inside: FoundPlies,
    /// Those at which a move left them.
    left: FoundPlies,
}

/// Games that one thread replays at a time.
const BATCH_GAMES: u32 = 4096;

/// How a game and lines went apart. `visit` gets each ply, from 1, with a position of the lines.
pub fn line_parting(game: &Game<'_>, lines: &LineTree, visit: &mut dyn FnMut(u16)) -> LineParting {
    let mut board = game.start_board();
    let mut last = lines.get(board.hash).map(|position| (position, 0));
    // A game has at most 65,535 plies.
    for (ply, &mv) in (1..=u16::MAX).zip(game.moves) {
        board.make::<HashOnly>(mv);
        if let Some(position) = lines.get(board.hash) {
            last = Some((position, ply));
            visit(ply);
        }
    }
    let Some((position, ply)) = last else { return LineParting::Never };
    match game.moves.get(usize::from(ply)) {
        None => LineParting::Ended,
        Some(_) if position.moves.is_empty() => LineParting::LineEnded,
        Some(&mv) => LineParting::Left { position: position.board.hash, ply: ply + 1, mv },
    }
}

impl LinePlies {
    /// Adds those of later games.
    fn append(&mut self, later: LinePlies) {
        self.inside.append(later.inside);
        self.left.append(later.left);
    }
}

/// The games whose lines can change the result of a query: those that match the rest of it, whatever their tags and comments are.
/// Sets and tables must be bound before.
///
/// # Errors
///
/// [`ScanCancelled`] by `watch`.
pub fn line_candidates(
    query: &Query,
    spans: &[GameSpan<'_>],
    watch: &dyn ScanObserver,
) -> Result<GameSet, ScanCancelled> {
    let rest = query.without_lines().without_tags().without_comments(false);
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    let games = spans.iter().map(|span| span.first_game.0 + span.len()).max().unwrap_or(0);
    Ok(run_query(spans, &rest, &selection, watch)?.games.unwrap_or_else(|| GameSet::all(games)))
}

/// Binds a query to the lines that it names, in the games of `spans`, which have their moves and records; lines that are not there have no
/// positions. Sets and tables must be bound before. Only the [candidates](line_candidates) are replayed, on all threads of the current rayon
/// pool with feature `rayon`.
///
/// # Errors
///
/// [`ScanCancelled`] by `watch`.
pub fn bind_lines(
    query: &mut Query,
    spans: &[GameSpan<'_>],
    lines: &BTreeMap<String, Arc<LineTree>>,
    watch: &dyn ScanObserver,
) -> Result<(), ScanCancelled> {
    if query.line_names().is_empty() {
        return Ok(());
    }
    let games = line_candidates(query, spans, &())?;
    let batches: Vec<GameSpan<'_>> = spans.iter().flat_map(|span| span.split(BATCH_GAMES)).collect();
    let of_batch = |batch: &GameSpan<'_>| {
        let plies: Vec<LinePlies> = lines.values().map(|lines| line_plies(batch, lines, &games)).collect();
        if watch.advance(batch.len()) { Ok(plies) } else { Err(ScanCancelled) }
    };
    #[cfg(feature = "rayon")]
    let of_batches: Vec<_> = rayon::iter::ParallelIterator::collect(rayon::iter::ParallelIterator::map(
        rayon::iter::IntoParallelRefIterator::par_iter(&batches),
        of_batch,
    ));
    #[cfg(not(feature = "rayon"))]
    let of_batches = batches.iter().map(of_batch);
    let mut all: Vec<LinePlies> = lines.values().map(|_| LinePlies::default()).collect();
    for plies in of_batches {
        all.iter_mut().zip(plies?).for_each(|(all, later)| all.append(later));
    }
    let shared = |plies: LinePlies| [Arc::new(plies.inside), Arc::new(plies.left)];
    let found: BTreeMap<&str, [Arc<FoundPlies>; 2]> =
        lines.keys().map(String::as_str).zip(all.into_iter().map(shared)).collect();
    query.bind_lines(|name, is_left| {
        found.get(name).map_or_else(Arc::default, |plies| Arc::clone(&plies[usize::from(is_left)]))
    });
    Ok(())
}

/// The plies of the games of a span that are in `within`. The span has its moves and its records.
fn line_plies(span: &GameSpan<'_>, lines: &LineTree, within: &GameSet) -> LinePlies {
    let mut plies = LinePlies::default();
    for game in span.games().filter(|game| within.contains(game.id)) {
        let parting = line_parting(&game, lines, &mut |ply| plies.inside.push(game.id.0, ply));
        if let LineParting::Left { ply, .. } = parting {
            plies.left.push(game.id.0, ply);
        }
    }
    plies
}
