//! Checks the repository itself: its pages, names and imports.

mod import_rules;
mod linked_tests;
mod machines;
mod outputs;
mod pages;
mod project;
mod public_api;
mod rules_of_core;
mod rules_of_programs;
mod type_names;
