//! PGN is read as other programs read it.

mod borders;
mod changes;
mod losses;
mod nasty;
mod spellings;
mod twin;
