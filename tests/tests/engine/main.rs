//! Queries, chess and tables: the engine gives the same results as its slow twins and as other programs.

mod batches;
mod comments;
mod core_examples;
mod double_steps;
mod features;
mod fold;
mod headers;
mod implied;
mod json;
mod long_games;
mod matsig;
mod merges;
mod named_pieces;
mod query;
mod query_truth;
mod reduce;
mod syzygy;
mod table_queries;
mod together;
mod transforms;
mod truth;
mod under;
mod within;
