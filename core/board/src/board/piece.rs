//! Pieces and sides as the board stores them: one byte each, laid out so that a move finds its bitboard without a branch.
//!
//! ```text
//! bit 0..3   role    0 none, 1 pawn, 2 knight, 3 bishop, 4 rook, 5 queen, 6 king
//! bit 3      colour  0 White, 1 Black
//! ```

use core::ops::{Index, IndexMut};

use shakmaty::{Color, Role};

use crate::moves::Move;

/// What stands on a square: a piece of one colour and role, or nothing. Bits 0–2 are the role, bit 3 is the colour.
///
/// It is always below 16. Codes 7, 8 and 15 belong to no piece.
///
/// ```
/// use plyfold_board::board::PieceCode;
/// use shakmaty::{Color, Role};
/// let knight = PieceCode::new(Color::Black, Role::Knight);
/// assert_eq!(knight, PieceCode::BLACK_KNIGHT);
/// assert_eq!((knight.color(), knight.role()), (Color::Black, Some(Role::Knight)));
/// assert_eq!(PieceCode::NONE.role(), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
#[repr(transparent)]
pub struct PieceCode(u8);

impl PieceCode {
    /// An empty square.
    pub const NONE: PieceCode = PieceCode(0);
    /// White's pawn.
    pub const WHITE_PAWN: PieceCode = PieceCode::new(Color::White, Role::Pawn);
    /// White's knight.
    pub const WHITE_KNIGHT: PieceCode = PieceCode::new(Color::White, Role::Knight);
    /// White's bishop.
    pub const WHITE_BISHOP: PieceCode = PieceCode::new(Color::White, Role::Bishop);
    /// White's rook.
    pub const WHITE_ROOK: PieceCode = PieceCode::new(Color::White, Role::Rook);
    /// White's queen.
    pub const WHITE_QUEEN: PieceCode = PieceCode::new(Color::White, Role::Queen);
    /// White's king.
    pub const WHITE_KING: PieceCode = PieceCode::new(Color::White, Role::King);
    /// Black's pawn.
    pub const BLACK_PAWN: PieceCode = PieceCode::new(Color::Black, Role::Pawn);
    /// Black's knight.
    pub const BLACK_KNIGHT: PieceCode = PieceCode::new(Color::Black, Role::Knight);
    /// Black's bishop.
    pub const BLACK_BISHOP: PieceCode = PieceCode::new(Color::Black, Role::Bishop);
    /// Black's rook.
    pub const BLACK_ROOK: PieceCode = PieceCode::new(Color::Black, Role::Rook);
    /// Black's queen.
    pub const BLACK_QUEEN: PieceCode = PieceCode::new(Color::Black, Role::Queen);
    /// Black's king.
    pub const BLACK_KING: PieceCode = PieceCode::new(Color::Black, Role::King);

    /// The code of a piece.
    #[inline(always)]
    pub const fn new(color: Color, role: Role) -> PieceCode {
        ColorCode::new(color).piece(role)
    }

    /// The code with these bits; those above the lowest four are dropped.
    #[inline(always)]
    pub const fn from_bits(bits: u8) -> PieceCode {
        PieceCode(bits & 15)
    }

    /// All sixteen codes in order, those of no piece included.
    pub fn all() -> impl DoubleEndedIterator<Item = PieceCode> + Clone {
        (0..16).map(PieceCode)
    }

    /// The bits, 0–15.
    #[inline(always)]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The code as an index, 0–15.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 15) as usize
    }

    /// Bit [`index`](Self::index) of a set of codes.
    #[inline(always)]
    pub const fn bit(self) -> u16 {
        1 << self.index()
    }

    /// Returns whether this is the code of an empty square.
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Returns the colour of the piece; White, if there is none.
    #[inline(always)]
    pub const fn color(self) -> Color {
        self.side().color()
    }

    /// Returns the colour of the piece as a code; that of White, if there is none.
    #[inline(always)]
    pub const fn side(self) -> ColorCode {
        ColorCode(self.0 & 8)
    }

    /// The bits of the role, 0–7: 0 and 7 are no role.
    #[inline(always)]
    pub const fn role_code(self) -> u8 {
        self.0 & 7
    }

    /// The role; none for the codes of no piece.
    #[inline(always)]
    pub fn role(self) -> Option<Role> {
        Role::ALL.get(usize::from(self.role_code()).wrapping_sub(1)).copied()
    }

    /// Returns whether it is a piece of this role, of either colour.
    #[inline(always)]
    pub const fn is(self, role: Role) -> bool {
        self.role_code() == role as u8
    }
}

/// A colour as a bit of a [`PieceCode`]: the side to move, or the side that made a move.
///
/// PERF: shakmaty's `Color` numbers Black 0; a colour that is already the bit of a piece saves a conversion with each ply.
/// Functions that make a piece of it mask that bit, so that the compiler sees that no index of a [`ByPiece`] needs a mask of its
/// own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
#[repr(transparent)]
pub struct ColorCode(u8);

impl ColorCode {
    /// White.
    pub const WHITE: ColorCode = ColorCode(0);
    /// Black.
    pub const BLACK: ColorCode = ColorCode(8);

    /// The code of a colour.
    #[inline(always)]
    pub const fn new(color: Color) -> ColorCode {
        match color {
            Color::White => ColorCode::WHITE,
            Color::Black => ColorCode::BLACK,
        }
    }

    /// The code with this bit 3; the other bits are dropped.
    #[inline(always)]
    pub const fn from_bits(bits: u8) -> ColorCode {
        ColorCode(bits & 8)
    }

    /// 0 for White, 8 for Black: the difference between the codes of this side's pieces and of White's.
    #[inline(always)]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The colour.
    #[inline(always)]
    pub const fn color(self) -> Color {
        if self.is_black() { Color::Black } else { Color::White }
    }

    /// 0 for White, 1 for Black.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 >> 3 & 1) as usize
    }

    /// Returns whether it is Black.
    #[inline(always)]
    pub const fn is_black(self) -> bool {
        self.0 != 0
    }

    /// All ones for Black, 0 for White.
    #[inline(always)]
    pub const fn black_mask(self) -> u64 {
        ((self.0 >> 3 & 1) as u64).wrapping_neg()
    }

    /// The other side.
    #[inline(always)]
    pub const fn opponent(self) -> ColorCode {
        ColorCode(self.0 ^ 8)
    }

    /// The side to move after this number of plies.
    #[inline(always)]
    pub const fn after_plies(self, plies: usize) -> ColorCode {
        ColorCode((self.0 ^ ((plies as u8 & 1) << 3)) & 8)
    }

    /// This side's piece of a role.
    #[inline(always)]
    pub const fn piece(self, role: Role) -> PieceCode {
        PieceCode(self.0 & 8 | role as u8)
    }

    /// This side's piece with these bits of a role, 0–7.
    #[inline(always)]
    pub const fn piece_with(self, role_code: u8) -> PieceCode {
        PieceCode(self.0 & 8 | role_code & 7)
    }

    /// The piece that arrives when this side makes a move: what a pawn becomes, the king that castles, none for the null move.
    #[inline(always)]
    pub const fn arriving(self, mv: Move) -> PieceCode {
        PieceCode(self.0 | mv.role_code())
    }
}

/// A value for each [`PieceCode`], those of no piece included.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ByPiece<T>([T; 16]);

impl<T> ByPiece<T> {
    /// Makes the table from the values in the order of the codes.
    #[inline(always)]
    pub const fn new(values: [T; 16]) -> ByPiece<T> {
        ByPiece(values)
    }

    /// Makes the table from a function of the code.
    pub fn from_fn(mut value: impl FnMut(PieceCode) -> T) -> ByPiece<T> {
        ByPiece(core::array::from_fn(|index| value(PieceCode(index as u8))))
    }

    /// The values in the order of the codes.
    #[inline(always)]
    pub const fn as_array(&self) -> &[T; 16] {
        &self.0
    }

    /// The entries by code, to be changed.
    #[inline(always)]
    pub const fn as_array_mut(&mut self) -> &mut [T; 16] {
        &mut self.0
    }

    /// The values of a side's pieces, pawn to king.
    #[inline(always)]
    pub fn of_side(&self, side: ColorCode) -> &[T] {
        match side.is_black() {
            false => &self.0[1..7],
            true => &self.0[9..15],
        }
    }

    /// Applies a function to each value.
    #[inline(always)]
    pub fn map<U>(self, value: impl FnMut(T) -> U) -> ByPiece<U> {
        ByPiece(self.0.map(value))
    }
}

impl<T: Copy> ByPiece<T> {
    /// Makes a table with the same value for each code.
    #[inline(always)]
    pub const fn splat(value: T) -> ByPiece<T> {
        ByPiece([value; 16])
    }
}

impl<T> Index<PieceCode> for ByPiece<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, piece: PieceCode) -> &T {
        &self.0[piece.index()]
    }
}

impl<T> IndexMut<PieceCode> for ByPiece<T> {
    #[inline(always)]
    fn index_mut(&mut self, piece: PieceCode) -> &mut T {
        &mut self.0[piece.index()]
    }
}
