//! Names of followed pieces: `white knight as N on b1 then N on d5`.
//!
//! `as N` introduces a name, and what comes later in the text may use it. This file finds the introductions of a tree and says
//! what is wrong with them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use plyfold_scan::scan::measure::FEATURES;
use plyfold_scan::scan::measure::pieces::ANY_PIECE;
use plyfold_scan::scan::predicate::{MAX_NAMES, PieceName};
use shakmaty::{Color, Role};

use super::error::nearest;
use super::header::NumberRange;
use super::region::Region;
use super::relation::RelatedSquares;
use super::side::SideSelector;
use super::squares::{SquareExpression, SquareTarget};
use super::tree::QueryTree;
use super::window::{OccurrenceRule, WindowQuantifier};

/// A name in the description of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceReference {
    /// The name.
    pub name: PieceName,
    /// Whether the name is introduced here: `knight as N captures`.
    pub is_introduced: bool,
}

/// Where a name is introduced.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Introduction {
    pub name: PieceName,
    /// The sides that the piece may have.
    pub colours: Vec<Color>,
    /// What stands before `as`.
    pub place: SquareExpression,
}

/// What is wrong with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NameMistake {
    pub name: PieceName,
    pub message: String,
}

/// The introductions of a query in the order of the text.
///
/// # Errors
///
/// A name that is used before it is introduced, or introduced twice, or where it cannot be; more than eight names.
pub(super) fn introductions(tree: &QueryTree) -> Result<Vec<Introduction>, NameMistake> {
    let mut reader = NameReader { introductions: Vec::new(), negation: None };
    reader.read_tree(tree)?;
    Ok(reader.introductions)
}

pub(crate) struct NameReader {
    introductions: Vec<Introduction>,
    /// The word under which no name is introduced, if one stands around the condition.
    negation: Option<&'static str>,
}

impl NameReader {
    fn read_tree(&mut self, tree: &QueryTree) -> Result<(), NameMistake> {
        match tree {
            QueryTree::Everything | QueryTree::Header(_) => Ok(()),
            QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf { parts, .. } => {
                parts.iter().try_for_each(|part| self.read_tree(part))
            }
            QueryTree::Not(inner) => self.negated("not", |reader| reader.read_tree(inner)),
            QueryTree::Together(inner) => self.read_tree(inner),
            QueryTree::Leaf(leaf) => leaf.read_names(self),
            QueryTree::Condition { inner, window } => {
                let word = match (window.quantifier, window.occurrence) {
                    (WindowQuantifier::Never, _) => Some("never"),
                    (_, OccurrenceRule::Times(NumberRange { min, max })) if max < u32::MAX => {
                        Some(if min == max { "exactly" } else { "at most" })
                    }
                    _ => None,
                };
                match word {
                    Some(word) => self.negated(word, |reader| reader.read_tree(inner)),
                    None => self.read_tree(inner),
                }
            }
            QueryTree::Then { first, second, .. } => {
                self.read_tree(first)?;
                self.read_tree(second)
            }
        }
    }

    /// Reads what stands under a word under which no name is introduced.
    pub(crate) fn negated(
        &mut self,
        word: &'static str,
        read: impl FnOnce(&mut NameReader) -> Result<(), NameMistake>,
    ) -> Result<(), NameMistake> {
        let before = self.negation;
        self.negation = Some(before.unwrap_or(word));
        let result = read(self);
        self.negation = before;
        result
    }

    pub(crate) fn read_squares(&mut self, squares: &SquareExpression, colours: &[Color]) -> Result<(), NameMistake> {
        match squares {
            SquareExpression::Named { name, .. } | SquareExpression::Left { name, .. } => self.use_name(*name),
            SquareExpression::Introduced { place, name } => {
                let (place, name, colours) = ((**place).clone(), *name, colours.to_vec());
                self.introduce(Introduction { name, colours, place })
            }
            SquareExpression::Not(part) => self.negated("not", |reader| reader.read_squares(part, colours)),
            SquareExpression::Attacking { pieces, defends, target } => {
                self.read_squares(pieces, colours)?;
                let others: Vec<Color> = colours.iter().map(|&one| if *defends { one } else { !one }).collect();
                match &**target {
                    SquareTarget::Squares(target) => self.read_squares(target, &others),
                    SquareTarget::Region(_) => Ok(()),
                }
            }
            SquareExpression::Related(relation) => relation.ends().try_for_each(|end| self.read_end(end, colours)),
            SquareExpression::XRaying { pieces, ray } => {
                self.read_squares(pieces, colours)?;
                ray.ends().try_for_each(|end| self.read_end(end, colours))
            }
            _ => squares.parts().iter().try_for_each(|part| self.read_squares(part, colours)),
        }
    }

    /// The squares to which others of these colours lie somehow.
    fn read_end(&mut self, end: &RelatedSquares, colours: &[Color]) -> Result<(), NameMistake> {
        let SquareTarget::Squares(squares) = &end.squares else { return Ok(()) };
        let owners =
            Color::ALL.into_iter().filter(|owner| colours.iter().any(|&side| end.owner.colours(side).contains(owner)));
        self.read_squares(squares, &owners.collect::<Vec<_>>())
    }

    pub(crate) fn introduce(&mut self, introduction: Introduction) -> Result<(), NameMistake> {
        let name = introduction.name;
        let mistake = |message| Err(NameMistake { name, message });
        if let Some(word) = self.negation {
            return mistake(format!(
                "`as {name}` cannot stand under `{word}`: name the piece in a condition that holds"
            ));
        }
        if self.introductions.iter().any(|other| other.name == name) {
            return mistake(format!("`as {name}` stands twice: leave it out where the piece is meant again"));
        }
        if self.introductions.len() == MAX_NAMES {
            return mistake(format!("a query has at most {MAX_NAMES} names of pieces"));
        }
        let place = &introduction.place;
        if let Some(other) = place.first_name() {
            return mistake(format!("what `as {name}` names has a name already: `{other}`"));
        }
        if !place.has_sides() {
            return mistake(format!("`{place}` is no piece, so it has no name"));
        }
        self.introductions.push(introduction);
        Ok(())
    }

    pub(crate) fn use_name(&self, name: PieceName) -> Result<(), NameMistake> {
        if self.introductions.iter().any(|introduction| introduction.name == name) {
            return Ok(());
        }
        let word = name.to_string().to_ascii_lowercase();
        let message = match nearest(&word, FEATURES.iter().map(|feature| feature.name)) {
            Some(nearest) => format!("unknown name `{word}`: did you mean `{nearest}`?"),
            None => format!("no `as {name}` before this says which piece `{name}` is"),
        };
        Err(NameMistake { name, message })
    }
}

/// The pieces of a role, or all.
pub(crate) fn any_piece(role: Option<Role>) -> SquareExpression {
    let kind = |role| FEATURES.iter().copied().find(|feature| feature.role() == Some(role));
    SquareExpression::Feature { feature: role.and_then(kind).unwrap_or(&ANY_PIECE), region: Region::ANYWHERE }
}

/// The colours that the pieces of a side may have.
pub(crate) fn colours(side: &SideSelector) -> Vec<Color> {
    side.colour().map_or_else(|| Color::ALL.to_vec(), |colour| Vec::from([colour]))
}
