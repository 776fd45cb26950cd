//! Any text as a signature, any words as signatures: what is read is written as it was, verdicts and targets never panic,
//! each signature reaches itself, verdicts are symmetric under a colour swap, and no target is stricter than the verdict.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::board::{Board, ByPiece, PieceCode, make::MailboxOnly};
use plyfold_core::matsig::reach::can_reach;
use plyfold_core::matsig::target::{MaterialBounds, ReachabilityTarget};
use plyfold_core::matsig::{MatSig, tracker::SignatureTracker};
use plyfold_core::moves::Move;

fn words(bytes: &[u8]) -> [MatSig; 2] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    }
    let [white, black, white_after, black_after] = words;
    [MatSig { white, black }, MatSig { white: white_after, black: black_after }]
}

fuzz_target!(|input: &[u8]| {
    if let Some(read) = core::str::from_utf8(input).ok().and_then(|text| text.parse::<MatSig>().ok()) {
        assert_eq!(read.to_string().parse(), Ok(read));
    }
    let [a, b] = words(input);
    let verdict = can_reach(&a, &b);
    assert!(can_reach(&a, &a) && can_reach(&b, &b));
    assert_eq!(can_reach(&a.mirrored(), &b.mirrored()), verdict);
    // A white and a black pawn on the same square have no order, so such signatures are skipped.
    let is_sane = |signature: &MatSig| signature.white & signature.black & ((1 << 48) - 1) == 0;
    if is_sane(&a) && is_sane(&b) {
        assert_eq!(can_reach(&a.flipped(), &b.flipped()), verdict);
    }
    assert!(!verdict || ReachabilityTarget::from_signature(&a).may_have_been_reached(&b));
    let counts = ByPiece::from_fn(|piece| input.get(piece.index() + 32).copied().unwrap_or(0));
    let mut bounds = MaterialBounds {
        required_pawns: [a.white, a.black],
        allowed_pawns: [b.white, b.black],
        ..MaterialBounds::default()
    };
    bounds.max_pieces[PieceCode::WHITE_PAWN] = counts[PieceCode::NONE];
    bounds.min_pieces = counts;
    for target in [ReachabilityTarget::from_signature(&b), ReachabilityTarget::from_bounds(&bounds)] {
        target.may_have_been_reached(&a);
        target.can_still_be_reached([a.white, a.black], &counts);
    }
    let mut board = Board::initial();
    let mut tracker = SignatureTracker::new(&board);
    for bits in input.chunks_exact(2) {
        let mv = Move::from_bits(u16::from_le_bytes([bits[0], bits[1]]));
        tracker.follow(&board, mv);
        board.make::<MailboxOnly>(mv);
    }
    tracker.signature(&board);
});
