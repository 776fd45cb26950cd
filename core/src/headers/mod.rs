//! What is asked of a game's header, before any move is looked at: players, ratings, date, opening, result.
//!
//! A [`HeaderTest`] is one such question. [`Headers`] answers it for 512 games at once; [`HeaderTest::matches`] is the slow twin that
//! it must equal. Names are compared by [`fold`]: case, accents and punctuation make no difference.

pub mod codes;
mod find;
pub mod fold;
pub mod masks;
pub mod nearest;
pub mod openings;
pub mod pattern;
pub mod set;
pub mod test;

pub use codes::Codes;
pub use masks::Headers;
pub use nearest::{UnknownName, unknown};
pub use openings::{Opening, Openings, UnknownOpening};
pub use pattern::NamePattern;
pub use set::NamedSet;
pub use test::{Elo, Field, HeaderTest};

pub use crate::corpus::record::{Date, Eco, Ending, Outcome, TimeClass};
