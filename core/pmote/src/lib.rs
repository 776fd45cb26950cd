//! Files of results (PMOTE): sets of games, positions, heatmaps and groups, one file per kind; `core/pmote/src/FORMAT.md` describes
//! their bytes.
//!
//! The modules write results as bytes and read them back. Three of the kinds share a [`header`]; [`positions`] have their own, with a
//! trailer. For any bytes a reader returns the result that was written, or an [`error`].
#![no_std]

extern crate alloc;

pub mod error;
pub mod game_set;
pub mod groups;
pub mod header;
pub mod heatmap;
pub mod kind;
pub mod positions;
