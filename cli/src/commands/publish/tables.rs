//! The packed endgame tables of a folder, checked and copied.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use egtgen::TableMaterial;
use egtgen::packed_folder::OpenPackedTable;
use plyfold_files::open;
use rayon::prelude::*;

use super::folder::PublishedFolder;
use super::library::{PublishedTables, TABLES_FOLDER};
use crate::failure::{CliFailure, Result};

/// How many names an error lists.
const MAX_NAMED: usize = 5;

/// The packed tables of a folder, by their names.
pub type TableFiles = BTreeMap<String, (TableMaterial, PathBuf)>;

/// Finds the packed tables of a folder.
///
/// # Errors
///
/// The folder cannot be read, or has no tables; a table is generated and not packed.
pub fn find_tables(folder: &Path) -> Result<TableFiles> {
    let cannot = || CliFailure::file(folder, "the folder of tables cannot be read");
    let (mut packed, mut generated) = (TableFiles::new(), BTreeSet::new());
    for entry in fs::read_dir(folder).map_err(cannot())? {
        let path = entry.map_err(cannot())?.path();
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
        let Some(material) = TableMaterial::parse(name).ok().filter(|material| material.to_string() == name) else {
            continue;
        };
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("egp") => drop(packed.insert(name.to_owned(), (material, path.clone()))),
            Some("egt") => drop(generated.insert(name.to_owned())),
            _ => {}
        }
    }
    generated.retain(|name| !packed.contains_key(name));
    let refused = |what: String| CliFailure::unsuitable(folder, what);
    if !generated.is_empty() {
        let named: Vec<&str> = generated.iter().take(MAX_NAMED).map(String::as_str).collect();
        let more = if generated.len() > MAX_NAMED {
            format!(" and {} more", generated.len() - MAX_NAMED)
        } else {
            String::new()
        };
        let what =
            "generated and not packed; pack them first (egtgen pack --tables DIR --out PACKED) and publish PACKED";
        return Err(refused(format!("{}{more}: {what}", named.join(", "))));
    }
    if packed.is_empty() {
        let what =
            "has no packed tables such as KQvK.egp: `egtgen generate --all 3 --out DIR --pack PACKED` makes some";
        return Err(refused(what.into()));
    }
    Ok(packed)
}

/// Copies tables into the folder; those that are there already stay.
///
/// # Errors
///
/// A table is damaged, or cannot be copied.
pub fn write_tables(folder: &PublishedFolder, tables: &TableFiles) -> Result<PublishedTables> {
    tables.par_iter().try_for_each(|(name, (material, path))| {
        let file = format!("{TABLES_FOLDER}{name}.egp");
        let table = open_table(path, *material)?;
        if is_copy_of(&folder.path(&file), &table, path)? {
            folder.keep(&file, table.bytes());
            return Ok(());
        }
        table.check().map_err(|error| CliFailure::Other(error.to_string()))?;
        let mut from = open(path).map_err(CliFailure::file(path, "cannot be opened"))?;
        folder.copy(&file, &mut from)
    })?;
    Ok(PublishedTables { folder: TABLES_FOLDER.into(), names: tables.keys().cloned().collect() })
}

/// Opens a table and checks its head.
///
/// # Errors
///
/// It is missing or damaged.
pub fn open_table(path: &Path, material: TableMaterial) -> Result<OpenPackedTable> {
    let opened = OpenPackedTable::open(path, material).map_err(|error| CliFailure::Other(error.to_string()))?;
    opened.ok_or_else(|| CliFailure::unsuitable(path, "is not there any longer: try again"))
}

/// Whether a file has the length and the head of a table. The head has the checksums of all blocks.
fn is_copy_of(copy: &Path, table: &OpenPackedTable, path: &Path) -> Result<bool> {
    if !fs::symlink_metadata(copy).is_ok_and(|found| found.is_file() && found.len() == table.bytes()) {
        return Ok(false);
    }
    let packed = table.table();
    let bytes = packed.layout.summary_offset() + u64::from(packed.header.summary_bytes);
    let head = |path: &Path| -> Result<Vec<u8>> {
        let file = open(path).map_err(CliFailure::file(path, "cannot be opened"))?;
        let mut head = Vec::new();
        file.take(bytes).read_to_end(&mut head).map_err(CliFailure::file(path, "cannot be read"))?;
        Ok(head)
    };
    Ok(head(copy)? == head(path)?)
}
