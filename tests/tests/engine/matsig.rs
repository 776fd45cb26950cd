//! Compares material signatures with vectors made elsewhere and with shakmaty, and checks the laws that they must obey.

use std::collections::HashSet;

use plyfold_core::board::make::{MailboxOnly, WithPieceCounts};
use plyfold_core::board::start::PackedStart;
use plyfold_core::board::{Board, ByPiece, PieceCode};
use plyfold_core::irreversible::material::PackedPieceCounts;
use plyfold_core::matsig::reach::{self, ReachabilityRules, can_reach, can_reach_with};
use plyfold_core::matsig::target::{MaterialBounds as Bounds, ReachabilityTarget};
use plyfold_core::matsig::tracker::SignatureTracker;
use plyfold_core::matsig::{MatSig, SignaturePiece};
use plyfold_core::moves::Move;
use plyfold_tests::data::{self, facts, shared};
use plyfold_tests::games::{STARTS, play, position};
use plyfold_tests::imported;
use plyfold_tests::reach::{self as twin, ALL, ReachabilityQuestion};
use proptest::prelude::*;
use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Position, PositionError, Role};

/// Reference signatures and verdicts: all of them if they stand beside the project, otherwise some.
fn vectors() -> Value {
    let path = facts("matsig_vectors.json").unwrap_or_else(|| data::vectors("matsig.json"));
    serde_json::from_slice(&std::fs::read(path).expect("can be read")).expect("JSON")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("a text is wanted, not {value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("a list is wanted, not {value}"))
}

fn signature(white: &Value, black: &Value) -> MatSig {
    format!("{} {}", text(white), text(black)).parse().expect("a signature")
}

/// The signature of a FEN, even if the position is illegal.
fn of_fen(fen: &str) -> MatSig {
    let setup = fen.parse::<Fen>().unwrap_or_else(|error| panic!("{fen}: {error}")).into_setup();
    MatSig::from_setup(&setup).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

#[test]
fn positions_have_the_signatures_of_the_vectors() {
    let vectors = vectors();
    let mut compared = 0;
    for vector in list(&vectors["sigs"]) {
        let expected = signature(&vector["white"], &vector["black"]);
        assert_eq!(of_fen(text(&vector["fen"])), expected, "{}", vector["fen"]);
        compared += 1;
    }
    for vector in list(&vectors["flip"]) {
        let expected = signature(&vector["flipped"][0], &vector["flipped"][1]);
        let read = signature(&vector["sig"][0], &vector["sig"][1]);
        assert_eq!(read.flipped(), expected, "{}", vector["fen"]);
        assert_eq!(read, of_fen(text(&vector["fen"])), "{}", vector["fen"]);
        compared += 1;
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn games_have_the_signatures_of_the_vectors() {
    let vectors = vectors();
    let mut compared = 0;
    for game in list(&vectors["games"]) {
        let start: Fen = text(&game["start"]).parse().expect("a FEN");
        let mut position: Chess = start.into_position(CastlingMode::Chess960).expect("legal");
        let mut board = Board::from_start(&PackedStart::from_position(&position));
        let mut tracker = SignatureTracker::new(&board);
        let mut tracked = vec![tracker.signature(&board)];
        for mv in list(&game["uci"]) {
            let mv: UciMove = text(mv).parse().expect("UCI");
            let mv = mv.to_move(&position).expect("legal");
            position.play_unchecked(mv);
            tracker.follow(&board, Move::from(mv));
            board.make::<MailboxOnly>(Move::from(mv));
            tracked.push(tracker.signature(&board));
        }
        assert_eq!(Fen::from_position(&position, EnPassantMode::Legal).to_string(), text(&game["final_fen"]));
        for expected in list(&game["sigs"]) {
            let ply = expected["ply"].as_u64().expect("a ply") as usize;
            assert_eq!(tracked[ply], signature(&expected["white"], &expected["black"]), "{}, ply {ply}", game["note"]);
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

/// The signature, packed into its words from shakmaty's board.
fn naive(position: &Chess, steps: [Option<u32>; 2]) -> MatSig {
    let word = |colour: Color, steps: Option<u32>| {
        let mut word = 0;
        let mut numbers = [0; 5];
        for square in position.board().by_color(colour) {
            match position.board().role_at(square) {
                Some(Role::Pawn) => word |= 1 << ((u32::from(square.rank()) - 1) * 8 + u32::from(square.file())),
                Some(Role::Knight) => numbers[0] += 1,
                Some(Role::Bishop) => numbers[if square.is_light() { 1 } else { 2 }] += 1,
                Some(Role::Rook) => numbers[3] += 1,
                Some(Role::Queen) => numbers[4] += 1,
                _ => {}
            }
        }
        for (kind, number) in numbers.into_iter().enumerate() {
            word |= u64::min(number, 3) << (48 + 2 * kind);
        }
        word | steps.map_or(0, |steps| if steps >= 47 { 48 } else { u64::from(steps) + 1 }) << 58
    };
    MatSig { white: word(Color::White, steps[0]), black: word(Color::Black, steps[1]) }
}

/// The steps of the pawns of `colour`, if there are eight pawns.
fn steps_on_the_board(position: &Chess, colour: Color) -> Option<u32> {
    let pawns = position.board().pawns() & position.board().by_color(colour);
    let home = if colour.is_white() { shakmaty::Rank::Second } else { shakmaty::Rank::Seventh };
    (pawns.count() == 8).then(|| pawns.into_iter().map(|pawn| pawn.rank().distance(home)).sum())
}

/// Compares the code with `naive` at every position of a game.
fn follows_shakmaty(start: Option<&'static str>, moves: &[Move]) {
    let mut position = position(start);
    let mut board = Board::from_start(&PackedStart::from_position(&position));
    let mut tracker = SignatureTracker::new(&board);
    let mut steps = [Color::White, Color::Black].map(|colour| steps_on_the_board(&position, colour));
    assert_eq!(tracker.signature(&board), naive(&position, steps));
    for &mv in moves {
        tracker.follow(&board, mv);
        board.make::<MailboxOnly>(mv);
        position = if mv == Move::NULL {
            position.swap_turn().expect("passed")
        } else {
            let legal = position.legal_moves().into_iter().find(|&legal| Move::from(legal) == mv).expect("legal");
            if legal.role() == Role::Pawn {
                let made = legal.from().expect("no drop").rank().distance(legal.to().rank());
                let own = &mut steps[usize::from(position.turn().is_black())];
                *own = own.map(|steps| steps + made);
            }
            position.play_unchecked(legal);
            position
        };
        assert_eq!(tracker.signature(&board), naive(&position, steps));
        let alone = [Color::White, Color::Black].map(|colour| steps_on_the_board(&position, colour));
        assert_eq!(MatSig::from_board(&board), naive(&position, alone));
        assert_eq!(tracker.signature(&board).without_history(), MatSig::from_board(&board));
        same_numbers(&tracker.signature(&board), &position);
    }
}

/// Asserts that a signature has the piece counts of the position, if there are fewer than three pieces of each kind.
fn same_numbers(signature: &MatSig, position: &Chess) {
    let many = Color::ALL.into_iter().any(|colour| {
        let all = position.board();
        let of = |role: Role| all.by_piece(role.of(colour));
        let kinds = [of(Role::Knight), of(Role::Rook), of(Role::Queen)];
        let bishops = [of(Role::Bishop) & Bitboard::LIGHT_SQUARES, of(Role::Bishop) & Bitboard::DARK_SQUARES];
        kinds.into_iter().chain(bishops).any(|men| men.count() >= 3)
    });
    let expected = (!many).then(|| PackedPieceCounts::from_board(&counted(position)).by_piece_code());
    assert_eq!(signature.piece_counts(), expected);
}

/// A board with all its counts.
fn counted(position: &Chess) -> Board {
    Board::from_start(&PackedStart::from_position(position))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn tracked_signatures_equal_those_by_shakmaty(
        nth in 0..STARTS.len(),
        choices in prop::collection::vec(prop_oneof![20 => any::<u16>(), 1 => Just(u16::MAX)], 1..300),
    ) {
        let (start, moves) = play(STARTS[nth], &choices);
        follows_shakmaty(start, &moves);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Reachability

#[test]
fn verdicts_are_those_of_the_vectors() {
    let vectors = vectors();
    let mut verdicts = [0, 0];
    for vector in list(&vectors["pairs"]) {
        let (a, b) = (signature(&vector["a"][0], &vector["a"][1]), signature(&vector["b"][0], &vector["b"][1]));
        let expected = vector["can_reach"].as_bool().expect("a verdict");
        let loose = vector["note"].as_str().is_some_and(|note| note.contains("LOOSE"));
        let found = can_reach(&a, &b);
        assert!(found == expected || loose && !found, "{vector}: {found}");
        assert_eq!(twin::can_reach(&a, &b, ALL), expected, "the twin on {vector}");
        verdicts[usize::from(found)] += 1;
    }
    assert!(verdicts.iter().all(|&number| number > 10), "{verdicts:?}");
}

/// Styles of random games: each prefers certain moves in three of four plies.
const STYLES: [fn(&shakmaty::Move) -> bool; 5] = [
    |_| true,
    |mv| mv.is_capture(),
    |mv| mv.role() == Role::Pawn,
    |mv| mv.role() == Role::Pawn && mv.is_capture() || mv.is_promotion(),
    |mv| mv.role() != Role::Pawn && !mv.is_capture(),
];

/// Start positions with more material than the rules allow, and others in which much is about to happen.
const FREAKS: [&str; 9] = [
    "4k3/pppppppp/pppppp2/8/8/PPPPPP2/PPPPPPPP/4K3 w - - 0 1",
    "4k3/pppppppp/1p6/8/PPP5/PPPPPP2/8/4K3 w - - 0 1",
    "nnnnknnn/pppppppp/8/8/8/8/PPPPPPPP/NNNNKNNN w - - 0 1",
    "bbbbkbbb/pp4pp/2pppp2/8/8/2PPPP2/PP4PP/BBBBKBBB w - - 0 1",
    "qqqqkqqq/nnnnnnnn/8/8/8/8/RRRRRRRR/RRRRKRRR w - - 0 1",
    "4k3/PPP3PP/8/8/8/8/ppp3pp/4K3 w - - 0 1",
    "rnbqkbnr/ppp1pppp/8/8/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1",
    "4k3/1P4P1/1p1p1p2/2P1P3/2p1p3/1P1P1P2/1p4p1/4K3 b - - 0 1",
    "2n1k2n/1P4P1/8/p1p2p1p/P1P2P1P/8/1p4p1/2N1K2N w - - 0 1",
];

/// The position of a FEN that games can be played from, even with too much material.
fn freak(fen: &str) -> Chess {
    let setup = fen.parse::<Fen>().unwrap_or_else(|error| panic!("{fen}: {error}")).into_setup();
    Chess::from_setup(setup, CastlingMode::Chess960)
        .or_else(PositionError::ignore_too_much_material)
        .unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The known values of a position of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Stand {
    /// Its signature with the steps of its history as far as they are known, and without history.
    by: [MatSig; 2],
    /// How many pieces of each code there are.
    numbers: ByPiece<u8>,
    /// How many pawns White and Black have promoted so far.
    promoted: [i32; 2],
}

impl Stand {
    fn first(tracker: &SignatureTracker, board: &Board) -> Stand {
        Stand {
            by: [tracker.signature(board), MatSig::from_board(board)],
            numbers: board.piece_counts,
            promoted: [0; 2],
        }
    }

    /// The values after one more move.
    fn then(&self, tracker: &SignatureTracker, board: &Board, mv: Move) -> Stand {
        let mut stand = Stand { promoted: self.promoted, ..Stand::first(tracker, board) };
        stand.promoted[usize::from(board.side_to_move() == Color::White)] += i32::from(mv.promoted().is_some());
        stand
    }

    fn pawns(&self) -> [u64; 2] {
        [self.by[1].pawns(Color::White), self.by[1].pawns(Color::Black)]
    }
}

/// The positions of a game that differ in their signatures.
type Stands = Vec<Stand>;

/// A game of at most `plies` plies, with its own random numbers.
fn random_game(mut position: Chess, style: usize, seed: u64, plies: usize) -> Stands {
    let mut random = Random(seed);
    let mut board = Board::from_start(&PackedStart::from_position(&position));
    let mut tracker = SignatureTracker::new(&board);
    let mut stands = vec![Stand::first(&tracker, &board)];
    for _ in 0..plies {
        let legal = position.legal_moves();
        let liked: Vec<_> = legal.iter().copied().filter(STYLES[style]).collect();
        let among = if liked.is_empty() || random.below(4) == 0 { &legal[..] } else { &liked[..] };
        if among.is_empty() {
            break;
        }
        let mv = among[random.below(among.len())];
        position.play_unchecked(mv);
        tracker.follow(&board, Move::from(mv));
        board.make::<WithPieceCounts>(Move::from(mv));
        stands.push(stands[stands.len() - 1].then(&tracker, &board, Move::from(mv)));
    }
    stands.dedup_by_key(|stand| stand.by);
    stands
}

/// Pseudo-random numbers that are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most
    }
}

fn seed(nth: usize) -> u64 {
    (nth as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}

/// Random games in every style, from the usual array, from sharp positions and from freaks.
fn random_games(number: usize) -> Vec<Stands> {
    let freaks = FREAKS.map(freak);
    (0..number)
        .map(|nth| {
            let start = match nth / 5 % 4 {
                0 | 1 => Chess::default(),
                2 => position(STARTS[nth / 20 % STARTS.len()]),
                _ => freaks[nth / 20 % freaks.len()].clone(),
            };
            random_game(start, nth % 5, seed(nth), 250)
        })
        .collect()
}

/// Every `step`th game of 30,000 masters' games; without them, as many of the demo games, as far as there are so many.
fn real_games(step: usize) -> Vec<Stands> {
    let path = shared("master-30k.pgn.zst").unwrap_or_else(data::demo);
    let (bytes, _) = imported::file(&path);
    let corpus = plyfold_core::corpus::file::CorpusReader::open(
        bytes.bytes(),
        plyfold_core::corpus::file::CorpusCheck::WithoutTexts,
    );
    let corpus = corpus.expect("just made");
    let spans = plyfold_core::game::corpus_spans(&corpus);
    let step = (step as u64 * corpus.header.games).div_ceil(30_000) as usize;
    let games = spans.iter().flat_map(plyfold_core::game::GameSpan::games).step_by(step);
    games
        .map(|game| {
            let mut board = game.start_board();
            let mut tracker = SignatureTracker::new(&board);
            let mut stands = vec![Stand::first(&tracker, &board)];
            for &mv in game.moves {
                tracker.follow(&board, mv);
                board.make::<WithPieceCounts>(mv);
                stands.push(stands[stands.len() - 1].then(&tracker, &board, mv));
            }
            stands.dedup_by_key(|stand| stand.by);
            stands
        })
        .collect()
}

/// Counts the pairs of an earlier and a later position of one game, in all four modes, that `decide` calls unreachable.
fn refused(games: &[Stands], decide: impl Fn(&MatSig, &MatSig) -> bool) -> (u64, u64, Option<(MatSig, MatSig)>) {
    let (mut asked, mut refused, mut first) = (0, 0, None);
    for game in games {
        for (nth, earlier) in game.iter().enumerate() {
            for later in &game[nth..] {
                for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    asked += 1;
                    if !decide(&earlier.by[a], &later.by[b]) {
                        refused += 1;
                        first = first.or(Some((earlier.by[a], later.by[b])));
                    }
                }
            }
        }
    }
    (asked, refused, first)
}

#[test]
fn what_a_game_has_reached_can_be_reached() {
    for (name, games) in [("random", random_games(500)), ("real", real_games(60))] {
        let (asked, refused, first) = refused(&games, can_reach);
        println!("{name}: {asked} pairs of {} games", games.len());
        assert_eq!(refused, 0, "{name}: {first:?}");
        assert!(asked > 500_000, "{name}: {asked}");
    }
}

/// A wrong rule: a pawn may make one capture fewer than the other side has lost pieces.
struct OneCaptureLess;
impl ReachabilityRules for OneCaptureLess {
    const CAPTURES_WITHHELD: i32 = 1;
}
/// A wrong rule: a captured pawn has made at most four steps.
struct CapturedEarly;
impl ReachabilityRules for CapturedEarly {
    const MAX_STEPS_OF_CAPTURED: i32 = 4;
}
/// A wrong rule: White promotes on a light square on the b-file.
struct ColoursExchanged;
impl ReachabilityRules for ColoursExchanged {
    const LIGHT_FILES: u64 = !reach::ChessRules::LIGHT_FILES;
}
/// A wrong rule: a capture touches only one file.
struct OneFile;
impl ReachabilityRules for OneFile {
    const FILES_PER_CAPTURE: i32 = 1;
}

#[test]
fn wrong_rules_are_found_out() {
    let games = random_games(400);
    for (name, decide) in [
        ("a capture less", can_reach_with::<OneCaptureLess> as fn(&MatSig, &MatSig) -> bool),
        ("captured early", can_reach_with::<CapturedEarly>),
        ("colours exchanged", can_reach_with::<ColoursExchanged>),
        ("one file", can_reach_with::<OneFile>),
    ] {
        let (asked, refused, _) = refused(&games, decide);
        println!("{name}: {refused} of {asked} pairs refused");
        assert!(refused > 0, "{name}");
    }
}

/// Pairs that are hard to decide: from one game in both orders, from two games, and with random changes.
fn pairs(games: &[Stands], number: usize, random: &mut Random) -> Vec<(MatSig, MatSig)> {
    let mut pairs = Vec::new();
    while pairs.len() < number {
        let game = &games[random.below(games.len())];
        let other = &games[if random.below(3) == 0 { random.below(games.len()) } else { 0 }];
        let other = if random.below(3) == 0 { other } else { game };
        let a = game[random.below(game.len())].by[random.below(2)];
        let mut b = other[random.below(other.len())].by[random.below(2)];
        for _ in 0..random.below(4) {
            let word = if random.below(2) == 0 { &mut b.white } else { &mut b.black };
            match random.below(8) {
                0 => *word ^= 1 << (48 + random.below(10)),
                1 => *word ^= 1 << (58 + random.below(6)),
                2 => *word ^= 1 << random.below(48),
                // Moves a pawn to another square.
                _ => {
                    let (from, to) = (random.below(48), random.below(48));
                    if *word >> from & 1 != 0 {
                        *word = *word & !(1 << from) | 1 << to;
                    }
                }
            }
        }
        // Two pawns never share a square.
        if b.white & b.black & 0xffff_ffff_ffff == 0 {
            pairs.push((a, b));
        }
    }
    pairs
}

#[test]
fn verdicts_are_those_of_the_twin() {
    for (name, games) in [("random", random_games(200)), ("real", real_games(100))] {
        if games.is_empty() {
            continue;
        }
        let mut verdicts = [0, 0];
        for (a, b) in pairs(&games, 60_000, &mut Random(seed(7))) {
            let expected = twin::can_reach(&a, &b, ALL);
            assert_eq!(can_reach(&a, &b), expected, "{name}: {a} -> {b}");
            verdicts[usize::from(expected)] += 1;
        }
        println!("{name}: {verdicts:?}");
        assert!(verdicts.iter().all(|&number| number > 5_000), "{name}: {verdicts:?}");
    }
}

/// Any number of pawns anywhere. Some of them move on, also to other files, and some vanish. There are also some pieces.
fn scattered(random: &mut Random) -> (MatSig, MatSig) {
    let most = if random.below(4) == 0 { 14 } else { 9 };
    let mut words = [[0u64; 2]; 2];
    for side in &mut words {
        for _ in 0..random.below(most) {
            let square = random.below(48);
            side[0] |= 1 << square;
        }
    }
    words[1][0] &= !words[0][0];
    for (colour, [before, after]) in words.iter_mut().enumerate() {
        for square in (0..48).filter(|square| *before >> square & 1 != 0) {
            if random.below(5) == 0 {
                continue;
            }
            let ahead = random.below(4) as i32;
            let aside = (random.below(7) as i32 - 3).clamp(-ahead, ahead);
            let aside = if random.below(3) == 0 { aside } else { 0 };
            let (rank, file) = (square / 8 + if colour == 0 { ahead } else { -ahead }, square % 8 + aside);
            if (0..6).contains(&rank) && (0..8).contains(&file) {
                *after |= 1 << (8 * rank + file);
            }
        }
        let men = |random: &mut Random| (0..5).map(|kind| (random.below(3) as u64) << (48 + 2 * kind)).sum::<u64>();
        (*before, *after) = (*before | men(random), *after | men(random));
        for word in [before, after] {
            *word |= if random.below(3) == 0 { random.below(49) as u64 } else { 0 } << 58;
        }
    }
    words[1][1] &= !(words[0][1] & 0xffff_ffff_ffff);
    let [[white, white_after], [black, black_after]] = words;
    (MatSig { white, black }, MatSig { white: white_after, black: black_after })
}

#[test]
fn verdicts_on_scattered_pawns_are_those_of_the_twin() {
    let (mut verdicts, mut crowds) = ([0, 0], [0, 0]);
    let mut random = Random(seed(11));
    for _ in 0..40_000 {
        let (a, b) = scattered(&mut random);
        let expected = twin::can_reach(&a, &b, ALL);
        assert_eq!(can_reach(&a, &b), expected, "{a} -> {b}");
        verdicts[usize::from(expected)] += 1;
        let from = |colour| (a.pawns(colour) & !b.pawns(colour)).count_ones();
        if from(Color::White).max(from(Color::Black)) > 8 {
            crowds[usize::from(expected)] += 1;
        }
    }
    println!("scattered: {verdicts:?}, more than eight pawns to match: {crowds:?}");
    assert!(verdicts.iter().all(|&number| number > 2_000), "{verdicts:?}");
    assert!(crowds.iter().all(|&number| number > 100), "{crowds:?}");
}

/// All arrangements of pawns on five ranks of the e-file without captures. The pawns that vanish become queens.
#[test]
fn pawns_of_a_file_keep_their_order() {
    let column = |mut nth: u32| {
        let mut pawns = [0u64; 2];
        for rank in 0..5 {
            if !nth.is_multiple_of(3) {
                pawns[nth as usize % 3 - 1] |= 1 << (8 * rank + 4);
            }
            nth /= 3;
        }
        pawns
    };
    let mut verdicts = [0, 0];
    for (before, after) in (0..243).flat_map(|before| (0..243).map(move |after| (column(before), column(after)))) {
        let queens = |side: usize| before[side].count_ones().checked_sub(after[side].count_ones());
        if let (Some(white @ 0..4), Some(black @ 0..4)) = (queens(0), queens(1)) {
            let a = MatSig { white: before[0], black: before[1] };
            let b = MatSig { white: after[0] | u64::from(white) << 56, black: after[1] | u64::from(black) << 56 };
            let expected = twin::can_reach(&a, &b, ALL);
            assert_eq!(can_reach(&a, &b), expected, "{a} -> {b}");
            verdicts[usize::from(expected)] += 1;
        }
    }
    assert!(verdicts.iter().all(|&number| number > 1_000), "{verdicts:?}");
}

#[test]
fn everything_reaches_itself_and_verdicts_turn_with_the_board() {
    let games = [random_games(200), real_games(300)].concat();
    for game in &games {
        for Stand { by: [exact, alone], .. } in game {
            assert!(can_reach(exact, exact) && can_reach(alone, alone), "{exact}");
        }
    }
    for (a, b) in pairs(&games, 60_000, &mut Random(seed(8))) {
        let verdict = can_reach(&a, &b);
        assert_eq!(can_reach(&a.flipped(), &b.flipped()), verdict, "{a} -> {b}");
        assert_eq!(can_reach(&a.mirrored(), &b.mirrored()), verdict, "{a} -> {b}");
    }
}

/// Reachability is transitive among signatures that all know their steps, and among those that all do not. Through a
/// signature that does not know them, it need not be.
#[test]
fn what_is_reached_from_there_is_reached_from_here() {
    for mode in [0, 1] {
        let mut random = Random(seed(9));
        let starts = (0..150).map(|nth| random_game(Chess::default(), nth % 5, seed(nth), 250));
        let games: Vec<Stands> = starts.chain(real_games(200)).collect();
        let mut premises = 0;
        for _ in 0..300_000 {
            // Signatures of one, two or three games, in order within the same game.
            let mut places = [0; 3].map(|_| random.below(1 << 16));
            places.sort_unstable();
            let (first, second) = (random.below(games.len()), random.below(games.len()));
            let of = [[first, first, second], [first, second, second], [first, second, first]][random.below(3)];
            let [a, b, c] = [0, 1, 2].map(|nth| {
                let game = &games[of[nth]];
                game[(places[nth] * game.len()) >> 16].by[mode]
            });
            if can_reach(&a, &b) && can_reach(&b, &c) {
                premises += 1;
                assert!(can_reach(&a, &c), "{a} -> {b} -> {c}");
            }
        }
        assert!(premises > 10_000, "{premises}");
    }
}

/// Each rule refuses pairs that the others accept.
#[test]
fn no_rule_is_idle() {
    let games = random_games(200);
    let pairs = pairs(&games, 40_000, &mut Random(seed(10)));
    let refused = |asked: ReachabilityQuestion| pairs.iter().filter(|(a, b)| !twin::can_reach(a, b, asked)).count();
    let by_all = refused(ALL);
    for asked in [
        ReachabilityQuestion { matching: false, ..ALL },
        ReachabilityQuestion { steps: false, ..ALL },
        ReachabilityQuestion { files: false, ..ALL },
    ] {
        assert!(refused(asked) < by_all, "{asked:?}");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// A game that can be searched completely

/// A few pawns with their squares, and a few pieces without squares. More is allowed than in chess: pieces block nothing,
/// capture and are captured anywhere, and the sides need not alternate.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Loose {
    /// As in the words of a signature.
    pawns: [u64; 2],
    counts: [[u8; 5]; 2],
    /// Steps so far, including those before the first position.
    steps: [u8; 2],
}

impl Loose {
    fn random(random: &mut Random) -> Loose {
        let mut loose = Loose { pawns: [0; 2], counts: [[0; 5]; 2], steps: [0; 2] };
        for _ in 0..1 + random.below(4) {
            let (colour, square) = (random.below(2), random.below(48));
            if (loose.pawns[0] | loose.pawns[1]) >> square & 1 == 0 {
                loose.pawns[colour] |= 1 << square;
                loose.steps[colour] += Loose::advance(colour, square) as u8;
            }
        }
        for _ in 0..random.below(4) {
            loose.counts[random.below(2)][random.below(5)] += 1;
        }
        for colour in 0..2 {
            let gone = 8 - loose.pawns[colour].count_ones() as usize;
            loose.steps[colour] += random.below(6 * gone + 1).min(24) as u8;
        }
        loose
    }

    fn advance(colour: usize, square: usize) -> usize {
        if colour == 0 { square / 8 } else { 5 - square / 8 }
    }

    /// Its signature, with or without the steps of both sides.
    fn signature(&self, knows_steps: bool) -> MatSig {
        let word = |colour: usize| {
            let counts = self.counts[colour].iter().enumerate();
            let counts = counts.fold(0, |word, (kind, &count)| word | u64::from(count.min(3)) << (48 + 2 * kind));
            self.pawns[colour] | counts | u64::from(if knows_steps { self.steps[colour].min(47) + 1 } else { 0 }) << 58
        };
        MatSig { white: word(0), black: word(1) }
    }

    /// Passes every state that one move leads to.
    fn moves(&self, mut to: impl FnMut(Loose)) {
        for colour in 0..2 {
            // Something captures this pawn.
            for square in (0..48).filter(|square| self.pawns[colour] >> square & 1 != 0) {
                let mut next = *self;
                next.pawns[colour] ^= 1 << square;
                to(next);
                self.pawn_moves(colour, square, &mut to);
            }
            for kind in (0..5).filter(|&kind| self.counts[colour][kind] > 0) {
                let mut next = *self;
                next.counts[colour][kind] -= 1;
                to(next);
            }
        }
    }

    fn pawn_moves(&self, colour: usize, square: usize, to: &mut impl FnMut(Loose)) {
        let (rank, file) = ((square / 8) as i32, (square % 8) as i32);
        let up = if colour == 0 { 1 } else { -1 };
        let nobody = |rank: i32, file: i32| {
            !(0..6).contains(&rank) || (self.pawns[0] | self.pawns[1]) >> (8 * rank + file) & 1 == 0
        };
        let mut lifted = *self;
        lifted.pawns[colour] ^= 1 << square;
        // Puts down the pawn, or the piece that it promotes to.
        let mut arrive = |from: Loose, ranks: i32, file: i32| {
            let (mut next, rank) = (from, rank + up * ranks);
            next.steps[colour] += ranks as u8;
            if (0..6).contains(&rank) {
                next.pawns[colour] |= 1 << (8 * rank + file);
                return to(next);
            }
            // Words begin on the second rank, and a1 is dark.
            let bishop = if (rank + 1 + file) % 2 != 0 { 1 } else { 2 };
            for kind in [0, bishop, 3, 4] {
                let mut promoted = next;
                promoted.counts[colour][kind] += 1;
                to(promoted);
            }
        };
        if nobody(rank + up, file) {
            arrive(lifted, 1, file);
            if Loose::advance(colour, square) == 0 && nobody(rank + 2 * up, file) {
                arrive(lifted, 2, file);
            }
        }
        for beside in [file - 1, file + 1].into_iter().filter(|file| (0..8).contains(file)) {
            let target = rank + up;
            let light = (target + 1 + beside) % 2 != 0;
            if !nobody(target, beside) {
                let mut taken = lifted;
                taken.pawns[1 - colour] &= !(1 << (8 * target + beside));
                if taken != lifted {
                    arrive(taken, 1, beside);
                }
                continue;
            }
            for kind in (0..5).filter(|&kind| kind != if light { 2 } else { 1 }) {
                let mut taken = lifted;
                if taken.counts[1 - colour][kind] > 0 {
                    taken.counts[1 - colour][kind] -= 1;
                    arrive(taken, 1, beside);
                }
            }
            // En passant, wherever a double step may just have ended.
            let stepped = self.pawns[1 - colour] & 1 << (8 * rank + beside);
            if stepped != 0 && Loose::advance(colour, square) == 3 && nobody(target + up, beside) {
                let mut taken = lifted;
                taken.pawns[1 - colour] ^= stepped;
                arrive(taken, 1, beside);
            }
        }
    }

    /// All reachable states; `None` if there are too many.
    fn reached(self) -> Option<HashSet<Loose>> {
        let mut reached = HashSet::from([self]);
        let mut rest = vec![self];
        while let Some(state) = rest.pop() {
            state.moves(|next| {
                if reached.insert(next) {
                    rest.push(next);
                }
            });
            if reached.len() > 8_000 {
                return None;
            }
        }
        Some(reached)
    }
}

#[test]
#[ignore = "slow"]
fn a_game_searched_to_its_end_agrees() {
    let mut random = Random(seed(14));
    let (mut searches, mut pairs) = (0, 0);
    // The number of candidates that are accepted, and of those that are reached, without and with steps.
    let (mut accepted, mut truly) = ([0; 2], [0; 2]);
    while searches < 300 {
        let start = Loose::random(&mut random);
        let Some(reached) = start.reached() else { continue };
        searches += 1;
        for knows_steps in [false, true] {
            let from = start.signature(knows_steps);
            let signatures: HashSet<MatSig> = reached.iter().map(|state| state.signature(knows_steps)).collect();
            for to in &signatures {
                assert!(can_reach(&from, to), "{from} -> {to}");
                pairs += 1;
            }
            // Neighbours of reached states: a pawn on another square, a piece more or less, another number of steps.
            let mut near: Vec<Loose> = reached.iter().copied().collect();
            near.sort_unstable_by_key(|state| state.signature(true));
            for _ in 0..500 {
                let mut state = near[random.below(near.len())];
                let colour = random.below(2);
                match random.below(4) {
                    0 => state.counts[colour][random.below(5)] += 1,
                    1 => state.steps[colour] += random.below(3) as u8,
                    _ => {
                        let (square, to) = (random.below(48), random.below(48));
                        if (state.pawns[0] | state.pawns[1]) >> to & 1 == 0 && state.pawns[colour] >> square & 1 != 0 {
                            state.pawns[colour] ^= 1 << square | 1 << to;
                        }
                    }
                }
                let to = state.signature(knows_steps);
                accepted[usize::from(knows_steps)] += u32::from(can_reach(&from, &to));
                truly[usize::from(knows_steps)] += u32::from(signatures.contains(&to));
            }
        }
    }
    println!("{pairs} pairs of {searches} searches; of candidates {accepted:?} accepted, {truly:?} reached");
    for (accepted, truly) in accepted.into_iter().zip(truly) {
        assert!(truly <= accepted && accepted * 9 < truly * 10, "{accepted} accepted, {truly} reached");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Reachability targets

/// The early and the late test of a target are no stricter than the verdict on the two signatures.
#[test]
fn what_can_be_reached_survives() {
    let saturated = |a: &MatSig| {
        Color::ALL.into_iter().any(|side| SignaturePiece::ALL.into_iter().any(|kind| a.count(side, kind) == 3))
    };
    for (name, games) in [("random", random_games(200)), ("real", real_games(100))] {
        if games.is_empty() {
            continue;
        }
        let mut random = Random(seed(12));
        // Refused by the verdict, by the early and by the late test of the target.
        let (mut asked, mut refused) = (0, [0; 3]);
        for _ in 0..200_000 {
            let (game, other) = (&games[random.below(games.len())], &games[random.below(games.len())]);
            let game = if random.below(4) == 0 { other } else { game };
            let (now, later) = (&game[random.below(game.len())], &other[random.below(other.len())]);
            // Three knights on a board are exactly three, but three in a signature mean three or more. And where steps are
            // known there were eight pawns at first. A target with more than eight pawns uses that, and the verdict does not.
            if saturated(&now.by[0]) || now.pawns().iter().any(|pawns| pawns.count_ones() > 8) {
                continue;
            }
            let [a, b] = [now.by[0], later.by[1]];
            let reached = [
                can_reach(&a, &b),
                ReachabilityTarget::from_signature(&now.by[1]).may_have_been_reached(&later.by[0]),
                ReachabilityTarget::from_signature(&b).can_still_be_reached(now.pawns(), &now.numbers),
            ];
            assert!(!reached[0] || reached[2], "late: {a} -> {b}");
            assert!(!can_reach(&now.by[1], &later.by[0]) || reached[1], "early: {} -> {}", now.by[1], later.by[0]);
            asked += 1;
            (0..3).for_each(|nth| refused[nth] += u32::from(!reached[nth]));
        }
        println!("{name}: of {asked} pairs {refused:?} refused by verdict, early, late");
        assert!(asked > 100_000 && refused[0] > 50_000, "{name}: {refused:?}");
        // The target refuses almost as much as the verdict.
        assert!(refused[1] * 10 > refused[0] * 9 && refused[2] * 10 > refused[0] * 9, "{name}: {refused:?}");
    }
}

/// Bounds that a position satisfies, by a random margin.
fn bounds_around(stand: &Stand, random: &mut Random) -> Bounds {
    let mut bounds = Bounds::default();
    for (side, pawns) in stand.pawns().into_iter().enumerate() {
        let word = |random: &mut Random| (random.below(1 << 32) as u64) << 32 | random.below(1 << 32) as u64;
        match random.below(4) {
            0 => (bounds.required_pawns[side], bounds.allowed_pawns[side]) = (pawns, pawns),
            1 => {
                (bounds.required_pawns[side], bounds.allowed_pawns[side]) = (pawns & word(random), pawns | word(random))
            }
            2 => bounds.allowed_pawns[side] = pawns | word(random) & word(random),
            _ => bounds.required_pawns[side] = pawns & word(random),
        }
        let side = Color::from_white(side == 0);
        for code in Role::ALL[..5].iter().map(|&role| PieceCode::new(side, role)) {
            let number = stand.numbers[code];
            if random.below(2) == 0 {
                bounds.min_pieces[code] = number.saturating_sub(random.below(3) as u8);
            }
            if random.below(2) == 0 {
                bounds.max_pieces[code] = number + random.below(3) as u8;
            }
        }
    }
    bounds
}

#[test]
fn games_that_satisfy_bounds_survive() {
    for (name, games) in [("random", random_games(600)), ("real", real_games(60))] {
        let mut random = Random(seed(13));
        let mut killed = [0; 2];
        for (nth, game) in games.iter().enumerate() {
            for _ in 0..20 {
                let at = random.below(game.len());
                let bounds = bounds_around(&game[at], &mut random);
                let goal = match random.below(3) {
                    0 => ReachabilityTarget::from_signature(&game[at].by[random.below(2)]),
                    _ => ReachabilityTarget::from_bounds(&bounds),
                };
                let survives = |stand: &Stand| goal.can_still_be_reached(stand.pawns(), &stand.numbers);
                for later in &game[at..] {
                    assert!(
                        goal.may_have_been_reached(&later.by[0])
                            && goal.may_have_been_reached_with(&later.by[0], later.promoted),
                        "{name} {nth}: {bounds:?} at {:?}, then {later:?}",
                        game[at]
                    );
                }
                for earlier in &game[..=at] {
                    assert!(survives(earlier), "{name} {nth}: {bounds:?} at {:?}, from {earlier:?}", game[at]);
                }
                let other = &games[random.below(games.len())];
                killed[0] += u32::from(!goal.may_have_been_reached(&other[other.len() - 1].by[0]));
                killed[1] += u32::from(!survives(&other[random.below(other.len())]));
            }
        }
        println!("{name}: {killed:?} of {} goals killed early and late", 20 * games.len());
        assert!(games.is_empty() || killed.iter().all(|&killed| killed > 1_000), "{name}: {killed:?}");
    }
}

proptest! {
    #[test]
    fn any_words_are_weighed_without_panic(
        words in prop::array::uniform8(any::<u64>()),
        least in prop::array::uniform16(any::<u8>()),
        most in prop::array::uniform16(any::<u8>()),
    ) {
        let [white, black, white_after, black_after, required, other, allowed, another] = words;
        let (a, b) = (MatSig { white, black }, MatSig { white: white_after, black: black_after });
        prop_assert_eq!(can_reach(&a, &b), can_reach(&a.mirrored(), &b.mirrored()));
        prop_assert!(can_reach(&a, &a));
        let bounds = Bounds { required_pawns: [required, other], allowed_pawns: [allowed, another], min_pieces: ByPiece::new(least), max_pieces: ByPiece::new(most), max_total: most[0] };
        for goal in [ReachabilityTarget::from_bounds(&bounds), ReachabilityTarget::from_signature(&a)] {
            goal.may_have_been_reached(&b);
            goal.can_still_be_reached([white, black], &ByPiece::new(most));
        }
    }
}
