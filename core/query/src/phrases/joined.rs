//! Joins what the phrases of a text stand for to one query.
//!
//! States hold at the same position, so several of them stand in braces; events, and states with a window, hold at some position each.
//! A window belongs to the condition before it, or to the first one of the text.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Segment;
use super::vocabulary::Joining;

/// A condition, and how it joins others.
struct Condition {
    text: String,
    joining: Joining,
}

/// The query of some phrases, and which of them, by number, found no place in it: windows of nothing.
pub(super) fn join(segments: &[Segment]) -> (String, Vec<usize>) {
    let mut conditions: Vec<Condition> = Vec::new();
    let (mut waiting, mut loose): (Vec<usize>, Vec<usize>) = Default::default();
    for (nth, segment) in segments.iter().enumerate() {
        let meaning = &segment.found.meaning;
        match (segment.joining, conditions.last_mut()) {
            (Joining::Nothing, _) => {}
            (Joining::Window, Some(Condition { text, joining })) if *joining != Joining::WholeGame => {
                *text = format!("{} {meaning}", one_condition(text));
                *joining = Joining::SomePosition;
            }
            (Joining::Window, _) => waiting.push(nth),
            (joining, _) => {
                let mut condition = Condition { text: meaning.clone(), joining };
                if joining != Joining::WholeGame {
                    for window in waiting.drain(..) {
                        let window = &segments[window].found.meaning;
                        condition.text = format!("{} {window}", one_condition(&condition.text));
                        condition.joining = Joining::SomePosition;
                    }
                }
                conditions.push(condition);
            }
        }
    }
    loose.extend(waiting);
    (joined(&conditions), loose)
}

fn joined(conditions: &[Condition]) -> String {
    let is_state = |condition: &&Condition| condition.joining == Joining::OnePosition;
    let states: Vec<String> =
        conditions.iter().filter(is_state).map(|state| operand(without_braces(&state.text))).collect();
    let mut parts: Vec<String> = Vec::new();
    let mut has_states = false;
    for condition in conditions {
        if condition.joining != Joining::OnePosition || states.len() == 1 {
            parts.push(condition.text.clone());
        } else if !has_states {
            has_states = true;
            parts.push(format!("{{ {} }}", states.join(" and ")));
        }
    }
    if let [only] = &parts[..] {
        return only.clone();
    }
    parts.iter().map(|part| operand(part)).collect::<Vec<_>>().join(" and ")
}

/// A text as an operand of `and`.
fn operand(text: &str) -> String {
    let is_whole = text.starts_with('{') && text.ends_with('}') && !text[1..].contains('{');
    if !is_whole && (text.contains(" or ") || text.contains(" then ")) { format!("({text})") } else { text.to_string() }
}

/// A text as one condition, before a window.
fn one_condition(text: &str) -> String {
    let needs_braces = !text.starts_with('{') && (text.contains(" and ") || text.contains(" or "));
    if needs_braces { format!("{{ {text} }}") } else { text.to_string() }
}

fn without_braces(text: &str) -> &str {
    text.strip_prefix("{ ").and_then(|inner| inner.strip_suffix(" }")).unwrap_or(text)
}
