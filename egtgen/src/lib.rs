//! Exact endgame tables by leapfrog.
