//! An opening tree: what was played from a position on, so many plies deep, with the moves that enough games have.
//!
//! Positions that arise by several orders of moves are one position: a move counts all games that played it there, however they got there.
//! The games are followed twice. First each of their moves is counted in a table that is too small for all of them, so several may share a
//! place; only moves whose place has enough games are then counted exactly. The memory depends on that table and on the moves that are kept.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::hash::BuildHasherDefault;
use core::sync::atomic::{AtomicU16, Ordering};

use hashbrown::HashMap;
use plyfold_board::board::Board;
use plyfold_board::board::make::{FullState, HashOnly};
use plyfold_board::moves::Move;
use plyfold_scan::game::{Game, GameSpan};
use shakmaty::Color;

use super::game_set::GameSet;
use super::hash::{FibonacciHasher, hash};
use super::result_counts::ResultCounts;

/// What a tree is made of.
#[derive(Clone, Debug)]
pub struct TreeRequest {
    /// The position from which it grows.
    pub root: Board,
    /// The most plies from there.
    pub depth: u16,
    /// A move has at least so many games.
    pub least_games: u32,
}

/// A position of a tree.
#[derive(Clone, Debug)]
pub struct TreeNode {
    /// The position.
    pub board: Board,
    /// The moves from here, those of the most games first.
    pub moves: Vec<TreeMove>,
}

/// A move of a tree.
#[derive(Clone, Debug)]
pub struct TreeMove {
    /// The move.
    pub mv: Move,
    /// The games in which it was played here, by result.
    pub results: ResultCounts,
    /// The average rating of those who played it, of games in which it is known.
    pub rating: Option<u32>,
    /// The last year in which it was played, 0 if unknown.
    pub last_year: u32,
    /// The position after it, by its index among the nodes.
    pub node: usize,
    /// Whether the line goes on from here: of several moves that lead to a position, the one on the shortest way has the line, and of those the
    /// one of the most games.
    pub is_main_way: bool,
}

/// The positions of a tree; the first is its root, and each comes before those that are farther from it.
pub type OpeningTree = Vec<TreeNode>;

/// Counts the moves of games, span by span; spans may be counted on several threads.
pub struct TreeSketch<'r> {
    request: &'r TreeRequest,
    /// By the hash of a move at its position; full counts stay.
    places: Box<[AtomicU16]>,
}

/// The moves that may have enough games, by the hash of the position and the move.
#[derive(Default)]
pub struct TreeCounts {
    moves: HashMap<(u64, Move), MoveTotals, BuildHasherDefault<FibonacciHasher>>,
}

#[derive(Clone, Copy, Default)]
struct MoveTotals {
    results: ResultCounts,
    rating_sum: u64,
    rated: u32,
    last_year: u32,
}

impl<'r> TreeSketch<'r> {
    /// A sketch for about so many games. It takes two bytes for each of their plies within the depth, and 128 MiB at most.
    pub fn new(request: &'r TreeRequest, games: u64) -> TreeSketch<'r> {
        let plies = games.saturating_mul(request.depth.into()).clamp(1 << 12, 1 << 26);
        let places = (0..plies.next_power_of_two()).map(|_| AtomicU16::new(0)).collect();
        TreeSketch { request, places }
    }

    fn place(&self, position: u64, mv: Move) -> &AtomicU16 {
        &self.places[hash(position ^ hash(mv.bits().into())) as usize & (self.places.len() - 1)]
    }

    /// Looks at the games of a span that are in the set.
    pub fn look_at(&self, span: &GameSpan<'_>, set: &GameSet) {
        for game in span.games().filter(|game| set.contains(game.id)) {
            self.follow(&game, |position, mv| {
                // PERF: threads that count the same move may both read before one writes, so a place is never read to write it.
                let place = self.place(position, mv);
                if place.load(Ordering::Relaxed) < u16::MAX / 2 {
                    place.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    }

    /// Counts the moves of these games that may have enough, after all spans were looked at.
    pub fn count(&self, span: &GameSpan<'_>, set: &GameSet) -> TreeCounts {
        let mut counts = TreeCounts::default();
        let least = self.request.least_games.min((u16::MAX / 2).into()) as u16;
        let mut played: Vec<(u64, Move)> = Vec::new();
        for game in span.games().filter(|game| set.contains(game.id)) {
            played.clear();
            let mut mover = self.request.root.side_to_move();
            self.follow(&game, |position, mv| {
                let by = mover;
                mover = !mover;
                // A game that repeats a position counts once.
                if self.place(position, mv).load(Ordering::Relaxed) >= least && !played.contains(&(position, mv)) {
                    played.push((position, mv));
                    counts.moves.entry((position, mv)).or_default().add_game(&game, by);
                }
            });
        }
        counts
    }

    /// Calls `visit` with the position and the move of each ply within the depth from where the game first has the root.
    fn follow(&self, game: &Game<'_>, mut visit: impl FnMut(u64, Move)) {
        let root = self.request.root.hash;
        let mut board = game.start_board();
        let mut left = (board.hash == root).then_some(self.request.depth);
        for &mv in game.moves {
            match &mut left {
                Some(0) => return,
                Some(left) => {
                    *left -= 1;
                    visit(board.hash, mv);
                    board.make::<HashOnly>(mv);
                }
                None => {
                    board.make::<HashOnly>(mv);
                    left = (board.hash == root).then_some(self.request.depth);
                }
            }
        }
    }
}

impl MoveTotals {
    fn add_game(&mut self, game: &Game<'_>, mover: Color) {
        self.results.add_game(game.record.result() as usize);
        self.last_year = self.last_year.max(game.record.date.year());
        let rating = mover.fold_wb(game.record.white_elo, game.record.black_elo);
        self.rating_sum += u64::from(rating);
        self.rated += u32::from(rating > 0);
    }

    fn add(&mut self, other: &MoveTotals) {
        self.results.add(&other.results);
        self.rating_sum += other.rating_sum;
        self.rated += other.rated;
        self.last_year = self.last_year.max(other.last_year);
    }
}

impl TreeCounts {
    /// Adds what another span has.
    pub fn merge(&mut self, other: TreeCounts) {
        for (key, totals) in other.moves {
            self.moves.entry(key).or_default().add(&totals);
        }
    }

    /// The tree of the moves that have enough games.
    pub fn into_tree(self, request: &TreeRequest) -> OpeningTree {
        let mut of_position: HashMap<u64, Vec<(Move, MoveTotals)>, BuildHasherDefault<FibonacciHasher>> =
            HashMap::default();
        let is_enough = |totals: &MoveTotals| totals.results.games() >= request.least_games.max(1).into();
        for ((position, mv), totals) in self.moves.into_iter().filter(|(_, totals)| is_enough(totals)) {
            of_position.entry(position).or_default().push((mv, totals));
        }
        let mut tree = alloc::vec![TreeNode { board: request.root.clone(), moves: Vec::new() }];
        let mut known = BTreeMap::from([(request.root.hash, 0)]);
        let mut level = 0..1;
        for _ in 0..request.depth {
            for nth in level.clone() {
                let mut moves = of_position.remove(&tree[nth].board.hash).unwrap_or_default();
                moves.sort_by_key(|(mv, totals)| (Reverse(totals.results.games()), mv.bits()));
                for (mv, totals) in moves {
                    let mut board = tree[nth].board.clone();
                    board.make::<FullState>(mv);
                    let node = *known.entry(board.hash).or_insert_with(|| {
                        tree.push(TreeNode { board, moves: Vec::new() });
                        tree.len() - 1
                    });
                    let rating = (totals.rated > 0).then(|| (totals.rating_sum / u64::from(totals.rated)) as u32);
                    let MoveTotals { results, last_year, .. } = totals;
                    tree[nth].moves.push(TreeMove { mv, results, rating, last_year, node, is_main_way: false });
                }
            }
            choose_main_ways(&mut tree, level.clone(), level.end);
            level = level.end..tree.len();
        }
        tree
    }
}

/// Chooses for each node from `first_new` on, of the moves of this level that lead to it, the one of the most games.
fn choose_main_ways(tree: &mut OpeningTree, level: core::ops::Range<usize>, first_new: usize) {
    let mut best: BTreeMap<usize, (u64, usize, usize)> = BTreeMap::new();
    for nth in level {
        for (at, tree_move) in tree[nth].moves.iter().enumerate().filter(|(_, one)| one.node >= first_new) {
            let games = tree_move.results.games();
            let chosen = best.entry(tree_move.node).or_insert((games, nth, at));
            if games > chosen.0 {
                *chosen = (games, nth, at);
            }
        }
    }
    for (_, nth, at) in best.into_values() {
        tree[nth].moves[at].is_main_way = true;
    }
}
