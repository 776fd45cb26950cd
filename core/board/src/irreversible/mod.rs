//! The irreversible moves of a game, as two streams of 16-bit events.
//!
//! One ply in six captures a piece or promotes a pawn ([`material`]); three in ten change the squares of pawns ([`pawns`]).
//! Predicates on material follow the one stream, predicates on pawns the other; neither needs moves or a board.
//!
//! Each event has the number of plies since the event before it, so either stream can be read alone. The number of the ply and
//! the side that made the first move determine which side moved.

pub mod home_pawns;
pub mod material;
pub mod pawns;

use alloc::vec::Vec;

use shakmaty::{Bitboard, Role};

use crate::board::make::{MailboxOnly, MakeState};
use crate::board::{Board, ColorCode, PieceCode};
use crate::moves::Move;

/// The two streams of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EventStreams<'a> {
    /// Captures and promotions.
    pub material: &'a [material::MaterialEvent],
    /// Changes of pawns.
    pub pawns: &'a [pawns::PawnEvent],
}

impl<'a> EventStreams<'a> {
    /// Takes the streams of one game from those of several: `from` and `to` are its beginning and end in each stream. If a stream
    /// has no such range, its part is empty.
    #[inline(always)]
    pub fn slice_of(
        material: &'a [material::MaterialEvent],
        pawns: &'a [pawns::PawnEvent],
        from: [u32; 2],
        to: [u32; 2],
    ) -> EventStreams<'a> {
        let [material_at, pawns_at] = [0, 1].map(|stream| from[stream] as usize..to[stream] as usize);
        EventStreams { material: material.get(material_at).unwrap_or(&[]), pawns: pawns.get(pawns_at).unwrap_or(&[]) }
    }
}

/// The streams of several games, one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EventStreamBuffer {
    /// Captures and promotions.
    pub material: Vec<material::MaterialEvent>,
    /// Changes of pawns.
    pub pawns: Vec<pawns::PawnEvent>,
}

impl EventStreamBuffer {
    /// Adds the streams of a game.
    ///
    /// Cost: one replay with a mailbox.
    pub fn push_game(&mut self, start: &Board, moves: &[Move]) {
        let mut board = start.clone();
        let mut walk = MakeState::for_board(&board);
        let (mut last_material_ply, mut last_pawn_ply) = (0, 0);
        for (first_ply, moves) in (0..).step_by(PLIES_PER_WORD).zip(moves.chunks(PLIES_PER_WORD)) {
            let mut taken = [PieceCode::NONE; PLIES_PER_WORD];
            let (mut material_plies, mut pawn_plies) = (0, 0);
            for (nth, (&mv, taken)) in moves.iter().zip(&mut taken).enumerate() {
                let promotes;
                (*taken, promotes) =
                    if mv.is_special() { special_capture(&board, mv) } else { (board.mailbox[mv.target()], false) };
                material_plies |= u64::from(!taken.is_none() | promotes) << nth;
                pawn_plies |= u64::from(mv.arrives_as(Role::Pawn) | promotes | taken.is(Role::Pawn)) << nth;
                board.make_with::<MailboxOnly>(mv, &mut walk);
            }
            for nth in Bitboard(material_plies) {
                let (mv, taken, ply) = (moves[nth as usize], taken[nth as usize], first_ply + nth as usize + 1);
                let bits = material::event_bits(mv, taken);
                push_event::<{ material::GAP_SHIFT }>(&mut self.material, ply - last_material_ply, bits, 0);
                last_material_ply = ply;
            }
            for nth in Bitboard(pawn_plies) {
                let (mv, taken, ply) = (moves[nth as usize], taken[nth as usize], first_ply + nth as usize + 1);
                let bits = pawns::event_bits(mv, taken);
                push_event::<{ pawns::GAP_SHIFT }>(&mut self.pawns, ply - last_pawn_ply, bits, pawns::FILLER);
                last_pawn_ply = ply;
            }
        }
    }

    /// The streams as those of one game.
    pub fn as_streams(&self) -> EventStreams<'_> {
        EventStreams { material: &self.material, pawns: &self.pawns }
    }

    /// Removes all events and keeps the memory.
    pub fn clear(&mut self) {
        self.material.clear();
        self.pawns.clear();
    }
}

/// Plies that are tested before their events are written: one for each bit of a word.
///
/// PERF: a branch on whether a ply is an event is mispredicted every few plies; visiting the set bits of a word needs no such branch.
const PLIES_PER_WORD: usize = 64;

/// The piece that a special move captures, and whether it promotes a pawn.
#[cold]
fn special_capture(board: &Board, mv: Move) -> (PieceCode, bool) {
    let (from, to) = (mv.origin(), mv.target());
    if mv.is_castling() || mv.is_null() {
        (PieceCode::NONE, false)
    } else if mv.is_en_passant() {
        (board.mailbox[pawns::en_passant_capture_square(from, to)], false)
    } else {
        (board.mailbox[to], mv.promoted().is_some())
    }
}

/// Adds an event with its number of plies since the event before, in the bits from `SHIFT` on, behind fillers of this kind.
fn push_event<const SHIFT: u32>(events: &mut Vec<u16>, mut gap: usize, bits: u16, filler: u16) {
    let most = u16::MAX >> SHIFT;
    while gap > most.into() {
        events.push(most << SHIFT | filler);
        gap -= usize::from(most);
    }
    events.push((gap as u16) << SHIFT | bits);
}

/// The side that makes ply `ply` (from 1) if `first_mover` begins the game: 0 for White, 8 for Black.
#[inline(always)]
pub const fn mover_at(first_mover: ColorCode, ply: usize) -> ColorCode {
    first_mover.opponent().after_plies(ply)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::{Color, Square};

    use super::home_pawns::{EventTotals, LEFT_LATE, MAX_PROMOTIONS, NEVER_LEFT};
    use super::*;
    use crate::board::make::FullState;
    use crate::board::start::PackedStart;
    use crate::matsig::MatSig;
    use crate::random_games;

    /// Walks both streams beside a replay: they must say, ply by ply, what the board says.
    fn agree(start: &Board, moves: &[Move]) {
        let mut courses = EventStreamBuffer::default();
        courses.push_game(start, moves);
        let course = courses.as_streams();
        let first = start.turn;
        let (mut material, mut pawns) = (
            material::MaterialEventCursor::at_start(start, course.material),
            pawns::PawnEventCursor::at_start(start, course.pawns),
        );
        let mut board = start.clone();
        let at_home = |board: &Board, column: usize| match column {
            0..8 => board.bitboards[PieceCode::WHITE_PAWN] >> (8 + column) & 1 != 0,
            _ => board.bitboards[PieceCode::BLACK_PAWN] >> (40 + column) & 1 != 0,
        };
        let mut left: [u8; 16] = core::array::from_fn(|column| if at_home(start, column) { NEVER_LEFT } else { 0 });
        let mut promoted = [0; 2];
        for (ply, &mv) in (1..).zip(moves) {
            board.make::<FullState>(mv);
            while material.next_ply() <= ply {
                material.advance();
            }
            while pawns.next_ply() <= ply {
                pawns.advance();
            }
            let number = material.piece_counts();
            for code in PieceCode::all().filter(|code| code.role().is_some()) {
                assert_eq!(number[code], board.piece_counts[code], "pieces of code {code:?} after ply {ply}");
            }
            let dark = Square::ALL.iter().filter(|square| square.is_dark());
            for colour in Color::ALL {
                let bishop = PieceCode::new(colour, Role::Bishop);
                let bishops = dark.clone().filter(|&&square| board.mailbox[square as usize] == bishop).count();
                assert_eq!(
                    usize::from(number[material::dark_bishops(colour)]),
                    bishops,
                    "dark bishops after ply {ply}"
                );
            }
            assert_eq!(pawns.pawns(), board.pawns(), "pawns after ply {ply}");
            assert_eq!(mover_at(first, ply + 1), board.turn);
            for (column, left) in left.iter_mut().enumerate() {
                if *left == NEVER_LEFT && !at_home(&board, column) {
                    *left = ply.min(LEFT_LATE.into()) as u8;
                }
            }
            promoted[board.turn.opponent().index()] += u8::from(mv.promoted().is_some());
        }
        let [white, black] = promoted.map(|promoted| promoted.min(MAX_PROMOTIONS));
        let expected: Vec<u8> = left.into_iter().chain([white | black << 4]).collect();
        let sum = EventTotals::from_streams(start, course);
        assert_eq!(sum.home_pawns[..], expected);
        assert_eq!(
            MatSig::from_parts(sum.pawns, sum.piece_counts.by_signature_piece(), [None; 2]).without_history(),
            MatSig::from_board(&board)
        );
    }

    proptest! {
        #[test]
        fn streams_say_what_the_board_says(choices in prop::collection::vec(any::<u16>(), 1..200), other in any::<bool>()) {
            let start = random_games::position(random_games::STARTS[if other { 2 } else { 0 }]);
            let mut moves = Vec::new();
            random_games::play(&start, choices, true, |mv, _| moves.push(mv));
            agree(&Board::from_start(&PackedStart::from_position(&start)), &moves);
        }

        #[test]
        fn any_bits_are_walked_without_panic(
            moves in prop::collection::vec(any::<u16>(), 0..200),
            material in prop::collection::vec(any::<u16>(), 0..100),
            pawns in prop::collection::vec(any::<u16>(), 0..100),
        ) {
            let moves: Vec<Move> = moves.into_iter().map(Move::from_bits).collect();
            EventStreamBuffer::default().push_game(&Board::initial(), &moves);
            let mut walk = material::MaterialEventCursor::at_start(&Board::initial(), &material);
            while walk.next_ply() != usize::MAX {
                walk.advance();
            }
            let mut walk = pawns::PawnEventCursor::at_start(&Board::initial(), &pawns);
            while walk.next_ply() != usize::MAX {
                walk.advance();
            }
        }
    }

    #[test]
    fn long_waits_have_fillers() {
        // 3,000 plies in which only knights move, then three moves of pawns.
        let knight = |from, to| Move::normal(shakmaty::Role::Knight, from, to);
        let round = [
            knight(Square::G1, Square::F3),
            knight(Square::G8, Square::F6),
            knight(Square::F3, Square::G1),
            knight(Square::F6, Square::G8),
        ];
        let mut moves: Vec<Move> = round.iter().copied().cycle().take(3000).collect();
        moves.push(Move::normal(shakmaty::Role::Pawn, Square::E2, Square::E4));
        moves.push(Move::normal(shakmaty::Role::Pawn, Square::D7, Square::D5));
        moves.push(Move::normal(shakmaty::Role::Pawn, Square::E4, Square::D5));
        agree(&Board::initial(), &moves);
    }
}
