//! Why a game matches or not: which parts of a query hold in it, where a part that fails comes nearest, and what must be dropped.
//!
//! The caller asks each part of the game, so that the answers are those of a search.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::tree::QueryTree;

/// Why a game matches or not.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
pub struct WhyNot {
    /// Whether the whole query matches it.
    pub matches: bool,
    /// The parts of the query, as far as each decides.
    pub parts: Vec<AskedPart>,
    /// The parts without which the game matches; empty if it matches, or if no choice of whole parts is enough.
    pub drop: Vec<String>,
}

/// A part of a query, asked of a game by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
pub struct AskedPart {
    /// As the language writes it.
    pub text: String,
    /// Whether it matches the game.
    pub matches: bool,
    /// Of a part with words about plies that fails: how often it holds without them.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub without_window: Option<Occurrences>,
    /// Of conditions at one position that fails: where most of them hold.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub nearest: Option<Nearest>,
    /// What it is made of.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Vec::is_empty"))]
    pub parts: Vec<AskedPart>,
}

/// How often a condition holds in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
pub struct Occurrences {
    /// The number of plies after which it holds.
    pub positions: usize,
    /// The first of them.
    pub first_ply: Option<u32>,
}

/// The first of the positions at which most of some conditions hold.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
pub struct Nearest {
    /// The ply after which they do.
    pub ply: u32,
    /// Those that hold.
    pub holds: Vec<String>,
    /// The others.
    pub fails: Vec<String>,
}

/// Says after which plies of a game a part of a query holds, in their order, if the game matches it.
type AskPlies<'a, E> = dyn FnMut(&QueryTree) -> Result<Option<Vec<u32>>, E> + 'a;

/// Asks a game. `plies` says after which plies a part of the query holds, in their order, if the game matches it.
///
/// # Errors
///
/// Those of `plies`.
pub fn why_not<E>(
    query: &QueryTree,
    mut plies: impl FnMut(&QueryTree) -> Result<Option<Vec<u32>>, E>,
) -> Result<WhyNot, E> {
    let all = match query {
        QueryTree::And(parts) => &parts[..],
        _ => core::slice::from_ref(query),
    };
    let parts = all.iter().map(|part| ask(part, &mut plies)).collect::<Result<Vec<_>, E>>()?;
    let matches = plies(query)?.is_some();
    let mut drop = Vec::new();
    if !matches {
        let kept = all.iter().zip(&parts).filter(|(_, asked)| asked.matches).map(|(part, _)| part.clone());
        let kept: Vec<QueryTree> = kept.collect();
        let is_enough = kept.is_empty() || plies(&QueryTree::And(kept))?.is_some();
        drop.extend(parts.iter().filter(|part| is_enough && !part.matches).map(|part| part.text.clone()));
    }
    Ok(WhyNot { matches, parts, drop })
}

fn ask<E>(part: &QueryTree, plies: &mut AskPlies<'_, E>) -> Result<AskedPart, E> {
    let matches = plies(part)?.is_some();
    let mut asked =
        AskedPart { text: part.to_string(), matches, without_window: None, nearest: None, parts: Vec::new() };
    match part {
        _ if matches => {}
        QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf { parts, .. } => {
            asked.parts = parts.iter().map(|part| ask(part, plies)).collect::<Result<_, E>>()?;
        }
        QueryTree::Then { first, second, .. } => asked.parts = Vec::from([ask(first, plies)?, ask(second, plies)?]),
        QueryTree::Together(inner) => asked.nearest = nearest(inner, plies)?,
        QueryTree::Condition { inner, .. } => match plies(inner)? {
            Some(held) => {
                let first_ply = held.first().copied();
                asked.without_window = Some(Occurrences { positions: held.len(), first_ply });
            }
            None => asked.parts = Vec::from([ask(inner, plies)?]),
        },
        _ => {}
    }
    Ok(asked)
}

/// Where most of the conditions in braces hold; none if there is only one, or none of them ever holds.
fn nearest<E>(inner: &QueryTree, plies: &mut AskPlies<'_, E>) -> Result<Option<Nearest>, E> {
    let QueryTree::And(parts) = inner else { return Ok(None) };
    let together = |part: &QueryTree| QueryTree::Together(Box::new(part.clone()));
    let each = parts.iter().map(|part| Ok(plies(&together(part))?.unwrap_or_default()));
    let each: Vec<Vec<u32>> = each.collect::<Result<_, E>>()?;
    let holding = |ply: u32| each.iter().filter(|plies| plies.binary_search(&ply).is_ok()).count();
    let all = each.iter().flatten().copied();
    let Some(ply) = all.max_by_key(|&ply| (holding(ply), Reverse(ply))) else { return Ok(None) };
    let (holds, fails): (Vec<_>, Vec<_>) =
        parts.iter().zip(&each).partition(|(_, plies)| plies.binary_search(&ply).is_ok());
    let texts = |parts: Vec<(&QueryTree, &Vec<u32>)>| parts.iter().map(|(part, _)| part.to_string()).collect();
    Ok(Some(Nearest { ply, holds: texts(holds), fails: texts(fails) }))
}
