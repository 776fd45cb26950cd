//! `plyfold explain`: what a query means, and what a scan will do to answer it.
//!
//! Nothing is guessed here: where a predicate is tested and what a condition implies is asked of the parts of the scan that go by it.

mod words;

use std::io::Write;
use std::path::PathBuf;

use plyfold_core::course::milestones::Homes;
use plyfold_core::matsig::MatSig;
use plyfold_core::matsig::goal::{Asked, Goal};
use plyfold_core::query::tree::Tree;
use plyfold_core::query::{parse, plan};
use plyfold_core::scan::combine::Formula;
use plyfold_core::scan::needs::Needs;
use plyfold_core::scan::source::{Sorted, Source};
use plyfold_core::scan::{Query, aim};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::commands::predicates;
use crate::draw::squares;
use crate::failure::{Failure, Result};
use crate::seek::Seek;
use crate::{Format, out};

/// Home ranks of the pawns of White, and of Black.
const HOME: [u64; 2] = [0xff << 8, 0xff << 48];

/// Say what a query means and how it is answered.
///
/// Says which conditions a query has, where each of its predicates is tested, whether a board is needed, and which games can be
/// skipped or left early. No corpus is needed.
#[derive(clap::Args)]
#[command(after_long_help = predicates::help())]
pub struct Arguments {
    /// The query; `-` reads it from standard input, '' matches every position.
    query: Option<String>,
    /// Read the query from a file.
    #[arg(long, value_name = "FILE")]
    query_file: Option<PathBuf>,
    /// How it is written.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// A query taken apart, and the object in JSON.
#[derive(Serialize)]
struct Explained {
    query: String,
    /// The same, as it was understood.
    reads_as: String,
    /// How conditions, by number, make the verdict.
    verdict: String,
    conditions: Vec<Told>,
    predicates: Vec<Tested>,
    board: Board,
    cut_offs: CutOffs,
}

/// A condition.
#[derive(Serialize)]
struct Told {
    /// From 1.
    number: usize,
    /// Without its streak.
    text: String,
    /// At so many plies in a row, 1 for one position.
    streak: u32,
    /// Numbers of its predicates.
    predicates: Vec<usize>,
    /// What the men on the board are wherever it holds, in words.
    implies: Option<String>,
    /// The same by side; what is not mentioned may be anything.
    implied: Value,
    /// Whether some games cannot fulfil it by what their last signature says.
    cuts_by_last_signature: bool,
    #[serde(skip)]
    asked: Asked,
}

/// A predicate.
#[derive(Serialize)]
struct Tested {
    /// From 1.
    number: usize,
    text: String,
    source: &'static str,
    /// The same in words.
    tested: String,
    /// Where moves are looked at; only for that source.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    squares: Vec<String>,
}

/// What a replay is for.
#[derive(Serialize)]
struct Board {
    needed: bool,
    keeps: String,
}

/// Games that need not be looked at, or not to their end.
#[derive(Serialize)]
struct CutOffs {
    /// Whether a game can be skipped by its last signature.
    by_last_signature: bool,
    /// Whether a game can be skipped by when its pawns left home.
    by_milestones: bool,
    /// Where the walk through a game ends as soon as one of these pawns is gone.
    home_pawns: Pawns,
}

/// Squares by side.
#[derive(Serialize)]
struct Pawns {
    white: Vec<String>,
    black: Vec<String>,
}

/// Runs the command.
///
/// # Errors
///
/// A mistake in the query; an answer that cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let seek = Seek::given(arguments.query.as_deref(), arguments.query_file.as_ref())?;
    let explained = explain(seek)?;
    out::report(arguments.format, &explained, |out| write_text(out, &explained))
}

fn explain(Seek { text, query }: Seek) -> Result<Explained> {
    let tree = parse::parse(&text).map_err(|error| Failure::Query(error, text.clone()))?;
    let mut conditions: Vec<(Query, Told)> = Vec::new();
    each_condition(&tree, &mut |condition| {
        let alone = plan::plan(condition).map_err(|error| Failure::Query(error, text.clone()))?;
        // The scan has each condition once, however often it is written.
        if conditions.iter().all(|(known, _)| *known != alone) {
            let told = told(conditions.len() + 1, condition, &alone, &query);
            conditions.push((alone, told));
        }
        Ok(())
    })?;
    let conditions: Vec<Told> = conditions.into_iter().map(|(_, told)| told).collect();

    let sorted = Sorted::all(&query.predicates);
    let alone = sorted.iter().all(|sorted| sorted.source == Source::Board);
    let predicates = query.predicates.iter().zip(&sorted).enumerate().map(|(nth, (predicate, sorted))| Tested {
        number: nth + 1,
        text: words::predicate(predicate),
        source: sorted.source.name(),
        tested: words::tested(sorted, alone),
        squares: if sorted.source == Source::Squares { squares(sorted.squares) } else { Vec::new() },
    });
    let on_board = sorted.iter().filter(|sorted| sorted.source == Source::Board);
    let keeps = on_board.clone().fold(Needs::NOTHING, |all, sorted| all.and(sorted.needs));
    let skips = |cuts: fn(&Told) -> bool| {
        let out_of_reach = |n: u8| conditions.get(usize::from(n)).is_some_and(cuts);
        query.verdict.between(&|n| (0, if out_of_reach(n) { 0 } else { u64::MAX })).1 == 0
    };
    let by_last_signature = skips(|told| told.cuts_by_last_signature);
    let by_milestones = skips(|told| Homes::new(told.asked.required, told.asked.allowed).left != 0);
    let home = match (&conditions[..], &query.verdict) {
        // With several conditions, others may hold still.
        ([told], Formula::Bit(0)) => [0, 1].map(|side| told.asked.required[side] & HOME[side]),
        _ => [0; 2],
    };
    Ok(Explained {
        reads_as: tree.to_string(),
        verdict: words::verdict(&query.verdict),
        predicates: predicates.collect(),
        board: Board { needed: on_board.count() > 0, keeps: keeps.to_string() },
        cut_offs: CutOffs {
            by_last_signature,
            by_milestones,
            home_pawns: Pawns { white: squares(home[0]), black: squares(home[1]) },
        },
        conditions,
        query: text,
    })
}

/// Visits the conditions of a query in the order in which the plan has them.
fn each_condition(tree: &Tree, visit: &mut impl FnMut(&Tree) -> Result<()>) -> Result<()> {
    match tree {
        Tree::Everything => Ok(()),
        Tree::And(parts) | Tree::Or(parts) => parts.iter().try_for_each(|part| each_condition(part, visit)),
        Tree::Not(inner) => each_condition(inner, visit),
        Tree::Together(_) | Tree::Leaf(_) | Tree::Streak { .. } => visit(tree),
    }
}

/// A condition of `query`, which is `alone` where there is no other.
fn told(number: usize, tree: &Tree, alone: &Query, query: &Query) -> Told {
    let (text, streak) = match tree {
        Tree::Streak { condition, plies } => (condition.to_string(), *plies),
        tree => (tree.to_string(), 1),
    };
    let formula = alone.conditions.first().map_or(&Formula::True, |condition| &condition.formula);
    let asked = aim::asked(formula, &alone.predicates);
    let number_of = |one| query.predicates.iter().position(|other| other == one).map(|nth| nth + 1);
    Told {
        number,
        text,
        streak,
        predicates: alone.predicates.iter().filter_map(number_of).collect(),
        implies: words::implied(&asked),
        implied: by_side(&asked),
        // Whoever began with the usual array and changed nothing is out of reach, or nobody is.
        cuts_by_last_signature: !Goal::bounds(&asked).survives_early(&MatSig::INITIAL),
        asked,
    }
}

/// What is implied, for programs.
fn by_side(asked: &Asked) -> Value {
    let side = |side: usize| {
        let numbers = words::MEN.iter().enumerate().filter_map(|(nth, name)| {
            let code = side * 8 + nth + 1;
            let (least, most) = (asked.least[code], asked.most[code]);
            let bounds = json!({ "least": least, "most": (most < u8::MAX).then_some(most) });
            ((least, most) != (0, u8::MAX)).then(|| ((*name).to_owned(), bounds))
        });
        json!({
            "men": numbers.collect::<Map<String, Value>>(),
            "pawns_on": squares(asked.required[side]),
            "no_pawns_on": squares(!asked.allowed[side] & words::PAWN_SQUARES),
        })
    };
    json!({ "white": side(0), "black": side(1) })
}

fn write_text(out: &mut dyn Write, explained: &Explained) -> Result<()> {
    let Explained { query, reads_as, verdict, conditions, predicates, board, cut_offs } = explained;
    if conditions.is_empty() {
        writeln!(out, "(every position)\n\nEvery game and every position matches, and no move is looked at.")?;
        return Ok(());
    }
    writeln!(out, "{query}")?;
    if query != reads_as {
        writeln!(out, "is read as\n{reads_as}")?;
    }
    match (&**verdict, conditions.len()) {
        ("1", 1) => writeln!(out, "\nA game matches if this holds:")?,
        ("not 1", 1) => writeln!(out, "\nA game matches if this never holds:")?,
        (verdict, 1) => writeln!(out, "\nA game matches if {verdict}:")?,
        (verdict, _) => writeln!(out, "\nA game matches if {verdict}, each condition by a position of its own:")?,
    }
    let mut streaks = false;
    for Told { number, text, streak, implies, .. } in conditions {
        writeln!(out, "  {number}  {text}")?;
        match streak {
            0 | 1 => writeln!(out, "     holds after some ply")?,
            plies => writeln!(out, "     holds after {plies} plies in a row")?,
        }
        streaks |= *streak > 1;
        match implies {
            Some(implied) => writeln!(out, "     implies: {implied}")?,
            None => writeln!(out, "     implies nothing of the men")?,
        }
    }
    let unasked = if streaks { ", whatever went before" } else { "" };
    match &**verdict {
        "1" => writeln!(out, "A position matches if the condition holds there{unasked}.")?,
        "not 1" => writeln!(out, "A position matches if the condition does not hold there{unasked}.")?,
        verdict => writeln!(out, "A position matches if {verdict} there{unasked}.")?,
    }

    writeln!(out, "\nWhere predicates are tested, in the order of the query:")?;
    for Tested { text, tested, .. } in predicates {
        writeln!(out, "  {text}\n     {tested}")?;
    }
    match board.needed {
        true => writeln!(out, "A board is needed, for what the rest leaves open; it keeps up {}.", board.keeps)?,
        false => writeln!(out, "No board is needed.")?,
    }

    match cut_offs.by_last_signature {
        true => writeln!(out, "\nGames are skipped unread where the last signature says that they cannot match.")?,
        false => writeln!(out, "\nNo game can be skipped by its last signature.")?,
    }
    if cut_offs.by_milestones {
        writeln!(out, "Games are skipped unread where the pawns at home never stood like that.")?;
    }
    let Pawns { white, black } = &cut_offs.home_pawns;
    for (side, pawns) in [("White", white), ("Black", black)] {
        if !pawns.is_empty() {
            writeln!(out, "A game is left once {side} lacks a pawn on {}.", pawns.join(" or "))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(text: &str) -> Explained {
        explain(Seek::new(text).expect(text)).expect(text)
    }

    /// Queries of every form, that a query has words for.
    const QUERIES: &[&str] = &[
        "queens_off and { white bishop_pair and black knight on f6 e4 } for 8 and not (check or empty e4)",
        "points(white) - points(black) >= 3 or count(white rook on a..c) - 2 * count(black king) < 0 - 1",
        "0 - count(black check) < 0 - 1 and 0 * count(pawn) = 3 - 3 and count(white pawn on e..h) - count(rook) != 7",
        "no pawn on e and both rook_on_seventh and neither castled and count(passed_pawn) = 1",
        "queens_off or { queens_off } or (queens_off for 1) or queens_off for 2 or { check or check }",
    ];

    #[test]
    fn conditions_and_predicates_are_those_of_the_plan() {
        for text in QUERIES.iter().chain(&[
            "endgame minor or endgame rook",
            "fen \"8/8/4k3/8/8/4K3/4P3/8 w - -\" and structure \"8/p7/8/8/8/8/P7/8\"",
        ]) {
            let query = Seek::new(text).expect(text).query;
            let explained = explained(text);
            assert_eq!(explained.conditions.len(), query.conditions.len(), "{text}");
            for (told, condition) in explained.conditions.iter().zip(&query.conditions) {
                assert_eq!(told.streak, condition.streak, "{text}");
                let again = plan::plan(&parse::parse(&told.text).expect("what is printed")).expect("a plan");
                let asked = aim::asked(&condition.formula, &query.predicates);
                assert_eq!(aim::asked(&again.conditions[0].formula, &again.predicates), asked, "{text}: {}", told.text);
                assert_eq!(told.asked, asked, "{text}: {}", told.text);
                let predicates = told.predicates.iter().map(|number| &query.predicates[number - 1]);
                assert!(predicates.eq(&again.predicates), "{text}: {}", told.text);
            }
        }
    }

    #[test]
    fn predicates_that_a_query_has_words_for_are_in_these_words() {
        for text in QUERIES {
            let query = Seek::new(text).expect(text).query;
            for (predicate, tested) in query.predicates.iter().zip(explained(text).predicates) {
                let again = plan::plan(&parse::parse(&tested.text).expect(&tested.text)).expect(&tested.text);
                assert_eq!(again.predicates, std::slice::from_ref(predicate), "{}", tested.text);
            }
        }
    }
}
