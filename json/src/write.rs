//! From a tree to its JSON.

use plyfold_core::headers::Outcome;
use plyfold_core::query::diagram::Diagram;
use plyfold_core::query::header::{self, Header};
use plyfold_core::query::material;
use plyfold_core::query::region::Region;
use plyfold_core::query::tree::{self, Leaf, Tree};
use plyfold_core::query::window::{self, Often};
use plyfold_core::scan;
use plyfold_core::scan::predicate::Comparison;
use plyfold_core::scan::when::When;

use crate::node::{self, Node};

impl From<&Tree> for Node {
    fn from(tree: &Tree) -> Node {
        let inner = |tree: &Tree| Box::new(Node::from(tree));
        match tree {
            Tree::Everything => Node::Everything,
            Tree::And(parts) => Node::And(parts.iter().map(Node::from).collect()),
            Tree::Or(parts) => Node::Or(parts.iter().map(Node::from).collect()),
            Tree::Not(part) => Node::Not(inner(part)),
            Tree::Together(part) => Node::Together(inner(part)),
            Tree::Leaf(leaf) => of_leaf(leaf),
            Tree::Header(header) => of_header(header),
            Tree::Condition { what, window } => {
                Node::Condition(node::Condition { what: inner(what), window: of_window(window) })
            }
            Tree::Then { first, within, second } => {
                Node::Then(node::Then { first: inner(first), within: *within, second: inner(second) })
            }
        }
    }
}

fn of_leaf(leaf: &Leaf) -> Node {
    match leaf {
        Leaf::Feature { side, feature, region } => Node::Feature(of_feature(side, feature, *region)),
        Leaf::Absent { side, feature, region } => Node::Absent(of_feature(side, feature, *region)),
        Leaf::Attacks { side, feature, region, defends, target } => {
            let node::Feature { side, name, region } = of_feature(side, feature, *region);
            let target = match target {
                tree::Target::Feature { feature, region } => {
                    node::Target::Men(node::TargetMen { name: of_name(feature), region: of_region(*region) })
                }
                tree::Target::Region(region) => node::Target::Squares(region.describe()),
            };
            let attack = node::Attack { side, name, region, target };
            if *defends { Node::Defends(attack) } else { Node::Attacks(attack) }
        }
        Leaf::Empty(region) => Node::Empty(region.describe()),
        Leaf::Compare(left, comparison, right) => {
            Node::Compare(node::Compare { left: of_sum(left), is: of_comparison(*comparison), right: of_sum(right) })
        }
        Leaf::Number { of_move, first, last } => {
            let range = of_range((*first, *last));
            if *of_move { Node::Move(range) } else { Node::Ply(range) }
        }
        Leaf::Fen(fen) => Node::Fen(fen.to_string()),
        Leaf::Board(diagram) => Node::Board(diagram.to_string()),
        Leaf::Structure { white, black } => Node::Structure(Diagram::of_pawns(*white, *black).to_string()),
        Leaf::Under(under) => Node::Under(node::Under {
            what: Box::new(of_leaf(&under.what)),
            transforms: under.families.iter().map(ToString::to_string).collect(),
        }),
        Leaf::Material(material) => Node::Material(material.to_string()),
        Leaf::Imbalance(imbalance) => Node::Imbalance(imbalance.to_string()),
        Leaf::Endgame(endgame) => Node::Endgame(match endgame {
            material::Endgame::Pawn => node::Endgame::Pawn,
            material::Endgame::Knight => node::Endgame::Knight,
            material::Endgame::Bishop => node::Endgame::Bishop,
            material::Endgame::Minor => node::Endgame::Minor,
            material::Endgame::Rook => node::Endgame::Rook,
            material::Endgame::Queen => node::Endgame::Queen,
        }),
    }
}

fn of_feature(side: &tree::Side, feature: &scan::measure::Feature, region: Region) -> node::Feature {
    node::Feature { side: of_side(side), name: of_name(feature), region: of_region(region) }
}

fn of_name(feature: &scan::measure::Feature) -> node::FeatureName {
    node::FeatureName(feature.name.to_owned())
}

fn of_region(region: Region) -> Option<String> {
    (region != Region::ANYWHERE).then(|| region.describe())
}

fn of_side(side: &tree::Side) -> node::Side {
    match side {
        tree::Side::White => node::Side::White,
        tree::Side::Black => node::Side::Black,
        tree::Side::Either => node::Side::Either,
        tree::Side::Both => node::Side::Both,
        tree::Side::Neither => node::Side::Neither,
        tree::Side::Mover => node::Side::Mover,
        tree::Side::Waiter => node::Side::Waiter,
        tree::Side::Winner => node::Side::Winner,
        tree::Side::Loser => node::Side::Loser,
        tree::Side::Player(name) => node::Side::Player(name.clone()),
    }
}

fn of_comparison(comparison: Comparison) -> node::Comparison {
    match comparison {
        Comparison::Equal => node::Comparison::Equal,
        Comparison::Unequal => node::Comparison::Unequal,
        Comparison::Less => node::Comparison::Less,
        Comparison::AtMost => node::Comparison::AtMost,
        Comparison::More => node::Comparison::More,
        Comparison::AtLeast => node::Comparison::AtLeast,
    }
}

fn of_sum(sum: &tree::Sum) -> node::Sum {
    let term = |(times, counted): &(i64, tree::Counted)| {
        let of = match counted {
            tree::Counted::Squares { side, feature, region } => {
                node::Counted::Count(of_feature(side, feature, *region))
            }
            tree::Counted::Points(side) => node::Counted::Points(of_side(side)),
            tree::Counted::Number(number) => node::Counted::Number(number.name.into()),
        };
        node::Term { times: *times, of }
    };
    node::Sum { terms: sum.terms.iter().map(term).collect(), constant: sum.constant }
}

fn of_range((least, most): (u32, u32)) -> node::Range {
    node::Range { at_least: (least > 0).then_some(least), at_most: (most < u32::MAX).then_some(most) }
}

pub(crate) fn of_window(window: &window::Window) -> node::Window {
    let (row, times) = match window.often {
        Often::Once => (None, None),
        Often::Row(plies) => (Some(plies), None),
        Often::Times { least, most } => (None, Some(of_range((least, most)))),
    };
    let span = |(first, last): (u32, u32), any: (u32, u32)| {
        let span = node::Span { from: (first > any.0).then_some(first), until: (last < any.1).then_some(last) };
        Some(span).filter(|span| span.from.is_some() || span.until.is_some())
    };
    node::Window {
        quantifier: match window.quantifier {
            window::Quantifier::Ever => None,
            window::Quantifier::Never => Some(node::Quantifier::Never),
            window::Quantifier::Always => Some(node::Quantifier::Always),
        },
        edge: window.edge.map(|edge| match edge {
            scan::Edge::Became => node::Edge::Became,
            scan::Edge::Ceased => node::Edge::Ceased,
        }),
        row,
        times,
        plies: span(window.when.plies, When::ALWAYS.plies),
        moves: span(window.when.moves, When::ALWAYS.moves),
        at_end: window.when.at_end,
        phase: window.phase.map(|phase| match phase {
            window::Phase::Opening => node::Phase::Opening,
            window::Phase::Middlegame => node::Phase::Middlegame,
            window::Phase::Endgame => node::Phase::Endgame,
        }),
    }
}

fn of_header(header: &Header) -> Node {
    match header {
        Header::Result(outcomes) => Node::Result(
            outcomes
                .iter()
                .map(|outcome| match outcome {
                    Outcome::White => node::Outcome::White,
                    Outcome::Black => node::Outcome::Black,
                    Outcome::Draw => node::Outcome::Draw,
                    Outcome::Unknown => node::Outcome::Unknown,
                })
                .collect(),
        ),
        Header::Name { of, pattern } => Node::Name(node::Name {
            of: match of {
                header::NameOf::White => node::NameOf::White,
                header::NameOf::Black => node::NameOf::Black,
                header::NameOf::Player => node::NameOf::Player,
                header::NameOf::Winner => node::NameOf::Winner,
                header::NameOf::Loser => node::NameOf::Loser,
                header::NameOf::Event => node::NameOf::Event,
                header::NameOf::Site => node::NameOf::Site,
                header::NameOf::Source => node::NameOf::Source,
            },
            like: pattern.clone(),
        }),
        Header::Elo { of, range } => {
            let node::Range { at_least, at_most } = of_range((range.least, range.most));
            let of = match of {
                header::EloOf::White => node::EloOf::White,
                header::EloOf::Black => node::EloOf::Black,
                header::EloOf::Either => node::EloOf::Either,
                header::EloOf::Both => node::EloOf::Both,
                header::EloOf::Winner => node::EloOf::Winner,
                header::EloOf::Loser => node::EloOf::Loser,
                header::EloOf::Average => node::EloOf::Average,
                header::EloOf::Difference => node::EloOf::Difference,
            };
            Node::Elo(node::Elo { of, at_least, at_most })
        }
        Header::Eco(ranges) => {
            let range = |(from, to): &(_, _)| if from == to { format!("{from}") } else { format!("{from}-{to}") };
            Node::Eco(ranges.iter().map(range).collect())
        }
        Header::Set(name) => Node::Set(name.clone()),
        Header::Opening(name) => Node::Opening(name.clone()),
        Header::Date { from, to } => {
            Node::Date(node::Dates { from: from.map(|day| day.to_string()), until: to.map(|day| day.to_string()) })
        }
        Header::Plies(range) => Node::Plies(of_range((range.least, range.most))),
        Header::Ended(endings) => {
            Node::Ended(endings.iter().map(|one| node::Ending(header::as_word(one.name()))).collect())
        }
        Header::TimeClass(classes) => {
            Node::TimeClass(classes.iter().map(|one| node::TimeClass(header::as_word(one.name()))).collect())
        }
    }
}
