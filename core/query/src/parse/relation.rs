//! Reads where squares lie: `between king and rook`, `behind enemy passed pawn`, `on the same file as king`; and `xrays`.

use plyfold_scan::scan::predicate::SquareRelation;

use super::QueryParser;
use crate::error::QueryError;
use crate::keywords::named;
use crate::relation::{RelatedSquares, RelationExpression, SquareOwner, XRayExpression};
use crate::squares::SquareTarget;
use crate::token::TokenKind;

/// Other words for some relations.
const RELATION_ALIASES: &[(SquareRelation, &str)] = &[
    (SquareRelation::InFrontOf, "ahead_of"),
    (SquareRelation::OnFileOf, "on_the_same_file_as"),
    (SquareRelation::OnRankOf, "on_the_same_rank_as"),
    (SquareRelation::OnDiagonalOf, "on_the_same_diagonal_as"),
];
/// What may be named as the end of a relation.
const ENDS: &[&str] = &["`own`", "`enemy`", "`white`", "`black`", "a predicate", "a region"];

impl QueryParser {
    /// A relation other than `between`, and the token after its words.
    fn peek_relation(&self) -> Option<(SquareRelation, usize)> {
        let named = || SquareRelation::NAMED.iter().chain(RELATION_ALIASES);
        self.longest_name(|name| named().find(|(_, known)| *known == name).map(|(relation, _)| *relation))
    }

    /// Whether `on the same file as` stands here, which is no region.
    pub(crate) fn is_same_line(&self) -> bool {
        self.word() == Some("on")
            && (self.word_at(self.at + 1) == Some("same")
                || self.word_at(self.at + 1) == Some("the") && self.word_at(self.at + 2) == Some("same"))
    }

    /// Where squares lie, if words about it come next.
    pub(crate) fn square_relation(&mut self) -> Result<Option<RelationExpression>, QueryError> {
        // Before numbers and units, `between` names plies.
        if self.word() == Some("between") && self.is_relation_at(self.at) {
            self.at += 1;
            let one = self.related_squares("the first end", SquareOwner::Own)?;
            if !self.take_word("and") {
                return Err(self.expected("`and` with the other end", &["`and`"]));
            }
            let other = self.related_squares("the other end", SquareOwner::Own)?;
            return Ok(Some(RelationExpression::Between(one, other)));
        }
        let relation = match self.peek_relation() {
            Some((relation, after)) => {
                self.at = after;
                relation
            }
            None if self.is_same_line() => return Err(self.unfinished_line()),
            None => return Ok(None),
        };
        let to = self.related_squares("a predicate or a region", SquareOwner::Own)?;
        Ok(Some(RelationExpression::To(relation, to)))
    }

    /// The error of `on the same`, where a line or `as` does not follow.
    fn unfinished_line(&mut self) -> QueryError {
        self.at += 1;
        self.take_word("the");
        self.take_word("same");
        if !["file", "rank", "diagonal"].into_iter().any(|line| self.take_word(line)) {
            return self.expected("`file`, `rank` or `diagonal`", &["`file`", "`rank`", "`diagonal`"]);
        }
        self.expected("`as`", &["`as`"])
    }

    /// Whether the token begins a relation or `xrays`, by its words.
    pub(crate) fn is_relation_at(&self, at: usize) -> bool {
        let next = self.word_at(at + 1);
        match self.word_at(at) {
            Some("behind" | "in_front_of" | "ahead_of" | "beside" | "next_to" | "xrays" | "x_rays") => true,
            Some("in") => next == Some("front"),
            Some("ahead") => next == Some("of"),
            Some("next") => next == Some("to"),
            Some("between") => {
                !matches!(self.kind_at(at + 1), None | Some(TokenKind::Number(_)))
                    && !matches!(next, Some("ply" | "plies" | "move" | "moves"))
            }
            _ => false,
        }
    }

    /// The token after `xrays`, if it comes next.
    fn after_xray(&self) -> Option<usize> {
        self.after_name("xrays").or_else(|| self.after_name("x_rays"))
    }

    /// Whether `xrays` comes next.
    pub(crate) fn is_xray(&self) -> bool {
        self.after_xray().is_some()
    }

    /// `xrays king through knight`.
    pub(crate) fn xray(&mut self) -> Result<XRayExpression, QueryError> {
        self.at = self.after_xray().unwrap_or(self.at);
        let target = self.related_squares("what stands second on the line", SquareOwner::Enemy)?;
        let mut ray = XRayExpression { target, through: None };
        if self.take_word("through") {
            ray.through = Some(self.related_squares("what stands first on the line", SquareOwner::Either)?);
        }
        Ok(ray)
    }

    /// A predicate and whose it is, or a region; without a word, it is that of `owner`.
    fn related_squares(&mut self, what: &str, owner: SquareOwner) -> Result<RelatedSquares, QueryError> {
        let named = self.word().and_then(|word| named(word, SquareOwner::NAMED));
        // `own 7` is a region.
        let of_side = named.filter(|_| !self.is_region_at(self.at + 1));
        self.at += usize::from(of_side.is_some());
        let is_bracket = self.is_sign(self.at, "(");
        if self.peek_place().is_some() || is_bracket && !self.is_region_at(self.at + 1) {
            let at = self.at;
            let squares = self.described_squares()?;
            self.check_location(at, &squares, ENDS)?;
            return Ok(RelatedSquares { owner: of_side.unwrap_or(owner), squares: SquareTarget::Squares(squares) });
        }
        if of_side.is_none() && (self.is_region() || is_bracket) {
            return Ok(RelatedSquares { owner, squares: SquareTarget::Region(self.region()?) });
        }
        Err(self.expected(what, ENDS))
    }
}
