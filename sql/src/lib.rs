//! SQL over packed games, on Apache DataFusion.
//!
//! A library of corpora is the table `games`; conditions on positions are written in plyfold's query language, as
//! `matches('queens_off')`. What the scan of plyfold can do is done by it, shard by shard ([`FoldExec`]): conditions on headers
//! that SQL states become part of its query, only the columns that are needed are read, and a limit ends it. Joins, windows and
//! aggregates are DataFusion's.
//!
//! [`open_session`] makes a session, and [`run_statements`] runs statements that only read; everything else is DataFusion's own API.

mod bound_query;
#[cfg(feature = "cluster")]
pub mod cluster;
mod columns;
mod error;
mod fold_exec;
mod functions;
mod library;
mod loaded_shard;
mod mapped_corpus;
mod named_files;
mod plain_rows;
mod position_rows;
mod pushdown;
mod remote;
mod saved_names;
mod session;
mod session_work;
mod shard_rows;
mod shard_texts;
mod statement;
mod summaries;
mod tables;
mod whole_scan;

pub use error::SqlFailure;
pub use fold_exec::FoldExec;
pub use library::{Library, ScanProgress};
pub use named_files::{NamedFile, register_files};
pub use plain_rows::{plain_rows, plain_schema};
pub use remote::{RemoteFailure, is_address};
pub use session::{SessionOptions, open_session};
pub use session_work::SessionWork;
pub use statement::run_statements;
