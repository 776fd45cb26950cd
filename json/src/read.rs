//! Reads JSON as the tree of a query, with errors that say what is wrong and where.

use plyfold_core::headers::{Eco, GameResult};
use plyfold_core::query::diagram::{Diagram, DiagramSyntax};
use plyfold_core::query::error::QueryError;
use plyfold_core::query::fen_pattern::FenPattern;
use plyfold_core::query::header::{self, HeaderCondition};
use plyfold_core::query::material;
use plyfold_core::query::parse::{self, MAX_DEPTH, MAX_QUERY_BYTES};
use plyfold_core::query::played::{MoveAction, MovePattern};
use plyfold_core::query::region::Region;
use plyfold_core::query::span::SpannedName;
use plyfold_core::query::squares::SquareExpression;
use plyfold_core::query::token;
use plyfold_core::query::tree::{self, Leaf, QueryTree, TransformedPattern};
use plyfold_core::query::window::{self, OccurrenceRule};
use plyfold_core::scan;
use plyfold_core::scan::measure::FEATURES;
use plyfold_core::scan::measure::numbers::{NUMBERS, number_named};
use plyfold_core::scan::ply_filter::PlyFilter;
use plyfold_core::scan::predicate::{MoveDirection, MoveLine, NumberComparison, ThrownAway};
use plyfold_core::scan::tables::TableOutcome;
use serde_path_to_error::Segment;

use crate::error::{JsonError, nearest};
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
                return Err(JsonError::new(message).within(name));
            }
            let parts = parts.iter().enumerate();
            parts
                .map(|(index, part)| part.to_unchecked_tree().map_err(|error| error.within(index).within(name)))
                .collect::<Result<Vec<_>, _>>()
        };
        let part =
            |part: &Node, name: &str| Ok(Box::new(part.to_unchecked_tree().map_err(|error| error.within(name))?));
        Ok(match self {
            Node::Everything => QueryTree::Everything,
            Node::And(parts) => QueryTree::And(convert(parts, "and")?),
            Node::Or(parts) => QueryTree::Or(convert(parts, "or")?),
            Node::Not(inner) => QueryTree::Not(part(inner, "not")?),
            Node::Together(inner) => QueryTree::Together(part(inner, "together")?),
            Node::Condition(node::Condition { what, window }) => {
                let what = part(what, "what").map_err(|error| error.within("condition"))?;
                let window = to_window(window).map_err(|error| error.within("window").within("condition"))?;
                QueryTree::Condition { inner: what, window }
            }
            Node::Then(node::Then { first, within, second }) => {
                let first = part(first, "first").map_err(|error| error.within("then"))?;
                let second = part(second, "second").map_err(|error| error.within("then"))?;
                QueryTree::Then { first, within: *within, second }
            }
            Node::Result(_)
            | Node::Name(_)
            | Node::Elo(_)
            | Node::Title(_)
            | Node::EloLead(_)
            | Node::Eco(_)
            | Node::Opening(_)
            | Node::Set(_)
            | Node::Date(_)
            | Node::Plies(_)
            | Node::Ended(_)
            | Node::TimeClass(_) => QueryTree::Header(self.to_header()?),
            leaf => QueryTree::Leaf(leaf.to_leaf()?),
        })
    }

    fn to_leaf(&self) -> Result<Leaf, JsonError> {
        let in_field = |name: &'static str| move |error: JsonError| error.within(name);
        Ok(match self {
            Node::Feature(feature) => {
                let (side, feature, region) = to_feature(feature).map_err(in_field("feature"))?;
                Leaf::Feature { side, feature, region }
            }
            Node::Absent(feature) => {
                let (side, feature, region) = to_feature(feature).map_err(in_field("absent"))?;
                Leaf::Absent { side, feature, region }
            }
            Node::Attacks(attack) => to_attack(attack, false).map_err(in_field("attacks"))?,
            Node::Defends(attack) => to_attack(attack, true).map_err(in_field("defends"))?,
            Node::Comment(comment) => to_comment(comment).map_err(in_field("comment"))?,
            Node::Marked(marked) => to_marked(marked).map_err(in_field("marked"))?,
            Node::Tb(verdict) => to_table_outcome(verdict).map_err(in_field("tb"))?,
            Node::ThrewAway(thrown) => to_thrown_away(thrown).map_err(in_field("threw_away"))?,
            Node::Played(played) => to_played(played).map_err(in_field("played"))?,
            Node::Squares(set) => {
                let (side, squares) = to_squares(set).map_err(in_field("squares"))?;
                squares.into_leaf(side)
            }
            Node::NoSquares(set) => {
                let (side, squares) = to_squares(set).map_err(in_field("no_squares"))?;
                squares.into_absent_leaf(side)
            }
            Node::Empty(region) => Leaf::Empty(to_region(region).map_err(in_field("empty"))?),
            Node::Compare(compare) => to_compare(compare).map_err(in_field("compare"))?,
            Node::Ply(range) => to_number(false, range),
            Node::Move(range) => to_number(true, range),
            Node::Fen(text) => Leaf::Fen(Box::new(
                FenPattern::read(text, 0).map_err(|error| in_field("fen")(from_query_error(error)))?,
            )),
            Node::Board(text) => {
                let diagram = Diagram::read(text, 0, DiagramSyntax::Pattern)
                    .map_err(|error| in_field("board")(from_query_error(error)))?;
                Leaf::Board(Box::new(diagram))
            }
            Node::Structure(text) => {
                single_leaf(&format!("structure \"{text}\""), "a board of pawns").map_err(in_field("structure"))?
            }
            Node::Under(under) => Leaf::Under(Box::new(to_transformed(under).map_err(in_field("under"))?)),
            Node::Material(text) => {
                single_leaf(&format!("material {text}"), "a material").map_err(in_field("material"))?
            }
            Node::Imbalance(text) => {
                single_leaf(&format!("imbalance {text}"), "an imbalance").map_err(in_field("imbalance"))?
            }
            Node::Endgame(endgame) => Leaf::Endgame(match endgame {
                node::Endgame::Pawn => material::EndgameKind::Pawn,
                node::Endgame::Knight => material::EndgameKind::Knight,
                node::Endgame::Bishop => material::EndgameKind::Bishop,
                node::Endgame::Minor => material::EndgameKind::Minor,
                node::Endgame::Rook => material::EndgameKind::Rook,
                node::Endgame::Queen => material::EndgameKind::Queen,
            }),
            _ => return Err(JsonError::new("this is not a condition on a position")),
        })
    }

    fn to_header(&self) -> Result<HeaderCondition, JsonError> {
        let in_field = |name: &'static str| move |error: JsonError| error.within(name);
        Ok(match self {
            Node::Result(outcomes) => HeaderCondition::Result(
                outcomes
                    .iter()
                    .map(|outcome| match outcome {
                        node::Outcome::White => GameResult::White,
                        node::Outcome::Black => GameResult::Black,
                        node::Outcome::Draw => GameResult::Draw,
                        node::Outcome::Unknown => GameResult::Unknown,
                    })
                    .collect(),
            ),
            Node::Name(name) => to_name_condition(name)?,
            Node::Elo(elo) => to_elo_condition(elo),
            Node::Title(title) => to_title_condition(title).map_err(in_field("title"))?,
            Node::EloLead(lead) => HeaderCondition::EloLead(to_elo_lead(lead).map_err(in_field("elo_lead"))?),
            Node::Eco(ranges) => {
                let ranges = ranges.iter().enumerate();
                let ranges =
                    ranges.map(|(index, text)| to_codes(text).map_err(|error| error.within(index).within("eco")));
                HeaderCondition::Eco(ranges.collect::<Result<_, _>>()?)
            }
            Node::Opening(name) => HeaderCondition::Opening(to_name(name).map_err(in_field("opening"))?.into()),
            Node::Set(name) => HeaderCondition::Set(to_set(name).map_err(in_field("in"))?.into()),
            Node::Date(node::Dates { from, until }) => {
                let day = |day: &Option<String>, name: &'static str| {
                    let day = day.as_deref().map(to_day).transpose();
                    day.map_err(|error| error.within(name).within("date"))
                };
                HeaderCondition::Date { from: day(from, "from")?, to: day(until, "until")? }
            }
            Node::Plies(range) => {
                let (least, most) = to_range(*range);
                HeaderCondition::Plies(header::NumberRange { min: least, max: most })
            }
            Node::Ended(endings) => {
                let known: Vec<_> = node::endings().collect();
                let names = endings.iter().map(|ending| &*ending.0);
                HeaderCondition::Ended(known_names("ending", names, &known).map_err(in_field("ended"))?)
            }
            Node::TimeClass(classes) => {
                let known: Vec<_> = node::time_classes().collect();
                let names = classes.iter().map(|class| &*class.0);
                HeaderCondition::TimeClass(known_names("time class", names, &known).map_err(in_field("time_class"))?)
            }
            _ => return Err(JsonError::new("this is not a header condition")),
        })
    }
}

fn to_name_condition(node::Name { of, like }: &node::Name) -> Result<HeaderCondition, JsonError> {
    let selector = match of {
        node::NameOf::White => header::NameSelector::White,
        node::NameOf::Black => header::NameSelector::Black,
        node::NameOf::Player => header::NameSelector::Player,
        node::NameOf::Winner => header::NameSelector::Winner,
        node::NameOf::Loser => header::NameSelector::Loser,
        node::NameOf::Event => header::NameSelector::Event,
        node::NameOf::Site => header::NameSelector::Site,
        node::NameOf::Source => header::NameSelector::Source,
        node::NameOf::Round => header::NameSelector::Round,
        node::NameOf::Annotator => header::NameSelector::Annotator,
        node::NameOf::TimeControl => header::NameSelector::TimeControl,
    };
    let pattern = to_name(like).map_err(|error| error.within("like").within("name"))?;
    Ok(HeaderCondition::Name { selector, pattern: pattern.into() })
}

fn to_title_condition(node::Title { of, among }: &node::Title) -> Result<HeaderCondition, JsonError> {
    let selector = match of {
        node::TitleOf::White => header::PlayerSelector::White,
        node::TitleOf::Black => header::PlayerSelector::Black,
        node::TitleOf::Either => header::PlayerSelector::Either,
        node::TitleOf::Both => header::PlayerSelector::Both,
        node::TitleOf::Winner => header::PlayerSelector::Winner,
        node::TitleOf::Loser => header::PlayerSelector::Loser,
    };
    if among.is_empty() {
        return Err(JsonError::new("there is no title").within("among"));
    }
    let titles = among.iter().enumerate().map(|(index, title)| {
        to_name(title).map(SpannedName::from).map_err(|error| error.within(index).within("among"))
    });
    Ok(HeaderCondition::Title { selector, titles: titles.collect::<Result<_, _>>()? })
}

fn to_elo_condition(node::Elo { of, at_least, at_most }: &node::Elo) -> HeaderCondition {
    let selector = match of {
        node::EloOf::White => header::EloSelector::Of(header::PlayerSelector::White),
        node::EloOf::Black => header::EloSelector::Of(header::PlayerSelector::Black),
        node::EloOf::Either => header::EloSelector::Of(header::PlayerSelector::Either),
        node::EloOf::Both => header::EloSelector::Of(header::PlayerSelector::Both),
        node::EloOf::Winner => header::EloSelector::Of(header::PlayerSelector::Winner),
        node::EloOf::Loser => header::EloSelector::Of(header::PlayerSelector::Loser),
        node::EloOf::Average => header::EloSelector::Average,
        node::EloOf::Difference => header::EloSelector::Difference,
    };
    let (min, max) = to_range(node::Range { at_least: *at_least, at_most: *at_most });
    HeaderCondition::Elo { selector, range: header::NumberRange { min, max } }
}

fn to_elo_lead(node::EloComparison { of, is, margin }: &node::EloComparison) -> Result<header::EloLead, JsonError> {
    let player = match of {
        node::EloPlayer::White => header::PlayerSelector::White,
        node::EloPlayer::Black => header::PlayerSelector::Black,
        node::EloPlayer::Winner => header::PlayerSelector::Winner,
        node::EloPlayer::Loser => header::PlayerSelector::Loser,
    };
    let margin = i32::try_from(*margin).ok().filter(|margin| (-9999..=9999).contains(margin));
    let margin = margin.ok_or_else(|| JsonError::new("a margin is from -9999 to 9999").within("margin"))?;
    Ok(header::EloLead { player, comparison: to_comparison(*is), margin })
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

fn to_compare(node::Compare { left, is, right }: &node::Compare) -> Result<Leaf, JsonError> {
    let sum = |sum, name| to_sum(sum).map_err(|error| error.within(name));
    Ok(Leaf::Compare(sum(left, "left")?, to_comparison(*is), sum(right, "right")?))
}

fn to_marked(node::Marked { side, mark }: &node::Marked) -> Result<Leaf, JsonError> {
    let side = to_side(side).map_err(|error| error.within("side"))?;
    match single_leaf(mark, "a mark").map_err(|error| error.within("mark"))? {
        Leaf::Marked { side: tree::SideSelector::Either, mark } => Ok(Leaf::Marked { side, mark }),
        _ => Err(JsonError::new(format!("`{mark}` is no mark of a move")).within("mark")),
    }
}

fn to_number(is_move_number: bool, range: &node::Range) -> Leaf {
    let (first, last) = to_range(*range);
    // Plies and moves are counted from 1.
    Leaf::Number { is_move_number, first: first.max(1), last }
}

fn to_table_outcome(node::TableCondition { side, outcome }: &node::TableCondition) -> Result<Leaf, JsonError> {
    let side = to_side(side).map_err(|error| error.within("side"))?;
    let outcome = match outcome {
        node::TableResult::Win => TableOutcome::Win,
        node::TableResult::Draw => TableOutcome::Draw,
        node::TableResult::Loss => TableOutcome::Loss,
    };
    Ok(Leaf::TableOutcome { side, outcome })
}

fn to_thrown_away(node::ThrewAway { side, what }: &node::ThrewAway) -> Result<Leaf, JsonError> {
    let side = to_side(side).map_err(|error| error.within("side"))?;
    let thrown = match what {
        Some(node::Thrown::Win) => ThrownAway::Win,
        Some(node::Thrown::Draw) => ThrownAway::Draw,
        None => ThrownAway::Anything,
    };
    Ok(Leaf::ThrewAway { side, thrown })
}

fn to_comment(node::Comment { side, like }: &node::Comment) -> Result<Leaf, JsonError> {
    let side = to_side(side).map_err(|error| error.within("side"))?;
    Ok(Leaf::Comment { side, pattern: to_name(like).map_err(|error| error.within("like"))? })
}

fn to_played(played: &node::Played) -> Result<Leaf, JsonError> {
    let node::MoveActionName(name) = &played.action;
    let names = || MoveAction::NAMED.iter().map(|(name, _)| *name);
    let action = MoveAction::named(name).ok_or_else(|| JsonError::unknown("action", name, names()).within("action"))?;
    let piece = |name: &Option<String>, field| {
        let Some(name) = name else { return Ok((None, None)) };
        // The tree of another condition has the role.
        let leaf = single_leaf(&format!("plays {name}"), "a piece").map_err(|error| error.within(field))?;
        match leaf {
            Leaf::Played { pattern: MovePattern { piece, piece_name, .. }, .. }
                if leaf
                    == (Leaf::Played {
                        side: tree::SideSelector::Either,
                        pattern: MovePattern { piece, piece_name, ..plays() },
                    }) =>
            {
                Ok((piece, piece_name))
            }
            _ => Err(JsonError::new(format!("`{name}` is no piece")).within(field)),
        }
    };
    let region = |text: &Option<String>, field| {
        text.as_deref().map_or(Ok(Region::ANYWHERE), |text| to_region(text).map_err(|error| error.within(field)))
    };
    let (moving, object) = (piece(&played.piece, "piece")?, piece(&played.object, "object")?);
    let pattern = MovePattern {
        action,
        piece: moving.0,
        piece_name: moving.1,
        object: object.0,
        object_name: object.1,
        from: region(&played.from, "from")?,
        to: region(&played.to, "to")?,
        direction: known_name(&played.direction, MoveDirection::NAMED, "direction")?,
        line: known_name(&played.along, MoveLine::NAMED, "along")?,
        is_quiet: played.quiet,
    };
    Ok(Leaf::Played { side: to_side(&played.side).map_err(|error| error.within("side"))?, pattern })
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
        None => Err(JsonError::unknown(field, name, named.iter().map(|(known, _)| *known)).within(field)),
    }
}

/// Any move.
fn plays() -> MovePattern {
    MovePattern::new(MoveAction::Plays)
}

fn to_transformed(under: &node::Under) -> Result<TransformedPattern, JsonError> {
    let what = under.what.to_leaf().map_err(|error| error.within("what"))?;
    if !what.has_images() {
        return Err(JsonError::new("only `fen`, `board` and `structure` have images").within("what"));
    }
    let family = |text: &String| {
        let refused =
            |why: &str| JsonError::new(format!("`{text}` is no set of transforms: {why}")).within("transforms");
        match single_leaf(&format!("structure \"8/8/8/8/8/8/8/8\" under {text}"), "transforms") {
            Ok(Leaf::Under(read)) if read.families.len() == 1 => Ok(read.families[0]),
            Ok(_) => Err(refused("there is more than one")),
            Err(error) => Err(refused(&error.to_string())),
        }
    };
    let families = under.transforms.iter().map(family).collect::<Result<Vec<_>, JsonError>>()?;
    if families.is_empty() || families.len() > 8 {
        return Err(JsonError::new("write one to eight sets of transforms").within("transforms"));
    }
    Ok(TransformedPattern { pattern: what, families })
}

fn to_region(text: &str) -> Result<Region, JsonError> {
    let refused = |error: JsonError| JsonError::new(format!("`{text}` is no region: {error}"));
    match single_leaf(&format!("piece on {text}"), "squares").map_err(refused)? {
        Leaf::Feature { region, .. } => Ok(region),
        _ => Err(refused(JsonError::new("this is more than squares"))),
    }
}

fn to_region_or_anywhere(text: Option<&str>) -> Result<Region, JsonError> {
    text.map_or(Ok(Region::ANYWHERE), |text| to_region(text).map_err(|error| error.within("region")))
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

fn to_side(side: &node::Side) -> Result<tree::SideSelector, JsonError> {
    Ok(match side {
        node::Side::White => tree::SideSelector::White,
        node::Side::Black => tree::SideSelector::Black,
        node::Side::Either => tree::SideSelector::Either,
        node::Side::Both => tree::SideSelector::Both,
        node::Side::Neither => tree::SideSelector::Neither,
        node::Side::Mover => tree::SideSelector::Mover,
        node::Side::Waiter => tree::SideSelector::Waiter,
        node::Side::Winner => tree::SideSelector::Winner,
        node::Side::Loser => tree::SideSelector::Loser,
        node::Side::Player(name) => {
            tree::SideSelector::Player(to_name(name).map_err(|error| error.within("player"))?.into())
        }
    })
}

fn to_known_feature(
    node::FeatureName(name): &node::FeatureName,
) -> Result<&'static scan::measure::BoardFeature, JsonError> {
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

fn to_feature(
    feature: &node::Feature,
) -> Result<(tree::SideSelector, &'static scan::measure::BoardFeature, Region), JsonError> {
    let side = to_side(&feature.side).map_err(|error| error.within("side"))?;
    let known = to_known_feature(&feature.name)?;
    if !known.has_sides && side != tree::SideSelector::Either {
        return Err(JsonError::new(format!("`{}` belongs to no side", known.name)).within("side"));
    }
    Ok((side, known, to_region_or_anywhere(feature.region.as_deref())?))
}

fn to_squares(set: &node::CombinedSquares) -> Result<(tree::SideSelector, SquareExpression), JsonError> {
    let side = to_side(&set.side).map_err(|error| error.within("side"))?;
    let squares = parse::parse_squares(&set.of).map_err(|error| from_query_error(error).within("of"))?;
    if !squares.has_sides() && side != tree::SideSelector::Either {
        return Err(JsonError::new(format!("`{squares}` belongs to no side")).within("side"));
    }
    Ok((side, squares))
}

fn to_attack(attack: &node::Attack, defends: bool) -> Result<Leaf, JsonError> {
    let side = to_side(&attack.side).map_err(|error| error.within("side"))?;
    let target = match &attack.target {
        node::Target::Pieces(node::TargetPieces { name, region }) => {
            let of_target = |error: JsonError| error.within("pieces").within("target");
            let region = to_region_or_anywhere(region.as_deref()).map_err(of_target)?;
            tree::TargetExpression::Feature { feature: to_known_feature(name).map_err(of_target)?, region }
        }
        node::Target::Squares(region) => {
            tree::TargetExpression::Region(to_region(region).map_err(|error| error.within("squares").within("target"))?)
        }
    };
    let region = to_region_or_anywhere(attack.region.as_deref())?;
    Ok(Leaf::Attacks { side, feature: to_known_feature(&attack.name)?, region, defends, target })
}

fn to_comparison(comparison: node::Comparison) -> NumberComparison {
    match comparison {
        node::Comparison::Equal => NumberComparison::Equal,
        node::Comparison::Unequal => NumberComparison::Unequal,
        node::Comparison::Less => NumberComparison::Less,
        node::Comparison::AtMost => NumberComparison::AtMost,
        node::Comparison::More => NumberComparison::More,
        node::Comparison::AtLeast => NumberComparison::AtLeast,
    }
}

fn to_sum(sum: &node::Sum) -> Result<tree::SumExpression, JsonError> {
    let term = |(index, term): (usize, &node::Term)| {
        let in_term =
            |name: &'static str| move |error: JsonError| error.within(name).within("of").within(index).within("terms");
        let counted = match &term.of {
            node::Counted::Count(feature) => {
                let (side, feature, region) = to_feature(feature).map_err(in_term("count"))?;
                tree::CountExpression::Squares { side, feature, region }
            }
            node::Counted::Squares(set) => {
                let (side, squares) = to_squares(set).map_err(in_term("squares"))?;
                squares.into_count(side)
            }
            node::Counted::Points(side) => tree::CountExpression::Points(to_side(side).map_err(in_term("points"))?),
            node::Counted::Number(name) => {
                let unknown = || JsonError::unknown("number", name, NUMBERS.iter().map(|number| number.name));
                let number = number_named(name).map(tree::CountExpression::Number);
                let number = number.or_else(|| parse::parse_side_number(name).ok());
                number.ok_or_else(unknown).map_err(in_term("number"))?
            }
        };
        Ok((term.times, counted))
    };
    let terms = sum.terms.iter().enumerate().map(term).collect::<Result<_, JsonError>>()?;
    Ok(tree::SumExpression { terms, constant: sum.constant })
}

fn to_range(range: node::Range) -> (u32, u32) {
    (range.at_least.unwrap_or(0), range.at_most.unwrap_or(u32::MAX))
}

fn to_window(window: &node::Window) -> Result<window::WindowClause, JsonError> {
    let span = |span: Option<node::Span>, any: (u32, u32)| {
        span.map_or(any, |span| (span.from.unwrap_or(any.0), span.until.unwrap_or(any.1)))
    };
    let occurrence = match (window.row, window.times) {
        (None, None) => OccurrenceRule::Once,
        (Some(plies), None) => OccurrenceRule::Consecutive(plies),
        (None, Some(range)) => {
            let (least, most) = to_range(range);
            OccurrenceRule::Times { min: least, max: most }
        }
        (Some(_), Some(_)) => return Err(JsonError::new("a condition takes `for` or `times`, not both")),
    };
    let clause = window::WindowClause {
        quantifier: match window.quantifier {
            None => window::WindowQuantifier::Ever,
            Some(node::Quantifier::Never) => window::WindowQuantifier::Never,
            Some(node::Quantifier::Always) => window::WindowQuantifier::Always,
        },
        edge: window.edge.map(|edge| match edge {
            node::Edge::Became => scan::ConditionEdge::Became,
            node::Edge::Ceased => scan::ConditionEdge::Ceased,
        }),
        occurrence,
        when: PlyFilter {
            ply_bounds: span(window.plies, PlyFilter::EVERY_PLY.ply_bounds),
            move_bounds: span(window.moves, PlyFilter::EVERY_PLY.move_bounds),
            at_end: window.at_end,
        },
        phase: window.phase.map(|phase| match phase {
            node::Phase::Opening => window::GamePhase::Opening,
            node::Phase::Middlegame => window::GamePhase::Middlegame,
            node::Phase::Endgame => window::GamePhase::Endgame,
        }),
    };
    if clause == window::WindowClause::EVER {
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

/// `1990.05.01`, `1990.05` or `1990`.
fn to_day(text: &str) -> Result<header::PartialDate, JsonError> {
    match parse::parse(&format!("date = {text}")) {
        Ok(QueryTree::Header(HeaderCondition::Date { from: Some(day), .. })) => Ok(day),
        Ok(_) => Err(JsonError::new(format!("`{text}` is more than a date"))),
        Err(error) => Err(JsonError::new(format!("`{text}` is no date: {}", error.message))),
    }
}

/// The values of a list of names, each of which must be in `known`.
fn known_names<'n, T: Copy>(
    what: &str,
    names: impl Iterator<Item = &'n str>,
    known: &[(String, T)],
) -> Result<Vec<T>, JsonError> {
    let look_up = |(index, name): (usize, &str)| {
        let found = known.iter().find(|(known, _)| known == name).map(|&(_, one)| one);
        let names = known.iter().map(|(name, _)| &**name);
        found.ok_or_else(|| JsonError::unknown(what, name, names).within(index))
    };
    names.enumerate().map(look_up).collect()
}
