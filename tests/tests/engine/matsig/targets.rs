//! Checks that games which reach a target survive its tests.

use plyfold_core::board::{ByPiece, PieceCode};
use plyfold_core::matsig::reach::can_reach;
use plyfold_core::matsig::target::{MaterialBounds as Bounds, ReachabilityTarget};
use plyfold_core::matsig::{MatSig, SignaturePiece};
use proptest::prelude::*;
use shakmaty::{Color, Role};

use super::played::{Random, Stand, random_games, real_games, seed};

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
