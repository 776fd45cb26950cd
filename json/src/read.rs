//! From JSON to the tree of a query, and what is wrong where that cannot be.

use plyfold_core::headers::{Eco, Outcome};
use plyfold_core::query::diagram::{Diagram, Manner};
use plyfold_core::query::error::QueryError;
use plyfold_core::query::fen::Fen;
use plyfold_core::query::header::{self, Header};
use plyfold_core::query::material;
use plyfold_core::query::parse::{self, DEEPEST, LONGEST_TEXT};
use plyfold_core::query::region::Region;
use plyfold_core::query::token;
use plyfold_core::query::tree::{self, Leaf, Tree};
use plyfold_core::query::under::Under;
use plyfold_core::query::window::{self, Often};
use plyfold_core::scan;
use plyfold_core::scan::measure::FEATURES;
use plyfold_core::scan::measure::numbers::NUMBERS;
use plyfold_core::scan::predicate::Comparison;
use plyfold_core::scan::when::When;
use serde_path_to_error::Segment;

use crate::error::{JsonError, nearest};
use crate::node::{self, Node};

/// Brackets of JSON within each other, at most: each of those that a text may have within each other, with the lists around it.
pub const MOST_NESTED: u32 = 6 * DEEPEST;
/// Bytes of a query in JSON, at most.
pub const LONGEST_JSON: usize = 16 * LONGEST_TEXT;

/// Reads a query.
///
/// # Errors
///
/// The first thing wrong: what is no JSON, an unknown name, a text that a query could not have in that place, or a tree that no text
/// reads as, such as words about plies inside braces.
pub fn from_json(json: &str) -> Result<Tree, JsonError> {
    if json.len() > LONGEST_JSON {
        return Err(JsonError::new(format!("a query has at most {LONGEST_JSON} bytes, and this has {}", json.len())));
    }
    if nested(json) > MOST_NESTED {
        return Err(JsonError::new(format!("brackets go at most {MOST_NESTED} deep")));
    }
    let mut reader = serde_json::Deserializer::from_str(json);
    // How deep it goes is known.
    reader.disable_recursion_limit();
    let node: Node = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().iter().map(|segment| match segment {
            Segment::Seq { index } => format!("/{index}"),
            Segment::Map { key } => format!("/{key}"),
            Segment::Enum { variant } => format!("/{variant}"),
            Segment::Unknown => String::new(),
        });
        let path = path.collect();
        not_a_node(path, &error.into_inner())
    })?;
    reader.end().map_err(|error| not_a_node(String::new(), &error))?;
    node.to_tree()
}

/// How deep brackets go.
fn nested(json: &str) -> u32 {
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0u32, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// What serde says, with the nearest of the names that it expected.
fn not_a_node(path: String, error: &serde_json::Error) -> JsonError {
    let message = error.to_string();
    if let Some(place) = message.strip_prefix("expected value") {
        let message = format!("an object with one name, which says what it is, is expected{place}");
        return JsonError { path, nearest: None, message };
    }
    let mut names = message.split('`').skip(1).step_by(2);
    let nearest = match names.next() {
        Some(name) if message.starts_with("unknown") => nearest(name, names),
        _ => None,
    };
    JsonError { path, nearest, message }
}

impl Node {
    /// The tree that it is.
    ///
    /// # Errors
    ///
    /// An unknown name, a text that a query could not have in that place, a tree that no text reads as.
    pub fn to_tree(&self) -> Result<Tree, JsonError> {
        let tree = self.unchecked()?;
        match unreadable(&tree) {
            None => Ok(tree),
            Some(message) => Err(self.place(message)),
        }
    }

    /// A mistake in this, at the innermost part that has it by itself.
    fn place(&self, message: String) -> JsonError {
        let inner = |part: &Node, steps: &[&str]| {
            let message = unreadable(&part.unchecked().ok()?)?;
            Some(steps.iter().rev().fold(part.place(message), |error, step| error.under(step)))
        };
        let found = match self {
            Node::And(parts) | Node::Or(parts) => {
                let name = if matches!(self, Node::And(_)) { "and" } else { "or" };
                parts.iter().enumerate().find_map(|(nth, part)| inner(part, &[name, &nth.to_string()]))
            }
            Node::Not(part) => inner(part, &["not"]),
            Node::Together(part) => inner(part, &["together"]),
            Node::Condition(condition) => inner(&condition.what, &["condition", "what"]),
            Node::Then(then) => {
                inner(&then.first, &["then", "first"]).or_else(|| inner(&then.second, &["then", "second"]))
            }
            _ => None,
        };
        found.unwrap_or_else(|| JsonError::new(message))
    }

    fn unchecked(&self) -> Result<Tree, JsonError> {
        let each = |parts: &[Node], name: &str| {
            if parts.len() < 2 {
                let message = "at least two parts stand in a list: one by itself needs none";
                return Err(JsonError::new(message).under(name));
            }
            let parts = parts.iter().enumerate();
            parts
                .map(|(nth, part)| part.unchecked().map_err(|error| error.under(nth).under(name)))
                .collect::<Result<Vec<_>, _>>()
        };
        let part = |part: &Node, name: &str| Ok(Box::new(part.unchecked().map_err(|error| error.under(name))?));
        Ok(match self {
            Node::Everything => Tree::Everything,
            Node::And(parts) => Tree::And(each(parts, "and")?),
            Node::Or(parts) => Tree::Or(each(parts, "or")?),
            Node::Not(inner) => Tree::Not(part(inner, "not")?),
            Node::Together(inner) => Tree::Together(part(inner, "together")?),
            Node::Condition(node::Condition { what, window }) => {
                let what = part(what, "what").map_err(|error| error.under("condition"))?;
                let window = to_window(window).map_err(|error| error.under("window").under("condition"))?;
                Tree::Condition { what, window }
            }
            Node::Then(node::Then { first, within, second }) => {
                let first = part(first, "first").map_err(|error| error.under("then"))?;
                let second = part(second, "second").map_err(|error| error.under("then"))?;
                Tree::Then { first, within: *within, second }
            }
            Node::Result(_)
            | Node::Name(_)
            | Node::Elo(_)
            | Node::Eco(_)
            | Node::Opening(_)
            | Node::Set(_)
            | Node::Date(_)
            | Node::Plies(_)
            | Node::Ended(_)
            | Node::TimeClass(_) => Tree::Header(self.to_header()?),
            leaf => Tree::Leaf(leaf.to_leaf()?),
        })
    }

    fn to_leaf(&self) -> Result<Leaf, JsonError> {
        let of = |name: &'static str| move |error: JsonError| error.under(name);
        let number = |of_move, range: &node::Range| {
            let (first, last) = to_range(*range);
            // Nothing comes before the first.
            Leaf::Number { of_move, first: first.max(1), last }
        };
        Ok(match self {
            Node::Feature(feature) => {
                let (side, feature, region) = to_feature(feature).map_err(of("feature"))?;
                Leaf::Feature { side, feature, region }
            }
            Node::Absent(feature) => {
                let (side, feature, region) = to_feature(feature).map_err(of("absent"))?;
                Leaf::Absent { side, feature, region }
            }
            Node::Attacks(attack) => to_attack(attack, false).map_err(of("attacks"))?,
            Node::Defends(attack) => to_attack(attack, true).map_err(of("defends"))?,
            Node::Empty(region) => Leaf::Empty(to_region(region).map_err(of("empty"))?),
            Node::Compare(node::Compare { left, is, right }) => {
                let sum = |sum, name| to_sum(sum).map_err(|error| error.under(name).under("compare"));
                Leaf::Compare(sum(left, "left")?, to_comparison(*is), sum(right, "right")?)
            }
            Node::Ply(range) => number(false, range),
            Node::Move(range) => number(true, range),
            Node::Fen(text) => Leaf::Fen(Box::new(Fen::read(text, 0).map_err(|error| of("fen")(as_text(error)))?)),
            Node::Board(text) => {
                let diagram = Diagram::read(text, 0, Manner::Pattern).map_err(|error| of("board")(as_text(error)))?;
                Leaf::Board(Box::new(diagram))
            }
            Node::Structure(text) => {
                only(&format!("structure \"{text}\""), "a board of pawns").map_err(of("structure"))?
            }
            Node::Under(under) => Leaf::Under(Box::new(to_under(under).map_err(of("under"))?)),
            Node::Material(text) => only(&format!("material {text}"), "a material").map_err(of("material"))?,
            Node::Imbalance(text) => only(&format!("imbalance {text}"), "an imbalance").map_err(of("imbalance"))?,
            Node::Endgame(endgame) => Leaf::Endgame(match endgame {
                node::Endgame::Pawn => material::Endgame::Pawn,
                node::Endgame::Knight => material::Endgame::Knight,
                node::Endgame::Bishop => material::Endgame::Bishop,
                node::Endgame::Minor => material::Endgame::Minor,
                node::Endgame::Rook => material::Endgame::Rook,
                node::Endgame::Queen => material::Endgame::Queen,
            }),
            _ => return Err(JsonError::new("this is no condition on a position")),
        })
    }

    fn to_header(&self) -> Result<Header, JsonError> {
        let of = |name: &'static str| move |error: JsonError| error.under(name);
        Ok(match self {
            Node::Result(outcomes) => Header::Result(
                outcomes
                    .iter()
                    .map(|outcome| match outcome {
                        node::Outcome::White => Outcome::White,
                        node::Outcome::Black => Outcome::Black,
                        node::Outcome::Draw => Outcome::Draw,
                        node::Outcome::Unknown => Outcome::Unknown,
                    })
                    .collect(),
            ),
            Node::Name(node::Name { of, like }) => Header::Name {
                of: match of {
                    node::NameOf::White => header::NameOf::White,
                    node::NameOf::Black => header::NameOf::Black,
                    node::NameOf::Player => header::NameOf::Player,
                    node::NameOf::Winner => header::NameOf::Winner,
                    node::NameOf::Loser => header::NameOf::Loser,
                    node::NameOf::Event => header::NameOf::Event,
                    node::NameOf::Site => header::NameOf::Site,
                    node::NameOf::Source => header::NameOf::Source,
                },
                pattern: to_name(like).map_err(|error| error.under("like").under("name"))?,
            },
            Node::Elo(node::Elo { of, at_least, at_most }) => {
                let (least, most) = to_range(node::Range { at_least: *at_least, at_most: *at_most });
                let of = match of {
                    node::EloOf::White => header::EloOf::White,
                    node::EloOf::Black => header::EloOf::Black,
                    node::EloOf::Either => header::EloOf::Either,
                    node::EloOf::Both => header::EloOf::Both,
                    node::EloOf::Winner => header::EloOf::Winner,
                    node::EloOf::Loser => header::EloOf::Loser,
                    node::EloOf::Average => header::EloOf::Average,
                    node::EloOf::Difference => header::EloOf::Difference,
                };
                Header::Elo { of, range: header::Range { least, most } }
            }
            Node::Eco(ranges) => {
                let ranges = ranges.iter().enumerate();
                let ranges = ranges.map(|(nth, text)| to_codes(text).map_err(|error| error.under(nth).under("eco")));
                Header::Eco(ranges.collect::<Result<_, _>>()?)
            }
            Node::Opening(name) => Header::Opening(to_name(name).map_err(of("opening"))?),
            Node::Set(name) => Header::Set(to_set(name).map_err(of("in"))?),
            Node::Date(node::Dates { from, until }) => {
                let day = |day: &Option<String>, name: &'static str| {
                    let day = day.as_deref().map(to_day).transpose();
                    day.map_err(|error| error.under(name).under("date"))
                };
                Header::Date { from: day(from, "from")?, to: day(until, "until")? }
            }
            Node::Plies(range) => {
                let (least, most) = to_range(*range);
                Header::Plies(header::Range { least, most })
            }
            Node::Ended(endings) => {
                let known: Vec<_> = node::endings().collect();
                let names = endings.iter().map(|ending| &*ending.0);
                Header::Ended(listed("ending", names, &known).map_err(of("ended"))?)
            }
            Node::TimeClass(classes) => {
                let known: Vec<_> = node::time_classes().collect();
                let names = classes.iter().map(|class| &*class.0);
                Header::TimeClass(listed("time class", names, &known).map_err(of("time_class"))?)
            }
            _ => return Err(JsonError::new("this is no fact about a game")),
        })
    }
}

/// Why no text reads as this, if none does.
fn unreadable(tree: &Tree) -> Option<String> {
    if *tree == Tree::Everything {
        return None;
    }
    let text = tree.to_string();
    match parse::parse(&text) {
        Ok(read) if read == *tree => None,
        Ok(read) => Some(format!("no query reads as this: as text it is `{text}`, and that means `{read}`")),
        Err(error) => Some(error.message),
    }
}

/// A mistake in a text that stands by itself.
fn as_text(error: QueryError) -> JsonError {
    JsonError::new(error.message)
}

/// The one condition that `text` is; `what` it should be.
fn only(text: &str, what: &str) -> Result<Leaf, JsonError> {
    match parse::parse(text).map_err(as_text)? {
        Tree::Leaf(leaf) => Ok(leaf),
        _ => Err(JsonError::new(format!("this is more than {what}"))),
    }
}

fn to_under(under: &node::Under) -> Result<Under, JsonError> {
    let what = under.what.to_leaf().map_err(|error| error.under("what"))?;
    if !what.is_of_board() {
        return Err(JsonError::new("only `fen`, `board` and `structure` have images").under("what"));
    }
    let family = |text: &String| {
        let refused =
            |why: &str| JsonError::new(format!("`{text}` is no set of transforms: {why}")).under("transforms");
        match only(&format!("structure \"8/8/8/8/8/8/8/8\" under {text}"), "transforms") {
            Ok(Leaf::Under(read)) if read.families.len() == 1 => Ok(read.families[0]),
            Ok(_) => Err(refused("it is more than one")),
            Err(error) => Err(refused(&error.to_string())),
        }
    };
    let families = under.transforms.iter().map(family).collect::<Result<Vec<_>, JsonError>>()?;
    if families.is_empty() || families.len() > 8 {
        return Err(JsonError::new("one to eight sets of transforms are wanted").under("transforms"));
    }
    Ok(Under { what, families })
}

fn to_region(text: &str) -> Result<Region, JsonError> {
    let refused = |error: JsonError| JsonError::new(format!("`{text}` is no region: {error}"));
    match only(&format!("man on {text}"), "squares").map_err(refused)? {
        Leaf::Feature { region, .. } => Ok(region),
        _ => Err(refused(JsonError::new("this is more than squares"))),
    }
}

fn to_region_or_anywhere(text: Option<&str>) -> Result<Region, JsonError> {
    text.map_or(Ok(Region::ANYWHERE), |text| to_region(text).map_err(|error| error.under("region")))
}

fn to_name(text: &str) -> Result<String, JsonError> {
    if text.contains('"') {
        return Err(JsonError::new("a name has no double quotes within it"));
    }
    if text.is_empty() || text != text.trim() {
        return Err(JsonError::new("a name begins and ends with something else than space"));
    }
    Ok(text.to_owned())
}

fn to_set(name: &str) -> Result<String, JsonError> {
    if name.is_empty() || !name.chars().all(token::is_of_set) {
        return Err(JsonError::new("the name of a set has letters, digits, `_`, `.` and `-`, and no `@`"));
    }
    Ok(name.to_owned())
}

fn to_side(side: &node::Side) -> Result<tree::Side, JsonError> {
    Ok(match side {
        node::Side::White => tree::Side::White,
        node::Side::Black => tree::Side::Black,
        node::Side::Either => tree::Side::Either,
        node::Side::Both => tree::Side::Both,
        node::Side::Neither => tree::Side::Neither,
        node::Side::Mover => tree::Side::Mover,
        node::Side::Waiter => tree::Side::Waiter,
        node::Side::Winner => tree::Side::Winner,
        node::Side::Loser => tree::Side::Loser,
        node::Side::Player(name) => tree::Side::Player(to_name(name).map_err(|error| error.under("player"))?),
    })
}

fn to_known(node::FeatureName(name): &node::FeatureName) -> Result<&'static scan::measure::Feature, JsonError> {
    if let Some(feature) = FEATURES.iter().find(|feature| feature.name == name) {
        return Ok(feature);
    }
    let mut error = JsonError::unknown("predicate", name, FEATURES.iter().map(|feature| feature.name));
    if let Some(feature) = FEATURES.iter().find(|feature| feature.aliases.contains(&&**name)) {
        error.nearest = Some(feature.name.to_owned());
    }
    Err(error.under("name"))
}

fn to_feature(feature: &node::Feature) -> Result<(tree::Side, &'static scan::measure::Feature, Region), JsonError> {
    let side = to_side(&feature.side).map_err(|error| error.under("side"))?;
    let known = to_known(&feature.name)?;
    if !known.sided && side != tree::Side::Either {
        return Err(JsonError::new(format!("`{}` speaks of no side", known.name)).under("side"));
    }
    Ok((side, known, to_region_or_anywhere(feature.region.as_deref())?))
}

fn to_attack(attack: &node::Attack, defends: bool) -> Result<Leaf, JsonError> {
    let side = to_side(&attack.side).map_err(|error| error.under("side"))?;
    let target = match &attack.target {
        node::Target::Men(node::TargetMen { name, region }) => {
            let of_target = |error: JsonError| error.under("men").under("target");
            let region = to_region_or_anywhere(region.as_deref()).map_err(of_target)?;
            tree::Target::Feature { feature: to_known(name).map_err(of_target)?, region }
        }
        node::Target::Squares(region) => {
            tree::Target::Region(to_region(region).map_err(|error| error.under("squares").under("target"))?)
        }
    };
    let region = to_region_or_anywhere(attack.region.as_deref())?;
    Ok(Leaf::Attacks { side, feature: to_known(&attack.name)?, region, defends, target })
}

fn to_comparison(comparison: node::Comparison) -> Comparison {
    match comparison {
        node::Comparison::Equal => Comparison::Equal,
        node::Comparison::Unequal => Comparison::Unequal,
        node::Comparison::Less => Comparison::Less,
        node::Comparison::AtMost => Comparison::AtMost,
        node::Comparison::More => Comparison::More,
        node::Comparison::AtLeast => Comparison::AtLeast,
    }
}

fn to_sum(sum: &node::Sum) -> Result<tree::Sum, JsonError> {
    let term = |(nth, term): (usize, &node::Term)| {
        let place =
            |name: &'static str| move |error: JsonError| error.under(name).under("of").under(nth).under("terms");
        let counted = match &term.of {
            node::Counted::Count(feature) => {
                let (side, feature, region) = to_feature(feature).map_err(place("count"))?;
                tree::Counted::Squares { side, feature, region }
            }
            node::Counted::Points(side) => tree::Counted::Points(to_side(side).map_err(place("points"))?),
            node::Counted::Number(name) => {
                let known = NUMBERS.iter().find(|number| number.name == name || number.aliases.contains(&&**name));
                let unknown = || JsonError::unknown("number", name, NUMBERS.iter().map(|number| number.name));
                tree::Counted::Number(known.ok_or_else(unknown).map_err(place("number"))?)
            }
        };
        Ok((term.times, counted))
    };
    let terms = sum.terms.iter().enumerate().map(term).collect::<Result<_, JsonError>>()?;
    Ok(tree::Sum { terms, constant: sum.constant })
}

fn to_range(range: node::Range) -> (u32, u32) {
    (range.at_least.unwrap_or(0), range.at_most.unwrap_or(u32::MAX))
}

fn to_window(window: &node::Window) -> Result<window::Window, JsonError> {
    let span = |span: Option<node::Span>, any: (u32, u32)| {
        span.map_or(any, |span| (span.from.unwrap_or(any.0), span.until.unwrap_or(any.1)))
    };
    let often = match (window.row, window.times) {
        (None, None) => Often::Once,
        (Some(plies), None) => Often::Row(plies),
        (None, Some(range)) => {
            let (least, most) = to_range(range);
            Often::Times { least, most }
        }
        (Some(_), Some(_)) => return Err(JsonError::new("a condition has `for` or `times`, not both")),
    };
    let found = window::Window {
        quantifier: match window.quantifier {
            None => window::Quantifier::Ever,
            Some(node::Quantifier::Never) => window::Quantifier::Never,
            Some(node::Quantifier::Always) => window::Quantifier::Always,
        },
        edge: window.edge.map(|edge| match edge {
            node::Edge::Became => scan::Edge::Became,
            node::Edge::Ceased => scan::Edge::Ceased,
        }),
        often,
        when: When {
            plies: span(window.plies, When::ALWAYS.plies),
            moves: span(window.moves, When::ALWAYS.moves),
            at_end: window.at_end,
        },
        phase: window.phase.map(|phase| match phase {
            node::Phase::Opening => window::Phase::Opening,
            node::Phase::Middlegame => window::Phase::Middlegame,
            node::Phase::Endgame => window::Phase::Endgame,
        }),
    };
    if found == window::Window::EVER {
        return Err(JsonError::new("this says nothing: leave `condition` out around what holds"));
    }
    Ok(found)
}

/// `B90` or `B80-B99`.
fn to_codes(text: &str) -> Result<(Eco, Eco), JsonError> {
    let code = |text: &str| Some(Eco::from_pgn(text)).filter(|code| text.len() == 3 && !code.is_unknown());
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let codes = code(from).zip(code(to));
    codes
        .ok_or_else(|| JsonError::new(format!("`{text}` is no ECO code such as `B90`, and no range such as `B80-B99`")))
}

/// `1990.05.01`, `1990.05` or `1990`.
fn to_day(text: &str) -> Result<header::Day, JsonError> {
    match parse::parse(&format!("date = {text}")) {
        Ok(Tree::Header(Header::Date { from: Some(day), .. })) => Ok(day),
        Ok(_) => Err(JsonError::new(format!("`{text}` is more than a date"))),
        Err(error) => Err(JsonError::new(format!("`{text}` is no date: {}", error.message))),
    }
}

/// Names of a list, each one of `known`.
fn listed<'n, T: Copy>(
    what: &str,
    names: impl Iterator<Item = &'n str>,
    known: &[(String, T)],
) -> Result<Vec<T>, JsonError> {
    let one = |(nth, name): (usize, &str)| {
        let found = known.iter().find(|(known, _)| known == name).map(|&(_, one)| one);
        let names = known.iter().map(|(name, _)| &**name);
        found.ok_or_else(|| JsonError::unknown(what, name, names).under(nth))
    };
    names.enumerate().map(one).collect()
}
