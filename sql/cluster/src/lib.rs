//! The machines of a cluster: the scheduler and the executors of Apache Ballista, with the operators and functions of plyfold.
//!
//! The client is `plyfold-sql --cluster HOST:PORT`; what travels between client, scheduler and executors is
//! [`plyfold_datafusion::cluster`]. `docs/cluster.md` shows how a cluster is started.

mod executor;
mod program;
mod scheduler;

pub use executor::{ExecutorOptions, run_executor};
pub use program::{Failure, run_program};
pub use scheduler::{SchedulerOptions, run_scheduler};
