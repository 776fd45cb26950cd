//! Determines the order in which the K-sub-slices of a slice stream through memory.
//!
//! The first sub-cycle of a sub-slice can run when all sub-slices that its king moves lead to are loaded. The second can run
//! when the first has run in all of them. A sub-slice is unloaded when no other needs it any more.
//! Groups of sub-slices that no king move of the phase connects have schedules of their own.

use plyfold_tables::index::TableIndex;

use super::LeapfrogPhase;
use crate::retrograde::geometry::{king_step, to_corner};

/// One step of a schedule. The numbers are classes of white king squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleStep {
    /// Loads a sub-slice.
    Load(usize),
    /// Completes the level that was begun.
    FirstSubCycle(usize),
    /// Begins the next level.
    SecondSubCycle(usize),
    /// Saves the sub-slice.
    Unload(usize),
}

/// The steps of a group of sub-slices, and how many are in memory at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The steps in order.
    pub steps: Vec<ScheduleStep>,
    /// The greatest number of loaded sub-slices.
    pub window: usize,
}

/// The class of a white king's square, or of its image in the stored part of the board.
#[must_use]
pub fn king_class(index: &TableIndex, square: u8) -> usize {
    let square = if index.has_pawns() { square } else { to_corner(square).square(square) };
    index.king_classes().find(square).expect("each square has an image that is stored").0
}

/// The schedules of a phase, one for each group of connected sub-slices.
#[must_use]
pub fn schedules(index: &TableIndex, phase: LeapfrogPhase) -> Vec<Schedule> {
    let classes = index.king_classes().count();
    let depends_on: Vec<Vec<usize>> = (0..classes)
        .map(|class| {
            let squares = index.king_classes().squares(class).iter();
            let steps =
                |&from: &u8| phase.king_directions(index, from).iter().filter_map(move |&by| king_step(from, by));
            let mut seen: Vec<usize> = squares.flat_map(steps).map(|to| king_class(index, to)).collect();
            seen.push(class);
            seen.sort_unstable();
            seen.dedup();
            seen
        })
        .collect();
    // Each class gets the least number of all classes that it is connected with.
    let mut component: Vec<usize> = (0..classes).collect();
    loop {
        let before = component.clone();
        for (class, seen) in depends_on.iter().enumerate() {
            let least = seen.iter().map(|&other| component[other]).min().unwrap_or(class).min(component[class]);
            for &other in seen {
                component[other] = component[other].min(least);
            }
            component[class] = least;
        }
        if component == before {
            break;
        }
    }
    let firsts = (0..classes).filter(|&class| component[class] == class);
    let members = |first: usize| {
        let mut members: Vec<usize> = (0..classes).filter(|&class| component[class] == first).collect();
        // Steps that lead up need the upper squares first.
        if phase == LeapfrogPhase::First {
            members.reverse();
        }
        members
    };
    firsts.map(|first| schedule(&depends_on, &members(first))).collect()
}

/// The schedule of some classes, given the classes that each depends on.
fn schedule(depends_on: &[Vec<usize>], classes: &[usize]) -> Schedule {
    let mut done = vec![[false; 4]; depends_on.len()];
    let (mut steps, mut inside, mut window) = (Vec::new(), 0, 0);
    for &load in classes {
        steps.push(ScheduleStep::Load(load));
        done[load][0] = true;
        inside += 1;
        window = window.max(inside);
        for stage in 1..4 {
            for &class in classes {
                let is_ready = match stage {
                    // All that it depends on must have passed the stage before.
                    1 | 2 => depends_on[class].iter().all(|&other| done[other][stage - 1]),
                    _ => classes.iter().all(|&other| !depends_on[other].contains(&class) || done[other][2]),
                };
                if is_ready && !done[class][stage] {
                    done[class][stage] = true;
                    steps.push(match stage {
                        1 => ScheduleStep::FirstSubCycle(class),
                        2 => ScheduleStep::SecondSubCycle(class),
                        _ => ScheduleStep::Unload(class),
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
    use plyfold_tables::material::TableMaterial;

    use super::*;

    #[test]
    fn every_sub_slice_goes_through_once_and_in_order() {
        for (name, widest, parts) in [
            ("KRvK", [1, 1], [1, 1]),
            ("KRBvKR", [6, 5], [1, 1]),
            ("KRvKRB", [1, 10], [10, 1]),
            ("KRBPvKR", [10, 10], [1, 1]),
        ] {
            let index = TableIndex::new(TableMaterial::parse(name).expect("a material"));
            for (at, turn) in [LeapfrogPhase::First, LeapfrogPhase::Second].into_iter().enumerate() {
                let schedules = schedules(&index, turn);
                assert_eq!(schedules.len(), parts[at], "{name} {turn:?}");
                let window = schedules.iter().map(|schedule| schedule.window).max();
                assert!(window == Some(widest[at]), "{name} {turn:?} {window:?}");
                let steps: Vec<ScheduleStep> = schedules.into_iter().flat_map(|schedule| schedule.steps).collect();
                for class in 0..index.king_classes().count() {
                    let at = |step: ScheduleStep| {
                        let found = (0..).zip(&steps).filter(|(_, other)| **other == step);
                        let found: Vec<usize> = found.map(|(at, _)| at).collect();
                        assert_eq!(found.len(), 1, "{name} {turn:?} {step:?}");
                        found[0]
                    };
                    let order = [
                        ScheduleStep::Load(class),
                        ScheduleStep::FirstSubCycle(class),
                        ScheduleStep::SecondSubCycle(class),
                        ScheduleStep::Unload(class),
                    ]
                    .map(at);
                    assert!(order.is_sorted(), "{name} {turn:?} {class}: {order:?}");
                    for &from in index.king_classes().squares(class) {
                        for to in turn.king_directions(&index, from).iter().filter_map(|&by| king_step(from, by)) {
                            let other = king_class(&index, to);
                            assert!(
                                at(ScheduleStep::Load(other)) < order[1]
                                    && at(ScheduleStep::FirstSubCycle(other)) <= order[2]
                            );
                            assert!(order[2] < at(ScheduleStep::Unload(other)));
                        }
                    }
                }
            }
        }
    }
}
