//! Runs that end early: stopped, killed, on a full disk, or with damaged smaller tables. An unfinished table never looks
//! whole, and the same request resumes to the files of an undisturbed run, byte by byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use egtgen::Error;
use egtgen::folder::TableFolder;
use egtgen::generation::{GenerationEvent, generate_tables};
use egtgen::plan::resource_needs;
use plyfold_tables::index::TableIndex;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::common::{PLENTY, assert_same, files, made, request, request_alone, table, watched};

type Files = BTreeMap<String, Vec<u8>>;

/// A table of many pawn slices, all of one tile.
const CELLS: &str = "KPvKP";
/// A table of one pawn slice with many tiles.
const TILES: &str = "KQQQvK";

/// The least memory with which a table can be generated. Tiles then go to a file and back if there are many.
fn least(name: &str) -> u64 {
    resource_needs(&TableIndex::new(table(name)), 1).least_memory()
}

/// The files of an undisturbed run, made once, with all that the table converts into.
fn undisturbed(name: &str) -> &'static Files {
    static CELLS_MADE: OnceLock<Files> = OnceLock::new();
    static TILES_MADE: OnceLock<Files> = OnceLock::new();
    let made_once = if name == CELLS { &CELLS_MADE } else { &TILES_MADE };
    made_once.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        made(&request(folder.path(), &[name], PLENTY, 2));
        files(folder.path())
    })
}

/// A folder with everything that the table converts into, but not the table itself.
fn before(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (file, bytes) in undisturbed(name) {
        if *file != format!("{name}.egt") {
            fs::write(folder.path().join(file), bytes).expect("room for a copy");
        }
    }
    folder
}

fn the_same(folder: &Path, name: &str, what: &str) {
    assert_same(undisturbed(name), &files(folder), what);
}

/// Generates a table and requests a stop after so many pawn slices or cycles. Returns whether the table was finished before
/// that.
fn stopped_after(folder: &Path, name: &str, memory: u64, threads: usize, events: usize) -> bool {
    let (stop, seen) = (AtomicBool::new(false), AtomicUsize::new(0));
    let watch = |event: GenerationEvent| {
        if matches!(event, GenerationEvent::PawnSliceFinished(..) | GenerationEvent::CycleFinished(..))
            && seen.fetch_add(1, Ordering::Relaxed) + 1 >= events
        {
            stop.store(true, Ordering::Relaxed);
        }
    };
    match generate_tables(&request(folder, &[name], memory, threads), &watch, &stop) {
        Ok(()) => true,
        Err(Error::Stopped) => {
            assert!(!folder.join(format!("{name}.egt")).exists(), "a table that was stopped looks whole");
            false
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_table_of_many_pawn_slices_is_stopped_again_and_again() {
    let folder = before(CELLS);
    let mut random = StdRng::seed_from_u64(1);
    let mut stops = 0;
    // Each pawn slice has some ten cycle events and one when it is finished.
    while !stopped_after(folder.path(), CELLS, PLENTY, 1 + stops % 2, random.random_range(1..4000)) {
        stops += 1;
        assert!(stops < 1000, "it never ends");
    }
    assert!(stops > 3, "stopped {stops} times");
    the_same(folder.path(), CELLS, "stopped");
}

#[test]
#[ignore = "slow"]
fn a_table_of_many_tiles_is_stopped_again_and_again() {
    for (memory, threads) in [(PLENTY, 2), (least(TILES), 1)] {
        let folder = before(TILES);
        let mut stops = 0;
        while !stopped_after(folder.path(), TILES, memory, threads, 1 + stops % 2) {
            stops += 1;
            assert!(stops < 100, "it never ends");
        }
        assert!(stops > 2, "stopped {stops} times");
        the_same(folder.path(), TILES, "stopped");
    }
}

/// Resumes a table from the bytes of a partial file, and asserts that the result is the same.
fn goes_on(name: &str, begun: &[u8], memory: u64, what: &str) {
    let folder = before(name);
    fs::write(folder.path().join(format!("{name}.egt.part")), begun).expect("room");
    made(&request(folder.path(), &[name], memory, 2));
    the_same(folder.path(), name, what);
}

/// The offsets at which the sections of a finished table begin, and at which the last one ends.
fn borders(name: &str) -> Vec<usize> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(format!("{name}.egt")), &undisturbed(name)[&format!("{name}.egt")]).expect("room");
    let table = TableFolder::new(folder.path()).open(name).expect("a table").expect("it is there");
    let sections = table.contents().sections().iter();
    sections.map(|section| section.offset as usize).chain([table.contents().end() as usize]).collect()
}

#[test]
#[ignore = "slow"]
fn a_table_of_many_pawn_slices_goes_on_wherever_its_file_ends() {
    let whole = &undisturbed(CELLS)[&format!("{CELLS}.egt")];
    let borders = borders(CELLS);
    let mut random = StdRng::seed_from_u64(2);
    let mut ends: Vec<usize> = (0..6).map(|_| random.random_range(0..whole.len())).collect();
    let middle = borders[borders.len() / 2];
    ends.extend([0, 63, 64, middle - 1, middle, middle + 1, borders[borders.len() - 2], borders[borders.len() - 1]]);
    ends.extend([whole.len() - 1, whole.len()]);
    for end in ends {
        goes_on(CELLS, &whole[..end], PLENTY, &format!("cut at byte {end}"));
    }
}

#[test]
#[ignore = "slow"]
fn a_table_of_many_tiles_goes_on_wherever_its_file_ends() {
    let whole = &undisturbed(TILES)[&format!("{TILES}.egt")];
    let borders = borders(TILES);
    let sections = borders.len() - 1;
    let mut random = StdRng::seed_from_u64(3);
    let inside = random.random_range(borders[2]..borders[4]);
    // After the mates; within a cycle; just before the end of the last cycle, and at its end; within the bitmaps; before the
    // trailer; at the end of the file.
    let last = borders[sections - 1];
    let ends = [borders[1], inside, last - 1, last, last + 70, borders[sections], whole.len()];
    for (number, end) in ends.into_iter().enumerate() {
        let memory = if number % 2 == 0 { least(TILES) } else { PLENTY };
        goes_on(TILES, &whole[..end], memory, &format!("cut at byte {end}, {sections} sections from {borders:?}"));
    }
}

#[test]
#[ignore = "slow"]
fn bytes_that_are_wrong_in_the_tail_are_made_anew() {
    let mut random = StdRng::seed_from_u64(4);
    for (name, memory, times) in [(CELLS, PLENTY, 5), (TILES, least(TILES), 2)] {
        let whole = &undisturbed(name)[&format!("{name}.egt")];
        let borders = borders(name);
        for time in 0..times {
            // A file that was cut, and whose end did not reach the disk as it was written.
            let end = borders[borders.len() * (time + 2) / (times + 2)].max(200);
            let mut begun = whole[..end].to_vec();
            let at = random.random_range(end - end / 10..end);
            begun[at] ^= 1 << random.random_range(0..8);
            goes_on(name, &begun, memory, &format!("byte {at} of {end} flipped"));
            let zeros = random.random_range(end - end / 10..end);
            begun = whole[..end].to_vec();
            begun[zeros..].fill(0);
            goes_on(name, &begun, memory, &format!("zeros from byte {zeros} to {end}"));
        }
    }
}

/// A streaming run has files beside the table. They have no names, so it never mistakes a file of the user for one of them.
#[test]
#[ignore = "slow"]
#[cfg(unix)]
fn files_that_look_like_those_of_a_run_are_left_alone() {
    let folder = before(TILES);
    let path = |end: &str| folder.path().join(format!("{TILES}.egt.{end}"));
    let precious = tempfile::tempdir().expect("a folder");
    let target = precious.path().join("precious");
    fs::write(&target, "precious").expect("room");
    fs::write(path("open"), "precious").expect("room");
    std::os::unix::fs::symlink(&target, path("even")).expect("room");
    assert!(Command::new("mkfifo").arg(path("odd")).status().expect("a program").success());
    made(&request(folder.path(), &[TILES], least(TILES), 2));
    for file in [&target, &path("open")] {
        assert_eq!(fs::read(file).expect("it is there"), b"precious");
    }
    assert!(path("even").is_symlink());
    for end in ["open", "even", "odd"] {
        fs::remove_file(path(end)).expect("it is there");
    }
    the_same(folder.path(), TILES, "beside foreign files");
}

#[test]
fn another_tables_beginning_is_not_gone_on_with() {
    let folder = before(CELLS);
    let (part, whole) = (folder.path().join(format!("{CELLS}.egt.part")), folder.path().join("KQvKP.egt"));
    fs::copy(whole, part).expect("room");
    made(&request(folder.path(), &[CELLS], PLENTY, 2));
    the_same(folder.path(), CELLS, "begun with another table");
}

/// The command that generates a table.
fn program(folder: &Path, name: &str, memory: u64) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_egtgen"));
    command.args(["generate", name, "--no-closure", "--threads", "2", "--memory", &memory.to_string(), "--out"]);
    command.arg(folder).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[test]
#[ignore = "slow"]
fn killed_without_warning_it_goes_on() {
    let mut random = StdRng::seed_from_u64(5);
    for (name, memory, longest) in [(CELLS, PLENTY, 400), (TILES, PLENTY, 700), (TILES, least(TILES), 900)] {
        let folder = before(name);
        let whole = folder.path().join(format!("{name}.egt"));
        for _ in 0..6 {
            let mut child = program(folder.path(), name, memory).spawn().expect("the program is built");
            std::thread::sleep(Duration::from_millis(random.random_range(1..longest)));
            child.kill().expect("it can be killed");
            child.wait().expect("it ends");
            if whole.exists() {
                break;
            }
        }
        made(&request(folder.path(), &[name], memory, 2));
        the_same(folder.path(), name, "killed");
    }
}

/// Runs the program with a limit on the size of files, which acts like a full disk. Returns its messages.
#[cfg(unix)]
fn without_room(folder: &Path, name: &str, memory: u64, room: usize) -> String {
    // The signal at the limit would end the program before it sees the error, so the script ignores it.
    let limited = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", room / 512);
    let asked = program(folder, name, memory);
    let mut shell = Command::new("sh");
    shell.args(["-c", &limited]).arg(asked.get_program()).args(asked.get_args());
    let ran = shell.output().expect("a shell");
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(1), "{said}");
    said
}

#[test]
#[ignore = "slow"]
#[cfg(unix)]
fn without_room_it_says_so_and_goes_on_when_there_is_some() {
    for (name, memory, rooms) in [(CELLS, PLENTY, &[512, 40_960, 200_704][..]), (TILES, least(TILES), &[512, 3 << 20])]
    {
        let folder = before(name);
        for &room in rooms {
            let said = without_room(folder.path(), name, memory, room);
            assert!(
                said.contains(&format!("{name}.egt")) && said.contains("cannot be written"),
                "{room} bytes: {said}"
            );
            assert!(!folder.path().join(format!("{name}.egt")).exists(), "{room} bytes, and it looks whole");
        }
        made(&request(folder.path(), &[name], memory, 2));
        the_same(folder.path(), name, "without room for a while");
    }
}

#[test]
fn of_a_damaged_smaller_table_nothing_wrong_is_made() {
    const NAME: &str = "KQvKR";
    let folder = tempfile::tempdir().expect("a folder");
    made(&request(folder.path(), &[NAME], PLENTY, 2));
    let sound = files(folder.path());
    let whole = folder.path().join("KQvKR.egt");
    let (mut refused, mut unread) = (0, 0);
    let smaller = folder.path().join("KQvK.egt");
    let bytes = &sound["KQvK.egt"];
    let make_it = |what: &str| {
        let events = watched(&request(folder.path(), &[NAME], PLENTY, 2))?;
        assert!(fs::read(&whole).expect("it was made") == sound["KQvKR.egt"], "{what}");
        Ok::<_, Error>(events)
    };
    for at in (5..bytes.len()).step_by(bytes.len() / 25) {
        fs::remove_file(&whole).expect("it was made");
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        fs::write(&smaller, &damaged).expect("room");
        match make_it(&format!("byte {at}")) {
            // The damage is in a part that the generation does not read.
            Ok(_) => unread += 1,
            Err(error) => {
                refused += 1;
                assert!(error.to_string().contains("KQvK.egt"), "byte {at}: {error}");
                assert!(!whole.exists(), "byte {at}");
                fs::write(&smaller, bytes).expect("room");
                make_it(&format!("byte {at}, healed")).expect("nothing is damaged any more");
            }
        }
        fs::write(&smaller, bytes).expect("room");
    }
    assert!(refused > 8 && unread + refused >= 25, "{refused} refused, {unread} not read");
}

#[test]
fn a_missing_smaller_table_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let error =
        watched(&request_alone(folder.path(), &["KQvKR"], PLENTY, 1)).expect_err("KQvK is not there").to_string();
    assert!(error.contains("the table KQvK is needed"), "{error}");
    assert!(!folder.path().join("KQvKR.egt").exists());
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "no folder").expect("room");
    for place in [file.clone(), file.join("below")] {
        let error = watched(&request(&place, &["KRvK"], PLENTY, 1)).expect_err("a file is no folder").to_string();
        assert!(error.contains("file") && error.contains("cannot be made"), "{error}");
    }
    assert_eq!(fs::read(&file).expect("it is still there"), b"no folder");
    for taken in ["KRvK.egt", "KRvK.egt.part"] {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join(taken)).expect("room");
        let error =
            watched(&request(folder.path(), &["KRvK"], PLENTY, 1)).expect_err("a folder is no table").to_string();
        assert!(error.contains(taken), "{error}");
    }
}

#[test]
#[cfg(unix)]
fn a_folder_without_permission_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).expect("it is ours");
    if fs::write(folder.path().join("probe"), "").is_ok() {
        println!("skipped: this user may write everywhere");
        return;
    }
    let error = watched(&request(folder.path(), &["KRvK"], PLENTY, 1)).expect_err("no permission").to_string();
    assert!(error.contains("KRvK.egt.part") && error.contains("cannot be written"), "{error}");
}

#[test]
fn two_at_once_do_not_write_the_same_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = std::sync::Mutex::new(None);
    let watch = |event: GenerationEvent| {
        let mut refused = refused.lock().expect("no thread panics with it");
        if matches!(event, GenerationEvent::Started { .. }) && refused.is_none() {
            *refused = Some(watched(&request(folder.path(), &["KRvK"], PLENTY, 1)));
        }
    };
    generate_tables(&request(folder.path(), &["KRvK"], PLENTY, 1), &watch, &AtomicBool::new(false))
        .expect("the first makes it");
    let second = refused.into_inner().expect("no thread panics with it").expect("a table was begun");
    let error = second.expect_err("the first has it").to_string();
    assert!(error.contains("KRvK.egt.part") && error.contains("another program"), "{error}");
}
