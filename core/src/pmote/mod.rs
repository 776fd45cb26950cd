//! Files of results: sets of games, positions, heatmaps and groups, each kind a file; `core/src/pmote/FORMAT.md` describes their bytes.
//!
//! What is here makes bytes of answers and answers of bytes. Three of the kinds begin with one [`header`]; [`positions`] have their own,
//! with a trailer. Whatever bytes come, a reader answers with the same answer that was written, or with an [`error`].

pub mod error;
pub mod game_set;
pub mod groups;
pub mod header;
pub mod heatmap;
pub mod positions;

#[cfg(test)]
mod damage;
