//! Generated games: random legal moves, chosen by shakmaty and packed into a corpus by the code under test.

use std::sync::Arc;

use plyfold_core::annotations::{COMMENT_MARK, GameAnnotations, Score, TimeControl};
use plyfold_core::board::start::PackedStart;
use plyfold_core::corpus::build::ShardBuilder;
use plyfold_core::corpus::file::CorpusFileHeader;
use plyfold_core::corpus::record::{Date, Eco, Ending, GameHeader, GameResult, TimeClass};
use plyfold_core::corpus::storage::AlignedBytes;
use plyfold_core::game::GameSpan;
use plyfold_core::moves::Move;
use plyfold_core::scan::Query;
use plyfold_core::scan::predicate::FoundPlies;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

/// A start position (`None` for the usual array) and the moves.
pub type PlayedGame = (Option<&'static str>, Vec<Move>);

/// Start positions that lead to rare moves: castling on both sides, en passant, promotion, a Chess960 array, few pieces.
pub const STARTS: &[Option<&str>] = &[
    None,
    None,
    None,
    Some("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
    Some("1n2k3/P1P1P2p/8/1pPp4/2PpPp2/8/p1p3PP/1N2K2R b K - 3 20"),
    Some("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"),
    Some("8/5k2/8/3R4/8/2B5/5K2/3b3r w - - 0 60"),
];

/// Plays by `choices`: each picks a legal move and sometimes prefers rare kinds. The choice 65535 makes a null move.
pub fn play(start: Option<&'static str>, choices: &[u16]) -> PlayedGame {
    let mut position = position(start);
    let mut moves = Vec::new();
    for &choice in choices {
        let legal = position.legal_moves();
        if choice == u16::MAX
            && let Ok(passed) = position.clone().swap_turn()
        {
            position = passed;
            moves.push(Move::NULL);
            continue;
        }
        let rare: Vec<_> = legal
            .iter()
            .filter(|mv| mv.is_castle() || mv.is_en_passant() || mv.is_promotion() || mv.is_capture())
            .collect();
        let Some(&mv) = (if choice % 3 == 0 && !rare.is_empty() {
            rare.get(usize::from(choice) % rare.len()).copied()
        } else {
            legal.get(usize::from(choice) % legal.len().max(1))
        }) else {
            break;
        };
        moves.push(Move::from(mv));
        position.play_unchecked(mv);
    }
    (start, moves)
}

/// Plays by `choices` as [`play`] does, but captures, promotions and pawn moves are rare, so that long games keep their
/// pieces.
pub fn play_calmly(start: Option<&'static str>, choices: &[u16]) -> PlayedGame {
    let mut position = position(start);
    let mut moves = Vec::new();
    for &choice in choices {
        let legal = position.legal_moves();
        let is_calm = |mv: &&shakmaty::Move| match choice % 16 {
            0 => mv.is_castle() || mv.is_capture() || mv.is_promotion(),
            1..4 => !mv.is_capture() && !mv.is_promotion(),
            _ => !mv.is_zeroing() && !mv.is_castle(),
        };
        let calm: Vec<_> = legal.iter().filter(is_calm).collect();
        let nth = usize::from(choice / 16);
        let any = legal.get(nth % legal.len().max(1));
        let Some(&mv) = calm.get(nth % calm.len().max(1)).copied().or(any) else { break };
        moves.push(Move::from(mv));
        position.play_unchecked(mv);
    }
    (start, moves)
}

/// Plays by `choices` so that White often gives check, and both sides often play back and forth: games in which positions recur.
pub fn play_in_circles(start: &'static str, choices: &[u16]) -> PlayedGame {
    let mut position = position(Some(start));
    let mut played: Vec<shakmaty::Move> = Vec::new();
    for &choice in choices {
        let legal = position.legal_moves();
        let gives_check = |mv: &&shakmaty::Move| {
            let mut after = position.clone();
            after.play_unchecked(**mv);
            position.turn().is_white() && choice % 16 > 1 && after.is_check()
        };
        let checks: Vec<_> = legal.iter().filter(gives_check).collect();
        let last = played.iter().rev().nth(1);
        let goes_back = |mv: &&shakmaty::Move| {
            choice % 16 > 4 && last.is_some_and(|last| (Some(mv.to()), mv.from()) == (last.from(), Some(last.to())))
        };
        let back =
            checks.iter().copied().find(goes_back).or(legal.iter().find(goes_back).filter(|_| checks.is_empty()));
        let nth = usize::from(choice / 16);
        let check = checks.get(nth % checks.len().max(1)).copied();
        let Some(&mv) = back.or(check).or(legal.get(nth % legal.len().max(1))) else { break };
        played.push(mv);
        position.play_unchecked(mv);
    }
    (Some(start), played.into_iter().map(Move::from).collect())
}

/// The position of a FEN, or the usual array.
pub fn position(fen: Option<&str>) -> Chess {
    fen.map_or_else(Chess::default, |fen| {
        let fen: Fen = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
        fen.into_position(CastlingMode::Chess960).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// Header values of game `nth`: names, ratings, dates and so on that differ from game to game, some of them unknown.
pub fn facts(nth: usize) -> GameHeader<'static> {
    let of = |list: &[&'static str], step: usize| list[nth / step % list.len()];
    let elo = |step: usize| [0, 1200, 2400, 2550, 2801][nth / step % 5];
    GameHeader {
        white: of(&["White 0", "White 1", "Kasparov, Garry", "Müller, Karsten"], 1).into(),
        black: of(&["Black", "KASPAROV G", "O'Kelly de Galway, A", "?"], 2).into(),
        event: of(&["?", "Candidates 1990", "club"], 1).into(),
        site: of(&["Linares ESP", "?"], 3).into(),
        date: Date::new([0, 1985, 1990, 1990][nth % 4], [0, 5, 12][nth % 3], [0, 1, 31][nth / 2 % 3]),
        white_elo: elo(1),
        black_elo: elo(2),
        eco: Eco::from_pgn(of(&["", "B90", "B99", "C42", "E60"], 1)),
        result: GameResult::ALL[nth % GameResult::ALL.len()],
        ending: Ending::ALL[nth % Ending::ALL.len()],
        time_class: TimeClass::ALL[nth % TimeClass::ALL.len()],
        chess960: false,
        incomplete: nth % 5 == 3,
        round: of(&["", "3.1", "30", "1", ""], 1).into(),
        annotator: of(&["", "", "Müller, Karsten"], 2).into(),
        time_control: of(&["", "300+3", "40/7200:3600"], 1).into(),
        white_title: of(&["GM", "", "IM", "WGM"], 1).into(),
        black_title: of(&["GM", "FM", ""], 2).into(),
    }
}

/// What the text of game `nth` says of its plies: nothing, evaluations, clocks, or all of it, with gaps.
pub fn annotations(nth: usize, plies: usize) -> GameAnnotations {
    let mut annotations = GameAnnotations::default();
    let mut dice = (nth as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut roll = |sides: u64| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        dice % sides
    };
    let unit = if nth.is_multiple_of(2) { 10 } else { 1 };
    let mut clocks = [1800u32; 2];
    for ply in 1..=plies as u16 {
        let clock = &mut clocks[usize::from(ply % 2)];
        *clock = (*clock + 20).saturating_sub(roll(90) as u32);
        let is_said = |roll: u64| roll != 0;
        if !nth.is_multiple_of(3) && is_said(roll(9)) {
            let score = match roll(12) {
                0 => Score::mate(roll(6) as u32, roll(2) == 0),
                1 => Score::centipawns(roll(6000) as i32 - 3000),
                _ => Score::centipawns(roll(900) as i32 - 450),
            };
            annotations.set_score(ply, score);
        }
        if !nth.is_multiple_of(4) && is_said(roll(15)) {
            annotations.set_clock(ply, *clock / unit * unit);
        }
        if nth % 5 == 4 && is_said(roll(3)) {
            annotations.set_elapsed(ply, roll(200) as u32 * unit);
        }
        for _ in 0..roll(8).saturating_sub(5) {
            annotations.add_mark(ply, roll(10) as u8);
        }
    }
    if !annotations.clocks.is_empty() && nth % 7 != 6 {
        annotations.time_control = TimeControl { base: 1800, increment: 20 };
    }
    annotations
}

/// The words of the comment on a ply of game `nth` of a shard, if its [`annotations`] say that it has one.
pub fn comment(nth: u32, ply: usize) -> &'static str {
    const COMMENTS: [&str; 5] = ["A novelty!", "ein Fehler", "Überraschung: a novelty", "better is Nf3", "N"];
    COMMENTS[(nth as usize * 3 + ply) % COMMENTS.len()]
}

/// Binds the comments of a query to those of test games, whose texts do not have them.
pub fn bind_comments(query: &mut Query, spans: &[GameSpan<'_>]) {
    query.bind_comments(|pattern| {
        let mut found = FoundPlies::default();
        for game in spans.iter().flat_map(|span| span.games().zip(span.first_in_shard..)) {
            let (game, nth) = game;
            let marks = game.annotations.unpack().marks;
            let commented = marks.iter().filter(|(_, mark)| *mark == COMMENT_MARK).map(|&(ply, _)| ply);
            for ply in commented.filter(|&ply| pattern.matches(comment(nth, ply.into()))) {
                found.push(game.id.0, ply);
            }
        }
        Arc::new(found)
    });
}

/// A corpus file of these games in shards of `shard_games`.
pub fn corpus(games: &[PlayedGame], shard_games: usize) -> Vec<u8> {
    shards(&games.chunks(shard_games.max(1)).collect::<Vec<_>>())
}

/// A corpus file with a shard for each of these lists of games.
pub fn shards(games: &[impl AsRef<[PlayedGame]>]) -> Vec<u8> {
    let mut header = CorpusFileHeader::empty();
    let mut body = Vec::new();
    for games in games {
        let mut builder = ShardBuilder::new();
        for (nth, (fen, moves)) in games.as_ref().iter().enumerate() {
            let start = fen.map(|fen| PackedStart::from_position(&position(Some(fen))));
            let facts = facts(nth);
            let text = format!("[White \"{nth}\"]\n\n{} moves *\n", moves.len());
            builder.push_game(&facts, start.as_ref(), moves, text.as_bytes()).expect("small enough");
            builder.annotate_last_game(&annotations(nth, moves.len()));
        }
        let shard = builder.into_bytes();
        if !shard.is_empty() {
            header.append(&shard).expect("a shard");
            body.extend_from_slice(&shard);
        }
    }
    [&header.to_bytes()[..], &body].concat()
}

/// Bytes at an address that is a multiple of eight, as a memory map's is.
pub struct Aligned(AlignedBytes);

impl Aligned {
    /// A copy of `bytes`.
    pub fn new(bytes: &[u8]) -> Aligned {
        Aligned(AlignedBytes::copy_of(bytes))
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        self.0.as_ref()
    }
}
