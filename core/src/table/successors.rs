//! successors
