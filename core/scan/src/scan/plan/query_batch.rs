//! A query batch holds queries of one scan that share their predicates, so that each access path is read once for all of them.

use alloc::vec::Vec;

use crate::scan::combine::Formula;
use crate::scan::predicate::PositionPredicate;
use crate::scan::{Query, ScanCondition};

/// The most queries of a batch, and the most predicates of several; each has one bit of a word. A query with more predicates has
/// a batch of its own.
const MAX_PREDICATES: usize = 64;

/// A query and what a scan must find for it.
#[derive(Clone, Copy)]
pub struct ScanRequest<'q> {
    /// The query.
    pub query: &'q Query,
    /// The games to search, all if there is no subset: game `id` if bit `id % 64` of word `id / 64` is set.
    pub subset: Option<&'q [u64]>,
    /// Whether the reducer needs positions. If not, the scan leaves a game as soon as the verdict is settled.
    pub wants_positions: bool,
}

/// Queries that a scan tests together, so that each access path is read once for all of them.
#[derive(Clone, Debug)]
pub struct SharedPlan {
    /// Their indices among the queries that were given.
    pub queries: Vec<usize>,
    /// The predicates of all of them, each once. A query uses those that it has itself.
    pub predicates: Vec<PositionPredicate>,
}

/// Tells which of these queries one scan tests together: all, unless they have more than 64 predicates or are more than 64.
pub fn shared_plans(queries: &[&Query]) -> Vec<SharedPlan> {
    let requests: Vec<ScanRequest<'_>> =
        queries.iter().map(|query| ScanRequest { query, subset: None, wants_positions: false }).collect();
    let shared = QueryBatch::partition(&requests).into_iter().map(|batch| SharedPlan {
        predicates: batch.queries.first().map_or(Vec::new(), |(_, _, query)| query.predicates.clone()),
        queries: batch.queries.iter().map(|(nth, ..)| *nth).collect(),
    });
    shared.collect()
}

/// Queries over the same predicates, each with its index among the requests.
pub(in crate::scan) struct QueryBatch<'q> {
    pub queries: Vec<(usize, ScanRequest<'q>, Query)>,
}

impl<'q> QueryBatch<'q> {
    /// Puts the queries into batches whose predicates and queries fit.
    pub fn partition(requests: &[ScanRequest<'q>]) -> Vec<QueryBatch<'q>> {
        let mut batches: Vec<(Vec<PositionPredicate>, QueryBatch<'q>)> = Vec::new();
        for (nth, &request) in requests.iter().enumerate() {
            let query_predicates = &request.query.predicates;
            let has_room = |(predicates, fused): &(Vec<PositionPredicate>, QueryBatch<'q>)| {
                let new = query_predicates.iter().filter(|one| !predicates.contains(one)).count();
                predicates.len() + new <= MAX_PREDICATES && fused.queries.len() < MAX_PREDICATES
            };
            let at = batches.iter().position(has_room).unwrap_or_else(|| {
                batches.push((Vec::new(), QueryBatch { queries: Vec::new() }));
                batches.len() - 1
            });
            let (predicates, fused) = &mut batches[at];
            let index_of = |one: &PositionPredicate| {
                predicates.iter().position(|other| other == one).unwrap_or_else(|| {
                    predicates.push(one.clone());
                    predicates.len() - 1
                })
            };
            let indices: Vec<u16> = query_predicates.iter().map(index_of).map(|n| n as u16).collect();
            fused.queries.push((nth, request, with_predicate_indices(request.query, &indices)));
        }
        let shared = batches.into_iter().map(|(predicates, mut fused)| {
            fused.queries.iter_mut().for_each(|(_, _, query)| query.predicates.clone_from(&predicates));
            fused
        });
        shared.collect()
    }
}

/// The query with its predicates renumbered.
fn with_predicate_indices(query: &Query, indices: &[u16]) -> Query {
    let mut query = query.clone();
    for ScanCondition { formula, contrary, window, .. } in &mut query.conditions {
        for formula in [formula, &mut window.phase].into_iter().chain(contrary) {
            *formula = formula.replace_bits(&|n, _| Formula::Bit(indices[usize::from(n)]));
        }
    }
    query
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use core::ops::Range;

    use plyfold_board::board::PieceCode;

    use super::*;
    use crate::scan::predicate::{BoardQuantity, NumberComparison, SumComparison, WeightedTerm};

    /// A query with one distinct predicate for each of these numbers.
    fn asking(numbers: Range<i64>) -> Query {
        let pawns = |constant| {
            let terms = [WeightedTerm { weight: 1, quantity: BoardQuantity::PieceCount(PieceCode::WHITE_PAWN) }].into();
            SumComparison { terms, comparison: NumberComparison::Equal, constant }.into()
        };
        let predicates: Vec<PositionPredicate> = numbers.map(pawns).collect();
        let formula = Formula::Or((0..predicates.len() as u16).map(Formula::Bit).collect());
        let conditions = [ScanCondition::at_any_ply(formula)].into();
        let verdict = Formula::Bit(0);
        Query { predicates, conditions, position_verdict: verdict.clone(), verdict, ..Query::match_all() }
    }

    fn batch_sizes(queries: &[Query]) -> Vec<(usize, usize)> {
        let requests: Vec<ScanRequest<'_>> =
            queries.iter().map(|query| ScanRequest { query, subset: None, wants_positions: false }).collect();
        let batches = QueryBatch::partition(&requests);
        // Each query is in one batch and uses there the same predicates as before.
        let mut seen: Vec<usize> = Vec::new();
        for (nth, request, query) in batches.iter().flat_map(|batch| &batch.queries) {
            seen.push(*nth);
            let asked = |query: &Query| -> Vec<PositionPredicate> {
                let bits = query.used_predicates();
                let used = query.predicates.iter().enumerate().filter(|(n, _)| bits.contains(*n as u16));
                let mut used: Vec<_> = used.map(|(_, one)| one.clone()).collect();
                used.sort_by_key(|one| format!("{one:?}"));
                used
            };
            assert_eq!(asked(query), asked(request.query));
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..queries.len()).collect::<Vec<_>>());
        let size = |batch: &QueryBatch<'_>| (batch.queries.len(), batch.queries[0].2.predicates.len());
        batches.iter().map(size).collect()
    }

    #[test]
    fn queries_share_a_batch_as_long_as_their_predicates_fit() {
        assert_eq!(batch_sizes(&[asking(0..1), asking(0..1), asking(1..2)]), [(3, 2)]);
        assert_eq!(batch_sizes(&[asking(0..40), asking(40..64)]), [(2, 64)]);
        assert_eq!(batch_sizes(&[asking(0..40), asking(40..65)]), [(1, 40), (1, 25)]);
        assert_eq!(batch_sizes(&[asking(0..40), asking(20..64), asking(10..50)]), [(3, 64)]);
        assert_eq!(batch_sizes(&[asking(0..60), asking(60..70), asking(60..64)]), [(2, 64), (1, 10)]);
        // A query with more predicates is alone.
        assert_eq!(
            batch_sizes(&[asking(0..1), asking(0..200), asking(1..2), asking(0..200)]),
            [(2, 2), (1, 200), (1, 200)]
        );
        // The number of queries of a batch is limited too.
        assert_eq!(batch_sizes(&alloc::vec![asking(0..1); 130]), [(64, 1), (64, 1), (2, 1)]);
    }
}
