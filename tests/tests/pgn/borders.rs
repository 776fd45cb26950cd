//! Rare PGN: castling in which the rook shields its king, and games that end before their first move.

use plyfold_core::pgn::{self, PgnEntry, RejectionReason, last_game_boundary};
use shakmaty::fen::Fen;
use shakmaty::{
    CastlingMode, CastlingSide, Chess, Color, EnPassantMode, FromSetup, Piece, Position, Role, Setup, Square,
};

/// A first rank with a king and a rook that may castle.
#[derive(Clone, Copy)]
struct Rank {
    colour: Color,
    king: u32,
    rook: u32,
    /// Another piece and its file.
    other: Option<(u32, Piece)>,
}

impl Rank {
    fn square(self, file: u32) -> Square {
        Square::new(file + self.colour.fold_wb(0, 56))
    }

    /// The position, if it is legal. The other king is behind pawns.
    fn position(self) -> Option<Chess> {
        let colour = self.colour;
        let mut setup = Setup { turn: colour, ..Setup::empty() };
        for file in 0..8 {
            let rank = colour.fold_wb(48, 8);
            setup.board.set_piece_at(Square::new(file + rank), Role::Pawn.of(!colour));
        }
        setup.board.set_piece_at(Square::new(colour.fold_wb(58, 2)), Role::King.of(!colour));
        setup.board.set_piece_at(self.square(self.king), Role::King.of(colour));
        setup.board.set_piece_at(self.square(self.rook), Role::Rook.of(colour));
        if let Some((file, piece)) = self.other {
            setup.board.set_piece_at(self.square(file), piece);
        }
        setup.castling_rights.add(self.square(self.rook));
        Chess::from_setup(setup, CastlingMode::Chess960).ok()
    }

    fn side(self) -> CastlingSide {
        CastlingSide::from_king_side(self.rook > self.king)
    }

    fn may_castle(self) -> bool {
        let castles =
            |position: &Chess| position.legal_moves().iter().any(|mv| mv.castling_side() == Some(self.side()));
        self.position().is_some_and(|position| castles(&position))
    }
}

/// Reads the game of this position and one move. The error is the reason for the refusal.
fn read(position: &Chess, mv: &str) -> Result<(), RejectionReason> {
    let fen = Fen::try_from_setup(position.to_setup(EnPassantMode::Legal)).expect("a FEN has it");
    let mut found = None;
    pgn::read_games(format!("[FEN \"{fen}\"]\n\n{mv} *\n").as_bytes(), 0, &mut |entry| {
        found = Some(match entry {
            PgnEntry::Rejected(refusal) => Err(refusal.reason),
            PgnEntry::Game { moves, .. } => {
                assert_eq!(moves.len(), 1, "{fen} {mv}");
                Ok(())
            }
            other => panic!("unknown entry {other:?}"),
        });
    });
    found.expect("a game")
}

#[test]
fn castling_is_read_where_it_is_legal_and_nowhere_else() {
    let (mut legal, mut illegal, mut shielded) = (0, 0, 0);
    for colour in Color::ALL {
        let mut others: Vec<Option<Piece>> = vec![None, Some(Role::Knight.of(colour))];
        others.extend([Role::Rook, Role::Queen, Role::Bishop, Role::Knight].map(|role| Some(role.of(!colour))));
        for (king, rook) in
            (1..7).flat_map(|king| (0..8).map(move |rook| (king, rook))).filter(|(king, rook)| king != rook)
        {
            let free = (0..8).filter(|&file| file != king && file != rook);
            for (file, piece) in free.flat_map(|file| others.iter().map(move |&piece| (file, piece))) {
                let rank = Rank { colour, king, rook, other: piece.map(|piece| (file, piece)) };
                let Some(position) = rank.position() else { continue };
                let (short, aside) =
                    (rank.side().is_king_side(), format!("{}{}", rank.square(king), rank.square(rook)));
                let (written, other_side) = if short { ("O-O", "O-O-O") } else { ("O-O-O", "O-O") };
                for text in [written, &aside] {
                    match read(&position, text) {
                        Ok(()) => assert!(rank.may_castle(), "{} {text}", position.board()),
                        Err(RejectionReason::Illegal(_)) => assert!(!rank.may_castle(), "{} {text}", position.board()),
                        Err(other) => panic!("{} {text}: {other}", position.board()),
                    }
                }
                assert!(
                    matches!(read(&position, other_side), Err(RejectionReason::Illegal(_))),
                    "{}",
                    position.board()
                );
                let alone = Rank { other: None, ..rank };
                match (rank.may_castle(), alone.may_castle() && !position.is_check()) {
                    (true, _) => legal += 1,
                    (false, true) if is_behind(rank) => shielded += 1,
                    (false, _) => illegal += 1,
                }
                // The other moves of king and rook, whether or not castling is legal.
                for mv in position.legal_moves().iter().filter(|mv| !mv.is_castle()) {
                    let text = mv.to_uci(CastlingMode::Chess960).to_string();
                    assert_eq!(read(&position, &text), Ok(()), "{} {text}", position.board());
                }
            }
        }
    }
    assert!(legal > 500 && illegal > 500 && shielded > 30, "{legal} legal, {illegal} illegal, {shielded} shielded");
}

/// Whether an enemy rook or queen is on the far side of the castling rook, so that only this rook shields the king from it.
fn is_behind(rank: Rank) -> bool {
    rank.other.is_some_and(|(file, piece)| {
        let is_outside = if rank.rook > rank.king { file > rank.rook } else { file < rank.rook };
        piece.color != rank.colour && matches!(piece.role, Role::Rook | Role::Queen) && is_outside
    })
}

#[test]
fn a_shield_is_not_given_up() {
    for (fen, text, is_legal) in [
        // The rook on b1 leaves, and exposes the king on c1 to the piece on a1.
        ("2k5/pppppppp/8/8/8/8/8/rRK5 w B - 0 1", "O-O-O", false),
        ("2k5/pppppppp/8/8/8/8/8/qRK5 w B - 0 1", "O-O-O", false),
        ("2k5/pppppppp/8/8/8/8/8/bRK5 w B - 0 1", "O-O-O", true),
        ("2k5/pppppppp/8/8/8/8/8/nRK5 w B - 0 1", "O-O-O", true),
        ("2k5/pppppppp/8/8/8/8/8/RRK5 w B - 0 1", "O-O-O", true),
        // Here the king goes to c1 and the rook to d1, so the piece on a1 attacks the king along the rank.
        ("2k5/pppppppp/8/8/8/8/8/rR1K4 w B - 0 1", "O-O-O", false),
        // King and rook change places, so the rook no longer shields the king.
        ("2k5/pppppppp/8/8/8/8/8/5KRr w G - 0 1", "O-O", false),
        ("2k5/pppppppp/8/8/8/8/8/5KRb w G - 0 1", "O-O", true),
        ("5krR/8/8/8/8/8/PPPPPPPP/2K5 b g - 0 1", "O-O", false),
        ("5krN/8/8/8/8/8/PPPPPPPP/2K5 b g - 0 1", "O-O", true),
    ] {
        let fen: Fen = fen.parse().expect("a FEN");
        let position = Chess::from_setup(fen.into_setup(), CastlingMode::Chess960).expect("a position");
        assert_eq!(read(&position, text).is_ok(), is_legal, "{}", position.board());
        let legal = position.legal_moves().iter().any(|mv| mv.is_castle());
        assert_eq!(legal, is_legal, "shakmaty: {}", position.board());
    }
}

/// White's name, the event and the number of plies of each game. Asserts that reading the text in one piece and cut at every
/// border gives the same.
fn games(text: &str) -> Vec<(String, String, usize)> {
    let read = |text: &str, found: &mut Vec<(String, String, usize)>| {
        pgn::read_games(text.as_bytes(), 0, &mut |entry| match entry {
            PgnEntry::Game { header: facts, moves, .. } => {
                found.push((facts.white.into(), facts.event.into(), moves.len()))
            }
            other => panic!("{text}: {other:?}"),
        });
    };
    let (mut whole, mut cut) = (Vec::new(), Vec::new());
    read(text, &mut whole);
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(border) = last_game_boundary(rest.as_bytes()) {
        pieces.push(&rest[border..]);
        rest = &rest[..border];
    }
    pieces.push(rest);
    pieces.iter().rev().for_each(|piece| read(piece, &mut cut));
    assert_eq!(cut, whole, "{text}");
    whole
}

#[test]
fn a_new_event_ends_the_tags_of_a_game_without_moves() {
    for (text, expected) in [
        // Nothing between the games; a blank line; a line with `%`; a comment.
        (
            "[Event \"a\"]\n[White \"A\"]\n[Event \"b\"]\n[White \"B\"]\n\n1. e4 *\n",
            &[("A", "a", 0), ("B", "b", 1)][..],
        ),
        ("[Event \"a\"]\n[White \"A\"]\n\n[Event \"b\"]\n[White \"B\"]\n\n1. e4 *\n", &[("A", "a", 0), ("B", "b", 1)]),
        ("[Event \"a\"]\n[White \"A\"]\n%\n[Event \"b\"]\n[White \"B\"]\n\n1. e4 *\n", &[("A", "a", 0), ("B", "b", 1)]),
        ("[Event \"a\"]\n{c}\n[Event \"b\"]\n\n1. e4 *\n", &[("?", "a", 0), ("?", "b", 1)]),
        ("[Event \"a\"] [Event \"b\"] [Event \"c\"] e4", &[("?", "a", 0), ("?", "b", 0), ("?", "c", 1)]),
        ("[Event \"a\"][Event \"b\"]", &[("?", "a", 0), ("?", "b", 0)]),
        // Another tag that is repeated belongs to the same game, unless a blank line precedes it.
        ("[White \"A\"]\n[White \"B\"]\n\n1. e4 *\n", &[("B", "?", 1)]),
        ("[White \"A\"]\n\n[White \"B\"]\n\n1. e4 *\n", &[("A", "?", 0), ("B", "?", 1)]),
        ("[White \"A\"]\n\n[Event \"b\"]\n\n1. e4 *\n", &[("A", "?", 0), ("?", "b", 1)]),
        ("[White \"A\"]\n[Event \"b\"]\n\n1. e4 *\n", &[("A", "b", 1)]),
    ] {
        let expected: Vec<_> =
            expected.iter().map(|&(white, event, plies)| (white.into(), event.into(), plies)).collect();
        for end in ["\n", "\r\n", "\r"] {
            assert_eq!(games(&text.replace('\n', end)), expected, "{text:?} with {end:?}");
        }
    }
}

#[test]
fn games_without_moves_stand_between_others() {
    let with_moves = "[Event \"m\"]\n[White \"M\"]\n\n1. e4 e5 *\n\n";
    let without = [
        "[Event \"n\"]\n\n*\n\n",
        "[Event \"n\"]\n\n1-0\n\n",
        "[Event \"n\"]\n\n{nobody came} 0-1\n\n",
        "[Event \"n\"]\n\n(1. e4) 1/2-1/2\n\n",
        "[Event \"n\"]\n\n\n\n",
        "[Event \"n\"]\n",
        "[Event \"n\"]\n\n1. *\n\n",
        "[Event \"n\"]\n\n; a comment\n\n",
    ];
    for (nth, first) in without.iter().enumerate() {
        for second in &without {
            for end in ["\n", "\r\n", "\r"] {
                let text =
                    [with_moves, first, with_moves, first, second, with_moves, second].concat().replace('\n', end);
                let found: Vec<(String, usize)> =
                    games(&text).into_iter().map(|(_, event, plies)| (event, plies)).collect();
                let expected = [("m", 2), ("n", 0), ("m", 2), ("n", 0), ("n", 0), ("m", 2), ("n", 0)];
                assert_eq!(found, expected.map(|(event, plies)| (String::from(event), plies)), "{nth} {text:?}");
            }
        }
    }
}
