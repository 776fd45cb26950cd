//! Finds the words of a query for each of its predicates.

use plyfold_core::query::change::{ConditionChange, changed};
use plyfold_core::query::parse::parse;
use plyfold_core::query::plan::plan_part;
use plyfold_core::query::tree::QueryTree;
use plyfold_core::scan::Query;
use plyfold_core::scan::tables::BoundTables;

use super::wording::describe_part_of_position;
use crate::query_argument::OPENING_RESOLVER;

/// The words for each predicate of a query with this tree: those of the smallest part that needs it, with a side if it is about one side
/// alone.
pub(super) fn words_of_predicates(tree: &QueryTree, query: &Query, tables: &BoundTables) -> Vec<String> {
    let mut found = FoundWords { tree, query, tables, words: vec![None; query.predicates.len()] };
    tree.for_each_part(&mut |part| {
        if matches!(part, QueryTree::Leaf(_) | QueryTree::Header(_)) {
            found.add(part);
            let text = part.to_string();
            for side in ["white", "black"] {
                let of_side = changed(&text, 0, &ConditionChange::Side(side.to_owned()));
                of_side.and_then(|text| parse(&text).ok()).iter().for_each(|part| found.add(part));
            }
        }
    });
    // A phase of the game and a contrary stand around a condition.
    if found.words.contains(&None) {
        tree.for_each_part(&mut |part| found.add(part));
    }
    let words = query.predicates.iter().zip(found.words);
    let words = words.map(|(predicate, words)| {
        let quoted = || words.map_or_else(|| tree.to_string(), |(_, words)| words);
        describe_part_of_position(predicate).unwrap_or_else(quoted)
    });
    words.collect()
}

struct FoundWords<'q> {
    tree: &'q QueryTree,
    query: &'q Query,
    tables: &'q BoundTables,
    /// For each predicate the number of predicates of the smallest part that has been found, and its words.
    words: Vec<Option<(usize, String)>>,
}

impl FoundWords<'_> {
    /// Takes the words of a part for predicates that no smaller one has.
    fn add(&mut self, part: &QueryTree) {
        // Not every part is a query: one may use a name of a piece in a way that needs the rest.
        let Ok(mut plan) = plan_part(part, self.tree, OPENING_RESOLVER) else { return };
        plan.bind_tables(self.tables);
        for predicate in &plan.predicates {
            let nth = self.query.predicates.iter().position(|other| other == predicate);
            if let Some(words) = nth.map(|nth| &mut self.words[nth])
                && words.as_ref().is_none_or(|(fewest, _)| plan.predicates.len() < *fewest)
            {
                *words = Some((plan.predicates.len(), part.to_string()));
            }
        }
    }
}
