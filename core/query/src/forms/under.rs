//! `board "…" under flips`: a description of the whole board, or one of its images.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::scan::combine::Formula;
use plyfold_transform::Transform;
use plyfold_transform::composite::TransformFamily;
use plyfold_transform::shift::Shift;

use super::{Form, Leaf};
use crate::error::QueryError;
use crate::keywords::named;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;

/// Sets of transforms that go together, at most.
const MAX_FAMILIES: usize = 8;
/// Names of transforms as they are offered.
pub const FAMILY_NAMES: &[&str] = &[
    "`mirror`",
    "`flips`",
    "`rotations`",
    "`shifts`",
    "`colour_flip`",
    "`file_shifts`",
    "`rank_shifts`",
    "`flipH`",
    "`flipV`",
    "`flipD`",
    "`flipAD`",
    "`rot90`",
    "`rot180`",
    "`rot270`",
    "`swap_colours`",
];
/// Other names of some of them.
const FAMILY_ALIASES: &[(&str, &str)] =
    &[("color_flip", "colour_flip"), ("flip_colour", "colour_flip"), ("flip_color", "colour_flip")];

/// A description of the whole board, and the transforms under which it may hold.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct TransformedPattern {
    /// `fen`, `board` or `structure`.
    #[cfg_attr(feature = "json", serde(rename = "what"))]
    pub pattern: Leaf,
    /// Sets of transforms, of which every choice of one each, composed, is an image: "mirror", "flips", "rotations", "shifts",
    /// "file_shifts", "rank_shifts", "colour_flip", or a transform by its name: "rot90", "swap_colours", "shift(1,0)".
    #[cfg_attr(
        feature = "json",
        serde(rename = "transforms", with = "crate::json::families"),
        schemars(with = "Vec<alloc::string::String>", length(min = 1, max = 8))
    )]
    pub families: Vec<TransformFamily>,
}

impl Form for Box<TransformedPattern> {
    const STARTS: &'static [&'static str] = &[];
    const WORDS: &'static [(&'static str, &'static str)] = &[("under", "also under transforms of the board")];

    /// It begins as what it transforms.
    fn read(_: &mut QueryParser, _: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        Ok(None)
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.lower_transformed(self)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Writes the pattern as in a query.
impl fmt::Display for TransformedPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} under ", self.pattern)?;
        for (index, family) in self.families.iter().enumerate() {
            write!(f, "{}{family}", if index > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// The leaf `pattern`, or its images if transforms follow.
pub(super) fn with_transforms(parser: &mut QueryParser, pattern: Leaf) -> Result<Leaf, QueryError> {
    if !parser.take_word("under") {
        parser.followers = (parser.at, &["`under`"]);
        return Ok(pattern);
    }
    let mut number = 0;
    let families = parser.list(|parser| {
        number += 1;
        if number > MAX_FAMILIES {
            let message = format!("at most {MAX_FAMILIES} sets of transforms can be combined");
            return Err(parser.error(&message, &[]));
        }
        family(parser)
    })?;
    Ok(Box::new(TransformedPattern { pattern, families }).into())
}

/// A set of transforms, or one of them by its name.
fn family(parser: &mut QueryParser) -> Result<TransformFamily, QueryError> {
    if parser.word() == Some("shift") && parser.is_sign(parser.at + 1, "(") {
        return shift(parser);
    }
    let known = |name: &str| {
        let family = named(named(name, FAMILY_ALIASES).unwrap_or(name), &TransformFamily::NAMED);
        family.or_else(|| Transform::named(name).map(TransformFamily::Single))
    };
    if let Some((family, after)) = parser.longest_name(known) {
        parser.at = after;
        return Ok(family);
    }
    let error = parser.expected("a set of transforms", FAMILY_NAMES);
    Err(parser.with_nearest(error, "transform", FAMILY_NAMES.iter().map(|name| name.trim_matches('`'))))
}

/// `shift(2,-1)`: files to the right, ranks up.
fn shift(parser: &mut QueryParser) -> Result<TransformFamily, QueryError> {
    let begin = parser.at;
    parser.at += 2;
    let files = signed_number(parser)?;
    parser.require_sign(",", "`,` and the ranks of the shift", &["`,`"])?;
    let ranks = signed_number(parser)?;
    parser.require_sign(")", "`)`", &["`)`"])?;
    match Shift::new(files, ranks) {
        Some(shift) => Ok(TransformFamily::Single(Transform::Shift(shift))),
        None => Err(parser.error_at(begin, "a shift moves by at most 7 files and 7 ranks", &["a number"])),
    }
}

/// A number with its sign; 100 if it is too large anyway.
fn signed_number(parser: &mut QueryParser) -> Result<i8, QueryError> {
    let is_negative = parser.take_sign("-");
    let number = parser.require_number("a number of files or ranks", &["a number", "`-`"])?;
    parser.at += 1;
    let number = i8::try_from(number).unwrap_or(100);
    Ok(if is_negative { -number } else { number })
}
