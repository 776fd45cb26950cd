//! The order in which the K-sub-slices of a slice stream through memory.
//!
//! The first sub-cycle can treat a sub-slice when all that its king moves touch are loaded, the second when they all have
//! been through the first, and a sub-slice can leave when nobody will look at it any more.
//! Sub-slices between which no king move of the turn leads have schedules of their own.

use plyfold_core::table::index::Index;

use super::Turn;
use crate::step::geometry::{step, to_corner};

/// One step of a slice's way through memory; the numbers are classes of white king squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A sub-slice comes in.
    Load(usize),
    /// It completes the level that was begun.
    First(usize),
    /// It begins the next level.
    Second(usize),
    /// It goes out.
    Leave(usize),
}

/// The steps, and how many sub-slices are in memory at once at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// In order.
    pub steps: Vec<Step>,
    /// Greatest number of sub-slices between `Load` and `Leave`.
    pub window: usize,
}

/// The class of white kings that a square belongs to, by symmetry if need be.
#[must_use]
pub fn king_class(index: &Index, square: u8) -> usize {
    let square = if index.has_pawns() { square } else { to_corner(square).square(square) };
    index.kings().find(square).expect("each square has an image that is stored").0
}

/// The schedules of a turn's slices, which go their ways one without the other.
#[must_use]
pub fn schedules(index: &Index, turn: Turn) -> Vec<Schedule> {
    let classes = index.kings().len();
    let looks_at: Vec<Vec<usize>> = (0..classes)
        .map(|class| {
            let squares = index.kings().squares(class).iter();
            let steps = |&from: &u8| turn.king_steps(index.outer()).iter().filter_map(move |&by| step(from, by));
            let mut seen: Vec<usize> = squares.flat_map(steps).map(|to| king_class(index, to)).collect();
            seen.push(class);
            seen.sort_unstable();
            seen.dedup();
            seen
        })
        .collect();
    // Each class gets the least number of those that it is connected with.
    let mut part: Vec<usize> = (0..classes).collect();
    loop {
        let before = part.clone();
        for (class, seen) in looks_at.iter().enumerate() {
            let least = seen.iter().map(|&other| part[other]).min().unwrap_or(class).min(part[class]);
            for &other in seen {
                part[other] = part[other].min(least);
            }
            part[class] = least;
        }
        if part == before {
            break;
        }
    }
    let firsts = (0..classes).filter(|&class| part[class] == class);
    let members = |first: usize| {
        let mut members: Vec<usize> = (0..classes).filter(|&class| part[class] == first).collect();
        // Steps that lead up want the upper squares first.
        if turn == Turn::First {
            members.reverse();
        }
        members
    };
    firsts.map(|first| schedule(&looks_at, &members(first))).collect()
}

/// The schedule of classes, given what each looks at.
fn schedule(looks_at: &[Vec<usize>], classes: &[usize]) -> Schedule {
    let mut done = vec![[false; 4]; looks_at.len()];
    let (mut steps, mut inside, mut window) = (Vec::new(), 0, 0);
    for &load in classes {
        steps.push(Step::Load(load));
        done[load][0] = true;
        inside += 1;
        window = window.max(inside);
        for stage in 1..4 {
            for &class in classes {
                let is_ready = match stage {
                    // All that it looks at must have been through the stage before.
                    1 | 2 => looks_at[class].iter().all(|&other| done[other][stage - 1]),
                    _ => classes.iter().all(|&other| !looks_at[other].contains(&class) || done[other][2]),
                };
                if is_ready && !done[class][stage] {
                    done[class][stage] = true;
                    steps.push(match stage {
                        1 => Step::First(class),
                        2 => Step::Second(class),
                        _ => Step::Leave(class),
                    });
                    inside -= usize::from(stage == 3);
                }
            }
        }
    }
    Schedule { steps, window }
}

#[cfg(test)]
mod tests {
    use plyfold_core::table::material::Material;

    use super::*;

    #[test]
    fn every_sub_slice_goes_through_once_and_in_order() {
        for (name, widest, parts) in [
            ("KRvK", [1, 1], [1, 1]),
            ("KRBvKR", [6, 5], [1, 1]),
            ("KRvKRB", [1, 10], [10, 1]),
            ("KRBPvKR", [10, 10], [1, 1]),
        ] {
            let index = Index::new(Material::parse(name).expect("a material"));
            for (at, turn) in [Turn::First, Turn::Second].into_iter().enumerate() {
                let schedules = schedules(&index, turn);
                assert_eq!(schedules.len(), parts[at], "{name} {turn:?}");
                let window = schedules.iter().map(|schedule| schedule.window).max();
                assert!(window == Some(widest[at]), "{name} {turn:?} {window:?}");
                let steps: Vec<Step> = schedules.into_iter().flat_map(|schedule| schedule.steps).collect();
                for class in 0..index.kings().len() {
                    let at = |step: Step| {
                        let found = (0..).zip(&steps).filter(|(_, other)| **other == step);
                        let found: Vec<usize> = found.map(|(at, _)| at).collect();
                        assert_eq!(found.len(), 1, "{name} {turn:?} {step:?}");
                        found[0]
                    };
                    let order =
                        [Step::Load(class), Step::First(class), Step::Second(class), Step::Leave(class)].map(at);
                    assert!(order.is_sorted(), "{name} {turn:?} {class}: {order:?}");
                    for &from in index.kings().squares(class) {
                        for to in turn.king_steps(index.outer()).iter().filter_map(|&by| step(from, by)) {
                            let other = king_class(&index, to);
                            assert!(at(Step::Load(other)) < order[1] && at(Step::First(other)) <= order[2]);
                            assert!(order[2] < at(Step::Leave(other)));
                        }
                    }
                }
            }
        }
    }
}
