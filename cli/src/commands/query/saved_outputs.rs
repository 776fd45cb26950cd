//! Saves results as files, each of its kind (`core/pmote/src/FORMAT.md`), and parts as named sets.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use plyfold_core::game::{GameId, Ply};
use plyfold_core::pmote::positions::PositionRecord;
use plyfold_core::pmote::{groups, heatmap, positions};
use plyfold_core::reduce::groups::COUNTS;
use plyfold_core::reduce::heatmap::Heatmap;
use plyfold_core::reduce::partition::{PARTITION, Partition};
use plyfold_files::{OutputPlan, OverwriteRule};
use plyfold_terminal::output;

use super::QueryReport;
use crate::failure::{CliFailure, Result};
use crate::outputs::RequestedOutputs;
use crate::positions::PositionFormat;
use crate::saved_sets;

/// Which answers are kept, and where.
#[derive(clap::Args, Default)]
pub(in crate::commands) struct SavedOutputs {
    /// Save the matching positions as a file, by shard, game and ply (PMOTE-PS).
    #[arg(long, value_name = "FILE")]
    pub save_positions: Option<PathBuf>,
    /// Save the heatmap as a file (PMOTE-HM).
    #[arg(long, value_name = "FILE", requires = "heatmap")]
    pub save_heatmap: Option<PathBuf>,
    /// Save the groups of --by as a file (PMOTE-GB); needs exactly one key.
    #[arg(long, value_name = "FILE", requires = "by")]
    pub save_by: Option<PathBuf>,
    /// Save the parts of --partition as sets beside the corpus, each named @NAME and its part. Needs exactly one key; at most
    /// --top parts.
    #[arg(long, value_name = "@NAME", requires = "partition")]
    pub save_parts: Option<String>,
}

/// Where the options of a query declare the files that they read and write.
pub(in crate::commands) struct DeclaredFiles<'a> {
    /// Refuses outputs that would overwrite an input or that occur twice.
    pub outputs: &'a mut OutputPlan,
    /// The corpus that is searched, beside which named sets lie.
    pub corpus: &'a Path,
    /// The name that messages use for an option.
    pub role: &'a dyn Fn(&str) -> String,
    /// Whether existing files may be replaced.
    pub existing: OverwriteRule,
}

/// Refuses what cannot be saved.
///
/// # Errors
///
/// Several keys are given for groups or parts; a name has no `@`.
pub(in crate::commands) fn check_saved_outputs(saved: &SavedOutputs, outputs: &RequestedOutputs) -> Result<()> {
    let [keys, partitions] = [&COUNTS, &PARTITION].map(|output| outputs.of_option(output.option).count());
    let several = |option: &str, of: &str| Err(CliFailure::Usage(format!("{option} saves one key: give {of} once")));
    match &saved.save_parts {
        _ if saved.save_by.is_some() && keys != 1 => several("--save-by", "--by"),
        Some(_) if partitions != 1 => several("--save-parts", "--partition"),
        Some(name) if !name.starts_with('@') => {
            Err(CliFailure::Usage(format!("parts are saved under names beside the corpus: write `@{name}`")))
        }
        _ => Ok(()),
    }
}

impl SavedOutputs {
    /// Declares the files that are written.
    pub(in crate::commands) fn declare_outputs(&self, files: &mut DeclaredFiles<'_>) {
        let DeclaredFiles { outputs, corpus, role, existing } = files;
        let paths = [
            ("save-positions", &self.save_positions),
            ("save-heatmap", &self.save_heatmap),
            ("save-by", &self.save_by),
        ];
        for (option, path) in paths {
            if let Some(path) = path {
                outputs.streams(role(option), path, *existing);
            }
        }
        if let Some(name) = self.save_parts.as_ref().and_then(|name| name.strip_prefix('@')) {
            outputs.writes_group(role("save-parts"), saved_sets::sets_folder(corpus), format!("{name}-"));
        }
    }
}

/// Saves the requested files. Returns the names of the parts.
///
/// # Errors
///
/// A file cannot be written; no file is left half written.
pub(super) fn save_outputs(found: &QueryReport<'_>) -> Result<Vec<String>> {
    let stamp = saved_sets::corpus_stamp(found.corpus);
    let saved = &found.options.saved;
    let replaces = found.options.force;
    let save = |path: &Path, bytes: Vec<u8>| -> Result<()> {
        output::write(Some(path), replaces, |out| Ok(out.write_all(&bytes)?))
    };
    if let Some(path) = &saved.save_positions {
        let place = |game: u64, ply| {
            let id = GameId((game - 1) as u32);
            let span_index = found.spans.partition_point(|span| span.first_game <= id).saturating_sub(1);
            let span = &found.spans[span_index];
            PositionRecord { shard: span.shard, game: span.first_in_shard + (id.0 - span.first_game.0), ply: Ply(ply) }
        };
        let places: Vec<PositionRecord> =
            found.position_stream(PositionFormat::Ref).map(|found| place(found.game, found.ply)).collect();
        save(path, positions::encode(&places, stamp))?;
    }
    if let (Some(path), Some(answer)) = (&saved.save_heatmap, found.answers.summary::<Heatmap>()) {
        save(path, heatmap::encode(&answer.counts(), stamp))?;
    }
    if let (Some(path), Some(answer)) = (&saved.save_by, found.answers.summary()) {
        save(path, groups::encode(answer, stamp))?;
    }
    let mut names = BTreeSet::new();
    let mut listed = Vec::new();
    if let (Some(prefix), Some(Partition { sets: parts })) = (&saved.save_parts, found.answers.summary()) {
        let mut places = Vec::new();
        for part in &parts[..parts.len().min(found.options.top)] {
            let plain = set_name(prefix, &part.name);
            // Parts whose names differ only in other characters get the same name. The larger part comes first and keeps it.
            let free = |number: &usize| !names.contains(&numbered_name(&plain, *number));
            let name = numbered_name(&plain, (1..).find(free).unwrap_or(1));
            let place = saved_sets::set_path(found.path, &name)?;
            let Some(games) = &part.games else { continue };
            saved_sets::check_replaceable(&place)?;
            names.insert(name.clone());
            listed.push(name);
            places.push((place, games, part.count));
        }
        for (place, games, count) in places {
            saved_sets::write_set(&place, true, stamp, |sink| Ok(sink(games.words()).map(|()| count)?))?;
        }
    }
    Ok(listed)
}

/// A name of letters and digits, with a dash for everything else between them.
fn set_name(prefix: &str, part: &str) -> String {
    let words = part.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let part = words.collect::<Vec<_>>().join("-");
    if part.is_empty() { format!("{prefix}-unknown") } else { format!("{prefix}-{part}") }
}

fn numbered_name(name: &str, number: usize) -> String {
    if number == 1 { name.to_owned() } else { format!("{name}.{number}") }
}
