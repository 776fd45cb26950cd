//! Serves files over HTTP for both programs, on axum, tower-http and hyper.
//!
//! - [`files`]: a file, or a range of it; [`ServedSite`]: a folder with a page; [`HeaderRules`]: its file `_headers`;
//! - [`listen`]: the number and lifetime of connections; `peers`: the connections of one client; [`connection`]: clients that read
//!   nothing; [`log`]: a line for each request.

pub mod connection;
pub mod files;
mod header_rules;
pub mod listen;
pub mod log;
mod peers;
mod site;

pub use header_rules::{HeaderRule, HeaderRules};
pub use site::{ServedSite, UnsuitableSite};
