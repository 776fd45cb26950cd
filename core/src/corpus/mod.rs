//! The packed corpus: games as bytes that a scan reads where they lie.
pub mod record;
