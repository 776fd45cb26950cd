//! Statements that several machines run together, by Apache Ballista.
//!
//! The client plans a statement as for one machine. In the plan, each [`FoldExec`](crate::FoldExec) becomes a [`ClusterScanExec`]
//! that reads which shards to scan from a small table below it, one partition per range of shards ([`distribute`]). The scheduler
//! cuts the plan into stages and gives each task some partitions of that table; it never opens a library. An executor opens the
//! library at the address that the scan names, checks that it is the same library ([`NodeLibraries`]), and scans its shards.
//! Aggregates, exchanges, sorts and joins are those of DataFusion and Ballista.
//!
//! What travels is described in [`message`]; the programs `plyfold-scheduler` and `plyfold-executor` are the package
//! `plyfold-cluster`.

mod client;
mod codec;
mod distribute;
mod functions;
mod libraries;
mod message;
mod scan;
mod sentence;
mod summary;

pub use client::{Cluster, cancel_running_job};
pub use codec::ClusterCodec;
pub use libraries::NodeLibraries;
pub(crate) use message::LibraryIdentity;
pub use message::{FORMAT, ProgramVersion};
