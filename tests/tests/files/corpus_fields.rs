//! Sets every field of a corpus to values that it cannot have, with right checksums. Either opening refuses the field and
//! names its section, or everything that reads the field is safe.
//!
//! FORMAT.md says what each field means; [`CorpusParts`] writes the bytes without the code under test.

use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::corpus::record::{Ending, GameResult, HeaderRecord, TimeClass};
use plyfold_core::corpus::upgrade::upgrade_shard;
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::index::build::build_index;
use plyfold_core::index::plan::IndexPlan;
use plyfold_core::notation::notate_game;
use plyfold_core::query::compile;
use plyfold_core::reduce::key::{GroupingKey, KEY_FEATURES};
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionSelection};
use plyfold_core::reduce::output::{OUTPUTS, Output, OutputArgument, OutputDefinition};
use plyfold_core::reduce::partition::PartitionRule;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_tests::games::{Aligned, PlayedGame, STARTS, corpus, play};
use plyfold_tests::shards::{CorpusParts, LATER, TestSection};
use xxhash_rust::xxh3::xxh3_64;

/// The number of games in the only shard.
const GAMES: usize = 14;

/// The game whose record is damaged. It has moves, and its names are not the first ones.
const GAME: usize = 2;

fn played() -> Vec<PlayedGame> {
    let choices = |nth: u16| (0..60).map(|ply| (ply * 271 + nth * 31) % 977).collect::<Vec<u16>>();
    (0..GAMES as u16).map(|nth| play(STARTS[usize::from(nth) % STARTS.len()], &choices(nth))).collect()
}

/// A corpus of one shard that has every section.
fn sound() -> CorpusParts {
    let mut parts = CorpusParts::of(&corpus(&played(), GAMES));
    let names =
        [&1u32.to_le_bytes()[..], &[0; 8], &1u32.to_le_bytes(), &[0; 4], &5u32.to_le_bytes(), b"a.pgn"].concat();
    let at = parts.shards[0].sections.iter().position(|section| section.kind == 15).expect("columns");
    parts.shards[0].sections.insert(at, TestSection { kind: 14, flags: 1, bytes: names });
    // One opening, which all games have.
    let (games, one, text) = ((GAMES as u32).to_le_bytes(), 1u32.to_le_bytes(), b"B00 A\0\0\0");
    let openings = [&games[..], &one, &[0; 4], &5u32.to_le_bytes(), text].concat();
    let at = parts.shards[0]
        .sections
        .iter()
        .position(|section| section.kind == 16)
        .unwrap_or(parts.shards[0].sections.len());
    parts.shards[0].sections.insert(at, TestSection { kind: 21, flags: 1, bytes: openings });
    parts
}

/// Opens a corpus and reads everything in it, in every way. The inner result is that of the texts.
fn read_all(bytes: &[u8]) -> Result<Result<(), CorpusError>, CorpusError> {
    let aligned = Aligned::new(bytes);
    let scanned = CorpusReader::open(aligned.bytes(), CorpusCheck::WithoutTexts).map(drop);
    let corpus = CorpusReader::open(aligned.bytes(), CorpusCheck::EveryByte)?;
    scanned.expect("what is sound as a whole is sound for a scan");
    let spans = corpus_spans(&corpus);
    ask(&spans);
    for span in &spans {
        for game in span.games() {
            notate_game(&game);
            game.start_board().fen();
        }
    }
    let plan = IndexPlan::new(corpus.header.id, &spans, None, 1 << 20).expect("a plan");
    build_index(&plan, None, &mut |_| true, &mut |_| Ok::<(), ()>(())).expect("an index");
    corpus.section_sizes().for_each(drop);
    for shard in corpus.shards() {
        for (nth, record) in (0..).zip(shard.records) {
            let facts = [record.date.to_string(), record.eco.to_string(), format!("{record:?}")];
            assert!(facts.iter().all(|fact| fact.len() < 1000));
            shard.moves_of(record);
            shard.sources.of_game(nth);
            for (names, name) in
                [(shard.players, record.white), (shard.players, record.black), (shard.sites, record.site)]
            {
                names.get(name);
            }
        }
    }
    // An upgrade replays the moves from the start positions.
    let older = Aligned::new(&CorpusParts::of(bytes).of_old().shards[0].bytes());
    let _ = upgrade_shard(older.bytes());
    Ok((0..corpus.header.games as u32).try_for_each(|game| corpus.text(game).map(drop)))
}

/// An output, once for each key if it takes one.
fn of_each_key(definition: &'static OutputDefinition) -> Vec<Output> {
    let keys = KEY_FEATURES.iter().map(|feature| GroupingKey::named(feature.name).expect("its own name"));
    match definition.argument {
        OutputArgument::Nothing | OutputArgument::Maximum(_) => vec![definition.output().most(5)],
        _ => keys.map(|key| definition.by(key).ruled_by(PartitionRule::Ever).most(9)).collect(),
    }
}

/// Runs queries of every kind with every reducer.
fn ask(spans: &[GameSpan<'_>]) {
    let selection = ReducerSelection {
        games: true,
        positions_count: true,
        positions: Some(PositionSelection { limit: None, choice: PositionChoice::Distinct }),
        outputs: OUTPUTS.iter().flat_map(|output| of_each_key(output)).collect(),
    };
    for query in [
        "",
        "queens_off",
        "passed_pawn and not check",
        "points(white) - points(black) >= 3 or white pawn on e5",
        "fork for 2",
        "elo >= 2400 and result 1-0",
        "white \"Kasparov*\" and not event \"club\" or year 1990",
        "checkmate or stalemate",
    ] {
        let query = compile(query).unwrap_or_else(|error| panic!("{query}: {error}"));
        run_query(spans, &query, &selection, &()).expect("nobody cancels");
    }
}

/// The expected effect of a value.
#[derive(Clone, Copy, Debug)]
enum Fate {
    /// Opening refuses this section. With "or", any of the sections may be named.
    Refused(&'static str),
    /// Opening succeeds, and reading a text refuses it.
    TextRefused,
    /// The value is read without an error.
    Read,
}
use Fate::{Read, Refused, TextRefused};

/// A field: the kind of its section, its name, offset and width, the values to try, and the expected effect.
type Row = (u32, &'static str, usize, usize, &'static [u64], Fate);

const MAX: u64 = u64::MAX;

#[rustfmt::skip]
const ROWS: &[Row] = &[
    (1, "white player", GAME * 36, 4, &[8, MAX], Refused("header records")),
    (1, "black player", GAME * 36 + 4, 4, &[8, MAX], Refused("header records")),
    (1, "event", GAME * 36 + 8, 4, &[3, MAX], Refused("header records")),
    (1, "site", GAME * 36 + 12, 4, &[2, MAX], Refused("header records")),
    (1, "first move", GAME * 36 + 16, 4, &[0, 1, MAX], Refused("header records")),
    (1, "date", GAME * 36 + 20, 4, &[1990 << 9 | 13 << 5 | 1, 1990 << 9 | 15 << 5, 10_000 << 9, MAX], Read),
    (1, "white Elo", GAME * 36 + 24, 2, &[MAX], Read),
    (1, "black Elo", GAME * 36 + 26, 2, &[MAX], Read),
    (1, "opening", GAME * 36 + 28, 2, &[501, MAX], Read),
    (1, "plies", GAME * 36 + 30, 2, &[0, 1, MAX], Refused("header records")),
    (1, "result", GAME * 36 + 32, 1, &[4, MAX], Read),
    (1, "ending", GAME * 36 + 33, 1, &[10, MAX], Read),
    (1, "time class", GAME * 36 + 34, 1, &[7, MAX], Read),
    (1, "flags: own start", GAME * 36 + 35, 1, &[1, 3, MAX], Refused("start positions")),
    (1, "flags", GAME * 36 + 35, 1, &[2, 4, 0x80], Read),
    (3, "game", 0, 4, &[0, 4, MAX], Refused("start positions")),
    (3, "reserved", 4, 4, &[1, MAX], Refused("start positions")),
    (3, "men", 8, 1, &[0x77, 0x88, 0xff, 0x66, 0xee, 0x11, 0x99, 0], Read),
    (3, "men", 23, 1, &[0x77, 0x88, 0xff, 0x66, 0xee, 0x11, 0x99], Read),
    (3, "white king", 10, 8, &[0, MAX, 0x6666_6666_6666_6666], Read),
    (3, "castling rooks", 40, 8, &[1, 1 << 28, MAX], Read),
    (3, "half-moves", 48, 2, &[MAX], Read),
    (3, "number of the move", 50, 2, &[0, MAX], Read),
    (3, "side to move", 52, 1, &[1, 7, 9, MAX], Refused("start positions")),
    (3, "en passant", 53, 1, &[0, 20, 28, 44, 63], Read),
    (3, "en passant", 53, 1, &[65, 128, MAX], Refused("start positions")),
    (3, "reserved", 54, 2, &[1, 0x100], Refused("start positions")),
    (4, "names", 0, 4, &[0, 1, 1000, MAX], Refused("player names or header records")),
    (4, "begin of a name", 8, 4, &[1000, MAX], Refused("player names")),
    (4, "a letter", 60, 1, &[0xff, 0x80], Refused("player names")),
    (5, "names", 0, 4, &[0, 1, 1000, MAX], Refused("event names or header records")),
    (5, "begin of a name", 8, 4, &[1000, MAX], Refused("event names")),
    (5, "a letter", 30, 1, &[0xff, 0x80], Refused("event names")),
    (6, "names", 0, 4, &[0, 1, 1000, MAX], Refused("site names or header records")),
    (6, "begin of a name", 8, 4, &[1000, MAX], Refused("site names")),
    (6, "a letter", 17, 1, &[0xff, 0x80], Refused("site names")),
    (7, "first text", 0, 4, &[1, MAX], Refused("text index")),
    (7, "a text", GAME * 4, 4, &[0xffff, MAX], Refused("text index")),
    (7, "last text", GAMES * 4, 4, &[0, 1, MAX], Refused("text index")),
    (8, "offset", 0, 8, &[1, 8, MAX], Refused("text blocks")),
    (8, "checksum", 8, 8, &[0, MAX], TextRefused),
    (8, "offset of the text", 16, 4, &[1], Refused("text index")),
    (8, "bytes of text", 20, 4, &[0, 1, MAX], Refused("text index")),
    (8, "bytes", 24, 4, &[0, 1, MAX], Refused("text blocks")),
    (8, "reserved", 28, 4, &[1, MAX], Refused("text blocks")),
    (9, "white", GAME * 16, 8, &[0, MAX, 49 << 58, 63 << 58, 0xffff_ffff_ffff], Read),
    (9, "black", GAME * 16 + 8, 8, &[0, MAX, 49 << 58, 63 << 58, 0xffff_ffff_ffff], Read),
    (10, "events of pieces", GAME * 8, 4, &[MAX], Refused("course index")),
    (10, "events of pawns", GAME * 8 + 4, 4, &[MAX], Refused("course index")),
    (11, "event without a wait", 0, 2, &[0, 0x3f], Refused("events of pieces")),
    (11, "event after the game", 0, 2, &[MAX], Refused("events of pieces")),
    (12, "event without a wait", 0, 2, &[0, 0x3ff], Refused("events of pawns")),
    (13, "milestones", GAME, 1, &[253, 254, MAX], Read),
    (13, "promotions", 16 * GAMES + GAME, 1, &[0xff], Read),
    (14, "runs", 0, 4, &[0, 2, MAX], Refused("source files")),
    (14, "first game", 4, 4, &[1, MAX], Refused("source files")),
    (14, "name", 8, 4, &[1, MAX], Refused("source files")),
    (14, "names", 12, 4, &[0, 2, MAX], Refused("source files")),
    (14, "a letter", 24, 1, &[0xff], Refused("source files")),
    (15, "a column", GAME * 4, 4, &[1000, MAX], Refused("header columns")),
    (15, "the last column", GAMES * 31 - 1, 1, &[7, MAX], Refused("header columns")),
    (17, "annotations of a game", GAME * 4, 4, &[MAX], Refused("annotation index")),
    (17, "end of the annotations", GAMES * 4, 4, &[0, MAX], Refused("annotation index")),
    (18, "flags", 0, 1, &[64, 128, MAX], Refused("annotations")),
    (19, "games", 0, 4, &[0, 1, 1000, MAX], Refused("header texts")),
    (20, "bounds of a game", GAME * 8, 8, &[0, MAX], Read),
    (19, "names", 4, 4, &[0, 1, 1000, MAX], Refused("header texts")),
    (21, "games", 0, 4, &[0, 1, 1000, MAX], Refused("openings")),
    (21, "names", 4, 4, &[0, 2, 1000, MAX], Refused("openings")),
    (21, "end of a name", 12, 4, &[0, 3, 4, 9, MAX], Refused("openings")),
    (21, "a code", 16, 1, &[b'F' as u64, 0xff], Refused("openings")),
    (21, "the space", 19, 1, &[b'x' as u64], Refused("openings")),
];

fn section_of(error: &CorpusError) -> &'static str {
    match error {
        CorpusError::Truncated { section, .. }
        | CorpusError::Corrupt { section, .. }
        | CorpusError::Inconsistent { section, .. } => section,
        _ => "another error",
    }
}

#[test]
fn a_value_out_of_range_is_refused_by_name_or_read_safely() {
    let sound = sound();
    assert_eq!(read_all(&sound.bytes()), Ok(Ok(())));
    let kinds: Vec<u32> = sound.shards[0].sections.iter().map(|section| section.kind).collect();
    for kind in kinds.iter().filter(|kind| !matches!(kind, 2 | 16)) {
        assert!(ROWS.iter().any(|row| row.0 == *kind), "no field of section {kind} is tried");
    }
    for &(kind, field, at, width, values, fate) in ROWS {
        for value in values {
            let mut parts = sound.clone();
            let bytes = &mut parts.shards[0].section(kind)[at..at + width];
            let new = &value.to_le_bytes()[..width];
            assert_ne!(bytes, new, "{field} of section {kind} is {value} already");
            bytes.copy_from_slice(new);
            if kind == 1 && matches!(fate, Read) {
                // The columns hold the same facts and would give the change away.
                parts.shards[0].sections.retain(|section| section.kind != 15);
            }
            let found = read_all(&parts.bytes());
            let is_as_expected = match (&found, fate) {
                (Err(error), Refused(sections)) => sections.split(" or ").any(|section| section == section_of(error)),
                (Ok(Err(error)), TextRefused) => section_of(error) == "text",
                (Ok(Ok(())), Read) => true,
                _ => false,
            };
            assert!(is_as_expected, "{field} of section {kind} as {value:#x}: {found:?}, but {fate:?}");
        }
    }
}

#[test]
fn facts_that_no_list_has_are_unknown() {
    let mut parts = sound();
    parts.shards[0].sections.retain(|section| section.kind != 15);
    let record = &mut parts.shards[0].section(1)[GAME * 36..];
    record[28..30].copy_from_slice(&501u16.to_le_bytes());
    record[32..35].copy_from_slice(&[4, 10, 7]);
    let bytes = Aligned::new(&parts.bytes());
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("it opens");
    let record: &HeaderRecord = corpus.record(GAME as u32).expect("a record");
    assert_eq!(
        (record.result(), record.ending(), record.time_class(), record.eco.is_unknown(), record.eco.to_string()),
        (GameResult::Unknown, Ending::Unknown, TimeClass::Unknown, true, String::new())
    );
}

/// Replays all moves that 16 bits can hold, from boards that they do not fit.
#[test]
fn every_move_is_replayed_from_anywhere() {
    let sound = sound();
    let plies = sound.shards[0].plies as usize;
    // An odd step reaches every value and places different ones side by side.
    let values: Vec<u16> = (0..1u32 << 16).map(|nth| nth.wrapping_mul(40_503) as u16).collect();
    for some in values.chunks(plies).step_by(if cfg!(debug_assertions) { 5 } else { 1 }) {
        let mut parts = sound.clone();
        let moves = parts.shards[0].section(2);
        for (place, value) in moves.chunks_exact_mut(2).zip(some) {
            place.copy_from_slice(&value.to_le_bytes());
        }
        assert_eq!(read_all(&parts.bytes()), Ok(Ok(())));
        // Without event streams, all moves of the games are replayed.
        parts.shards[0].sections.retain(|section| !LATER.contains(&section.kind));
        assert_eq!(read_all(&parts.bytes()), Ok(Ok(())));
    }
}

/// Nonsense in texts with right checksums is decompressed or refused, and never takes more memory than its bytes can fill.
#[test]
fn nonsense_for_text_is_refused() {
    let sound = sound();
    let length = sound.clone().shards[0].section(16).len();
    let mut refused = 0;
    for at in 0..length {
        for bit in [0, 3, 7] {
            let mut parts = sound.clone();
            let shard = &mut parts.shards[0];
            shard.section(16)[at] ^= 1 << bit;
            let checksum = xxh3_64(shard.section(16));
            shard.section(8)[8..16].copy_from_slice(&checksum.to_le_bytes());
            refused += usize::from(read_all_text(&parts.bytes()).is_err());
        }
    }
    assert!(refused > length / 4, "{refused} of {}", length * 3);
    // A block cannot be 255 times as long as its bytes. One that claims to be is refused before memory is allocated.
    for bytes in [length as u32 * 256, 1 << 30, u32::MAX] {
        let mut parts = sound.clone();
        parts.shards[0].section(8)[20..24].copy_from_slice(&bytes.to_le_bytes());
        parts.shards[0].section(7)[GAMES * 4..].copy_from_slice(&bytes.to_le_bytes());
        let found = CorpusReader::open(Aligned::new(&parts.bytes()).bytes(), CorpusCheck::WithoutTexts).map(drop);
        assert!(matches!(found, Err(CorpusError::Inconsistent { section: "text blocks", .. })), "{bytes}: {found:?}");
    }
}

fn read_all_text(bytes: &[u8]) -> Result<(), CorpusError> {
    let aligned = Aligned::new(bytes);
    let corpus = CorpusReader::open(aligned.bytes(), CorpusCheck::EveryByte)?;
    (0..corpus.header.games as u32).try_for_each(|game| corpus.text(game).map(drop))
}

/// The fields of the file header, the shard header and its directory: offset, width, values, and the section that the error
/// names.
#[test]
fn headers_and_directory_are_refused_by_name() {
    let sound = sound().bytes();
    let sections = u32::from_le_bytes(sound[76..80].try_into().expect("four bytes")) as usize;
    // Kind 2 is the second entry.
    let line = 64 + 64 + 32;
    let rows: &[(usize, usize, &[u64], &str)] = &[
        (8, 4, &[2, MAX], "another error"),
        (12, 4, &[0, 2, MAX], "file header"),
        (16, 8, &[0, 63], "file header"),
        (16, 8, &[64, 72, sound.len() as u64 - 8], "shard header or file header"),
        (16, 8, &[sound.len() as u64 + 8, MAX], "shard header"),
        (24, 8, &[0, 13, 15, MAX], "file header"),
        (32, 8, &[0, MAX], "file header"),
        (48, 8, &[1, MAX], "file header"),
        (64, 8, &[0, MAX], "shard header"),
        (72, 4, &[2, MAX], "another error"),
        (76, 4, &[65, MAX], "shard header"),
        (80, 8, &[0, 64, MAX, sound.len() as u64], "shard header"),
        (88, 8, &[0, 7, MAX], "shard header"),
        (96, 4, &[0, 13, 15, MAX], "header records"),
        (100, 4, &[1, MAX], "shard header"),
        (104, 8, &[0, 1, MAX], "moves"),
        (112, 8, &[1, MAX], "shard header"),
        (line, 4, &[1, 3], "header records or start positions"),
        (line, 4, &[22, MAX], "another error"),
        (line + 8, 8, &[0, 1, 64, MAX], "moves"),
        (line + 16, 8, &[1, MAX, MAX / 2], "moves"),
        (line + 24, 8, &[0, MAX], "moves"),
    ];
    for (at, width, values, section) in rows {
        for value in *values {
            let mut bytes = sound.clone();
            bytes[*at..at + width].copy_from_slice(&value.to_le_bytes()[..*width]);
            let directory = &bytes[128..128 + sections * 32];
            let of_shard = xxh3_64(&[&bytes[64..120], directory].concat());
            bytes[120..128].copy_from_slice(&of_shard.to_le_bytes());
            let of_file = xxh3_64(&bytes[..56]);
            bytes[56..64].copy_from_slice(&of_file.to_le_bytes());
            for check in [CorpusCheck::WithoutTexts, CorpusCheck::EveryByte] {
                let aligned = Aligned::new(&bytes);
                let found = CorpusReader::open(aligned.bytes(), check).map(drop);
                let error = found.expect_err(&format!("{value:#x} at byte {at} passes"));
                assert!(
                    section.split(" or ").any(|name| name == section_of(&error)),
                    "{value:#x} at byte {at}: {error}"
                );
            }
        }
    }
}
