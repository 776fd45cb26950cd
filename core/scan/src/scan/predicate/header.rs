//! The header of the game passes a test. This needs no board.

use super::{Predicate, TestedPly};
use crate::headers::HeaderTest;
use crate::scan::access_path::{AccessPath, PredicateAccess};

impl Predicate for HeaderTest {
    fn test_after(&self, at: &mut TestedPly<'_, '_>) -> bool {
        self.matches(at.game.span, at.game.nth)
    }

    fn access(&self, _: bool) -> PredicateAccess {
        PredicateAccess::by(AccessPath::Header)
    }
}
