//! Moves as they are written, and lines of them: the engine finds what shakmaty reads, in the demo games and in random ones.

use std::collections::BTreeSet;

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::moves::Move as PackedMove;
use plyfold_core::query::compile;
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionSelection};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_tests::games::{Aligned, PlayedGame, STARTS, corpus, play, position};
use plyfold_tests::{data, imported};
use shakmaty::fen::Fen;
use shakmaty::san::{San, SanPlus};
use shakmaty::{Chess, Color, EnPassantMode, Move, Position};

/// A ply as shakmaty has it.
struct Known {
    mover: Color,
    mv: Move,
    written: String,
    after: Chess,
}

/// The plies of each game of a span.
fn known(spans: &[GameSpan<'_>]) -> Vec<Vec<Known>> {
    let game = |fen: String, moves: &[PackedMove]| {
        let mut at: Chess = position(Some(&fen));
        let mut plies = Vec::new();
        for &packed in moves {
            let mv =
                at.legal_moves().into_iter().find(|&legal| PackedMove::from(legal) == packed).expect("a legal move");
            let (mover, written) = (at.turn(), SanPlus::from_move(at.clone(), mv).to_string());
            at.play_unchecked(mv);
            plies.push(Known { mover, mv, written, after: at.clone() });
        }
        plies
    };
    spans.iter().flat_map(|span| span.games()).map(|one| game(one.start_board().fen().to_string(), one.moves)).collect()
}

/// The games that match, and the positions, each as its game and its ply.
fn found(spans: &[GameSpan<'_>], text: &str) -> (Vec<usize>, Vec<(usize, usize)>) {
    let query = compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let positions = Some(PositionSelection { limit: None, choice: PositionChoice::Every });
    let selection = ReducerSelection { games: true, positions, ..ReducerSelection::default() };
    let found = run_query(spans, &query, &selection, &()).expect("nobody cancels");
    let games = found.games.expect("requested").iter().map(|game| game.0 as usize).collect();
    let positions = found.positions.expect("requested");
    (games, positions.into_iter().map(|at| (at.game.0 as usize, at.ply.0 as usize)).collect())
}

/// Every position of `games` at which `holds`.
fn expected(games: &[Vec<Known>], holds: impl Fn(&Known) -> bool) -> Vec<(usize, usize)> {
    let of_game = |(nth, plies): (usize, &Vec<Known>)| {
        let held = plies.iter().enumerate().filter(|(_, ply)| holds(ply));
        held.map(|(ply, _)| (nth, ply + 1)).collect::<Vec<_>>()
    };
    games.iter().enumerate().flat_map(of_game).collect()
}

fn check_written(spans: &[GameSpan<'_>], step: usize) {
    let games = known(spans);
    let all: BTreeSet<(bool, &str)> =
        games.iter().flatten().map(|ply| (ply.mover.is_white(), ply.written.as_str())).collect();
    let rare = |text: &str| text.contains(['=', '#', 'O']);
    let mut tested = 0;
    for (nth, &(is_white, text)) in all.iter().enumerate() {
        if nth % step != 0 && !rare(text) {
            continue;
        }
        tested += 1;
        let (colour, san) =
            (Color::from_white(is_white), text.trim_end_matches(['+', '#']).parse::<San>().expect(text));
        let holds = |ply: &Known| {
            ply.mover == colour
                && san.matches(ply.mv)
                && (!text.ends_with('+') || ply.after.is_check())
                && (!text.ends_with('#') || ply.after.is_checkmate())
        };
        let expected = expected(&games, holds);
        assert!(!expected.is_empty());
        let side = if is_white { "white" } else { "black" };
        assert_eq!(found(spans, &format!("{side} {text}")).1, expected, "{side} {text}");
    }
    assert!(tested > 50, "{tested}");
}

#[test]
fn written_moves_of_demo_games_are_those_of_shakmaty() {
    let bytes = imported::corpus(&data::demo());
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts).expect("a corpus");
    check_written(&corpus_spans(&corpus), 23);
}

#[test]
fn written_moves_of_random_games_are_those_of_shakmaty() {
    let choices = |n: u16| {
        (0..120u16).map(|k| k.wrapping_mul(7919).wrapping_add(n.wrapping_mul(613)) ^ (k << 3)).collect::<Vec<_>>()
    };
    let games: Vec<PlayedGame> = (0..60).map(|n| play(STARTS[n % STARTS.len()], &choices(n as u16))).collect();
    let bytes = Aligned::new(&corpus(&games, 7));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    check_written(&corpus_spans(&corpus), 11);
}

#[test]
fn lines_of_demo_games_are_those_of_shakmaty() {
    let bytes = imported::corpus(&data::demo());
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts).expect("a corpus");
    let spans = corpus_spans(&corpus);
    let games = known(&spans);
    let epd = |at: &Chess| {
        Fen::from_position(at, EnPassantMode::Legal).to_string().rsplitn(3, ' ').last().unwrap_or_default().to_owned()
    };
    let epds: Vec<Vec<String>> = games.iter().map(|game| game.iter().map(|ply| epd(&ply.after)).collect()).collect();
    let is_usual: Vec<bool> = spans.iter().flat_map(|span| span.games()).map(|game| !game.has_custom_start()).collect();
    let (mut compared, lengths) = (0, [1, 2, 3, 5, 6, 8, 9, 12, 15]);
    for (sample, (nth, game)) in games.iter().enumerate().step_by(games.len().div_ceil(60)).enumerate() {
        if !is_usual[nth] {
            continue;
        }
        let length = lengths[sample % lengths.len()].min(game.len());
        let number = |ply: usize| if ply.is_multiple_of(2) { format!("{}.", ply / 2 + 1) } else { String::new() };
        let line: Vec<String> = (0..length).map(|ply| format!("{}{}", number(ply), game[ply].written)).collect();
        let line = line.join(" ");
        let begins = |other: &Vec<Known>| {
            other.len() >= length && (0..length).all(|ply| other[ply].written == game[ply].written)
        };
        let target = &epds[nth][length - 1];
        // Games that begin elsewhere may have the same moves.
        let is_played = |&nth: &usize| begins(&games[nth]) && epds[nth][length - 1] == *target;
        let played: Vec<(usize, usize)> = (0..games.len()).filter(is_played).map(|nth| (nth, length)).collect();
        let reached: Vec<(usize, usize)> = (0..games.len())
            .flat_map(|nth| {
                epds[nth].iter().enumerate().filter(|(_, one)| *one == target).map(move |(ply, _)| (nth, ply + 1))
            })
            .collect();
        compared += 1;
        for (text, expected) in
            [(format!("played {line}"), &played), (format!("reached {line}"), &reached), (line, &reached)]
        {
            let (games, positions) = found(&spans, &text);
            let differs = positions.iter().zip(expected).find(|(one, other)| one != other);
            assert!(differs.is_none() && positions.len() == expected.len(), "{text}: {differs:?}");
            let unique: BTreeSet<usize> = expected.iter().map(|(game, _)| *game).collect();
            assert!(games == unique.into_iter().collect::<Vec<_>>(), "{text}");
        }
    }
    assert!(compared > 20, "{compared}");
}

/// Which of the two texts are the same query.
#[test]
fn written_moves_mean_what_words_say() {
    for (text, same) in [
        ("1. e4 c5 2. Nf3", "reached 1.e4 c5 2.Nf3"),
        ("1. e4 1... c5", "reached e4 c5"),
        ("1. e4", "fen \"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\""),
        ("1. Nf3 Nf6 2. c4", "1. c4 Nf6 2. Nf3"),
        ("white Qd2", "white plays queen to d2 quiet"),
        ("white Nge2", "white knight on g plays to e2 quiet"),
        ("black R1xe2", "black rook on 1 captures on e2"),
        ("black exd4", "black pawn on e captures on d4"),
        ("winner O-O-O", "winner castles_long"),
        ("check after 12. Qd2", "white Qd2 at move 12 then check"),
        ("after 12...Qd7 never check", "black Qd7 at move 12 then never check"),
        ("2 of (empty e4, white d4, 1. e4 e5, Nf3)", "2 of ((empty e4), (white d4), (1. e4 e5), (Nf3))"),
    ] {
        assert_eq!(compile(text).expect(text), compile(same).expect(same), "{text}");
    }
    assert_ne!(compile("white bxc3"), compile("white Bxc3"));
    // What stands for a piece in a query goes on standing for it.
    let named =
        |name: &str| compile(&format!("white knight as {name} on b1 then {name} on d5")).expect(name).conditions.len();
    assert_eq!(named("Nf3"), named("N"));
}

#[test]
fn written_moves_print_and_are_refused() {
    for (text, printed) in [
        ("1.e4 c5 2.Nf3 d6", "1. e4 c5 2. Nf3 d6"),
        ("played e4 c5", "played 1. e4 c5"),
        ("1. f3 e5 2. g4 Qh4", "1. f3 e5 2. g4 Qh4#"),
        ("White Bxh7+ and e8=N#", "white Bxh7+ and e8=N#"),
        ("either e4", "either e4"),
        ("rook on a..c or g8=Q+", "rook on a b c or g8=Q+"),
        ("check before move 20 after 12...O-O", "black O-O at move 12 then check until move 19"),
        ("not check after 3. Bb5", "not (white Bb5 at move 3 then check)"),
    ] {
        let tree = plyfold_core::query::parse::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(tree.to_string(), printed);
        assert_eq!(plyfold_core::query::parse::parse(printed).as_ref(), Ok(&tree), "{printed}");
    }
    for (text, message, from, to) in [
        ("1. e4 e5 2. Nf3 Nc6 3. Bb6", "`3. Bb6` is not legal here", 23, 26),
        ("1. e4 e5 2. Nf3 Nxe4", "`2...Nxe4` is not legal here", 16, 20),
        ("1. d4 d5 2. Nf3 e6 3. Nd2", "`3. Nd2` is ambiguous here", 22, 25),
        ("1. e4+", "`1. e4+` gives no check here", 3, 5),
        ("1. e4 2. d4", "the next move of this line is number 1 of Black", 6, 7),
        ("12. Qd2", "a line begins with `1.`", 0, 2),
        ("1. e4 c5 2.", "a move such as `e4` or `Nf3` is missing at the end", 11, 11),
        ("white 1. e4", "no side stands before it", 0, 5),
        ("white e8", "a pawn promotes there", 6, 8),
        ("white e4=Q", "a pawn promotes only on", 6, 8),
        ("both Nf3", "one side moves at a ply", 0, 4),
        ("check and d4", "`d4` is a region, not a condition", 10, 12),
        ("{ check after 12. Qd2 }", "braces are one position", 8, 13),
        ("check after 2. d4 after 3. e4", "only one `after` with a move", 18, 23),
        ("check after 12. queens_off", "a move such as `Qd2` is expected here", 16, 26),
    ] {
        let error = compile(text).expect_err(text);
        assert!(error.message.contains(message), "{text}: {error}");
        assert_eq!((error.from, error.to), (from, to), "{text}: {error}");
    }
}
