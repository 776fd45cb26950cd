//! Tests of a game's header: players, ratings, date, opening, result. They run before any move is looked at.
//!
//! A [`HeaderTest`] is one such question. [`CompiledHeaderTests`] answers it for 512 games at once; [`HeaderTest::matches`] is the slow twin that
//! it must equal. Case, accents and punctuation of names make no difference.

mod codes;
pub(crate) mod evaluation;
mod header_test;
mod name_finder;
mod name_folding;
pub(crate) mod named_set;
mod nearest;
mod openings;
mod pattern;

pub use codes::EcoCodes;
pub use evaluation::CompiledHeaderTests;
pub use header_test::{HeaderTest, NameField, RatingField};
pub use named_set::NamedSet;
pub use nearest::{UnknownName, find_unknown_name};
pub use openings::{OpeningNames, ResolvedOpening, UnknownOpening};
pub use pattern::NamePattern;

pub use crate::corpus::record::{Date, Eco, Ending, GameResult, TimeClass};
