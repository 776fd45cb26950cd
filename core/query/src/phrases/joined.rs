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

/// What waits for the next condition.
#[derive(Default)]
struct Waiting {
    windows: Vec<usize>,
    /// The words that link it to the condition before it, or say that it does not hold.
    links: Vec<usize>,
}

/// The query of some phrases, and which of them, by number, found no place in it: windows and links of nothing.
pub(super) fn join(segments: &[Segment]) -> (String, Vec<usize>) {
    // What comes after a `then` of the text.
    let mut steps: Vec<Vec<Condition>> = Vec::from([Vec::new()]);
    let mut waiting = Waiting::default();
    let mut loose: Vec<usize> = Vec::new();
    let mut last_then = None;
    for (nth, segment) in segments.iter().enumerate() {
        let meaning = &segment.found.meaning;
        let has_steps = steps.len() > 1 || steps[0].iter().any(|condition| condition.joining != Joining::WholeGame);
        let Some(conditions) = steps.last_mut() else { break };
        match (segment.joining, conditions.last_mut()) {
            (Joining::Nothing | Joining::By | Joining::Doer | Joining::Same, _) => {}
            (Joining::Window, Some(before)) if before.joining != Joining::WholeGame => before.add_window(meaning),
            (Joining::Window, _) => waiting.windows.push(nth),
            (Joining::Link, _) if meaning == "then" && has_steps => {
                last_then = Some(nth);
                steps.push(Vec::new());
            }
            (Joining::Link, _) => waiting.links.push(nth),
            (joining, _) => {
                let mut condition = Condition { text: meaning.clone(), joining };
                if joining != Joining::WholeGame {
                    for window in waiting.windows.drain(..) {
                        condition.add_window(&segments[window].found.meaning);
                    }
                }
                for link in waiting.links.drain(..).rev() {
                    if !condition.link(&segments[link].found.meaning, conditions) {
                        loose.push(link);
                    }
                }
                conditions.push(condition);
            }
        }
    }
    if steps.last().is_some_and(Vec::is_empty) {
        loose.extend(last_then);
    }
    loose.extend(waiting.windows.into_iter().chain(waiting.links));
    (joined(steps), loose)
}

impl Condition {
    /// Each of several conditions outside braces gets the window.
    fn add_window(&mut self, window: &str) {
        let is_list = !self.text.starts_with('{') && !self.text.contains(" or ") && self.text.contains(" and ");
        self.text = match is_list {
            true => self.text.split(" and ").map(|one| format!("{one} {window}")).collect::<Vec<_>>().join(" and "),
            false => format!("{} {window}", one_condition(&self.text)),
        };
        self.joining = Joining::SomePosition;
    }

    /// Links it to the last of the conditions before it. Returns whether there is one, where one is needed.
    fn link(&mut self, link: &str, before: &mut Vec<Condition>) -> bool {
        match link {
            "or" => {
                let Some(first) = before.pop() else { return false };
                self.text = format!("{} or {}", first.text, self.text);
                self.joining = match (first.joining, self.joining) {
                    (one, other) if one == other => one,
                    (Joining::WholeGame, _) | (_, Joining::WholeGame) => Joining::WholeGame,
                    _ => Joining::SomePosition,
                };
                true
            }
            // At the position of the state before it, or else at none.
            "not" => {
                let is_there = before.last().is_some_and(|before| before.joining == Joining::OnePosition);
                self.text = match self.joining {
                    Joining::OnePosition if is_there => format!("not {}", bracketed(&self.text)),
                    Joining::WholeGame => format!("not {}", bracketed(&self.text)),
                    _ => format!("never {}", one_condition(&self.text)),
                };
                if !(is_there && self.joining == Joining::OnePosition) {
                    self.joining = Joining::WholeGame;
                }
                true
            }
            _ => false,
        }
    }
}

/// The steps after one another, and what is said of the game as a whole.
fn joined(steps: Vec<Vec<Condition>>) -> String {
    if let [only] = &steps[..] {
        return all_of(only);
    }
    let (mut whole, mut in_order): (Vec<Condition>, Vec<String>) = Default::default();
    for step in steps {
        let (of_game, of_step): (Vec<_>, Vec<_>) =
            step.into_iter().partition(|condition| condition.joining == Joining::WholeGame);
        whole.extend(of_game);
        in_order.extend((!of_step.is_empty()).then(|| bracketed(&all_of(&of_step))));
    }
    whole.insert(0, Condition { text: in_order.join(" then "), joining: Joining::SomePosition });
    all_of(&whole)
}

fn all_of(conditions: &[Condition]) -> String {
    let is_state = |condition: &&Condition| condition.joining == Joining::OnePosition;
    let states: Vec<String> =
        conditions.iter().filter(is_state).map(|state| operand(&without_braces(&state.text))).collect();
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
pub(super) fn operand(text: &str) -> String {
    in_brackets_if_any(text, &[" or ", " then "])
}

/// A text as an operand of `not` or `then`.
fn bracketed(text: &str) -> String {
    in_brackets_if_any(text, &[" and ", " or ", " then "])
}

/// A text in brackets if one of these words stands in it, unless all of it stands in braces.
fn in_brackets_if_any(text: &str, words: &[&str]) -> String {
    let is_whole = text.starts_with('{') && text.ends_with('}') && !text[1..].contains('{');
    let is_any = words.iter().any(|word| text.contains(word));
    if is_any && !is_whole { format!("({text})") } else { text.to_string() }
}

/// A text as one condition, before a window.
fn one_condition(text: &str) -> String {
    let needs_braces = !text.starts_with('{') && (text.contains(" and ") || text.contains(" or "));
    if needs_braces { format!("{{ {text} }}") } else { text.to_string() }
}

/// A state within the braces of several: braces of its own are brackets there.
pub(super) fn without_braces(text: &str) -> String {
    let inner = text.strip_prefix("{ ").and_then(|inner| inner.strip_suffix(" }")).filter(|inner| !inner.contains('{'));
    inner.map_or_else(|| text.replace("{ ", "(").replace(" }", ")"), String::from)
}
