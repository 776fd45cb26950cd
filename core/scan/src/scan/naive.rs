//! The naive scan is the slow twin of the fold, simple enough to be obviously right.
//!
//! It maintains the whole board, tests every predicate anew after every ply and stores the trace of a game. Then it reads windows
//! and gates off the trace by their definitions. It never stops early and has no access path but the board. Tests compare the two
//! scans on random queries and games; nothing else uses the naive one.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_board::board::Board;
use plyfold_board::board::history::PositionHistory;
use plyfold_board::board::make::FullState;
use plyfold_board::irreversible::EventStreamBuffer;
use plyfold_board::moves::Move;
use shakmaty::Role;

use super::combine::{BitSet, Formula};
use super::evidence::EvidenceTree;
use super::predicate::{NamedPieces, PlayedPly};
use super::reducer::{Matches, MatchingPosition, Reducer, ScanMatch};
use super::{ConditionEdge, GameInSpan, Occurrence, Query, ScanCondition, first_half_move};
use crate::game::{Game, GameSpan, Ply};

/// Scans all games and returns what [`fold::scan`](super::fold::scan) must return.
pub fn scan<R: Reducer>(spans: &[GameSpan<'_>], query: &Query, mut reducer: R) -> R {
    for (span, nth, game) in
        spans.iter().flat_map(|span| (0..).zip(span.games()).map(move |(nth, game)| (span, nth, game)))
    {
        let mut in_span = GameInSpan::new(span, nth);
        let start = game.start_board();
        let first = first_half_move(&start);
        let played = played_plies(&start, game.moves);
        let (mut verdict, mut matching) = (false, vec![false; game.moves.len() + 1]);
        for choice in piece_choices(query, &game, &start) {
            let mut pieces: Vec<usize> = start_pieces(&start);
            let mut trace = Vec::new();
            replay(&game, &start, |ply, board| {
                let (moved, captured) = if ply > 0 { follow(&mut pieces, game.moves[ply - 1]) } else { (64, 64) };
                let before = in_span.named;
                in_span.named = named_pieces(&choice, &pieces, (moved, captured));
                if ply > 0 {
                    leave_squares(&before, &mut in_span.named);
                }
                trace.push(query.evaluate_predicates(board, &mut in_span, (&played, ply), first));
            });
            let of_game = GameTrace::new(query, &trace, first);
            verdict |= query.verdict.holds(&of_game.fulfilled);
            matching.iter_mut().zip(of_game.matching_plies()).for_each(|(any, one)| *any |= one);
        }
        let mut words = vec![0u64; game.moves.len().div_ceil(64)];
        replay(&game, &start, |ply, board| {
            if ply > 0 && matching[ply] {
                words[(ply - 1) / 64] |= 1 << ((ply - 1) % 64);
                reducer.position(&MatchingPosition { game: &game, board, ply: Ply::after_moves(ply) });
            }
        });
        let mut courses = EventStreamBuffer::default();
        courses.push_game(&start, game.moves);
        let matches = Matches::from_words(&words, game.moves.len());
        if verdict || matches.count() > 0 {
            let course = courses.as_streams();
            reducer.game(&ScanMatch {
                span,
                game_in_span: nth,
                game: &game,
                start_board: &start,
                event_streams: course,
                matches,
                verdict,
            });
        }
    }
    reducer
}

/// Returns whether the start position of a game of a span matches, by what holds there for some choice of pieces.
pub fn start_matches(query: &Query, span: &GameSpan<'_>, nth: u32) -> bool {
    let game = span.game(nth);
    let start = game.start_board();
    let mut in_span = GameInSpan::new(span, nth);
    let mut matches = |choice: &Vec<usize>| {
        in_span.named = named_pieces(choice, &start_pieces(&start), (64, 64));
        let tested = query.evaluate_predicates(&start, &mut in_span, (&[], 0), first_half_move(&start));
        query.position_verdict.holds_where(&|n| query.conditions[usize::from(n)].formula.holds(&tested))
    };
    query.evidence.is_none() && piece_choices(query, &game, &start).iter().any(&mut matches)
}

/// Returns the plies of a game with what each captures, as the board before it shows.
fn played_plies(start: &Board, moves: &[Move]) -> Vec<PlayedPly> {
    let mut board = start.clone();
    let played = moves.iter().map(|&mv| {
        let mover = board.side_to_move();
        let captured = match () {
            () if mv.is_en_passant() => Some(Role::Pawn),
            () if mv.is_castling() || mv.is_null() => None,
            () => board.mailbox[mv.target()].role(),
        };
        board.make::<FullState>(mv);
        PlayedPly { mv, mover, captured }
    });
    played.collect()
}

/// Returns, by square, which piece stands there: the square on which it began, or 64 for none.
fn start_pieces(start: &Board) -> Vec<usize> {
    (0..64).map(|square| if start.mailbox[square].role().is_some() { square } else { 64 }).collect()
}

/// Moves a piece among the pieces by square. Returns the piece that has moved and the one that it has captured.
fn follow(pieces: &mut [usize], mv: Move) -> (usize, usize) {
    let (from, to) = (mv.origin(), mv.target());
    if mv.is_null() {
        return (64, 64);
    }
    if mv.is_castling() {
        let (king, rook) = (pieces[from], pieces[to]);
        (pieces[from], pieces[to]) = (64, 64);
        let is_short = to > from;
        (pieces[from / 8 * 8 + if is_short { 6 } else { 2 }], pieces[from / 8 * 8 + if is_short { 5 } else { 3 }]) =
            (king, rook);
        return (king, 64);
    }
    let capture = if mv.is_en_passant() { from / 8 * 8 + to % 8 } else { to };
    let (moved, captured) = (pieces[from], pieces[capture]);
    (pieces[from], pieces[capture]) = (64, 64);
    pieces[to] = moved;
    (moved, captured)
}

/// Returns what the pieces that a choice gives to the names do at a position.
fn named_pieces(choice: &[usize], pieces: &[usize], (moved, captured): (usize, usize)) -> NamedPieces {
    let mut named = NamedPieces::default();
    for (nth, &piece) in choice.iter().enumerate().filter(|(_, piece)| **piece < 64) {
        named.squares[nth] = (0..64).filter(|&square| pieces[square] == piece).map(|square| 1u64 << square).sum();
        named.moved |= u8::from(moved == piece) << nth;
        named.captured |= u8::from(captured == piece) << nth;
    }
    named
}

/// Adds the squares that the pieces have left since the position before.
fn leave_squares(before: &NamedPieces, now: &mut NamedPieces) {
    now.left = before.left;
    for (nth, left) in now.left.iter_mut().enumerate() {
        let (from, to) = (before.squares[nth], now.squares[nth]);
        if to != 0 && to != from {
            (left.trail, left.origin) = (left.trail | from, from);
        }
    }
}

/// Returns every choice of a piece for each name: one that stands at some position where the name is introduced, or 64 if there
/// is none.
fn piece_choices(query: &Query, game: &Game<'_>, start: &Board) -> Vec<Vec<usize>> {
    let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
    for domain in &query.names {
        let (mut pieces, mut found) = (start_pieces(start), vec![false; 64]);
        replay(game, start, |ply, board| {
            if ply > 0 {
                follow(&mut pieces, game.moves[ply - 1]);
            }
            for (square, &piece) in pieces.iter().enumerate().filter(|(_, piece)| **piece < 64) {
                found[piece] |= domain.places.iter().any(|place| place.on_board(board) >> square & 1 != 0);
            }
        });
        let mut possible: Vec<usize> = (0..64).filter(|&piece| found[piece]).collect();
        if possible.is_empty() {
            possible.push(64);
        }
        let extend = |choice: &Vec<usize>| possible.iter().map(|&piece| [&choice[..], &[piece]].concat()).collect();
        choices = choices.iter().flat_map::<Vec<Vec<usize>>, _>(extend).collect();
    }
    choices
}

/// Shows the board before the first ply of a game and after each.
fn replay(game: &Game<'_>, start: &Board, mut show: impl FnMut(usize, &Board)) {
    let mut board = start.clone();
    let mut history = PositionHistory::starting_at(&mut board);
    show(0, &board);
    for (ply, &mv) in (1..).zip(game.moves) {
        board.make::<FullState>(mv);
        history.push(&mut board);
        show(ply, &board);
    }
}

/// The trace of a game: the predicates that hold before its first ply and after each, and what follows for the conditions.
pub(super) struct GameTrace<'a> {
    query: &'a Query,
    trace: &'a [BitSet],
    /// By condition and ply from 0: whether the ply counts for the condition.
    hits: Vec<Vec<bool>>,
    /// By condition and ply from 0: whether the condition is fulfilled there.
    fulfilled_at: Vec<Vec<bool>>,
    /// The conditions that the game fulfils.
    pub fulfilled: BitSet,
}

impl<'a> GameTrace<'a> {
    pub fn new(query: &'a Query, trace: &'a [BitSet], first_half_move: u32) -> GameTrace<'a> {
        // Ply 0 is before the first move: conditions on headers are fulfilled there, and some others may be.
        let (mut all_hits, mut fulfilled_at): (Vec<Vec<bool>>, Vec<Vec<bool>>) = (Vec::new(), Vec::new());
        for condition in &query.conditions {
            let open = |ply: usize| match condition.gate {
                None => true,
                Some(gate) => {
                    let gate = &query.gates[usize::from(gate)];
                    let earliest = gate.open_for.map_or(0, |limit| ply.saturating_sub(limit as usize));
                    (earliest..ply).any(|before| gate_opens_at(&gate.opens_after, &fulfilled_at, before))
                }
            };
            let (hits, fulfilled) = hits_and_fulfilled_plies(condition, trace, first_half_move, open);
            all_hits.push(hits);
            fulfilled_at.push(fulfilled);
        }
        let fulfilled = (0..).zip(&fulfilled_at).filter(|(_, fires)| fires.contains(&true)).map(|(n, _)| n).collect();
        GameTrace { query, trace, hits: all_hits, fulfilled_at, fulfilled }
    }

    /// Returns, by ply from 0, whether the position matches.
    pub fn matching_plies(&self) -> Vec<bool> {
        let Some(tree) = &self.query.evidence else {
            let holds = |n: u16, bits: &BitSet| self.query.conditions[usize::from(n)].formula.holds(bits);
            let matches = |bits: &BitSet| self.query.position_verdict.holds_where(&|n| holds(n, bits));
            return self.trace.iter().map(matches).collect();
        };
        if self.query.verdict.holds(&self.fulfilled) {
            self.evidence(tree, None)
        } else {
            vec![false; self.trace.len()]
        }
    }

    /// Returns, by ply from 0, whether it is evidence of a part that is fulfilled, for all of its fulfilment or `among` some plies.
    fn evidence(&self, tree: &EvidenceTree, among: Option<&[bool]>) -> Vec<bool> {
        let plies = || 0..self.trace.len();
        let is_among = |ply: usize| among.is_none_or(|among| among[ply]);
        match tree {
            EvidenceTree::Nowhere => plies().map(|_| false).collect(),
            EvidenceTree::EveryPly => plies().map(|ply| ply > 0).collect(),
            EvidenceTree::Counted(n) => self.hits[usize::from(*n)].clone(),
            EvidenceTree::Condition(n) => {
                let (hits, fulfilled) = (&self.hits[usize::from(*n)], &self.fulfilled_at[usize::from(*n)]);
                let used = |end: usize| fulfilled[end] && is_among(end);
                let is_evidence = |ply: usize| match self.query.conditions[usize::from(*n)].window.occurrence {
                    Occurrence::Header => false,
                    // The start position may count, and is never evidence.
                    _ if ply == 0 => false,
                    Occurrence::Once => used(ply),
                    Occurrence::Consecutive(least) => {
                        plies().any(|end| used(end) && ply <= end && end < ply + least as usize)
                    }
                    Occurrence::Total(_) => hits[ply] && plies().any(|end| used(end) && ply <= end),
                };
                plies().map(is_evidence).collect()
            }
            EvidenceTree::All(parts) => self.union(parts.iter().map(|part| {
                let mine = self.fulfilments(part);
                let of_others = |ply: usize| plies().any(|other| ply < other && is_among(other) && !mine[other]);
                let among = among
                    .map(|among| plies().map(|ply| mine[ply] && (among[ply] || of_others(ply))).collect::<Vec<_>>());
                self.evidence(part, among.as_deref())
            })),
            EvidenceTree::SomeOf(least, parts) => {
                // Each choice of so many parts, as if it were written out.
                let chosen: Vec<&EvidenceTree> = self.chosen(parts).collect();
                self.union(choices_of(&chosen, *least).into_iter().map(|parts| {
                    let all = EvidenceTree::All(parts.into_iter().cloned().collect());
                    let mine = self.fulfilments(&all);
                    let among = among.map(|among| plies().map(|ply| mine[ply] && among[ply]).collect::<Vec<_>>());
                    self.evidence(&all, among.as_deref())
                }))
            }
            EvidenceTree::Then { first, within, second } => {
                let later = self.evidence(second, among);
                let mine = self.fulfilments(first);
                let follows =
                    |ply: usize, end: usize| ply < end && within.is_none_or(|limit| end - ply <= limit as usize);
                let leads = |ply: usize| mine[ply] && plies().any(|end| later[end] && follows(ply, end));
                let among = later.contains(&true).then(|| plies().map(leads).collect::<Vec<_>>());
                self.union([self.evidence(first, among.as_deref()), later].into_iter())
            }
        }
    }

    fn union(&self, parts: impl Iterator<Item = Vec<bool>>) -> Vec<bool> {
        parts.fold(vec![false; self.trace.len()], |all, part| {
            all.iter().zip(part).map(|(one, other)| *one || other).collect()
        })
    }

    /// Returns, by ply from 0, whether a part is fulfilled anew there.
    fn fulfilments(&self, tree: &EvidenceTree) -> Vec<bool> {
        let at = |ply: usize| self.is_fulfilled_now(tree, ply) && self.is_fulfilled_by(tree, ply);
        (0..self.trace.len()).map(|ply| ply > 0 && at(ply)).collect()
    }

    fn is_fulfilled_now(&self, tree: &EvidenceTree, ply: usize) -> bool {
        match tree {
            EvidenceTree::Nowhere | EvidenceTree::EveryPly => ply == 0,
            EvidenceTree::Counted(_) => false,
            EvidenceTree::Condition(n) => self.fulfilled_at[usize::from(*n)][ply],
            EvidenceTree::All(parts) => {
                parts.iter().any(|part| self.is_fulfilled_now(part, ply)) && self.is_fulfilled_by(tree, ply)
            }
            EvidenceTree::SomeOf(_, parts) => {
                self.chosen(parts).any(|part| self.is_fulfilled_now(part, ply)) && self.is_fulfilled_by(tree, ply)
            }
            EvidenceTree::Then { second, .. } => self.is_fulfilled_now(second, ply),
        }
    }

    fn is_fulfilled_by(&self, tree: &EvidenceTree, ply: usize) -> bool {
        match tree {
            EvidenceTree::All(parts) => parts.iter().all(|part| self.is_fulfilled_by(part, ply)),
            EvidenceTree::SomeOf(least, parts) => {
                self.chosen(parts).filter(|part| self.is_fulfilled_by(part, ply)).count() >= *least
            }
            EvidenceTree::Then { second, .. } => self.is_fulfilled_by(second, ply),
            tree => (0..=ply).any(|before| self.is_fulfilled_now(tree, before)),
        }
    }

    fn chosen<'t>(&self, parts: &'t [(Formula, EvidenceTree)]) -> impl Iterator<Item = &'t EvidenceTree> {
        parts.iter().filter(|(verdict, _)| verdict.holds(&self.fulfilled)).map(|(_, part)| part)
    }
}

/// Returns every choice of so many parts.
fn choices_of<'t>(parts: &[&'t EvidenceTree], least: usize) -> Vec<Vec<&'t EvidenceTree>> {
    match parts {
        _ if least == 0 => vec![Vec::new()],
        [first, rest @ ..] => {
            let with_first = choices_of(rest, least - 1).into_iter().map(|others| [&[*first][..], &others].concat());
            with_first.chain(choices_of(rest, least)).collect()
        }
        [] => Vec::new(),
    }
}

/// Returns, by ply from 0, whether it counts for `condition`, and whether `condition` is fulfilled there.
fn hits_and_fulfilled_plies(
    condition: &ScanCondition,
    trace: &[BitSet],
    first_half_move: u32,
    gate_is_open: impl Fn(usize) -> bool,
) -> (Vec<bool>, Vec<bool>) {
    let plies = trace.len() - 1;
    let window = &condition.window;
    let holds = |ply: usize| condition.formula.holds(&trace[ply]);
    let fails = |ply: usize| match &condition.contrary {
        Some(contrary) => contrary.holds(&trace[ply]),
        None => !holds(ply),
    };
    let counts_at_start =
        || window.counts_start && window.edge.is_none() && window.plies.holds_at_start(first_half_move);
    let is_hit = |ply: usize| {
        if ply == 0 {
            return counts_at_start() && window.phase.holds(&trace[0]) && gate_is_open(0) && holds(0);
        }
        window.plies.holds(ply, plies, first_half_move)
            && window.phase.holds(&trace[ply])
            && gate_is_open(ply)
            && match window.edge {
                None => holds(ply),
                Some(ConditionEdge::Became) => holds(ply) && fails(ply - 1),
                Some(ConditionEdge::Ceased) => fails(ply) && holds(ply - 1),
            }
    };
    let is_fulfilled_at = |ply: usize| match window.occurrence {
        Occurrence::Header => ply == 0 && holds(0),
        Occurrence::Once => is_hit(ply),
        Occurrence::Consecutive(least) => ply + 1 >= least as usize && (ply + 1 - least as usize..=ply).all(is_hit),
        Occurrence::Total(least) => is_hit(ply) && (0..=ply).filter(|&ply| is_hit(ply)).count() >= least as usize,
    };
    let counts = |ply: usize| ply > 0 && window.occurrence != Occurrence::Header && is_hit(ply);
    ((0..=plies).map(counts).collect(), (0..=plies).map(is_fulfilled_at).collect())
}

/// Returns whether a gate opens after `ply`: its formula is fulfilled by then, and its last part exactly then.
fn gate_opens_at(opens_after: &Formula, fulfilled_at: &[Vec<bool>], ply: usize) -> bool {
    fulfilled_now(opens_after, fulfilled_at, ply) && (fulfilled_by(opens_after, fulfilled_at, ply))
}

/// Returns whether the formula is fulfilled anew at `ply`, by at least one of its conditions.
fn fulfilled_now(opens_after: &Formula, fulfilled_at: &[Vec<bool>], ply: usize) -> bool {
    match opens_after {
        Formula::Bit(n) => fulfilled_at[usize::from(*n)][ply],
        Formula::And(parts) => {
            parts.iter().any(|part| fulfilled_now(part, fulfilled_at, ply))
                && fulfilled_by(opens_after, fulfilled_at, ply)
        }
        Formula::Or(parts) => parts.iter().any(|part| fulfilled_now(part, fulfilled_at, ply)),
        Formula::SomeOf(_, parts) => {
            parts.iter().any(|part| fulfilled_now(part, fulfilled_at, ply))
                && fulfilled_by(opens_after, fulfilled_at, ply)
        }
        Formula::True => ply == 0,
        Formula::Not(_) => false,
    }
}

/// Returns whether the formula has been fulfilled by `ply`.
fn fulfilled_by(opens_after: &Formula, fulfilled_at: &[Vec<bool>], ply: usize) -> bool {
    match opens_after {
        Formula::Bit(n) => fulfilled_at[usize::from(*n)][..=ply].contains(&true),
        Formula::And(parts) => parts.iter().all(|part| fulfilled_by(part, fulfilled_at, ply)),
        Formula::Or(parts) => parts.iter().any(|part| fulfilled_by(part, fulfilled_at, ply)),
        Formula::SomeOf(least, parts) => {
            parts.iter().filter(|part| fulfilled_by(part, fulfilled_at, ply)).count() >= *least
        }
        Formula::True => true,
        Formula::Not(_) => false,
    }
}
