//! Writes the tree of a query as JSON.

use plyfold_core::headers::GameResult;
use plyfold_core::query::diagram::Diagram;
use plyfold_core::query::header::{self, HeaderCondition};
use plyfold_core::query::material;
use plyfold_core::query::played;
use plyfold_core::query::region::Region;
use plyfold_core::query::span::SpannedName;
use plyfold_core::query::tree::{self, Leaf, QueryTree};
use plyfold_core::query::window::{self, OccurrenceRule};
use plyfold_core::scan;
use plyfold_core::scan::ply_filter::PlyFilter;
use plyfold_core::scan::predicate::{NumberComparison, ThrownAway};
use plyfold_core::scan::tables::TableOutcome;

use crate::node::{self, Node};

impl From<&QueryTree> for Node {
    fn from(tree: &QueryTree) -> Node {
        let inner = |tree: &QueryTree| Box::new(Node::from(tree));
        match tree {
            QueryTree::Everything => Node::Everything,
            QueryTree::And(parts) => Node::And(parts.iter().map(Node::from).collect()),
            QueryTree::Or(parts) => Node::Or(parts.iter().map(Node::from).collect()),
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
                tree::TargetExpression::Feature { feature, region } => node::Target::Pieces(node::TargetPieces {
                    name: feature_name(feature),
                    region: region_text(*region),
                }),
                tree::TargetExpression::Region(region) => node::Target::Squares(region.describe()),
            };
            let attack = node::Attack { side, name, region, target };
            if *defends { Node::Defends(attack) } else { Node::Attacks(attack) }
        }
        Leaf::Comment { side, pattern } => comment_node(side, pattern),
        Leaf::TableOutcome { side, outcome } => table_outcome_node(side, *outcome),
        Leaf::ThrewAway { side, thrown } => thrown_away_node(side, *thrown),
        Leaf::Marked { side, mark } => Node::Marked(node::Marked { side: side_node(side), mark: mark.to_string() }),
        Leaf::Played { side, pattern } => played_node(side, pattern),
        Leaf::Squares { side, squares, is_absent } => {
            let set = node::CombinedSquares { side: side_node(side), of: squares.to_string() };
            if *is_absent { Node::NoSquares(set) } else { Node::Squares(set) }
        }
        Leaf::Empty(region) => Node::Empty(region.describe()),
        Leaf::Compare(left, comparison, right) => Node::Compare(node::Compare {
            left: sum_node(left),
            is: comparison_node(*comparison),
            right: sum_node(right),
        }),
        Leaf::Number { is_move_number: of_move, first, last } => {
            let range = range_node((*first, *last));
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
        Leaf::Endgame(endgame) => Node::Endgame(match endgame {
            material::EndgameKind::Pawn => node::Endgame::Pawn,
            material::EndgameKind::Knight => node::Endgame::Knight,
            material::EndgameKind::Bishop => node::Endgame::Bishop,
            material::EndgameKind::Minor => node::Endgame::Minor,
            material::EndgameKind::Rook => node::Endgame::Rook,
            material::EndgameKind::Queen => node::Endgame::Queen,
        }),
    }
}

fn played_node(side: &tree::SideSelector, pattern: &played::MovePattern) -> Node {
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

fn table_outcome_node(side: &tree::SideSelector, outcome: TableOutcome) -> Node {
    let outcome = match outcome {
        TableOutcome::Win => node::TableResult::Win,
        TableOutcome::Draw => node::TableResult::Draw,
        TableOutcome::Loss => node::TableResult::Loss,
    };
    Node::Tb(node::TableCondition { side: side_node(side), outcome })
}

fn thrown_away_node(side: &tree::SideSelector, thrown: ThrownAway) -> Node {
    let what = match thrown {
        ThrownAway::Win => Some(node::Thrown::Win),
        ThrownAway::Draw => Some(node::Thrown::Draw),
        ThrownAway::Anything => None,
    };
    Node::ThrewAway(node::ThrewAway { side: side_node(side), what })
}

fn feature_node(side: &tree::SideSelector, feature: &scan::measure::BoardFeature, region: Region) -> node::Feature {
    node::Feature { side: side_node(side), name: feature_name(feature), region: region_text(region) }
}

fn feature_name(feature: &scan::measure::BoardFeature) -> node::FeatureName {
    node::FeatureName(feature.name.to_owned())
}

fn region_text(region: Region) -> Option<String> {
    (region != Region::ANYWHERE).then(|| region.describe())
}

fn side_node(side: &tree::SideSelector) -> node::Side {
    match side {
        tree::SideSelector::White => node::Side::White,
        tree::SideSelector::Black => node::Side::Black,
        tree::SideSelector::Either => node::Side::Either,
        tree::SideSelector::Both => node::Side::Both,
        tree::SideSelector::Neither => node::Side::Neither,
        tree::SideSelector::Mover => node::Side::Mover,
        tree::SideSelector::Waiter => node::Side::Waiter,
        tree::SideSelector::Winner => node::Side::Winner,
        tree::SideSelector::Loser => node::Side::Loser,
        tree::SideSelector::Player(name) => node::Side::Player(name.to_string()),
    }
}

fn comparison_node(comparison: NumberComparison) -> node::Comparison {
    match comparison {
        NumberComparison::Equal => node::Comparison::Equal,
        NumberComparison::Unequal => node::Comparison::Unequal,
        NumberComparison::Less => node::Comparison::Less,
        NumberComparison::AtMost => node::Comparison::AtMost,
        NumberComparison::More => node::Comparison::More,
        NumberComparison::AtLeast => node::Comparison::AtLeast,
    }
}

fn sum_node(sum: &tree::SumExpression) -> node::Sum {
    let term = |(times, counted): &(i64, tree::CountExpression)| {
        let of = match counted {
            tree::CountExpression::Squares { side, feature, region } => {
                node::Counted::Count(feature_node(side, feature, *region))
            }
            tree::CountExpression::Set { side, squares } => {
                node::Counted::Squares(node::CombinedSquares { side: side_node(side), of: squares.to_string() })
            }
            tree::CountExpression::Points(side) => node::Counted::Points(side_node(side)),
            tree::CountExpression::Number(number) => node::Counted::Number(number.name.into()),
            tree::CountExpression::OfSide { .. } => {
                let sum = tree::SumExpression { terms: vec![(1, counted.clone())], constant: 0 };
                node::Counted::Number(sum.to_string())
            }
        };
        node::Term { times: *times, of }
    };
    node::Sum { terms: sum.terms.iter().map(term).collect(), constant: sum.constant }
}

fn range_node((least, most): (u32, u32)) -> node::Range {
    node::Range { at_least: (least > 0).then_some(least), at_most: (most < u32::MAX).then_some(most) }
}

pub(crate) fn window_node(window: &window::WindowClause) -> node::Window {
    let (row, times) = match window.occurrence {
        OccurrenceRule::Once => (None, None),
        OccurrenceRule::Consecutive(plies) => (Some(plies), None),
        OccurrenceRule::Times { min: least, max: most } => (None, Some(range_node((least, most)))),
    };
    let span = |(first, last): (u32, u32), any: (u32, u32)| {
        let span = node::Span { from: (first > any.0).then_some(first), until: (last < any.1).then_some(last) };
        Some(span).filter(|span| span.from.is_some() || span.until.is_some())
    };
    node::Window {
        quantifier: match window.quantifier {
            window::WindowQuantifier::Ever => None,
            window::WindowQuantifier::Never => Some(node::Quantifier::Never),
            window::WindowQuantifier::Always => Some(node::Quantifier::Always),
        },
        edge: window.edge.map(|edge| match edge {
            scan::ConditionEdge::Became => node::Edge::Became,
            scan::ConditionEdge::Ceased => node::Edge::Ceased,
        }),
        row,
        times,
        plies: span(window.when.ply_bounds, PlyFilter::EVERY_PLY.ply_bounds),
        moves: span(window.when.move_bounds, PlyFilter::EVERY_PLY.move_bounds),
        at_end: window.when.at_end,
        phase: window.phase.map(|phase| match phase {
            window::GamePhase::Opening => node::Phase::Opening,
            window::GamePhase::Middlegame => node::Phase::Middlegame,
            window::GamePhase::Endgame => node::Phase::Endgame,
        }),
    }
}

fn comment_node(side: &tree::SideSelector, pattern: &str) -> Node {
    Node::Comment(node::Comment { side: side_node(side), like: pattern.to_owned() })
}

fn name_of_node(selector: header::NameSelector) -> node::NameOf {
    match selector {
        header::NameSelector::White => node::NameOf::White,
        header::NameSelector::Black => node::NameOf::Black,
        header::NameSelector::Player => node::NameOf::Player,
        header::NameSelector::Winner => node::NameOf::Winner,
        header::NameSelector::Loser => node::NameOf::Loser,
        header::NameSelector::Event => node::NameOf::Event,
        header::NameSelector::Site => node::NameOf::Site,
        header::NameSelector::Source => node::NameOf::Source,
        header::NameSelector::Round => node::NameOf::Round,
        header::NameSelector::Annotator => node::NameOf::Annotator,
        header::NameSelector::TimeControl => node::NameOf::TimeControl,
    }
}

fn title_node(selector: header::PlayerSelector, titles: &[SpannedName]) -> node::Title {
    let of = match selector {
        header::PlayerSelector::White => node::TitleOf::White,
        header::PlayerSelector::Black => node::TitleOf::Black,
        header::PlayerSelector::Either => node::TitleOf::Either,
        header::PlayerSelector::Both => node::TitleOf::Both,
        header::PlayerSelector::Winner => node::TitleOf::Winner,
        header::PlayerSelector::Loser => node::TitleOf::Loser,
    };
    node::Title { of, among: titles.iter().map(ToString::to_string).collect() }
}

fn elo_lead_node(lead: &header::EloLead) -> node::EloComparison {
    let of = match lead.player {
        header::PlayerSelector::Black => node::EloPlayer::Black,
        header::PlayerSelector::Winner => node::EloPlayer::Winner,
        header::PlayerSelector::Loser => node::EloPlayer::Loser,
        _ => node::EloPlayer::White,
    };
    node::EloComparison { of, is: comparison_node(lead.comparison), margin: lead.margin.into() }
}

fn header_node(header: &HeaderCondition) -> Node {
    match header {
        HeaderCondition::Result(outcomes) => Node::Result(
            outcomes
                .iter()
                .map(|outcome| match outcome {
                    GameResult::White => node::Outcome::White,
                    GameResult::Black => node::Outcome::Black,
                    GameResult::Draw => node::Outcome::Draw,
                    GameResult::Unknown => node::Outcome::Unknown,
                })
                .collect(),
        ),
        HeaderCondition::Name { selector, pattern } => {
            Node::Name(node::Name { of: name_of_node(*selector), like: pattern.to_string() })
        }
        HeaderCondition::Elo { selector: of, range } => {
            let node::Range { at_least, at_most } = range_node((range.min, range.max));
            let of = match of {
                header::EloSelector::Of(header::PlayerSelector::White) => node::EloOf::White,
                header::EloSelector::Of(header::PlayerSelector::Black) => node::EloOf::Black,
                header::EloSelector::Of(header::PlayerSelector::Either) => node::EloOf::Either,
                header::EloSelector::Of(header::PlayerSelector::Both) => node::EloOf::Both,
                header::EloSelector::Of(header::PlayerSelector::Winner) => node::EloOf::Winner,
                header::EloSelector::Of(header::PlayerSelector::Loser) => node::EloOf::Loser,
                header::EloSelector::Average => node::EloOf::Average,
                header::EloSelector::Difference => node::EloOf::Difference,
            };
            Node::Elo(node::Elo { of, at_least, at_most })
        }
        HeaderCondition::Title { selector, titles } => Node::Title(title_node(*selector, titles)),
        HeaderCondition::EloLead(lead) => Node::EloLead(elo_lead_node(lead)),
        HeaderCondition::Eco(ranges) => {
            let range = |(from, to): &(_, _)| if from == to { format!("{from}") } else { format!("{from}-{to}") };
            Node::Eco(ranges.iter().map(range).collect())
        }
        HeaderCondition::Set(name) => Node::Set(name.to_string()),
        HeaderCondition::Opening(name) => Node::Opening(name.to_string()),
        HeaderCondition::Date { from, to } => {
            Node::Date(node::Dates { from: from.map(|day| day.to_string()), until: to.map(|day| day.to_string()) })
        }
        HeaderCondition::Plies(range) => Node::Plies(range_node((range.min, range.max))),
        HeaderCondition::Ended(endings) => {
            Node::Ended(endings.iter().map(|one| node::Ending(header::as_word(one.name()))).collect())
        }
        HeaderCondition::TimeClass(classes) => {
            Node::TimeClass(classes.iter().map(|one| node::TimeClass(header::as_word(one.name()))).collect())
        }
    }
}
