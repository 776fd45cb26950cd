//! The motifs of moves, written from the grammar with the boards of shakmaty.

use plyfold_core::scan::predicate::Motif;
use shakmaty::{Bitboard, Board, Chess, Color, Move, Piece, Position, Role, Square, attacks};

use crate::plays::arrival;

/// A move of a game, with the positions around it.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    /// One more than moves.
    pub positions: &'a [Chess],
    /// None for a null move.
    pub moves: &'a [Option<(Color, Move)>],
    /// The number of the move, from 0.
    pub nth: usize,
    /// Who wins the game.
    pub winner: Option<Color>,
}

/// The move of a moment, and what stands before and after it.
struct Ply<'a> {
    before: &'a Chess,
    after: &'a Chess,
    mv: Move,
    from: Square,
    to: Square,
    piece: Role,
    taken: Option<Role>,
}

impl<'a> Moment<'a> {
    fn ply(&self, offset: isize) -> Option<Ply<'a>> {
        let nth = self.nth.checked_add_signed(offset)?;
        let (mover, mv) = (*self.moves.get(nth)?)?;
        let (before, after) = (&self.positions[nth], &self.positions[nth + 1]);
        let to = arrival(mv, mover);
        let taken = mv.capture();
        Some(Ply { before, after, mv, from: mv.from()?, to, piece: after.board().role_at(to)?, taken })
    }

    /// Whether the move has the motif.
    pub fn has(&self, motif: Motif) -> bool {
        let Some(first) = self.ply(0) else { return false };
        let side = first.before.turn();
        let then = self.ply(1).zip(self.ply(2));
        match motif {
            Motif::HangingPiece => return self.takes_hanging(&first, then.map(|(_, second)| second), side),
            Motif::DiscoveredAttack if uncovers_check(&first) => return true,
            _ => {}
        }
        let Some((reply, second)) = then else { return false };
        let line = Line { moment: *self, side, first, reply, second };
        match motif {
            Motif::Fork => forks(&line.first, side),
            Motif::Pin => {
                let board = line.first.after.board();
                board.by_color(!side).into_iter().any(|square| pin_counts(board, square, side))
            }
            Motif::Skewer => line.skewers(),
            Motif::XRay => line.is_x_ray(),
            Motif::DiscoveredAttack => line.uncovers_capture(),
            Motif::TrappedPiece => line.traps(),
            Motif::Attraction => line.attracts(),
            Motif::Deflection => deflects(&line.first, &line.reply, &line.second),
            Motif::Interference => line.interferes(),
            Motif::Clearance => line.clears(),
            Motif::CapturingDefender => line.takes_defender(),
            Motif::Intermezzo => line.is_intermezzo(),
            Motif::QueenSacrifice => line.gives_queen(),
            Motif::HangingPiece => false,
        }
    }

    fn takes_hanging(&self, first: &Ply<'_>, second: Option<Ply<'_>>, side: Color) -> bool {
        let Some(taken) = first.taken.filter(|&role| role != Role::Pawn) else { return false };
        let recaptures = self
            .ply(-1)
            .is_some_and(|left| left.to == first.to && left.taken.is_some_and(|lost| value(lost) >= value(taken)));
        let was_free = self.ply(-2).is_none_or(|own| {
            let board = own.after.board();
            let pieces = board.by_color(!side) & !board.pawns() & !board.kings();
            own.taken.is_none() && !own.after.is_check() && !pieces.into_iter().any(|square| endangered(board, square))
        });
        !first.before.is_check()
            && undefended(first.before.board(), first.to)
            && !recaptures
            && was_free
            && second.is_none_or(|second| balance(second.after, side) >= balance(first.after, side))
    }
}

/// A move, the reply, and the next move of the side.
struct Line<'a> {
    moment: Moment<'a>,
    side: Color,
    first: Ply<'a>,
    reply: Ply<'a>,
    second: Ply<'a>,
}

impl Line<'_> {
    /// Whether the second move of the side passes a square.
    fn second_passes(&self, square: Square) -> bool {
        attacks::between(self.second.from, self.second.to).contains(square)
    }

    fn skewers(&self) -> bool {
        let Line { reply, second, .. } = self;
        second.taken.is_some_and(|taken| value(reply.piece) > value(taken))
            && is_slider(second.piece)
            && self.second_passes(reply.from)
            && reply.to != second.to
            && endangered(second.before.board(), second.to)
            && !second.after.is_checkmate()
    }

    fn is_x_ray(&self) -> bool {
        let Line { first, reply, second, .. } = self;
        [reply.to, second.to] == [first.to; 2] && second.taken.is_some() && self.second_passes(reply.from)
    }

    fn uncovers_capture(&self) -> bool {
        let Line { first, reply, second, .. } = self;
        second.taken.is_some()
            && self.second_passes(first.from)
            && ![first.to, reply.to].contains(&second.to)
            && second.from != first.to
    }

    fn traps(&self) -> bool {
        let Line { first, reply, second, .. } = self;
        let victim = if reply.to == second.to { reply.from } else { second.to };
        second.taken.is_some_and(|taken| taken != Role::Pawn) && is_trapped(first.after, victim)
    }

    fn attracts(&self) -> bool {
        let Line { first, reply, second, moment, .. } = self;
        let board = second.after.board();
        let is_taken = || moment.ply(3).and(moment.ply(4)).is_some_and(|third| third.to == first.to);
        reply.to == first.to
            && board.attacks_to(first.to, self.side, board.occupied()).contains(second.to)
            && match reply.piece {
                Role::King => true,
                Role::Queen | Role::Rook => is_taken(),
                _ => false,
            }
    }

    fn interferes(&self) -> bool {
        let Line { first, reply, second, side, .. } = self;
        let target = second.to;
        let steps_in = cuts_off(reply, target, !*side) || target != reply.to && cuts_off(first, target, !*side);
        second.taken.is_some() && steps_in && undefended(second.before.board(), target)
    }

    fn clears(&self) -> bool {
        let Line { first, reply, second, .. } = self;
        second.taken.is_none()
            && is_slider(second.piece)
            && !second.mv.is_promotion()
            && (self.second_passes(first.from) || second.to == first.from)
            && !first.mv.is_promotion()
            && first.to != second.from
            && first.to != second.to
            && !second.before.is_check()
            && !(second.after.is_check() && reply.piece == Role::King)
            && (first.taken.is_none() || endangered(first.after.board(), first.to))
    }

    fn takes_defender(&self) -> bool {
        let Line { first, second, side, .. } = self;
        let board = first.before.board();
        let wins = second.taken.is_some_and(|taken| {
            second.piece != Role::King
                && value(taken) <= value(second.piece)
                && undefended(second.before.board(), second.to)
        });
        first.taken.is_some()
            && board.attacks_to(second.to, !*side, board.occupied()).contains(first.to)
            && second.from != first.to
            && !first.before.is_check()
            && !first.after.is_check()
            && (wins || second.after.is_checkmate())
    }

    fn gives_queen(&self) -> bool {
        let Line { first, reply, moment, side, .. } = self;
        let moves_queen = reply.to == first.to && first.piece == Role::Queen;
        let queen = if reply.to == first.to { first.from } else { reply.to };
        let at = |ply: usize| moment.positions.get(ply).map(|position| balance(position, *side));
        let least = (moment.nth.saturating_sub(4)..=moment.nth).filter_map(at).min().expect("the position before");
        let after = [2, 3, 5, 7].into_iter().filter_map(|plies| at(moment.nth + plies));
        let board = first.before.board();
        let was_free = || {
            let position = first.before;
            let turned = |mv: Move| mv.from() == Some(queen);
            let escapes = |mv: &Move| {
                mv.capture().is_some_and(|taken| value(taken) >= 9)
                    || !endangered(position.clone().play(*mv).expect("legal").board(), mv.to())
            };
            let mut ways = position.legal_moves().into_iter().filter(|&mv| turned(mv));
            pin_line(board, queen).is_none() && ways.any(|mv| escapes(&mv))
        };
        reply.taken == Some(Role::Queen)
            && moment.winner.map_or(moves_queen, |winner| winner == *side)
            && after.into_iter().all(|now| now - least <= -2)
            && !first.before.is_check()
            && (!endangered(board, queen) || was_free())
    }

    fn is_intermezzo(&self) -> bool {
        let Line { first, reply, second, moment, .. } = self;
        moment.ply(-1).is_some_and(|taking| {
            taking.taken.is_some()
                && second.taken.is_some()
                && second.to == taking.to
                && ![first.to, reply.to].contains(&taking.to)
                && first.before.legal_moves().contains(&second_before(first, second))
        })
    }
}

/// The points of a side, less those of the other.
fn balance(position: &Chess, side: Color) -> i32 {
    let board = position.board();
    let points = |side: Color| -> i32 {
        let roles = board.by_color(side).into_iter().filter_map(|square| board.role_at(square));
        roles.filter(|&role| role != Role::King).map(value).sum()
    };
    points(side) - points(!side)
}

fn uncovers_check(first: &Ply<'_>) -> bool {
    let checkers = first.after.checkers();
    checkers.any() && !checkers.contains(first.to)
}

/// The second move of the side, as it would have been before the first.
fn second_before(first: &Ply<'_>, second: &Ply<'_>) -> Move {
    match second.mv {
        Move::Normal { role, from, to, promotion, .. } => {
            Move::Normal { role, from, to, promotion, capture: first.before.board().role_at(to) }
        }
        other => other,
    }
}

fn value(role: Role) -> i32 {
    [1, 3, 3, 5, 9, 99][role as usize - 1]
}

fn is_slider(role: Role) -> bool {
    [Role::Bishop, Role::Rook, Role::Queen].contains(&role)
}

/// Whether nothing defends the piece on a square, directly or through one enemy line piece that attacks it.
fn undefended(board: &Board, square: Square) -> bool {
    let Some(Piece { color, .. }) = board.piece_at(square) else { return false };
    let guards = |board: &Board| board.attacks_to(square, color, board.occupied()).any();
    let through = |enemy: Square| {
        let mut without = board.clone();
        without.discard_piece_at(enemy);
        board.role_at(enemy).is_some_and(is_slider) && guards(&without)
    };
    !guards(board) && !board.attacks_to(square, !color, board.occupied()).into_iter().any(through)
}

fn attacked_by_less(board: &Board, square: Square) -> bool {
    let Some(Piece { color, role }) = board.piece_at(square) else { return false };
    let enemies = board.attacks_to(square, !color, board.occupied());
    enemies.into_iter().filter_map(|enemy| board.role_at(enemy)).any(|enemy| value(enemy) < value(role))
}

fn endangered(board: &Board, square: Square) -> bool {
    let Some(Piece { color, .. }) = board.piece_at(square) else { return false };
    let is_attacked = board.attacks_to(square, !color, board.occupied()).any();
    is_attacked && (undefended(board, square) || attacked_by_less(board, square))
}

fn forks(first: &Ply<'_>, side: Color) -> bool {
    let board = first.after.board();
    let targets = board.attacks_from(first.to) & board.by_color(!side) & !board.pawns();
    let counts = |target: Square| {
        let worth_more = board.role_at(target).is_some_and(|role| value(role) > value(first.piece));
        worth_more || undefended(board, target) && !board.attacks_from(target).contains(first.to)
    };
    first.piece != Role::King
        && !endangered(board, first.to)
        && targets.into_iter().filter(|&target| counts(target)).count() >= 2
}

/// The line on which the piece on a square is pinned: taking it away lets a line piece beyond it attack the king.
fn pin_line(board: &Board, square: Square) -> Option<Bitboard> {
    let Piece { color, role } = board.piece_at(square)?;
    let king = board.king_of(color).filter(|_| role != Role::King)?;
    let mut without = board.clone();
    without.discard_piece_at(square);
    let pins = |enemy: &Square| attacks::between(king, *enemy).contains(square);
    let pinner = without.attacks_to(king, !color, without.occupied()).into_iter().find(pins)?;
    Some(attacks::between(king, pinner).with(pinner))
}

fn pin_counts(board: &Board, square: Square, side: Color) -> bool {
    let (Some(line), Some(Piece { role, .. })) = (pin_line(board, square), board.piece_at(square)) else {
        return false;
    };
    let reach = board.attacks_from(square) & board.by_color(side);
    let saved = |target: Square| {
        board.role_at(target).is_some_and(|target| value(target) > value(role)) || undefended(board, target)
    };
    let enemies = board.attacks_to(square, side, board.occupied());
    (reach & !line).into_iter().any(saved)
        || attacked_by_less(board, square)
        || enemies.any() && undefended(board, square) && (reach & line & enemies).is_empty()
}

fn is_trapped(position: &Chess, square: Square) -> bool {
    let board = position.board();
    let Some(Piece { role, color }) = board.piece_at(square) else { return false };
    let is_held = position.is_check() || pin_line(board, square).is_some() || [Role::Pawn, Role::King].contains(&role);
    let mut ways = position.legal_moves().into_iter().filter(|mv| mv.from() == Some(square) && !mv.is_castle());
    let is_lost = |mv: Move| {
        let after = position.clone().play(mv).expect("legal");
        mv.capture().is_none_or(|taken| value(taken) < value(role)) && endangered(after.board(), mv.to())
    };
    color == position.turn() && !is_held && endangered(board, square) && ways.all(is_lost)
}

fn deflects(first: &Ply<'_>, reply: &Ply<'_>, second: &Ply<'_>) -> bool {
    let board = first.after.board();
    let guarded = board.attacks_from(reply.from);
    let promotes = second.mv.is_promotion();
    let guards = guarded.contains(second.to)
        || promotes && second.to.file() == reply.from.file() && guarded.contains(second.from);
    (second.taken.is_some() || promotes)
        && second.taken.is_none_or(|taken| value(taken) <= value(second.piece))
        && first.taken.is_none_or(|taken| value(taken) < value(first.piece))
        && ![first.to, reply.to].contains(&second.to)
        && (reply.to == first.to || first.after.is_check())
        && guards
        && !reply.after.board().attacks_from(reply.to).contains(second.to)
}

fn cuts_off(step: &Ply<'_>, target: Square, owner: Color) -> bool {
    let board = step.before.board();
    let defenders = board.attacks_to(target, owner, board.occupied());
    board.role_at(target).is_some()
        && defenders.into_iter().any(|defender| {
            board.role_at(defender).is_some_and(is_slider) && attacks::between(target, defender).contains(step.to)
        })
}
