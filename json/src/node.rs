//! The shape of a query in JSON. What is written here beside a name stands in the schema as its description.

use plyfold_core::headers::{Ending, TimeClass};
use plyfold_core::query::header::as_word;
use plyfold_core::query::played::MoveAction;
use plyfold_core::scan::measure::FEATURES;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use crate::words::{
    Comparison, Edge, EloOf, EloPlayer, Endgame, NameOf, Outcome, Phase, Quantifier, TableResult, Thrown, TitleOf,
};

/// A query for games and positions of chess, or a part of one: an object with one name, which says what it is, or "everything".
///
/// Games match by all that is said; positions by what holds at each of them, whatever the words about plies.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Query")]
pub enum Node {
    /// Every game and every position.
    Everything,
    /// All of these: each at some position of the game, or all at the same one inside "together".
    And(#[schemars(length(min = 2))] Vec<Node>),
    /// At least one of these.
    Or(#[schemars(length(min = 2))] Vec<Node>),
    /// At least so many of several parts: each at some position of the game, or all at the same one inside "together".
    SomeOf(SomeOf),
    /// Not this: at no position of the game, or not at this one inside "together".
    Not(Box<Node>),
    /// Braces: all of this at one position.
    Together(Box<Node>),
    /// What holds at a position, and when and how often in the game.
    Condition(Condition),
    /// One thing, and after it another.
    Then(Then),
    /// A predicate holds, perhaps within a region.
    Feature(Feature),
    /// The side has no such piece there: "no pawn on e".
    Absent(Feature),
    /// A piece attacks pieces of the other side, or squares.
    Attacks(Attack),
    /// A piece defends pieces of its own side, or squares.
    Defends(Attack),
    /// The move that led to the position.
    Played(Played),
    /// The text marks the move that led to the position.
    Marked(Marked),
    /// The text has a comment on the move that led to the position.
    Comment(Comment),
    /// Endgame tables say that the position is won, drawn or lost.
    Tb(TableCondition),
    /// By endgame tables, the move that led to the position threw something away.
    ThrewAway(ThrewAway),
    /// The side has a square of a set: "white pinned & queen".
    Squares(CombinedSquares),
    /// The side has no square of a set.
    NoSquares(CombinedSquares),
    /// These squares are empty: a region as in a query, such as "e4 e5".
    Empty(String),
    /// Two sums, compared.
    Compare(Compare),
    /// The number of the ply, from 1 at the first one played.
    Ply(Range),
    /// The number of the move, as printed in the score.
    Move(Range),
    /// This position: one to six fields of a FEN.
    Fen(String),
    /// Pieces on squares: eight ranks as in a FEN, with ? for anything, . for an empty square and `[Nn]` for one of these.
    Board(String),
    /// These pawns and no others: eight ranks as in a FEN.
    Structure(String),
    /// A position, a pattern or a structure, or one of its images under transforms.
    Under(Under),
    /// Exactly these pieces: "KRPvKR", or "white KRPvKR" if White has those named first.
    Material(String),
    /// The difference between the pieces of both sides: "R v BN", or "white R v BN".
    Imbalance(String),
    /// A kind of endgame.
    Endgame(Endgame),
    /// The result of the game is one of these.
    Result(#[schemars(length(min = 1))] Vec<Outcome>),
    /// A name in the header of the game.
    Name(Name),
    /// Titles of the players.
    Title(Title),
    /// Ratings of the players.
    Elo(Elo),
    /// The rating of one player, compared with that of the other.
    EloLead(EloComparison),
    /// The ECO code of the game is one of these, or within one of these: "B90", "B80-B99".
    Eco(#[schemars(length(min = 1))] Vec<String>),
    /// The opening of the game, by its name: "sicilian najdorf".
    Opening(String),
    /// The day on which the game was played.
    Date(Dates),
    /// How many plies the game has.
    Plies(Range),
    /// How the game ended: one of these.
    Ended(#[schemars(length(min = 1))] Vec<EndingName>),
    /// How much time the players had: one of these.
    TimeClass(#[schemars(length(min = 1))] Vec<TimeClassName>),
    /// Only the moves of the game before one that could not be played or read are kept: true.
    Incomplete(bool),
    /// The game is in the set of this name, without the "@".
    #[serde(rename = "in")]
    Set(String),
}

/// At least so many of several parts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SomeOf {
    /// How many parts: fewer than there are.
    #[schemars(range(min = 2))]
    pub number: usize,
    /// The parts.
    #[schemars(length(min = 3, max = 64))]
    pub parts: Vec<Node>,
}

/// Something of the whole board, and the transforms under which it is sought as well.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Under {
    /// "fen", "board" or "structure".
    pub what: Box<Node>,
    /// Sets of transforms, of which every choice of one each is an image: "mirror", "flips", "rotations", "shifts", "file_shifts",
    /// "rank_shifts", "colour_flip", or a transform by its name: "rot90", "swap_colours", "shift(1,0)".
    #[schemars(length(min = 1, max = 8))]
    pub transforms: Vec<String>,
}

/// What holds at a position, and when and how often in the game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// What holds: one condition on a position, or "together".
    pub what: Box<Node>,
    /// When and how often; it says something at least.
    pub window: Window,
}

/// The words around a condition. What is left out asks for nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Window {
    /// Never, or at each ply that counts; without it, at some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantifier: Option<Quantifier>,
    /// Where it begins or ceases to hold, instead of where it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge: Option<Edge>,
    /// At so many plies in a row.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2, max = 65535))]
    pub row: Option<u32>,
    /// At so many plies of the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<Range>,
    /// Only these plies of the game count, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<Span>,
    /// Only plies of these moves count, as numbered in the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Span>,
    /// Only the last ply of the game counts.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_end: bool,
    /// Only plies of this part of the game count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
}

/// Whole numbers, both ends included; an end that is left out is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// No less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<u32>,
    /// No more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u32>,
}

/// Numbers one after the other, both ends included; an end that is left out is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// The first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    /// The last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<u32>,
}

/// One thing, and after it another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Then {
    /// What comes first; nothing that is known only at the end of the game.
    pub first: Box<Node>,
    /// For how many plies after it the second counts; without it, for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65535))]
    pub within: Option<u32>,
    /// What comes after it.
    pub second: Box<Node>,
}

/// Whose: a colour, who has the move, who won, or a player of that name whatever the colour.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// White's.
    White,
    /// Black's.
    Black,
    /// White's or Black's: what is meant where no side is named.
    #[default]
    Either,
    /// White's and Black's, at the same position.
    Both,
    /// Neither White's nor Black's, at the same position.
    Neither,
    /// That of the side to move.
    Mover,
    /// That of the side that is not to move.
    Waiter,
    /// That of the side that won the game.
    Winner,
    /// That of the side that lost.
    Loser,
    /// That of a player, whatever the colour; * is any run of characters.
    Player(String),
}

impl Side {
    pub(crate) fn is_either(&self) -> bool {
        *self == Side::Either
    }
}

/// Names that predicates had in queries of earlier versions, each with the name of today. They are read and never written.
pub(crate) const FORMER_NAMES: &[(&str, &str)] = &[("man", "piece")];

/// The name of a predicate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("oneOf" = feature_names()))]
pub struct FeatureName(pub String);

/// The schema of each name of a predicate, former names last.
fn feature_names() -> Vec<Value> {
    let names = FEATURES.iter().map(|feature| json!({ "const": feature.name, "description": feature.summary }));
    let former = FORMER_NAMES.iter().map(|(former, name)| {
        json!({ "const": former, "description": format!("the former name of {name}"), "deprecated": true })
    });
    names.chain(former).collect()
}

/// A predicate of a side, within a region.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// Whose; none for a predicate that speaks of no side.
    #[serde(default, skip_serializing_if = "Side::is_either")]
    pub side: Side,
    /// Which.
    pub name: FeatureName,
    /// Where, as in a query: squares, files, ranks and named regions such as "e4 d5", "a..c", "own 7", "kingside".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
}

/// A set of squares of a side.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CombinedSquares {
    /// Whose.
    #[serde(default, skip_serializing_if = "Side::is_either")]
    pub side: Side,
    /// Which, as in a query: "pinned & queen", "(knight | bishop) on e5", "pawn attacks (queen | rook)",
    /// "knight as N on b1" and, after that, "N on d5".
    pub of: String,
}

/// A piece that attacks or defends.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attack {
    /// Whose piece.
    #[serde(default, skip_serializing_if = "Side::is_either")]
    pub side: Side,
    /// Which.
    pub name: FeatureName,
    /// Where it stands, as in a query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// What is attacked or defended.
    pub target: Target,
}

/// What is attacked or defended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = allow_former_target)]
pub enum Target {
    /// Pieces: of the other side after "attacks", of the same side after "defends".
    #[serde(alias = "men")]
    Pieces(TargetPieces),
    /// Squares, whatever stands there: a region as in a query.
    Squares(String),
}

/// Adds to the schema of a target the form of earlier versions, in which "men" stood for "pieces".
fn allow_former_target(schema: &mut Schema) {
    let alternatives = schema.get_mut("oneOf").and_then(Value::as_array_mut);
    let Some(alternatives) = alternatives else { return };
    let Some(pieces) = alternatives.iter().find_map(|one| one.pointer("/properties/pieces")).cloned() else { return };
    alternatives.push(json!({
        "description": "The former name of \"pieces\".",
        "deprecated": true,
        "type": "object",
        "properties": { "men": pieces },
        "additionalProperties": false,
        "required": ["men"]
    }));
}

/// Pieces that are attacked or defended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetPieces {
    /// Which.
    pub name: FeatureName,
    /// Where they stand, as in a query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
}

/// A mark of a move in the text of the game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Marked {
    /// Who moved; no "both", "neither", "mover" or "waiter".
    #[serde(default, skip_serializing_if = "Side::is_either")]
    pub side: Side,
    /// The mark as in a query: "blunder", "mistake", "inaccuracy", "time_trouble", "commented" or "nag 4".
    pub mark: String,
}

/// A comment on a move in the text of the game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// Who moved; no "both", "neither", "mover" or "waiter".
    #[serde(default, skip_serializing_if = "Side::is_either")]
    pub side: Side,
    /// The words without commands such as "[%eval 0.3]"; * is any run of characters.
    pub like: String,
}

/// What endgame tables say of a position. Where no table knows it, neither this nor its contrary holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableCondition {
    /// For whom.
    #[serde(default, skip_serializing_if = "Side::is_either")]
    pub side: Side,
    /// The result of best play, whatever the fifty-move rule says.
    pub outcome: TableResult,
}

/// A move that gave half a point or more away, by endgame tables.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThrewAway {
    /// Who moved; no "both", "neither", "mover" or "waiter".
    #[serde(default, skip_serializing_if = "Side::is_either")]
    pub side: Side,
    /// What was thrown away; if it is left out, a win or a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<Thrown>,
}

/// A move, by what it does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Played {
    /// Who moved; no "both", "neither", "mover" or "waiter".
    #[serde(default, skip_serializing_if = "Side::is_either")]
    pub side: Side,
    /// What the move does.
    pub action: MoveActionName,
    /// The piece that moves, as it was before the move: "pawn", "knight" and so on; with a name "knight as N", or a name alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub piece: Option<String>,
    /// The piece that is captured, perhaps with a name, or what a pawn becomes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Where the piece comes from: a region as in a query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Where it arrives; the king in castling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The direction of the move: "forward" or "backward".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
    /// The line along which the piece moves: "file", "rank" or "diagonal".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub along: Option<String>,
    /// Whether the move must capture nothing and promote no pawn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quiet: bool,
}

/// What a move does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "MoveAction", extend("enum" = move_actions()), transform = leave_type_out)]
pub struct MoveActionName(pub String);

fn move_actions() -> Vec<&'static str> {
    MoveAction::NAMED.iter().filter(|(name, action)| action.name() == *name).map(|(name, _)| *name).collect()
}

fn leave_type_out(schema: &mut Schema) {
    schema.remove("type");
}

/// Two sums, compared.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compare {
    /// A sum.
    pub left: Sum,
    /// How it compares with the other.
    pub is: Comparison,
    /// The other.
    pub right: Sum,
}

/// What is counted at a position, and a number.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sum {
    /// What is counted, added up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<Term>,
    /// What is added to that.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(range(min = -1_000_000_000, max = 1_000_000_000))]
    pub constant: i64,
}

/// Something counted, times a number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// How often it counts; 1 without it.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[schemars(range(min = -1_000_000_000, max = 1_000_000_000))]
    pub times: i64,
    /// What is counted.
    pub of: Counted,
}

/// What can be counted at a position. Without a side, or with "either", both sides are counted together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// The squares of a predicate.
    Count(Feature),
    /// The points of a side: pawn 1, knight and bishop 3, rook 5, queen 9.
    Points(Side),
    /// The squares of a set.
    Squares(CombinedSquares),
    /// A number by its name, such as `king_distance`.
    Number(String),
}

fn one() -> i64 {
    1
}

fn is_one(number: &i64) -> bool {
    *number == 1
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// A name in the header of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Name {
    /// Whose name, or of what.
    pub of: NameOf,
    /// What it is like: * is any run of characters; case, accents and punctuation make no difference.
    pub like: String,
}

/// Ratings within bounds; one that is not known never is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Elo {
    /// Whose.
    pub of: EloOf,
    /// No less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<u32>,
    /// No more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u32>,
}

/// Titles, of which a player has one; one that is not known is none of them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Title {
    /// Whose.
    pub of: TitleOf,
    /// The titles: "GM"; * is any run of characters.
    #[schemars(length(min = 1))]
    pub among: Vec<String>,
}

/// The rating of a player and that of the other; one that is not known compares with nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EloComparison {
    /// Whose rating: "white", "black", "winner" or "loser".
    pub of: EloPlayer,
    /// How it compares with the other player's plus "margin".
    pub is: Comparison,
    /// What is added to the other player's rating.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = -9999, max = 9999))]
    pub margin: i64,
}

/// Days, both ends included; an end that is left out is open. A day is "1990.05.01", a month "1990.05", a year "1990".
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dates {
    /// The first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "Ending", extend("enum" = names_of(Ending::ALL, Ending::name)))]
pub struct EndingName(pub String);

/// How much time the players had.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "TimeClass", extend("enum" = names_of(TimeClass::ALL, TimeClass::name)))]
pub struct TimeClassName(pub String);

/// Names of values, each one word.
pub(crate) fn names_of<T: Copy>(all: &[T], name: fn(T) -> &'static str) -> Vec<String> {
    all.iter().map(|&one| as_word(name(one))).collect()
}
