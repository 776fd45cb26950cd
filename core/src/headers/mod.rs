//! Tests of a game's header: players, ratings, date, opening, result. They run before any move is looked at.
//!
//! A [`HeaderTest`] is one such question. [`CompiledHeaderTests`] answers it for 512 games at once; [`HeaderTest::matches`] is the slow twin that
//! it must equal. Names are compared by [`name_folding`]: case, accents and punctuation make no difference.

pub mod codes;
pub mod evaluation;
pub mod header_test;
mod name_finder;
pub mod name_folding;
pub mod named_set;
pub mod nearest;
pub mod openings;
pub mod pattern;

pub use codes::EcoCodes;
pub use evaluation::CompiledHeaderTests;
pub use header_test::{HeaderTest, NameField, RatingField};
pub use named_set::NamedSet;
pub use nearest::{UnknownName, find_unknown_name};
pub use openings::{OpeningNames, ResolvedOpening, UnknownOpening};
pub use pattern::NamePattern;

pub use crate::corpus::record::{Date, Eco, Ending, GameResult, TimeClass};
