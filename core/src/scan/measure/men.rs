//! Men of a kind: `knight on e5`, `count(white rook)`.

use shakmaty::{Color, Role};

use super::{Anywhere, Feature, Implied, Scope, squares_of_all};
use crate::board::{man, squares_of};
use crate::scan::needs::Needs;

/// The names of the roles in queries, pawn to king.
pub const NAMES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

macro_rules! role {
    ($feature:ident, $role:ident, $name:literal, $needs:ident) => {
        #[doc = concat!("Squares of the side's men of role ", $name, ".")]
        pub(super) const $feature: Feature = Feature {
            name: $name,
            aliases: &[],
            summary: concat!("a ", $name),
            sided: true,
            placed: true,
            depends: squares_of(Role::$role as u8),
            needs: Needs::$needs,
            scope: Scope::Square([u64::MAX; 2]),
            anywhere: Anywhere::Numbers(|number, colour| number[usize::from(man(colour, Role::$role))] > 0),
            implies: Implied::Men(Role::$role, 1),
            squares: |board, colour| board.by(colour, Role::$role),
        };
    };
}

role!(PAWN, Pawn, "pawn", PAWNS);
role!(KNIGHT, Knight, "knight", BITS);
role!(BISHOP, Bishop, "bishop", BITS);
role!(ROOK, Rook, "rook", BITS);
role!(QUEEN, Queen, "queen", BITS);
role!(KING, King, "king", BITS);

/// Squares of all the side's men.
pub(super) const MAN: Feature = Feature {
    name: "man",
    aliases: &["piece"],
    summary: "a man of any kind, pawns and king included",
    sided: true,
    placed: true,
    depends: squares_of_all([1, 2, 3, 4, 5, 6]),
    needs: Needs::BITS,
    scope: Scope::Square([u64::MAX; 2]),
    anywhere: Anywhere::Numbers(|number, colour| {
        Role::ALL.into_iter().any(|role| number[usize::from(man(colour, role))] > 0)
    }),
    implies: Implied::Nothing,
    squares: |board, colour: Color| board.occupied_by(colour),
};
