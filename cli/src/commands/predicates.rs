//! `plyfold predicates`: what a query can ask for.

use plyfold_core::query::material::Endgame;
use plyfold_core::query::region;
use plyfold_core::scan::measure::FEATURES;
use serde_json::json;

use crate::Format;
use crate::failure::Result;
use crate::out;

/// What speaks of the whole board, and what it asks for.
const FORMS: &[(&str, &str)] = &[
    ("material KRPvKR", "exactly these men; `material white KRPvKR` if White has those named first"),
    ("structure \"RANKS\"", "these pawns and no others, written as in a FEN"),
    ("board \"RANKS\"", "men on squares: letters and digits as in a FEN, ? anything, . empty, [Nn] one of these"),
    ("fen \"FEN\"", "this placement; with more fields also who is to move, castling and en passant"),
];

/// Queries to begin with, and what they find.
const EXAMPLES: &[(&str, &str)] = &[
    ("queens_off", "games with some position without queens, and those positions"),
    ("queens_off and white bishop_pair", "games with both, not necessarily at the same position"),
    ("{ queens_off and white bishop_pair }", "both at the same position"),
    ("not black castled", "games in which Black never castled"),
    ("white knight on e5", "a white knight on e5"),
    ("white knight on e5 for 4 moves", "a white knight on e5 for eight plies in a row"),
    ("{ queens_off and white bishop_pair } for 8", "both at once, eight plies in a row"),
    ("endgame rook", "a rook each and pawns, nothing else"),
    ("material KRPvKR", "rook and pawn against rook, whoever has the pawn"),
    ("structure \"8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8\"", "the pawns of the Carlsbad structure and no others"),
    ("isolated_pawn on d", "somebody's isolated pawn on the d-file"),
    ("both rook_on_seventh", "rooks on the seventh on both sides at once"),
    ("no pawn on e and empty e4 e5", "no pawn on the e-file; nobody on e4 and e5"),
    ("count(white rook) >= 2 and points(white) - points(black) >= 3", "numbers of men, and their worth"),
];

/// List what a query can ask for.
#[derive(clap::Args)]
pub struct Arguments {
    /// How the list is written.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The list as it stands under the help of `query`.
pub fn help() -> String {
    let mut text = String::from("Predicates:\n");
    for feature in FEATURES {
        let side = if feature.sided { "[side] " } else { "" };
        text += &format!("  {:<26} {}", format!("{side}{}", feature.name), feature.summary);
        if !feature.aliases.is_empty() {
            text += &format!(" (also: {})", feature.aliases.join(", "));
        }
        text.push('\n');
    }
    text += "\nThe whole board:\n";
    for (name, _, means) in Endgame::NAMED {
        text += &format!("  {:<26} {means}\n", format!("endgame {name}"));
    }
    for (form, means) in FORMS {
        text += &format!("  {form:<26} {means}\n");
    }
    text += "\n[side] is white, black, either (meant if none is named), both or neither.\n";
    text += "`PREDICATE on REGION` asks within squares (e4 d5), files (e, a..c), ranks (7, 5..8) or ";
    let names: Vec<&str> = region::NAMED.iter().map(|(name, _)| *name).collect();
    text += &names.join(", ");
    text += ".\n`no PREDICATE on REGION`, `empty REGION`, `count(…)` and `points(side)` with = != < <= > >= + - *.\n";
    text += "`and`, `or`, `not`, ( ) combine; { } asks for one position that has it all.\n";
    text +=
        "`… for 8` and `… for 4 moves` after a predicate or after { } ask for so many plies in a row.\n\nExamples:\n";
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
/// The answer cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    out::write(None, |out| {
        if arguments.format == Format::Text {
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
                    "sided": feature.sided,
                })
            })
            .collect();
        let examples: Vec<_> =
            EXAMPLES.iter().map(|(query, finds)| json!({ "query": query, "finds": finds })).collect();
        let regions: Vec<_> = region::NAMED.iter().map(|(name, _)| name).collect();
        let endgames: Vec<_> =
            Endgame::NAMED.iter().map(|(name, _, means)| json!({ "name": name, "summary": means })).collect();
        let forms: Vec<_> = FORMS.iter().map(|(form, means)| json!({ "form": form, "summary": means })).collect();
        let list = json!({
            "predicates": predicates,
            "endgames": endgames,
            "forms": forms,
            "regions": regions,
            "examples": examples,
        });
        writeln!(out, "{list}")?;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_a_query() {
        for (query, _) in EXAMPLES {
            assert!(plyfold_core::query::compile(query).is_ok(), "{query}");
        }
    }
}
