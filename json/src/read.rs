//! Reads JSON as the tree of a query, with errors that say what is wrong and where.

use plyfold_core::headers::{Eco, Ending, TimeClass};
use plyfold_core::query::diagram::{Diagram, DiagramSyntax};
use plyfold_core::query::error::QueryError;
use plyfold_core::query::fen_pattern::FenPattern;
use plyfold_core::query::header::{self, HeaderCondition, NumberRange};
use plyfold_core::query::parse::{self, MAX_DEPTH, MAX_QUERY_BYTES};
use plyfold_core::query::played::{MoveAction, MovePattern};
use plyfold_core::query::region::Region;
use plyfold_core::query::span::SpannedName;
use plyfold_core::query::squares::SquareExpression;
use plyfold_core::query::token;
use plyfold_core::query::tree::{
    self, CountExpression, Leaf, QueryTree, SideSelector, TargetExpression, TransformedPattern,
};
use plyfold_core::query::window::{GamePhase, OccurrenceRule, WindowClause, WindowQuantifier};
use plyfold_core::scan::ConditionEdge;
use plyfold_core::scan::measure::numbers::{NUMBERS, number_named};
use plyfold_core::scan::measure::{BoardFeature, FEATURES};
use plyfold_core::scan::ply_filter::PlyFilter;
use plyfold_core::scan::predicate::{MoveDirection, MoveLine, ThrownAway};
use serde_path_to_error::Segment;

use crate::error::{JsonError, Within, nearest};
use crate::node::{self, Node};

/// The deepest nesting of brackets in JSON. A bracket of a text becomes several in JSON, with the lists around them.
pub const MAX_NESTING: u32 = 6 * MAX_DEPTH;
/// The most bytes of a query in JSON.
///
/// Without white space, the densest queries that were measured take 5.5 times the bytes of their text: queries such as
/// `became man or became man …` in the field *tree* of `plyfold explain --format json`. So any query fits, even with indentation.
pub const MAX_JSON_BYTES: usize = 16 * MAX_QUERY_BYTES;

/// Reads a query.
///
/// # Errors
///
/// The first error: text that is not JSON, an unknown name, a text that a query could not have in that place, or a tree that no
/// text can express, such as words about plies inside braces.
pub fn from_json(json: &str) -> Result<QueryTree, JsonError> {
    if json.len() > MAX_JSON_BYTES {
        return Err(JsonError::new(format!("a query has at most {MAX_JSON_BYTES} bytes, and this has {}", json.len())));
    }
    if nesting_depth(json) > MAX_NESTING {
        return Err(JsonError::new(format!("brackets nest at most {MAX_NESTING} deep")));
    }
    let mut reader = serde_json::Deserializer::from_str(json);
    // The depth has been checked.
    reader.disable_recursion_limit();
    let node: Node = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().iter().map(|segment| match segment {
            Segment::Seq { index } => format!("/{index}"),
            Segment::Map { key } => format!("/{key}"),
            Segment::Enum { variant } => format!("/{variant}"),
            Segment::Unknown => String::new(),
        });
        let path = path.collect();
        syntax_error(path, &error.into_inner())
    })?;
    reader.end().map_err(|error| syntax_error(String::new(), &error))?;
    node.to_tree()
}

/// How deep brackets are nested.
fn nesting_depth(json: &str) -> u32 {
    let (mut depth, mut max_depth, mut quoted, mut escaped) = (0u32, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                max_depth = max_depth.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    max_depth
}

/// The error of serde, with the nearest of the names that it expected.
fn syntax_error(path: String, error: &serde_json::Error) -> JsonError {
    let message = error.to_string();
    if let Some(location) = message.strip_prefix("expected value") {
        let message = format!("expected an object with one key that names the condition{location}");
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
    /// The tree of this node.
    ///
    /// # Errors
    ///
    /// An unknown name, a text that a query could not have in that place, or a tree that no text can express.
    pub fn to_tree(&self) -> Result<QueryTree, JsonError> {
        let tree = self.to_unchecked_tree()?;
        match reason_unreadable(&tree) {
            None => Ok(tree),
            Some(message) => Err(self.locate(message)),
        }
    }

    /// The error `message`, located at the innermost part that has an error by itself.
    fn locate(&self, message: String) -> JsonError {
        let inner = |part: &Node, steps: &[&str]| {
            let message = reason_unreadable(&part.to_unchecked_tree().ok()?)?;
            Some(steps.iter().rev().fold(part.locate(message), |error, step| error.within(step)))
        };
        let fault = match self {
            Node::And(parts) | Node::Or(parts) => {
                let name = if matches!(self, Node::And(_)) { "and" } else { "or" };
                parts.iter().enumerate().find_map(|(index, part)| inner(part, &[name, &index.to_string()]))
            }
            Node::SomeOf(node::SomeOf { parts, .. }) => {
                let mut parts = parts.iter().enumerate();
                parts.find_map(|(index, part)| inner(part, &["some_of", "parts", &index.to_string()]))
            }
            Node::Not(part) => inner(part, &["not"]),
            Node::Together(part) => inner(part, &["together"]),
            Node::Condition(condition) => inner(&condition.what, &["condition", "what"]),
            Node::Then(then) => {
                inner(&then.first, &["then", "first"]).or_else(|| inner(&then.second, &["then", "second"]))
            }
            _ => None,
        };
        fault.unwrap_or_else(|| JsonError::new(message))
    }

    fn to_unchecked_tree(&self) -> Result<QueryTree, JsonError> {
        let convert = |parts: &[Node], name: &str| {
            if parts.len() < 2 {
                let message = "a list needs at least two parts; a single part needs no list";
                return Err(JsonError::new(message)).within(name);
            }
            let parts = parts.iter().enumerate();
            let parts = parts.map(|(index, part)| part.to_unchecked_tree().within(index));
            parts.collect::<Result<Vec<_>, _>>().within(name)
        };
        let part = |part: &Node, name: &str| part.to_unchecked_tree().within(name).map(Box::new);
        Ok(match self {
            Node::Everything => QueryTree::Everything,
            Node::And(parts) => QueryTree::And(convert(parts, "and")?),
            Node::Or(parts) => QueryTree::Or(convert(parts, "or")?),
            Node::SomeOf(node::SomeOf { number, parts }) => {
                let converted = convert(parts, "parts").within("some_of")?;
                if !(2..parts.len()).contains(number) {
                    let message = format!("of {} parts, the number is from 2 to {}", parts.len(), parts.len() - 1);
                    return Err(JsonError::new(message)).within("number").within("some_of");
                }
                QueryTree::SomeOf(*number, converted)
            }
            Node::Not(inner) => QueryTree::Not(part(inner, "not")?),
            Node::Together(inner) => QueryTree::Together(part(inner, "together")?),
            Node::Condition(node::Condition { what, window }) => {
                let inner = part(what, "what").within("condition")?;
                QueryTree::Condition { inner, window: to_window(window).within("window").within("condition")? }
            }
            Node::Then(node::Then { first, within, second }) => {
                let first = part(first, "first").within("then")?;
                QueryTree::Then { first, within: *within, second: part(second, "second").within("then")? }
            }
            _ => match self.to_header()? {
                Some(header) => QueryTree::Header(header),
                None => QueryTree::Leaf(self.to_leaf()?),
            },
        })
    }

    /// An error in this condition, seen from its object, whose only key names it.
    fn in_object(&self, error: JsonError) -> JsonError {
        let object = serde_json::to_value(self).unwrap_or_default();
        error.within(object.as_object().and_then(|object| object.keys().next()).map_or("", String::as_str))
    }

    fn to_leaf(&self) -> Result<Leaf, JsonError> {
        let leaf = match self {
            Node::Feature(of) => to_feature(of).map(|(side, feature, region)| Leaf::Feature { side, feature, region }),
            Node::Absent(of) => to_feature(of).map(|(side, feature, region)| Leaf::Absent { side, feature, region }),
            Node::Attacks(attack) => to_attack(attack, false),
            Node::Defends(attack) => to_attack(attack, true),
            Node::Comment(comment) => to_comment(comment),
            Node::Marked(marked) => to_marked(marked),
            Node::Tb(node::TableCondition { side, outcome }) => {
                to_side(side).map(|side| Leaf::TableOutcome { side, outcome: (*outcome).into() })
            }
            Node::ThrewAway(node::ThrewAway { side, what }) => to_side(side)
                .map(|side| Leaf::ThrewAway { side, thrown: what.map_or(ThrownAway::Anything, ThrownAway::from) }),
            Node::Played(played) => to_played(played),
            Node::Squares(set) => to_squares(set).map(|(side, squares)| squares.into_leaf(side)),
            Node::NoSquares(set) => to_squares(set).map(|(side, squares)| squares.into_absent_leaf(side)),
            Node::Empty(region) => to_region(region).map(Leaf::Empty),
            Node::Compare(node::Compare { left, is, right }) => to_sum(left)
                .within("left")
                .and_then(|left| Ok(Leaf::Compare(left, (*is).into(), to_sum(right).within("right")?))),
            Node::Ply(range) => Ok(to_number(false, range)),
            Node::Move(range) => Ok(to_number(true, range)),
            Node::Fen(text) => FenPattern::read(text, 0).map(|fen| Leaf::Fen(Box::new(fen))).map_err(from_query_error),
            Node::Board(text) => Diagram::read(text, 0, DiagramSyntax::Pattern)
                .map(|diagram| Leaf::Board(Box::new(diagram)))
                .map_err(from_query_error),
            Node::Structure(text) => single_leaf(&format!("structure \"{text}\""), "a board of pawns"),
            Node::Under(under) => to_transformed(under).map(|under| Leaf::Under(Box::new(under))),
            Node::Material(text) => single_leaf(&format!("material {text}"), "a material"),
            Node::Imbalance(text) => single_leaf(&format!("imbalance {text}"), "an imbalance"),
            Node::Endgame(endgame) => Ok(Leaf::Endgame((*endgame).into())),
            _ => return Err(JsonError::new("this is not a condition on a position")),
        };
        leaf.map_err(|error| self.in_object(error))
    }

    /// The fact about a game that this is, if it is one.
    fn to_header(&self) -> Result<Option<HeaderCondition>, JsonError> {
        let header = match self {
            Node::Result(outcomes) => Ok(HeaderCondition::Result(outcomes.iter().map(|&one| one.into()).collect())),
            Node::Name(node::Name { of, like }) => to_name(like)
                .within("like")
                .map(|name| HeaderCondition::Name { selector: (*of).into(), pattern: name.into() }),
            Node::Elo(node::Elo { of, at_least, at_most }) => {
                let range = to_range(node::Range { at_least: *at_least, at_most: *at_most });
                Ok(HeaderCondition::Elo { selector: (*of).into(), range })
            }
            Node::Title(title) => to_title_condition(title),
            Node::EloLead(lead) => to_elo_lead(lead).map(HeaderCondition::EloLead),
            Node::Eco(ranges) => {
                let ranges = ranges.iter().enumerate().map(|(index, text)| to_codes(text).within(index));
                ranges.collect::<Result<_, _>>().map(HeaderCondition::Eco)
            }
            Node::Opening(name) => to_name(name).map(|name| HeaderCondition::Opening(name.into())),
            Node::Set(name) => to_set(name).map(|name| HeaderCondition::Set(name.into())),
            Node::Date(node::Dates { from, until }) => {
                to_day(from, "from").and_then(|from| Ok(HeaderCondition::Date { from, to: to_day(until, "until")? }))
            }
            Node::Plies(range) => Ok(HeaderCondition::Plies(to_range(*range))),
            Node::Incomplete(true) => Ok(HeaderCondition::Incomplete),
            Node::Incomplete(false) => Err(JsonError::new("`incomplete` is true: put it into `not` for other games")),
            Node::Ended(endings) => {
                let names = endings.iter().map(|ending| &*ending.0);
                to_values("ending", names, Ending::ALL, Ending::name).map(HeaderCondition::Ended)
            }
            Node::TimeClass(classes) => {
                let names = classes.iter().map(|class| &*class.0);
                to_values("time class", names, TimeClass::ALL, TimeClass::name).map(HeaderCondition::TimeClass)
            }
            _ => return Ok(None),
        };
        header.map(Some).map_err(|error| self.in_object(error))
    }
}

fn to_title_condition(node::Title { of, among }: &node::Title) -> Result<HeaderCondition, JsonError> {
    if among.is_empty() {
        return Err(JsonError::new("there is no title")).within("among");
    }
    let titles = among.iter().enumerate().map(|(index, title)| to_name(title).map(SpannedName::from).within(index));
    let titles = titles.collect::<Result<_, _>>().within("among")?;
    Ok(HeaderCondition::Title { selector: (*of).into(), titles })
}

fn to_elo_lead(node::EloComparison { of, is, margin }: &node::EloComparison) -> Result<header::EloLead, JsonError> {
    let margin = i32::try_from(*margin).ok().filter(|margin| (-9999..=9999).contains(margin));
    let margin = margin.ok_or_else(|| JsonError::new("a margin is from -9999 to 9999").within("margin"))?;
    Ok(header::EloLead { player: (*of).into(), comparison: (*is).into(), margin })
}

/// Why no text can express this tree, if none can.
fn reason_unreadable(tree: &QueryTree) -> Option<String> {
    if *tree == QueryTree::Everything {
        return None;
    }
    let text = tree.to_string();
    match parse::parse(&text) {
        Ok(read) if read == *tree => None,
        Ok(read) => Some(format!("no query has this form: its text is `{text}`, which means `{read}`")),
        Err(error) => Some(error.message),
    }
}

/// The error of a text that is read by itself.
fn from_query_error(error: QueryError) -> JsonError {
    JsonError::new(error.message)
}

/// Reads `text` as a single condition; `what` says in an error what it should be.
fn single_leaf(text: &str, what: &str) -> Result<Leaf, JsonError> {
    match parse::parse_part(text).map_err(from_query_error)? {
        QueryTree::Leaf(leaf) => Ok(leaf),
        _ => Err(JsonError::new(format!("this is more than {what}"))),
    }
}

fn to_marked(node::Marked { side, mark }: &node::Marked) -> Result<Leaf, JsonError> {
    let side = to_side(side)?;
    match single_leaf(mark, "a mark").within("mark")? {
        Leaf::Marked { side: SideSelector::Either, mark } => Ok(Leaf::Marked { side, mark }),
        _ => Err(JsonError::new(format!("`{mark}` is no mark of a move"))).within("mark"),
    }
}

fn to_number(is_move_number: bool, range: &node::Range) -> Leaf {
    let NumberRange { min, max } = to_range(*range);
    // Plies and moves are counted from 1.
    Leaf::Number { is_move_number, first: min.max(1), last: max }
}

fn to_comment(node::Comment { side, like }: &node::Comment) -> Result<Leaf, JsonError> {
    Ok(Leaf::Comment { side: to_side(side)?, pattern: to_name(like).within("like")? })
}

fn to_played(played: &node::Played) -> Result<Leaf, JsonError> {
    let node::MoveActionName(name) = &played.action;
    let names = || MoveAction::NAMED.iter().map(|(name, _)| *name);
    let action = MoveAction::named(name).ok_or_else(|| JsonError::unknown("action", name, names()).within("action"))?;
    let piece = |name: &Option<String>, field| {
        let Some(name) = name else { return Ok((None, None)) };
        // The tree of another condition has the role.
        let leaf = single_leaf(&format!("plays {name}"), "a piece").within(field)?;
        if let Leaf::Played { side: SideSelector::Either, pattern } = leaf {
            let MovePattern { piece, piece_name, .. } = pattern;
            if pattern == (MovePattern { piece, piece_name, ..MovePattern::new(MoveAction::Plays) }) {
                return Ok((piece, piece_name));
            }
        }
        Err(JsonError::new(format!("`{name}` is no piece"))).within(field)
    };
    let ((piece, piece_name), (object, object_name)) =
        (piece(&played.piece, "piece")?, piece(&played.object, "object")?);
    let pattern = MovePattern {
        action,
        piece,
        piece_name,
        object,
        object_name,
        from: to_region_or_anywhere(&played.from, "from")?,
        to: to_region_or_anywhere(&played.to, "to")?,
        direction: known_name(&played.direction, MoveDirection::NAMED, "direction")?,
        line: known_name(&played.along, MoveLine::NAMED, "along")?,
        is_quiet: played.quiet,
    };
    Ok(Leaf::Played { side: to_side(&played.side)?, pattern })
}

/// What the name in this field means.
fn known_name<T: Copy>(
    name: &Option<String>,
    named: &[(&'static str, T)],
    field: &'static str,
) -> Result<Option<T>, JsonError> {
    let Some(name) = name else { return Ok(None) };
    match named.iter().find(|(known, _)| known == name) {
        Some((_, item)) => Ok(Some(*item)),
        None => Err(JsonError::unknown(field, name, named.iter().map(|(known, _)| *known))).within(field),
    }
}

fn to_transformed(under: &node::Under) -> Result<TransformedPattern, JsonError> {
    let pattern = under.what.to_leaf().within("what")?;
    if !pattern.has_images() {
        return Err(JsonError::new("only `fen`, `board` and `structure` have images")).within("what");
    }
    let family = |text: &String| {
        let refused = |why: &str| JsonError::new(format!("`{text}` is no set of transforms: {why}"));
        match single_leaf(&format!("structure \"8/8/8/8/8/8/8/8\" under {text}"), "transforms") {
            Ok(Leaf::Under(read)) if read.families.len() == 1 => Ok(read.families[0]),
            Ok(_) => Err(refused("there is more than one")),
            Err(error) => Err(refused(&error.to_string())),
        }
    };
    let families = under.transforms.iter().map(family).collect::<Result<Vec<_>, _>>().within("transforms")?;
    if families.is_empty() || families.len() > 8 {
        return Err(JsonError::new("write one to eight sets of transforms")).within("transforms");
    }
    Ok(TransformedPattern { pattern, families })
}

fn to_region(text: &str) -> Result<Region, JsonError> {
    let refused = |error: JsonError| JsonError::new(format!("`{text}` is no region: {error}"));
    match single_leaf(&format!("piece on {text}"), "squares").map_err(refused)? {
        Leaf::Feature { region, .. } => Ok(region),
        _ => Err(refused(JsonError::new("this is more than squares"))),
    }
}

fn to_region_or_anywhere(text: &Option<String>, field: &str) -> Result<Region, JsonError> {
    text.as_deref().map_or(Ok(Region::ANYWHERE), |text| to_region(text).within(field))
}

fn to_name(text: &str) -> Result<String, JsonError> {
    if text.contains('"') {
        return Err(JsonError::new("a name contains no double quotes"));
    }
    if text.is_empty() || text != text.trim() {
        return Err(JsonError::new("a name neither begins nor ends with a space"));
    }
    Ok(text.to_owned())
}

fn to_set(name: &str) -> Result<String, JsonError> {
    if name.is_empty() || !name.chars().all(token::is_set_name_char) {
        return Err(JsonError::new("the name of a set consists of letters, digits, `_`, `.` and `-`, without the `@`"));
    }
    Ok(name.to_owned())
}

/// The side in the field `side`.
fn to_side(side: &node::Side) -> Result<SideSelector, JsonError> {
    to_side_selector(side).within("side")
}

fn to_side_selector(side: &node::Side) -> Result<SideSelector, JsonError> {
    Ok(match side {
        node::Side::White => SideSelector::White,
        node::Side::Black => SideSelector::Black,
        node::Side::Either => SideSelector::Either,
        node::Side::Both => SideSelector::Both,
        node::Side::Neither => SideSelector::Neither,
        node::Side::Mover => SideSelector::Mover,
        node::Side::Waiter => SideSelector::Waiter,
        node::Side::Winner => SideSelector::Winner,
        node::Side::Loser => SideSelector::Loser,
        node::Side::Player(name) => SideSelector::Player(to_name(name).within("player")?.into()),
    })
}

fn to_known_feature(node::FeatureName(name): &node::FeatureName) -> Result<&'static BoardFeature, JsonError> {
    let current = node::FORMER_NAMES.iter().find(|(former, _)| former == name).map_or(&**name, |(_, current)| current);
    if let Some(feature) = FEATURES.iter().find(|feature| feature.name == current) {
        return Ok(feature);
    }
    let mut error = JsonError::unknown("predicate", name, FEATURES.iter().map(|feature| feature.name));
    if let Some(feature) = FEATURES.iter().find(|feature| feature.aliases.contains(&&**name)) {
        error.nearest = Some(feature.name.to_owned());
    }
    Err(error.within("name"))
}

fn to_feature(feature: &node::Feature) -> Result<(SideSelector, &'static BoardFeature, Region), JsonError> {
    let (side, known) = (to_side(&feature.side)?, to_known_feature(&feature.name)?);
    if !known.has_sides && side != SideSelector::Either {
        return Err(JsonError::new(format!("`{}` belongs to no side", known.name))).within("side");
    }
    Ok((side, known, to_region_or_anywhere(&feature.region, "region")?))
}

fn to_squares(set: &node::CombinedSquares) -> Result<(SideSelector, SquareExpression), JsonError> {
    let side = to_side(&set.side)?;
    let squares = parse::parse_squares(&set.of).map_err(from_query_error).within("of")?;
    if !squares.has_sides() && side != SideSelector::Either {
        return Err(JsonError::new(format!("`{squares}` belongs to no side"))).within("side");
    }
    Ok((side, squares))
}

fn to_attack(attack: &node::Attack, defends: bool) -> Result<Leaf, JsonError> {
    let side = to_side(&attack.side)?;
    let target = match &attack.target {
        node::Target::Pieces(node::TargetPieces { name, region }) => to_region_or_anywhere(region, "region")
            .and_then(|region| Ok(TargetExpression::Feature { feature: to_known_feature(name)?, region }))
            .within("pieces"),
        node::Target::Squares(region) => to_region(region).map(TargetExpression::Region).within("squares"),
    };
    let (target, region) = (target.within("target")?, to_region_or_anywhere(&attack.region, "region")?);
    Ok(Leaf::Attacks { side, feature: to_known_feature(&attack.name)?, region, defends, target })
}

fn to_sum(sum: &node::Sum) -> Result<tree::SumExpression, JsonError> {
    let counted = |counted: &node::Counted| match counted {
        node::Counted::Count(feature) => to_feature(feature)
            .map(|(side, feature, region)| (side, SquareExpression::Feature { feature, region }))
            .map(|(side, squares)| CountExpression::Squares { side, squares })
            .within("count"),
        node::Counted::Squares(set) => {
            to_squares(set).map(|(side, squares)| CountExpression::Squares { side, squares }).within("squares")
        }
        node::Counted::Points(side) => to_side_selector(side).map(CountExpression::Points).within("points"),
        node::Counted::Number(name) => number_named(name)
            .map(CountExpression::Number)
            .or_else(|| parse::parse_side_number(name).ok())
            .ok_or_else(|| JsonError::unknown("number", name, NUMBERS.iter().map(|number| number.name)))
            .within("number"),
    };
    let terms = sum.terms.iter().enumerate();
    let terms = terms.map(|(index, term)| Ok((term.times, counted(&term.of).within("of").within(index)?)));
    Ok(tree::SumExpression { terms: terms.collect::<Result<_, _>>().within("terms")?, constant: sum.constant })
}

fn to_range(range: node::Range) -> NumberRange {
    NumberRange { min: range.at_least.unwrap_or(0), max: range.at_most.unwrap_or(u32::MAX) }
}

fn to_window(window: &node::Window) -> Result<WindowClause, JsonError> {
    let span = |span: Option<node::Span>, any: (u32, u32)| {
        span.map_or(any, |span| (span.from.unwrap_or(any.0), span.until.unwrap_or(any.1)))
    };
    let occurrence = match (window.row, window.times.map(to_range)) {
        (None, None) => OccurrenceRule::Once,
        (Some(plies), None) => OccurrenceRule::Consecutive(plies),
        (None, Some(NumberRange { min, max })) => OccurrenceRule::Times { min, max },
        (Some(_), Some(_)) => return Err(JsonError::new("a condition takes `for` or `times`, not both")),
    };
    let clause = WindowClause {
        quantifier: window.quantifier.map_or(WindowQuantifier::Ever, WindowQuantifier::from),
        edge: window.edge.map(ConditionEdge::from),
        occurrence,
        when: PlyFilter {
            ply_bounds: span(window.plies, PlyFilter::EVERY_PLY.ply_bounds),
            move_bounds: span(window.moves, PlyFilter::EVERY_PLY.move_bounds),
            at_end: window.at_end,
        },
        phase: window.phase.map(GamePhase::from),
    };
    if clause == WindowClause::EVER {
        return Err(JsonError::new("this window is empty: leave `condition` out"));
    }
    Ok(clause)
}

/// `B90` or `B80-B99`.
fn to_codes(text: &str) -> Result<(Eco, Eco), JsonError> {
    let code = |text: &str| Some(Eco::from_pgn(text)).filter(|code| text.len() == 3 && !code.is_unknown());
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let codes = code(from).zip(code(to));
    codes
        .ok_or_else(|| JsonError::new(format!("`{text}` is no ECO code such as `B90`, and no range such as `B80-B99`")))
}

/// `1990.05.01`, `1990.05` or `1990`, if there is a day.
fn to_day(text: &Option<String>, field: &str) -> Result<Option<header::PartialDate>, JsonError> {
    let Some(text) = text else { return Ok(None) };
    let message = match parse::parse(&format!("date = {text}")) {
        Ok(QueryTree::Header(HeaderCondition::Date { from: Some(day), .. })) => return Ok(Some(day)),
        Ok(_) => format!("`{text}` is more than a date"),
        Err(error) => format!("`{text}` is no date: {}", error.message),
    };
    Err(JsonError::new(message)).within(field)
}

/// The values of a list of names, each of which must be the name of one of `all`.
fn to_values<'n, T: Copy>(
    what: &str,
    names: impl Iterator<Item = &'n str>,
    all: &[T],
    name_of: fn(T) -> &'static str,
) -> Result<Vec<T>, JsonError> {
    let known = node::names_of(all, name_of);
    let value = |name: &str| {
        let at = known.iter().position(|known| known == name);
        at.map(|at| all[at]).ok_or_else(|| JsonError::unknown(what, name, known.iter().map(String::as_str)))
    };
    names.enumerate().map(|(index, name)| value(name).within(index)).collect()
}
