//! The pawn structure: the pawns of both sides, as in the language's `structure`.

use plyfold_board::irreversible::pawns::PawnEventCursor;

use super::feature::{KeyCondition, KeyFeature, KeyValue, ValueFormat};
use crate::structures::packed;

pub(super) const STRUCTURE: KeyFeature = KeyFeature {
    name: "structure",
    aliases: &["pawn_structure"],
    summary: "the pawns of both sides, as in `8/pp3ppp/4p3/8/3P4/8/PP3PPP/8`",
    value: KeyValue::Changes(|found, at| {
        let mut pawns = PawnEventCursor::at_start(found.start_board, found.event_streams.pawns);
        at(packed::pack(pawns.pawns()), 0);
        while pawns.next_ply() <= found.game.moves.len() {
            let ply = pawns.next_ply();
            pawns.advance();
            at(packed::pack(pawns.pawns()), ply);
        }
    }),
    format: ValueFormat::Value(packed::placement_text),
    is_ordered: false,
    condition: Some(KeyCondition { before: "structure \"", between: "", behind: "\"" }),
};
