//! Why a game matches the query or not, part by part.

use plyfold_core::query::parse::parse;
use plyfold_core::query::plan::plan_part;
use plyfold_core::query::resolve_opening;
use plyfold_core::query::tree::QueryTree;
use plyfold_core::query::why_not::{AskedPart, why_not};
use plyfold_core::reduce::ReducerSelection;
use plyfold_core::reduce::matching_positions::PositionSelection;
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::corpus::Corpus;
use crate::error::JsFailure;
use crate::openings::known_openings;
use crate::plain::{Js, List, plain_object, to_js};
use crate::query::run_query;

/// Why a game matches or not.
#[derive(Tsify)]
pub struct WhyNot {
    /// Whether the whole query matches it.
    pub matches: bool,
    /// The parts of the query, each before those that it is made of.
    pub parts: List<AskedQueryPart>,
    /// The parts without which the game matches; empty if it matches, or if no choice of whole parts is enough.
    pub drop: List<String>,
}
plain_object!(WhyNot { matches, parts, drop });

/// A part of a query, asked of a game by itself.
#[derive(Tsify)]
pub struct AskedQueryPart {
    /// As the language writes it.
    pub text: String,
    /// How deep it lies in the query.
    pub depth: u32,
    /// Whether it matches the game.
    pub matches: bool,
    /// If it fails: after how many plies it holds without its words about plies; 0 if it has none.
    pub held: f64,
    /// The first of these plies, or that at which most of its conditions hold; 0 if there is none.
    pub ply: u32,
    /// The conditions that hold there.
    pub holds: List<String>,
    /// The conditions that fail there.
    pub fails: List<String>,
}
plain_object!(AskedQueryPart { text, depth, matches, held, ply, holds, fails });

#[wasm_bindgen]
impl Corpus {
    /// Says why game `id` matches a query or not: which parts hold, where one that fails comes nearest, and what must be dropped.
    ///
    /// # Errors
    ///
    /// There is no such game; the query cannot be read; the request was cancelled.
    #[wasm_bindgen(js_name = whyNot)]
    pub fn why_not(&self, id: u32, query: &str) -> Result<Js<WhyNot>, JsFailure> {
        let tree = parse(query)?;
        let why = why_not(&tree, |part| self.plies_of(id, (part, &tree)))?;
        let parts = List::default();
        why.parts.into_iter().for_each(|part| add_part(part, 0, &parts));
        Ok(to_js(WhyNot { matches: why.matches, parts, drop: why.drop.into_iter().collect() }))
    }

    /// The plies of a game at which a part of a query holds, if the game matches it.
    fn plies_of(&self, id: u32, (part, whole): (&QueryTree, &QueryTree)) -> Result<Option<Vec<u32>>, JsFailure> {
        let query = self.bind(plan_part(part, whole, &|name| resolve_opening(known_openings(), name))?)?;
        let positions = Some(PositionSelection::default());
        let selection = ReducerSelection { positions, ..ReducerSelection::default() };
        let found = run_query(&[self.span(id)?], &query, None, &selection, &())?;
        let plies = found.positions.unwrap_or_default().into_iter().map(|position| position.ply.0);
        Ok((found.count.games > 0).then(|| plies.collect()))
    }
}

fn add_part(part: AskedPart, depth: u32, all: &List<AskedQueryPart>) {
    let held = part.without_window.map_or(0, |held| held.positions);
    let first = part.without_window.and_then(|held| held.first_ply);
    let ply = first.or(part.nearest.as_ref().map(|nearest| nearest.ply)).unwrap_or(0);
    let (holds, fails) = part.nearest.map(|nearest| (nearest.holds, nearest.fails)).unwrap_or_default();
    all.push(AskedQueryPart {
        text: part.text,
        depth,
        matches: part.matches,
        held: held as f64,
        ply,
        holds: holds.into_iter().collect(),
        fails: fails.into_iter().collect(),
    });
    part.parts.into_iter().for_each(|inner| add_part(inner, depth + 1, all));
}
