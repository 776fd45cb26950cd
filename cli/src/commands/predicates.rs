//! `plyfold predicates`: lists what a query can contain.

use plyfold_core::headers::{Ending, TimeClass};
use plyfold_core::query::header::{EloSelector, NameSelector, PlayerSelector, as_word};
use plyfold_core::query::material::EndgameKind;
use plyfold_core::query::region;
use plyfold_core::scan::measure::FEATURES;
use plyfold_terminal::{ReportFormat, output};
use serde_json::json;

use crate::failure::Result;

/// Conditions on the whole board, and their meaning.
const FORMS: &[(&str, &str)] = &[
    ("material KRPvKR", "exactly these pieces; `material white KRPvKR` if White has those named first"),
    ("structure \"RANKS\"", "exactly these pawns, written as in a FEN"),
    ("board \"RANKS\"", "pieces on squares: letters and digits as in a FEN, ? anything, . empty, [Nn] one of these"),
    ("fen \"FEN\"", "this placement; with more fields also the side to move, castling rights and en passant"),
];

/// Sides, which stand before a predicate.
const SIDES: &[(&str, &str)] = &[
    ("white", "White's"),
    ("black", "Black's"),
    ("either", "White's or Black's: the default"),
    ("both", "White's and Black's, at the same position"),
    ("neither", "neither White's nor Black's, at the same position"),
    ("mover", "that of the side to move"),
    ("waiter", "that of the side that is not to move"),
    ("winner", "that of the side that won the game"),
    ("loser", "that of the side that lost"),
    ("\"Carlsen*\"", "that of a player, whatever the colour"),
    ("opponent \"Carlsen*\"", "that of the player's opponent"),
];

/// Conditions on the move that led to a position.
const MOVES: &[(&str, &str)] = &[
    ("white plays knight to e5", "a piece comes to a square; also from e4, on 7, forward, backward, along a file"),
    ("bishop captures queen on h7", "a piece captures a piece; also recaptures, en_passant"),
    ("promotes to knight", "a pawn becomes a piece; also underpromotes"),
    ("castles_short", "a side castles now; also castles_long, castles"),
    ("white gives_check", "also gives_double_check, gives_discovered_check, gives_mate, stalemates, perpetual"),
    ("white smothered_mate", "a mate with a name; also back_rank_mate, arabian_mate, bodens_mate and thirteen others"),
    ("plays queen quiet", "a move that captures nothing and promotes no pawn"),
];

/// Numbers, and what they measure.
const NUMBERS: &[(&str, &str)] = &[
    ("count(white rook on 7) >= 2", "the number of squares of a predicate, here rooks; of both sides if none is named"),
    ("points(white) - points(black) >= 3", "pawn 1, knight and bishop 3, rook 5, queen 9; points(both) adds them up"),
    ("2 * count(white knight) + 1 > count(pawn)", "sums of numbers, with = != < <= > >= + - * and ( )"),
    ("ply >= 20", "the number of the ply, from 1"),
    ("move 10..15", "the number of the move, as printed in the score"),
];

/// Other conditions on a position.
const RELATIONS: &[(&str, &str)] = &[
    ("no pawn on e", "the side has no such piece there"),
    ("empty e4 e5", "these squares are empty"),
    ("white knight attacks queen", "a piece attacks pieces of the other side, or squares"),
    ("rook defends passed_pawn", "a piece defends pieces of its own side, or squares"),
    ("white blunder", "the text judges the move so: also mistake, inaccuracy, time_trouble, commented"),
    ("white tb win", "endgame tables say that White wins: also draw, loss; tb_dtm <= 10 counts the moves"),
    ("white threw_away win", "by endgame tables, White's move gave a win away; also draw"),
    ("nag \"??\"", "the move has this glyph; also its number: nag 4"),
    ("imbalance RvBN", "the difference in material, once equal pieces are taken away"),
];

/// Conditions on headers, and their meaning; names and ratings come from the lists of the language.
const HEADERS: &[(&str, &str)] = &[
    ("result 1-0", "the result: 1-0, 0-1, 1/2-1/2 or draw, decisive, *"),
    ("eco B80-B99, C42", "the opening by ECO code; C means C00-C99"),
    ("opening \"sicilian najdorf\"", "the opening by name"),
    ("white title GM, IM", "the player's title; also black, either, both, winner, loser; alone of both players"),
    ("white elo >= black elo + 200", "the ratings of both players, compared; also winner elo and loser elo"),
    ("in @my-games", "the games of a named set (plyfold sets, plyfold collections)"),
    ("year 1985..1995", "the year; also year >= 1990"),
    ("date >= 1990.05", "the date: a day, a month or a year; also date 1990..1991.06.30"),
    ("plies >= 40", "how long the game is"),
];

/// Whose name, or what kind of name.
const NAMES: &[(NameSelector, &str)] = &[
    (NameSelector::White, "the white player; * is any run of characters"),
    (NameSelector::Black, "the black player"),
    (NameSelector::Player, "one of the players"),
    (NameSelector::Winner, "the player who won"),
    (NameSelector::Loser, "the player who lost"),
    (NameSelector::Event, "the tournament or match"),
    (NameSelector::Site, "the place, or the address of an online game"),
    (NameSelector::Source, "the file that the game was imported from"),
    (NameSelector::Round, "the round of the tournament"),
    (NameSelector::Annotator, "who annotated the game"),
    (NameSelector::TimeControl, "the time control as the PGN writes it"),
];

/// Whose rating.
const RATINGS: &[(EloSelector, &str)] = &[
    (EloSelector::Of(PlayerSelector::Both), "both ratings"),
    (EloSelector::Of(PlayerSelector::White), "White's rating"),
    (EloSelector::Of(PlayerSelector::Black), "Black's rating"),
    (EloSelector::Of(PlayerSelector::Either), "one of the ratings"),
    (EloSelector::Of(PlayerSelector::Winner), "that of the player who won"),
    (EloSelector::Of(PlayerSelector::Loser), "that of the player who lost"),
    (EloSelector::Average, "the mean of both ratings"),
    (EloSelector::Difference, "the difference between the ratings"),
];

/// Words around a predicate or braces, and their meaning.
const WINDOWS: &[(&str, &str)] = &[
    ("never check", "at no position of the game"),
    ("always { not check }", "at every position"),
    ("became queens_off", "it begins to hold"),
    ("ceased check", "it ceases to hold"),
    ("check for 8", "for eight consecutive plies; also for 4 moves"),
    ("check at least 3 times", "after at least three plies; also at most, exactly; times or plies"),
    ("check before move 20", "at one of these plies; also after, from, until, at; ply or move"),
    ("check between moves 10..20", "at one of these plies; also between plies"),
    ("check at end", "at the last ply of the game"),
    (
        "check in opening",
        "more than ten queens, rooks, bishops and knights, and at least four pieces on each first rank",
    ),
    ("check in middlegame", "neither opening nor endgame"),
    ("check in endgame", "at most six queens, rooks, bishops and knights of both sides together"),
    ("check then queens_off", "the second at a ply after the first"),
    ("check then within 20 queens_off", "the second at most 20 plies after the first; also within 10 moves"),
];

/// Queries to begin with, and what they find.
const EXAMPLES: &[(&str, &str)] = &[
    ("queens_off", "games with some position without queens, and those positions"),
    ("queens_off and white bishop_pair", "games with both, not necessarily at the same position"),
    ("{ queens_off and white bishop_pair }", "both at the same position"),
    ("not black castled", "games in which Black never castled"),
    ("white knight on e5", "a white knight on e5"),
    ("white knight on e5 for 4 moves", "a white knight on e5 for eight plies in a row"),
    ("{ queens_off and white bishop_pair } for 8", "both at the same position, for eight consecutive plies"),
    ("endgame rook", "each side has one rook, any number of pawns, and nothing else"),
    ("material KRPvKR", "rook and pawn against rook; either side may have the pawn"),
    ("structure \"8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8\"", "exactly the pawns of the Carlsbad structure"),
    ("isolated_pawn on d", "an isolated pawn of either side on the d-file"),
    ("both rook_on_seventh", "both sides have a rook on the seventh rank at the same position"),
    ("no pawn on e and empty e4 e5", "no pawn on the e-file; e4 and e5 are empty"),
    ("never white castled and result 1-0", "games that White won without castling"),
    ("became queens_off before move 20", "the last queen leaves the board before move 20"),
    ("black king on f..h then within 20 white queen attacks h7", "one condition, and another at most 20 plies later"),
    (
        "winner passed_pawn on own 7 and elo >= 2500",
        "the winner had a passed pawn on its seventh rank; both players are rated 2500 or more",
    ),
    ("count(white rook) >= 2 and points(white) - points(black) >= 3", "numbers of pieces, and their values"),
];

/// List what a query can contain.
#[derive(clap::Args)]
pub struct Arguments {
    /// Format of the list.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// A list of words and what they mean.
type HelpRows = Vec<(String, String)>;

/// Everything but predicates: the heading in text, the member in JSON, and the list.
fn lists() -> Vec<(&'static str, &'static str, HelpRows)> {
    let plain = |list: &[(&str, &str)]| list.iter().map(|&(form, means)| (form.to_owned(), means.to_owned())).collect();
    let endgames = EndgameKind::NAMED.iter().map(|(name, _, means)| (format!("endgame {name}"), (*means).to_owned()));
    let headers = HEADERS.iter().map(|&(form, means)| (form.to_owned(), means.to_owned()));
    let names = NAMES.iter().map(|&(of, means)| (format!("{} \"Kasparov*\"", of.name()), means.to_owned()));
    let ratings = RATINGS.iter().map(|&(of, means)| (format!("{of} >= 2600"), means.to_owned()));
    let words = |names: &mut dyn Iterator<Item = &'static str>| names.map(as_word).collect::<Vec<_>>().join(", ");
    let endings = words(&mut Ending::ALL.iter().map(|one| one.name()));
    let classes = words(&mut TimeClass::ALL.iter().map(|one| one.name()));
    let closed = [
        ("ended checkmate, stalemate".to_owned(), format!("how the game ended: {endings}")),
        ("time_class blitz".to_owned(), format!("the time class: {classes}")),
        ("incomplete".to_owned(), "only the moves before one that could not be played or read are kept".to_owned()),
    ];
    vec![
        ("Sides", "sides", plain(SIDES)),
        ("The whole board", "forms", plain(FORMS)),
        ("Endgames", "endgames", endgames.collect()),
        ("Pieces and squares", "relations", plain(RELATIONS)),
        ("Moves", "moves", plain(MOVES)),
        ("Numbers", "numbers", plain(NUMBERS)),
        ("The game", "headers", headers.chain(names).chain(ratings).chain(closed).collect()),
        ("When and how often", "windows", plain(WINDOWS)),
    ]
}

/// The list as it appears in the help of `query`.
pub fn help() -> String {
    let mut text = String::from("Predicates:\n");
    for feature in FEATURES {
        let side = if feature.has_sides { "[side] " } else { "" };
        text += &format!("  {:<26} {}", format!("{side}{}", feature.name), feature.summary);
        if !feature.aliases.is_empty() {
            text += &format!(" (also: {})", feature.aliases.join(", "));
        }
        text.push('\n');
    }
    for (title, _, list) in lists() {
        text += &format!("\n{title}:\n");
        for (form, means) in list {
            text += &format!("  {form:<26} {means}\n");
        }
    }
    text += "\n`PREDICATE on REGION` looks only at squares (e4 d5), files (e, a..c), ranks (7, 5..8; own 7 as the side counts), ";
    let names: Vec<&str> = region::NAMED.iter().map(|(name, _)| *name).chain(["own_half"]).collect();
    text += &names.join(", ");
    text += ".\n`and`, `or`, `not`, ( ) combine; { } means all at one position.\n\nExamples:\n";
    for (query, finds) in EXAMPLES {
        text += &format!("  {query}\n      {finds}\n");
    }
    text.truncate(text.trim_end().len());
    text
}

/// Runs the command.
///
/// # Errors
///
/// The list cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    output::print(|out| {
        if arguments.format == ReportFormat::Text {
            writeln!(out, "{}", help())?;
            return Ok(());
        }
        let predicates: Vec<_> = FEATURES
            .iter()
            .map(|feature| {
                json!({
                    "name": feature.name,
                    "aliases": feature.aliases,
                    "summary": feature.summary,
                    "sided": feature.has_sides,
                })
            })
            .collect();
        let examples: Vec<_> =
            EXAMPLES.iter().map(|(query, finds)| json!({ "query": query, "finds": finds })).collect();
        let regions: Vec<_> = region::NAMED.iter().map(|(name, _)| name).collect();
        let mut list = json!({ "predicates": predicates, "regions": regions, "examples": examples });
        for (_, name, listed) in lists() {
            // For compatibility, endgames are listed without the word before their name.
            let (key, begin) = if name == "endgames" { ("name", "endgame ") } else { ("form", "") };
            let listed = listed
                .iter()
                .map(|(form, means)| json!({ key: form.strip_prefix(begin).unwrap_or(form), "summary": means }));
            list[name] = listed.collect();
        }
        writeln!(out, "{list}")?;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use plyfold_core::query::parse::parse;
    use plyfold_core::query::side::SideSelector;
    use plyfold_core::query::window::GamePhase;

    use super::*;

    #[test]
    fn every_example_is_a_query() {
        for (query, _) in EXAMPLES {
            assert!(plyfold_core::query::compile(query).is_ok(), "{query}");
        }
        for (_, name, list) in lists().into_iter().filter(|(_, name, _)| *name != "forms") {
            for (form, _) in list {
                let query = if name == "sides" { format!("{form} pawn") } else { form };
                assert!(parse(&query).is_ok(), "{query}");
            }
        }
    }

    #[test]
    fn what_the_language_has_is_listed() {
        assert!(SideSelector::NAMED.iter().all(|(name, _)| SIDES.iter().any(|(side, _)| side == name)));
        assert!(NameSelector::NAMED.iter().all(|(_, of)| NAMES.iter().any(|(named, _)| named == of)));
        let has_rating = |of: EloSelector| RATINGS.iter().any(|(named, _)| *named == of);
        assert!(PlayerSelector::NAMED.iter().all(|&(_, players)| has_rating(EloSelector::Of(players))));
        let windows = WINDOWS.iter().map(|(form, _)| *form).collect::<Vec<_>>().join(" ");
        assert!(GamePhase::NAMED.iter().all(|(name, _)| windows.contains(&format!(" in {name}"))));
    }
}
