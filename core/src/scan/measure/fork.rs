//! Forks: one man attacks two that cannot well bear it.

use shakmaty::{Bitboard, Color, Role};

use super::{Anywhere, Feature, Implied, Scope, ahead};
use crate::board::attacks::{Mirrored, east, king_attacks, knight_attacks, west};
use crate::board::{Board, EVERYTHING};
use crate::scan::needs::Needs;

/// The side's men that attack two enemy men or more, each of them the king, or worth more than the attacker (knight and bishop 3, rook
/// 5, queen 9), or a piece that its side does not defend. A king that attacks is worth more than all.
pub(super) const FEATURE: Feature = Feature {
    name: "fork",
    aliases: &["forks"],
    summary: "a man that attacks two enemy men, each the king, worth more than it, or an undefended piece",
    sided: true,
    placed: true,
    depends: EVERYTHING,
    needs: Needs::BITS,
    scope: Scope::Board,
    anywhere: Anywhere::Squares,
    implies: Implied::Nothing,
    squares: forks,
};

fn forks(board: &Board, colour: Color) -> u64 {
    let pieces = board.occupied_by(!colour) & !board.by(!colour, Role::Pawn);
    let (king, queen) = (board.by(!colour, Role::King), board.by(!colour, Role::Queen));
    let above_rook = king | queen | pieces & !board.leapt_from(!colour, u64::MAX);
    let targets = [pieces, above_rook | board.by(!colour, Role::Rook), above_rook];
    let attackers = attackers_of_two(board, colour, targets);
    if attackers == 0 {
        return 0;
    }
    let loose = pieces & !board.attacked_by(!colour);
    let of = |role: Role, targets: u64| {
        let forks = |&man: &u64| several(board.attacked_from(colour, man) & targets);
        let men = Bitboard(attackers & board.by(colour, role)).into_iter();
        men.map(|square| 1 << square as u32).filter(forks).sum::<u64>()
    };
    let above_minor = king | queen | board.by(!colour, Role::Rook) | loose;
    attackers & board.by(colour, Role::Pawn)
        | of(Role::Knight, above_minor)
        | of(Role::Bishop, above_minor)
        | of(Role::Rook, king | queen | loose)
        | of(Role::Queen, king | loose)
        | of(Role::King, loose)
}

const fn several(squares: u64) -> bool {
    squares & squares.wrapping_sub(1) != 0
}

/// The side's men that attack two targets or more: of pawns, of minor pieces and the queen on diagonals, of rooks and the queen on lines.
///
/// PERF: rays from the targets find the attackers of all of them at once, and most positions end here. So what pawns, knights and king
/// defend is no target at all.
fn attackers_of_two(board: &Board, colour: Color, [of_pawns, of_minors, of_rooks]: [u64; 3]) -> u64 {
    let (mut one, mut two) = (0, 0);
    let mut add = |attackers: u64| {
        two |= one & attackers;
        one |= attackers;
    };
    let pawns = board.by(colour, Role::Pawn);
    let back = ahead(of_pawns, !colour);
    add(pawns & east(back, 0));
    add(pawns & west(back, 0));
    let empty = !board.occupied();
    let (straight, diagonal) = (board.straight(colour), board.diagonal(colour));
    let through = Mirrored::new(empty);
    if straight != 0 {
        let [up, down] = Mirrored::new(of_rooks).straight(through).apart();
        add(straight & up);
        add(straight & down);
        add(straight & east(of_rooks, empty));
        add(straight & west(of_rooks, empty));
    }
    if diagonal != 0 {
        let of_minors = Mirrored::new(of_minors);
        for rays in [of_minors.to_the_right(through), of_minors.to_the_left(through)] {
            let [up, down] = rays.apart();
            add(diagonal & up);
            add(diagonal & down);
        }
    }
    for knight in Bitboard(board.by(colour, Role::Knight)) {
        let knight = 1 << knight as u32;
        two |= if several(knight_attacks(knight) & of_minors) { knight } else { 0 };
    }
    let king = board.by(colour, Role::King);
    two | if several(king_attacks(king) & of_rooks) { king } else { 0 }
}
