//! The evaluation of a game follows one access path after the other, the cheapest first, until nothing is undecided.
//!
//! [`candidates`] rejects games unread, and [`game`] evaluates the others; [`prepared`] has the tests for both. Each other file
//! follows one access path: [`events`] reads the streams of captures, promotions and pawn changes, [`halfmove_clock`] the plies
//! of these streams, [`touched_squares`] the moves that touch certain squares, and [`repetition`] the moves between two events
//! (for perpetual check, with [`checks_given`]); [`checks`] follows the lines to the kings, and [`game_ends`] looks at the ends of
//! games. [`motifs`] keeps the boards of all plies. [`table_tests`] ask endgame tables. [`replay`] makes the moves on a
//! board, and [`replay_for_several`] does so for several queries at once, if [`replay_choice`] says so, and for [`feature_tests`].

pub mod candidates;
mod checks;
mod checks_given;
pub mod events;
pub mod feature_tests;
pub mod game;
pub mod game_at_hand;
mod game_ends;
pub mod halfmove_clock;
mod image_tracker;
mod motifs;
mod moves;
mod piece_choices;
pub mod prepared;
pub mod repetition;
pub mod replay;
mod replay_choice;
mod replay_for_several;
mod table_tests;
pub mod touched_squares;
