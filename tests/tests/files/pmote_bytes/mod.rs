//! The bytes of each kind of result file: what is written is read, and damage is found.

mod damage;
mod game_set;
mod groups;
mod heatmap;
mod positions;
