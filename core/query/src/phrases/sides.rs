//! Whose a condition is, if other words of the text say so: `blunders by Black`, `White wins with a queen sacrifice`.
//!
//! A meaning with `[<subject> ]` whose subject is not among its own words has an open place there. `by Black` behind it fills it, and so
//! does a doer before it. What stays open is of either side; of one and the same side, if there are several places or pieces are counted.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Segment;
use super::vocabulary::Joining;

/// The place for a side in a meaning.
pub(super) const OPEN_SIDE: char = '\u{1}';

/// The segments with their sides. A side that found no condition of its own stays a segment of its own kind, and a player among these
/// is a condition.
pub(super) fn with_sides(segments: &[Segment]) -> Vec<Segment> {
    let mut all: Vec<Segment> = segments.to_vec();
    for nth in 0..all.len() {
        if all[nth].joining == Joining::By {
            let side = all[nth].found.meaning.clone();
            let is_condition = |segment: &&mut Segment| {
                !matches!(segment.joining, Joining::Nothing | Joining::Window | Joining::By | Joining::Link)
            };
            match all[..nth].iter_mut().rev().find(is_condition) {
                Some(before) if before.found.meaning.contains(OPEN_SIDE) => fill(&mut before.found.meaning, &side),
                _ if side.starts_with('"') => all[nth].joining = Joining::WholeGame,
                _ => all[nth].joining = Joining::Window,
            }
        }
    }
    let (mut doer, mut last): (Option<String>, Option<&str>) = Default::default();
    for segment in &mut all {
        let meaning = &mut segment.found.meaning;
        if segment.joining == Joining::Link && meaning == "then" {
            // The side of the step before goes on.
            doer = last.map(String::from).or(doer);
        } else if segment.joining == Joining::SomePosition {
            last = ["white", "black"].into_iter().find(|side| meaning.starts_with(side));
        }
        if segment.joining == Joining::Doer {
            segment.joining = Joining::WholeGame;
            doer = meaning.find("; ").map(|at| meaning.split_off(at)[2..].into());
        } else if let Some(side) = &doer {
            fill(meaning, side);
        }
        if meaning.contains(OPEN_SIDE) {
            *meaning = of_either_side(meaning);
        }
    }
    all
}

fn fill(meaning: &mut String, side: &str) {
    *meaning = meaning.replace(&format!("{OPEN_SIDE})"), &format!("{side})")).replace(OPEN_SIDE, &format!("{side} "));
}

pub(super) fn of_either_side(meaning: &str) -> String {
    let of = |side: &str| {
        let mut meaning = meaning.to_string();
        fill(&mut meaning, side);
        meaning
    };
    let is_in_brackets = meaning.contains(&format!("({OPEN_SIDE}"));
    match is_in_brackets || meaning.contains(" and ") && meaning.matches(OPEN_SIDE).count() > 1 {
        true => format!("{} or {}", of("white"), of("black")),
        false => meaning.replace(OPEN_SIDE, ""),
    }
}
