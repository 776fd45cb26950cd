//! The position index gives the same results as a replay of every game by shakmaty, and no damage passes.

use std::collections::BTreeMap;

use plyfold_core::board::start::PackedStart;
use plyfold_core::corpus::build::ShardBuilder;
use plyfold_core::corpus::file::{self, CorpusReader};
use plyfold_core::corpus::record::{GameHeader, GameResult};
use plyfold_core::game::{Ply, corpus_spans};
use plyfold_core::index::build::{BuildError, MAX_PAIRED_GAMES, build_index};
use plyfold_core::index::error::IndexError;
use plyfold_core::index::fen;
use plyfold_core::index::layout::{IndexCheck, IndexFileHeader, IndexLayout};
use plyfold_core::index::plan::{IndexPlan, MAX_SEGMENT_PLIES, covers};
use plyfold_core::index::position_match::{IndexedResults, PositionMatch, plies_with_hash};
use plyfold_core::moves::Move;
use plyfold_tests::games::{Aligned, PlayedGame, STARTS, play, position};
use plyfold_tests::worked_example::bytes_of_example;
use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode, Position};

/// A game and its result.
type Ended = (PlayedGame, GameResult);

/// A corpus of these games, in shards of this many games.
fn corpus(games: &[Ended], shard_games: usize) -> Aligned {
    let mut header = file::CorpusFileHeader::empty();
    let mut body = Vec::new();
    for games in games.chunks(shard_games) {
        let mut builder = ShardBuilder::new();
        for ((fen, moves), result) in games {
            let start = fen.map(|fen| PackedStart::from_position(&position(Some(fen))));
            let facts = GameHeader { result: *result, ..GameHeader::default() };
            builder.push_game(&facts, start.as_ref(), moves, b"").expect("small enough");
        }
        let shard = builder.into_bytes();
        header.append(&shard).expect("a shard");
        body.extend_from_slice(&shard);
    }
    Aligned::new(&[&header.to_bytes()[..], &body].concat())
}

fn open(bytes: &Aligned) -> CorpusReader<'_> {
    CorpusReader::open(bytes.bytes(), file::CorpusCheck::EveryByte).expect("a corpus")
}

/// The index of a corpus, extended from an older one if there is one.
fn index_of(corpus: &CorpusReader<'_>, old: Option<&Aligned>, most_plies: u64) -> Aligned {
    let spans = corpus_spans(corpus);
    let layout = old.map(|old| IndexLayout::check(old.bytes(), IndexCheck::Headers).expect("sound"));
    let old = layout.zip(old).map(|(layout, old)| layout.index(old.bytes()));
    let plan = IndexPlan::new(corpus.header.id, &spans, old.as_ref(), most_plies).expect("of this corpus");
    let mut bytes = vec![0; IndexFileHeader::BYTES];
    let mut sink = |piece: &[u8]| {
        bytes.extend_from_slice(piece);
        Ok::<(), ()>(())
    };
    let header = build_index(&plan, old.as_ref(), &mut |_| true, &mut sink).expect("nobody cancels");
    bytes[..IndexFileHeader::BYTES].copy_from_slice(&header.to_bytes());
    Aligned::new(&bytes)
}

/// The values that the index has for a position.
#[derive(Clone, PartialEq, Debug, Default)]
struct Known {
    results: IndexedResults,
    begun: u64,
    reached: u64,
    occurrences: u64,
    next: Vec<(Move, IndexedResults)>,
    games: Vec<u32>,
}

impl Known {
    fn of(found: &PositionMatch<'_>) -> Known {
        let next: Vec<_> = found.next_moves.iter().map(|next| (next.mv, next.results)).collect();
        assert!(next.is_sorted_by_key(|(mv, results)| (std::cmp::Reverse(results.games()), mv.bits())));
        let games: Vec<u32> = found.game_ids().expect("sound").map(|game| game.0).collect();
        assert_eq!(found.games(), games.len() as u64);
        let PositionMatch { results, started_games: begun, reached_games: reached, occurrences, .. } = *found;
        Known { results, begun, reached, occurrences, next, games }.sorted()
    }

    /// Sorts the moves, so that their order does not depend on how they were counted.
    fn sorted(mut self) -> Known {
        self.next.sort_by_key(|(mv, _)| mv.bits());
        self
    }
}

fn count(results: &mut IndexedResults, result: GameResult) {
    match result {
        GameResult::White => results.white += 1,
        GameResult::Draw => results.draw += 1,
        GameResult::Black => results.black += 1,
        GameResult::Unknown => results.unknown += 1,
    }
}

/// A position without its clocks, and with the en passant square only if a capture is legal.
fn named(position: &Chess) -> String {
    let fen = Fen::try_from_setup(position.to_setup(EnPassantMode::Legal)).expect("a position").to_string();
    fen.rsplitn(3, ' ').last().expect("fields").to_owned()
}

/// The slow twin: every position of every game by shakmaty's rules, with the plies after which it occurs.
fn naive(games: &[Ended]) -> BTreeMap<String, Known> {
    let mut all: BTreeMap<String, Known> = BTreeMap::new();
    for (id, ((start, moves), result)) in (0..).zip(games) {
        let mut here: BTreeMap<String, (bool, u64, Vec<Move>)> = BTreeMap::new();
        let mut board = position(*start);
        for ply in 0..=moves.len() {
            let (begins, occurrences, next) = here.entry(named(&board)).or_default();
            *begins |= ply == 0;
            *occurrences += u64::from(ply > 0);
            let Some(&mv) = moves.get(ply) else { break };
            if !next.contains(&mv) {
                next.push(mv);
            }
            board = if mv.is_null() {
                board.swap_turn().expect("the turn may pass")
            } else {
                let theirs = board.legal_moves().into_iter().find(|&theirs| Move::from(theirs) == mv);
                board.play(theirs.expect("a legal move")).expect("legal")
            };
        }
        for (name, (begins, occurrences, next)) in here {
            let known = all.entry(name).or_default();
            count(&mut known.results, *result);
            known.begun += u64::from(begins);
            known.reached += u64::from(occurrences > 0);
            known.occurrences += occurrences;
            known.games.push(id);
            for mv in next {
                if !known.next.iter().any(|(known, _)| *known == mv) {
                    known.next.push((mv, IndexedResults::default()));
                }
                let (_, results) = known.next.iter_mut().find(|(known, _)| *known == mv).expect("just added");
                count(results, *result);
            }
        }
    }
    all.into_iter().map(|(name, known)| (name, known.sorted())).collect()
}

/// Looks up every position that the twin knows, and some that no game has.
fn agrees(index: &Aligned, corpus: &CorpusReader<'_>, expected: &BTreeMap<String, Known>) {
    let spans = corpus_spans(corpus);
    let layout = IndexLayout::check(index.bytes(), IndexCheck::AllBytes).expect("sound");
    let index = layout.index(index.bytes());
    covers(&index, corpus.header.id, &spans).expect("it is of this corpus");
    for (name, known) in expected {
        let hash = fen::board_from_fen(name).unwrap_or_else(|error| panic!("{name}: {error}")).hash;
        let found = index.look_up(&spans, hash).expect("sound");
        assert_eq!(&Known::of(&found), known, "{name}");
        for absent in [hash ^ 1, hash ^ 1 << 63, !hash] {
            let found = index.look_up(&spans, absent).expect("sound");
            assert_eq!(Known::of(&found), Known::default());
        }
    }
}

/// Similar games: few different choices from few start positions, so that many begin alike, repeat and transpose.
fn games(most: usize, plies: usize) -> impl Strategy<Value = Vec<Ended>> {
    let choice = prop_oneof![8 => 0u16..3, 4 => 10u16..14, 1 => any::<u16>(), 1 => Just(u16::MAX)];
    let game = (0..STARTS.len() * 2, prop::collection::vec(choice, 0..plies), 0..4usize);
    let game = game.prop_map(|(start, choices, result)| {
        let start = STARTS.get(start).copied().flatten();
        (play(start, &choices), GameResult::ALL[result])
    });
    prop::collection::vec(game, 1..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn answers_are_those_of_the_slow_twin(games in games(200, 24), shard_games in 1usize..100, most_plies in 1u64..4000) {
        let bytes = corpus(&games, shard_games);
        let corpus = open(&bytes);
        let expected = naive(&games);
        agrees(&index_of(&corpus, None, MAX_SEGMENT_PLIES), &corpus, &expected);
        agrees(&index_of(&corpus, None, most_plies), &corpus, &expected);
    }

    /// However a corpus has grown, and however often its index was updated.
    #[test]
    fn an_index_grows_with_its_corpus(
        games in games(160, 16),
        shard_games in 1usize..30,
        steps in prop::collection::vec(1usize..5, 1..6),
        most_plies in prop_oneof![Just(MAX_SEGMENT_PLIES), 1u64..1000],
    ) {
        let shards = games.len().div_ceil(shard_games);
        let mut index = None;
        let mut done = 0;
        for step in steps {
            done = shards.min(done + step);
            let part = &games[..games.len().min(done * shard_games)];
            let bytes = corpus(part, shard_games);
            let corpus = open(&bytes);
            index = Some(index_of(&corpus, index.as_ref(), most_plies));
            agrees(index.as_ref().expect("just made"), &corpus, &naive(part));
        }
    }
}

/// Repeated openings: positions of more than [`MAX_PAIRED_GAMES`] games, reached by several move orders.
fn crowd(games: u16) -> Vec<Ended> {
    let shuffle = [(0, 6, 21), (2, 62, 45), (0, 21, 6), (2, 45, 62)].map(|(_, from, to)| knight(from, to));
    (0..games)
        .map(|n| {
            let mut moves = shuffle[..usize::from(n % 5).min(4)].to_vec();
            if n % 3 == 0 {
                moves.extend(shuffle);
            }
            ((None, moves), GameResult::ALL[usize::from(n) % 4])
        })
        .collect()
}

fn knight(from: u32, to: u32) -> Move {
    Move::normal(shakmaty::Role::Knight, shakmaty::Square::new(from), shakmaty::Square::new(to))
}

#[test]
fn frequent_positions_have_summaries() {
    // These numbers lie around the limit above which a position is frequent.
    for count in [MAX_PAIRED_GAMES as u16 - 1, MAX_PAIRED_GAMES as u16, MAX_PAIRED_GAMES as u16 + 1, 700] {
        // Moves by the wrong side are illegal and left out, because the twin follows the rules.
        let legal = |((start, moves), result): Ended| {
            let mut board = position(start);
            let mut kept = Vec::new();
            for mv in moves {
                let Some(theirs) = board.legal_moves().into_iter().find(|&theirs| Move::from(theirs) == mv) else {
                    continue;
                };
                board.play_unchecked(theirs);
                kept.push(mv);
            }
            ((start, kept), result)
        };
        let games: Vec<Ended> = crowd(count).into_iter().map(legal).collect();
        let bytes = corpus(&games, 600);
        let corpus = open(&bytes);
        let expected = naive(&games);
        let usual = expected.values().find(|known| known.begun == u64::from(count)).expect("all begin alike");
        assert!(usual.reached > 0 && usual.occurrences > usual.reached, "the array comes back: {usual:?}");
        let index = index_of(&corpus, None, MAX_SEGMENT_PLIES);
        agrees(&index, &corpus, &expected);
        let summaries =
            IndexLayout::check(index.bytes(), IndexCheck::Headers).expect("sound").index(index.bytes()).summaries();
        assert_eq!(summaries > 0, usize::from(count) > MAX_PAIRED_GAMES, "{count} games");
        agrees(&index_of(&corpus, None, 300), &corpus, &expected);
    }
}

#[test]
fn plies_of_a_game_are_told() {
    let games = [((None, [knight(6, 21), knight(62, 45), knight(21, 6), knight(45, 62)].to_vec()), GameResult::Draw)];
    let bytes = corpus(&games, 1);
    let corpus = open(&bytes);
    let span = corpus_spans(&corpus)[0];
    let game = span.game(0);
    assert_eq!(plies_with_hash(&game, game.start_board().hash), [Ply::START, Ply(4)]);
}

#[test]
fn the_bytes_do_not_depend_on_threads() {
    let bytes = corpus(&crowd(900), 400);
    let corpus = open(&bytes);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| index_of(&corpus, None, MAX_SEGMENT_PLIES).bytes().to_vec())
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn segments_stay_few_and_old_ones_stay() {
    let games = crowd(2048);
    let mut index: Option<Aligned> = None;
    for shards in 1..=32 {
        let bytes = corpus(&games[..shards * 64], 64);
        let corpus = open(&bytes);
        let next = index_of(&corpus, index.as_ref(), MAX_SEGMENT_PLIES);
        let segments = IndexLayout::check(next.bytes(), IndexCheck::AllBytes).expect("sound").header.segments;
        assert!(segments <= 6, "{segments} segments of {shards} shards");
        index = Some(next);
    }
    // Without new games nothing changes. With few new games the first segment stays the same, byte by byte.
    let old = index.expect("made");
    let bytes = corpus(&games, 64);
    let grown = corpus(&[&games[..], &games[..9]].concat(), 64);
    assert_eq!(index_of(&open(&bytes), Some(&old), MAX_SEGMENT_PLIES).bytes(), old.bytes());
    let new = index_of(&open(&grown), Some(&old), MAX_SEGMENT_PLIES);
    assert_eq!(new.bytes()[64..old.bytes().len()], old.bytes()[64..]);
    assert!(new.bytes().len() > old.bytes().len());
}

#[test]
fn an_index_of_other_games_is_refused() {
    let games = crowd(100);
    let check = |index: &Aligned, corpus: &CorpusReader<'_>| {
        let layout = IndexLayout::check(index.bytes(), IndexCheck::AllBytes).expect("sound");
        covers(&layout.index(index.bytes()), corpus.header.id, &corpus_spans(corpus))
    };
    let bytes = corpus(&games[..90], 30);
    let index = index_of(&open(&bytes), None, MAX_SEGMENT_PLIES);
    assert_eq!(check(&index, &open(&bytes)), Ok(()));
    let grown = corpus(&games, 30);
    assert_eq!(check(&index, &open(&grown)), Err(IndexError::Behind { covered: 90, games: 100 }));
    // The first shard and so the id are the same, but later a result or a move differs, or games are missing.
    let mut others = [games.clone(), games.clone(), games[..60].to_vec()];
    others[0][81].1 = GameResult::Unknown;
    others[1][81].0.1[0] = knight(1, 18);
    assert_ne!(games[81].1, GameResult::Unknown);
    for other in others {
        let bytes = corpus(&other, 30);
        let corpus = open(&bytes);
        assert_eq!(check(&index, &corpus), Err(IndexError::Foreign));
        let spans = corpus_spans(&corpus);
        let layout = IndexLayout::check(index.bytes(), IndexCheck::AllBytes).expect("sound");
        let old = layout.index(index.bytes());
        assert_eq!(
            IndexPlan::new(corpus.header.id, &spans, Some(&old), MAX_SEGMENT_PLIES).err(),
            Some(IndexError::Foreign)
        );
    }
    let bytes = corpus(&games[1..91], 30);
    assert_eq!(check(&index, &open(&bytes)), Err(IndexError::Foreign));
}

/// A small index that has every kind of entry, and its corpus.
fn sample() -> (Aligned, Aligned) {
    let mut games = crowd(70);
    games.extend(
        (0..20u16).map(|n| (play(STARTS[usize::from(n) % STARTS.len()], &[n * 7, n, 3, 12, 5]), GameResult::Draw)),
    );
    let bytes = corpus(&games, 30);
    let index = index_of(&open(&bytes), None, 200);
    (bytes, index)
}

#[test]
fn every_flipped_bit_is_an_error() {
    let (bytes, sound) = sample();
    let corpus = open(&bytes);
    let spans = corpus_spans(&corpus);
    let layout = IndexLayout::check(sound.bytes(), IndexCheck::AllBytes).expect("sound");
    let index = layout.index(sound.bytes());
    let mut hashes: Vec<u64> = Vec::new();
    for game in spans.iter().flat_map(|span| span.games()) {
        let mut board = game.start_board();
        hashes.push(board.hash);
        for &mv in game.moves {
            board.make::<plyfold_core::board::make::WithHash>(mv);
            hashes.push(board.hash);
        }
    }
    hashes.sort_unstable();
    hashes.dedup();
    let answers: Vec<Known> =
        hashes.iter().map(|&hash| Known::of(&index.look_up(&spans, hash).expect("sound"))).collect();
    let mut met = 0;
    for at in 0..sound.bytes().len() {
        for bit in 0..8 {
            let mut damaged = sound.bytes().to_vec();
            damaged[at] ^= 1 << bit;
            let damaged = Aligned::new(&damaged);
            assert!(
                IndexLayout::check(damaged.bytes(), IndexCheck::AllBytes).is_err(),
                "bit {bit} of byte {at} passes"
            );
            // A reader that checks only headers finds the damage when it reads the damaged part.
            if at % 37 != 0 || bit != at as u32 as usize % 8 {
                continue;
            }
            let Ok(layout) = IndexLayout::check(damaged.bytes(), IndexCheck::Headers) else { continue };
            let index = layout.index(damaged.bytes());
            for (&hash, answer) in hashes.iter().zip(&answers) {
                let found = index.look_up(&spans, hash).and_then(|found| found.game_ids().map(drop).map(|()| found));
                match found {
                    Ok(found) => assert_eq!(&Known::of(&found), answer, "bit {bit} of byte {at}"),
                    Err(error) => {
                        met += 1;
                        assert!(matches!(error, IndexError::Corrupt { .. }), "{error}");
                    }
                }
            }
        }
    }
    assert!(met > 20, "damage was met {met} times");
}

#[test]
fn every_truncation_is_an_error_that_says_where() {
    let (_, sound) = sample();
    for length in 0..sound.bytes().len() {
        let cut = Aligned::new(&sound.bytes()[..length]);
        match IndexLayout::check(cut.bytes(), IndexCheck::Headers).expect_err("cut") {
            IndexError::NotAnIndex => assert_eq!(length, 0),
            IndexError::Truncated { offset, missing, .. } => {
                assert!(missing > 0 && offset < length as u64 + 8, "{length}")
            }
            other => panic!("cut at {length} of {}: {other}", sound.bytes().len()),
        }
    }
    let longer = Aligned::new(&[sound.bytes(), &[0; 8]].concat());
    assert!(matches!(IndexLayout::check(longer.bytes(), IndexCheck::Headers), Err(IndexError::Inconsistent { .. })));
}

#[test]
fn foreign_and_newer_files_are_named() {
    let check =
        |bytes: &[u8]| IndexLayout::check(Aligned::new(bytes).bytes(), IndexCheck::Headers).expect_err("no index");
    assert_eq!(check(b"[Event \"?\"]\n\n1. e4 *\n"), IndexError::NotAnIndex);
    let (bytes, index) = sample();
    assert_eq!(check(bytes.bytes()), IndexError::NotAnIndex);
    let mut newer = index.bytes().to_vec();
    newer[8] = 2;
    assert_eq!(check(&newer), IndexError::Newer { found: 2, known: 1 });
}

#[test]
fn who_is_told_hears_all_and_may_end_it() {
    let bytes = corpus(&crowd(1500), 500);
    let corpus = open(&bytes);
    let spans = corpus_spans(&corpus);
    let plan = IndexPlan::new(corpus.header.id, &spans, None, MAX_SEGMENT_PLIES).expect("new");
    let (mut told, mut calls) = (0, 0);
    let mut count = |plies| {
        (told, calls) = (told + plies, calls + 1);
        true
    };
    build_index(&plan, None, &mut count, &mut |_| Ok::<(), ()>(())).expect("to the end");
    assert_eq!(told, 2 * plan.plies());
    assert_eq!((plan.plies(), plan.games()), (corpus.header.plies, corpus.header.games));
    assert!(calls > 4, "told {calls} times");
    for last in 1..=calls {
        let mut left = last;
        let mut end = |_| {
            left -= 1;
            left > 0
        };
        let stopped = build_index(&plan, None, &mut end, &mut |_| Ok::<(), ()>(()));
        assert_eq!((stopped.err(), left), (Some(BuildError::Cancelled), 0), "ended at call {last}");
    }
    assert_eq!(build_index(&plan, None, &mut |_| true, &mut |_| Err("full")).err(), Some(BuildError::Sink("full")));
}

/// FORMAT.md shows the index of a corpus of one game, 1.e4, byte by byte.
#[test]
fn the_worked_example_is_true() {
    let bytes = bytes_of_example(include_str!("../../../core/index/src/FORMAT.md"), 0);
    let e4 = Move::normal(shakmaty::Role::Pawn, shakmaty::Square::E2, shakmaty::Square::E4);
    let games = corpus(&[((None, vec![e4]), GameResult::Unknown)], 1);
    let corpus = open(&games);
    let spans = corpus_spans(&corpus);
    let plan = IndexPlan::new(1, &spans, None, MAX_SEGMENT_PLIES).expect("new");
    let mut made = vec![0; IndexFileHeader::BYTES];
    let header = build_index(&plan, None, &mut |_| true, &mut |piece| {
        made.extend_from_slice(piece);
        Ok::<(), ()>(())
    });
    made[..IndexFileHeader::BYTES].copy_from_slice(&header.expect("nobody cancels").to_bytes());
    assert_eq!(bytes, made, "\n{}", made.chunks(16).map(|line| format!("{line:02x?}\n")).collect::<String>());
}
