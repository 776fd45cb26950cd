//! The conditions of a query as they are written, and how they make games and positions match.

use plyfold_core::query::plan::plan;
use plyfold_core::query::tree::Tree;
use plyfold_core::query::window::{Often, Quantifier, Window};
use plyfold_core::scan::when::When;
use plyfold_core::scan::{Edge, Query};

use crate::failure::{Failure, Result};
use crate::seek::OPENINGS;

/// A condition, with what stands around it.
pub(super) struct Written<'t> {
    /// With its window.
    pub tree: &'t Tree,
    /// What holds at a position, or the header.
    pub what: &'t Tree,
    pub window: Window,
    /// What it waits for: conditions by number, and for how many plies after them it counts.
    pub after: Option<(String, Option<u32>)>,
    /// The plan of it where there is no other.
    pub alone: Query,
}

/// A part of a query, over the numbers of its conditions.
pub(super) struct Part {
    /// Which games match.
    pub games: String,
    /// Which positions match.
    pub positions: String,
    /// What has come where it is fulfilled.
    last: String,
    /// Whether it needs brackets as a part of something.
    several: bool,
}

impl Part {
    fn one(text: String) -> Part {
        Part { positions: text.clone(), last: text.clone(), games: text, several: false }
    }
}

/// Takes a query apart: each different condition once, in the order of the text.
pub(super) fn of<'t>(tree: &'t Tree, text: &str) -> Result<(Part, Vec<Written<'t>>)> {
    let mut conditions = Vec::new();
    let part = walk(tree, text, None, &mut conditions)?;
    Ok((part, conditions))
}

fn walk<'t>(
    tree: &'t Tree,
    text: &str,
    after: Option<&(String, Option<u32>)>,
    conditions: &mut Vec<Written<'t>>,
) -> Result<Part> {
    let (what, window) = match tree {
        Tree::Everything => return Ok(Part::one("anything".to_owned())),
        Tree::And(parts) | Tree::Or(parts) => {
            let parts = parts.iter().map(|part| walk(part, text, after, conditions)).collect::<Result<Vec<_>>>()?;
            let word = if matches!(tree, Tree::And(_)) { " and " } else { " or " };
            let joined = |of: fn(&Part) -> &str| {
                let part = |part: &Part| if part.several { format!("({})", of(part)) } else { of(part).to_owned() };
                parts.iter().map(part).collect::<Vec<_>>().join(word)
            };
            return Ok(Part {
                games: joined(|part| &part.games),
                positions: joined(|part| &part.positions),
                last: joined(|part| &part.last),
                several: true,
            });
        }
        Tree::Not(inner) => {
            let Part { games, positions, last, several } = walk(inner, text, after, conditions)?;
            let not = |text: String| if several { format!("not ({text})") } else { format!("not {text}") };
            return Ok(Part { games: not(games), positions: not(positions), last, several: false });
        }
        Tree::Then { first, within, second } => {
            let first = walk(first, text, after, conditions)?;
            let gate = (first.last, *within);
            let second = walk(second, text, Some(&gate), conditions)?;
            let then = within.map_or(" then ".to_owned(), |plies| format!(" then within {plies} plies "));
            let bracketed = |text: String, several: bool| if several { format!("({text})") } else { text };
            return Ok(Part {
                games: format!("{}{then}{}", first.games, bracketed(second.games, second.several)),
                positions: format!("{} or {}", first.positions, bracketed(second.positions, second.several)),
                last: bracketed(second.last, second.several),
                several: true,
            });
        }
        Tree::Condition { what, window } => (&**what, *window),
        Tree::Together(_) | Tree::Leaf(_) | Tree::Header(_) => (tree, Window::EVER),
    };
    let alone = plan(tree, OPENINGS).map_err(|error| Failure::Query(error, text.to_owned()))?;
    // A header speaks of the whole game, whatever came before.
    let after = after.filter(|_| !matches!(what, Tree::Header(_))).cloned();
    let same = |known: &Written<'_>| known.alone == alone && known.after == after;
    let number = conditions.iter().position(same).unwrap_or(conditions.len()) + 1;
    if number > conditions.len() {
        conditions.push(Written { tree, what, window, after, alone });
    }
    let mut part = Part::one(number.to_string());
    if window.quantifier == Quantifier::Never {
        part.positions = format!("not {number}");
    }
    Ok(part)
}

impl Written<'_> {
    /// Whether the header of a game decides it.
    pub fn is_fact(&self) -> bool {
        matches!(self.what, Tree::Header(_))
    }

    /// When and how often it holds, in words.
    pub fn holds(&self) -> String {
        if self.is_fact() {
            return "is a fact about the game, which its header tells".to_owned();
        }
        let Window { quantifier, edge, often, when, phase } = self.window;
        let plies = |number: u32| if number == 1 { "1 ply".to_owned() } else { format!("{number} plies") };
        let verb = match edge {
            None => "holds",
            Some(Edge::Became) => "begins to hold",
            Some(Edge::Ceased) => "has just ceased to hold",
        };
        let often = match often {
            Often::Once => "some ply".to_owned(),
            Often::Row(number) => format!("{} in a row", plies(number)),
            Often::Times { least, most } if least == most => format!("exactly {}", plies(least)),
            Often::Times { least, most: u32::MAX } => format!("{} or more", plies(least)),
            Often::Times { least: 0, most } => format!("at most {}", plies(most)),
            Often::Times { least, most } => format!("{least} to {}", plies(most)),
        };
        let mut text = match quantifier {
            Quantifier::Ever => format!("{verb} after {often}"),
            Quantifier::Never => format!("never {verb} after {often}"),
            Quantifier::Always => format!("{verb} after every ply"),
        };
        for (unit, units, (first, last), any) in
            [("ply", "plies", when.plies, When::ALWAYS.plies), ("move", "moves", when.moves, When::ALWAYS.moves)]
        {
            text += &match (first > any.0, last < any.1) {
                (false, false) => String::new(),
                (true, true) if first == last => format!(", at {unit} {first}"),
                (true, true) => format!(", of {units} {first} to {last}"),
                (true, false) => format!(", from {unit} {first} on"),
                (false, true) => format!(", up to {unit} {last}"),
            };
        }
        if when.at_end {
            text += ", the last of the game";
        }
        if let Some(phase) = phase {
            text += &format!(", in the {}", phase.name());
        }
        match &self.after {
            None => {}
            Some((first, None)) => text += &format!("; only plies after {first} count"),
            Some((first, Some(plies))) => text += &format!("; only the {plies} plies after {first} count"),
        }
        text
    }
}

/// What braces make of the query, in words; none where they make no difference.
pub(super) fn braces(tree: &Tree, conditions: &[Written<'_>]) -> Option<String> {
    let together = conditions.iter().any(|one| matches!(one.what, Tree::Together(inner) if !is_one(inner)));
    let apart = has_and(tree);
    let inside = "What stands in { } holds at one and the same position";
    match (apart, together) {
        (None, false) => None,
        (None, true) => Some(format!("{inside}.")),
        (Some((one, two)), false) => Some(format!(
            "`{one} and {two}` is both in the same game, each at some position of its own; \
             `{{ {one} and {two} }}` would be both at the same position."
        )),
        (Some(_), true) => Some(format!(
            "{inside}; what is joined by `and` outside of them is in the same game, each at some position of its own."
        )),
    }
}

/// Whether it asks for one thing.
fn is_one(tree: &Tree) -> bool {
    match tree {
        Tree::Together(inner) => is_one(inner),
        tree => matches!(tree, Tree::Leaf(_)),
    }
}

/// Two conditions on positions that are joined by an `and` outside braces.
fn has_and(tree: &Tree) -> Option<(&Tree, &Tree)> {
    match tree {
        Tree::And(parts) => {
            let mut plain = parts.iter().filter(|part| matches!(part, Tree::Leaf(_) | Tree::Together(_)));
            let others = parts.iter().filter_map(has_and).next();
            plain.next().zip(plain.next()).map(|(one, two)| (inner(one), inner(two))).or(others)
        }
        Tree::Or(parts) => parts.iter().find_map(has_and),
        Tree::Not(inner) => has_and(inner),
        Tree::Then { first, second, .. } => has_and(first).or_else(|| has_and(second)),
        _ => None,
    }
}

/// Without braces around it.
fn inner(tree: &Tree) -> &Tree {
    match tree {
        Tree::Together(inner) if is_one(inner) => inner,
        tree => tree,
    }
}
