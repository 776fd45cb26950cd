//! The fold equals its naive twin, on random games, random queries, and every set of reducers.

use std::collections::{BTreeMap, HashSet};

use plyfold_core::board::Board;
use plyfold_core::board::make::Whole;
use plyfold_core::board::start::Start;
use plyfold_core::corpus::file::{Check, Corpus};
use plyfold_core::game::spans;
use plyfold_core::query::{compile, parse};
use plyfold_core::reduce::count::Count;
use plyfold_core::reduce::games::GameSet;
use plyfold_core::reduce::positions::{Position, Which};
use plyfold_core::reduce::{Answers, Wanted, answer};
use plyfold_core::scan::naive;
use plyfold_core::scan::needs::Needs;
use plyfold_core::scan::reducer::{Found, Ply, Reducer};
use plyfold_tests::games::{Aligned, Played, STARTS, corpus, play, position};
use proptest::prelude::*;
use shakmaty::Role;

/// Keeps everything ply by ply, from the board alone: what each reducer should have found.
#[derive(Default)]
struct Diary {
    games: Vec<u32>,
    positions: Vec<(Position, u64)>,
    heat: Vec<Vec<Vec<u64>>>,
    structures: BTreeMap<(u64, u64), u64>,
}

impl Reducer for Diary {
    const WANTS_BOARDS: bool = true;

    fn needs(&self) -> Needs {
        Needs::RIGHTS_AND_HASH
    }

    fn position(&mut self, ply: &Ply<'_>) {
        self.positions.push((Position { game: ply.game.id, ply: ply.number }, ply.board.hash_afresh()));
        for (square, &man) in ply.board.men.iter().enumerate().filter(|(_, man)| **man != 0) {
            self.heat[usize::from(man >> 3)][usize::from(man & 7) - 1][square] += 1;
        }
        let pawns = (ply.board.of[1], ply.board.of[9]);
        *self.structures.entry(pawns).or_default() += 1;
    }

    fn game(&mut self, found: &Found<'_>) {
        if found.verdict {
            self.games.push(found.game.id);
        }
    }

    fn merge(&mut self, _: Self) {}
}

/// What the diary says, in the form of the answers.
fn compare(found: &Answers, wanted: &Wanted, diary: &Diary) {
    let counted_positions =
        wanted.positions_count || wanted.heatmap || wanted.structures.is_some() || wanted.positions.is_some();
    let positions = if counted_positions { diary.positions.len() as u64 } else { 0 };
    assert_eq!(found.count, Count { games: diary.games.len() as u64, positions });
    if let Some(games) = &found.games {
        assert_eq!(games.iter().collect::<Vec<_>>(), diary.games);
    }
    if let Some(heatmap) = &found.heatmap {
        let counts: Vec<Vec<Vec<u64>>> =
            heatmap.counts().iter().map(|side| side.iter().map(|squares| squares.to_vec()).collect()).collect();
        assert_eq!(counts, diary.heat);
    }
    if let Some(structures) = &found.structures {
        let map: BTreeMap<_, _> = structures.top.iter().map(|one| ((one.white, one.black), one.count)).collect();
        assert_eq!(map, diary.structures);
        assert_eq!(structures.total, diary.positions.len() as u64);
    }
    if let (Some(found_positions), Some(which)) = (&found.positions, wanted.positions) {
        let mut seen = HashSet::new();
        let expected = diary.positions.iter().filter(|(_, hash)| !which.unique || seen.insert(*hash));
        let expected: Vec<_> =
            expected.map(|&(position, _)| position).take(which.limit.unwrap_or(usize::MAX)).collect();
        assert_eq!(found_positions, &expected);
        let distinct = diary.positions.iter().map(|(_, hash)| hash).collect::<HashSet<_>>().len() as u64;
        assert_eq!(found.distinct_positions, which.unique.then_some(distinct));
    }
}

fn games() -> impl Strategy<Value = Vec<Played>> {
    let game = (0..STARTS.len(), prop::collection::vec(any::<u16>(), 0..120))
        .prop_map(|(start, choices)| play(STARTS[start], &choices));
    prop::collection::vec(game, 0..12)
}

/// Text of a random leaf.
fn leaf() -> impl Strategy<Value = String> {
    let side = prop::sample::select(vec!["", "white ", "black ", "either ", "both ", "neither "]);
    let feature = prop::sample::select(vec![
        "pawn",
        "knight",
        "bishop",
        "rook",
        "queen",
        "king",
        "man",
        "bishop_pair",
        "doubled_pawn",
        "isolated_pawn",
        "passed_pawn",
        "rook_on_seventh",
        "rook_on_open_file",
        "castled",
        "castled_short",
        "castled_long",
        "check",
    ]);
    let region = prop::sample::select(vec![
        "",
        " on e4",
        " on e4 d5 f6",
        " on c",
        " on a..c",
        " on 7",
        " on 5..8 a1",
        " on centre",
        " on light",
    ]);
    let one_side = prop::sample::select(vec!["", "white ", "black "]);
    let sign = prop::sample::select(vec!["=", "!=", "<", "<=", ">", ">="]);
    prop_oneof![
        2 => Just("queens_off".to_owned()),
        6 => (side, feature.clone(), region.clone()).prop_map(|(side, feature, region)| format!("{side}{feature}{region}")),
        1 => (one_side.clone(), feature.clone(), region.clone()).prop_map(|(side, feature, region)| format!("no {side}{feature}{region}")),
        1 => Just("empty e4 d2 c7".to_owned()),
        2 => (one_side.clone(), feature, region, sign.clone(), 0..5i32)
            .prop_map(|(side, feature, region, sign, n)| format!("count({side}{feature}{region}) {sign} {n}")),
        2 => (prop::sample::select(vec!["white", "black", "both"]), sign, 0..9i32).prop_map(|(side, sign, n)| format!("2 * points({side}) - (points(black) + 3) * 2 {sign} 0 - {n} + count(rook)")),
    ]
}

/// Text of a random leaf about the whole board: a position that may come, its pawns, its men, or some of its squares.
fn whole_leaf() -> impl Strategy<Value = String> {
    let game = (0..STARTS.len(), prop::collection::vec(any::<u16>(), 0..12));
    let endgame = prop::sample::select(vec!["pawn", "knight", "bishop", "minor", "rook", "queen"]);
    let side = prop::sample::select(vec!["", "white ", "black "]);
    (0..5, game, 1usize..=6, any::<u64>(), any::<u64>(), endgame, side).prop_map(
        |(kind, (start, choices), fields, open, several, endgame, side)| {
            let (start, moves) = play(STARTS[start], &choices);
            let mut board = Board::from_start(&Start::from_position(&position(start)));
            for mv in moves {
                board.make::<Whole>(mv);
            }
            let fen = board.fen().to_string();
            let fields: Vec<&str> = fen.split(' ').take(fields).collect();
            let man = |square: usize| Role::try_from(board.men[square] & 7).map_or('.', Role::upper_char);
            let side_of =
                |square: usize, letter: char| if board.men[square] < 8 { letter } else { letter.to_ascii_lowercase() };
            let ranks = |square: &dyn Fn(usize) -> String| -> String {
                let rank = |rank: usize| (0..8).map(|file| square(rank * 8 + file)).collect::<String>();
                (0..8).rev().map(rank).collect::<Vec<_>>().join("/")
            };
            let letters = |colour: usize| -> String {
                let men = (1..7).map(|role| usize::from(board.number[colour * 8 + role]));
                "PNBRQK".chars().zip(men).map(|(letter, number)| letter.to_string().repeat(number)).collect()
            };
            match kind {
                0 => format!("fen \"{}\"", fields.join(" ")),
                1 => format!(
                    "structure \"{}\"",
                    ranks(&|square| match man(square) {
                        'P' => side_of(square, 'P').to_string(),
                        _ => "1".to_owned(),
                    })
                ),
                2 => format!(
                    "board \"{}\"",
                    ranks(&|square| match (man(square), open >> square & 1, several >> square & 1) {
                        ('K', ..) => side_of(square, 'K').to_string(),
                        (_, 0, _) => "?".to_owned(),
                        ('P', _, 1) => "[Pp.]".to_owned(),
                        (man, _, 1) => format!("[{}Nbq]", side_of(square, man)),
                        (man, ..) => side_of(square, man).to_string(),
                    })
                ),
                3 => format!("material {side}{}v{}", letters(0), letters(1)),
                _ => format!("endgame {endgame}"),
            }
        },
    )
}

fn query() -> impl Strategy<Value = String> {
    let leaf = || prop_oneof![3 => leaf(), 1 => whole_leaf()];
    let combined = |inner: BoxedStrategy<String>| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("({})", parts.join(" and "))),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("({})", parts.join(" or "))),
            inner.prop_map(|inner| format!("not {inner}")),
        ]
    };
    let together = leaf().prop_recursive(
        3,
        8,
        4,
        move |inner| prop_oneof![3 => combined(inner.clone()), 1 => inner.prop_map(|inner| format!("{{ {inner} }}"))],
    );
    let streak = prop_oneof![
        3 => Just(String::new()),
        1 => (1u32..6).prop_map(|plies| format!(" for {plies}")),
        1 => (1u32..35).prop_map(|moves| format!(" for {moves} moves")),
    ];
    let condition = prop_oneof![leaf(), together.prop_map(|together| format!("{{ {together} }}"))];
    let judged = (condition, streak).prop_map(|(condition, streak)| format!("{condition}{streak}"));
    judged.prop_recursive(3, 8, 4, combined)
}

fn wanted() -> impl Strategy<Value = Wanted> {
    let which = prop_oneof![
        Just(None),
        (prop::option::of(0usize..40), any::<bool>()).prop_map(|(limit, unique)| Some(Which { limit, unique })),
    ];
    (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), which).prop_map(
        |(games, positions_count, heatmap, structures, positions)| Wanted {
            games,
            positions_count,
            heatmap,
            structures: structures.then_some(usize::MAX),
            positions,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn fold_equals_naive(
        games in games(), text in query(), wanted in wanted(), shard in 1usize..9, threads in 1usize..4,
    ) {
        let bytes = Aligned::new(&corpus(&games, shard));
        let corpus = Corpus::open(bytes.bytes(), Check::Whole).expect("a corpus");
        let query = match compile(&text) {
            Err(error) if error.message.starts_with("a query has at most 64") => return Ok(()),
            query => query.unwrap_or_else(|error| panic!("{text}: {error}")),
        };
        let spans = spans(&corpus);
        let diary = naive::scan(&spans, &query, Diary { heat: vec![vec![vec![0; 64]; 6]; 2], ..Diary::default() });
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let found = pool.install(|| answer(&spans, &query, &wanted, &())).expect("nobody cancels");
        compare(&found, &wanted, &diary);
    }

    #[test]
    fn printed_queries_read_as_the_same_tree(text in query()) {
        let tree = parse::parse(&text).expect("a query");
        let printed = tree.to_string();
        let again = parse::parse(&printed).unwrap_or_else(|error| panic!("{printed}: {error}"));
        prop_assert_eq!(again, tree, "{}", printed);
    }

    #[test]
    fn any_text_is_read_or_refused_with_a_place(text in "(\\PC|and|or|not|\\(|\\)|\\{|\\}|on|count\\(| |for|8|fen|board|structure|material|endgame|\"|/|pawn|KRvK){0,60}") {
        if let Err(error) = compile(&text) {
            prop_assert!(error.from <= error.to && error.to <= text.len());
            prop_assert!(text.is_char_boundary(error.from) && text.is_char_boundary(error.to));
            prop_assert!(!error.pointed(&text).is_empty());
        }
    }
}

#[test]
fn everything_matches_all_games_and_plies() {
    let games: Vec<Played> =
        (0..20u16).map(|n| play(None, &(0..n * 3).map(|k| k * 977 + n).collect::<Vec<_>>())).collect();
    let bytes = Aligned::new(&corpus(&games, 7));
    let corpus = Corpus::open(bytes.bytes(), Check::Whole).expect("a corpus");
    let plies: usize = games.iter().map(|(_, moves)| moves.len()).sum();
    let wanted = Wanted { positions_count: true, ..Wanted::default() };
    let found = answer(&spans(&corpus), &compile(" ").expect("empty"), &wanted, &()).expect("nobody cancels");
    assert_eq!(found.count, Count { games: 20, positions: plies as u64 });
    assert_eq!(corpus.header.plies, plies as u64);
    let mut set = GameSet::empty(20);
    set.insert(25);
    assert_eq!(set.count(), 0);
}

#[test]
fn a_watch_cancels() {
    struct Stop;
    impl plyfold_core::scan::fold::Watch for Stop {
        fn advance(&self, _: u32) -> bool {
            false
        }
    }
    let bytes = Aligned::new(&corpus(&[play(None, &[1, 2, 3])], 1));
    let corpus = Corpus::open(bytes.bytes(), Check::Scan).expect("a corpus");
    assert!(answer(&spans(&corpus), &compile("check").expect("a query"), &Wanted::default(), &Stop).is_err());
}

#[test]
fn replayed_starts_are_those_stored() {
    let games: Vec<Played> = STARTS.iter().map(|&start| play(start, &[5, 9, 13])).collect();
    let bytes = Aligned::new(&corpus(&games, 3));
    let corpus = Corpus::open(bytes.bytes(), Check::Whole).expect("a corpus");
    let replayed = spans(&corpus).into_iter().flat_map(|span| span.split(2).collect::<Vec<_>>());
    let boards: Vec<_> = replayed
        .flat_map(|span| span.games().map(|game| (game.start(), game.moves.to_vec())).collect::<Vec<_>>())
        .collect();
    assert_eq!(boards.len(), games.len());
    for ((mut board, moves), (start, played)) in boards.into_iter().zip(&games) {
        use shakmaty::{EnPassantMode, Position};
        assert_eq!(board.to_setup(), plyfold_tests::games::position(*start).to_setup(EnPassantMode::Legal));
        assert_eq!(&moves, played);
        for mv in moves {
            board.make::<Whole>(mv);
        }
        assert_eq!(board.hash, board.hash_afresh());
    }
}
