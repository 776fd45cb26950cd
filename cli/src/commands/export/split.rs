//! Writes games into a folder, a file for each value of a key.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use plyfold_core::game::GameId;
use plyfold_files::{OutputPlan, OverwriteRule, PrintablePath};
use plyfold_terminal::{output, write_note};

use super::Export;
use super::pgn::GameWriter;
use crate::failure::{CliFailure, Result};
use crate::game_row::GameRow;
use crate::mapped_corpus;

/// The key whose values have a file each.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SplitKey {
    White,
    Black,
    Event,
    Site,
    Year,
    /// The code of the opening.
    Eco,
    /// The name of the opening without its variations.
    Opening,
    Result,
    TimeClass,
}

impl SplitKey {
    fn value(self, row: &GameRow<'_>) -> String {
        match self {
            SplitKey::White => row.white.into(),
            SplitKey::Black => row.black.into(),
            SplitKey::Event => row.event.into(),
            SplitKey::Site => row.site.into(),
            SplitKey::Year => row.date.split('.').next().unwrap_or_default().into(),
            SplitKey::Eco => row.eco.clone().unwrap_or_default(),
            SplitKey::Opening => row.opening.and_then(|name| name.split(": ").next()).unwrap_or_default().into(),
            SplitKey::Result => match row.result {
                "1/2-1/2" => "draw".into(),
                other => other.into(),
            },
            SplitKey::TimeClass => row.time_class.into(),
        }
    }
}

/// Writes the files; each appears when it is complete.
pub(super) fn write(export: &Export<'_>, key: SplitKey) -> Result<()> {
    // Without -o the option is refused earlier.
    let Some(folder) = &export.arguments.output else { return Ok(()) };
    let parts = parts(export, key)?;
    let mut plan = OutputPlan::new();
    mapped_corpus::declare_inputs(&mut plan, &export.arguments.library.path);
    let force = export.arguments.force;
    for (path, _) in &parts {
        plan.writes("a file of --split-by", path, OverwriteRule::from_force(force));
    }
    std::fs::create_dir_all(folder).map_err(CliFailure::file(folder, "cannot be made"))?;
    plan.check()?;
    let bar = export.bar(parts.iter().map(|(_, games)| games.len() as u64).sum());
    for (path, games) in &parts {
        output::write(Some(path), force, |out| {
            let mut writer = GameWriter::new(export);
            games.iter().try_for_each(|&game| {
                bar.add_games(1);
                writer.write(out, game)
            })
        })?;
    }
    write_note(&format!("{} files in {}", parts.len(), PrintablePath(folder)));
    Ok(())
}

/// The files and their games, by the first game of each.
fn parts(export: &Export<'_>, key: SplitKey) -> Result<Vec<(PathBuf, Vec<GameId>)>> {
    let mut of_value: HashMap<String, usize> = HashMap::new();
    let mut parts: Vec<(String, Vec<GameId>)> = Vec::new();
    for id in export.ordered_games()? {
        let Some(row) = GameRow::from_game(export.corpus, id) else { continue };
        let value = key.value(&row);
        let nth = *of_value.entry(value).or_insert_with_key(|value| {
            parts.push((value.clone(), Vec::new()));
            parts.len() - 1
        });
        parts[nth].1.push(id);
    }
    let mut taken = HashSet::new();
    let folder = export.arguments.output.as_deref().unwrap_or(Path::new(""));
    Ok(parts.into_iter().map(|(value, games)| (folder.join(file_name(&value, &mut taken)), games)).collect())
}

/// A name of a file for a value, which every file system takes and no other value has.
fn file_name(value: &str, taken: &mut HashSet<String>) -> String {
    /// The most letters of a value in a name: file systems take 255 bytes.
    const MAX_LETTERS: usize = 50;
    /// Names that Windows keeps for devices.
    const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];
    let safe = |letter: char| if letter.is_alphanumeric() || " -.,'+".contains(letter) { letter } else { '_' };
    let mut name: String = value.chars().map(safe).take(MAX_LETTERS).collect();
    name = name.trim_matches([' ', '.', '-', '_']).into();
    let stem = name.split('.').next().unwrap_or_default().to_lowercase();
    if name.is_empty() {
        name = "unknown".into();
    } else if DEVICES.contains(&stem.trim_end_matches(|letter: char| letter.is_ascii_digit())) {
        name.push('_');
    }
    // Some file systems do not tell capitals from small letters.
    let mut unique = name.clone();
    let mut nth = 1;
    while !taken.insert(unique.to_lowercase()) {
        nth += 1;
        unique = format!("{name} ({nth})");
    }
    unique + ".pgn"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        let mut taken = HashSet::new();
        for (value, expected) in [
            ("B90", "B90.pgn"),
            ("Müller, H.", "Müller, H.pgn"),
            ("MÜLLER, H", "MÜLLER, H (2).pgn"),
            ("../../etc/passwd", "etc_passwd.pgn"),
            ("a/b\\c:d*e?f\"g<h>i|j", "a_b_c_d_e_f_g_h_i_j.pgn"),
            ("", "unknown.pgn"),
            ("????", "unknown (2).pgn"),
            ("NUL", "NUL_.pgn"),
            ("com1.x", "com1.x_.pgn"),
            ("-rf", "rf.pgn"),
            (&"é".repeat(300), &format!("{}.pgn", "é".repeat(50))),
        ] {
            assert_eq!(file_name(value, &mut taken), expected, "{value}");
        }
    }
}
