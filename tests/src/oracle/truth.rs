//! Combines what is true, false or unknown, by Kleene's logic.

/// Whether something holds at a position; none if that is unknown.
pub(super) type Truth = Option<bool>;

/// Whether all parts hold, by Kleene's logic.
pub(super) fn all_hold(parts: impl Iterator<Item = Truth>) -> Truth {
    let parts: Vec<Truth> = parts.collect();
    if parts.contains(&Some(false)) {
        return Some(false);
    }
    if parts.contains(&None) { None } else { Some(true) }
}

/// Whether some part holds, by Kleene's logic.
pub(super) fn some_holds(parts: impl Iterator<Item = Truth>) -> Truth {
    fails(all_hold(parts.map(fails)))
}

/// Whether at least so many parts hold, by Kleene's logic.
pub(super) fn so_many_hold(least: usize, parts: impl Iterator<Item = Truth>) -> Truth {
    let parts: Vec<Truth> = parts.collect();
    let number = |truth: &[Truth]| parts.iter().filter(|part| truth.contains(part)).count();
    match (number(&[Some(true)]) >= least, number(&[Some(true), None]) >= least) {
        (true, _) => Some(true),
        (false, true) => None,
        (false, false) => Some(false),
    }
}

/// Whether something does not hold.
pub(super) fn fails(truth: Truth) -> Truth {
    truth.map(|holds| !holds)
}
