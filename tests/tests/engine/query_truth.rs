//! Compares exact positions, numbers of pieces and runs of plies with shakmaty and plain code, on random games.
//!
//! The scan and its twin share the plan of a query, so their agreement does not test the plan. These tests know the games
//! independently, as positions of shakmaty.

use std::ops::Range;

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::corpus_spans;
use plyfold_core::moves::Move;
use plyfold_core::query::compile;
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionSelection};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_tests::games::{Aligned, PlayedGame, STARTS, corpus, position};
use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::{Bitboard, Chess, Color, EnPassantMode, Piece, Position, Role, Square};

/// Start positions from which positions repeat, castling rights are lost, pawns pass each other, and few pieces remain.
const MORE_STARTS: &[&str] = &[
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "rk2r3/8/8/8/8/8/8/RK2R3 w EAea - 0 1",
    "4k3/2p1p1p1/8/1P1P1P2/1p1p1p2/8/2P1P1P1/4K3 w - - 0 1",
    "8/8/8/k1p4R/4P3/8/3P4/4K3 w - - 0 1",
    "4k3/p2r4/8/8/8/8/P2R4/4K3 w - - 0 1",
    "4k3/p2q4/8/8/8/8/P2Q4/4K3 b - - 0 1",
    "4k3/p2b4/n7/8/8/N7/P2B4/4K3 w - - 0 1",
    "4k3/P1n5/8/8/8/8/p1N5/4K3 w - - 0 1",
    "2b1k3/3p4/8/8/8/8/3P4/2N1K3 w - - 0 1",
];

/// A game and the position after each of its plies.
#[derive(Clone, Debug)]
struct Known {
    played: PlayedGame,
    positions: Vec<Chess>,
}

/// Plays by `choices`: a move back if it is legal, a rare kind of move, or any move.
fn wander(start: Option<&'static str>, choices: &[u16]) -> Known {
    let mut at = position(start);
    let (mut moves, mut positions) = (Vec::new(), Vec::new());
    let mut made: Vec<Option<shakmaty::Move>> = Vec::new();
    for &choice in choices {
        if choice == u16::MAX
            && let Ok(passed) = at.clone().swap_turn()
        {
            at = passed;
            moves.push(Move::NULL);
            made.push(None);
            positions.push(at.clone());
            continue;
        }
        let legal = at.legal_moves();
        let before = made.len().checked_sub(2).and_then(|nth| made[nth]);
        let back = legal.iter().find(|mv| {
            before.is_some_and(|before| {
                !mv.is_capture()
                    && mv.role() != Role::Pawn
                    && Some(mv.to()) == before.from()
                    && mv.from() == Some(before.to())
            })
        });
        let rare: Vec<_> = legal
            .iter()
            .filter(|mv| {
                let double = mv.role() == Role::Pawn && mv.from().is_some_and(|from| from.distance(mv.to()) == 2);
                mv.is_castle() || mv.is_en_passant() || mv.is_promotion() || mv.is_capture() || double
            })
            .collect();
        let pick = match choice % 3 {
            0 if back.is_some() => back,
            1 if !rare.is_empty() => rare.get(usize::from(choice) % rare.len()).copied(),
            _ => legal.get(usize::from(choice / 3) % legal.len().max(1)),
        };
        let Some(&mv) = pick else { break };
        moves.push(Move::from(mv));
        made.push(Some(mv));
        at.play_unchecked(mv);
        positions.push(at.clone());
    }
    Known { played: (start, moves), positions }
}

/// Games with `plies` plies each, from the same start position or from several.
fn games(plies: Range<usize>) -> impl Strategy<Value = Vec<Known>> {
    let starts: Vec<Option<&'static str>> =
        STARTS.iter().copied().chain(MORE_STARTS.iter().map(|start| Some(*start))).collect();
    let game = (prop::sample::select(starts), prop::collection::vec(any::<u16>(), plies))
        .prop_map(|(start, choices)| wander(start, &choices));
    prop::collection::vec(game, 1..5)
}

/// Whether each game matches, and whether each of its positions matches.
struct Kept {
    games: Vec<bool>,
    plies: Vec<Vec<bool>>,
}

/// The matches of a query in the games.
fn found(games: &[Known], query: &str) -> Kept {
    let played: Vec<PlayedGame> = games.iter().map(|game| game.played.clone()).collect();
    let bytes = Aligned::new(&corpus(&played, 3));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let compiled = compile(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    let ask = |selection: &ReducerSelection| {
        run_query(&corpus_spans(&corpus), &compiled, selection, &()).expect("nobody cancels")
    };
    let all = ReducerSelection {
        games: true,
        positions: Some(PositionSelection { limit: None, choice: PositionChoice::Every }),
        ..ReducerSelection::default()
    };
    let found = ask(&all);
    let verdicts = ask(&ReducerSelection { games: true, ..ReducerSelection::default() });
    assert_eq!(verdicts.games, found.games, "{query}");
    let mut kept = Kept {
        games: vec![false; games.len()],
        plies: games.iter().map(|game| vec![false; game.positions.len()]).collect(),
    };
    found.games.expect("requested").iter().for_each(|game| kept.games[game.index()] = true);
    for position in found.positions.expect("requested") {
        kept.plies[position.game.index()][position.ply.moves() - 1] = true;
    }
    kept
}

/// Asserts that `query` matches exactly the positions for which `holds` is true, and the games that have such a position.
fn assert_meaning(games: &[Known], query: &str, holds: impl Fn(&Chess) -> bool) {
    let kept = found(games, query);
    let expected: Vec<Vec<bool>> = games.iter().map(|game| game.positions.iter().map(&holds).collect()).collect();
    assert_eq!(kept.plies, expected, "{query}");
    let ever: Vec<bool> = expected.iter().map(|plies| plies.contains(&true)).collect();
    assert_eq!(kept.games, ever, "{query}");
}

/// Plies, from 1, after which a side has one piece of a role less than before, for White and for Black.
fn losses(game: &Known, role: Role) -> [Vec<usize>; 2] {
    [Color::White, Color::Black].map(|colour| {
        let number = |at: &Chess| at.board().by_piece(role.of(colour)).count();
        let numbers: Vec<usize> = core::iter::once(position(game.played.0))
            .chain(game.positions.iter().cloned())
            .map(|at| number(&at))
            .collect();
        (1..numbers.len()).filter(|&ply| numbers[ply] < numbers[ply - 1]).collect()
    })
}

/// One of the positions of the games, if there are any.
fn picked(games: &[Known], pick: prop::sample::Index) -> Option<&Chess> {
    let all: Vec<&Chess> = games.iter().flat_map(|game| &game.positions).collect();
    (!all.is_empty()).then(|| all[pick.index(all.len())])
}

/// The letter of the piece on a square, or `.`.
fn letter(position: &Chess, square: Square) -> char {
    position.board().piece_at(square).map_or('.', Piece::char)
}

/// The letters that a pattern allows on each square from a8; `None` if it allows anything.
fn squares_of_pattern(pattern: &str) -> Vec<Option<String>> {
    let mut squares = Vec::new();
    let mut signs = pattern.chars().filter(|sign| *sign != '/');
    while let Some(sign) = signs.next() {
        match sign {
            '?' => squares.push(None),
            '1'..='8' => squares.extend((0..sign.to_digit(10).expect("a digit")).map(|_| Some(".".to_owned()))),
            '[' => squares.push(Some(signs.by_ref().take_while(|sign| *sign != ']').collect())),
            _ => squares.push(Some(sign.to_string())),
        }
    }
    squares
}

/// Whether a position matches the pattern, square by square.
fn is_as(position: &Chess, squares: &[Option<String>]) -> bool {
    squares.iter().enumerate().all(|(nth, allowed)| {
        let square = Square::new((7 - nth as u32 / 8) * 8 + nth as u32 % 8);
        allowed.as_ref().is_none_or(|allowed| allowed.contains(letter(position, square)))
    })
}

/// A pattern that a position matches, with each square exact, one of several, or open, as `choices` say.
fn loosened(position: &Chess, choices: &[u8; 64]) -> String {
    let mut ranks = Vec::new();
    for rank in (0..8u32).rev() {
        let mut text = String::new();
        for file in 0..8u32 {
            let square = Square::new(rank * 8 + file);
            let sign = letter(position, square);
            match choices[square as usize] % 10 {
                0..=2 => text.push('?'),
                3 if sign.is_alphabetic() => {
                    text += &format!("[{}{}]", sign.to_ascii_uppercase(), sign.to_ascii_lowercase())
                }
                4 => text += &format!("[{sign}N.q]"),
                5 if sign == '.' => text.push('1'),
                _ => text.push(sign),
            }
        }
        ranks.push(text);
    }
    ranks.join("/")
}

/// How many pieces of each role a side has, pawns first.
fn numbers(position: &Chess, colour: Color) -> Vec<usize> {
    Role::ALL.iter().map(|&role| position.board().by_piece(role.of(colour)).count()).collect()
}

/// The letters of a side's pieces, in an order that depends on `turn`.
fn letters(position: &Chess, colour: Color, turn: usize) -> String {
    let mut letters: Vec<char> = Role::ALL
        .iter()
        .flat_map(|&role| std::iter::repeat_n(role.upper_char(), position.board().by_piece(role.of(colour)).count()))
        .collect();
    let middle = turn % letters.len();
    letters.rotate_left(middle);
    letters.into_iter().collect()
}

fn pawns(position: &Chess) -> (Bitboard, Bitboard) {
    let board = position.board();
    (board.by_piece(Color::White.pawn()), board.by_piece(Color::Black.pawn()))
}

/// Castling rights, and the en passant square if a capture is legal.
fn rights(position: &Chess) -> (Bitboard, Option<Square>) {
    let setup = position.to_setup(EnPassantMode::Legal);
    (setup.castling_rights, setup.ep_square)
}

/// The longest run of plies of a game at which `holds` is true.
fn longest(holds: impl Iterator<Item = bool>) -> u32 {
    let (mut row, mut most) = (0, 0);
    for holds in holds {
        row = if holds { row + 1 } else { 0 };
        most = most.max(row);
    }
    most
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_trade_is_two_captures_at_most_four_plies_apart(games in games(0..80), last in 2..80usize) {
        for (name, role) in [("queen", Role::Queen), ("rook", Role::Rook), ("bishop", Role::Bishop), ("knight", Role::Knight)] {
            let is_traded = |game: &Known, until: usize| {
                let [white, black] = losses(game, role);
                white.iter().any(|&one| black.iter().any(|&other| one.abs_diff(other) <= 4 && one.max(other) <= until))
            };
            for (query, until) in [(format!("traded {name}"), usize::MAX), (format!("traded {name} until ply {last}"), last)] {
                let expected: Vec<bool> = games.iter().map(|game| is_traded(game, until)).collect();
                prop_assert_eq!(&found(&games, &query).games, &expected, "{}", query);
                let never: Vec<bool> = expected.iter().map(|traded| !traded).collect();
                prop_assert_eq!(&found(&games, &format!("never {query}")).games, &never, "never {}", query);
            }
        }
    }

    #[test]
    fn a_fen_is_found_where_the_position_is(games in games(1..60), pick: prop::sample::Index, fields in 1usize..=6, mode in 0usize..3) {
        let Some(asked) = picked(&games, pick) else { return Ok(()) };
        let mode = [EnPassantMode::Legal, EnPassantMode::PseudoLegal, EnPassantMode::Always][mode];
        let text = Fen::from_position(asked, mode).to_string();
        let text: Vec<&str> = text.split(' ').take(fields).collect();
        assert_meaning(&games, &format!("fen \"{}\"", text.join(" ")), |position| {
            position.board() == asked.board()
                && (fields < 2 || position.turn() == asked.turn())
                && (fields < 3 || rights(position).0 == rights(asked).0)
                && (fields < 4 || rights(position).1 == rights(asked).1)
        });
    }

    #[test]
    fn a_pattern_is_found_square_by_square(
        games in games(1..60), pick: prop::sample::Index, choices in prop::array::uniform32(any::<u8>()), more in prop::array::uniform32(any::<u8>())
    ) {
        let Some(asked) = picked(&games, pick) else { return Ok(()) };
        let mut all = [0; 64];
        all[..32].copy_from_slice(&choices);
        all[32..].copy_from_slice(&more);
        let pattern = loosened(asked, &all);
        let squares = squares_of_pattern(&pattern);
        prop_assert_eq!(squares.len(), 64);
        assert_meaning(&games, &format!("board \"{pattern}\""), |position| is_as(position, &squares));
        assert_meaning(&games, &format!("not board \"{pattern}\" or {{ not board \"{pattern}\" }}"), |position| !is_as(position, &squares));
    }

    #[test]
    fn a_pattern_of_few_squares_or_nearly_all_is_found(
        games in games(1..60), pick: prop::sample::Index, few in prop::collection::vec((0usize..64, any::<u8>()), 1..8), open: bool
    ) {
        let Some(asked) = picked(&games, pick) else { return Ok(()) };
        let mut all = [if open { 0 } else { 9 }; 64];
        few.iter().for_each(|&(square, choice)| all[square] = if open { 9 } else { choice });
        let pattern = loosened(asked, &all);
        let squares = squares_of_pattern(&pattern);
        assert_meaning(&games, &format!("board \"{pattern}\""), |position| is_as(position, &squares));
    }

    #[test]
    fn a_structure_is_all_pawns_and_no_others(games in games(1..60), pick: prop::sample::Index) {
        let Some(asked) = picked(&games, pick) else { return Ok(()) };
        let mut board = asked.board().clone();
        for square in board.occupied() & !board.pawns() {
            board.discard_piece_at(square);
        }
        let text = board.board_fen().to_string();
        assert_meaning(&games, &format!("structure \"{text}\""), |position| pawns(position) == pawns(asked));
    }

    #[test]
    fn a_material_is_all_pieces_and_no_others(games in games(1..90), pick: prop::sample::Index, turn in 0usize..16, side in 0usize..3, swapped: bool) {
        let Some(asked) = picked(&games, pick) else { return Ok(()) };
        let (white, black) = (letters(asked, Color::White, turn), letters(asked, Color::Black, turn / 2));
        let name = if swapped { format!("{black}v{white}") } else { format!("{white}v{black}") };
        let word = ["", "white ", "black "][side];
        let sides = [Color::White, Color::Black].map(|colour| numbers(asked, colour));
        let [first, second] = if swapped { [&sides[1], &sides[0]] } else { [&sides[0], &sides[1]] };
        assert_meaning(&games, &format!("material {word}{name}"), |position| {
            let [white, black] = [Color::White, Color::Black].map(|colour| numbers(position, colour));
            let (as_named, turned) = (&white == first && &black == second, &white == second && &black == first);
            (side != 2 && as_named) || (side != 1 && turned)
        });
    }

    #[test]
    fn endgames_are_a_piece_each(games in games(40..120)) {
        // The numbers of knights, bishops, rooks and queens that a side may have.
        let kinds: &[(&str, &[[usize; 4]])] = &[
            ("pawn", &[[0, 0, 0, 0]]),
            ("knight", &[[1, 0, 0, 0]]),
            ("bishop", &[[0, 1, 0, 0]]),
            ("minor", &[[1, 0, 0, 0], [0, 1, 0, 0]]),
            ("rook", &[[0, 0, 1, 0]]),
            ("queen", &[[0, 0, 0, 1]]),
        ];
        for (kind, allowed) in kinds {
            assert_meaning(&games, &format!("endgame {kind}"), |position| {
                Color::ALL.iter().all(|&colour| allowed.iter().any(|allowed| numbers(position, colour)[1..5] == *allowed))
            });
        }
    }

    #[test]
    fn plies_in_a_row_are_counted(games in games(0..80), plies in 1u32..30, square in 0u32..64) {
        let square = Square::new(square);
        let empty = |position: &Chess| position.board().piece_at(square).is_none();
        let quiet = |position: &Chess| !position.is_check();
        let both = |position: &Chess| empty(position) && quiet(position);
        let row = |game: &Known, holds: &dyn Fn(&Chess) -> bool| longest(game.positions.iter().map(holds));
        let check = |query: &str, verdict: &dyn Fn(&Known) -> bool, holds: &dyn Fn(&Chess) -> bool| {
            let kept = found(&games, query);
            assert_eq!(kept.games, games.iter().map(verdict).collect::<Vec<_>>(), "{query}");
            let expected: Vec<Vec<bool>> = games.iter().map(|game| game.positions.iter().map(holds).collect()).collect();
            assert_eq!(kept.plies, expected, "{query}");
        };
        check(&format!("empty {square} for {plies}"), &|game| row(game, &empty) >= plies, &empty);
        check(&format!("empty {square} for {plies} moves"), &|game| row(game, &empty) >= 2 * plies, &empty);
        check(&format!("{{ empty {square} and not check }} for {plies} plies"), &|game| row(game, &both) >= plies, &both);
        check(&format!("{{ (empty {square} or check) and not check }} for {plies}"), &|game| row(game, &both) >= plies, &both);
        check(&format!("{{ not check }} for {plies}"), &|game| row(game, &quiet) >= plies, &quiet);
        check(&format!("not empty {square} for {plies}"), &|game| row(game, &empty) < plies, &|position| !empty(position));
        check(
            &format!("(empty {square}) for {plies} and not {{ check }} for 2"),
            &|game| row(game, &empty) >= plies && row(game, &|position| !quiet(position)) < 2,
            &both,
        );
    }
}

#[test]
fn positions_come_again_in_these_games() {
    // The random tests above rely on this: board positions repeat with another side to move or other rights.
    let games: Vec<Known> = (0..40u16)
        .map(|n| {
            wander(
                Some(MORE_STARTS[0]),
                &(0..60).map(|k: u16| k.wrapping_mul(7919).wrapping_add(n * 613)).collect::<Vec<_>>(),
            )
        })
        .collect();
    let all: Vec<&Chess> = games.iter().flat_map(|game| &game.positions).collect();
    let differ = |by: &dyn Fn(&Chess, &Chess) -> bool| {
        all.iter().any(|one| all.iter().any(|two| one.board() == two.board() && by(one, two)))
    };
    assert!(differ(&|one, two| one.turn() != two.turn()));
    assert!(differ(&|one, two| rights(one).0 != rights(two).0));
}

#[test]
fn en_passant_is_asked_for_where_it_is_legal() {
    let game = |text: &str| {
        let mut at = Chess::default();
        let mut known = Known { played: (None, Vec::new()), positions: Vec::new() };
        for word in text.split(' ') {
            let san: shakmaty::san::San = word.parse().expect(word);
            let mv = san.to_move(&at).expect(word);
            known.played.1.push(Move::from(mv));
            at.play_unchecked(mv);
            known.positions.push(at.clone());
        }
        known
    };
    // The same board three times: with White to move, with and without the right to capture on d6, and with Black to move.
    let games = [game("e4 a6 e5 d5 Nf3"), game("e4 a6 e5 d6 Nf3 d5 Ng1 Nf6"), game("e3 a6 e4 d6 e5 d5 Nf3")];
    let board = "rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR";
    let plies = |fields: &str| -> Vec<(usize, usize)> {
        let kept = found(&games, &format!("fen \"{board}{fields}\""));
        let hits = |(game, plies): (usize, &Vec<bool>)| {
            plies
                .iter()
                .enumerate()
                .filter(|(_, holds)| **holds)
                .map(move |(ply, _)| (game, ply + 1))
                .collect::<Vec<_>>()
        };
        kept.plies.iter().enumerate().flat_map(hits).collect()
    };
    assert_eq!(plies(""), [(0, 4), (1, 7), (2, 6)]);
    assert_eq!(plies(" w"), [(0, 4), (2, 6)]);
    assert_eq!(plies(" b KQkq -"), [(1, 7)]);
    assert_eq!(plies(" w KQkq d6 0 3"), [(0, 4)]);
    assert_eq!(plies(" w KQkq - - -"), [(2, 6)]);
    assert_eq!(plies("_w_HAha_d6"), [(0, 4)]);
    assert_eq!(plies(" w KQ"), []);
    assert_eq!(plies(" w -"), []);
    // After 1. e4 no piece can capture on e3, so the square means the same as `-`.
    let first = "fen \"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq";
    assert_eq!(compile(&format!("{first} e3 0 1\"")), compile(&format!("{first} -\"")));
}
