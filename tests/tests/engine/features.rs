//! Compares every feature, number and relation with its definition, written plainly square by square on positions of
//! shakmaty, in random games and, if they are beside the project, in real ones. Also checks dependencies: after a move that
//! changes nothing that a feature depends on, its value stays the same.

use crate::feature_definitions::{At, file, holds, rank};
use plyfold_core::board::history::PositionHistory;
use plyfold_core::board::make::FullState;
use plyfold_core::board::start::PackedStart;
use plyfold_core::board::{Board, ChangeMask};
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::moves::Move;
use plyfold_core::query::compile;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::measure::numbers::{MOVES_OF, NUMBERS, NumberOrigin, NumericFeature};
use plyfold_core::scan::measure::{BoardFeature, FEATURES};
use plyfold_core::scan::predicate::{AttackPredicate, AttackTarget, FeatureSquares, PositionPredicate};
use plyfold_tests::games::{Aligned, STARTS, corpus, play, position};
use plyfold_tests::{data, imported};
use proptest::prelude::*;
use shakmaty::{Bitboard, CastlingSide, Chess, Color, EnPassantMode, Position, Role, Setup, Square};

/// Start positions with few pieces, close to mate, stalemate and pins, and one in which only castling remains.
const MORE_STARTS: &[&str] = &[
    "8/8/8/8/8/5k2/6q1/7K w - - 0 1",
    "7k/5Q2/8/6K1/8/8/8/8 w - - 0 1",
    "k7/2Q5/8/1K6/8/8/p7/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/R3R1K1 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "4k3/2p1p1p1/8/1P1P1P2/1p1p1p2/8/2P1P1P1/4K3 w - - 0 1",
    "q3k2b/1p4p1/2p2n2/3p4/4P3/2N2P2/1P4P1/B3K2Q w - - 0 1",
    "5r1k/8/8/8/8/p5pp/P5PP/6KR w H - 0 1",
    "rnbqkb1r/1p2pppp/p2p1n2/8/2PNP3/2N5/PP3PPP/R1BQKB1R w KQkq - 0 1",
    "rnbqkb1r/pp2pppp/2p2n2/3p4/3P4/4PN2/PP3PPP/RNBQKB1R w KQkq - 0 1",
    "rnbqkb1r/pp3ppp/3ppn2/2pP4/2P1P3/5N2/PP3PPP/RNBQKB1R w KQkq - 0 1",
    "3r4/4k1pp/r7/PP6/8/R5p1/5pP1/R3K3 w - - 0 1",
    "2b1kb2/pp1ppp1p/2p3p1/8/2PP4/1P4P1/P3PP1P/2B1KB2 w - - 0 1",
];

/// Everything that makes positions equal: pieces, side to move, castling rights, legal en passant captures.
fn identity(position: &Chess) -> Setup {
    let setup = position.to_setup(EnPassantMode::Legal);
    Setup { halfmoves: 0, fullmoves: std::num::NonZeroU32::MIN, ..setup }
}

/// Both boards along one game.
struct Walked {
    board: Board,
    history: PositionHistory,
    position: Chess,
    castled: [[bool; 2]; 2],
    /// All earlier positions of the game.
    before: Vec<Setup>,
    /// The last measured squares, by feature and side.
    measured: Vec<[u64; 2]>,
    /// Whether each feature ever had a square, by side.
    met: Vec<[bool; 2]>,
}

impl Walked {
    fn on(position: Chess) -> Walked {
        let mut board = Board::from_start(&PackedStart::from_position(&position));
        let history = PositionHistory::starting_at(&mut board);
        let before = vec![identity(&position)];
        let (measured, met) = (vec![[0; 2]; FEATURES.len()], vec![[false; 2]; FEATURES.len()]);
        let mut walked = Walked { board, history, position, castled: [[false; 2]; 2], before, measured, met };
        walked.compare(u32::MAX);
        walked
    }

    fn play(&mut self, mv: shakmaty::Move) {
        if let Some(side) = mv.castling_side() {
            let black = usize::from(self.position.turn() == Color::Black);
            self.castled[black][usize::from(side == CastlingSide::QueenSide)] = true;
        }
        let change = self.board.make::<FullState>(Move::from(mv));
        self.history.push(&mut self.board);
        self.position.play_unchecked(mv);
        self.before.push(identity(&self.position));
        self.compare(change);
    }

    fn compare(&mut self, change: ChangeMask) {
        let at = At { position: &self.position, castled: self.castled };
        let fen = self.board.fen();
        for (nth, feature) in FEATURES.iter().enumerate() {
            for (side, colour) in Color::ALL.into_iter().enumerate() {
                let found = feature.squares_on(&self.board, colour);
                let expected: Bitboard =
                    Square::ALL.into_iter().filter(|&square| holds(feature.name, &at, colour, square)).collect();
                assert_eq!(Bitboard(found), expected, "{} of {colour} in {fen}", feature.name);
                if change & feature.dependencies_for(colour) == 0 {
                    assert_eq!(found, self.measured[nth][side], "{} depends on more: {fen}", feature.name);
                }
                if !feature.has_sides {
                    assert_eq!(found, feature.squares_on(&self.board, !colour), "{} in {fen}", feature.name);
                }
                assert!(feature.has_location || found == 0 || found == u64::MAX, "{} in {fen}", feature.name);
                self.measured[nth][side] = found;
                self.met[nth][side] |= found != 0;
            }
        }
        let on_board = |number: &&&NumericFeature| {
            !matches!(number.derived_from, NumberOrigin::Annotations(_) | NumberOrigin::Tables(_))
        };
        let legal = self.position.legal_moves();
        for number in NUMBERS.iter().chain(MOVES_OF.as_flattened()).filter(on_board) {
            let expected = match number.name {
                "king_distance" => {
                    let [white, black] = Color::ALL.map(|colour| at.all(colour, Role::King)[0]);
                    (file(white) - file(black)).abs().max((rank(white) - rank(black)).abs()).into()
                }
                "halfmove_clock" => i64::from(self.position.halfmoves()),
                "repetition" => {
                    let now = identity(&self.position);
                    self.before.iter().filter(|&before| *before == now).count() as i64
                }
                "other_turn" => {
                    let now = identity(&self.position);
                    let turned = Setup { turn: !now.turn, ..now.clone() };
                    let has_occurred = |before: &&Setup| now.ep_square.is_none() && **before == turned;
                    self.before.iter().filter(has_occurred).count() as i64
                }
                "legal_moves" => legal.len() as i64,
                name if name.starts_with("moves_of(") => {
                    let of_name = |mv: &&shakmaty::Move| {
                        let turn = if self.position.turn().is_white() { "white" } else { "black" };
                        let role = format!("{:?}", mv.role()).to_lowercase();
                        [role.as_str(), "piece"].iter().any(|kind| name == format!("moves_of({turn} {kind})"))
                    };
                    legal.iter().filter(of_name).count() as i64
                }
                name => panic!("{name} has no twin"),
            };
            assert_eq!((number.value)(&self.board), expected, "{} in {fen}", number.name);
        }
    }

    /// Compares attacks of each kind of piece on each kind of piece, and on some squares.
    fn compare_attacks(&self, region: u64) {
        let at = At { position: &self.position, castled: self.castled };
        let of_all = || Role::ALL.into_iter().map(Some).chain([None]);
        for (by, by_colour) in of_all().flat_map(|by| Color::ALL.map(|colour| (by, colour))) {
            let expected = |target: &dyn Fn(Square) -> bool| {
                let attackers = self.position.board().by_color(by_colour).into_iter();
                let attackers =
                    attackers.filter(|&piece| by.is_none_or(|by| self.position.board().role_at(piece) == Some(by)));
                attackers.into_iter().any(|piece| self.position.board().attacks_from(piece).into_iter().any(target))
            };
            let found = |target| {
                let by = FeatureSquares { feature: pieces(by), colour: by_colour, region: u64::MAX };
                PositionPredicate::Attacks(Box::new(AttackPredicate { attackers: by, target })).test(&self.board)
            };
            for (target, colour) in of_all().flat_map(|target| Color::ALL.map(|colour| (target, colour))) {
                let stands = |on: Square| {
                    let piece = at.piece(file(on), rank(on)).filter(|piece| piece.color == colour);
                    piece.is_some_and(|piece| target.is_none_or(|target| piece.role == target))
                };
                let asked = AttackTarget::Feature(FeatureSquares { feature: pieces(target), colour, region: u64::MAX });
                let text = format!("{by_colour} {by:?} attacks {colour} {target:?} in {}", self.board.fen());
                assert_eq!(found(asked), expected(&stands), "{text}");
            }
            let within = |on: Square| region >> on as u32 & 1 != 0;
            assert_eq!(found(AttackTarget::Region(region)), expected(&within), "{by:?} attacks {region:x}");
        }
    }
}

/// The feature of the pieces of a role, or of all pieces.
fn pieces(role: Option<Role>) -> &'static BoardFeature {
    let found =
        FEATURES.iter().find(|feature| role.map_or(feature.name == "piece", |role| feature.role() == Some(role)));
    found.expect("a feature of pieces")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn features_are_what_they_are_defined_to_be(
        start in prop::sample::select(STARTS.iter().copied().chain(MORE_STARTS.iter().map(|start| Some(*start))).collect::<Vec<_>>()),
        choices in prop::collection::vec(any::<u16>(), 1..120),
        region in any::<u64>(),
    ) {
        let mut walked = Walked::on(position(start));
        let mut last: Option<shakmaty::Move> = None;
        for choice in choices {
            let legal = walked.position.legal_moves();
            let Some(&any) = legal.get(usize::from(choice / 4) % legal.len().max(1)) else { break };
            // Prefers moves back, so that positions repeat, and rare kinds of moves.
            let back = legal.iter().find(|mv| last.is_some_and(|last| !mv.is_castle() && last.from() == Some(mv.to()) && mv.from() == Some(last.to())));
            let rare: Vec<_> = legal.iter().filter(|mv| mv.is_castle() || mv.is_en_passant() || mv.is_promotion() || mv.is_capture()).collect();
            let mv = match choice % 4 {
                0 if back.is_some() => *back.expect("there is one"),
                1 if !rare.is_empty() => *rare[usize::from(choice / 4) % rare.len()],
                _ => any,
            };
            last = Some(mv);
            walked.play(mv);
        }
        walked.compare_attacks(region);
    }
}

/// Regions: the whole board, one square, a file, several files, ranks, and some squares.
const PLACES: &[&str] = &["", " on e4", " on d", " on c d", " on 4..5", " on e1 g1 c1 e8 g8 c8"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_scan_finds_features_where_they_are(
        starts in prop::collection::vec(prop::sample::select(STARTS), 4),
        choices in prop::collection::vec(any::<u16>(), 1..150),
    ) {
        let games: Vec<_> = starts.iter().enumerate().map(|(nth, start)| play(*start, &choices[nth.min(choices.len())..])).collect();
        let bytes = Aligned::new(&corpus(&games, 3));
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        let spans = corpus_spans(&corpus);
        for feature in FEATURES {
            let sides: &[_] = if feature.has_sides { &[("white ", Color::White), ("black ", Color::Black)] } else { &[("", Color::White)] };
            let places = if feature.has_sides { PLACES } else { &PLACES[..1] };
            for (&(side, colour), place) in sides.iter().flat_map(|side| places.iter().map(move |place| (side, place))) {
                let text = format!("{side}{}{place}", feature.name);
                let query = compile(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
                let [PositionPredicate::FeatureInRegion(asked)] = query.predicates[..] else { panic!("{text} is more than one predicate") };
                prop_assert_eq!((asked.feature.name, asked.colour), (feature.name, colour));
                let mut expected = (0, 0);
                for game in spans.iter().flat_map(GameSpan::games) {
                    let mut board = game.start_board();
                    let holds = game.moves.iter().filter(|&&mv| {
                        board.make::<FullState>(mv);
                        feature.squares_on(&board, colour) & asked.region != 0
                    });
                    let number = holds.count() as u64;
                    expected = (expected.0 + u64::from(number > 0), expected.1 + number);
                }
                let selection = ReducerSelection { positions_count: true, ..ReducerSelection::default() };
                let found = run_query(&spans, &query, &selection, &()).expect("nobody cancels").count;
                prop_assert_eq!((found.games, found.positions), expected, "{}", text);
                let games = run_query(&spans, &query, &ReducerSelection::default(), &()).expect("nobody cancels").count.games;
                prop_assert_eq!(games, expected.0, "{}, games alone", text);
            }
        }
    }
}

/// Plays the game on both boards and compares them.
fn walk(span: &GameSpan<'_>, nth: u32, met: &mut [[bool; 2]]) {
    let Some(game) = span.games().nth(nth as usize) else { return };
    let Ok(start) = game.start_board().fen().into_position(shakmaty::CastlingMode::Chess960) else { return };
    let mut walked = Walked::on(start);
    for &ours in game.moves {
        let legal = walked.position.legal_moves();
        let Some(&mv) = legal.iter().find(|&&mv| Move::from(mv) == ours) else { break };
        walked.play(mv);
    }
    walked.compare_attacks(0x0042_0018_1800_4200);
    for (all, of_game) in met.iter_mut().zip(walked.met) {
        *all = [all[0] | of_game[0], all[1] | of_game[1]];
    }
}

/// The first game in which a scan finds a feature: its span and its place in it.
fn first_with<'a, 's>(
    feature: &BoardFeature,
    colour: Color,
    spans: &'a [GameSpan<'s>],
) -> Option<(&'a GameSpan<'s>, u32)> {
    let side = if feature.has_sides { ["black ", "white "][colour as usize] } else { "" };
    let query = compile(&format!("{side}{}", feature.name)).expect("a query");
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    let found = run_query(spans, &query, &selection, &()).expect("nobody cancels").games?;
    let mut first = found.iter().next()?.0;
    spans.iter().find_map(|span| {
        let within = (first < span.len()).then_some((span, first));
        first = first.wrapping_sub(span.len());
        within
    })
}

#[test]
#[ignore = "slow"]
fn features_of_real_games_are_what_they_are_defined_to_be() {
    let mut met = vec![[false; 2]; FEATURES.len()];
    for path in [Some(data::demo()), data::shared("lichess-elite-8k.pgn.zst")].into_iter().flatten() {
        let (bytes, _) = imported::file(&path);
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts).expect("just made");
        let spans = corpus_spans(&corpus);
        for span in &spans {
            (0..span.len()).step_by(50).for_each(|nth| walk(span, nth, &mut met));
        }
        // What is rare is looked for: a scan names a game, the definition says whether it is one.
        for (nth, feature) in FEATURES.iter().enumerate() {
            for (side, colour) in Color::ALL.into_iter().enumerate() {
                if !met[nth][side]
                    && let Some((span, game)) = first_with(feature, colour, &spans)
                {
                    walk(span, game, &mut met);
                }
            }
        }
    }
    // No demo game has a hedgehog of White. Every other feature occurs for both sides in some game.
    let missing = FEATURES.iter().zip(&met).filter(|(_, met)| **met != [true; 2]).map(|(feature, _)| feature.name);
    let missing: Vec<_> = missing.filter(|name| *name != "hedgehog").collect();
    assert!(missing.is_empty(), "not met for both sides: {missing:?}");
}
