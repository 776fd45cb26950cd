//! Long games that keep most of their pieces, so that conditions still change in the third to the seventh word of 64 plies.
//!
//! The games are random and legal, played by shakmaty. A plan assigns events to plies. Between these plies pieces move back
//! and forth, and nothing is captured. The seed is fixed, so every run tests the same games; `PLYFOLD_SEED` sets another one.

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::corpus_spans;
use plyfold_core::moves::Move;
use shakmaty::{Chess, Position, Role};

use crate::games::{PlayedGame, play, position};

/// An event that a plan can assign to a ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LongGameEvent {
    /// A piece or pawn is captured, but not en passant.
    Capture,
    /// A pawn promotes.
    Promotion,
    /// A side castles.
    Castling,
    /// A pawn is captured en passant.
    EnPassant,
    /// A pawn moves ahead.
    PawnMove,
    /// A side is in check after the move.
    Check,
    /// A null move.
    Pass,
}

/// All events, with start positions in which each can occur.
pub const EVENTS: [(LongGameEvent, &[Option<&str>]); 7] = [
    (LongGameEvent::Capture, &[Some(RICH), Some(PROMOTING)]),
    (LongGameEvent::Promotion, &[Some(PROMOTING)]),
    (LongGameEvent::Castling, &[Some(RICH), Some(CHESS960)]),
    (LongGameEvent::EnPassant, &[Some(EN_PASSANT)]),
    (LongGameEvent::PawnMove, &[None, Some(RICH), Some(EN_PASSANT)]),
    (LongGameEvent::Check, &[Some(RICH), Some(PROMOTING)]),
    (LongGameEvent::Pass, &[None, Some(RICH)]),
];

/// Plies on both sides of the borders between words of 64 plies.
pub const BORDERS: [usize; 9] = [63, 64, 65, 127, 128, 129, 191, 192, 193];

const RICH: &str = "r3k2r/pppqbppp/2npbn2/4p3/4P3/2NPBN2/PPPQBPPP/R3K2R w KQkq - 0 1";
const EN_PASSANT: &str = "rn2k1nr/p1p1p1p1/8/1P3P2/1p3p2/8/P1P1P1P1/RN2K1NR b KQkq - 0 9";
const PROMOTING: &str = "1n2k2n/P1P3P1/8/2q5/2Q5/8/p1p3p1/1N2K2N w - - 0 1";
const CHESS960: &str = "1rk2r2/pppppppp/2nq1nb1/8/8/2NQ1NB1/PPPPPPPP/1RK2R2 w FBfb - 0 1";

/// Pseudo-random numbers from a seed (SplitMix64).
pub struct LongGameDice(u64);

impl LongGameDice {
    /// The numbers of this seed, modified by `PLYFOLD_SEED` if it is set.
    pub fn new(seed: u64) -> LongGameDice {
        let other = std::env::var("PLYFOLD_SEED").ok().and_then(|seed| seed.parse::<u64>().ok());
        LongGameDice(seed ^ other.map_or(0, |other| other.wrapping_mul(0xd134_2543_de82_ef95)))
    }

    /// The next number.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.word() % end.max(1) as u64) as usize
    }

    /// A random element of a list.
    pub fn of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}

/// Whether a move is such an event. A pass is not a legal move of shakmaty.
fn is_event(event: LongGameEvent, before: &Chess, mv: shakmaty::Move) -> bool {
    match event {
        LongGameEvent::Capture => mv.is_capture() && !mv.is_en_passant(),
        LongGameEvent::Promotion => mv.is_promotion(),
        LongGameEvent::Castling => mv.is_castle(),
        LongGameEvent::EnPassant => mv.is_en_passant(),
        LongGameEvent::PawnMove => mv.role() == Role::Pawn && !mv.is_capture() && !mv.is_promotion(),
        LongGameEvent::Check => after(before, mv).is_check(),
        LongGameEvent::Pass => false,
    }
}

fn after(before: &Chess, mv: shakmaty::Move) -> Chess {
    let mut position = before.clone();
    position.play_unchecked(mv);
    position
}

/// Whether a move is reversible and keeps all castling rights, and neither ends the game nor gives check.
fn is_quiet(before: &Chess, mv: shakmaty::Move) -> bool {
    let castles = before.castles().castling_rights();
    !mv.is_zeroing()
        && !mv.is_castle()
        && !mv.from().is_some_and(|from| castles.contains(from))
        && (mv.role() != Role::King || castles.is_empty())
        && !after(before, mv).is_check()
}

/// Whether the side to move can bring the event about without ending the game.
fn can(position: &Chess, event: LongGameEvent) -> bool {
    match event {
        LongGameEvent::Pass => !position.is_check(),
        event => position.legal_moves().into_iter().any(|mv| is_event(event, position, mv) && goes_on(position, mv)),
    }
}

fn goes_on(before: &Chess, mv: shakmaty::Move) -> bool {
    !after(before, mv).legal_moves().is_empty()
}

/// Plays `length` plies, or fewer if the game ends; `plan` gives the event of each ply, counted from 1, which is played if it
/// is possible.
pub fn steered(
    start: Option<&'static str>,
    length: usize,
    dice: &mut LongGameDice,
    mut plan: impl FnMut(usize) -> Option<LongGameEvent>,
) -> PlayedGame {
    let mut position = position(start);
    let (mut moves, mut played): (Vec<Move>, Vec<Option<shakmaty::Move>>) = (Vec::new(), Vec::new());
    let mut now = plan(1);
    for ply in 1..=length {
        let next = plan(ply + 1).filter(|_| ply < length);
        if now == Some(LongGameEvent::Pass)
            && let Ok(passed) = position.clone().swap_turn()
        {
            position = passed;
            moves.push(Move::NULL);
            played.push(None);
            now = next;
            continue;
        }
        let legal: Vec<shakmaty::Move> =
            position.legal_moves().into_iter().filter(|&mv| ply == length || goes_on(&position, mv)).collect();
        let requested: Vec<_> =
            legal.iter().copied().filter(|&mv| now.is_some_and(|event| is_event(event, &position, mv))).collect();
        let quiet: Vec<_> = legal.iter().copied().filter(|&mv| is_quiet(&position, mv)).collect();
        // Prefers moves that make the event of the next ply possible.
        let leads = |list: &[shakmaty::Move]| -> Vec<shakmaty::Move> {
            list.iter().copied().filter(|&mv| next.is_some_and(|event| can(&after(&position, mv), event))).collect()
        };
        let goes_back = played.iter().rev().nth(1).copied().flatten().and_then(|last| {
            quiet.iter().copied().find(|mv| (Some(mv.to()), mv.from()) == (last.from(), Some(last.to())))
        });
        let lists = [requested, leads(&quiet), leads(&legal), goes_back.into_iter().collect(), quiet, legal];
        let lists: Vec<_> = lists.into_iter().filter(|list| !list.is_empty()).collect();
        let Some(first) = lists.first() else { break };
        // A piece that could go back does so half of the time, so that positions repeat.
        let back = goes_back.is_some_and(|mv| *first == [mv]) && dice.below(2) == 0;
        let mv = dice.of(if back && lists.len() > 1 { &lists[1] } else { first });
        moves.push(Move::from(mv));
        played.push(Some(mv));
        position.play_unchecked(mv);
        now = next;
    }
    (start, moves)
}

/// Whether ply `ply` of a game, counted from 1, brings the event.
pub fn brings((start, moves): &PlayedGame, ply: usize, event: LongGameEvent) -> bool {
    let mut position = position(*start);
    for (nth, &mv) in moves.iter().enumerate().take(ply) {
        let legal = position.legal_moves().into_iter().find(|&legal| Move::from(legal) == mv);
        if nth + 1 == ply {
            return legal.map_or(event == LongGameEvent::Pass && mv == Move::NULL, |mv| is_event(event, &position, mv));
        }
        match legal {
            Some(mv) => position.play_unchecked(mv),
            None => position = position.swap_turn().expect("a pass"),
        }
    }
    false
}

/// For each event and each border, a game with the event at the border and few other events. In every second game it is the
/// last ply.
pub fn at_borders() -> Vec<(LongGameEvent, usize, PlayedGame)> {
    let mut dice = LongGameDice::new(11);
    let mut games = Vec::new();
    for (event, starts) in EVENTS {
        for (nth, border) in BORDERS.into_iter().enumerate() {
            let length = if nth % 2 == 0 { border } else { border + dice.of(&[1, 2, 64, 65, 100]) };
            let game = (0..60).map(|tried| {
                let start = starts[(nth + tried) % starts.len()];
                steered(start, length, &mut dice, |ply| (ply == border).then_some(event))
            });
            let game = game.into_iter().find(|game| game.1.len() == length && brings(game, border, event));
            games.push((event, border, game.unwrap_or_else(|| panic!("no game brings {event:?} at ply {border}"))));
        }
    }
    games
}

/// Games of 130 to 400 plies with few pawn moves and rare captures.
pub fn rich(number: usize) -> Vec<PlayedGame> {
    let mut dice = LongGameDice::new(12);
    let starts = [None, Some(RICH), None, Some(EN_PASSANT), Some(CHESS960), Some(PROMOTING), None];
    let lengths = [130, 191, 192, 193, 255, 256, 257, 319, 320, 321, 383, 384, 385, 400];
    let game = |nth: usize| {
        let length = lengths[nth % lengths.len()];
        let (pawns, captures) = (4 + dice.below(30) as u64, 15 + dice.below(60) as u64);
        let mut plan = LongGameDice::new(dice.word());
        steered(starts[nth % starts.len()], length, &mut dice, |_| {
            let word = plan.word();
            match (word % captures, word >> 32) {
                (0, _) => Some(LongGameEvent::Capture),
                (1, _) => Some(LongGameEvent::Castling),
                (2, _) => Some(LongGameEvent::Check),
                (3, _) => Some(LongGameEvent::EnPassant),
                (4, _) => Some(LongGameEvent::Promotion),
                (_, more) if more % pawns == 0 => Some(LongGameEvent::PawnMove),
                (_, more) if more % 97 == 0 => Some(LongGameEvent::Pass),
                _ => None,
            }
        })
    };
    (0..number).map(game).collect()
}

/// Short games with all kinds of endings, some without moves.
pub fn short(number: usize) -> Vec<PlayedGame> {
    let mut dice = LongGameDice::new(13);
    let game = |nth: usize| {
        let length = if nth.is_multiple_of(5) { 0 } else { dice.below(90) };
        let choices: Vec<u16> = (0..length).map(|_| dice.word() as u16).collect();
        play(crate::games::STARTS[nth % crate::games::STARTS.len()], &choices)
    };
    (0..number).map(game).collect()
}

/// Demo games of 129 plies or more, the longest first.
pub fn real(number: usize) -> Vec<PlayedGame> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../demo/demo.pgn.zst");
    let (bytes, _) = crate::imported::file(std::path::Path::new(path));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts).expect("a corpus");
    let spans = corpus_spans(&corpus);
    let usual = spans.iter().flat_map(|span| span.games()).filter(|game| !game.has_custom_start());
    let mut games: Vec<PlayedGame> = usual.map(|game| (None, game.moves.to_vec())).collect();
    games.sort_by_key(|(_, moves)| std::cmp::Reverse(moves.len()));
    games.truncate(number);
    assert!(games.len() == number && games.iter().all(|(_, moves)| moves.len() > 128));
    games
}
