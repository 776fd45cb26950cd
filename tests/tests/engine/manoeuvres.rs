//! Manoeuvres against shakmaty: of each piece, the squares that it came to, looked up by where it stands.

use std::collections::BTreeMap;

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::moves::Move as PackedMove;
use plyfold_core::query::compile;
use plyfold_core::reduce::manoeuvres::{MANOEUVRE_PLIES, MANOEUVRES, Manoeuvres};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_tests::games::{Aligned, PlayedGame, STARTS, corpus, play, position};
use plyfold_tests::{data, imported};
use shakmaty::{Chess, Move, Position, Role, Square};

/// A piece whose way is not over: where it stands, and the squares on which it stood, as a text.
struct Followed {
    on: Square,
    text: String,
    moves: usize,
}

/// The manoeuvres of a game, as texts.
fn expected(start: &Chess, moves: &[PackedMove]) -> Vec<String> {
    let mut at = start.clone();
    let begins = |on: Square, role: Role| Followed { on, text: format!("{}{on}", role.upper_char()), moves: 0 };
    let pieces = at.board().clone().into_iter();
    let mut followed: Vec<Followed> = pieces
        .filter(|(_, piece)| !matches!(piece.role, Role::Pawn | Role::King))
        .map(|(on, piece)| begins(on, piece.role))
        .collect();
    let mut found = Vec::new();
    for &packed in moves.iter().take(MANOEUVRE_PLIES) {
        let legal = at.legal_moves();
        let mv = *legal.iter().find(|&&legal| PackedMove::from(legal) == packed).expect("a legal move");
        match mv {
            Move::Normal { from, to, capture, .. } => {
                let mover = followed.iter().position(|one| one.on == from);
                if capture.is_some() {
                    followed.retain(|one| one.on != from && one.on != to);
                } else if let Some(one) = mover.map(|nth| &mut followed[nth]) {
                    (one.on, one.moves) = (to, one.moves + 1);
                    one.text += &format!("-{to}");
                    if one.moves >= 2 {
                        found.push(one.text.clone());
                    }
                    followed.retain(|one| one.moves < 3);
                }
            }
            Move::Castle { rook, .. } => {
                followed.retain(|one| one.on != rook);
                let side = mv.castling_side().expect("it castles");
                followed.push(begins(side.rook_to(at.turn()), Role::Rook));
            }
            Move::EnPassant { .. } | Move::Put { .. } => {}
        }
        at.play_unchecked(mv);
    }
    found
}

/// Compares what the engine finds in these games with what is expected. Returns how many manoeuvres there are.
fn compare(spans: &[GameSpan<'_>]) -> usize {
    let mut games: BTreeMap<String, (u64, u32)> = BTreeMap::new();
    for game in spans.iter().flat_map(|span| span.games()) {
        let start: Chess = position(Some(&game.start_board().fen().to_string()));
        for text in expected(&start, game.moves) {
            games.entry(text).or_insert((0, game.id.0)).0 += 1;
        }
    }
    let selection = ReducerSelection::of(MANOEUVRES.output());
    let found = run_query(spans, &compile("").expect("all games"), &selection, &()).expect("nobody cancels");
    let found = found.summary::<Manoeuvres>().expect("requested");
    let mut of_texts: BTreeMap<String, (u64, u32)> = BTreeMap::new();
    for one in &found.found {
        let (games, first) = of_texts.entry(one.way.to_string()).or_insert((0, one.first_game.0));
        (*games, *first) = (*games + one.results.games(), one.first_game.0.min(*first));
    }
    assert_eq!(of_texts, games);
    // Of those that are shown, no longer one has the same games.
    let shown: BTreeMap<(bool, String), u64> = found
        .telling()
        .map(|one| ((one.way.piece().color().is_white(), one.way.to_string()), one.results.games()))
        .collect();
    for ((side, text), games) in &shown {
        let before = text.rsplit_once('-').expect("it moved").0.to_owned();
        assert_ne!(shown.get(&(*side, before)), Some(games), "{text}");
    }
    assert!(found.found.is_sorted_by_key(|one| std::cmp::Reverse(one.results.games())));
    of_texts.len()
}

#[test]
fn manoeuvres_of_demo_games_are_those_of_shakmaty() {
    let bytes = imported::corpus(&data::demo());
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts).expect("a corpus");
    assert!(compare(&corpus_spans(&corpus)) > 5000);
}

#[test]
fn manoeuvres_of_random_games_are_those_of_shakmaty() {
    let mut seed = 1u32;
    let mut choice = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 17) as u16
    };
    let games: Vec<PlayedGame> = (0..400)
        .map(|nth| play(STARTS[nth % STARTS.len()], &(0..90).map(|_| choice()).collect::<Vec<u16>>()))
        .collect();
    let bytes = Aligned::new(&corpus(&games, 100));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    assert!(compare(&corpus_spans(&corpus)) > 1000);
}
