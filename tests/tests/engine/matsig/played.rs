//! The positions of random and of real games, with what is known of each.

use plyfold_core::board::make::WithPieceCounts;
use plyfold_core::board::start::PackedStart;
use plyfold_core::board::{Board, ByPiece};
use plyfold_core::matsig::MatSig;
use plyfold_core::matsig::tracker::SignatureTracker;
use plyfold_core::moves::Move;
use plyfold_tests::data::{self, shared};
use plyfold_tests::games::{STARTS, position};
use plyfold_tests::imported;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, FromSetup, Position, PositionError, Role};

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
pub struct Stand {
    /// Its signature with the steps of its history as far as they are known, and without history.
    pub by: [MatSig; 2],
    /// How many pieces of each code there are.
    pub numbers: ByPiece<u8>,
    /// How many pawns White and Black have promoted so far.
    pub promoted: [i32; 2],
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

    pub fn pawns(&self) -> [u64; 2] {
        [self.by[1].pawns(Color::White), self.by[1].pawns(Color::Black)]
    }
}

/// The positions of a game that differ in their signatures.
pub type Stands = Vec<Stand>;

fn stands_of(mut board: Board, moves: impl Iterator<Item = Move>) -> Stands {
    let mut tracker = SignatureTracker::new(&board);
    let mut stands = vec![Stand::first(&tracker, &board)];
    for mv in moves {
        tracker.follow(&board, mv);
        board.make::<WithPieceCounts>(mv);
        stands.push(stands[stands.len() - 1].then(&tracker, &board, mv));
    }
    stands.dedup_by_key(|stand| stand.by);
    stands
}

/// A game of at most `plies` plies, with its own random numbers.
pub fn random_game(mut position: Chess, style: usize, seed: u64, plies: usize) -> Stands {
    let mut random = Random(seed);
    let board = Board::from_start(&PackedStart::from_position(&position));
    let moves = std::iter::from_fn(|| {
        let legal = position.legal_moves();
        let liked: Vec<_> = legal.iter().copied().filter(STYLES[style]).collect();
        let among = if liked.is_empty() || random.below(4) == 0 { &legal[..] } else { &liked[..] };
        if among.is_empty() {
            return None;
        }
        let mv = among[random.below(among.len())];
        position.play_unchecked(mv);
        Some(Move::from(mv))
    });
    stands_of(board, moves.take(plies))
}

/// Pseudo-random numbers that are the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most
    }
}

pub fn seed(nth: usize) -> u64 {
    (nth as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}

/// Random games in every style, from the usual array, from sharp positions and from freaks.
pub fn random_games(number: usize) -> Vec<Stands> {
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
pub fn real_games(step: usize) -> Vec<Stands> {
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
    games.map(|game| stands_of(game.start_board(), game.moves.iter().copied())).collect()
}
