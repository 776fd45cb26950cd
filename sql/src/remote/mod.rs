//! Libraries on object storage: addresses such as `s3://bucket/prefix/*.plyfold`, `gs://…` and `https://…`.
//!
//! A corpus is opened by its header and the directories of its shards; a scan then fetches the sections that its query reads, by
//! large ranges, those of headers first. Every section is checked when it arrives. Credentials, regions and endpoints come from the
//! environment variables that object_store reads; requests are repeated after failures that may pass.

mod address;
mod corpus;
mod failure;
mod file;
mod io_threads;

pub(crate) use address::corpora_at;
pub use address::is_address;
pub(crate) use corpus::RemoteCorpus;
pub use failure::RemoteFailure;
pub(crate) use io_threads::{run, wait};
