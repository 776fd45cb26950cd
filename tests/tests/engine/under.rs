//! Images under flips, rotations and shifts: the engine finds the same as their naive expansion.

use std::cell::Cell;

use plyfold_core::board::make::FullState;
use plyfold_core::board::start::PackedStart;
use plyfold_core::board::{Board, PieceCode};
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameId, corpus_spans};
use plyfold_core::query::forms::Leaf;
use plyfold_core::query::transformed::ImageMatcher;
use plyfold_core::query::tree::QueryTree;
use plyfold_core::query::{compile, parse};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::transform::composite::CompositeTransform;
use plyfold_core::transform::{Transform, position_text};
use plyfold_tests::games::{Aligned, PlayedGame, corpus, play};
use plyfold_tests::images;
use plyfold_tests::oracle::Trace;
use plyfold_tests::queries::{cases, games, whole_leaf};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;
use shakmaty::Role;

/// The query with every image written out.
fn expanded(text: &str) -> Option<String> {
    let QueryTree::Leaf(Leaf::Under(under)) = parse::parse(text).expect(text) else { return None };
    let what = under.pattern.to_string();
    let (word, quoted) = what.split_once(' ').expect("a word and a text");
    let all = images::images(word, quoted.trim_matches('"'), &under.families);
    let each: Vec<String> = all.iter().map(|(_, text)| format!("{word} \"{text}\"")).collect();
    // Keeps the number of predicates below the limit of a query.
    (each.len() <= 16).then(|| each.join(" or "))
}

/// Asserts that the engine finds the same for a leaf as the slow twin, and as a query of the images one by one. Returns the
/// number of positions.
fn compare(games: &[PlayedGame], leaf: &str, shard: usize) -> Result<u64, TestCaseError> {
    let bytes = Aligned::new(&corpus(games, shard));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let spans = corpus_spans(&corpus);
    let selection = ReducerSelection { games: true, positions_count: true, ..ReducerSelection::default() };
    let query = compile(leaf).expect(leaf);
    let found = run_query(&spans, &query, &selection, &()).expect("nobody cancels");

    let tree = parse::parse(leaf).expect(leaf);
    let (mut matching, mut positions) = (Vec::new(), 0);
    for (span, nth) in spans.iter().flat_map(|span| (0..span.len()).map(move |nth| (*span, nth))) {
        let trace = Trace::of(span, nth);
        positions += trace.matching_plies(&tree).len() as u64;
        if trace.matches(&tree) {
            matching.push(GameId(span.first_game.0 + nth));
        }
    }
    let games = found.games.as_ref().expect("games").iter().collect::<Vec<_>>();
    prop_assert_eq!(games, matching, "{}", leaf);
    prop_assert_eq!(found.count.positions, positions, "{}", leaf);
    // Requests for games alone take other access paths.
    let alone = ReducerSelection { games: true, ..ReducerSelection::default() };
    let alone = run_query(&spans, &query, &alone, &()).expect("nobody cancels");
    prop_assert_eq!(alone.games, found.games, "{}", leaf);

    if let Some(text) = expanded(leaf) {
        let query = compile(&text).expect(&text);
        let each = run_query(&spans, &query, &selection, &()).expect("nobody cancels");
        prop_assert_eq!(each.count, found.count, "{} is {}", leaf, text);
    }
    Ok(positions)
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn images_are_their_naive_expansion(games in games(), leaf in whole_leaf(), shard in 1usize..9) {
        compare(&games, &leaf, shard)?;
    }
}

/// Games from the usual array, and a query for an image of the pawns in one of their positions, sometimes with other pieces.
fn games_and_pawns() -> impl Strategy<Value = (Vec<PlayedGame>, String)> {
    // In long games some pawns advance far, to squares where an image has them at home.
    let choices = prop_oneof![
        2 => prop::collection::vec(any::<u16>(), 1..60),
        1 => prop::collection::vec(any::<u16>(), 80..240),
    ];
    let game = choices.prop_map(|choices| play(None, &choices));
    let turned = select(vec!["identity", "flipH", "flipcolor", "flipV"]);
    let under = select(vec!["mirror", "flips, rotations, colour flip", "flips, colour_flip", "colour flip, mirror"]);
    (prop::collection::vec(game, 1..80), any::<(Index, Index)>(), any::<u64>(), turned, under).prop_filter_map(
        "an image leaves the board",
        |(games, (game, ply), included, turned, under)| {
            let (_, moves) = game.get(&games);
            let mut board = Board::initial();
            for mv in &moves[..ply.index(moves.len()) + 1] {
                board.make::<FullState>(*mv);
            }
            // Pawns are always included, other pieces only in board patterns.
            let (word, open, included) =
                if included % 3 == 0 { ("board", '?', included) } else { ("structure", '1', 0) };
            let sign = |square: usize| match board.mailbox[square] {
                PieceCode::WHITE_PAWN => 'P',
                PieceCode::BLACK_PAWN => 'p',
                piece if included >> square & 1 != 0 => {
                    let letter = piece.role().map_or('.', Role::upper_char);
                    if piece.side().is_black() { letter.to_ascii_lowercase() } else { letter }
                }
                _ => open,
            };
            let rank = |rank: usize| (0..8).map(|file| sign(rank * 8 + file)).collect::<String>();
            let text: Vec<String> = (0..8).rev().map(rank).collect();
            let text = images::turned(word, &text.join("/"), Transform::named(turned).expect("a name"))?;
            Some((games, format!("{word} \"{text}\" under {under}")))
        },
    )
}

#[test]
#[ignore = "slow"]
fn images_of_what_comes_in_games_are_found() {
    let mut runner = TestRunner::new(ProptestConfig::with_cases(150));
    let found = Cell::new(0);
    let result = runner.run(&(games_and_pawns(), 1usize..200), |((games, leaf), shard)| {
        found.set(found.get() + compare(&games, &leaf, shard)?);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!(found.get() > 300, "{} positions", found.get());
}

/// The names of the images of a query that match `fen`.
fn names(text: &str, fen: &str) -> Vec<String> {
    let tree = parse::parse(text).expect(text);
    let found = ImageMatcher::for_query(&tree).expect("images");
    found.matching_images(&Board::from_start(&PackedStart::from_setup(&position_text::read_fen(fen).expect(fen))))
}

#[test]
fn the_image_that_matched_has_its_name() {
    let corner = "board \"????????/????????/????????/????????/????????/????????/?????PPP/??????K?\"";
    for (text, fen, expected) in [
        ("under mirror", "8/8/8/4k3/8/8/5PPP/6K1 w - - 0 1", vec!["identity"]),
        ("under mirror", "8/8/8/4k3/8/8/PPP5/1K6 w - - 0 1", vec!["flipH"]),
        ("under mirror", "1k6/ppp5/8/8/4K3/8/8/8 w - - 0 1", vec![]),
        ("under mirror, colour flip", "1k6/ppp5/8/8/4K3/8/8/8 w - - 0 1", vec!["flipH flipcolor"]),
        ("under colour_flip", "6k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1", vec!["identity", "flipcolor"]),
        ("under shifts", "8/8/8/4k3/8/2PPP3/3K4/8 w - - 0 1", vec!["shift:-3,1"]),
        ("under rot180, polish", "8/8/8/4K3/8/8/5ppp/6k1 w - - 0 1", vec!["polish"]),
    ] {
        assert_eq!(names(&format!("{corner} {text}"), fen), expected, "{text}: {fen}");
    }
    let fen = "fen \"r3k2r/8/8/8/8/8/8/4K2R w Kkq -\" under colour flip";
    assert_eq!(names(fen, "4k2r/8/8/8/8/8/8/R3K2R b KQk - 0 1"), ["flipcolor"]);
    // The pattern includes castling rights and the side to move.
    assert_eq!(names(fen, "4k2r/8/8/8/8/8/8/R3K2R b KQ - 0 1"), [""; 0]);
    assert_eq!(names(fen, "4k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1"), [""; 0]);
}

#[test]
fn images_off_the_board_and_equal_ones_drop_out() {
    let number = |text: &str| match parse::parse(text).expect(text) {
        QueryTree::Leaf(Leaf::Under(under)) => under.images().len(),
        other => panic!("{other} has no images"),
    };
    let kings = "board \"????????/????????/???k????/????????/???K????/????????/????????/????????\"";
    assert_eq!(number(&format!("{kings} under shifts")), 8 * 6);
    assert_eq!(number(&format!("{kings} under flips, rotations, colour flip")), 16);
    let middle =
        "board \"????????/????????/????????/???KK???/???KK???/????????/????????/????????\"".replace("KK", "nn");
    assert_eq!(number(&format!("{middle} under flips, rotations")), 1);
    assert_eq!(number(&format!("{middle} under flips, rotations, colour flip")), 2);
    // Pawns cannot be on the first or last rank.
    let pawns = "structure \"8/8/8/8/8/8/4PPPP/8\"";
    assert_eq!(number(&format!("{pawns} under rotations")), 2);
    assert_eq!(number(&format!("{pawns} under flips, rotations")), 4);
    assert_eq!(number(&format!("{pawns} under rank_shifts")), 6);
    assert_eq!(number("fen \"8/8/8/8/8/8/8/K1k5 w\" under shifts"), 6 * 8);
    assert_eq!(CompositeTransform::IDENTITY.to_string(), "identity");
}

#[test]
fn what_cannot_be_under_anything_is_refused_with_its_place() {
    for (text, place, message) in [
        ("queens_off under flips", "under", "only these have images"),
        ("board \"8/8/8/8/8/8/8/Kk6\" under", "", "a set of transforms is missing"),
        ("fen \"8/8/8/8/8/8/8/Kk6\" under flip", "flip", "did you mean `flips`"),
        ("fen \"8/8/8/8/8/8/8/Kk6\" under flips, , mirror", ", mirror", "a set of transforms is expected"),
        ("fen \"8/8/8/8/8/8/8/Kk6\" under shift(8,0)", "shift(8,0)", "at most 7 files"),
        ("fen \"8/8/8/8/8/8/8/Kk6\" under shift(1 0)", "0)", "`,` and the ranks"),
        ("{ fen \"8/8/8/8/8/8/8/Kk6\" } under flips", "under flips", "is missing here"),
    ] {
        let error = compile(text).expect_err(text);
        assert!(error.message.contains(message), "{text}: {error}");
        let rest = &text[error.from..];
        assert!(rest.starts_with(place) && (place.is_empty() == rest.is_empty()), "{text}: {rest}");
    }
    let many = "fen \"8/8/8/8/8/8/8/Kk6\" under mirror, mirror, mirror, mirror, mirror, mirror, mirror, mirror, mirror";
    assert!(compile(many).expect_err(many).message.contains("at most 8"));
}
