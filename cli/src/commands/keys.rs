//! `plyfold keys`: lists the keys by which games and positions can be grouped.

use plyfold_core::reduce::key::{KEY_FEATURES, TableKey, TagKey};
use plyfold_core::reduce::partition::PartitionRule;
use plyfold_terminal::{ReportFormat, output};
use serde_json::json;

use crate::failure::Result;

/// List the keys by which games and positions can be grouped.
#[derive(clap::Args)]
pub struct Arguments {
    /// Format of the list.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// Examples of numbers of the language.
const NUMBERS: &[(&str, &str)] = &[
    ("count(white pawn)", "any sum of the query language, as in `count(white rook on 7)`"),
    ("points(white) - points(black)", "the balance of material"),
    ("king_distance", "any other number: halfmove_clock, repetition, other_turn"),
    ("tb_dtm", "moves to mate, as endgame tables say; also tb_dtm(white)"),
];

/// Runs the command.
///
/// # Errors
///
/// The list cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let rules = PartitionRule::NAMED.iter().map(|(name, _)| *name);
    output::print(|out| {
        if arguments.format == ReportFormat::Json {
            let key = |key: &&plyfold_core::reduce::key::KeyFeature| json!({ "name": key.name, "aliases": key.aliases, "summary": key.summary, "ordered": key.is_ordered });
            let tables = json!({ "name": TableKey::NAME, "aliases": ["tablebase"], "summary": TableKey::SUMMARY, "ordered": false });
            let tags = json!({ "name": "tag:NAME", "aliases": [], "summary": TagKey::SUMMARY, "ordered": false });
            let keys: Vec<_> = KEY_FEATURES.iter().map(key).chain([tables, tags]).collect();
            let all = json!({ "keys": keys, "rules": rules.collect::<Vec<_>>() });
            return Ok(output::json(out, &all)?);
        }
        for key in KEY_FEATURES {
            let also =
                if key.aliases.is_empty() { String::new() } else { format!(" (also {})", key.aliases.join(", ")) };
            writeln!(out, "  {:<30} {}{also}", key.name, key.summary)?;
        }
        writeln!(out, "  {:<30} {} (also tablebase)", TableKey::NAME, TableKey::SUMMARY)?;
        writeln!(out, "  {:<30} {}", "tag:NAME", TagKey::SUMMARY)?;
        writeln!(out, "\nNumbers, ordered by value:")?;
        for (name, means) in NUMBERS {
            writeln!(out, "  {name:<30} {means}")?;
        }
        let rules = rules.collect::<Vec<_>>().join(", ");
        Ok(writeln!(out, "\nRules of --partition: {rules}.")?)
    })
}
