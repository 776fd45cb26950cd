//! The memory bound is a promise: a run keeps to its plan, a bound that is too small is refused with the least that would do,
//! and the files do not depend on the bound.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use egtgen::Error;
use egtgen::folder::TableFolder;
use egtgen::generation::GenerationEvent;
use egtgen::plan::{plan_generation, resource_needs};
use egtgen::prober::CachedTables;
use egtgen::stats::stats;
use egtgen::verify::{VerificationExtent, verify};
use plyfold_tables::index::TableIndex;
use plyfold_tables::material::TableMaterial;

use crate::common::{PLENTY, assert_same, files, made, request, request_alone, table, watched};

/// The least memory with which a table can be generated.
fn least(name: &str) -> u64 {
    resource_needs(&TableIndex::new(table(name)), 1).least_memory()
}

/// Generates two tables alone, in a folder that has all the tables that they convert into.
fn alone(folder: &Path, names: &[&str], memory: u64, threads: usize) -> Vec<GenerationEvent> {
    made(&request_alone(folder, names, memory, threads))
}

/// For each table that was begun: whether tiles went to a file and back, and how many bytes were planned.
fn begun(events: &[GenerationEvent]) -> Vec<(bool, u64)> {
    let begun = |event: &GenerationEvent| match event {
        GenerationEvent::Started { streams, memory, .. } => Some((*streams, *memory)),
        _ => None,
    };
    events.iter().filter_map(begun).collect()
}

/// Runs the program for a material whose smaller tables are there, with this memory bound. Returns the peak of its memory in
/// bytes.
#[cfg(target_os = "linux")]
fn peak(folder: &Path, name: &str, memory: u64) -> u64 {
    use std::process::{Command, Stdio};
    let mut program = Command::new(env!("CARGO_BIN_EXE_egtgen"));
    program.args(["generate", name, "--no-closure", "--threads", "2", "--memory", &memory.to_string(), "--out"]);
    let mut child = program.arg(folder).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it is built");
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        let read = fs::read_to_string(&status).unwrap_or_default();
        let line = read.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")).and_then(|number| number.parse().ok());
        most = most.max(1024 * kibibytes.unwrap_or(0));
        if let Some(ended) = child.try_wait().expect("it is our child") {
            assert!(ended.success(), "{ended}");
            return most;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// Two outer pieces and one, and one with two identical innermost pieces, which memory has in one order. They are the largest tables
/// of all kinds that the tests have time for.
#[test]
#[ignore = "slow"]
fn files_are_the_same_in_memory_and_streaming() {
    const NAMES: [&str; 3] = ["KRBvKR", "KRvKRB", "KRvKNN"];
    let folder = tempfile::tempdir().expect("a folder");
    made(&request(folder.path(), &["KRBvK", "KRvKR", "KBvKR", "KRvKB", "KRvK", "KRvKN"], PLENTY, 2));
    let again = || {
        let copy = tempfile::tempdir().expect("a folder");
        for (name, bytes) in files(folder.path()) {
            fs::write(copy.path().join(name), bytes).expect("room");
        }
        copy
    };
    let in_memory = again();
    let events = alone(in_memory.path(), &NAMES, PLENTY, 2);
    assert!(begun(&events).iter().all(|(streams, _)| !streams), "{:?}", begun(&events));
    let expected = files(in_memory.path());

    // With one outer piece, one thread takes one pass for all moves of a cycle, and two threads take two.
    let one_thread = again();
    alone(one_thread.path(), &NAMES[1..], PLENTY, 1);
    let one_outer_piece = expected.clone().into_iter().filter(|(name, _)| name != "KRBvKR.egt").collect();
    assert_same(&files(one_thread.path()), &one_outer_piece, "in memory on one thread");

    // The smallest tables with two outer pieces have five men, and no other test shows that their values are right.
    let tables = CachedTables::open(TableFolder::new(in_memory.path()), 256 << 20);
    let longest = stats(&tables, table(NAMES[0]), 0).expect("tables that were made").sides[0].max_win_plies;
    assert_eq!(longest, Some(2 * 65 - 1), "65 moves, as published");
    let some = VerificationExtent { fraction: 0.0005, seed: 11 };
    let report =
        verify(&tables, table(NAMES[0]), some, &AtomicBool::new(false), &|_| {}).expect("tables that were made");
    assert!(report.checked > 50_000, "{}", report.checked);
    assert!(report.is_sound(), "{:#?}", report.first);
    drop(tables);

    let streaming = again();
    for name in NAMES {
        let needed = resource_needs(&TableIndex::new(table(name)), 1).streaming[0];
        let events = alone(streaming.path(), &[name], needed, 1);
        assert_eq!(begun(&events), [(true, needed)]);
    }
    assert_same(&files(streaming.path()), &expected, "streaming on one thread");

    let frugal = again();
    for name in NAMES {
        let needs = resource_needs(&TableIndex::new(table(name)), 1);
        assert!(needs.frugal < needs.streaming[0], "{name}: {needs:?}");
        let events = alone(frugal.path(), &[name], least(name), 1);
        assert_eq!(begun(&events), [(true, needs.frugal)]);
    }
    assert_same(&files(frugal.path()), &expected, "streaming with the least memory");

    #[cfg(target_os = "linux")]
    {
        let streaming = again();
        let bound = 48 << 20;
        let most = peak(streaming.path(), NAMES[0], bound);
        let mut of_both = expected.clone();
        of_both.remove("KRvKNN.egt");
        assert_same(&files(streaming.path()), &of_both, "streaming on as many threads as fit");
        assert!(most > 8 << 20, "{most} bytes were measured: that is too little to be true");
        assert!(most <= bound, "{most} bytes at most, where {bound} were allowed");
    }
}

/// Pawn slices of one tile do not stream. As many are generated at once as fit into the memory.
#[test]
#[cfg(target_os = "linux")]
fn pawn_slices_of_one_tile_keep_to_the_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    let smaller = ["KPvK", "KQvKP", "KPvKQ", "KRvKP", "KPvKR", "KBvKP", "KPvKB", "KNvKP", "KPvKN"];
    made(&request(folder.path(), &smaller, PLENTY, 2));
    let bound = least("KPvKP");
    let most = peak(folder.path(), "KPvKP", bound);
    assert!(most <= bound, "{most} bytes at most, where {bound} were allowed");
    let slim = fs::read(folder.path().join("KPvKP.egt")).expect("it was made");
    fs::remove_file(folder.path().join("KPvKP.egt")).expect("it was made");
    alone(folder.path(), &["KPvKP"], PLENTY, 2);
    assert!(slim == fs::read(folder.path().join("KPvKP.egt")).expect("it was made"), "one pawn slice at once, or two");
}

#[test]
fn too_little_is_refused_before_anything_is_begun() {
    for name in ["KRvK", "KQvKR", "KPvKP", "KRBvKR", "KRvKRB", "KRPvKR", "KQQQvK"] {
        let folder = tempfile::tempdir().expect("a folder");
        let little = request_alone(folder.path(), &[name], least(name) - 1, 2);
        match watched(&little) {
            Err(error @ Error::Memory { table, least: named, allowed }) => {
                assert_eq!((table, named, allowed), (crate::common::table(name), least(name), least(name) - 1));
                assert!(error.to_string().starts_with(&format!("{name} needs at least ")), "{error}");
            }
            other => panic!("{name}: {other:?}"),
        }
        assert!(files(folder.path()).is_empty(), "{name}");
    }
    // The bound is refused before the smaller tables are generated, too.
    let folder = tempfile::tempdir().expect("a folder");
    let little = request(folder.path(), &["KQvKR"], least("KQvKR") - 1, 1);
    assert!(matches!(watched(&little), Err(Error::Memory { .. })));
    assert!(files(folder.path()).is_empty());
}

#[test]
fn the_least_that_is_named_does() {
    for name in ["KRvK", "KPvK", "KQvKR", "KNNvK"] {
        let slim = tempfile::tempdir().expect("a folder");
        let plenty = tempfile::tempdir().expect("a folder");
        made(&request(slim.path(), &[name], PLENTY, 1));
        fs::remove_file(slim.path().join(format!("{name}.egt"))).expect("it was made");
        let events = alone(slim.path(), &[name], least(name), 2);
        assert_eq!(begun(&events), [(false, least(name))], "{name}");
        made(&request(plenty.path(), &[name], PLENTY, 2));
        assert_same(&files(slim.path()), &files(plenty.path()), name);
    }
}

/// Most positions of this table are won within few moves, so its lists are large. A run that begins in memory without
/// enough room for them goes on by streaming.
#[test]
#[ignore = "slow"]
fn lists_that_outgrow_the_memory_make_tiles_stream() {
    let name = "KQRvKR";
    let folder = tempfile::tempdir().expect("a folder");
    made(&request(folder.path(), &["KQRvK", "KQvKR", "KRvKR"], PLENTY, 2));
    let plenty = tempfile::tempdir().expect("a folder");
    for (file, bytes) in files(folder.path()) {
        fs::write(plenty.path().join(file), bytes).expect("room");
    }
    alone(plenty.path(), &[name], PLENTY, 2);
    let index = TableIndex::new(table(name));
    let needs = resource_needs(&index, 2);
    // The least memory with which a run in memory is tried.
    let tries = |memory: &u64| {
        plan_generation(&index, &needs, *memory, 2).is_some_and(|plan| plan.list_bytes.is_some() && !plan.streams)
    };
    let memory = (0..1 << 14).map(|step| step << 15).find(tries).expect("between streaming and all in memory");
    let events = alone(folder.path(), &[name], memory, 2);
    let streams: Vec<bool> = begun(&events).iter().map(|(streams, _)| *streams).collect();
    assert_eq!(streams, [false, true], "it began in memory, and went on by streaming");
    assert!(begun(&events).iter().all(|(_, bytes)| *bytes <= memory));
    assert_same(&files(folder.path()), &files(plenty.path()), name);
}

#[test]
fn plans_keep_within_what_is_allowed() {
    let five = ["KRBvKR", "KRvKRB", "KQQvKQ", "KBBvKN", "KNvKBB", "KRPvKR", "KRvKRP", "KPPvKP", "KQQQvK", "KPPPvK"];
    let small =
        [3, 4].into_iter().flat_map(TableMaterial::all_with_men).flat_map(|material| [material, material.swapped()]);
    for material in small.filter(|material| material.can_win()).chain(five.map(table)) {
        let index = TableIndex::new(material);
        let needs = resource_needs(&index, 4);
        assert_eq!(needs.streaming.len(), 4);
        assert!(needs.streaming.is_sorted(), "{material}: more threads take no less, {:?}", needs.streaming);
        assert_eq!(plan_generation(&index, &needs, needs.least_memory() - 1, 4), None, "{material}");
        let mut threads = 0;
        let least = [needs.least_memory()].into_iter();
        for memory in least.chain(needs.streaming.iter().copied()).chain([needs.in_memory, 1 << 40]) {
            let plan = plan_generation(&index, &needs, memory, 4).expect("it does");
            assert!(plan.bytes <= memory, "{material}: {plan:?} within {memory}");
            assert!((1..=4).contains(&plan.threads), "{material}: {plan:?}");
            if plan.streams {
                assert!(plan.threads >= threads && index.tiles() > 1, "{material}: {plan:?}");
                threads = plan.threads;
            }
        }
        let plan = plan_generation(&index, &needs, 1 << 40, 4).expect("it does");
        assert!(!plan.streams && plan.threads == 4, "{material}: {plan:?}");
    }
}

#[test]
fn seven_men_fit_into_one_server() {
    for name in ["KRBNvKQN", "KQRvKRBN", "KNNNvKNN"] {
        assert!(least(name) <= 24 << 30, "{name} takes {}", least(name));
    }
}
