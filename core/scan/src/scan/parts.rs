//! Finds the parts of a shard that a query reads, so that nothing else has to be fetched.
//!
//! The access paths of its predicates decide: a query whose predicates are tested along the event streams reads no moves.

use super::Query;
use super::evaluate::candidates::BATCH_GAMES;
use super::evaluate::game::GameEvaluator;
use super::evaluate::prepared::PreparedBatch;
use super::plan::ScanRequest;
use super::plan::query_batch::QueryBatch;
use super::plan::{AccessPath, PlannedPredicate};
use super::predicate::PositionPredicate;
use crate::game::{GameSpan, ShardParts};
use crate::headers::{HeaderTest, NameField};

/// The parts that the header tests of a query read.
#[must_use]
pub fn header_parts(query: &Query) -> ShardParts {
    query.predicates.iter().fold(ShardParts::NONE, |all, predicate| match predicate {
        PositionPredicate::Header(test) => all | parts_of_header_test(test),
        _ => all,
    })
}

/// The parts that a scan for a query reads: those of its header tests, and those of its access paths. The columns alone are enough for a
/// reducer that [takes batches of games](super::reducer::Reducer::takes_game_batches), if the query only tests them; others read the
/// records, too.
#[must_use]
pub fn parts_read(query: &Query) -> ShardParts {
    let planned = PlannedPredicate::plan_all(&query.predicates);
    let paths = planned.iter().map(|predicate| parts_of_path(predicate.access_path));
    let all = paths.fold(header_parts(query), ShardParts::union);
    let all = if is_decided_by_headers(query) { all } else { all | ShardParts::RECORDS };
    // What named pieces do is known from the moves alone.
    if query.names.is_empty() { all } else { all | parts_of_path(AccessPath::Followed) }
}

/// Whether a scan decides the query by its header tests, many games at a time.
fn is_decided_by_headers(query: &Query) -> bool {
    let request = ScanRequest { query, subset: None, wants_positions: false };
    let batches = QueryBatch::partition(&[request]);
    batches.iter().all(|batch| PreparedBatch::new(batch, &[]).queries.iter().all(|one| one.header_filter.is_some()))
}

/// Returns whether the headers of the games of a span rule out that any of them, or any of their positions if they are requested,
/// matches. Only [`header_parts`] of the span are read.
#[must_use]
pub fn headers_rule_out(query: &Query, wants_positions: bool, span: &GameSpan<'_>) -> bool {
    let request = ScanRequest { query, subset: None, wants_positions };
    let batches = QueryBatch::partition(&[request]);
    let spans = [*span];
    batches.iter().all(|batch| {
        let prepared = PreparedBatch::new(batch, &spans);
        let mut evaluator = GameEvaluator::new(&prepared);
        span.split(BATCH_GAMES).all(|games| !evaluator.headers_leave_games(&games))
    })
}

/// Stops a program that would get a wrong answer.
///
/// # Panics
///
/// If a span lacks a part that a request reads.
pub(super) fn assert_parts(spans: &[GameSpan<'_>], requests: &[ScanRequest<'_>]) {
    if spans.iter().all(|span| span.parts() == ShardParts::ALL) {
        return;
    }
    for request in requests {
        let read = parts_read(request.query);
        for parts in spans.iter().map(GameSpan::parts) {
            assert!(parts.contains(read), "a scan that reads {read:?} has only {parts:?}");
        }
    }
}

fn parts_of_header_test(test: &HeaderTest) -> ShardParts {
    let field = match test {
        HeaderTest::Name { field, .. } => field,
        HeaderTest::Incomplete => return ShardParts::RECORDS,
        // A shard without openings has the codes of the tags.
        HeaderTest::Eco(_) | HeaderTest::Opening(_) => return ShardParts::OPENINGS | ShardParts::COLUMNS,
        _ => return ShardParts::COLUMNS,
    };
    let names = match field {
        NameField::White | NameField::Black => ShardParts::PLAYERS,
        NameField::Event => ShardParts::EVENTS,
        NameField::Site => ShardParts::SITES,
        NameField::Source => ShardParts::SOURCES,
        NameField::Text(_) => ShardParts::HEADER_TEXTS,
    };
    names | ShardParts::COLUMNS
}

fn parts_of_path(path: AccessPath) -> ShardParts {
    match path {
        AccessPath::Header => ShardParts::NONE,
        AccessPath::PlyNumber => ShardParts::RECORDS,
        // The signatures would reject games early, but they are as large as the events that they save.
        AccessPath::MaterialEvents => ShardParts::MATERIAL_EVENTS,
        AccessPath::PawnFileEvents | AccessPath::PawnEvents | AccessPath::AllEvents | AccessPath::HalfmoveClock => {
            ShardParts::MATERIAL_EVENTS | ShardParts::PAWN_EVENTS
        }
        AccessPath::Annotations => ShardParts::ANNOTATIONS,
        AccessPath::Moves
        | AccessPath::TouchedSquares
        | AccessPath::GameEnds
        | AccessPath::Repetition
        | AccessPath::Checks
        | AccessPath::Motifs
        | AccessPath::Tables
        | AccessPath::Replay
        | AccessPath::Followed => {
            ShardParts::MOVES | ShardParts::MATERIAL_EVENTS | ShardParts::PAWN_EVENTS | ShardParts::SIGNATURES
        }
    }
}
