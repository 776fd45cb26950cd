//! Helpers that several of these tests share: tables generated in a folder, and the folder's files.
#![allow(dead_code, reason = "each program uses its part")]

pub mod single_value;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use egtgen::Error;
use egtgen::generation::{GenerationEvent, GenerationRequest, generate_tables};
use plyfold_tables::material::TableMaterial;

/// More memory than any table of these tests needs.
pub const PLENTY: u64 = 2 << 30;

/// The table of this name. White is the winner.
pub fn table(name: &str) -> TableMaterial {
    TableMaterial::parse(name).expect("a name of a material")
}

/// A request for these tables, White being the winner in each, and for all that they convert into.
pub fn request(folder: &Path, names: &[&str], memory: u64, threads: usize) -> GenerationRequest {
    let asked: Vec<TableMaterial> = names.iter().map(|name| table(name)).collect();
    GenerationRequest::with_closure(&asked, folder).with_memory(memory).with_threads(threads)
}

/// A request for these tables alone.
pub fn request_alone(folder: &Path, names: &[&str], memory: u64, threads: usize) -> GenerationRequest {
    let asked = names.iter().map(|name| table(name));
    GenerationRequest::without_closure(asked, folder).with_memory(memory).with_threads(threads)
}

/// Generates the tables and returns the events.
pub fn made(request: &GenerationRequest) -> Vec<GenerationEvent> {
    watched(request).expect("nothing keeps these tables from being made")
}

/// Generates the tables and returns the events, or the error.
pub fn watched(request: &GenerationRequest) -> Result<Vec<GenerationEvent>, Error> {
    let events = std::sync::Mutex::new(Vec::new());
    let watch = |event: GenerationEvent| events.lock().expect("no thread panics with it").push(event);
    generate_tables(request, &watch, &AtomicBool::new(false))?;
    Ok(events.into_inner().expect("no thread panics with it"))
}

/// The files of a folder by name.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder of this test");
    let file = |entry: fs::DirEntry| {
        let bytes = fs::read(entry.path()).expect("a file of this test");
        (entry.file_name().to_string_lossy().into_owned(), bytes)
    };
    entries.map(|entry| file(entry.expect("an entry of this test's folder"))).collect()
}

/// Asserts that both folders have the same files, byte by byte. Names the files that differ, but not the bytes.
pub fn assert_same(one: &BTreeMap<String, Vec<u8>>, other: &BTreeMap<String, Vec<u8>>, what: &str) {
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<String>>();
    assert_eq!(names(one), names(other), "{what}");
    for (name, bytes) in one {
        let at = bytes.iter().zip(&other[name]).position(|(one, other)| one != other);
        let lengths = (bytes.len(), other[name].len());
        assert!(at.is_none() && lengths.0 == lengths.1, "{what}: {name} differs at {at:?}, lengths {lengths:?}");
    }
}
