//! PGN is read as other programs read it.

mod borders;
mod losses;
mod nasty;
mod spellings;
mod twin;
