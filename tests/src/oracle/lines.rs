//! Where a game is in lines, and where it leaves them, from the definitions.

use crate::lines::goes_on;

use super::Trace;

impl Trace<'_> {
    /// Whether the position after a ply is one of the lines with this name.
    pub(super) fn is_in_lines(&self, name: &str, ply: usize) -> bool {
        goes_on(name, &self.identities[ply]).is_some()
    }

    /// The ply at which the game leaves the lines with this name: the one after the last of their positions, if they go on there.
    pub(super) fn ply_of_leaving(&self, name: &str) -> Option<usize> {
        let last = (0..=self.plies()).rev().find(|&ply| self.is_in_lines(name, ply))?;
        let leaves = last < self.plies() && goes_on(name, &self.identities[last]) == Some(true);
        leaves.then_some(last + 1)
    }
}
