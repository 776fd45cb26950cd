//! Splits a query into its conditions as written, and says how they decide which games and positions match.

use plyfold_core::query::header::NumberRange;
use plyfold_core::query::plan::plan_part;
use plyfold_core::query::tree::QueryTree;
use plyfold_core::query::window::{OccurrenceRule, WindowClause, WindowQuantifier};
use plyfold_core::scan::ply_filter::PlyFilter;
use plyfold_core::scan::{ConditionEdge, Query};

use crate::failure::{CliFailure, Result};
use crate::query_argument::OPENING_RESOLVER;

/// A condition with its window and context.
pub(super) struct WrittenCondition<'t> {
    /// The condition with its window.
    pub tree: &'t QueryTree,
    /// What holds at a position, or the header.
    pub body: &'t QueryTree,
    pub window: WindowClause,
    /// The conditions that must come before it, by number, and the most plies from them to it.
    pub after: Option<(String, Option<u32>)>,
    /// The plan of the condition without other conditions.
    pub query: Query,
}

/// A part of a query: a formula over the numbers of its conditions.
pub(super) struct MatchFormula {
    /// Which games match.
    pub games: String,
    /// Which positions match.
    pub positions: String,
    /// The conditions of which the last has come when the formula is fulfilled.
    latest: String,
    /// Whether it needs brackets inside a larger formula.
    needs_brackets: bool,
}

impl MatchFormula {
    fn atom(text: String) -> MatchFormula {
        MatchFormula { positions: text.clone(), latest: text.clone(), games: text, needs_brackets: false }
    }
}

/// Splits a query into its conditions: each distinct condition once, in the order of the text.
pub(super) fn collect_conditions<'t>(
    tree: &'t QueryTree,
    text: &str,
) -> Result<(MatchFormula, Vec<WrittenCondition<'t>>)> {
    let mut conditions = Vec::new();
    let part = walk(tree, (tree, text), None, &mut conditions)?;
    Ok((part, conditions))
}

fn walk<'t>(
    tree: &'t QueryTree,
    whole: (&QueryTree, &str),
    after: Option<&(String, Option<u32>)>,
    conditions: &mut Vec<WrittenCondition<'t>>,
) -> Result<MatchFormula> {
    let (what, window) = match tree {
        QueryTree::Everything => return Ok(MatchFormula::atom("anything".to_owned())),
        QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf { parts, .. } => {
            let parts = parts.iter().map(|part| walk(part, whole, after, conditions)).collect::<Result<Vec<_>>>()?;
            return Ok(joined(tree, &parts));
        }
        QueryTree::Not(inner) => {
            let MatchFormula { games, positions, latest: last, needs_brackets: several } =
                walk(inner, whole, after, conditions)?;
            let not = |text: String| if several { format!("not ({text})") } else { format!("not {text}") };
            return Ok(MatchFormula {
                games: not(games),
                positions: not(positions),
                latest: last,
                needs_brackets: false,
            });
        }
        QueryTree::Then { first, within, second } => {
            let first = walk(first, whole, after, conditions)?;
            let gate = (first.latest, *within);
            let second = walk(second, whole, Some(&gate), conditions)?;
            let then = within.map_or(" then ".to_owned(), |plies| format!(" then within {plies} plies "));
            let bracketed = |text: String, several: bool| if several { format!("({text})") } else { text };
            return Ok(MatchFormula {
                games: format!("{}{then}{}", first.games, bracketed(second.games, second.needs_brackets)),
                positions: format!("{} or {}", first.positions, bracketed(second.positions, second.needs_brackets)),
                latest: bracketed(second.latest, second.needs_brackets),
                needs_brackets: true,
            });
        }
        QueryTree::Condition { inner: what, window } => (&**what, *window),
        QueryTree::Together(_) | QueryTree::Leaf(_) | QueryTree::Header(_) => (tree, WindowClause::EVER),
    };
    let alone =
        plan_part(tree, whole.0, OPENING_RESOLVER).map_err(|error| CliFailure::Query(error, whole.1.to_owned()))?;
    // A header describes the whole game, so nothing comes before it.
    let after = after.filter(|_| !matches!(what, QueryTree::Header(_))).cloned();
    let same = |known: &WrittenCondition<'_>| known.query == alone && known.after == after;
    let number = conditions.iter().position(same).unwrap_or(conditions.len()) + 1;
    if number > conditions.len() {
        conditions.push(WrittenCondition { tree, body: what, window, after, query: alone });
    }
    let mut part = MatchFormula::atom(number.to_string());
    if window.quantifier == WindowQuantifier::Never {
        part.positions = format!("not {number}");
    }
    Ok(part)
}

/// The parts of a list, as the words of the query join them.
fn joined(list: &QueryTree, parts: &[MatchFormula]) -> MatchFormula {
    let joined = |of: fn(&MatchFormula) -> &str| {
        let part = |part: &MatchFormula| {
            if part.needs_brackets { format!("({})", of(part)) } else { of(part).to_owned() }
        };
        let parts = parts.iter().map(part).collect::<Vec<_>>();
        match list {
            QueryTree::And(_) => parts.join(" and "),
            QueryTree::SomeOf { number: least, .. } => format!("{least} of ({})", parts.join(", ")),
            _ => parts.join(" or "),
        }
    };
    MatchFormula {
        games: joined(|part| &part.games),
        positions: joined(|part| &part.positions),
        latest: joined(|part| &part.latest),
        needs_brackets: !matches!(list, QueryTree::SomeOf { .. }),
    }
}

impl WrittenCondition<'_> {
    /// Returns whether the header of a game decides it.
    pub fn is_header_test(&self) -> bool {
        matches!(self.body, QueryTree::Header(_))
    }

    /// When and how often it holds, in words.
    pub fn describe_window(&self) -> String {
        if self.is_header_test() {
            return "is decided by the header of the game".to_owned();
        }
        let WindowClause { quantifier, edge, occurrence: often, when, phase } = self.window;
        let plies = |number: u32| if number == 1 { "1 ply".to_owned() } else { format!("{number} plies") };
        let verb = match edge {
            None => "holds",
            Some(ConditionEdge::Became) => "begins to hold",
            Some(ConditionEdge::Ceased) => "ceases to hold",
        };
        let often = match often {
            OccurrenceRule::Once => "some ply".to_owned(),
            OccurrenceRule::Consecutive(number) => format!("{} in a row", plies(number)),
            OccurrenceRule::Times(NumberRange { min: least, max: most }) if least == most => {
                format!("exactly {}", plies(least))
            }
            OccurrenceRule::Times(NumberRange { min: least, max: u32::MAX }) => format!("{} or more", plies(least)),
            OccurrenceRule::Times(NumberRange { min: 0, max: most }) => format!("at most {}", plies(most)),
            OccurrenceRule::Times(NumberRange { min: least, max: most }) => format!("{least} to {}", plies(most)),
        };
        let mut text = match quantifier {
            WindowQuantifier::Ever => format!("{verb} after {often}"),
            WindowQuantifier::Never => format!("never {verb} after {often}"),
            WindowQuantifier::Always => format!("{verb} after every ply"),
        };
        for (unit, units, (first, last), any) in [
            ("ply", "plies", when.ply_bounds, PlyFilter::EVERY_PLY.ply_bounds),
            ("move", "moves", when.move_bounds, PlyFilter::EVERY_PLY.move_bounds),
        ] {
            text += &match (first > any.0, last < any.1) {
                (false, false) => String::new(),
                (true, true) if first == last => format!(", at {unit} {first}"),
                (true, true) => format!(", of {units} {first} to {last}"),
                (true, false) => format!(", from {unit} {first} on"),
                (false, true) => format!(", up to {unit} {last}"),
            };
        }
        if when.at_end {
            text += ", the last ply of the game";
        }
        if let Some(phase) = phase {
            text += &format!(", in the {}", phase.name());
        }
        if edge.is_none() && self.after.is_none() && self.query.conditions.iter().any(|one| one.window.counts_start) {
            text += "; the start position counts as ply 0";
        }
        match &self.after {
            None => {}
            Some((first, None)) => text += &format!("; only plies after {first} count"),
            Some((first, Some(plies))) => text += &format!("; only the {plies} plies after {first} count"),
        }
        text
    }
}

/// How braces change the query, in words; none if they change nothing.
pub(super) fn describe_braces(tree: &QueryTree, conditions: &[WrittenCondition<'_>]) -> Option<String> {
    let together = conditions.iter().any(|one| matches!(one.body, QueryTree::Together(inner) if !is_atom(inner)));
    let apart = has_and(tree);
    let inside = "The conditions in { } hold at the same position";
    match (apart, together) {
        (None, false) => None,
        (None, true) => Some(format!("{inside}.")),
        (Some((one, two)), false) => Some(format!(
            "`{one} and {two}` means both in the same game, at positions that may differ; \
             `{{ {one} and {two} }}` means both at the same position."
        )),
        (Some(_), true) => Some(format!(
            "{inside}; conditions joined by `and` outside of them may hold at different positions of the game."
        )),
    }
}

/// Whether it is a single condition.
fn is_atom(tree: &QueryTree) -> bool {
    match tree {
        QueryTree::Together(inner) => is_atom(inner),
        tree => matches!(tree, QueryTree::Leaf(_)),
    }
}

/// Whether two conditions on positions are joined by an `and` outside braces.
fn has_and(tree: &QueryTree) -> Option<(&QueryTree, &QueryTree)> {
    match tree {
        QueryTree::And(parts) => {
            let mut plain = parts.iter().filter(|part| matches!(part, QueryTree::Leaf(_) | QueryTree::Together(_)));
            let others = parts.iter().filter_map(has_and).next();
            plain.next().zip(plain.next()).map(|(one, two)| (without_braces(one), without_braces(two))).or(others)
        }
        QueryTree::Or(parts) | QueryTree::SomeOf { parts, .. } => parts.iter().find_map(has_and),
        QueryTree::Not(inner) => has_and(inner),
        QueryTree::Then { first, second, .. } => has_and(first).or_else(|| has_and(second)),
        _ => None,
    }
}

/// Without braces around it.
fn without_braces(tree: &QueryTree) -> &QueryTree {
    match tree {
        QueryTree::Together(inner) if is_atom(inner) => inner,
        tree => tree,
    }
}
