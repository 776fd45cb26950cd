//! Random games, by which tests compare boards with shakmaty.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

use crate::moves::Move;

/// Positions with many kinds of moves.
pub(crate) const STARTS: [&str; 7] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "1n2k3/P1P1P2p/8/1pPp4/2PpPp2/8/p1p3PP/1N2K2R b K - 3 20",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "4k3/8/4n3/8/8/4R3/B7/Q3K2R b K - 0 1",
];

pub(crate) fn position(fen: &str) -> Chess {
    fen.parse::<Fen>().expect(fen).into_position(CastlingMode::Chess960).expect(fen)
}

/// Numbers for the choices of a game.
pub(crate) fn choices(game: u64) -> impl Iterator<Item = u16> {
    let mut state = game;
    core::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u16
    })
}

/// Plays a game with a number for each choice, and calls `visit` with each move and the position after it. Rare kinds of moves are
/// preferred now and then, because random games would never castle or take en passant. With `passes` there are null moves.
pub(crate) fn play(
    start: &Chess,
    choices: impl IntoIterator<Item = u16>,
    passes: bool,
    mut visit: impl FnMut(Move, &Chess),
) {
    let mut position = start.clone();
    for choice in choices {
        if passes
            && choice % 97 == 0
            && let Ok(passed) = position.clone().swap_turn()
        {
            position = passed;
            visit(Move::NULL, &position);
            continue;
        }
        let mut legal = position.legal_moves();
        let is_rare = |mv: &shakmaty::Move| mv.is_castle() || mv.is_en_passant() || mv.is_promotion();
        if choice & 3 == 0 && legal.iter().any(is_rare) {
            legal.retain(|mv| is_rare(mv));
        }
        let Some(&mv) = legal.get(usize::from(choice) % legal.len().max(1)) else { return };
        position.play_unchecked(mv);
        visit(Move::from(mv), &position);
    }
}
