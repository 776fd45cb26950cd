//! Queries as text and as Rust values: `cargo run -p plyfold-core --example queries -- "white bishop_piar"`.
//!
//! Text is parsed to a tree, and the tree is planned for a scan. A program that has its own form for queries makes the tree itself.

use plyfold_core::query::error::QueryError;
use plyfold_core::query::forms::squares::Squares;
use plyfold_core::query::parse::parse;
use plyfold_core::query::side::SideSelector;
use plyfold_core::query::squares::SquareExpression;
use plyfold_core::query::tree::QueryTree;
use plyfold_core::query::{plan, region::Region, reject_opening};
use plyfold_core::scan::measure::FEATURES;

fn main() {
    let text = std::env::args().nth(1).unwrap_or_else(|| "{ queens_off and white bishop_piar }".into());
    match parse(&text) {
        Ok(tree) => println!("read as: {tree}"),
        Err(error) => println!("{}", explain(&text, &error)),
    }
    let tree = castled_without_queens();
    println!("made as a value: {tree}");
    match plan::plan(&tree, &reject_opening) {
        Ok(query) => println!("{} predicates in {} conditions", query.predicates.len(), query.conditions.len()),
        Err(error) => println!("{error}"),
    }
}

/// The error with the place that it is about, and what could stand there.
fn explain(text: &str, error: &QueryError) -> String {
    let mut lines = format!("{}\n{error}", error.with_carets(text));
    if !error.expected.is_empty() {
        lines += &format!("\nexpected: {}", error.expected.join(", "));
    }
    lines
}

/// White has castled and both queens are gone, in the same position.
fn castled_without_queens() -> QueryTree {
    let feature = |side, name: &str| {
        let feature = FEATURES.iter().find(|feature| feature.name == name).expect("a feature of this name");
        let squares = SquareExpression::Feature { feature, region: Region::ANYWHERE };
        QueryTree::Leaf(Squares { side, squares, is_absent: false }.into())
    };
    let parts = vec![feature(SideSelector::White, "castled"), feature(SideSelector::Either, "queens_off")];
    QueryTree::Together(Box::new(QueryTree::And(parts)))
}

#[test]
fn an_error_points_at_the_place() {
    let text = "white bishop_piar";
    let error = parse(text).expect_err("no feature has this name");
    let explained = explain(text, &error);
    assert!(explained.starts_with("white bishop_piar\n      ^^^^^^^^^^^\n"), "{explained}");
    assert!(explained.contains("did you mean `bishop_pair`?"), "{explained}");
}

#[test]
fn a_tree_made_by_hand_is_the_tree_that_its_text_parses_to() {
    let tree = castled_without_queens();
    assert_eq!(parse("{ white castled and queens_off }"), Ok(tree.clone()));
    assert_eq!(tree.to_string(), "{ white castled and queens_off }");
    assert!(plan::plan(&tree, &reject_opening).is_ok());
}
