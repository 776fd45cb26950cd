//! Stores what a scan needs to reject games early: the event streams and the home-pawn signature of each game, and the signature of
//! its last position.

use alloc::vec::Vec;

use plyfold_board::board::Board;
use plyfold_board::board::start::PackedStart;
use plyfold_board::irreversible::home_pawns::{EventTotals, HomePawnSignature, SIGNATURE_COLUMNS};
use plyfold_board::irreversible::{EventStreamBuffer, EventStreams};
use plyfold_board::matsig::MatSig;
use plyfold_board::moves::Move;
use shakmaty::Color;

use super::layout::ShardSection;
use super::record::HeaderRecord;
use super::shard::{StartEntry, with_starts};

/// The five sections while they are filled, game by game.
#[derive(Default)]
pub(super) struct EventStreamsBuilder {
    /// The start of most games; setting it up takes longer than a short game.
    initial: Board,
    streams: EventStreamBuffer,
    /// Where the events of each game begin.
    stream_index: Vec<[u32; 2]>,
    signatures: Vec<MatSig>,
    home_pawns: Vec<HomePawnSignature>,
    /// The same by column, once all games are there.
    home_pawn_columns: Vec<u8>,
}

impl EventStreamsBuilder {
    /// The sections of all games of a shard, by a replay.
    pub fn of_games(records: &[HeaderRecord], starts: &[StartEntry], moves: &[Move]) -> EventStreamsBuilder {
        let mut sections = EventStreamsBuilder::default();
        for (record, start) in with_starts(records, starts) {
            sections.push_game(start, record.moves_among(moves));
        }
        sections
    }

    /// Adds a game. All games together have fewer than 2³² plies, and therefore fewer events, since each event takes at least one ply.
    pub fn push_game(&mut self, start: Option<&PackedStart>, moves: &[Move]) {
        let custom_start = start.map(Board::from_start);
        let (start, initial_signature) =
            custom_start.as_ref().map_or((&self.initial, MatSig::INITIAL), |own| (own, MatSig::from_board(own)));
        let begin = self.next_game_start();
        self.stream_index.push(begin);
        self.streams.push_game(start, moves);
        let EventStreamBuffer { material, pawns } = &self.streams;
        let event_streams =
            EventStreams { material: &material[begin[0] as usize..], pawns: &pawns[begin[1] as usize..] };
        let EventTotals { home_pawns: milestones, pawns, steps, piece_counts: numbers } =
            EventTotals::from_streams(start, event_streams);
        self.home_pawns.push(milestones);
        // The total is unknown if the start position does not tell how many steps were made before it.
        let total_steps =
            |colour: Color, made| initial_signature.steps(colour).map(|before| u32::from(*before.start()) + made);
        let steps = [total_steps(Color::White, steps[0]), total_steps(Color::Black, steps[1])];
        self.signatures.push(MatSig::from_parts(pawns, numbers.by_signature_piece(), steps));
    }

    /// Where the events of the next game begin.
    fn next_game_start(&self) -> [u32; 2] {
        [self.streams.material.len() as u32, self.streams.pawns.len() as u32]
    }

    /// The sections, in their order; no game may be added afterwards.
    pub fn finish(&mut self) -> [(ShardSection, &[u8]); 5] {
        let end = self.next_game_start();
        self.stream_index.push(end);
        for column in 0..SIGNATURE_COLUMNS {
            self.home_pawn_columns.extend(self.home_pawns.iter().map(|game| game[column]));
        }
        [
            (ShardSection::Signatures, bytemuck::cast_slice(&self.signatures)),
            (ShardSection::EventStreamIndex, bytemuck::cast_slice(&self.stream_index)),
            (ShardSection::MaterialEvents, bytemuck::cast_slice(&self.streams.material)),
            (ShardSection::PawnEvents, bytemuck::cast_slice(&self.streams.pawns)),
            (ShardSection::HomePawns, &self.home_pawn_columns),
        ]
    }

    /// Forgets all games.
    pub fn clear(&mut self) {
        self.streams.clear();
        self.stream_index.clear();
        self.signatures.clear();
        self.home_pawns.clear();
        self.home_pawn_columns.clear();
    }
}
