//! The forms that a condition on one position can have, a file each: its node, its words and their meanings, how it is read and
//! written, and what it becomes in a plan.
//!
//! A new form is a file here and a line in `forms!`: the parser, the text, JSON with its schema, completion, names of pieces and
//! the errors about unknown players follow from the trait `Form`. A form about several plies stands for a query.

pub mod board;
pub mod comment;
pub mod compare;
pub mod empty;
pub mod endgame;
pub mod fen;
pub mod imbalance;
pub mod line;
pub mod marked;
pub mod material;
pub mod move_number;
pub mod played;
pub mod ply;
pub mod repertoire;
pub mod san;
pub mod squares;
pub mod structure;
pub mod tb;
pub mod threw_away;
pub mod told;
pub mod traded;
pub mod under;
pub mod zugzwang;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::scan::combine::Formula;

use super::diagram::Diagram;
use super::error::QueryError;
use super::fen_pattern::FenPattern;
use super::material::{EndgameKind, Imbalance, MaterialPattern};
use super::names::{NameMistake, NameReader};
use super::parse::{NamedSide, QueryParser};
use super::plan::QueryPlanner;
use super::side::SideSelector;
use super::tree::QueryTree;
use super::window::WindowClause;

/// A form of conditions on one position.
pub(crate) trait Form {
    /// What it begins with, as the parser offers it: `` `fen` ``.
    const STARTS: &'static [&'static str];
    /// Its own words, each with its meaning as in [`KEYWORDS`](super::keywords::KEYWORDS).
    const WORDS: &'static [(&'static str, &'static str)] = &[];
    /// The word with which it begins, if it describes both sides and so stands behind no side.
    const SIDELESS: Option<&'static str> = None;

    /// Reads such a condition, if one begins here. A side before it has been read.
    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError>;

    /// What it becomes in a plan.
    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError>;

    /// Writes it as in a query.
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// The query for which it stands, with these words around it, if it is about several plies. Its plan is that of the query.
    fn expansion(&self, _window: &WindowClause) -> Option<QueryTree> {
        None
    }

    /// Whether endgame tables decide it.
    fn asks_tables(&self) -> bool {
        false
    }

    /// The sides that it names.
    fn sides(&self) -> Vec<&SideSelector> {
        Vec::new()
    }

    /// Reads the names of pieces that it introduces and uses.
    fn read_names(&self, _names: &mut NameReader) -> Result<(), NameMistake> {
        Ok(())
    }
}

/// What is known of a form without a condition: the constants of its [`Form`], and its reader.
pub(crate) struct FormDefinition {
    pub starts: &'static [&'static str],
    pub words: &'static [(&'static str, &'static str)],
    pub sideless: Option<&'static str>,
    pub read: fn(&mut QueryParser, &NamedSide) -> Result<Option<Leaf>, QueryError>,
}

macro_rules! forms {
    ($($variant:ident($form:ty) $name:literal: $summary:literal;)+) => {
        /// A condition on one position.
        #[derive(Clone, PartialEq, Debug)]
        #[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
        pub enum Leaf {
            $(#[doc = $summary] #[cfg_attr(feature = "json", serde(rename = $name))] $variant($form),)+
        }

        $(impl From<$form> for Leaf {
            fn from(form: $form) -> Leaf {
                Leaf::$variant(form)
            }
        })+

        /// Writes the condition as in a query.
        impl fmt::Display for Leaf {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Leaf::$variant(form) => form.write(f),)+ }
            }
        }

        impl Leaf {
            /// What the condition becomes in a plan.
            pub(crate) fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
                match self { $(Leaf::$variant(form) => form.lower(plan),)+ }
            }

            /// The name of its form.
            pub fn name(&self) -> &'static str {
                match self { $(Leaf::$variant(_) => $name,)+ }
            }

            /// The query for which the condition stands, with these words around it, if it is about several plies.
            pub(crate) fn expansion(&self, window: &WindowClause) -> Option<QueryTree> {
                match self { $(Leaf::$variant(form) => form.expansion(window),)+ }
            }

            /// Whether endgame tables decide the condition.
            pub(crate) fn asks_tables(&self) -> bool {
                match self { $(Leaf::$variant(form) => form.asks_tables(),)+ }
            }

            /// The sides that the condition names.
            pub(crate) fn sides(&self) -> Vec<&SideSelector> {
                match self { $(Leaf::$variant(form) => form.sides(),)+ }
            }

            /// Reads the names of pieces that the condition introduces and uses.
            pub(crate) fn read_names(&self, names: &mut NameReader) -> Result<(), NameMistake> {
                match self { $(Leaf::$variant(form) => form.read_names(names),)+ }
            }
        }

        /// The forms, in the order in which the parser tries them.
        pub(crate) static FORMS: &[FormDefinition] = &[$(FormDefinition {
            starts: <$form as Form>::STARTS,
            words: <$form as Form>::WORDS,
            sideless: <$form as Form>::SIDELESS,
            read: <$form as Form>::read,
        },)+];
    };
}

forms! {
    San(san::WrittenMoveOfSide) "san": "The move that led to the position, as it is written.";
    Line(line::Line) "line": "The position after a line of moves, or the line as the first moves of the game.";
    Compare(compare::Compare) "compare": "Two sums, compared.";
    Move(move_number::MoveNumber) "move": "The number of the move, as printed in the score.";
    Ply(ply::PlyNumber) "ply": "The number of the ply, from 1 at the first one played.";
    ThrewAway(threw_away::ThrewAway) "threw_away": "By endgame tables, the last move threw something away.";
    Tb(tb::TableCondition) "tb": "Endgame tables say that the position is won, drawn or lost.";
    Zugzwang(zugzwang::Zugzwang) "zugzwang": "By endgame tables, the side to move would do better if it could pass.";
    Told(told::Told) "told": "The text tells the evaluation or the clock.";
    Comment(comment::Comment) "comment": "The text has a comment on the move that led to the position.";
    InRepertoire(repertoire::InRepertoire) "in_repertoire": "The position occurs in lines that have a name.";
    Left(repertoire::LeftLines) "left": "The move that led to the position left lines that have a name.";
    Marked(marked::Marked) "marked": "The text marks the move that led to the position.";
    Fen(Box<FenPattern>) "fen": "This position: one to six fields of a FEN.";
    Board(Box<Diagram>) "board": "Pieces on squares, with wildcards.";
    Structure(structure::Structure) "structure": "These pawns and no others.";
    Under(Box<under::TransformedPattern>) "under": "A position, a pattern or a structure, or one of its images.";
    Endgame(EndgameKind) "endgame": "A kind of endgame.";
    Imbalance(Imbalance) "imbalance": "What each side has that the other has not.";
    Material(MaterialPattern) "material": "Exactly these pieces.";
    Empty(empty::Empty) "empty": "These squares are empty.";
    Played(played::Played) "played": "The move that led to the position.";
    Traded(traded::Traded) "traded": "A piece of this role of each side is captured, at most four plies apart.";
    Squares(squares::Squares) "squares": "The side has a square of a set, or none.";
}

impl Leaf {
    /// Whether the condition is about several plies, and so stands for a query.
    pub(crate) fn is_of_several_plies(&self) -> bool {
        self.expansion(&WindowClause::EVER).is_some()
    }
}

/// What conditions on a position begin with, as the parser offers it.
pub(crate) fn starts() -> impl Iterator<Item = &'static str> {
    FORMS.iter().rev().flat_map(|form| form.starts).copied()
}

/// The words that begin a condition on both sides, so that no side stands before them.
pub(crate) fn is_sideless(word: &str) -> bool {
    FORMS.iter().any(|form| form.sideless == Some(word))
}
