//! The corpus file: what goes in comes out, and no damage passes.

use plyfold_core::board::make::{FullState, MailboxOnly};
use plyfold_core::corpus::build::ShardBuilder;
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader, CorpusReader, OldShards, OpenCorpus};
use plyfold_core::corpus::layout::ShardLayout;
use plyfold_core::corpus::record::GameHeader;
use plyfold_core::corpus::shard::Shard;
use plyfold_core::corpus::storage::{AlignedBytes, CorpusStorage};
use plyfold_core::corpus::upgrade::{upgrade_scan_part, upgrade_shard};
use plyfold_core::game::{GameId, Ply, corpus_spans, game_by_id, game_in_spans, span_of_game};
use plyfold_core::irreversible::EventStreamBuffer;
use plyfold_core::matsig::tracker::SignatureTracker;
use plyfold_core::pgn::pack_shard;
use plyfold_core::query::compile;
use plyfold_core::reduce::heatmap::HEATMAP;
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionSelection};
use plyfold_core::reduce::structures::STRUCTURES;
use plyfold_core::reduce::{QueryResults, ReducerSelection, run_query};
use plyfold_core::scan::ScanStatistics;
use plyfold_tests::games::{Aligned, PlayedGame, STARTS, corpus, facts, play};
use plyfold_tests::shards::{CorpusParts, LATER, TestSection, TestShard};
use plyfold_tests::worked_example::bytes_of_example;
use shakmaty::Color;

fn sample() -> Vec<u8> {
    let games: Vec<PlayedGame> =
        (0..9u16).map(|n| play(STARTS[usize::from(n) % STARTS.len()], &[n * 7 + 1, n + 3, n * 1000, 12, 5])).collect();
    corpus(&games, 4)
}

fn open(bytes: &[u8]) -> Result<(), CorpusError> {
    CorpusReader::open(Aligned::new(bytes).bytes(), CorpusCheck::EveryByte).map(drop)
}

#[test]
fn what_goes_in_comes_out() {
    let bytes = Aligned::new(&sample());
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("whole");
    assert_eq!((corpus.header.games, corpus.header.shards), (9, 3));
    for id in 0..9 {
        let text = corpus.text(id).expect("text");
        let plies = corpus.record(id).expect("record").plies;
        assert_eq!(String::from_utf8(text).expect("utf-8"), format!("[White \"{}\"]\n\n{plies} moves *\n", id % 4));
        let (shard, game) = corpus.find_game(id).expect("game");
        assert_eq!(shard.players.get(shard.records[game as usize].white), &*facts(id as usize % 4).white);
    }
    assert_eq!(corpus.text(9), Err(CorpusError::NoSuchGame { number: 10, games: 9 }));
    assert!(corpus.find_game(9).is_none());
}

/// The expected values: event streams built for each game alone, and the signature of a tracker that has seen each move.
#[test]
fn each_game_has_its_course_and_its_last_signature() {
    let games = games();
    let bytes = Aligned::new(&corpus(&games, 70));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("whole");
    let mut known = [0; 2];
    for span in corpus_spans(&corpus).into_iter().flat_map(|span| span.split(32)) {
        assert_eq!(span.signatures().len(), span.len() as usize);
        for (nth, game) in (0..).zip(span.games()) {
            let (_, moves) = &games[game.id.index()];
            assert_eq!(game.moves, moves);
            let mut board = game.start_board();
            let mut tracker = SignatureTracker::new(&board);
            let mut courses = EventStreamBuffer::default();
            courses.push_game(&board, moves);
            for &mv in moves {
                tracker.follow(&board, mv);
                board.make::<MailboxOnly>(mv);
            }
            assert_eq!(game.event_streams, Some(courses.as_streams()), "game {}", game.id.0);
            assert_eq!(game.final_signature, Some(&tracker.signature(&board)), "game {}", game.id.0);
            assert_eq!(game.final_signature, Some(&span.signatures()[nth as usize]));
            known[usize::from(tracker.signature(&board).steps(Color::White).is_some())] += 1;
            // Access by number gives the same game.
            let same = span.game(nth);
            assert_eq!(
                (same.id, same.moves, same.final_signature, same.event_streams),
                (game.id, game.moves, game.final_signature, game.event_streams)
            );
            assert_eq!((same.record, same.custom_start_board()), (game.record, game.custom_start_board()));
        }
    }
    assert!(known[0] > 30 && known[1] > 200, "{known:?}");
}

#[test]
fn every_flipped_bit_is_an_error() {
    let sound = sample();
    open(&sound).expect("sound");
    for at in 0..sound.len() {
        for bit in 0..8 {
            let mut damaged = sound.clone();
            damaged[at] ^= 1 << bit;
            assert!(open(&damaged).is_err(), "bit {bit} of byte {at} passes");
        }
    }
}

#[test]
fn every_truncation_is_an_error_that_says_where() {
    let sound = sample();
    for length in 0..sound.len() {
        let error = open(&sound[..length]).expect_err("cut");
        match error {
            CorpusError::NotACorpus => assert_eq!(length, 0),
            CorpusError::Truncated { offset, missing, .. } => {
                assert!(missing > 0 && offset < length as u64 + 8, "{length}: {error}")
            }
            other => panic!("cut at {length} of {}: {other}", sound.len()),
        }
    }
}

/// A corpus that copies parts into memory of their own, as a page does.
struct CopyingStorage(Vec<u8>);

impl CorpusStorage for CopyingStorage {
    type Error = CorpusError;
    type Bytes = AlignedBytes;

    fn size_bytes(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, offset: u64, length: u64) -> Result<AlignedBytes, CorpusError> {
        self.0.as_slice().read(offset, length).map(AlignedBytes::copy_of)
    }
}

const CHECKS: [CorpusCheck; 2] = [CorpusCheck::WithoutTexts, CorpusCheck::EveryByte];

#[test]
fn a_corpus_is_the_same_wherever_its_bytes_are() {
    let fresh = corpus(&games(), 70);
    let old = CorpusParts::of(&fresh).of_old().bytes();
    for (bytes, is_current) in [(fresh, true), (old, false)] {
        let aligned = Aligned::new(&bytes);
        let mapped = CorpusReader::open(aligned.bytes(), CorpusCheck::EveryByte).expect("whole");
        let games = mapped.header.games as u32;
        for (check, old_shards) in
            CHECKS.into_iter().flat_map(|check| [(check, OldShards::AsStored), (check, OldShards::Upgraded)])
        {
            let read = OpenCorpus::open_storage(CopyingStorage(bytes.clone()), check, old_shards).expect("whole");
            assert_eq!(read.header, mapped.header);
            let is_upgraded = old_shards == OldShards::Upgraded;
            assert!(read.shards().all(|shard| shard.is_current() == (is_current || is_upgraded)));
            let (mut texts, mut mapped_texts) = (read.texts(), mapped.texts());
            for id in 0..=games {
                assert_eq!(texts.get(id), mapped_texts.get(id), "game {id}");
                assert_eq!(read.record(id), mapped.record(id), "game {id}");
            }
        }
    }
}

#[test]
fn a_cut_is_the_same_wherever_the_bytes_are() {
    let sound = sample();
    for (length, check) in (0..sound.len()).flat_map(|length| CHECKS.map(|check| (length, check))) {
        let cut = Aligned::new(&sound[..length]);
        let mapped = CorpusReader::open(cut.bytes(), check).err();
        let storage = CopyingStorage(sound[..length].to_vec());
        let read = OpenCorpus::open_storage(storage, check, OldShards::AsStored).err();
        assert!(mapped.is_some() && read == mapped, "{length}: {read:?} in place of {mapped:?}");
    }
}

#[test]
fn a_game_and_its_boards_are_found_by_number() {
    let bytes = Aligned::new(&sample());
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("whole");
    let spans = corpus_spans(&corpus);
    for (span, game) in spans.iter().flat_map(|span| span.games().map(move |game| (span, game))) {
        let alone = span_of_game(&corpus, game.id).expect("a game");
        assert_eq!((alone.first_game, alone.len(), alone.shard), (game.id, 1, span.shard));
        for found in [game_by_id(&corpus, game.id), game_in_spans(&spans, game.id), alone.games().next()] {
            let found = found.expect("a game");
            assert_eq!((found.id, found.record, found.moves), (game.id, game.record, game.moves));
            assert_eq!(found.start_board(), game.start_board());
        }
        let mut board = game.start_board();
        assert_eq!(game.board_at(Ply::START), board);
        for (ply, &mv) in (1..).zip(game.moves) {
            board.make::<FullState>(mv);
            assert_eq!(game.board_at(Ply(ply)), board, "game {} ply {ply}", game.id.0);
        }
        assert_eq!(game.board_at(Ply(u32::MAX)), board);
    }
    assert!(span_of_game(&corpus, GameId(9)).is_none() && game_by_id(&corpus, GameId(9)).is_none());
    assert!(game_in_spans(&spans, GameId(9)).is_none() && game_in_spans(&[], GameId(0)).is_none());
}

#[test]
fn what_an_append_left_behind_does_no_harm() {
    let mut bytes = sample();
    bytes.extend_from_slice(b"plyshard and then the power went");
    open(&bytes).expect("the rest is not part of the corpus");
}

#[test]
fn foreign_and_newer_files_are_named() {
    assert_eq!(open(b"[Event \"?\"]\n\n1. e4 *\n"), Err(CorpusError::NotACorpus));
    let mut newer = sample();
    newer[8] = 2;
    assert_eq!(open(&newer), Err(CorpusError::UnsupportedVersion { part: "the file", found: 2, known: 1 }));
    let mut newer = sample();
    newer[64 + 8] = 9;
    assert_eq!(open(&newer), Err(CorpusError::UnsupportedVersion { part: "a shard", found: 9, known: 1 }));
}

/// The bytes of example `nth` in FORMAT.md, counted from the end.
fn example(nth: usize) -> Vec<u8> {
    bytes_of_example(include_str!("../../../core/corpus/src/FORMAT.md"), nth)
}

/// The parts of a corpus of one shard.
fn parts_of_shard(shard: &[u8]) -> CorpusParts {
    CorpusParts::of(&[&[0; 16][..], &(64 + shard.len() as u64).to_le_bytes(), &[0; 40], shard].concat())
}

/// FORMAT.md shows short games and the smallest corpus byte by byte.
#[test]
fn the_worked_examples_are_true() {
    let (shard, report) = pack_shard(b"1. e4 d5 2. exd5 Qxd5 *", 0);
    assert_eq!((report.imported, report.plies), (1, 4));
    let mut shard = parts_of_shard(&shard);
    let shard = &mut shard.shards[0];
    assert_eq!(example(2), [11, 12, 9].map(|kind| shard.section(kind).clone()).concat());
    assert_eq!(*shard.section(10), [0u32, 0, 2, 4].map(u32::to_le_bytes).concat());
    let annotated = b"1. e4 {[%eval 0.2] [%clk 0:02:10]} e5 {[%eval 1.0]} 2. Nf3 {[%clk 0:01:00]} *";
    let (shard, _) = pack_shard(annotated, 0);
    let mut shard = parts_of_shard(&shard);
    assert_eq!(example(1), *shard.shards[0].section(20));
    assert_eq!(example(0), CorpusFileHeader::empty().to_bytes());
    open(&example(0)).expect("an empty corpus");
}

/// Random games from every start, in shards of 70.
fn games() -> Vec<PlayedGame> {
    let mut state = 0x1234_5678_9abc_def0u64;
    let mut choice = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let choice = (state >> 40) as u16;
        if choice.is_multiple_of(61) { u16::MAX } else { choice }
    };
    let choices = |length| (0..length).map(|_| choice()).collect::<Vec<u16>>();
    let lengths = (0..300).map(|n| n % 190);
    lengths.map(choices).enumerate().map(|(n, choices)| play(STARTS[n % STARTS.len()], &choices)).collect()
}

/// Results of every kind for a few queries, without the amount of work.
fn answers(corpus: &Aligned) -> Vec<QueryResults> {
    let corpus = CorpusReader::open(corpus.bytes(), CorpusCheck::EveryByte).expect("whole");
    let positions = Some(PositionSelection { limit: None, choice: PositionChoice::Distinct });
    let wanted = ReducerSelection {
        games: true,
        positions_count: true,
        positions,
        outputs: vec![HEATMAP.output(), STRUCTURES.output().most(5)],
    };
    let queries =
        ["", "queens_off", "passed_pawn and not check", "points(white) - points(black) >= 3 or white pawn on e5"];
    let answer = |query| {
        let answers =
            run_query(&corpus_spans(&corpus), &compile(query).expect("a query"), &wanted, &()).expect("nobody cancels");
        QueryResults { work: ScanStatistics::default(), ..answers }
    };
    queries.map(answer).into()
}

#[test]
fn what_the_first_programs_wrote_is_answered_the_same() {
    let fresh = corpus(&games(), 70);
    let older = Aligned::new(&CorpusParts::of(&fresh).of_old().bytes());
    let opened = CorpusReader::open(older.bytes(), CorpusCheck::EveryByte).expect("an older corpus");
    assert!(opened.shards().all(|shard| !shard.has_event_streams()));
    for span in corpus_spans(&opened).into_iter().flat_map(|span| span.split(32)) {
        assert!(span.signatures().is_empty());
        assert!(span.games().all(|game| game.final_signature.is_none() && game.event_streams.is_none()));
        assert!((0..span.len()).all(|nth| span.game(nth).event_streams.is_none()));
    }
    let expected = answers(&Aligned::new(&fresh));
    assert_eq!(answers(&older), expected);
    // Shards with and without these sections in one corpus.
    let mut mixed = CorpusParts::of(&fresh);
    for shard in mixed.shards.iter_mut().step_by(2) {
        shard.sections.retain(|section| !LATER.contains(&section.kind));
    }
    assert_eq!(answers(&Aligned::new(&mixed.bytes())), expected);
}

#[test]
fn an_upgrade_gives_what_an_import_does() {
    let fresh = CorpusParts::of(&corpus(&games(), 70));
    assert_eq!(CorpusParts::of(&fresh.bytes()), fresh);
    for (fresh, older) in fresh.shards.iter().zip(fresh.clone().of_old().shards) {
        let (fresh, older) = (fresh.bytes(), Aligned::new(&older.bytes()));
        let upgraded = upgrade_shard(older.bytes()).expect("a sound shard").expect("an older shard");
        assert!(upgraded == fresh);
        assert_eq!(upgraded_twice(&upgraded), None);
        // A browser upgrades only the scan part, and finds texts at their offsets in the older file.
        let old = ShardLayout::check(older.bytes()).expect("a sound shard");
        let scan_part = Aligned::new(&older.bytes()[..old.header.scan_length as usize]);
        let new_part = upgrade_scan_part(scan_part.bytes()).expect("a sound shard").expect("an older shard");
        let new_part = Aligned::new(&new_part);
        let new = ShardLayout::check(new_part.bytes()).expect("a sound shard");
        assert_eq!(new_part.bytes(), &fresh[..new.header.scan_length as usize]);
        let grown = new.header.scan_length - old.header.scan_length;
        for game in 0..old.header.games {
            let [old, new] = [(&old, &older), (&new, &new_part)]
                .map(|(layout, bytes)| Shard::new(layout, bytes.bytes()).text_location(game));
            let (old, new) = (old.expect("a text"), new.expect("a text"));
            assert_eq!((old.offset, old.length), (new.offset - grown, new.length));
        }
    }
}

fn upgraded_twice(shard: &[u8]) -> Option<Vec<u8>> {
    upgrade_shard(Aligned::new(shard).bytes()).expect("a sound shard")
}

#[test]
fn an_upgrade_keeps_what_it_does_not_know() {
    let mut parts = CorpusParts::of(&corpus(&games()[..20], 20)).of_old();
    let unknown = TestSection { kind: 77, flags: 1, bytes: b"of another program".to_vec() };
    parts.shards[0].sections.insert(3, unknown.clone());
    // Damaged text stays damaged, and reading it finds the damage.
    let mut shard = parts.shards[0].bytes();
    let text = shard.len() - 40;
    shard[text] ^= 1;
    let upgraded = upgraded_twice(&shard).expect("an older shard");
    assert_eq!(upgraded[upgraded.len() - 48..], shard[shard.len() - 48..]);
    let upgraded = Aligned::new(&upgraded);
    let layout = ShardLayout::check(upgraded.bytes()).expect("sound but for its text");
    assert!(matches!(layout.check_text(upgraded.bytes()), Err(CorpusError::Corrupt { section: "text", .. })));
    let mut corpus = [&[0; 64][..], upgraded.bytes()].concat();
    corpus[16..24].copy_from_slice(&(64 + upgraded.bytes().len() as u64).to_le_bytes());
    let sections = CorpusParts::of(&corpus).shards.remove(0).sections;
    let kinds: Vec<u32> = sections.iter().map(|section| section.kind).collect();
    assert_eq!(kinds, [1, 2, 3, 77, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 17, 18, 19, 20, 16]);
    assert_eq!(sections[3], unknown);
    let with_flags: Vec<u32> =
        sections.iter().filter(|section| section.flags == 1).map(|section| section.kind).collect();
    assert_eq!(with_flags, [77, 9, 10, 11, 12, 13, 15, 17, 18, 19, 20]);

    // A directory has at most 64 entries.
    let mut full = parts.shards[0].clone();
    full.sections.splice(3..3, (0..49).map(|nth| TestSection { kind: 100 + nth, flags: 1, bytes: Vec::new() }));
    assert_eq!(full.sections.len(), 63);
    let refused = upgraded_of(&full);
    assert!(matches!(refused, Err(CorpusError::Inconsistent { section: "shard directory", .. })), "{refused:?}");
}

fn upgraded_of(shard: &TestShard) -> Result<Option<Vec<u8>>, CorpusError> {
    upgrade_shard(Aligned::new(&shard.bytes()).bytes())
}

#[test]
fn an_upgrade_of_what_is_no_shard_is_an_error() {
    let shard = CorpusParts::of(&corpus(&games()[..20], 20)).of_old().shards.remove(0);
    let bytes = shard.bytes();
    for length in (0..bytes.len()).step_by(7).chain([bytes.len() - 1]) {
        let cut = upgrade_shard(Aligned::new(&bytes[..length]).bytes());
        assert!(matches!(cut, Err(CorpusError::Truncated { missing: 1.., .. })), "{length}: {cut:?}");
    }
    // With the same moves in two games, an upgrade would have more events than the shard has plies.
    let mut shared = shard;
    let records = shared.section(1);
    let first = records[..36].to_vec();
    let longest = (0..20).max_by_key(|nth| u16::from_le_bytes([records[nth * 36 + 30], records[nth * 36 + 31]]));
    let longest = longest.expect("games") * 36;
    let (place, plies) = (records[longest + 16..longest + 20].to_vec(), records[longest + 30..longest + 32].to_vec());
    records[16..20].copy_from_slice(&place);
    records[30..32].copy_from_slice(&plies);
    assert!(records[..36] != first);
    let refused = upgraded_of(&shared);
    let names = matches!(refused, Err(CorpusError::Inconsistent { section: "header records", .. }));
    assert!(names, "{refused:?}");
}

#[test]
fn courses_that_are_not_those_of_the_games_are_named() {
    let sound = CorpusParts::of(&corpus(&games(), 300));
    let damaged = |section: &str, what: &str, damage: &dyn Fn(&mut TestShard)| {
        assert_refused(&sound, section, what, damage);
    };
    for (kind, name) in EVENT_SECTIONS {
        damaged(name, "missing", &|shard| shard.sections.retain(|section| section.kind != kind));
        damaged(name, "ends within an entry", &|shard| shard.section(kind).truncate(1));
        damaged(name, "twice", &|shard| {
            let at = shard.sections.len() - 1;
            shard.sections.insert(at, TestSection { kind, flags: 1, bytes: Vec::new() });
        });
    }
    damaged("milestones", "missing", &|shard| shard.sections.retain(|section| section.kind != 13));
    damaged("milestones", "number", &|shard| shard.section(13).truncate(1));
    damaged("milestones", "number", &|shard| shard.section(13).push(0));
    damaged("final signatures", "number", &|shard| shard.section(9).truncate(16 * 299));
    damaged("final signatures", "number", &|shard| shard.section(9).extend([0; 16]));
    damaged("final signatures", "number", &|shard| shard.section(9).clear());
}

/// Sections with data derived from the games of a shard, and their names in messages.
const EVENT_SECTIONS: [(u32, &str); 4] =
    [(9, "final signatures"), (10, "course index"), (11, "events of pieces"), (12, "events of pawns")];

/// Damages the first shard, and asserts that opening refuses the corpus, names `section` and says `what` of it.
fn assert_refused(sound: &CorpusParts, section: &str, what: &str, damage: &dyn Fn(&mut TestShard)) {
    let mut parts = sound.clone();
    damage(&mut parts.shards[0]);
    match open(&parts.bytes()) {
        Err(CorpusError::Inconsistent { section: found, what: says, offset }) => {
            assert_eq!((found, says.contains(what)), (section, true), "{says}");
            assert!(offset >= 64);
        }
        other => panic!("{section}, {what}: {other:?}"),
    }
}

#[test]
fn a_course_index_that_does_not_fit_its_events_is_named() {
    let sound = CorpusParts::of(&corpus(&games(), 300));
    let damaged = |section: &str, what: &str, damage: &dyn Fn(&mut TestShard)| {
        assert_refused(&sound, section, what, damage);
    };
    let covers = "does not cover the events";
    damaged("course index", covers, &|shard| shard.section(10).clear());
    damaged("course index", covers, &|shard| shard.section(10).extend([0; 8]));
    for stream in [0, 4] {
        let put = |shard: &mut TestShard, game: usize, to: u32| {
            shard.section(10)[game * 8 + stream..game * 8 + stream + 4].copy_from_slice(&to.to_le_bytes());
        };
        let get = |shard: &mut TestShard, game: usize| {
            let place = &shard.section(10)[game * 8 + stream..game * 8 + stream + 4];
            u32::from_le_bytes(place.try_into().expect("four bytes"))
        };
        damaged("course index", covers, &|shard| put(shard, 0, 1));
        damaged("course index", covers, &|shard| put(shard, 150, u32::MAX));
        damaged("course index", covers, &|shard| {
            let before = get(shard, 149);
            put(shard, 150, before - 1);
        });
        damaged("course index", covers, &|shard| {
            let end = get(shard, 300);
            put(shard, 300, end - 1);
        });
        // Game 190 has no plies, so the last event of the game before is one too many.
        let (kind, name) = EVENT_SECTIONS[if stream == 0 { 2 } else { 3 }];
        damaged(name, "outside the plies", &|shard| {
            let from = get(shard, 190);
            put(shard, 190, from - 1);
        });
        damaged("course index", covers, &|shard| shard.section(kind).truncate(2));
        damaged(name, "outside the plies", &|shard| {
            // A distance of zero to the next event, then the longest one.
            let from = shard.section(kind).len() - 2;
            shard.section(kind)[from..].copy_from_slice(&[0, 0]);
        });
        damaged(name, "outside the plies", &|shard| {
            let from = shard.section(kind).len() - 2;
            shard.section(kind)[from..].copy_from_slice(&[0xff, 0xff]);
        });
    }
}

/// Nonsense in the event streams that no check can detect may change results, but never causes a panic.
#[test]
fn nonsense_that_looks_sound_is_scanned() {
    let sound = CorpusParts::of(&corpus(&games()[..60], 30));
    let mut state = 7u64;
    let mut opened = 0;
    for round in 0..400 {
        let mut parts = sound.clone();
        for _ in 0..1 + round % 4 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let section = parts.shards[(state >> 20) as usize % 2].section(LATER[(state >> 30) as usize % 4]);
            let at = (state >> 32) as usize % section.len();
            section[at] ^= 1 << ((state >> 60) % 8);
        }
        let bytes = Aligned::new(&parts.bytes());
        if CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).is_ok() {
            opened += 1;
            answers(&bytes);
        }
    }
    assert!((50..350).contains(&opened), "{opened}");
}

/// A corpus of two shards whose games come from three files.
fn with_sources() -> CorpusParts {
    let games = games();
    let mut parts = CorpusParts::of(&corpus(&games[..40], 20));
    for (shard, names) in parts.shards.iter_mut().zip([&["a.pgn", "b.pgn"][..], &["-"]]) {
        let mut bytes = (names.len() as u32).to_le_bytes().to_vec();
        for name in 0..names.len() as u32 {
            bytes.extend([name * 13, name].map(u32::to_le_bytes).concat());
        }
        bytes.extend((names.len() as u32).to_le_bytes());
        let mut end = 0;
        bytes.extend(0u32.to_le_bytes());
        for name in names {
            end += name.len() as u32;
            bytes.extend(end.to_le_bytes());
        }
        bytes.extend(names.concat().into_bytes());
        let at = shard.sections.iter().position(|section| section.kind == 15).expect("columns");
        shard.sections.insert(at, TestSection { kind: 14, flags: 1, bytes });
    }
    parts
}

#[test]
fn each_game_has_the_file_it_came_from() {
    let parts = with_sources();
    let bytes = Aligned::new(&parts.bytes());
    let opened = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("whole");
    let of = |id: u32| opened.find_game(id).and_then(|(shard, game)| shard.sources.of_game(game));
    let expected = |id: u32| [["a.pgn", "b.pgn"][usize::from(id >= 13)], "-"][usize::from(id >= 20)];
    assert!((0..40).all(|id| of(id) == Some(expected(id))));
    // As the builder writes them.
    let mut builder = ShardBuilder::new();
    for game in 0..20 {
        match game {
            0 => builder.begin_source_file("nothing of this one"),
            13 => builder.begin_source_file("b.pgn"),
            _ => {}
        }
        if game % 5 == 0 && game < 13 {
            builder.begin_source_file("a.pgn");
        }
        builder.push_game(&GameHeader::default(), None, &[], b"").expect("room");
    }
    let shard = Aligned::new(&builder.take_bytes());
    let layout = ShardLayout::check(shard.bytes()).expect("sound");
    let sources = Shard::new(&layout, shard.bytes()).sources;
    assert_eq!(
        sources.runs(20).map(|(from, to, name)| (from, to, sources.names.get(name))).collect::<Vec<_>>(),
        [(0, 13, "a.pgn"), (13, 20, "b.pgn")]
    );
    // The next shard of the same builder does not inherit these names, and games before the first name have none.
    builder.push_game(&GameHeader::default(), None, &[], b"").expect("room");
    builder.begin_source_file("c.pgn");
    builder.push_game(&GameHeader::default(), None, &[], b"").expect("room");
    let shard = Aligned::new(&builder.take_bytes());
    let sources = Shard::new(&ShardLayout::check(shard.bytes()).expect("sound"), shard.bytes()).sources;
    assert_eq!([0, 1].map(|game| sources.of_game(game)), [Some(""), Some("c.pgn")]);
    // An upgrade keeps the source files in the same place as an import.
    let upgraded = upgraded_twice(&parts.clone().of_old().shards[0].bytes()).expect("an older shard");
    assert!(upgraded == parts.shards[0].bytes());
}

#[test]
fn sources_that_are_not_those_of_the_games_are_named() {
    let sound = with_sources();
    open(&sound.bytes()).expect("sound");
    let damaged = |what: &str, damage: &dyn Fn(&mut Vec<u8>)| {
        let mut parts = sound.clone();
        damage(parts.shards[0].section(14));
        match open(&parts.bytes()) {
            Err(CorpusError::Inconsistent { section: "source files", what: says, offset: 64.. }) => {
                assert!(says.contains(what), "{says}");
            }
            other => panic!("{what}: {other:?}"),
        }
    };
    let put =
        |at: usize, number: u32| move |bytes: &mut Vec<u8>| bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
    for (at, number) in
        [(0, 0), (0, 1), (0, 3), (0, u32::MAX), (4, 1), (8, 2), (12, 0), (12, 20), (16, 2), (20, 3), (20, u32::MAX)]
    {
        damaged("they differ from the games", &put(at, number));
    }
    damaged("they differ from the games", &Vec::clear);
    for length in 0..sound.clone().shards[0].section(14).len() {
        damaged("they differ from the games", &|bytes| bytes.truncate(length));
    }
    damaged("they differ from the games", &|bytes| bytes.extend(*b"more"));
    damaged("they differ from the games", &|bytes| *bytes.last_mut().expect("bytes") = 0xff);
    let mut twice = sound.clone();
    let section = twice.shards[0].sections[13].clone();
    assert_eq!(section.kind, 14);
    twice.shards[0].sections.insert(14, section);
    assert!(matches!(open(&twice.bytes()), Err(CorpusError::Inconsistent { section: "source files", .. })));
}

#[test]
fn columns_that_are_not_those_of_the_records_are_named() {
    let sound = CorpusParts::of(&corpus(&games()[..40], 20));
    let damaged = |damage: &dyn Fn(&mut Vec<u8>)| {
        let mut parts = sound.clone();
        damage(parts.shards[0].section(15));
        let found = open(&parts.bytes());
        assert!(matches!(found, Err(CorpusError::Inconsistent { section: "header columns", .. })), "{found:?}");
    };
    for at in 0..20 * 31 {
        damaged(&|bytes| bytes[at] ^= 1 << (at % 8));
    }
    for length in 0..20 * 31 {
        damaged(&|bytes| bytes.truncate(length));
    }
    damaged(&|bytes| bytes.extend([0; 31]));
    damaged(&|bytes| bytes.push(0));
    // A shard that lacks only this section gets it without a replay.
    let mut without = sound.shards[0].clone();
    without.sections.retain(|section| section.kind != 15);
    assert!(upgraded_twice(&without.bytes()).expect("an older shard") == sound.shards[0].bytes());
}
