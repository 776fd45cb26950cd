//! Writes a query with one of its conditions changed. All other text stays as it is, byte for byte.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::outline::{OutlinedCondition, outline};
use super::parse::check_syntax;
use super::span::TextSpan;

/// A change of a condition; conditions count from 0, in their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConditionChange {
    /// Turns it to a side, as a query writes it: `white`, `"Carlsen*"`, `opponent "Carlsen*"`; an empty text for no side.
    Side(String),
    /// Whether it must hold.
    Negated(bool),
    /// For how many plies in a row it must hold; 0 for any of them.
    Lasting(u32),
    /// Removes it.
    Removed,
    /// Puts this text in its place.
    Replaced(String),
    /// Either it or another condition is enough, which stands with it from now on.
    Or(usize),
    /// It holds at the same position as another condition, which stands with it from now on.
    Together(usize),
    /// Makes conditions of their own of a choice, or of those at the same position.
    Split,
}

/// The query with a condition changed. None if the text is no query, has no such condition, or cannot be changed so.
pub fn changed(text: &str, nth: usize, change: &ConditionChange) -> Option<String> {
    let conditions = outline(text)?;
    let one = conditions.get(nth)?;
    let query = match change {
        ConditionChange::Side(side) => with_side(text, one, side),
        ConditionChange::Negated(is_negated) if *is_negated == one.is_negated => text.into(),
        ConditionChange::Negated(_) => negated(text, one),
        ConditionChange::Lasting(plies) => lasting(text, one, *plies),
        ConditionChange::Removed => removed(text, &conditions, nth),
        ConditionChange::Replaced(by) => replaced(text, one.span, by),
        ConditionChange::Or(other) => joined(text, &conditions, nth, *other, Joining::Or)?,
        ConditionChange::Together(other) => joined(text, &conditions, nth, *other, Joining::Together)?,
        ConditionChange::Split => split(text, one),
    };
    is_query(&query).then_some(query)
}

/// The query with one more condition at its end.
pub fn with_condition(text: &str, condition: &str) -> Option<String> {
    let conditions = outline(text)?;
    let query = match &conditions[..] {
        [] => String::from(condition),
        [one] if one.places.is_open_list => format!("({}) and {condition}", text.trim()),
        _ => format!("{} and {condition}", text.trim()),
    };
    is_query(&query).then_some(query)
}

fn is_query(text: &str) -> bool {
    check_syntax(text).is_ok()
}

fn replaced(text: &str, TextSpan { from, to }: TextSpan, by: &str) -> String {
    [&text[..from], by, &text[to..]].concat()
}

/// The text without a word and the space behind it.
fn without_word(text: &str, TextSpan { from, to }: TextSpan) -> String {
    [&text[..from], text[to..].trim_start()].concat()
}

fn with_side(text: &str, one: &OutlinedCondition, side: &str) -> String {
    let place = one.places.side;
    match (side.is_empty(), place.from == place.to) {
        (true, true) => text.into(),
        (true, false) => without_word(text, place),
        (false, true) => replaced(text, place, &format!("{side} ")),
        (false, false) => replaced(text, place, side),
    }
}

fn negated(text: &str, one: &OutlinedCondition) -> String {
    let Some(word) = one.places.negation else {
        let all = &text[one.span.from..one.span.to];
        return replaced(
            text,
            one.span,
            &if one.places.is_open_list { format!("not ({all})") } else { format!("not {all}") },
        );
    };
    let TextSpan { from, to } = one.places.what;
    match one.places.has_needless_brackets && one.span.to == to {
        true => [&text[..word.from], text[from + 1..to - 1].trim(), &text[to..]].concat(),
        false => without_word(text, word),
    }
}

fn lasting(text: &str, one: &OutlinedCondition, plies: u32) -> String {
    match (one.places.lasting, plies) {
        (None, 0) => text.into(),
        (Some(words), 0) => [text[..words.from].trim_end(), &text[words.to..]].concat(),
        (Some(words), _) => replaced(text, words, &format!("for {plies}")),
        (None, _) => {
            let end = one.places.what.to;
            replaced(text, TextSpan { from: end, to: end }, &format!(" for {plies}"))
        }
    }
}

/// The text without a condition and without the `and` beside it.
fn removed(text: &str, conditions: &[OutlinedCondition], nth: usize) -> String {
    let before = nth.checked_sub(1).map(|before| conditions[before].span.to);
    match (before, conditions.get(nth + 1)) {
        (Some(before), _) => [&text[..before], &text[conditions[nth].span.to..]].concat(),
        (None, Some(after)) => [&text[..conditions[nth].span.from], &text[after.span.from..]].concat(),
        (None, None) => String::new(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Joining {
    Or,
    Together,
}

/// The query with two conditions as one, at the place of the first of the two.
fn joined(text: &str, conditions: &[OutlinedCondition], one: usize, other: usize, how: Joining) -> Option<String> {
    let (first, second) = (one.min(other), one.max(other));
    if first == second || second >= conditions.len() {
        return None;
    }
    if how == Joining::Together && ![first, second].iter().all(|&nth| conditions[nth].may_be_together) {
        return None;
    }
    let parts = [first, second].map(|nth| inside(text, &conditions[nth], how));
    let both = match how {
        Joining::Together => format!("{{ {} }}", parts.join(" and ")),
        Joining::Or if conditions.len() == 2 => parts.join(" or "),
        Joining::Or => format!("({})", parts.join(" or ")),
    };
    let rest = removed(text, conditions, second);
    Some(replaced(&rest, conditions[first].span, &both))
}

/// A condition as a part of another: a list of the same kind without its brackets.
fn inside<'t>(text: &'t str, one: &OutlinedCondition, how: Joining) -> &'t str {
    let list = if how == Joining::Or { &one.alternatives } else { &one.together };
    let (Some(first), Some(last)) = (list.first(), list.last()) else { return &text[one.span.from..one.span.to] };
    &text[first.from..last.to]
}

fn split(text: &str, one: &OutlinedCondition) -> String {
    let parts: Vec<&str> = one.alternatives.iter().chain(&one.together).map(|part| &text[part.from..part.to]).collect();
    if parts.is_empty() { text.into() } else { replaced(text, one.span, &parts.join(" and ")) }
}

#[cfg(test)]
mod tests {
    use ConditionChange::{Lasting, Negated, Or, Removed, Replaced, Side, Split, Together};

    use super::*;

    fn change(text: &str, nth: usize, change: ConditionChange) -> String {
        changed(text, nth, &change).unwrap_or_else(|| panic!("{text}: {change:?}"))
    }

    #[test]
    fn a_condition_turns_to_another_side() {
        let text = "check  and White bishop_pair and queens_off";
        let side = |side: &str| change(text, 1, Side(side.into()));
        assert_eq!(side("winner"), "check  and winner bishop_pair and queens_off");
        assert_eq!(side(""), "check  and bishop_pair and queens_off");
        assert_eq!(side("opponent \"Karpov*\""), "check  and opponent \"Karpov*\" bishop_pair and queens_off");
        let named = "\"Karpov*\"  bishop_pair";
        assert_eq!(change(named, 0, Side("black".into())), "black  bishop_pair");
        assert_eq!(change("not never check", 0, Side("white".into())), "not never white check");
        assert_eq!(change("player \"Karpov*\"", 0, Side("winner".into())), "winner \"Karpov*\"");
        assert_eq!(change("winner \"Karpov*\"", 0, Side(String::new())), "\"Karpov*\"");
        assert_eq!(change("average elo > 3", 0, Side("white".into())), "white elo > 3");
        assert_eq!(changed(text, 2, &Side("white".into())), None);
        assert_eq!(changed(text, 3, &Removed), None);
    }

    #[test]
    fn a_condition_is_negated_and_lasts() {
        let text = "check and white  bishop_pair and queens_off";
        let not = change(text, 1, Negated(true));
        assert_eq!(not, "check and not white  bishop_pair and queens_off");
        assert_eq!(change(&not, 1, Negated(false)), text);
        assert_eq!(change(&not, 1, Negated(true)), not);
        assert_eq!(change("not (white bishop_pair) and check", 0, Negated(false)), "white bishop_pair and check");
        assert_eq!(change("never check", 0, Negated(false)), "check");
        assert_eq!(change("check or castled", 0, Negated(true)), "not (check or castled)");
        assert_eq!(change("not (check or castled) and check", 0, Negated(false)), "(check or castled) and check");
        let long = change(text, 1, Lasting(8));
        assert_eq!(long, "check and white  bishop_pair for 8 and queens_off");
        assert_eq!(change(&long, 1, Lasting(0)), text);
        assert_eq!(change("check for 4 moves before move 20", 0, Lasting(3)), "check for 3 before move 20");
        assert_eq!(changed("year 1990", 0, &Lasting(3)), None);
    }

    #[test]
    fn a_condition_leaves_or_is_replaced() {
        let text = "check for 3  and \"Anna\" and  queens_off";
        assert_eq!(change(text, 0, Removed), "\"Anna\" and  queens_off");
        assert_eq!(change(text, 1, Removed), "check for 3 and  queens_off");
        assert_eq!(change(text, 2, Removed), "check for 3  and \"Anna\"");
        assert_eq!(change("check", 0, Removed), "");
        assert_eq!(
            change(text, 1, Replaced("loser \"Boris\"".into())),
            "check for 3  and loser \"Boris\" and  queens_off"
        );
        assert_eq!(with_condition("check or castled", "elo >= 3").as_deref(), Some("(check or castled) and elo >= 3"));
        assert_eq!(
            with_condition("check then castled", "elo >= 3").as_deref(),
            Some("(check then castled) and elo >= 3")
        );
        assert_eq!(with_condition(" check", "elo >= 3").as_deref(), Some("check and elo >= 3"));
        assert_eq!(with_condition("", "check").as_deref(), Some("check"));
    }

    #[test]
    fn conditions_join_and_are_split() {
        let text = "check and year 1990 and white bishop_pair";
        let either = change(text, 0, Or(2));
        assert_eq!(either, "(check or white bishop_pair) and year 1990");
        assert_eq!(change(&either, 0, Split), "check and white bishop_pair and year 1990");
        assert_eq!(change(&either, 1, Or(0)), "check or white bishop_pair or year 1990");
        assert_eq!(change("check or castled", 0, Split), "check and castled");
        let together = change(text, 2, Together(0));
        assert_eq!(together, "{ check and white bishop_pair } and year 1990");
        assert_eq!(change(&together, 0, Split), "check and white bishop_pair and year 1990");
        assert_eq!(
            change("{ check and castled } and queens_off", 1, Together(0)),
            "{ check and castled and queens_off }"
        );
        assert_eq!(
            change("(check or castled) and queens_off", 0, Together(1)),
            "{ (check or castled) and queens_off }"
        );
        assert_eq!(changed(text, 0, &Together(1)), None);
        assert_eq!(changed(text, 0, &Or(0)), None);
    }
}
