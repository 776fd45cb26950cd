//! The first game with each new move: by date, where a game leaves what the games before it knew.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::hash::BuildHasherDefault;

use hashbrown::HashMap;
use plyfold_board::board::Board;
use plyfold_board::board::make::{FullState, HashOnly};
use plyfold_board::moves::Move;
use plyfold_scan::game::{Game, GameId, GameSpan, ShardParts};
use plyfold_scan::headers::Date;
use plyfold_scan::notation::notate_move;
use plyfold_scan::scan::reducer::ScanMatch;

use super::hash::FibonacciHasher;
use super::output::{
    Output, OutputArgument, OutputArguments, OutputContext, OutputDefinition, PartialStates, Summary, SummaryReducer,
};
use super::partial_state::{PartialState, partial_struct};
use super::result_table::{CellKind, ResultColumn, ResultTable};
use super::sorted::sorted;

/// The novelties of the matching games.
pub const NOVELTIES: OutputDefinition = OutputDefinition {
    name: "novelties",
    option: "novelties",
    summary: "The first matching game, by date, with each new move in a position that ten of them had had before, within 40 plies; those of the \
              strongest players first",
    title: "Novelties",
    legend: Some(
        "games before: matching games that had had the position before the move; games after: those that came to the new position later",
    ),
    argument: OutputArgument::Maximum(50),
    takes_positions: |_| false,
    asks_tables: false,
    parts: |_| ShardParts::RECORDS.union(ShardParts::MOVES),
    reducer: |_, _| Box::new(NoveltyReducer::default()),
    partial_states: PartialStates::of::<Novelties>(),
};

/// How far the opening goes, in plies.
pub const OPENING_PLIES: usize = 40;
/// So many earlier games make a position known.
pub const KNOWN_GAMES: u32 = 10;

/// The novelties of some games.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Novelties {
    /// The openings of all games, by date: other games may have been earlier. Memory: two bytes for each ply of an opening, and 40 for
    /// each game.
    openings: Vec<PlayedOpening>,
    /// The novelties, those of the strongest players first.
    pub found: Vec<Novelty>,
}

/// A game that left what was known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Novelty {
    /// The index of the opening.
    opening: u32,
    /// The game.
    pub game: GameId,
    /// The number of the new move among the plies of the game, from 1.
    pub ply: u32,
    /// How many earlier games had had the position before it.
    pub games_before: u32,
    /// How many later games had the position after it.
    pub games_after: u32,
}

/// The first moves of a game, which begins with the start position.
#[derive(Clone, PartialEq, Eq, Debug)]
struct PlayedOpening {
    game: u32,
    date: Date,
    /// The average rating of both players, 0 if one is unknown.
    rating: u16,
    moves: Box<[Move]>,
}

impl PartialState for Box<[Move]> {
    fn write(&self, out: &mut Vec<u8>) {
        (self.len() as u64).write(out);
        self.iter().for_each(|mv| mv.write(out));
    }

    fn read(bytes: &mut &[u8]) -> Option<Box<[Move]>> {
        Vec::read(bytes).map(Vec::into_boxed_slice)
    }
}

partial_struct!(PlayedOpening { game, date, rating, moves });

impl PartialState for Novelties {
    /// Writes only the openings: what is new depends on all of them.
    fn write(&self, out: &mut Vec<u8>) {
        self.openings.write(out);
    }

    fn read(bytes: &mut &[u8]) -> Option<Novelties> {
        Some(Novelties { openings: PartialState::read(bytes)?, found: Vec::new() })
    }
}

/// What is known of a position.
#[derive(Clone, Copy, Default)]
struct KnownPosition {
    games: u32,
    /// One more than the index of the last game that had it.
    last: u32,
}

impl PlayedOpening {
    fn of(game: &Game<'_>) -> PlayedOpening {
        let record = game.record;
        let rating = match [record.white_elo, record.black_elo].map(u32::from) {
            [0, _] | [_, 0] => 0,
            [white, black] => (white + black) / 2,
        };
        let moves = game.moves[..game.moves.len().min(OPENING_PLIES)].into();
        PlayedOpening { game: game.id.0, date: record.date, rating: rating as u16, moves }
    }

    /// By date; parts of it that are unknown come last. Games of one date are in the order of their numbers.
    fn order(&self) -> (u32, u32) {
        let last_if_unknown = |part: u32| if part == 0 { u32::from(u8::MAX) } else { part };
        let year = if self.date.year() == 0 { u32::from(u16::MAX) } else { self.date.year() };
        (year << 16 | last_if_unknown(self.date.month()) << 8 | last_if_unknown(self.date.day()), self.game)
    }

    /// Writes the hashes of its positions, the start first.
    fn hashes(&self, hashes: &mut Vec<u64>) {
        let mut board = Board::initial();
        hashes.clear();
        hashes.push(board.hash);
        for &mv in &self.moves {
            board.make::<HashOnly>(mv);
            hashes.push(board.hash);
        }
    }

    /// The board before its ply with this number, from 1, and the move.
    fn board_before(&self, ply: u32) -> Option<(Board, Move)> {
        let (&mv, before) = self.moves.get(..ply as usize)?.split_last()?;
        let mut board = Board::initial();
        for &mv in before {
            board.make::<FullState>(mv);
        }
        Some((board, mv))
    }
}

impl Novelties {
    /// Finds the novelties of these games.
    fn of(openings: Vec<PlayedOpening>) -> Novelties {
        let openings = sorted(openings, |one, other| one.order().cmp(&other.order()));
        let mut known: HashMap<u64, KnownPosition, BuildHasherDefault<FibonacciHasher>> = HashMap::default();
        let (mut hashes, mut found) = (Vec::new(), Vec::new());
        for (nth, opening) in (0..).zip(&openings) {
            opening.hashes(&mut hashes);
            let games = |hash: u64| known.get(&hash).map_or(0, |position| position.games);
            let new = (1..).zip(hashes.windows(2)).find_map(|(ply, pair)| {
                let games_before = games(pair[0]);
                let is_new = games_before >= KNOWN_GAMES && games(pair[1]) == 0;
                is_new.then_some((
                    pair[1],
                    Novelty { opening: nth, game: GameId(opening.game), ply, games_before, games_after: 0 },
                ))
            });
            found.extend(new);
            for &hash in &hashes {
                let position = known.entry(hash).or_default();
                if position.last != nth + 1 {
                    *position = KnownPosition { games: position.games + 1, last: nth + 1 };
                }
            }
        }
        let with_followers = |(hash, novelty)| {
            let games = known.get(&hash).map_or(0, |position| position.games);
            Novelty { games_after: games.saturating_sub(1), ..novelty }
        };
        let found = found.into_iter().map(with_followers).collect();
        let rank = |one: &Novelty| (Reverse((openings[one.opening as usize].rating, one.games_before)), one.opening);
        let found = sorted(found, |one, other| rank(one).cmp(&rank(other)));
        Novelties { openings, found }
    }
}

impl Summary for Novelties {
    fn table(&self, arguments: &OutputArguments) -> ResultTable<'_> {
        let rows = self.found.iter().take(arguments.max_rows).map(|novelty| {
            let opening = &self.openings[novelty.opening as usize];
            let (text, condition) = opening.board_before(novelty.ply).map(|(board, mv)| written(board, mv)).unzip();
            let date = (opening.date.year() > 0).then_some(opening.date);
            vec![
                novelty.game.number().into(),
                u64::from(novelty.ply).into(),
                text.unwrap_or_default().into(),
                u64::from(novelty.games_before).into(),
                u64::from(novelty.games_after).into(),
                (opening.rating > 0).then_some(u64::from(opening.rating)).into(),
                date.into(),
                date.map(|date| u64::from(date.year())).into(),
                condition.into(),
            ]
        });
        let columns = vec![
            ResultColumn::new(CellKind::Game, "game"),
            ResultColumn::new(CellKind::Ply, "ply"),
            ResultColumn::text("move"),
            ResultColumn::count("games_before"),
            ResultColumn::count("games_after"),
            ResultColumn::new(CellKind::Rating, "rating").optional(),
            ResultColumn::new(CellKind::Date, "date").optional(),
            ResultColumn::new(CellKind::Year, "year").optional(),
            ResultColumn::condition("condition"),
        ];
        ResultTable::new(columns, rows).of_distinct(self.found.len() as u64)
    }

    fn merged(parts: Vec<Novelties>, _: &OutputArguments) -> Novelties {
        Novelties::of(parts.into_iter().flat_map(|part| part.openings).collect())
    }
}

/// A move with its number, `12... Nd5`, and the condition of the position after it.
fn written(mut board: Board, mv: Move) -> (String, String) {
    let notation = notate_move(&board, mv);
    let dots = if notation.color.is_white() { "." } else { "..." };
    let text = format!("{}{dots} {}", notation.move_number, notation.san);
    board.make::<FullState>(mv);
    (text, format!("fen \"{}\"", board.fen()))
}

/// The openings of the matching games. What is new in them is known when all have been seen.
#[derive(Default)]
struct NoveltyReducer {
    openings: Vec<PlayedOpening>,
}

impl SummaryReducer for NoveltyReducer {
    type Summary = Novelties;

    fn game(&mut self, found_game: &ScanMatch<'_>, _: &OutputContext<'_>) {
        let game = found_game.game;
        if found_game.verdict && !game.has_custom_start() {
            self.openings.push(PlayedOpening::of(game));
        }
    }

    fn merge(&mut self, other: NoveltyReducer) {
        self.openings.extend(other.openings);
    }

    fn finish(self, _: &Output, _: &OutputContext<'_>, _: &[GameSpan<'_>]) -> Novelties {
        Novelties::of(self.openings)
    }
}
