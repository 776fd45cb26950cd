//! Compares the verdicts with a game that can be searched completely.

use std::collections::HashSet;

use plyfold_core::matsig::MatSig;
use plyfold_core::matsig::reach::can_reach;

use super::played::{Random, seed};

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
