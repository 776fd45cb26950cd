//! The constants of a scan that change its speed and no result, each with what other values cost.
//!
//! Measured on 206,361 master games (17.3 million plies) with one thread of a shared x86-64 machine with two cores: the median
//! of nine runs of `plyfold query CORPUS QUERY --threads 1`, alternating between the two values. Where times are given in
//! instructions, `valgrind --tool=callgrind` counted them on the demo games. To try a value, change it here.

/// A predicate on at most this many squares is tested along the moves that touch them; with more squares, games are replayed.
///
/// 8 instead: 1.8 × the time for a bishop on twelve squares, 1.3 to 1.6 × for a knight on 24. Without a limit: 1.1 × for 32
/// squares, 1.4 × for 48.
pub(in crate::scan) const MAX_WATCHED_SQUARES: u32 = 24;

/// Pawns on at most this many squares are tested along the moves that touch them; with more, along the pawn events.
///
/// 0 or 2 instead: 0.8 to 1.6 % more instructions for pawns on one to four squares. 8 or 48: no difference.
pub(in crate::scan) const MAX_WATCHED_PAWN_SQUARES: u32 = 4;

/// A query with at most this many conditions is evaluated after each access path; with more, after the last.
///
/// 1 instead: 1.1 × the time for `both isolated_pawn and both castled_short` (two conditions, most games rejected early), 0.9 ×
/// for `white castled then white rook on g then checkmate`. Without a limit: 2 % more instructions for a query of five
/// conditions.
pub(in crate::scan) const MAX_EAGER_CONDITIONS: usize = 3;

/// More alternatives of implied material bounds than this are replaced by their union.
///
/// 1 instead: 1 % more instructions for `{ material KRPvKR and white passed_pawn }`. 4 or 64: no difference.
pub(in crate::scan) const MAX_ALTERNATIVES: usize = 16;

/// Of longer lists, the alternatives of `k of` are those of their parts, as if one part were enough: the combinations grow with the
/// square of the list.
pub(in crate::scan) const MAX_COUNTED_PARTS: usize = 8;

/// After this many useless evaluations before the replay, only one game in this many is still evaluated before it.
///
/// Without this rule: 6.6 % more instructions for `white outpost for 6` (1.06 × the time), 2 % more for `check at least 5
/// times`, and 2.7 % fewer for a disjunction of four conditions.
pub(in crate::scan) const MAX_USELESS_TRIES: usize = 16;

/// If at most this many games of a batch of 512 are left, their data is read ahead, so that the memory accesses overlap.
///
/// Never: 1.3 × the time for `{ material KRPvKR and white passed_pawn }`.
pub(in crate::scan) const MAX_GAMES_READ_AHEAD: u32 = 64;

/// Material tests that reject less than one game in this many, for each alternative, pause for [`PAUSED_BATCHES`].
///
/// 1, 8 or 128 instead: no difference in five queries.
pub(in crate::scan) const MIN_REJECTED_SHARE: u32 = 32;

/// The number of batches for which material tests that reject hardly any game pause.
///
/// 0 instead: 6.5 % more instructions for `white pawn on e4 e5 e6 and black pawn on d5`; 2: 2.8 % more; 32: 0.2 % fewer.
pub(in crate::scan) const PAUSED_BATCHES: u32 = 8;

/// The entries of each side's cache of pawn counts by file, a power of two.
///
/// 2,048 instead: 1.13 × the time for `count(doubled_pawn) > 2`, 1.07 × for `white isolated_queens_pawn`.
pub(in crate::scan) const PAWN_COUNT_CACHE_ENTRIES: usize = 4096;

/// The entries of the table that finds candidates for repeated positions, a power of two.
///
/// 256 instead: 1.7 % more instructions for `repetition >= 2`; 4,096: 0.6 % fewer, in a table that leaves the first cache.
pub(in crate::scan) const REPETITION_TABLE_ENTRIES: usize = 1024;

/// If a reducer needs hashes and more plies than these come before the first match, these plies are replayed without hashes, and
/// the board is set up after them, which costs as much as some moves with hashes.
///
/// Never: 1.2 × the time for the distinct positions of `queens_off` (30,000 master games, ten pairs of runs).
pub(in crate::scan) const MIN_FAST_FORWARD: usize = 24;

/// The plies whose boards a replay for several queries keeps, while it tests one predicate after the other at them; a divisor of 64.
pub(in crate::scan) const REPLAYED_PLIES: usize = 32;

/// Several queries share a replay if of a game they together need more than this many times the plies that the longest one needs.
///
/// A kept board costs as much as making the move three times again, and a predicate is up to twice as quick on it.
pub(in crate::scan) const MIN_QUERIES_SHARING: f64 = 3.5;

/// The number of games until it is chosen again whether queries share replays.
pub(in crate::scan) const GAMES_UNTIL_CHOICE: u32 = 64;
