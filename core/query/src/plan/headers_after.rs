//! What headers fulfil after a `then`: a header holds from the start of the game, so where headers alone fulfil what stands between
//! two `then`s, it is fulfilled when what stands before it is.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::{Occurrence, ScanCondition};

use crate::error::{QueryError, error_of_query};

/// The most ways to fulfil a formula that are written out.
const MAX_WAYS: usize = 256;
/// The most conditions of a list, of which each choice is written out.
const MAX_LISTED: usize = 12;

/// Changes the formula by which a part after a `then` is fulfilled: where headers alone do it, `first` must be fulfilled too. Other
/// conditions wait for `first` anyway.
///
/// # Errors
///
/// There are too many ways to fulfil it.
pub(super) fn fulfil_after(
    formula: &mut Formula,
    first: &Formula,
    conditions: &[ScanCondition],
) -> Result<(), QueryError> {
    let is_header = |n: u16| conditions[usize::from(n)].window.occurrence == Occurrence::Header;
    if !formula.holds_where(&is_header) {
        return Ok(());
    }
    let Some(ways) = ways(formula) else {
        return Err(error_of_query("what stands between two `then`s combines headers in too many ways"));
    };
    let each = ways.into_iter().map(|way| {
        let waits = way.iter().any(|&n| !is_header(n));
        let parts = way.into_iter().map(Formula::Bit);
        Formula::And(parts.chain((!waits).then(|| first.clone())).collect())
    });
    *formula = Formula::Or(each.collect());
    Ok(())
}

/// The ways to fulfil a formula without `not`, each the bits that must be set; none if there are too many.
fn ways(formula: &Formula) -> Option<Vec<Vec<u16>>> {
    let found = match formula {
        Formula::True => vec![Vec::new()],
        Formula::Not(_) => Vec::new(),
        Formula::Bit(n) => vec![vec![*n]],
        Formula::Or(parts) => parts.iter().map(ways).collect::<Option<Vec<_>>>()?.concat(),
        Formula::And(parts) => every(parts)?,
        Formula::SomeOf(least, parts) => {
            if parts.len() > MAX_LISTED {
                return None;
            }
            let mut found = Vec::new();
            let choices = (0..1u32 << parts.len()).filter(|chosen| chosen.count_ones() as usize == *least);
            for chosen in choices {
                let chosen: Vec<Formula> = parts
                    .iter()
                    .enumerate()
                    .filter(|(n, _)| chosen >> n & 1 != 0)
                    .map(|(_, part)| part.clone())
                    .collect();
                found.extend(every(&chosen)?);
            }
            found
        }
    };
    (found.len() <= MAX_WAYS).then_some(found)
}

/// The ways to fulfil all parts.
fn every(parts: &[Formula]) -> Option<Vec<Vec<u16>>> {
    let mut found = vec![Vec::new()];
    for part in parts {
        let of_part = ways(part)?;
        if found.len() * of_part.len() > MAX_WAYS {
            return None;
        }
        found = found.iter().flat_map(|way| of_part.iter().map(move |more| [&way[..], more].concat())).collect();
    }
    Some(found)
}
