//! `in_repertoire @mine`: the position is one of lines that have this name; `white left @mine`: White's move left them.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::{AnnotationTest, LinesTest};

use super::{Form, Leaf};
use crate::error::QueryError;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;
use crate::side::SideSelector;
use crate::span::SpannedName;

/// The position occurs in lines.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema), serde(transparent))]
pub struct InRepertoire(
    /// The name of the lines, without the `@`.
    pub SpannedName,
);

/// The move that led to the position left lines.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct LeftLines {
    /// Who moved; no "both", "neither", "mover" or "waiter".
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "SideSelector::is_either"))]
    pub side: SideSelector,
    /// The name of the lines, without the `@`.
    pub lines: SpannedName,
}

/// Reads the name of lines.
fn lines_name(parser: &mut QueryParser) -> Result<SpannedName, QueryError> {
    match parser.set_name_at(parser.at) {
        Some(name) => {
            parser.at += 1;
            Ok(name)
        }
        None => Err(parser.expected("the name of lines, such as `@mine`,", &["`@mine`"])),
    }
}

impl Form for InRepertoire {
    const STARTS: &'static [&'static str] = &["`in_repertoire`"];
    const WORDS: &'static [(&'static str, &'static str)] = &[("in_repertoire", "the position occurs in these lines")];
    const SIDELESS: Option<&'static str> = Some("in_repertoire");

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        if !parser.take_sideless("in_repertoire", side)? {
            return Ok(None);
        }
        Ok(Some(InRepertoire(lines_name(parser)?).into()))
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.intern_predicate(AnnotationTest::Lines(LinesTest::unbound(&self.0, None)))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in_repertoire @{}", &*self.0)
    }
}

impl Form for LeftLines {
    const STARTS: &'static [&'static str] = &["`left`"];
    const WORDS: &'static [(&'static str, &'static str)] =
        &[("left", "this move left the lines, which go on otherwise")];

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        if parser.word() != Some("left") {
            return Ok(None);
        }
        parser.check_mover(side)?;
        parser.at += 1;
        Ok(Some(LeftLines { side: side.side.clone(), lines: lines_name(parser)? }.into()))
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.predicate_for_side(&self.side, &|mover| {
            AnnotationTest::Lines(LinesTest::unbound(&self.lines, Some(mover))).into()
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.side.fmt_before(f)?;
        write!(f, "left @{}", &*self.lines)
    }

    fn sides(&self) -> Vec<&SideSelector> {
        vec![&self.side]
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use crate::parse::parse;

    #[test]
    fn names_and_sides_are_read() {
        for (text, printed) in [
            ("In_Repertoire @mine", "in_repertoire @mine"),
            ("left @My.lines-2", "left @My.lines-2"),
            ("either left @a", "left @a"),
            ("black left @a before move 8", "black left @a until move 7"),
            ("in_repertoire @a for 4 moves then loser left @b", "in_repertoire @a for 8 then loser left @b"),
            ("never opponent \"Tal*\" left @a", "never opponent \"Tal*\" left @a"),
            ("{ not in_repertoire @a and left @a }", "{ not in_repertoire @a and left @a }"),
            ("in @a and in_repertoire @a in opening", "in @a and in_repertoire @a in opening"),
        ] {
            let tree = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(tree.to_string(), printed);
        }
    }

    #[test]
    fn mistakes_are_pointed_at() {
        const NO_SIDE: &str = "`in_repertoire` describes both sides, so no side stands before it";
        const ONE_MOVES: &str = "one side moves at a ply: write `white`, `black` or a player instead of";
        for (text, message, place) in [
            ("in_repertoire", "the name of lines, such as `@mine`, is missing at the end", 13..13),
            ("in_repertoire mine", "the name of lines, such as `@mine`, is expected here, not `mine`", 14..18),
            (
                "white left \"mine\"",
                "the name of lines, such as `@mine`, is expected here, not a text in quotes",
                11..17,
            ),
            ("left @", "write a name after `@`, as in `in @my-games`", 5..6),
            ("white in_repertoire @a", NO_SIDE, 0..5),
            ("both left @a", ONE_MOVES, 0..4),
            ("check and mover left @a", ONE_MOVES, 10..15),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.message.starts_with(message), "{text}: {}", error.message);
            assert_eq!(error.from..error.to, place, "{text}");
        }
    }
}
