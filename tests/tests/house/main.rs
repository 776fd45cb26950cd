//! Checks the repository itself: its pages, names and imports.

mod public_api;
mod repository;
mod type_names;
