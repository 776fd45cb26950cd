//! An access path is what a scan reads of a game to test a predicate. The planner chooses the cheapest one that covers what the predicate
//! depends on.
//!
//! | access path | what is read | for instance |
//! |---|---|---|
//! | [`Header`](AccessPath::Header) | nothing | `result 1-0` |
//! | [`PlyNumber`](AccessPath::PlyNumber) | nothing | the side to move, `move < 20` |
//! | [`MaterialEvents`](AccessPath::MaterialEvents) | captures and promotions | `queens_off`, `count(white rook) >= 2` |
//! | [`PawnFileEvents`](AccessPath::PawnFileEvents) | pawns that change files or leave the board | `isolated_pawn on d` |
//! | [`PawnEvents`](AccessPath::PawnEvents) | changes of the pawns | `passed_pawn on d`, a structure |
//! | [`AllEvents`](AccessPath::AllEvents) | both | `count(passed_pawn) > count(queen)` |
//! | [`HalfmoveClock`](AccessPath::HalfmoveClock) | the plies of captures, promotions and pawn moves | `clock >= 20` |
//! | [`Moves`](AccessPath::Moves) | all moves, and which of them capture what | `white knight captures queen` |
//! | [`Annotations`](AccessPath::Annotations) | what the text says of the plies | `eval >= 300` |
//! | [`TouchedSquares`](AccessPath::TouchedSquares) | moves that touch some squares | `white pawn on e5`, `castled` |
//! | [`GameEnds`](AccessPath::GameEnds) | the last move, and where it may mate, the board after it | `checkmate` |
//! | [`Checks`](AccessPath::Checks) | all moves, with the lines to the kings | `check`, `double_check` |
//! | [`Repetition`](AccessPath::Repetition) | moves since the last capture, promotion or pawn move | `repetition >= 3` |
//! | [`Motifs`](AccessPath::Motifs) | the boards around each move | `plays a fork` |
//! | [`Tables`](AccessPath::Tables) | endgame tables, from the capture that leaves few pieces on | `white tb win` |
//! | [`Replay`](AccessPath::Replay) | the replayed board | `fork`, a whole placement |
//! | [`Followed`](AccessPath::Followed) | the paths of the pieces that have names | `white knight as N on b1 then N on d5` |
//!
//! A predicate declares what it depends on; the planner never looks at its name. Two paths of equal cost cover pawns on a few
//! squares: such a predicate uses the pawn events if another predicate of the batch does.

use super::tuning::MAX_WATCHED_SQUARES;

/// Where a predicate is tested. The cheapest path comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AccessPath {
    /// The header of the game.
    Header,
    /// The number of the ply.
    PlyNumber,
    /// The stream of captures and promotions.
    MaterialEvents,
    /// The stream of pawn changes, without the moves that stay on a file.
    PawnFileEvents,
    /// The stream of pawn changes.
    PawnEvents,
    /// Both streams.
    AllEvents,
    /// The plies of the events of both streams.
    HalfmoveClock,
    /// Evaluations, clocks and marks of the plies.
    Annotations,
    /// The moves and the stream of captures.
    Moves,
    /// The moves that touch certain squares.
    TouchedSquares,
    /// The last move, and the board after it.
    GameEnds,
    /// The moves since the last event of both streams.
    Repetition,
    /// The moves and the lines to the kings.
    Checks,
    /// The replayed boards of several plies.
    Motifs,
    /// Endgame tables, at the plies with few pieces.
    Tables,
    /// The replayed board.
    Replay,
    /// The paths of followed pieces.
    Followed,
}

impl AccessPath {
    /// Whether the path follows the pawns alone.
    pub(in crate::scan) const fn is_of_pawns(self) -> bool {
        matches!(self, AccessPath::PawnFileEvents | AccessPath::PawnEvents)
    }

    /// The name in reports that programs read.
    pub const fn name(self) -> &'static str {
        self.name_and_description().0
    }

    /// Returns what a scan reads, in words that follow "from". [`PlannedPredicate::squares`](super::plan::PlannedPredicate::squares) has
    /// the squares.
    pub const fn description(self) -> &'static str {
        self.name_and_description().1
    }

    const fn name_and_description(self) -> (&'static str, &'static str) {
        match self {
            AccessPath::Header => ("header", "game headers only"),
            AccessPath::PlyNumber => ("turn", "ply numbers only"),
            AccessPath::MaterialEvents => ("captures_and_promotions", "captures and promotions only"),
            AccessPath::PawnFileEvents => ("changes_of_pawns_on_files", "captures by and of pawns, and promotions"),
            AccessPath::PawnEvents => ("changes_of_pawns", "pawn moves and captured pawns only"),
            AccessPath::AllEvents => {
                ("captures_promotions_and_changes_of_pawns", "captures, promotions and pawn moves only")
            }
            AccessPath::HalfmoveClock => {
                ("plies_of_captures_and_moves_of_pawns", "plies of captures and pawn moves only")
            }
            AccessPath::Moves => ("moves", "moves and captures only"),
            AccessPath::Annotations => ("annotations", "what the text says of the plies"),
            AccessPath::TouchedSquares => ("moves_that_touch_squares", "moves that touch certain squares"),
            AccessPath::Repetition => {
                ("moves_between_captures_and_moves_of_pawns", "moves between captures and pawn moves")
            }
            AccessPath::GameEnds => ("ends_of_games", "ends of games only"),
            AccessPath::Checks => ("lines_to_kings", "moves and the lines to the kings"),
            AccessPath::Motifs => ("boards_around_moves", "the replayed boards around each move"),
            AccessPath::Tables => ("endgame_tables", "endgame tables, where few pieces are left"),
            AccessPath::Replay => ("board", "the replayed board"),
            AccessPath::Followed => ("paths_of_followed_pieces", "the paths of the followed pieces"),
        }
    }
}

/// Where a predicate is tested, and on which squares it depends there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::scan) struct PredicateAccess {
    pub path: AccessPath,
    /// The squares on which it depends, if the path is touched squares.
    pub squares: u64,
    /// The squares of White's pawns, and of Black's, on which it depends.
    pub pawns: [u64; 2],
}

impl PredicateAccess {
    /// A path on which the predicate depends on anything.
    pub const fn by(path: AccessPath) -> PredicateAccess {
        PredicateAccess { path, squares: 0, pawns: [u64::MAX; 2] }
    }

    /// The path of a predicate that depends on these squares.
    pub fn of_squares(squares: u64) -> PredicateAccess {
        let is_few = squares.count_ones() <= MAX_WATCHED_SQUARES;
        PredicateAccess {
            squares,
            ..PredicateAccess::by(if is_few { AccessPath::TouchedSquares } else { AccessPath::Replay })
        }
    }

    /// The path of a predicate that depends on pawns on these squares.
    pub const fn of_pawns(pawns: [u64; 2]) -> PredicateAccess {
        PredicateAccess { pawns, ..PredicateAccess::by(AccessPath::PawnEvents) }
    }
}
