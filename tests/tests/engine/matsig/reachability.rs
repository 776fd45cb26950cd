//! Compares the verdicts whether one signature can reach another with the vectors, with games and with the twin, and checks
//! the laws of reaching.

use plyfold_core::matsig::MatSig;
use plyfold_core::matsig::reach::{self, ReachabilityRules, can_reach, can_reach_with};
use plyfold_tests::reach::{self as twin, ALL, ReachabilityQuestion};
use shakmaty::{Chess, Color};

use super::played::{Random, Stand, Stands, random_game, random_games, real_games, seed};
use super::{list, signature, vectors};

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
        let pieces = |random: &mut Random| (0..5).map(|kind| (random.below(3) as u64) << (48 + 2 * kind)).sum::<u64>();
        (*before, *after) = (*before | pieces(random), *after | pieces(random));
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
