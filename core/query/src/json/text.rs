//! Values that have a text of their own in a query, and the same text in JSON: `"own 7"`, `"pinned & queen"`, `"KRPvKR"`.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use plyfold_scan::headers::Eco;
use plyfold_scan::scan::ply_filter::PlyFilter;
use plyfold_scan::scan::predicate::{NumberComparison, PieceName, PlyMark};
use plyfold_transform::composite::TransformFamily;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use crate::diagram::{Diagram, DiagramSyntax};
use crate::error::QueryError;
use crate::fen_pattern::FenPattern;
use crate::forms::Leaf;
use crate::forms::compare::Compare;
use crate::forms::structure::Structure;
use crate::header::{HeaderCondition, NumberRange, PartialDate, describe_codes};
use crate::material::{Imbalance, MaterialPattern};
use crate::names::PieceReference;
use crate::parse::written::parse_line;
use crate::parse::{parse, parse_part, parse_squares, parse_sum};
use crate::region::Region;
use crate::span::SpannedName;
use crate::squares::SquareExpression;
use crate::tree::QueryTree;
use crate::written::{WrittenLine, WrittenMove};

/// The types with such a text: how it is written, and how it is read.
macro_rules! texts {
    ($($type:ty: $write:expr, $read:expr;)+) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let write: fn(&$type) -> String = $write;
                serializer.serialize_str(&write(self))
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                let read: fn(&str) -> Result<$type, String> = $read;
                read(&String::deserialize(deserializer)?).map_err(D::Error::custom)
            }
        }

        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string" })
            }
        }
    )+};
}

texts! {
    SpannedName: |name| name.to_string(), read_name;
    Region: |region| region.describe(), read_region;
    SquareExpression: |squares| squares.to_string(), |text| parse_squares(text).map_err(message);
    SumText: |SumText(sum)| sum.clone(), |text| parse_sum(text).map(|_| SumText(text.to_string())).map_err(message);
    FenPattern: |fen| fen.to_string(), |text| FenPattern::read(text, 0).map_err(message);
    Diagram: |diagram| diagram.to_string(), |text| Diagram::read(text, 0, DiagramSyntax::Pattern).map_err(message);
    Structure: |structure| structure.diagram().to_string(), |text| Structure::from_text(text, 0).map_err(message);
    MaterialPattern: |material| material.to_string(), |text| match single_leaf(&format!("material {text}"))? {
        Leaf::Material(material) => Ok(material),
        _ => Err(format!("`{text}` is no material")),
    };
    Imbalance: |imbalance| imbalance.to_string(), |text| match single_leaf(&format!("imbalance {text}"))? {
        Leaf::Imbalance(imbalance) => Ok(imbalance),
        _ => Err(format!("`{text}` is no imbalance")),
    };
    PieceReference: |piece| format!("{}{}", if piece.is_introduced { "as " } else { "" }, piece.name), read_piece_name;
    WrittenLine: |line| line.to_string(), |text| parse_line(text).map_err(message);
    WrittenMove: |written| written.to_string(), read_written_move;
    PartialDate: |day| day.to_string(), read_day;
}

/// A sum of a comparison in JSON. What its numbers mean depends on the other one: `eval` and `2.5`.
#[derive(Clone)]
pub(crate) struct SumText(String);

/// Two sums, compared.
#[derive(Clone, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Compare")]
pub(crate) struct CompareTexts {
    /// A sum, as in a query: "count(white rook) - 2 * count(black pawn)".
    left: SumText,
    /// How it compares with the other.
    #[serde(rename = "is", with = "super::by_name")]
    #[schemars(with = "super::Name<NumberComparison>")]
    comparison: NumberComparison,
    /// The other.
    right: SumText,
}

impl From<Compare> for CompareTexts {
    fn from(Compare { left, comparison, right }: Compare) -> CompareTexts {
        CompareTexts { left: SumText(left.to_string()), comparison, right: SumText(right.to_string()) }
    }
}

impl TryFrom<CompareTexts> for Compare {
    type Error = String;

    fn try_from(texts: CompareTexts) -> Result<Compare, String> {
        let CompareTexts { left: SumText(left), comparison, right: SumText(right) } = texts;
        match single_leaf(&format!("{left} {} {right}", comparison.symbol()))? {
            Leaf::Compare(compare) => Ok(compare),
            _ => Err("this is no comparison of two sums".to_string()),
        }
    }
}

fn message(error: QueryError) -> String {
    error.message
}

/// Reads `text` as a single condition on a position.
fn single_leaf(text: &str) -> Result<Leaf, String> {
    match parse_part(text).map_err(message)? {
        QueryTree::Leaf(leaf) => Ok(leaf),
        _ => Err(format!("`{text}` is more than one condition")),
    }
}

fn read_name(text: &str) -> Result<SpannedName, String> {
    if text.contains('"') {
        return Err("a name contains no double quotes".to_string());
    }
    if text.is_empty() || text != text.trim() {
        return Err("a name neither begins nor ends with a space".to_string());
    }
    Ok(text.to_string().into())
}

fn read_region(text: &str) -> Result<Region, String> {
    let refused = |why: &str| format!("`{text}` is no region: {why}");
    match parse_squares(&format!("piece on {text}")) {
        Ok(SquareExpression::Feature { region, .. }) => Ok(region),
        Ok(_) => Err(refused("this is more than squares")),
        Err(error) => Err(refused(&error.message)),
    }
}

fn read_written_move(text: &str) -> Result<WrittenMove, String> {
    let written = WrittenMove::read(text).ok_or_else(|| format!("`{text}` is no move such as `Bxh7+`"))?;
    written.contradiction().map_or(Ok(written), |message| Err(message.to_string()))
}

/// `N` or `as N`.
fn read_piece_name(text: &str) -> Result<PieceReference, String> {
    let introduced = text.strip_prefix("as ");
    let name = PieceName::new(introduced.unwrap_or(text));
    let name = name.ok_or_else(|| format!("`{text}` is no name of a piece"))?;
    Ok(PieceReference { name, is_introduced: introduced.is_some() })
}

/// `1990.05.01`, `1990.05` or `1990`.
fn read_day(text: &str) -> Result<PartialDate, String> {
    match parse(&format!("date = {text}")) {
        Ok(QueryTree::Header(HeaderCondition::Date { from: Some(day), .. })) => Ok(day),
        Ok(_) => Err(format!("`{text}` is more than a date")),
        Err(error) => Err(format!("`{text}` is no date: {}", error.message)),
    }
}

/// The mark of a move, as a field.
pub(crate) mod mark {
    use super::*;

    pub fn serialize<S: Serializer>(mark: &PlyMark, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(mark)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PlyMark, D::Error> {
        let text = String::deserialize(deserializer)?;
        match single_leaf(&text).map_err(D::Error::custom)? {
            Leaf::Marked(marked) if marked.side.is_either() => Ok(marked.mark),
            _ => Err(D::Error::custom(format!("`{text}` is no mark of a move"))),
        }
    }
}

/// Sets of transforms, as a field.
pub(crate) mod families {
    use super::*;

    pub fn serialize<S: Serializer>(families: &[TransformFamily], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(families.iter().map(ToString::to_string))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<TransformFamily>, D::Error> {
        let family = |text: &String| match single_leaf(&format!("structure \"8/8/8/8/8/8/8/8\" under {text}")) {
            Ok(Leaf::Under(read)) if read.families.len() == 1 => Ok(read.families[0]),
            Ok(_) => Err(format!("`{text}` is no set of transforms: there is more than one")),
            Err(error) => Err(format!("`{text}` is no set of transforms: {error}")),
        };
        let families = Vec::<String>::deserialize(deserializer)?.iter().map(family).collect::<Result<Vec<_>, _>>();
        families.map_err(D::Error::custom)
    }
}

/// Ranges of ECO codes, as a field: `B90`, `B80-B99`.
pub(crate) mod eco_ranges {
    use super::*;

    pub fn serialize<S: Serializer>(ranges: &[(Eco, Eco)], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(ranges.iter().map(|&(from, to)| describe_codes(from, to)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(Eco, Eco)>, D::Error> {
        let code = |text: &str| Some(Eco::from_pgn(text)).filter(|code| text.len() == 3 && !code.is_unknown());
        let range = |text: &String| {
            let (from, to) = text.split_once('-').unwrap_or((text, text));
            let refused = || format!("`{text}` is no ECO code such as `B90`, and no range such as `B80-B99`");
            code(from).zip(code(to)).ok_or_else(refused)
        };
        let ranges = Vec::<String>::deserialize(deserializer)?.iter().map(range).collect::<Result<Vec<_>, _>>();
        ranges.map_err(D::Error::custom)
    }
}

/// The plies that count, as a field: `{"moves": {"at_most": 19}}`.
pub(crate) mod plies {
    use super::*;

    /// Plies of a game.
    #[derive(serde::Serialize, serde::Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    #[schemars(rename = "Plies")]
    pub(crate) struct CountedPlies {
        /// Only these plies of the game, from 1.
        #[serde(skip_serializing_if = "NumberRange::is_unbounded")]
        plies: NumberRange,
        /// Only plies of these moves, as numbered in the score.
        #[serde(skip_serializing_if = "NumberRange::is_unbounded")]
        moves: NumberRange,
        /// Only the last ply of the game.
        #[serde(skip_serializing_if = "core::ops::Not::not")]
        at_end: bool,
    }

    impl Default for CountedPlies {
        fn default() -> CountedPlies {
            CountedPlies { plies: NumberRange::UNBOUNDED, moves: NumberRange::UNBOUNDED, at_end: false }
        }
    }

    /// A range without an end where every ply has none.
    fn range((min, max): (u32, u32), (first, last): (u32, u32)) -> NumberRange {
        NumberRange { min: if min > first { min } else { 0 }, max: if max < last { max } else { u32::MAX } }
    }

    pub fn serialize<S: Serializer>(filter: &PlyFilter, serializer: S) -> Result<S::Ok, S::Error> {
        let every = PlyFilter::EVERY_PLY;
        let plies = range(filter.ply_bounds, every.ply_bounds);
        let moves = range(filter.move_bounds, every.move_bounds);
        CountedPlies { plies, moves, at_end: filter.at_end }.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PlyFilter, D::Error> {
        let CountedPlies { plies, moves, at_end } = CountedPlies::deserialize(deserializer)?;
        let bounds = |range: NumberRange, (first, last): (u32, u32)| (range.min.max(first), range.max.min(last));
        Ok(PlyFilter {
            ply_bounds: bounds(plies, PlyFilter::EVERY_PLY.ply_bounds),
            move_bounds: bounds(moves, PlyFilter::EVERY_PLY.move_bounds),
            at_end,
        })
    }
}
