//! Header tests of many games at once equal tests of each game alone, on random headers and names.

use plyfold_core::corpus::build::ShardBuilder;
use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader, CorpusReader};
use plyfold_core::corpus::record::GameHeader;
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::headers::{
    CompiledHeaderTests, Date, Eco, EcoCodes, Ending, GameResult, HeaderTest, HeaderText, NameField, NamePattern,
    NamedSet, OpeningNames, RatingField, TimeClass, find_unknown_name,
};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::combine::Formula;
use plyfold_core::scan::predicate::PositionPredicate;
use plyfold_core::scan::{Occurrence, PlyWindow, Query, ScanCondition};
use plyfold_tests::games::Aligned;
use plyfold_tests::shards::CorpusParts;
use proptest::prelude::*;

/// Names that are similar in some way, and others.
const NAMES: &[&str] = &[
    "Kasparov, Garry",
    "kasparov,g",
    "KASPAROV G. (2)",
    "Kasparovich",
    "Kaspar",
    "'Kasparov', S.",
    "Müller, Karsten",
    "Mu\u{308}ller",
    "muller h",
    "Mueller",
    "Groß",
    "Алёхин, А.",
    "алехин а",
    "?",
    "",
    "Li",
    "Li, Chao",
    "1234567 8",
    "12345678",
    "O'Kelly de Galway",
    "Ærøskøbing \u{1F600}",
    "Ng",
    "æ",
    " N. G.",
    "Kasparov, Garry Kimovich, of a name that is long",
    // Stored one after the other, these seem to contain names that neither of them has.
    "Karp",
    "ov, Karpov",
    "Garry, G\u{e1}",
    "rry. (3)!",
    "Kasparo\u{301}v",
];

const PATTERNS: &[&str] = &[
    "kasparov, g*",
    "KASPAROV*",
    "kasparov",
    "*garry*",
    "*g",
    "k*",
    "muller*",
    "Müller*",
    "*ß",
    "алёхин*",
    "*",
    "",
    "?",
    "li",
    "li *",
    "12345678*",
    "1*8",
    "*kelly*way",
    "aero*",
    "ae*",
    "n g",
    "nobody at all",
    "*kimovich*name*",
    "kasparov garry kimovich of a name that is long",
    "*garry",
    "*rry",
    "*spar*",
    "*k*",
    "*karpov*",
    "*garry*3",
    "*long",
    "*g *",
    "*ov",
    "* k*y *",
    "*a name that is long",
];

fn facts() -> impl Strategy<Value = GameHeader<'static>> {
    let name = || prop_oneof![4 => proptest::sample::select(NAMES).prop_map(Into::into), 1 => any::<String>().prop_map(Into::into)];
    let elo = || prop_oneof![Just(0), 2300..2700u16, any::<u16>()];
    let date = (prop_oneof![Just(0), 1985..1995u32], 0..13u32, 0..32u32).prop_map(|(y, m, d)| Date::new(y, m, d));
    let eco = prop_oneof![Just(Eco::default()), (0..500usize).prop_map(|nth| Eco::all().nth(nth).expect("one of 500"))];
    let result = proptest::sample::select(GameResult::ALL);
    let ending = proptest::sample::select(Ending::ALL);
    let class = proptest::sample::select(TimeClass::ALL);
    let names = (name(), name(), name(), name());
    let facts = (names, elo(), elo(), date, eco, result, ending, class).prop_map(
        |((white, black, event, site), white_elo, black_elo, date, eco, result, ending, time_class)| {
            let (chess960, incomplete) = (false, date.day() % 3 == 1);
            GameHeader {
                white,
                black,
                event,
                site,
                date,
                white_elo,
                black_elo,
                eco,
                result,
                ending,
                time_class,
                incomplete,
                chess960,
                ..GameHeader::default()
            }
        },
    );
    let text = || prop_oneof![2 => Just("".into()), 4 => proptest::sample::select(NAMES).prop_map(Into::into)];
    (facts, text(), text(), text()).prop_map(|(facts, round, time_control, white_title)| GameHeader {
        round,
        time_control,
        white_title,
        ..facts
    })
}

fn test() -> impl Strategy<Value = HeaderTest> {
    let field = || {
        proptest::sample::select(&[
            NameField::White,
            NameField::Black,
            NameField::Event,
            NameField::Site,
            NameField::Source,
            NameField::Text(HeaderText::Round),
            NameField::Text(HeaderText::TimeControl),
            NameField::Text(HeaderText::WhiteTitle),
        ])
    };
    let which = proptest::sample::select(&[
        RatingField::White,
        RatingField::Black,
        RatingField::Average,
        RatingField::Difference,
    ]);
    let pattern = prop_oneof![
        3 => proptest::sample::select(PATTERNS).prop_map(NamePattern::new),
        1 => "[kKaA*? ,ßé]{0,6}".prop_map(|text| NamePattern::new(&text)),
    ];
    let day = || (1984..1996u32, 0..13u32, 0..32u32).prop_map(|(y, m, d)| Date::new(y, m, d));
    let code = || (0..500usize).prop_map(|nth| Eco::all().nth(nth).expect("one of 500"));
    prop_oneof![
        1 => any::<u16>().prop_map(HeaderTest::Result),
        1 => any::<u16>().prop_map(HeaderTest::Ending),
        1 => any::<u16>().prop_map(HeaderTest::TimeClass),
        1 => Just(HeaderTest::Incomplete),
        1 => (code(), code()).prop_map(|(from, to)| HeaderTest::Eco(EcoCodes::range(from, to))),
        1 => (code(), code()).prop_map(|(from, to)| HeaderTest::EcoTag(EcoCodes::range(from, to))),
        1 => (0..40u16, 0..40u16).prop_map(|(least, most)| HeaderTest::Plies { least, most }),
        1 => (day(), day()).prop_map(|(from, to)| HeaderTest::Date { from, to }),
        1 => (which, prop_oneof![Just(0), 2300..2700u16, any::<u16>()], any::<u16>())
            .prop_map(|(which, least, most)| HeaderTest::Elo { which, least, most }),
        1 => (prop_oneof![Just(i32::MIN), -300..300i32], prop_oneof![Just(i32::MAX), -300..300i32])
            .prop_map(|(least, most)| HeaderTest::EloLead { least, most }),
        1 => prop::collection::vec(any::<u64>(), 0..30).prop_map(|words| {
            let mut set = NamedSet::unbound("a-set");
            set.bind(words.into());
            HeaderTest::Set(set)
        }),
        6 => (field(), pattern).prop_map(|(field, pattern)| HeaderTest::Name { field, pattern }),
    ]
}

/// A corpus with these shards. The games of each shard come from two files, except those of the last shard, whose files are
/// unknown.
fn corpus(shards: &[Vec<GameHeader<'_>>]) -> Aligned {
    let mut header = CorpusFileHeader::empty();
    let mut bytes = header.to_bytes().to_vec();
    for (nth, games) in shards.iter().enumerate() {
        let mut builder = ShardBuilder::new();
        for (game, facts) in games.iter().enumerate() {
            if nth + 1 < shards.len() && (game == 0 || game == games.len() / 2) {
                builder.begin_source_file(NAMES[(nth + game) % NAMES.len()]);
            }
            let moves = vec![plyfold_core::moves::Move::NULL; game % 40];
            builder.push_game(facts, None, &moves, b"").expect("room");
        }
        let shard = builder.into_bytes();
        header.append(&shard).expect("a shard");
        bytes.extend_from_slice(&shard);
    }
    bytes[..64].copy_from_slice(&header.to_bytes());
    Aligned::new(&bytes)
}

fn agree(spans: &[GameSpan<'_>], tests: &[HeaderTest], size: u32) -> usize {
    let headers = CompiledHeaderTests::new(tests, spans);
    let mut matches = 0;
    for (nth, test) in tests.iter().enumerate() {
        let mut of_test = 0;
        for span in spans.iter().flat_map(|span| span.split(size)) {
            let mask = headers.evaluate(&span, nth);
            for game in 0..CompiledHeaderTests::MAX_GAMES {
                let expected = game < span.len() && test.matches(&span, game);
                let found = mask[game as usize / 64] >> (game % 64) & 1 != 0;
                assert_eq!(found, expected, "{test:?}, game {game}: {:?}", span.records().get(game as usize));
                of_test += usize::from(found);
            }
        }
        assert!(!headers.matches_no_name(nth) || of_test == 0);
        matches += of_test;
    }
    matches
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn masks_are_what_the_plain_way_says(
        shards in prop::collection::vec(prop::collection::vec(facts(), 1..120), 1..4),
        tests in prop::collection::vec(test(), 1..12),
        size in 1..513u32,
    ) {
        let bytes = corpus(&shards);
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("sound");
        let matches = agree(&corpus_spans(&corpus), &tests, size);
        // As the first version wrote it, but with source files.
        let older = Aligned::new(&CorpusParts::of(bytes.bytes()).of_old().bytes());
        let older = CorpusReader::open(older.bytes(), CorpusCheck::EveryByte).expect("sound");
        prop_assert!(older.shards().all(|shard| shard.columns.is_none()));
        prop_assert_eq!(agree(&corpus_spans(&older), &tests, size), matches);
    }
}

/// Formulas over this many bits.
fn formula(bits: usize) -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![1 => Just(Formula::True), 9 => (0..bits as u16).prop_map(Formula::Bit)];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| Formula::Not(Box::new(inner))),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Formula::And),
            prop::collection::vec(inner, 0..4).prop_map(Formula::Or),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn queries_of_headers_alone_are_their_formulas(
        some in prop::collection::vec(facts(), 1..60),
        sizes in prop::collection::vec(1..1300usize, 1..4),
        tests in prop::collection::vec(test(), 4),
        formulas in prop::collection::vec(formula(4), 3),
        verdict in formula(3),
        threads in 1..3usize,
    ) {
        let shards: Vec<Vec<_>> = sizes.iter().map(|&size| some.iter().cycle().take(size).cloned().collect()).collect();
        let bytes = corpus(&shards);
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("sound");
        let window = PlyWindow { occurrence: Occurrence::Header, ..PlyWindow::ANY_PLY };
        let conditions = formulas.into_iter().map(|formula| ScanCondition { formula, contrary: None, window: window.clone(), gate: None });
        let query = Query {
            names: Vec::new(),
            predicates: tests.iter().cloned().map(PositionPredicate::Header).collect(),
            conditions: conditions.collect(),
            gates: Vec::new(),
            verdict: verdict.clone(),
            position_verdict: verdict,
            evidence: None,
        };
        let (mut expected, mut plies) = (Vec::new(), 0);
        let spans = corpus_spans(&corpus);
        for (span, nth) in spans.iter().flat_map(|span| (0..span.len()).map(move |nth| (span, nth))) {
            let passed = |test: u16| tests[usize::from(test)].matches(span, nth);
            if query.verdict.holds_where(&|n| query.conditions[usize::from(n)].formula.holds_where(&passed)) {
                expected.push(span.first_game.0 + nth);
                plies += u64::from(span.record(nth).plies);
            }
        }
        let selection = ReducerSelection { games: true, positions_count: true, ..ReducerSelection::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let found = pool.install(|| run_query(&spans, &query, &selection, &())).expect("nobody cancels");
        prop_assert_eq!(found.games.iter().flat_map(|set| set.iter()).map(|game| game.0).collect::<Vec<_>>(), expected.clone());
        prop_assert_eq!((found.count.games, found.count.positions), (expected.len() as u64, plies));
        prop_assert_eq!((found.work.games, found.work.plies), (corpus.header.games, corpus.header.plies));
        prop_assert_eq!((found.work.plies_replayed, found.work.games_rejected_early), (0, corpus.header.games - expected.len() as u64));
    }
}

/// More games than a mask holds, and every pattern with every name.
#[test]
fn every_pattern_with_every_name() {
    let facts = |nth: usize| {
        let name = |step: usize| NAMES[nth / step % NAMES.len()].into();
        GameHeader { white: name(1), black: name(3), event: name(7), site: name(9), ..GameHeader::default() }
    };
    let games: Vec<_> = (0..700).map(facts).collect();
    let bytes = corpus(&[games.clone(), games]);
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("sound");
    let fields = [NameField::White, NameField::Black, NameField::Event, NameField::Site, NameField::Source];
    let tests: Vec<_> = fields
        .into_iter()
        .flat_map(|field| PATTERNS.iter().map(move |text| HeaderTest::Name { field, pattern: NamePattern::new(text) }))
        .collect();
    assert!(agree(&corpus_spans(&corpus), &tests, 512) > 10_000);
}

#[test]
fn a_name_that_nobody_has_is_said_with_those_that_are_near() {
    let game = |white: &'static str, event: &'static str| GameHeader {
        white: white.into(),
        black: "Li, Chao".into(),
        event: event.into(),
        ..GameHeader::default()
    };
    let bytes = corpus(&[vec![game("Kasparov, Garry", "Linares"), game("Carlsen, Magnus", "Wijk aan Zee")]]);
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("sound");
    let spans = corpus_spans(&corpus);
    let said = |field, text: &str| {
        let tests = [HeaderTest::Result(2), HeaderTest::Name { field, pattern: NamePattern::new(text) }];
        find_unknown_name(&CompiledHeaderTests::new(&tests, &spans), &spans)
            .map(|unknown| (unknown.test, unknown.to_string()))
    };
    assert_eq!(said(NameField::White, "kasparov*"), None);
    // The name exists, but only with the other colour.
    assert_eq!(said(NameField::White, "li chao"), None);
    let near = "no player of this corpus has the name \"Kasparof*\": did you mean \"Kasparov, Garry\"?";
    assert_eq!(said(NameField::Black, "Kasparof*"), Some((1, near.into())));
    let near = "no event of this corpus has the name \"Linnares\": did you mean \"Linares\"?";
    assert_eq!(said(NameField::Event, "Linnares"), Some((1, near.into())));
    let none = "no source file of this corpus has the name \"x.pgn\"";
    assert_eq!(said(NameField::Source, "x.pgn"), Some((1, none.into())));
}

/// The opening names of the command line and the page.
#[test]
fn openings_have_the_codes_that_players_know() {
    let openings = OpeningNames::new(plyfold_openings::LINES);
    assert!(openings.len() > 3000);
    let codes = |name: &str| -> Vec<String> {
        let opening = openings.resolve(name).unwrap_or_else(|unknown| panic!("{unknown}"));
        let range = |(from, to): (Eco, Eco)| if from == to { from.to_string() } else { format!("{from}-{to}") };
        opening.codes.ranges().map(range).collect()
    };
    // Scheveningen games have the code B84 too.
    assert_eq!(codes("sicilian najdorf"), ["B84", "B90-B99"]);
    assert_eq!(codes("Najdorf"), codes("sicilian: NAJDORF"));
    assert_eq!(codes("nimzo indian"), ["E20-E59"]);
    assert_eq!(codes("caro-kann"), ["B10-B19"]);
    assert_eq!(codes("caro kann advance"), ["B12"]);
    assert_eq!(codes("French"), ["C00-C19"]);
    assert_eq!(codes("ruy lopez"), ["C60-C99"]);
    assert_eq!(codes("ruylopez berlin"), ["C65-C67"]);
    // Some of its lines have the code of another opening.
    assert_eq!(codes("Grünfeld Defence"), ["A56", "D80-D99", "E60"]);
    let unknown = openings.resolve("Sicillian Najdorf").expect_err("misspelt").nearest;
    assert_eq!(unknown.first().map(String::as_str), Some("Sicilian Defense: Najdorf Variation"), "{unknown:?}");
}
