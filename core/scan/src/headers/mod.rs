//! Tests of a game's header, which need no move: players, ratings, date, opening, result.
//!
//! A [`HeaderTest`] is one such test. [`CompiledHeaderTests`] evaluates it for 512 games at once; [`HeaderTest::matches`] is its slow
//! twin, which must give the same result. Case, accents and punctuation of names make no difference.

mod codes;
pub(crate) mod evaluation;
pub(crate) mod game_mask;
mod header_test;
mod name_counts;
mod name_finder;
mod name_folding;
pub(crate) mod named_set;
mod nearest;
pub(crate) mod of_game;
mod openings;
mod pattern;
mod person_name;
mod similar_names;
mod tag_test;

pub use codes::EcoCodes;
pub use evaluation::CompiledHeaderTests;
pub use header_test::{HeaderTest, NameField, RatingField};
pub use name_counts::{CountedName, NameCount, count_names};
pub use named_set::NamedSet;
pub use nearest::{UnknownName, find_unknown_name};
pub use openings::{OpeningNames, ResolvedOpening, UnknownOpening};
pub use pattern::NamePattern;
pub use person_name::{NameAgreement, PersonName};
pub use similar_names::{NameAlias, NameGroup, SimilarNames, UnclearName, WhySimilar, similar_names};
pub use tag_test::TagTest;

pub use name_folding::fold as folded_name;
pub use plyfold_corpus::record::{Date, Eco, Ending, GameResult, TimeClass};
pub use plyfold_corpus::{GameOpening, HeaderText};
