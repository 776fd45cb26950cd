//! The pawn structure: the pawns of both sides, as the language's `structure` asks for them.

use super::{Feature, Of, Show};
use crate::course::pawns::Walk;
use crate::reduce::structures::packed;

pub(super) const STRUCTURE: Feature = Feature {
    name: "structure",
    aliases: &["pawn_structure"],
    summary: "the pawns of both sides and nothing else, as in `8/pp3ppp/4p3/8/3P4/8/PP3PPP/8`",
    of: Of::Changes(|found, at| {
        let mut pawns = Walk::on(found.start, found.course.pawns);
        at(packed::word(pawns.pawns()), 0);
        while pawns.next_ply() <= found.game.moves.len() {
            let ply = pawns.next_ply();
            pawns.step();
            at(packed::word(pawns.pawns()), ply);
        }
    }),
    show: Show::Value(packed::written),
    is_ordered: false,
};
