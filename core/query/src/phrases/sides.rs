//! Whose a condition is, if other words of the text say so: `blunders by Black`, `White wins with a queen sacrifice`.
//!
//! A meaning with `[<subject> ]` whose subject is not among its own words has an open place there. `by Black` behind it fills it, and so
//! does a doer before it. What stays open is of either side; of one and the same side, if there are several places or pieces are counted.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Segment;
use super::joined::{operand, without_braces};
use super::vocabulary::Joining;

/// The place for a side in a meaning.
pub(super) const OPEN_SIDE: char = '\u{1}';

/// The segments with their sides. A side that found no condition of its own stays a segment of its own kind, and a player among these
/// is a condition.
pub(super) fn with_sides(segments: &[Segment]) -> Vec<Segment> {
    let mut all: Vec<Segment> = segments.to_vec();
    let mut nobodys = Vec::new();
    for nth in 0..all.len() {
        let (before, [this, ..]) = all.split_at_mut(nth) else { break };
        let last = before.iter_mut().rev().find(|segment| segment.joining.is_condition());
        let meaning = &mut this.found.meaning;
        match (this.joining, last) {
            (Joining::By, Some(last)) if last.found.meaning.contains(OPEN_SIDE) => {
                fill(&mut last.found.meaning, meaning)
            }
            (Joining::By, _) if meaning.starts_with('"') => this.joining = Joining::WholeGame,
            (Joining::Same, Some(last)) if last.joining != Joining::WholeGame => {
                if let Some(side) = leading_side(&last.found.meaning) {
                    fill(meaning, side);
                }
                let both = [&last.found.meaning, &*meaning].map(|text| operand(&without_braces(text)));
                last.found.meaning = format!("{{ {} }}", both.join(" and "));
                *meaning = meaning.replace(OPEN_SIDE, "");
            }
            // A side that is nobody's may be that of the player whom another word names.
            (Joining::By, _) => nobodys.push(nth),
            // A link that links nothing is a word that is not understood.
            (Joining::Same, _) => this.joining = Joining::Link,
            _ => {}
        }
    }
    if !nobodys.is_empty() {
        give_to_player(&mut all, &nobodys);
    }
    let (mut doer, mut last): (Option<String>, Option<String>) = Default::default();
    for segment in &mut all {
        let meaning = &mut segment.found.meaning;
        if segment.joining == Joining::Link && meaning == "then" {
            // The side of the step before goes on.
            doer = last.clone().or(doer);
        } else if segment.joining == Joining::SomePosition {
            last = leading_side(meaning).map(String::from);
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

/// Gives the sides that no condition took to the only player: `Karpov Najdorf as Black`, `rook endgames of Karpov lost`. Without a player,
/// they are words that are not understood.
fn give_to_player(all: &mut [Segment], sides: &[usize]) {
    let is_player = |segment: &&mut Segment| {
        let meaning = &segment.found.meaning;
        let before = meaning.split('"').next().unwrap_or_default();
        let is_name = meaning.matches('"').count() == 2 && meaning.ends_with('"');
        segment.joining == Joining::WholeGame && is_name && ["", "winner ", "loser "].contains(&before)
    };
    let words: Vec<String> = sides.iter().map(|&nth| all[nth].found.meaning.clone()).collect();
    let is_one = |side: &String| !["both", "neither"].contains(&&**side);
    let mut players = all.iter_mut().filter(is_player);
    match (players.next(), players.next()) {
        (Some(player), None) if words.iter().all(is_one) => {
            let meaning = core::mem::take(&mut player.found.meaning);
            let name = meaning.find('"').map_or(&*meaning, |at| &meaning[at..]);
            let mut named: Vec<String> = words.iter().map(|side| format!("{side} {name}")).collect();
            // That the player won or lost stays.
            named.extend((name != meaning).then(|| meaning.clone()));
            player.found.meaning = named.join(" and ");
        }
        _ => sides.iter().for_each(|&nth| all[nth].joining = Joining::Link),
    }
}

/// The side with which a meaning begins: a colour, the winner or loser, or a player.
fn leading_side(meaning: &str) -> Option<&str> {
    let end = match meaning.strip_prefix('"') {
        Some(name) => name.find('"')? + 2,
        None => meaning.find(' ')?,
    };
    let side = &meaning[..end];
    (side.starts_with('"') || ["white", "black", "winner", "loser"].contains(&side)).then_some(side)
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
