//! `plyfold query`: the same results in three formats.

mod destinations;
mod keys;
mod results;
mod standings;
mod wording;
