//! A plan says how a scan tests its queries. It is made before the first game, for all queries of the scan together.
//!
//! A `query_batch` holds queries that share predicates. A [`PlannedPredicate`] knows its [`AccessPath`] and its compiled test. A
//! `prepared_query` knows what rejects a game early: its `header_filter`, the `implied_targets` that follow from [`implied_bounds`] on the
//! material, and the `home_pawn_watch`; `quantified` has the parts of a query with names.

mod compiled_test;
pub(in crate::scan) mod header_filter;
pub(in crate::scan) mod home_pawn_watch;
pub mod implied_bounds;
pub(in crate::scan) mod implied_targets;
pub(in crate::scan) mod planned_predicate;
pub(in crate::scan) mod prepared_query;
pub mod quantified;
pub(in crate::scan) mod query_batch;
pub(in crate::scan) mod square_constraints;

pub use super::access_path::AccessPath;
pub use planned_predicate::PlannedPredicate;
pub use query_batch::{ScanRequest, SharedPlan, shared_plans};
