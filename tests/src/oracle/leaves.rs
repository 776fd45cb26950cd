//! Conditions that are no lists: what holds at a ply.

use plyfold_core::annotations::judgement::Judgement;
use plyfold_core::annotations::{Score, UNKNOWN_TIME};
use plyfold_core::board::Board;
use plyfold_core::headers::NamePattern;
use plyfold_core::query::forms::Leaf;
use plyfold_core::query::forms::comment::Comment;
use plyfold_core::query::forms::compare::Compare;
use plyfold_core::query::forms::line::Line;
use plyfold_core::query::forms::marked::Marked;
use plyfold_core::query::forms::move_number::MoveNumber;
use plyfold_core::query::forms::played::Played;
use plyfold_core::query::forms::ply::PlyNumber;
use plyfold_core::query::forms::repertoire::{InRepertoire, LeftLines};
use plyfold_core::query::forms::san::WrittenMoveOfSide;
use plyfold_core::query::forms::squares::Squares;
use plyfold_core::query::forms::under::TransformedPattern;
use plyfold_core::query::header::NumberRange;
use plyfold_core::query::material::Imbalance;
use plyfold_core::query::parse::parse;
use plyfold_core::query::plan::plan;
use plyfold_core::query::reject_opening;
use plyfold_core::query::side::SideSelector;
use plyfold_core::query::tree::QueryTree;
use plyfold_core::scan::predicate::PlyMark;
use shakmaty::Color::{Black, White};
use shakmaty::{Color, Role};

use crate::games::comment;
use crate::images;

use super::Trace;

/// Each image as a leaf of its own.
fn images_of(under: &TransformedPattern) -> Vec<Leaf> {
    let written = under.pattern.to_string();
    let (word, text) = written.split_once(' ').expect("a word and a text");
    let images = images::images(word, text.trim_matches('"'), &under.families);
    let parsed = images.iter().map(|(_, text)| match parse(&format!("{word} \"{text}\"")).expect(text) {
        QueryTree::Leaf(leaf) => leaf,
        other => panic!("{other} is no leaf"),
    });
    parsed.collect()
}

/// Whether the pieces differ so on a board.
fn has_imbalance(board: &Board, imbalance: &Imbalance) -> bool {
    let more = |first: Color| {
        (0..5).all(|nth| {
            let role = Role::ALL[nth];
            let count = |colour| board.pieces(colour, role).count_ones() as i32;
            count(first) - count(!first) == i32::from(imbalance.difference[nth])
        })
    };
    imbalance.first.map_or_else(|| more(White) || more(Black), more)
}

fn is_within(range: &NumberRange, number: usize) -> bool {
    (range.min as usize..=range.max as usize).contains(&number)
}

impl Trace<'_> {
    pub(super) fn leaf(&self, leaf: &Leaf, ply: usize) -> bool {
        let board = &self.boards[ply];
        match leaf {
            Leaf::Marked(Marked { side, mark }) => {
                let is_marked = ply > 0 && self.is_marked(*mark, ply);
                self.side(side, ply, &|colour| is_marked && self.boards[ply].side_to_move() != colour)
            }
            Leaf::Comment(Comment { side, pattern }) => {
                let matches = ply > 0 && self.is_commented(pattern, ply);
                self.side(side, ply, &|colour| matches && self.boards[ply].side_to_move() != colour)
            }
            Leaf::InRepertoire(InRepertoire(name)) => ply > 0 && self.is_in_lines(name, ply),
            Leaf::Left(LeftLines { side, lines }) => {
                let leaves = self.ply_of_leaving(lines) == Some(ply);
                self.side(side, ply, &|colour| leaves && self.boards[ply].side_to_move() != colour)
            }
            Leaf::Played(Played { side, pattern }) => self.side(side, ply, &|colour| {
                self.plays.holds(self, pattern, colour, ply)
                    && self.followed.moves(self, ply, [pattern.piece_name, pattern.object_name])
            }),
            Leaf::San(WrittenMoveOfSide { side, written }) => {
                self.side(side, ply, &|colour| self.is_written(&written.to_string(), colour, ply))
            }
            Leaf::Line(Line { is_played, moves }) => self.has_line(&moves.to_string(), *is_played, ply),
            Leaf::Squares(Squares { side, squares, is_absent }) => {
                let all = *is_absent && *side == SideSelector::Either;
                let side = if all { &SideSelector::Both } else { side };
                let side = if squares.has_sides() { side } else { &SideSelector::White };
                self.side(side, ply, &|colour| (self.squares(squares, colour, ply) != 0) != *is_absent)
            }
            Leaf::Ply(PlyNumber(range)) => ply > 0 && is_within(range, ply),
            Leaf::Move(MoveNumber(range)) => ply > 0 && is_within(range, self.number_of_move(ply)),
            Leaf::Imbalance(imbalance) => has_imbalance(board, imbalance),
            Leaf::Under(under) => {
                let mut known = self.images.borrow_mut();
                let images = known.entry(under.to_string()).or_insert_with(|| images_of(under));
                images.iter().any(|image| self.leaf(image, ply))
            }
            Leaf::Compare(Compare { left, comparison, right }) => self.compares(left, *comparison, right, ply),
            Leaf::Told(told) => Color::ALL.iter().any(|&colour| {
                let Compare { left, comparison, right } = told.comparison(colour);
                self.compares(&left, comparison, &right, ply)
            }),
            // Other tests compare these predicates with other programs, so the oracle uses the engine's.
            _ => {
                let query = plan(&QueryTree::Leaf(leaf.clone()), &reject_opening).expect("a predicate");
                let holds = |n: u16| query.predicates[usize::from(n)].test(board);
                query.conditions.first().is_none_or(|condition| condition.formula.holds_where(&holds))
            }
        }
    }

    /// Whether the text has such a comment on the move of a ply.
    pub(super) fn is_commented(&self, pattern: &str, ply: usize) -> bool {
        let said = comment(self.span.first_in_shard + self.nth, ply);
        self.is_marked(PlyMark::Commented, ply) && NamePattern::new(pattern).matches(said)
    }

    /// Whether the text marks the move of a ply so.
    pub(super) fn is_marked(&self, mark: PlyMark, ply: usize) -> bool {
        let said = &self.annotations;
        let is_said = |mark| said.marks.contains(&(ply as u16, mark));
        match mark {
            PlyMark::Commented => is_said(0),
            PlyMark::Nag(glyph) => is_said(glyph),
            PlyMark::TimeTrouble => {
                let base = f64::from(said.time_control.base);
                let limit = if base > 0.0 { f64::min(base / 10.0, 3000.0) } else { 300.0 };
                said.clocks.get(ply - 1).is_some_and(|&clock| clock != UNKNOWN_TIME && f64::from(clock) < limit)
            }
            PlyMark::Judged(judgement) => self.judgement(ply) == Some(judgement),
        }
    }

    /// The judgement of the move of a ply, by the formula of Lichess.
    pub(super) fn judgement(&self, ply: usize) -> Option<Judgement> {
        let score = |ply: usize| match ply {
            0 if self.span.game(self.nth).has_custom_start() => None,
            0 => Some(Score::centipawns(15)),
            ply => self.annotations.scores.get(ply - 1).copied().filter(|score| score.is_known()),
        };
        let (before, after) = (score(ply - 1)?, score(ply)?);
        let mover = !self.boards[ply].side_to_move();
        // Of the side that moved: its centipawns, and whether it mates.
        let own = |score: Score| score.as_centipawns().map(|number| mover.fold_wb(number, -number));
        let mates = |score: Score| score.as_mate().map(|(_, white_mates)| white_mates == mover.is_white());
        let by_size = |centipawns: i32| match centipawns {
            size if size > 999 => Some(Judgement::Inaccuracy),
            size if size > 700 => Some(Judgement::Mistake),
            _ => Some(Judgement::Blunder),
        };
        if let (Some(before), Some(after)) = (own(before), own(after)) {
            let chance = |cp: i32| 2.0 / (1.0 + (-0.003_682_08 * f64::from(cp)).exp()) - 1.0;
            let lost = chance(before) - chance(after);
            let rules = [(0.3, Judgement::Blunder), (0.2, Judgement::Mistake), (0.1, Judgement::Inaccuracy)];
            return rules.into_iter().find(|(least, _)| lost >= *least).map(|(_, judgement)| judgement);
        }
        match (mates(before), mates(after)) {
            (None, Some(false)) => by_size(-own(before)?),
            (Some(true), None) => by_size(own(after)?),
            (Some(true), Some(false)) => Some(Judgement::Blunder),
            _ => None,
        }
    }
}
