//! The PGN reader equals pgn-reader with shakmaty, finds the same games wherever a text is cut, and never panics.

use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

use plyfold_core::board::Board;
use plyfold_core::board::make::FullState;
use plyfold_core::board::start::PackedStart;
use plyfold_core::moves::Move;
use plyfold_core::pgn::{self, MoveEndFinder, PgnEntry, RejectionReason, last_game_boundary};
use plyfold_tests::data::{demo, shared};
use plyfold_tests::games::{STARTS, position};
use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, CastlingSide, Chess, EnPassantMode, File, Position, Rank, Role, Square};

/// The only entry of `text`: its moves, or the ply and the reason of the refusal.
fn single(text: &str) -> Result<Vec<Move>, (u32, RejectionReason)> {
    let mut entries = Vec::new();
    pgn::read_games(text.as_bytes(), 0, &mut |entry| {
        entries.push(match entry {
            PgnEntry::Game { moves, fault: None, .. } => Ok(moves.to_vec()),
            PgnEntry::Game { moves, fault: Some(fault), .. } => {
                assert_eq!(moves.len() as u32 + 1, fault.ply);
                Err((fault.ply, fault.reason.clone()))
            }
            PgnEntry::Rejected(refusal) => Err((refusal.ply, refusal.reason)),
            other => panic!("unknown entry {other:?}"),
        });
    });
    assert_eq!(entries.len(), 1, "{text}");
    entries.pop().expect("one entry")
}

/// A legal move in one of several notations.
fn written(position: &Chess, mv: shakmaty::Move, way: u16) -> String {
    let san = SanPlus::from_move(position.clone(), mv).to_string();
    let (from, to) = (mv.from().expect("no drops"), mv.to());
    let letter = match mv.role() {
        Role::Pawn => String::new(),
        role => role.upper_char().to_string(),
    };
    let promotion = mv.promotion().map_or(String::new(), |role| role.char().to_string());
    match way % 8 {
        0 if mv.is_castle() => san.replace('O', "0"),
        1 if mv.is_castle() => san.replace('O', "o"),
        2 if !mv.is_castle() => format!("{letter}{from}-{to}{}", promotion.to_uppercase()),
        3 if !mv.is_castle() => format!("{letter}{from}{}{to}={promotion}", if mv.is_capture() { "x" } else { "" })
            .trim_end_matches('=')
            .to_owned(),
        4 => UciMove::from_move(mv, CastlingMode::Chess960).to_string(),
        5 if position.castles().mode() == CastlingMode::Standard || !mv.is_castle() => {
            UciMove::from_move(mv, CastlingMode::Standard).to_string()
        }
        6 => san.replace('=', "").replace('x', ":"),
        7 => san.replace('N', "♘").replace('R', "♜").replace('+', "!?"),
        _ => san,
    }
}

/// A game of random legal moves in random notations, its moves, and its last position.
fn game(start: usize, choices: &[(u16, u16)]) -> (String, Vec<Move>, Chess) {
    let fen = STARTS[start % STARTS.len()];
    let mut at = position(fen);
    let mut text = fen.map_or(String::new(), |fen| format!("[FEN \"{fen}\"]\n\n"));
    let mut moves = Vec::new();
    for (ply, &(choice, way)) in choices.iter().enumerate() {
        let legal = at.legal_moves();
        let rare: Vec<_> =
            legal.iter().filter(|mv| mv.is_castle() || mv.is_en_passant() || mv.is_promotion()).collect();
        let Some(&mv) = (if choice & 1 == 0 && !rare.is_empty() {
            rare.get(usize::from(choice) % rare.len()).copied()
        } else {
            legal.get(usize::from(choice) % legal.len().max(1))
        }) else {
            break;
        };
        match way % 5 {
            0 => write!(text, "{}. ", ply / 2 + 1).expect("a string"),
            1 => text.push_str("{a (comment) } $7 "),
            2 => text.push_str("(1. any (thing)) "),
            3 => text.push_str("; a } line (\r\n"),
            _ => {}
        }
        text += &written(&at, mv, choice >> 3 ^ way);
        text.push(if way & 64 == 0 { ' ' } else { '\n' });
        moves.push(Move::from(mv));
        at.play_unchecked(mv);
    }
    (text, moves, at)
}

/// The legal moves that fit a text, by testing each of them.
fn fitting(position: &Chess, fits: impl Fn(&shakmaty::Move) -> bool) -> Vec<Move> {
    position.legal_moves().iter().filter(|mv| fits(mv)).map(|&mv| Move::from(mv)).collect()
}

/// A move as text, by role, hints, target and promotion, and the legal moves that fit it.
fn random_word(position: &Chess, bits: u32) -> (String, Vec<Move>) {
    let take = |shift: u32, most: u32| bits >> shift & (most - 1);
    let to = Square::new(take(0, 64));
    let file = (take(6, 4) == 0).then(|| File::new(take(8, 8)));
    let rank = (take(11, 4) == 0).then(|| Rank::new(take(13, 8)));
    let promotion =
        (take(16, 2) == 0).then(|| [Role::Queen, Role::Rook, Role::Bishop, Role::Knight][take(17, 4) as usize]);
    match take(19, 8) {
        6 => {
            let side = if take(22, 2) == 0 { CastlingSide::KingSide } else { CastlingSide::QueenSide };
            let text = if side == CastlingSide::KingSide { "O-O" } else { "O-O-O" };
            (text.to_owned(), fitting(position, |mv| mv.castling_side() == Some(side)))
        }
        7 => {
            let from = Square::new(take(22, 64));
            let promotion = promotion.filter(|_| matches!(to.rank(), Rank::First | Rank::Eighth));
            let text = format!("{from}{to}{}", promotion.map_or(String::new(), |role| role.char().to_string()));
            let fits = |mv: &shakmaty::Move| {
                let onto_rook = mv.from() == Some(from) && mv.to() == to && mv.promotion() == promotion;
                let aside = mv.is_castle()
                    && promotion.is_none()
                    && mv.from() == Some(from)
                    && to.rank() == from.rank()
                    && (to as u32).abs_diff(from as u32) == 2
                    && (to > from) == (mv.castling_side() == Some(CastlingSide::KingSide));
                onto_rook || aside
            };
            (text, fitting(position, fits))
        }
        role => {
            let role = Role::ALL[role as usize];
            let promotion = promotion.filter(|_| role == Role::Pawn && matches!(to.rank(), Rank::First | Rank::Eighth));
            let file = file.or((role == Role::Pawn && take(22, 2) == 0).then(|| File::new(take(23, 8))));
            let rank = rank.filter(|_| role != Role::Pawn);
            let letter = if role == Role::Pawn { String::new() } else { role.upper_char().to_string() };
            let [file_text, rank_text] =
                [file.map(|file| file.to_string()), rank.map(|rank| rank.to_string())].map(Option::unwrap_or_default);
            let end = promotion.map_or(String::new(), |role| format!("={}", role.upper_char()));
            let text = format!("{letter}{file_text}{rank_text}{to}{end}");
            let fits = |mv: &shakmaty::Move| {
                let from = mv.from().expect("no drops");
                // A pawn's file may be left out only if the pawn stays on its file.
                let file = file.or((role == Role::Pawn).then(|| to.file()));
                // A king that goes two files to the file of castling castles.
                let arrives = match mv.castling_side() {
                    Some(side) => {
                        to.rank() == from.rank()
                            && to.file() == if side == CastlingSide::KingSide { File::G } else { File::C }
                            && (to as u32).abs_diff(from as u32) == 2
                            && (to > from) == (side == CastlingSide::KingSide)
                    }
                    None => mv.to() == to,
                };
                arrives
                    && mv.role() == role
                    && mv.promotion() == promotion
                    && file.is_none_or(|file| from.file() == file)
                    && rank.is_none_or(|rank| from.rank() == rank)
            };
            (text, fitting(position, fits))
        }
    }
}

/// Bits of a word that is more likely to fit: it has the target and role of a legal move.
fn near(position: &Chess, bits: u32) -> u32 {
    let legal = position.legal_moves();
    let Some(mv) = legal.get(bits as usize >> 8 & 0xff).or(legal.first()) else {
        return bits;
    };
    let role = if mv.is_castle() { 6 } else { mv.role() as u32 - 1 };
    bits & !(63 | 7 << 19) | mv.to() as u32 | role << 19
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_way_of_writing_gives_the_move(
        start in 0usize..7,
        choices in prop::collection::vec((any::<u16>(), any::<u16>()), 0..120),
    ) {
        let (text, moves, last) = game(start, &choices);
        if text.is_empty() {
            return Ok(());
        }
        prop_assert_eq!(single(&text), Ok(moves.clone()), "{}", text);
        let mut board = Board::from_start(&plyfold_core::board::start::PackedStart::from_position(&position(STARTS[start % 7])));
        for mv in moves {
            board.make::<FullState>(mv);
        }
        prop_assert_eq!(board.to_setup(), last.to_setup(EnPassantMode::Legal));
    }

    #[test]
    fn a_word_is_taken_when_one_legal_move_fits(
        start in 0usize..7,
        choices in prop::collection::vec((any::<u16>(), Just(4u16)), 1..100),
        words in prop::collection::vec((any::<u32>(), any::<bool>()), 40),
    ) {
        let (text, moves, last) = game(start, &choices);
        for (bits, wild) in words {
            let (word, fitting) = random_word(&last, if wild { bits } else { near(&last, bits) });
            let read = single(&format!("[White \"x\"]\n{text} {word}"));
            match (&read, &fitting[..]) {
                (Ok(read), [mv]) => prop_assert_eq!((read.len(), read.last()), (moves.len() + 1, Some(mv)), "{} {}", text, word),
                (Err((ply, RejectionReason::Illegal(_) | RejectionReason::MissingPromotion(_))), []) => prop_assert_eq!(*ply as usize, moves.len() + 1),
                (Err((_, RejectionReason::Ambiguous(_))), [_, _, ..]) => {}
                _ => prop_assert!(false, "{text} {word}: {read:?} against {fitting:?}"),
            }
        }
    }
}

/// The entries of a text that begins at byte `base`, in full except for the numbers of the games.
fn entries(text: &[u8], base: u64) -> Vec<String> {
    let mut entries = Vec::new();
    pgn::read_games(text, base, &mut |entry| {
        entries.push(match entry {
            PgnEntry::Rejected(refusal) => format!("{:?}", pgn::RejectedGame { game: 0, ..refusal }),
            PgnEntry::Game { header, start, moves, annotations, text, offset, null_moves, fault, notes } => {
                let fault = fault.map(|fault| pgn::RejectedGame { game: 0, ..fault.clone() });
                let notes: Vec<_> = notes.iter().map(|note| (note.kind, note.offset)).collect();
                format!("{:?}", (header, start, moves, annotations, text, offset, null_moves, fault, notes))
            }
            other => panic!("unknown entry {other:?}"),
        });
    });
    entries
}

/// Pieces of text from which the tests assemble bad PGN.
pub const SCRAPS: &[&str] = &[
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    " ",
    "[Event \"a\"]",
    "[Event \"",
    "[White \"b\"]",
    "[FEN \"8/8/8/8/8/8/8/K1k5 w - - 0 1\"]",
    "[",
    "]",
    "\"",
    "\\",
    "1. e4",
    "1.",
    "e5",
    "Nf3",
    "2. ",
    "d4 d5 ",
    "O-O",
    "--",
    "e8=Q",
    "{",
    "}",
    "(",
    ")",
    ";",
    "%",
    "$1",
    "1-0",
    "0-1",
    "1/2-1/2",
    "*",
    "0-0",
    "[%clk 0:01]",
    "\u{feff}",
    "♘f3",
    "é",
    "½-½",
    "N",
    "e.p.",
    "\0",
    "-",
    "Kf9",
    "Sf3",
    "Z0",
    "a b c",
    "[Variant \"Atomic\"]",
    "[White: \"b\"]",
    "[event \u{201c}b\u{201d}]",
    "[Team]",
    "words",
    "\n[White \"b",
    "b\"]",
    "\u{1a}",
    "1... ",
    "O\u{2013}O",
    "0\u{2013}1",
    "0.5-0.5",
    "2008",
    "[Site \"b\"]\n\n1. d4 {\n",
    "\n} *\n",
    "[Result \"1-0\"]",
    "[Event \"a\"]\n[Site \"b\"]\n\n1. e4 e5 *\n\n",
];

/// The start position, the moves and the header of a text's only game.
fn alone(text: &[u8]) -> Option<(Option<PackedStart>, Vec<Move>, String)> {
    let mut games = Vec::new();
    pgn::read_games(text, 0, &mut |entry| {
        games.push(match entry {
            PgnEntry::Game { header: facts, start, moves, .. } => Some((start, moves.to_vec(), format!("{facts:?}"))),
            _ => None,
        });
    });
    games.pop().flatten().filter(|_| games.is_empty())
}

/// Whether there is a `}` without a `{` before it.
fn closes_nothing(text: &[u8]) -> bool {
    let mut is_open = false;
    text.iter().any(|&byte| {
        let was_open = is_open;
        is_open = byte == b'{' || is_open && byte != b'}';
        byte == b'}' && !was_open
    })
}

/// Inserts a comment after each move of each game of a text. Each game must still read the same. A game's text cut after a
/// move must end with that move.
fn comments_change_nothing(text: &[u8]) {
    let mut found = MoveEndFinder::default();
    pgn::read_games(text, 0, &mut |entry| {
        let PgnEntry::Game { start, moves, text, .. } = entry else { return };
        // Behind a result, a brace that closes nothing says that the tags before it stand in a comment.
        if closes_nothing(text) {
            return;
        }
        // The text before a game can matter, for instance whether a `%` begins a line.
        let Some(game) = alone(text).filter(|game| (&game.0, &game.1[..]) == (&start, moves)) else { return };
        let ends = found.find(text).to_vec();
        assert_eq!(ends.len(), moves.len(), "{}", text.escape_ascii());
        let mut commented = Vec::new();
        let mut before = 0;
        for &end in &ends {
            commented.extend_from_slice(&text[before..end]);
            commented.extend_from_slice(b" {a comment}");
            before = end;
        }
        commented.extend_from_slice(&text[before..]);
        assert_eq!(alone(&commented), Some(game), "{}", commented.escape_ascii());
        // Only a sample, since each cut is read again.
        for (nth, &end) in ends.iter().enumerate().step_by(1 + ends.len() / 5) {
            let cut = alone(&text[..end]).map(|(start, moves, _)| (start, moves));
            assert_eq!(cut, Some((start, moves[..=nth].to_vec())), "{}", text[..end].escape_ascii());
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn comments_behind_moves_change_nothing(scraps in prop::collection::vec(0..SCRAPS.len(), 0..60)) {
        // A figurine with other words attached to its move is skipped as a mark, but with a blank after it, it is a piece.
        let scraps = scraps.iter().map(|&scrap| SCRAPS[scrap]).filter(|scrap| !scrap.contains('♘'));
        comments_change_nothing(&scraps.flat_map(str::bytes).collect::<Vec<u8>>());
    }

    #[test]
    fn cuts_change_nothing(scraps in prop::collection::vec(0..SCRAPS.len(), 0..60), seed in any::<u64>()) {
        let text: Vec<u8> = scraps.iter().flat_map(|&scrap| SCRAPS[scrap].bytes()).collect();
        let whole = entries(&text, 0);
        // Cuts the text as a stream that arrives in small pieces.
        let mut pieces = Vec::new();
        let (mut from, mut seen) = (0, 0);
        while seen < text.len() {
            seen = text.len().min(seen + 1 + (seed.rotate_left(seen as u32) % 37) as usize);
            if seen < text.len() && let Some(border) = last_game_boundary(&text[from..seen]) {
                pieces.extend(entries(&text[from..from + border], from as u64));
                from += border;
            }
        }
        pieces.extend(entries(&text[from..], from as u64));
        prop_assert_eq!(pieces, whole, "{:?}", String::from_utf8_lossy(&text));
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        entries(&bytes, u64::MAX / 2);
    }
}

#[test]
fn a_file_cut_anywhere_loses_only_its_last_game() {
    let game = "[Event \"a \\\"b\\\"\"]\r\n[White \"Müller\"]\r\n[FEN \"4k3/P7/8/8/8/8/8/4K2R w K - 0 1\"]\r\n\r\n\
        1. O-O! {a comment} (1. a8=Q+ (1. Kd1) Kd7) 1... Kd7 $1 2. a8=N ; line\r\n% line\r\n Ke6 1/2-1/2 {end}\r\n\r\n";
    let text = game.repeat(3);
    let whole = entries(text.as_bytes(), 0);
    assert_eq!(whole.len(), 3);
    for end in 0..text.len() {
        let cut = entries(&text.as_bytes()[..end], 0);
        let complete = end / game.len();
        assert_eq!(&cut[..complete], &whole[..complete], "cut at {end}");
        assert!(cut.len() <= complete + 1, "cut at {end}: {cut:?}");
    }
}

#[test]
fn comments_behind_moves_of_torture_files_change_nothing() {
    let own = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/torture"));
    for folder in [Some(own), shared("nasty")].into_iter().flatten() {
        for file in fs::read_dir(folder).expect("a folder") {
            let path = file.expect("a file").path();
            if path.extension().is_some_and(|ending| ending == "pgn") {
                comments_change_nothing(&fs::read(path).expect("a torture file"));
            }
        }
    }
}

#[test]
fn variations_of_any_depth_cost_no_stack() {
    let text = format!("1. e4 {}1... c5{} e5 2. Nf3", "(".repeat(200_000), ")".repeat(200_000));
    assert_eq!(single(&text).map(|moves| moves.len()), Ok(3));
}

/// The moves of each game by pgn-reader and shakmaty; `None` for a game with an illegal move.
struct Twin(Vec<Option<Vec<Move>>>);

impl pgn_reader::Visitor for Twin {
    /// Where the game starts.
    type Tags = Chess;
    type Movetext = (Chess, Vec<Move>);
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), Chess> {
        ControlFlow::Continue(Chess::default())
    }

    fn tag(&mut self, start: &mut Chess, name: &[u8], value: pgn_reader::RawTag<'_>) -> ControlFlow<()> {
        if name == b"FEN" {
            let fen = Fen::from_ascii(value.as_bytes()).expect("a FEN");
            *start = fen.into_position(CastlingMode::Chess960).expect("a legal position");
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: Chess) -> ControlFlow<(), (Chess, Vec<Move>)> {
        ControlFlow::Continue((start, Vec::new()))
    }

    fn begin_variation(&mut self, _: &mut (Chess, Vec<Move>)) -> ControlFlow<(), pgn_reader::Skip> {
        ControlFlow::Continue(pgn_reader::Skip(true))
    }

    fn san(&mut self, (position, moves): &mut (Chess, Vec<Move>), san: SanPlus) -> ControlFlow<()> {
        match san.san.to_move(position) {
            Ok(mv) => {
                position.play_unchecked(mv);
                moves.push(Move::from(mv));
                ControlFlow::Continue(())
            }
            Err(_) => {
                self.0.push(None);
                ControlFlow::Break(())
            }
        }
    }

    fn end_game(&mut self, (_, moves): (Chess, Vec<Move>)) {
        self.0.push(Some(moves));
    }
}

#[test]
fn real_games_are_read_as_by_pgn_reader_and_shakmaty() {
    let reference = ["master-30k.pgn.zst", "lichess-elite-8k.pgn.zst"].map(shared);
    for path in [Some(demo())].into_iter().chain(reference).flatten() {
        let name = path.display().to_string();
        let packed = fs::File::open(path).expect("a file");
        let mut source = plyfold_input::PgnSource::new(packed, None).expect("zstd");
        let mut text = Vec::new();
        source.read(usize::MAX, &mut text).expect("good bytes");
        let mut twin = Twin(Vec::new());
        let mut reader = pgn_reader::Reader::new(&text[..]);
        while reader.read_game(&mut twin).expect("memory").is_some() {}
        let mut at = 0;
        pgn::read_games(&text, 0, &mut |entry| {
            match entry {
                PgnEntry::Game { moves, text: body, offset, .. } => {
                    assert_eq!(Some(moves), twin.0[at].as_deref(), "{name}, game {at}");
                    assert!(text[offset as usize..].starts_with(body));
                }
                PgnEntry::Rejected(refusal) => assert!(twin.0[at].is_none(), "{name}, game {at}: {refusal}"),
                other => panic!("unknown entry {other:?}"),
            }
            at += 1;
        });
        assert!(at > 4_000 && at == twin.0.len(), "{name}: {at} games");
    }
}
