//! Adds up over the segments what the index has about a position.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use plyfold_board::board::Board;
use plyfold_board::board::make::{MakeState, WithHash};
use plyfold_board::moves::Move;
use plyfold_scan::game::{Game, GameId, Ply};
use plyfold_scan::sorted::sorted;

use super::error::IndexError;
use super::id_list::GameIdReader;
use super::layout::{NextMoveEntry, PositionSummary, Segment};

/// Games by their result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct IndexedResults {
    /// White won.
    pub white: u64,
    /// Drawn.
    pub draw: u64,
    /// Black won.
    pub black: u64,
    /// The result is unknown.
    pub unknown: u64,
}

impl IndexedResults {
    /// Games of all results.
    pub fn games(&self) -> u64 {
        self.white + self.draw + self.black + self.unknown
    }

    /// Adds games by result, in the order of a header record's codes.
    fn add(&mut self, [unknown, white, black, draw]: [u32; 4]) {
        self.unknown += u64::from(unknown);
        self.white += u64::from(white);
        self.black += u64::from(black);
        self.draw += u64::from(draw);
    }
}

/// A move that was played in the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexedNextMove {
    /// The move.
    pub mv: Move,
    /// Games that played the move here, each once.
    pub results: IndexedResults,
}

/// The entries of the index about a position.
#[derive(Clone, Debug, Default)]
pub struct PositionMatch<'a> {
    /// Games that have the position: they begin with it or reach it after a ply. Each counts once.
    pub results: IndexedResults,
    /// Games that begin with the position: most games, if it is the initial position.
    pub started_games: u64,
    /// Games that reach the position after a ply. A scan counts the same games, because it does not count the start of a game as
    /// a position.
    pub reached_games: u64,
    /// Plies after which the position occurs, in all games; the start of a game does not count.
    pub occurrences: u64,
    /// The moves that games played in the position, the most frequent first, equally frequent ones by their bits.
    pub next_moves: Vec<IndexedNextMove>,
    segments: Vec<SegmentGames<'a>>,
}

/// The games of one segment.
#[derive(Clone, Debug)]
enum SegmentGames<'a> {
    /// Corpus-wide numbers.
    Replayed(Vec<GameId>),
    Summarised(Box<(Segment<'a>, PositionSummary)>),
}

impl<'a> PositionMatch<'a> {
    /// Games that have the position.
    pub fn games(&self) -> u64 {
        self.results.games()
    }

    /// The corpus-wide numbers of the games, ascending, read lazily.
    ///
    /// # Errors
    ///
    /// A damaged list.
    pub fn game_ids(&self) -> Result<impl Iterator<Item = GameId> + use<'a>, IndexError> {
        let lists = self.segments.iter().map(|part| match part {
            SegmentGames::Replayed(games) => Ok(SegmentGameIds::Replayed(games.clone().into_iter())),
            SegmentGames::Summarised(frequent) => {
                let (segment, summary) = &**frequent;
                let header = &segment.header;
                Ok(SegmentGameIds::Summarised(
                    header.first_game,
                    GameIdReader::new(segment.list(summary)?, header.games),
                ))
            }
        });
        let lists: Vec<SegmentGameIds<'a>> = lists.collect::<Result<_, IndexError>>()?;
        Ok(lists.into_iter().flatten())
    }

    /// Adds the stored summary of a frequent position.
    pub(super) fn add_summary(&mut self, segment: &Segment<'a>, summary: &PositionSummary) -> Result<(), IndexError> {
        self.results.add(summary.results);
        self.started_games += u64::from(summary.started_games);
        self.reached_games += u64::from(summary.reached_games);
        self.occurrences += u64::from(summary.occurrences);
        for &NextMoveEntry { mv, results, .. } in segment.next(summary)? {
            self.add_next(mv, results);
        }
        self.segments.push(SegmentGames::Summarised(Box::new((segment.clone(), *summary))));
        Ok(())
    }

    /// Replays `games`, which ascend, and adds those that have the position.
    pub(super) fn add_replayed<'g>(&mut self, games: impl Iterator<Item = Game<'g>>, hash: u64) {
        let mut game_ids = Vec::new();
        let mut initial = None;
        for game in games {
            let start =
                game.custom_start_board().unwrap_or_else(|| Board::clone(initial.get_or_insert_with(Board::initial)));
            let plies = plies_from(&game, start, hash);
            if plies.is_empty() {
                continue;
            }
            game_ids.push(game.id);
            let mut result = [0; 4];
            result[game.record.result() as usize] = 1;
            self.results.add(result);
            let begins = plies[0] == Ply::START;
            let occurrences = plies.len() as u64 - u64::from(begins);
            self.started_games += u64::from(begins);
            self.reached_games += u64::from(occurrences > 0);
            self.occurrences += occurrences;
            let mut next: Vec<Move> = Vec::new();
            for mv in plies.iter().filter_map(|&ply| game.moves.get(ply.moves()).copied()) {
                if !next.contains(&mv) {
                    next.push(mv);
                    self.add_next(mv, result);
                }
            }
        }
        if !game_ids.is_empty() {
            self.segments.push(SegmentGames::Replayed(game_ids));
        }
    }

    fn add_next(&mut self, mv: Move, results: [u32; 4]) {
        match self.next_moves.iter_mut().find(|next| next.mv == mv) {
            Some(next) => next.results.add(results),
            None => {
                let mut next = IndexedNextMove { mv, results: IndexedResults::default() };
                next.results.add(results);
                self.next_moves.push(next);
            }
        }
    }

    pub(super) fn finish(mut self) -> PositionMatch<'a> {
        let key = |next: &IndexedNextMove| (Reverse(next.results.games()), next.mv.bits());
        self.next_moves = sorted(self.next_moves, |one, other| key(one).cmp(&key(other)));
        self
    }
}

/// Plies of a game after which the position with this hash occurs, ascending; 0 for its start.
pub fn plies_with_hash(game: &Game<'_>, hash: u64) -> Vec<Ply> {
    plies_from(game, game.start_board(), hash)
}

fn plies_from(game: &Game<'_>, mut board: Board, hash: u64) -> Vec<Ply> {
    let mut plies = if board.hash == hash { vec![Ply::START] } else { Vec::new() };
    let mut walk = MakeState::for_board(&board);
    for (&mv, ply) in game.moves.iter().zip(1..) {
        board.make_with::<WithHash>(mv, &mut walk);
        if board.hash == hash {
            plies.push(Ply(ply));
        }
    }
    plies
}

/// The games of one segment, read lazily.
enum SegmentGameIds<'a> {
    Replayed(vec::IntoIter<GameId>),
    Summarised(u32, GameIdReader<'a>),
}

impl Iterator for SegmentGameIds<'_> {
    type Item = GameId;

    fn next(&mut self) -> Option<GameId> {
        match self {
            SegmentGameIds::Replayed(games) => games.next(),
            SegmentGameIds::Summarised(first, numbers) => numbers.next().map(|number| GameId(*first + number)),
        }
    }
}
