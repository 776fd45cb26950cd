//! Opens what a search reads: corpora, several of them as one library, the sets and lines beside them, and endgame tables.
//!
//! The program `plyfold` and the SQL engine use this crate, so that a path means the same games in both, and the same problem has
//! the same message.

mod checked_parts;
mod companions;
mod corpora;
mod error;
mod map;
mod mapped_file;
mod remembered_checks;
mod saved_lines;
mod saved_sets;
mod table_files;

pub use checked_parts::{require_games, require_parts, spans_with};
pub use companions::companion;
pub use corpora::{MappedCorpus, corpus_files, is_address, is_corpus_name, is_pattern};
pub use error::{LibraryError, Result};
pub use map::FileMap;
pub use mapped_file::{MappedBytes, MappedFile};
pub use remembered_checks::{FileState, remember_checks_in};
pub use saved_lines::{lines_path, names_of_lines, parse_lines, read_lines, read_text_of_lines, unknown_lines_message};
pub use saved_sets::{MappedSetFile, corpus_stamp, set_names, set_path, sets_folder, unknown_set_message};
pub use table_files::{TableFiles, table_files};
