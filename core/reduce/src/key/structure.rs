//! The pawn structure: the pawns of both sides, as in the language's `structure`.

use plyfold_board::irreversible::pawns::PawnEventCursor;
use plyfold_scan::game::ShardParts;
use plyfold_scan::scan::reducer::ScanMatch;

use super::feature::{KeyCondition, KeyFeature, KeyValue, ValueFormat};
use crate::structures::packed::{self, PackedStructure};

pub(super) const STRUCTURE: KeyFeature = KeyFeature {
    name: "structure",
    aliases: &["pawn_structure"],
    summary: "the pawns of both sides, as in `8/pp3ppp/4p3/8/3P4/8/PP3PPP/8`",
    value: KeyValue::Changes(ShardParts::PAWN_EVENTS, |found, at| {
        let mut structure = None;
        for_each_structure(found, |pawns, ply| {
            let word = match &mut structure {
                None => structure.insert(PackedStructure::new(pawns)).word(),
                Some(structure) => structure.change_to(pawns),
            };
            at(word, ply);
        });
    }),
    format: ValueFormat::Value(packed::placement_text),
    is_ordered: false,
    condition: Some(KeyCondition { before: "structure \"", between: "", behind: "\"" }),
};

/// Visits the pawns of a game, White's and Black's, each with the ply from which they stand, from those of the first matching position,
/// which are reported from the start, to those of the last.
pub(super) fn for_each_structure(found: &ScanMatch<'_>, mut visit: impl FnMut([u64; 2], usize)) {
    let mut pawns = PawnEventCursor::at_start(found.start_board, found.event_streams.pawns);
    let (first, last) = (found.matches.first().moves(), found.matches.last().moves());
    while pawns.next_ply() <= first {
        pawns.advance();
    }
    visit(pawns.pawns(), 0);
    while pawns.next_ply() <= last {
        let ply = pawns.next_ply();
        pawns.advance();
        visit(pawns.pawns(), ply);
    }
}
