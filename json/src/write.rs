//! Writes the tree of a query as JSON.

use plyfold_core::query::diagram::Diagram;
use plyfold_core::query::header::{HeaderCondition, NumberRange, as_word, describe_codes};
use plyfold_core::query::played::{self, MovePattern};
use plyfold_core::query::region::Region;
use plyfold_core::query::squares::SquareExpression;
use plyfold_core::query::tree::{self, CountExpression, Leaf, QueryTree, SideSelector, TargetExpression};
use plyfold_core::query::window::{OccurrenceRule, WindowClause, WindowQuantifier};
use plyfold_core::scan::measure::BoardFeature;
use plyfold_core::scan::ply_filter::PlyFilter;
use plyfold_core::scan::predicate::ThrownAway;

use crate::node::{self, Node};

impl From<&QueryTree> for Node {
    fn from(tree: &QueryTree) -> Node {
        let inner = |tree: &QueryTree| Box::new(Node::from(tree));
        match tree {
            QueryTree::Everything => Node::Everything,
            QueryTree::And(parts) => Node::And(parts.iter().map(Node::from).collect()),
            QueryTree::Or(parts) => Node::Or(parts.iter().map(Node::from).collect()),
            QueryTree::SomeOf(number, parts) => {
                Node::SomeOf(node::SomeOf { number: *number, parts: parts.iter().map(Node::from).collect() })
            }
            QueryTree::Not(part) => Node::Not(inner(part)),
            QueryTree::Together(part) => Node::Together(inner(part)),
            QueryTree::Leaf(leaf) => leaf_node(leaf),
            QueryTree::Header(header) => header_node(header),
            QueryTree::Condition { inner: what, window } => {
                Node::Condition(node::Condition { what: inner(what), window: window_node(window) })
            }
            QueryTree::Then { first, within, second } => {
                Node::Then(node::Then { first: inner(first), within: *within, second: inner(second) })
            }
        }
    }
}

fn leaf_node(leaf: &Leaf) -> Node {
    match leaf {
        Leaf::Feature { side, feature, region } => Node::Feature(feature_node(side, feature, *region)),
        Leaf::Absent { side, feature, region } => Node::Absent(feature_node(side, feature, *region)),
        Leaf::Attacks { side, feature, region, defends, target } => {
            let node::Feature { side, name, region } = feature_node(side, feature, *region);
            let target = match target {
                TargetExpression::Feature { feature, region } => node::Target::Pieces(node::TargetPieces {
                    name: feature_name(feature),
                    region: region_text(*region),
                }),
                TargetExpression::Region(region) => node::Target::Squares(region.describe()),
            };
            let attack = node::Attack { side, name, region, target };
            if *defends { Node::Defends(attack) } else { Node::Attacks(attack) }
        }
        Leaf::Comment { side, pattern } => {
            Node::Comment(node::Comment { side: side_node(side), like: pattern.clone() })
        }
        Leaf::TableOutcome { side, outcome } => {
            Node::Tb(node::TableCondition { side: side_node(side), outcome: (*outcome).into() })
        }
        Leaf::ThrewAway { side, thrown } => {
            let what = (*thrown != ThrownAway::Anything).then(|| (*thrown).into());
            Node::ThrewAway(node::ThrewAway { side: side_node(side), what })
        }
        Leaf::Marked { side, mark } => Node::Marked(node::Marked { side: side_node(side), mark: mark.to_string() }),
        Leaf::Played { side, pattern } => played_node(side, pattern),
        Leaf::Squares { side, squares, is_absent } => {
            let set = node::CombinedSquares { side: side_node(side), of: squares.to_string() };
            if *is_absent { Node::NoSquares(set) } else { Node::Squares(set) }
        }
        Leaf::Empty(region) => Node::Empty(region.describe()),
        Leaf::Compare(left, comparison, right) => {
            Node::Compare(node::Compare { left: sum_node(left), is: (*comparison).into(), right: sum_node(right) })
        }
        Leaf::Number { is_move_number: of_move, first, last } => {
            let range = range_node(*first, *last);
            if *of_move { Node::Move(range) } else { Node::Ply(range) }
        }
        Leaf::Fen(fen) => Node::Fen(fen.to_string()),
        Leaf::Board(diagram) => Node::Board(diagram.to_string()),
        Leaf::Structure { white, black } => Node::Structure(Diagram::from_pawns(*white, *black).to_string()),
        Leaf::Under(under) => Node::Under(node::Under {
            what: Box::new(leaf_node(&under.pattern)),
            transforms: under.families.iter().map(ToString::to_string).collect(),
        }),
        Leaf::Material(material) => Node::Material(material.to_string()),
        Leaf::Imbalance(imbalance) => Node::Imbalance(imbalance.to_string()),
        Leaf::Endgame(endgame) => Node::Endgame((*endgame).into()),
    }
}

fn played_node(side: &SideSelector, pattern: &MovePattern) -> Node {
    Node::Played(node::Played {
        side: side_node(side),
        action: node::MoveActionName(pattern.action.name().to_owned()),
        piece: played::describe_piece(pattern.piece, pattern.piece_name),
        object: played::describe_piece(pattern.object, pattern.object_name),
        from: region_text(pattern.from),
        to: region_text(pattern.to),
        direction: pattern.direction.map(|direction| direction.name().to_owned()),
        along: pattern.line.map(|line| line.name().to_owned()),
        quiet: pattern.is_quiet,
    })
}

fn feature_node(side: &SideSelector, feature: &BoardFeature, region: Region) -> node::Feature {
    node::Feature { side: side_node(side), name: feature_name(feature), region: region_text(region) }
}

fn feature_name(feature: &BoardFeature) -> node::FeatureName {
    node::FeatureName(feature.name.to_owned())
}

fn region_text(region: Region) -> Option<String> {
    (region != Region::ANYWHERE).then(|| region.describe())
}

fn side_node(side: &SideSelector) -> node::Side {
    match side {
        SideSelector::White => node::Side::White,
        SideSelector::Black => node::Side::Black,
        SideSelector::Either => node::Side::Either,
        SideSelector::Both => node::Side::Both,
        SideSelector::Neither => node::Side::Neither,
        SideSelector::Mover => node::Side::Mover,
        SideSelector::Waiter => node::Side::Waiter,
        SideSelector::Winner => node::Side::Winner,
        SideSelector::Loser => node::Side::Loser,
        SideSelector::Player(name) => node::Side::Player(name.to_string()),
    }
}

fn sum_node(sum: &tree::SumExpression) -> node::Sum {
    let term = |(times, counted): &(i64, CountExpression)| {
        let of = match counted {
            CountExpression::Squares { side, squares: SquareExpression::Feature { feature, region } } => {
                node::Counted::Count(feature_node(side, feature, *region))
            }
            CountExpression::Squares { side, squares } => {
                node::Counted::Squares(node::CombinedSquares { side: side_node(side), of: squares.to_string() })
            }
            CountExpression::Points(side) => node::Counted::Points(side_node(side)),
            CountExpression::Number(number) => node::Counted::Number(number.name.into()),
            CountExpression::OfSide { .. } => {
                let sum = tree::SumExpression { terms: vec![(1, counted.clone())], constant: 0 };
                node::Counted::Number(sum.to_string())
            }
        };
        node::Term { times: *times, of }
    };
    node::Sum { terms: sum.terms.iter().map(term).collect(), constant: sum.constant }
}

fn range_node(least: u32, most: u32) -> node::Range {
    node::Range { at_least: (least > 0).then_some(least), at_most: (most < u32::MAX).then_some(most) }
}

fn window_node(window: &WindowClause) -> node::Window {
    let (row, times) = match window.occurrence {
        OccurrenceRule::Once => (None, None),
        OccurrenceRule::Consecutive(plies) => (Some(plies), None),
        OccurrenceRule::Times { min, max } => (None, Some(range_node(min, max))),
    };
    let span = |(first, last): (u32, u32), any: (u32, u32)| {
        let span = node::Span { from: (first > any.0).then_some(first), until: (last < any.1).then_some(last) };
        Some(span).filter(|span| span.from.is_some() || span.until.is_some())
    };
    node::Window {
        quantifier: (window.quantifier != WindowQuantifier::Ever).then(|| window.quantifier.into()),
        edge: window.edge.map(node::Edge::from),
        row,
        times,
        plies: span(window.when.ply_bounds, PlyFilter::EVERY_PLY.ply_bounds),
        moves: span(window.when.move_bounds, PlyFilter::EVERY_PLY.move_bounds),
        at_end: window.when.at_end,
        phase: window.phase.map(node::Phase::from),
    }
}

fn header_node(header: &HeaderCondition) -> Node {
    match header {
        HeaderCondition::Result(outcomes) => Node::Result(outcomes.iter().map(|&one| one.into()).collect()),
        HeaderCondition::Name { selector, pattern } => {
            Node::Name(node::Name { of: (*selector).into(), like: pattern.to_string() })
        }
        HeaderCondition::Elo { selector, range: NumberRange { min, max } } => {
            let node::Range { at_least, at_most } = range_node(*min, *max);
            Node::Elo(node::Elo { of: (*selector).into(), at_least, at_most })
        }
        HeaderCondition::Title { selector, titles } => {
            Node::Title(node::Title { of: (*selector).into(), among: titles.iter().map(ToString::to_string).collect() })
        }
        HeaderCondition::EloLead(lead) => Node::EloLead(node::EloComparison {
            of: lead.player.into(),
            is: lead.comparison.into(),
            margin: lead.margin.into(),
        }),
        HeaderCondition::Eco(ranges) => Node::Eco(ranges.iter().map(|&(from, to)| describe_codes(from, to)).collect()),
        HeaderCondition::Set(name) => Node::Set(name.to_string()),
        HeaderCondition::Opening(name) => Node::Opening(name.to_string()),
        HeaderCondition::Date { from, to } => {
            Node::Date(node::Dates { from: from.map(|day| day.to_string()), until: to.map(|day| day.to_string()) })
        }
        HeaderCondition::Plies(range) => Node::Plies(range_node(range.min, range.max)),
        HeaderCondition::Incomplete => Node::Incomplete(true),
        HeaderCondition::Ended(endings) => {
            Node::Ended(endings.iter().map(|one| node::EndingName(as_word(one.name()))).collect())
        }
        HeaderCondition::TimeClass(classes) => {
            Node::TimeClass(classes.iter().map(|one| node::TimeClassName(as_word(one.name()))).collect())
        }
    }
}
