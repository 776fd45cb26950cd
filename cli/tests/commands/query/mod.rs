//! `plyfold query`: the same results in three formats.

mod destinations;
mod keys;
mod novelties;
mod results;
mod standings;
mod wording;
