//! The fold equals its naive twin on random games and random queries, with every set of reducers.

use std::collections::{BTreeMap, HashSet};

use plyfold_core::board::make::FullState;
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameId, corpus_spans};
use plyfold_core::headers::OpeningNames;
use plyfold_core::keys::parse_key;
use plyfold_core::moves::Move;
use plyfold_core::query::{CompiledQuery, compile, parse};
use plyfold_core::reduce::count::MatchCount;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::groups::COUNTS;
use plyfold_core::reduce::heatmap::{HEATMAP, Heatmap};
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionRef, PositionSelection};
use plyfold_core::reduce::output::Output;
use plyfold_core::reduce::structures::{STRUCTURES, TopStructures};
use plyfold_core::reduce::{QueryResults, ReduceRequest, ReducerSelection, run_queries, run_query};
use plyfold_core::scan::evidence::PositionRule;
use plyfold_core::scan::reducer::{MatchingPosition, Reducer, ScanMatch};
use plyfold_core::scan::replay_needs::ReplayNeeds;
use plyfold_core::scan::{Query, ScanStatistics, naive};
use plyfold_tests::games::{Aligned, PlayedGame, STARTS, bind_comments, corpus, play};
use plyfold_tests::lines::bind_lines;
use plyfold_tests::oracle::Trace;
use plyfold_tests::queries::{bound, cases, games, position_selection, query, wide_query};
use proptest::prelude::*;
use shakmaty::san::San;
use shakmaty::{Chess, Position};

/// Records everything ply by ply, from the board alone: the expected content of each reducer.
#[derive(Default)]
struct Diary {
    games: Vec<GameId>,
    positions: Vec<(PositionRef, u64)>,
    heat: Vec<Vec<Vec<u64>>>,
    structures: BTreeMap<(u64, u64), u64>,
}

impl Reducer for Diary {
    const NEEDS_BOARDS: bool = true;

    fn needs(&self) -> ReplayNeeds {
        ReplayNeeds::RIGHTS_AND_HASH
    }

    fn position(&mut self, ply: &MatchingPosition<'_>) {
        self.positions.push((PositionRef { game: ply.game.id, ply: ply.ply }, ply.board.compute_hash()));
        for (square, &piece) in ply.board.mailbox.iter().enumerate().filter(|(_, piece)| !piece.is_none()) {
            self.heat[piece.side().index()][usize::from(piece.role_code()) - 1][square] += 1;
        }
        let [white, black] = ply.board.pawns();
        let pawns = (white, black);
        *self.structures.entry(pawns).or_default() += 1;
    }

    fn game(&mut self, found: &ScanMatch<'_>) {
        if found.verdict {
            self.games.push(found.game.id);
        }
    }

    fn merge(&mut self, _: Self) {}
}

/// Compares the results with the diary.
fn compare(found: &QueryResults, selection: &ReducerSelection, diary: &Diary) {
    let counted_positions = selection.positions_count
        || selection.positions.is_some()
        || selection.outputs.iter().any(Output::takes_positions);
    let positions = if counted_positions { diary.positions.len() as u64 } else { 0 };
    assert_eq!(found.count, MatchCount { games: diary.games.len() as u64, positions });
    if let Some(games) = &found.games {
        assert_eq!(games.iter().collect::<Vec<_>>(), diary.games);
    }
    if let Some(heatmap) = found.summary::<Heatmap>() {
        let counts: Vec<Vec<Vec<u64>>> =
            heatmap.counts().iter().map(|side| side.iter().map(|squares| squares.to_vec()).collect()).collect();
        assert_eq!(counts, diary.heat);
    }
    if let Some(structures) = found.summary::<TopStructures>() {
        let map: BTreeMap<_, _> = structures.top.iter().map(|one| ((one.white, one.black), one.count)).collect();
        assert_eq!(map, diary.structures);
        assert_eq!(structures.total, diary.positions.len() as u64);
    }
    if let (Some(found_positions), Some(which)) = (&found.positions, selection.positions) {
        let (mut hashes, mut games) = (HashSet::new(), HashSet::new());
        let expected = diary.positions.iter().filter(|(position, hash)| match which.choice {
            PositionChoice::Every => true,
            PositionChoice::Distinct => hashes.insert(*hash),
            PositionChoice::FirstOfGame => games.insert(position.game),
        });
        let expected: Vec<_> =
            expected.map(|&(position, _)| position).take(which.limit.unwrap_or(usize::MAX)).collect();
        assert_eq!(found_positions, &expected);
        let distinct = diary.positions.iter().map(|(_, hash)| hash).collect::<HashSet<_>>().len() as u64;
        assert_eq!(found.distinct_positions, (which.choice == PositionChoice::Distinct).then_some(distinct));
    }
}

fn selection() -> impl Strategy<Value = ReducerSelection> {
    let which = prop_oneof![Just(None), position_selection().prop_map(Some),];
    (any::<[bool; 5]>(), which).prop_map(|([games, positions_count, heatmap, structures, keyed], positions)| {
        let outputs = [
            heatmap.then(|| HEATMAP.output()),
            structures.then(|| STRUCTURES.output()),
            // Grouping by this key needs boards, whatever the other reducers need.
            keyed.then(|| COUNTS.by(parse_key("count(pawn)").expect("a key")).most(9)),
        ];
        ReducerSelection { games, positions_count, positions, outputs: outputs.into_iter().flatten().collect() }
    })
}

/// The query of a text, or `None` if the text is refused.
fn compiled(text: &str, rule: PositionRule) -> Option<Query> {
    match CompiledQuery::read_positions(text, &OpeningNames::default(), rule).map(|compiled| compiled.plan) {
        Err(error) if error.message.contains("known only at the end") => None,
        query => Some(bound(query.unwrap_or_else(|error| panic!("{text}: {error}")))),
    }
}

fn rule() -> impl Strategy<Value = PositionRule> {
    prop_oneof![Just(PositionRule::Everywhere), Just(PositionRule::Evidence), Just(PositionRule::EvidenceOfWindows)]
}

/// The text of a query; one among so many others has more than 64 different predicates.
fn any_query(others: u32) -> impl Strategy<Value = String> {
    prop_oneof![others => query(), 1 => wide_query()]
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn fold_equals_naive(
        games in games(), text in any_query(9), selection in selection(), shard in 1usize..9, threads in 1usize..4,
        rule in rule(),
    ) {
        let bytes = Aligned::new(&corpus(&games, shard));
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        let Some(mut query) = compiled(&text, rule) else { return Ok(()) };
        let spans = corpus_spans(&corpus);
        bind_comments(&mut query, &spans);
        bind_lines(&mut query, &spans);
        let diary = naive::scan(&spans, &query, Diary { heat: vec![vec![vec![0; 64]; 6]; 2], ..Diary::default() });
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let found = pool.install(|| run_query(&spans, &query, &selection, &())).expect("nobody cancels");
        compare(&found, &selection, &diary);
    }

    #[test]
    fn fold_equals_the_oracle(
        games in games(), text in any_query(24), shard in 1usize..9, positions in any::<bool>(), rule in rule(),
    ) {
        let bytes = Aligned::new(&corpus(&games, shard));
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        let Some(mut query) = compiled(&text, rule) else { return Ok(()) };
        bind_comments(&mut query, &corpus_spans(&corpus));
        bind_lines(&mut query, &corpus_spans(&corpus));
        let tree = parse::parse(&text).expect("a query");
        let which = positions.then_some(PositionSelection { limit: None, choice: PositionChoice::Every });
        let selection = ReducerSelection { games: true, positions: which, ..ReducerSelection::default() };
        let spans = corpus_spans(&corpus);
        let found = run_query(&spans, &query, &selection, &()).expect("nobody cancels");
        let set: Vec<GameId> = found.games.iter().flat_map(|set| set.iter()).collect();
        let plies: Vec<_> = found.positions.into_iter().flatten().collect();
        for (span, nth) in spans.iter().flat_map(|span| (0..span.len()).map(move |nth| (*span, nth))) {
            let (trace, game) = (Trace::of(span, nth), GameId(span.first_game.0 + nth));
            prop_assert_eq!(set.contains(&game), trace.matches(&tree), "game {} of {}", game.0, tree);
            if positions {
                let of_game = plies.iter().filter(|position| position.game == game).map(|position| position.ply.0);
                let expected = match rule {
                    PositionRule::EvidenceOfWindows if !tree.has_windows() => trace.matching_plies(&tree),
                    PositionRule::Everywhere => trace.matching_plies(&tree),
                    PositionRule::Evidence | PositionRule::EvidenceOfWindows => trace.evidence_plies(&tree),
                };
                prop_assert_eq!(of_game.collect::<Vec<_>>(), expected, "game {} of {} by {:?}", game.0, tree, rule);
            }
        }
    }

    #[test]
    fn printed_queries_read_as_the_same_tree(text in query()) {
        let tree = match parse::parse(&text) {
            Err(error) if error.message.contains("known only at the end") => return Ok(()),
            tree => tree.unwrap_or_else(|error| panic!("{text}: {error}")),
        };
        let printed = tree.to_string();
        let again = parse::parse(&printed).unwrap_or_else(|error| panic!("{printed}: {error}"));
        prop_assert_eq!(again, tree, "{}", printed);
    }

    #[test]
    fn any_text_is_read_or_refused_with_a_place(text in "(\\PC|and|or|not|\\(|\\)|\\{|\\}|on|count\\(| |for|8|fen|board|structure|under|flips|shift\\(|,|material|endgame|\"|/|pawn|KRvK){0,60}") {
        if let Err(error) = compile(&text) {
            prop_assert!(error.from <= error.to && error.to <= text.len());
            prop_assert!(text.is_char_boundary(error.from) && text.is_char_boundary(error.to));
            prop_assert!(!error.with_carets(&text).is_empty());
        }
    }
}

#[test]
fn everything_matches_all_games_and_plies() {
    let games: Vec<PlayedGame> =
        (0..20u16).map(|n| play(None, &(0..n * 3).map(|k| k * 977 + n).collect::<Vec<_>>())).collect();
    let bytes = Aligned::new(&corpus(&games, 7));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let plies: usize = games.iter().map(|(_, moves)| moves.len()).sum();
    let selection = ReducerSelection { positions_count: true, ..ReducerSelection::default() };
    let found =
        run_query(&corpus_spans(&corpus), &compile(" ").expect("empty"), &selection, &()).expect("nobody cancels");
    assert_eq!(found.count, MatchCount { games: 20, positions: plies as u64 });
    assert_eq!(corpus.header.plies, plies as u64);
    let mut set = GameSet::empty(20);
    set.insert(GameId(25));
    assert_eq!(set.count(), 0);
}

#[test]
fn a_watch_cancels() {
    struct Stop;
    impl plyfold_core::scan::fold::ScanObserver for Stop {
        fn advance(&self, _: u32) -> bool {
            false
        }
    }
    let bytes = Aligned::new(&corpus(&[play(None, &[1, 2, 3])], 1));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts).expect("a corpus");
    assert!(
        run_query(&corpus_spans(&corpus), &compile("check").expect("a query"), &ReducerSelection::default(), &Stop)
            .is_err()
    );
}

#[test]
fn replayed_starts_are_those_stored() {
    let games: Vec<PlayedGame> = STARTS.iter().map(|&start| play(start, &[5, 9, 13])).collect();
    let bytes = Aligned::new(&corpus(&games, 3));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let replayed = corpus_spans(&corpus).into_iter().flat_map(|span| span.split(2).collect::<Vec<_>>());
    let boards: Vec<_> = replayed
        .flat_map(|span| span.games().map(|game| (game.start_board(), game.moves.to_vec())).collect::<Vec<_>>())
        .collect();
    assert_eq!(boards.len(), games.len());
    for ((mut board, moves), (start, played)) in boards.into_iter().zip(&games) {
        use shakmaty::{EnPassantMode, Position};
        assert_eq!(board.to_setup(), plyfold_tests::games::position(*start).to_setup(EnPassantMode::Legal));
        assert_eq!(&moves, played);
        for mv in moves {
            board.make::<FullState>(mv);
        }
        assert_eq!(board.hash, board.compute_hash());
    }
}

/// A game given by its moves in SAN.
fn played(moves: &str) -> PlayedGame {
    let mut position = Chess::default();
    let moves = moves.split_whitespace().map(|san| {
        let mv = san.parse::<San>().expect("SAN").to_move(&position).expect("legal");
        position.play_unchecked(mv);
        Move::from(mv)
    });
    (None, moves.collect())
}

/// The matching plies, and the statistics of the scan.
fn matching_plies(moves: &str, text: &str) -> (Vec<u32>, ScanStatistics) {
    let bytes = Aligned::new(&corpus(&[played(moves)], 1));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let which = Some(PositionSelection { limit: None, choice: PositionChoice::Every });
    let selection = ReducerSelection { positions: which, ..ReducerSelection::default() };
    let query = compile(text).expect("a query");
    let found = run_query(&corpus_spans(&corpus), &query, &selection, &()).expect("nobody cancels");
    (found.positions.into_iter().flatten().map(|position| position.ply.0).collect(), found.work)
}

/// The sum of a repetition and another number is tested on the board, which must know the earlier positions.
#[test]
fn repetitions_on_the_board_are_counted() {
    let there_and_back = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 e4 e5";
    for (text, expected) in [
        ("repetition + count(queen) >= 5", &[8][..]),
        ("repetition + count(queen) = 4", &[4, 5, 6, 7]),
        ("repetition + count(queen) = 3", &[1, 2, 3, 9, 10]),
        ("repetition + king_distance >= 9", &[4, 5, 6, 7, 8]),
        ("{ repetition >= 3 and white knight on g1 }", &[8]),
        ("{ repetition = 2 and white knight on f3 }", &[5, 6]),
    ] {
        let (plies, _) = matching_plies(there_and_back, text);
        assert_eq!(plies, expected, "{text}");
    }
}

const QUEENS_OFF: &str = "e4 d5 exd5 Qxd5 Nf3 Qe5+ Qe2 Qxe2+ Bxe2 Nf6 O-O Nc6";

#[test]
fn captures_and_pawn_moves_are_read_once_in_each_stream() {
    // Captures: exd5, Qxd5, Qxe2, Bxe2. Pawn events: e4, d5, exd5, Qxd5.
    for (text, expected) in
        [("count(queen) >= 9", 4), ("passed_pawn on a", 4), ("count(passed_pawn) > count(queen) + 9", 8), ("check", 0)]
    {
        let (_, work) = matching_plies(QUEENS_OFF, text);
        assert_eq!(work.events_read, expected, "{text}");
    }
}

/// The scan reads a game no further than the query can match: here, both queens are on the board up to ply 7.
#[test]
fn plies_are_read_up_to_the_last_that_is_open() {
    let (plies, work) = matching_plies(QUEENS_OFF, "{ count(queen) = 2 and white knight on f3 }");
    assert_eq!(plies, [5, 6, 7]);
    assert_eq!((work.events_read, work.plies_read_without_board, work.plies_replayed), (4, 7, 0));
    let (plies, work) = matching_plies(QUEENS_OFF, "{ count(queen) = 2 and check }");
    assert_eq!(plies, [6]);
    assert_eq!((work.plies_read_without_board, work.games_replayed, work.plies_replayed), (7, 0, 0));
    let (plies, work) = matching_plies(QUEENS_OFF, "{ count(queen) = 2 and black hanging }");
    assert_eq!(plies, [6, 7]);
    assert_eq!((work.plies_read_without_board, work.games_replayed, work.plies_replayed), (0, 1, 7));
    // The scan reads nothing after the last ply that counts.
    let (plies, work) = matching_plies(QUEENS_OFF, "check before move 2");
    assert_eq!(plies, [6, 8]);
    assert_eq!((work.plies_read_without_board, work.games_replayed), (12, 0));
}

/// A mate can only be where no legal move follows, so the scan reads no move of a game that ends in another way.
#[test]
fn mates_are_looked_for_at_the_end() {
    let (plies, work) = matching_plies(QUEENS_OFF, "checkmate");
    assert_eq!((plies, work.plies_read_without_board, work.plies_replayed), (vec![], 0, 0));
    let (plies, work) = matching_plies("f3 e5 g4 Qh4#", "checkmate");
    assert_eq!((plies, work.plies_read_without_board, work.plies_replayed), (vec![4], 4, 0));
    assert_eq!(matching_plies("f3 e5 g4 Qh4#", "white checkmate on e1").0, [4]);
    assert!(matching_plies("f3 e5 g4 Qh4#", "white checkmate on e2 or black checkmate").0.is_empty());
}

/// Positions from which random moves often mate or stalemate, and some without moves.
const ENDS: &[Option<&str>] = &[
    Some("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1"),
    Some("k7/2K5/8/1Q6/8/8/8/7R b - - 0 1"),
    Some("8/8/8/8/8/1q6/3k4/K7 b - - 0 1"),
    Some("8/8/8/8/8/6r1/5k1p/7K w - - 0 1"),
    Some("7k/5Q2/8/8/8/8/8/4K3 b - - 0 1"),
    Some("6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1"),
    Some("2R5/8/7Q/1k6/3p4/8/2P5/R3B2K w - - 0 1"),
];

#[test]
fn ends_of_games_equal_naive() {
    let mut state = 7u64;
    let mut choices = || -> Vec<u16> {
        let mut roll = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as u16
        };
        (0..roll() % 70).map(|_| if roll() % 11 == 0 { u16::MAX } else { roll() }).collect()
    };
    let games: Vec<PlayedGame> = (0..600).map(|nth| play(ENDS[nth % ENDS.len()], &choices())).collect();
    let bytes = Aligned::new(&corpus(&games, 50));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let spans = corpus_spans(&corpus);
    let every = Some(PositionSelection { limit: None, choice: PositionChoice::Every });
    for (text, least) in [
        ("checkmate", 30),
        ("stalemate", 30),
        ("white checkmate on a1 h1 or black stalemate on h", 10),
        ("gives mate", 30),
        ("white stalemates", 10),
        ("stalemate for 2", 0),
        ("black stalemate then ply > 9", 1),
        ("became stalemate", 10),
        ("not stalemate", 100),
        ("check", 100),
        ("white gives double check", 1),
        ("{ check and not checkmate }", 100),
        ("check at least 3 times", 50),
        ("check then checkmate", 1),
        ("count(white check) = 1", 50),
        ("{ gives check and black king on g h }", 10),
    ] {
        let query = compiled(text, PositionRule::Everywhere).expect("a query");
        for positions in [every, None] {
            let selection = ReducerSelection { games: true, positions, ..ReducerSelection::default() };
            let diary = naive::scan(&spans, &query, Diary { heat: vec![vec![vec![0; 64]; 6]; 2], ..Diary::default() });
            let found = run_query(&spans, &query, &selection, &()).expect("nobody cancels");
            compare(&found, &selection, &diary);
            assert!(diary.games.len() >= least, "{text}: {} games", diary.games.len());
        }
    }
}

/// A pawn that gives check by a double step has not mated if it can be taken en passant.
#[test]
fn en_passant_meets_a_check_by_a_double_step() {
    let start = Some("2R5/8/7Q/1k6/3p4/8/2P5/R3B2K w - - 0 1");
    let games: Vec<PlayedGame> = (0..150).map(|choice| play(start, &[choice])).collect();
    let bytes = Aligned::new(&corpus(&games, 50));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let spans = corpus_spans(&corpus);
    let count = |text: &str| {
        let query = compile(text).expect(text);
        let found = run_query(&spans, &query, &ReducerSelection { games: true, ..ReducerSelection::default() }, &());
        let games = found.expect("nobody cancels").count.games;
        assert_eq!(games, naive::scan(&spans, &query, MatchCount::default()).games, "{text}");
        games
    };
    assert!(count("{ check and white pawn on c4 }") > 0);
    assert_eq!(count("{ checkmate and white pawn on c4 }"), 0);
}

/// Conditions that ply numbers decide need no board, whichever query of a batch has them.
#[test]
fn queries_about_plies_that_are_not_there_replay_nothing() {
    let bytes = Aligned::new(&corpus(&[played(QUEENS_OFF)], 1));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    let texts =
        ["check after move 50", "check from move 60", "check after move 70", "white knight on f3 after move 80"];
    let queries: Vec<Query> = texts.iter().map(|text| compile(text).expect("a query")).collect();
    for number in 1..=queries.len() {
        let requests: Vec<ReduceRequest<'_>> = queries[..number]
            .iter()
            .map(|query| ReduceRequest { query, within: None, selection: &selection })
            .collect();
        for results in run_queries(&corpus_spans(&corpus), &requests, &()).expect("nobody cancels") {
            assert_eq!(results.count, MatchCount { games: 0, positions: 0 });
            let work = results.work;
            assert_eq!(
                (work.games_replayed, work.plies_replayed, work.plies_read_without_board),
                (0, 0, 0),
                "{number} queries"
            );
        }
    }
}
