//! Groups, partitions and next moves equal counts made position by position, with shakmaty's board and the headers of the
//! games.

use std::collections::{BTreeMap, BTreeSet};

use plyfold_core::annotations::judgement::judge;
use plyfold_core::annotations::{GameAnnotations, Score, UNKNOWN_TIME};
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::headers::GameResult;
use plyfold_core::moves::Move;
use plyfold_core::query::{compile, parse_number};
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::groups::{COUNTS, GroupTable};
use plyfold_core::reduce::key::{GroupingKey, KEY_FEATURES};
use plyfold_core::reduce::move_name::ChosenMove;
use plyfold_core::reduce::next_moves::{NEXT_MOVES, NextMoveTable};
use plyfold_core::reduce::partition::{PARTITION, Partition, PartitionLimit, PartitionRule, PartitionSet};
use plyfold_core::reduce::structures::{STRUCTURES, StructureCount, TopStructures};

use crate::feature_definitions;
use plyfold_core::reduce::{QueryResults, ReducerSelection, run_query};
use plyfold_core::scan::measure::NAMED_STRUCTURES;
use plyfold_core::scan::predicate::PositionPredicate;
use plyfold_core::scan::reducer::{Reducer, ScanMatch};
use plyfold_core::scan::{Query, naive};
use plyfold_tests::games::{Aligned, PlayedGame, STARTS, annotations, corpus, facts, play, position};
use plyfold_tests::queries::{bound, cases, games, query};
use proptest::prelude::*;
use proptest::sample::select;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{Bitboard, Chess, Color, EnPassantMode, Position, Role, Square};

/// For each game: its number, whether it matches, and the plies that match.
#[derive(Default)]
struct Diary(Vec<(u32, bool, Vec<u32>)>);

impl Reducer for Diary {
    fn game(&mut self, found: &ScanMatch<'_>) {
        self.0.push((found.game.id.0, found.verdict, found.matches.iter().map(|ply| ply.0).collect()));
    }

    fn merge(&mut self, _: Self) {}
}

/// A position of a game, with the moves that led to it.
#[derive(Clone)]
struct At {
    position: Chess,
    ply: u32,
    /// The move number in the score of the move that led here.
    number: u32,
    castled: [&'static str; 2],
    /// Plies since the last capture or pawn move.
    clock: u32,
    /// How often the position has occurred, this time included.
    repetition: u32,
    next: Option<Move>,
    is_from_initial: bool,
}

/// A move as shakmaty writes it.
fn san_of(position: &Chess, mv: Move) -> String {
    let theirs = position.legal_moves().into_iter().find(|&one| Move::from(one) == mv);
    theirs.map_or_else(|| "--".into(), |theirs| SanPlus::from_move(position.clone(), theirs).to_string())
}

/// What makes two positions the same: the board, the side to move, the castling rights and a legal en passant capture.
fn identity(position: &Chess) -> String {
    let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

/// All positions of a game, including the first.
fn positions((fen, moves): &PlayedGame) -> Vec<At> {
    let start = position(*fen);
    let (number, black_begins) = (start.fullmoves().get(), u32::from(start.turn().is_black()));
    let clock = start.halfmoves();
    let next = moves.first().copied();
    let mut at = At {
        position: start,
        ply: 0,
        number: 0,
        castled: ["none"; 2],
        clock,
        repetition: 1,
        next,
        is_from_initial: fen.is_none(),
    };
    let mut all = vec![at.clone()];
    let mut occurred = BTreeMap::from([(identity(&at.position), 1)]);
    for (&mv, next) in moves.iter().zip(moves.iter().skip(1).map(Some).chain([None])) {
        let mover = usize::from(at.position.turn().is_black());
        at.clock += 1;
        if mv == Move::NULL {
            at.position = at.position.swap_turn().expect("passed");
        } else {
            let legal = at.position.legal_moves().into_iter().find(|&legal| Move::from(legal) == mv).expect("legal");
            if let Some(side) = legal.castling_side() {
                at.castled[mover] = if side.is_king_side() { "O-O" } else { "O-O-O" };
            }
            if legal.is_zeroing() {
                at.clock = 0;
            }
            at.position.play_unchecked(legal);
        }
        let times = occurred.entry(identity(&at.position)).or_insert(0);
        *times += 1;
        at.repetition = *times;
        at.number = number + (at.ply + black_begins) / 2;
        at.ply += 1;
        at.next = next.copied();
        all.push(at.clone());
    }
    all
}

fn number_of(position: &Chess, colour: Color, role: Role) -> usize {
    position.board().by_piece(role.of(colour)).count()
}

fn letters(position: &Chess, colour: Color) -> String {
    let pieces = [(Role::Queen, "Q"), (Role::Rook, "R"), (Role::Bishop, "B"), (Role::Knight, "N")];
    pieces.into_iter().map(|(role, letter)| letter.repeat(number_of(position, colour, role))).collect()
}

fn king(position: &Chess, colour: Color) -> Square {
    position.board().king_of(colour).expect("a king")
}

/// The material of both sides, as in `KRPvKR`.
fn material(position: &Chess) -> String {
    let side =
        |colour| format!("K{}{}", letters(position, colour), "P".repeat(number_of(position, colour, Role::Pawn)));
    format!("{}v{}", side(Color::White), side(Color::Black))
}

/// The kind of endgame, the stronger side first; "none yet" before the endgame.
fn endgame(position: &Chess) -> String {
    if letters(position, Color::White).len() + letters(position, Color::Black).len() > 6 {
        return "none yet".into();
    }
    let strength = |colour| {
        let number = |role| number_of(position, colour, role);
        let pieces = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight].map(number);
        (pieces, number(Role::Pawn).min(1))
    };
    let side = |colour| match (letters(position, colour), strength(colour).1) {
        (pieces, 0) if pieces.is_empty() => "K".into(),
        (pieces, _) if pieces.is_empty() => "P".into(),
        (pieces, 0) => pieces,
        (pieces, _) => pieces + "+P",
    };
    let white_first = strength(Color::White) >= strength(Color::Black);
    let (first, second) = if white_first { (Color::White, Color::Black) } else { (Color::Black, Color::White) };
    format!("{} v {}", side(first), side(second))
}

/// The value of a key about what the text says of the last move.
fn of_text(key: &str, said: &GameAnnotations, at: &At) -> String {
    let score = |ply: u32| match ply {
        0 => Some(Score::centipawns(15)).filter(|_| at.is_from_initial),
        ply => said.scores.get(ply as usize - 1).copied().filter(|score| score.is_known()),
    };
    let clock = || said.clocks.get(at.ply.checked_sub(1)? as usize).filter(|&&clock| clock != UNKNOWN_TIME);
    match key {
        "eval" => score(at.ply).filter(|_| at.ply > 0).map_or("?".into(), |score| match score.as_mate() {
            Some((_, white_mates)) => format!("{} mates", if white_mates { "White" } else { "Black" }),
            None => (score.as_centipawns().expect("a number").div_euclid(100) * 100).to_string(),
        }),
        "clock_time" => clock()
            .map_or("?", |tenths| match tenths / 10 {
                0..10 => "0-9",
                10..30 => "10-29",
                30..60 => "30-59",
                60..180 => "60-179",
                180..600 => "180-599",
                600..1800 => "600-1799",
                1800.. => "1800+",
            })
            .into(),
        _ => {
            let mover_is_black = at.position.turn().is_white();
            let judged = at.ply.checked_sub(1).and_then(|before| judge(score(before)?, score(at.ply)?, mover_is_black));
            judged.map_or("none".into(), |judgement| format!("{judgement:?}").to_lowercase())
        }
    }
}

/// The values of a key at a position, as text. Header values depend on the game's index in its shard.
fn values(key: &str, (id, shard): (u32, usize), plies: usize, at: &At) -> BTreeSet<String> {
    let facts = facts(id as usize % shard);
    let position = &at.position;
    let one = |text: String| BTreeSet::from([text]);
    let known = |number: u32| one(if number == 0 { "?".into() } else { number.to_string() });
    let points = |colour| {
        let worth = [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];
        worth.into_iter().map(|(role, points)| points * number_of(position, colour, role) as i64).sum::<i64>()
    };
    match key {
        "material" => one(material(position)),
        "endgame" => one(endgame(position)),
        "structure" => {
            let mut pawns = position.board().clone();
            pawns.pawns().toggled(Bitboard::FULL).into_iter().for_each(|square| pawns.discard_piece_at(square));
            one(pawns.to_string())
        }
        "named_structure" => one(named_structures(position)),
        "castling" => one(at.castled.join(" / ")),
        "kings" => one(format!("{} {}", king(position, Color::White), king(position, Color::Black))),
        "white_king" => one(king(position, Color::White).to_string()),
        "black_king" => one(king(position, Color::Black).to_string()),
        "ply" => one(at.ply.to_string()),
        "move" => one(at.number.to_string()),
        "eval" | "clock_time" | "judgement" => one(of_text(key, &annotations(id as usize % shard, plies), at)),
        "result" => one(facts.result.to_string()),
        "eco" => one(if facts.eco.is_unknown() { "?".into() } else { facts.eco.to_string() }),
        // These corpora are made without a table of openings.
        "opening" | "opening_family" => one("?".into()),
        "player" => BTreeSet::from([facts.white.into_owned(), facts.black.into_owned()]),
        "white" => one(facts.white.into_owned()),
        "black" => one(facts.black.into_owned()),
        "event" => one(facts.event.into_owned()),
        "year" => known(facts.date.year()),
        "elo" => match [u32::from(facts.white_elo), u32::from(facts.black_elo)] {
            [0, _] | [_, 0] => one("?".into()),
            [white, black] => one(((white + black) / 200 * 100).to_string()),
        },
        "plies" => one(plies.to_string()),
        "ending" => one(facts.ending.to_string()),
        "time_class" => one(facts.time_class.to_string()),
        "count(white pawn)" => one(number_of(position, Color::White, Role::Pawn).to_string()),
        "king_distance" => one(king(position, Color::White).distance(king(position, Color::Black)).to_string()),
        "points(white) - points(black)" => one((points(Color::White) - points(Color::Black)).to_string()),
        "clock" => one(at.clock.to_string()),
        "repetition" => one(at.repetition.to_string()),
        "2 * repetition + clock" => one((2 * at.repetition + at.clock).to_string()),
        _ => panic!("no twin of the key {key}"),
    }
}

const NUMBERS: [&str; 6] = [
    "count(white pawn)",
    "king_distance",
    "points(white) - points(black)",
    "clock",
    "repetition",
    "2 * repetition + clock",
];

/// All keys that a twin counts.
fn key_names() -> Vec<&'static str> {
    KEY_FEATURES.iter().map(|feature| feature.name).chain(NUMBERS).collect()
}

fn key(name: &str) -> GroupingKey {
    GroupingKey::named(name)
        .unwrap_or_else(|| GroupingKey::Number { terms: parse_number(name).expect("a number"), text: name.into() })
}

fn compiled(text: &str) -> Option<Query> {
    compile(text).ok().map(bound)
}

/// Whether the start position of a game matches, with each predicate tested alone.
fn starts(query: &Query, span: &GameSpan<'_>, nth: u32) -> bool {
    if !query.names.is_empty() {
        return naive::start_matches(query, span, nth);
    }
    let board = span.game(nth).start_board();
    let predicate = |n: u16| match &query.predicates[usize::from(n)] {
        PositionPredicate::Header(test) => test.matches(span, nth),
        PositionPredicate::Ply(_) | PositionPredicate::Annotations(_) => false,
        predicate => predicate.test(&board),
    };
    query.position_verdict.holds_where(&|n| query.conditions[usize::from(n)].formula.holds_where(&predicate))
}

/// The structures with a name, from their definitions.
fn named_structures(position: &Chess) -> String {
    let at = feature_definitions::At { position, castled: [[false; 2]; 2] };
    let pawns = position.board().pawns();
    let mut names = Vec::new();
    for colour in Color::ALL {
        for structure in NAMED_STRUCTURES {
            if pawns.into_iter().any(|on| feature_definitions::holds(structure.name, &at, colour, on)) {
                names.push(format!("{colour} {}", structure.name));
            }
        }
    }
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// For a value: its positions, the games that have it, and its first position.
type Counted = (u64, BTreeSet<u32>, (u32, u32));

/// Keys that have one value for the whole game, so a game without a matching position counts too.
const KEYS_OF_GAME: [&str; 13] = [
    "result",
    "eco",
    "opening",
    "opening_family",
    "player",
    "white",
    "black",
    "event",
    "year",
    "elo",
    "plies",
    "ending",
    "time_class",
];

/// What a key has at the matching positions of some games, counted position by position.
#[derive(Default)]
struct Twin {
    counted: BTreeMap<String, Counted>,
    parts: BTreeMap<String, Vec<u32>>,
    total: u64,
}

impl Twin {
    fn of((games, shard): (&[PlayedGame], usize), diary: &Diary, name: &str, rule: PartitionRule) -> Twin {
        let mut twin = Twin::default();
        for (id, verdict, plies) in &diary.0 {
            let (all, length) = (positions(&games[*id as usize]), games[*id as usize].1.len());
            let at = |ply: u32| values(name, (*id, shard), length, &all[ply as usize]);
            for (ply, value) in plies.iter().flat_map(|&ply| at(ply).into_iter().map(move |value| (ply, value))) {
                let (positions, games, _) = twin.counted.entry(value).or_insert((0, BTreeSet::new(), (*id, ply)));
                *positions += 1;
                games.insert(*id);
                twin.total += 1;
            }
            let belongs: BTreeSet<String> = match rule {
                _ if KEYS_OF_GAME.contains(&name) => at(0),
                PartitionRule::Final => plies.last().map(|&ply| at(ply)).unwrap_or_default(),
                PartitionRule::First => plies.first().map(|&ply| at(ply)).unwrap_or_default(),
                PartitionRule::Ever => plies.iter().flat_map(|&ply| at(ply)).collect(),
            };
            for value in belongs.into_iter().filter(|_| *verdict) {
                twin.parts.entry(value).or_default().push(*id);
            }
        }
        twin
    }

    fn compare_groups(&self, groups: &GroupTable, name: &str, shard: usize) {
        assert_eq!((groups.distinct, groups.positions, &*groups.key), (self.counted.len() as u64, self.total, name));
        for group in &groups.groups {
            let (positions, having, first) = &self.counted[&group.name];
            let group_first = (group.first.game.0, group.first.ply.0);
            let expected = (*positions, having.len() as u64, *first);
            assert_eq!((group.positions, group.results.games(), group_first), expected, "{}", group.name);
            let with =
                |outcome| having.iter().filter(|&&id| facts(id as usize % shard).result == outcome).count() as u64;
            assert!(GameResult::ALL.iter().all(|&outcome| group.results.with_outcome(outcome) == with(outcome)));
        }
        let order: Vec<_> =
            groups.groups.iter().map(|group| (std::cmp::Reverse(group.positions), group.value)).collect();
        assert!(key(name).is_ordered() || order.is_sorted() || key(name).is_name());
    }
}

/// Compares the groups and partitions of the positions that match a query with their twin.
fn compare_with_twin(
    (games, shard): (&[PlayedGame], usize),
    query: &Query,
    threads: usize,
    name: &str,
    rule: PartitionRule,
) {
    let bytes = Aligned::new(&corpus(games, shard));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let spans = corpus_spans(&corpus);
    let diary = naive::scan(&spans, query, Diary::default());
    let selection = ReducerSelection {
        positions_count: true,
        outputs: vec![
            COUNTS.by(key(name)).most(usize::MAX),
            PARTITION.by(key(name)).ruled_by(rule).with_sets(PartitionLimit::All),
        ],
        ..ReducerSelection::default()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    let found = pool.install(|| run_query(&spans, query, &selection, &())).expect("nobody cancels");
    let twin = Twin::of((games, shard), &diary, name, rule);
    twin.compare_groups(found.summary::<GroupTable>().expect("requested"), name, shard);

    let sets_of = |found: &QueryResults| found.summary::<Partition>().expect("requested").sets.clone();
    let mut all = sets_of(&found);
    let kept = |parts: PartitionLimit| {
        let selection = ReducerSelection::of(PARTITION.by(key(name)).ruled_by(rule).with_sets(parts));
        sets_of(&run_query(&spans, query, &selection, &()).expect("nobody cancels"))
    };
    if let Some(last) = all.last() {
        assert_eq!(kept(PartitionLimit::Named(last.name.clone())), std::slice::from_ref(last));
    }
    assert_eq!(kept(PartitionLimit::Named("none so called".into())), []);
    all.iter_mut().skip(2).for_each(|part| part.games = None);
    assert_eq!(kept(PartitionLimit::Largest(2)), all);
    let games_of = |part: &PartitionSet| part.games.iter().flat_map(GameSet::iter).map(|game| game.0).collect();
    let found: BTreeMap<String, Vec<u32>> =
        sets_of(&found).iter().map(|part| (part.name.clone(), games_of(part))).collect();
    assert_eq!(found, twin.parts);
}

/// Games in which pieces go back and forth, so that positions occur up to five times, from several start positions.
fn games_with_repetitions() -> Vec<PlayedGame> {
    let opening = [20u16, 77, 400, 9, 31];
    let begin = |nth: usize| play(STARTS[nth % STARTS.len()], &opening[..nth % opening.len()]);
    let with_shuttles = |nth: usize| {
        let (start, mut moves) = begin(nth);
        let mut position = positions(&(start, moves.clone())).pop().expect("the start").position;
        for _ in 0..=nth % 4 {
            let cycle = shuttle(&position);
            for mv in cycle.iter().flatten() {
                moves.push(Move::from(*mv));
                position.play_unchecked(*mv);
            }
        }
        // Some games go on, so that the repeated positions are not at the end.
        for _ in 0..nth % 3 {
            let Some(&mv) = position.legal_moves().first() else { break };
            moves.push(Move::from(mv));
            position.play_unchecked(mv);
        }
        (start, moves)
    };
    (0..14).map(with_shuttles).collect()
}

/// Four moves that end where they began, if a piece of each side can go and come back.
fn shuttle(position: &Chess) -> Option<[shakmaty::Move; 4]> {
    let leaves = |position: &Chess| position.legal_moves().into_iter().filter(|mv| !mv.is_zeroing() && !mv.is_castle());
    let back = |position: &Chess, mv: &shakmaty::Move| {
        leaves(position).find(|back| back.from() == Some(mv.to()) && Some(back.to()) == mv.from())
    };
    leaves(position).find_map(|first| {
        let after_first = position.clone().play(first).ok()?;
        leaves(&after_first).find_map(|second| {
            let after_second = after_first.clone().play(second).ok()?;
            let third = back(&after_second, &first)?;
            let after_third = after_second.play(third).ok()?;
            Some([first, second, third, back(&after_third, &second)?])
        })
    })
}

/// Every key is right where positions repeat, whether all positions match or a few late ones.
#[test]
fn keys_are_right_on_games_with_repetitions() {
    let games = games_with_repetitions();
    let most = games.iter().flat_map(positions).map(|at| at.repetition).max();
    assert_eq!(most, Some(5), "some position occurs five times");
    for text in ["", "repetition >= 2", "ply >= 7", "repetition = 3 or white check"] {
        let query = compiled(text).expect(text);
        for name in key_names() {
            for &(_, rule) in PartitionRule::NAMED {
                compare_with_twin((&games, 5), &query, 2, name, rule);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn groups_and_partitions_equal_their_twin(
        games in games(), text in query(), shard in 1usize..9, threads in 1usize..4,
        name in select(key_names()), (_, rule) in select(PartitionRule::NAMED),
    ) {
        let Some(query) = compiled(&text) else { return Ok(()) };
        compare_with_twin((&games, shard), &query, threads, name, rule);
    }

    #[test]
    fn groups_by_structure_are_those_of_its_reducer(games in games(), text in query(), threads in 1usize..4) {
        let bytes = Aligned::new(&corpus(&games, 4));
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        let Some(query) = compiled(&text) else { return Ok(()) };
        let selection = ReducerSelection { positions_count: true, outputs: vec![STRUCTURES.output().most(usize::MAX), COUNTS.by(key("structure")).most(usize::MAX)], ..ReducerSelection::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let found = pool.install(|| run_query(&corpus_spans(&corpus), &query, &selection, &())).expect("nobody cancels");
        let (structures, groups) = (found.summary::<TopStructures>().expect("requested"), found.summary::<GroupTable>().expect("wanted"));
        prop_assert_eq!((structures.distinct, structures.total), (groups.distinct, groups.positions));
        let letter = |one: &StructureCount, square: Square| match (one.white >> square as u32 & 1, one.black >> square as u32 & 1) {
            (0, 0) => None,
            (0, _) => Some(Color::Black.pawn()),
            _ => Some(Color::White.pawn()),
        };
        let written = |one: &StructureCount| {
            let mut board = shakmaty::Board::empty();
            for square in Square::ALL {
                letter(one, square).into_iter().for_each(|pawn| board.set_piece_at(square, pawn));
            }
            board.to_string()
        };
        let drawn: BTreeMap<String, u64> = structures.top.iter().map(|one| (written(one), one.count)).collect();
        let named: BTreeMap<String, u64> = groups.groups.iter().map(|one| (one.name.clone(), one.positions)).collect();
        prop_assert_eq!(drawn, named);
    }

    #[test]
    fn next_moves_equal_their_twin(games in games(), text in query(), shard in 1usize..9, threads in 1usize..4) {
        let bytes = Aligned::new(&corpus(&games, shard));
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        let Some(query) = compiled(&text) else { return Ok(()) };
        let spans = corpus_spans(&corpus);
        let mut matching: BTreeMap<u32, Vec<u32>> = naive::scan(&spans, &query, Diary::default())
            .0
            .into_iter()
            .map(|(id, _, plies)| (id, plies))
            .collect();
        for (span, nth) in spans.iter().flat_map(|span| (0..span.len()).map(move |nth| (span, nth))) {
            if starts(&query, span, nth) {
                matching.entry(span.first_game.0 + nth).or_default().insert(0, 0);
            }
        }
        matching.retain(|_, plies| !plies.is_empty());
        let selection = ReducerSelection { outputs: vec![NEXT_MOVES.output()], ..ReducerSelection::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let found = pool.install(|| run_query(&spans, &query, &selection, &())).expect("nobody cancels").summary::<NextMoveTable>().expect("requested").clone();

        prop_assert_eq!(found.results.games(), matching.len() as u64);
        prop_assert_eq!(found.positions, matching.values().map(|plies| plies.len() as u64).sum::<u64>());
        let mut times: BTreeMap<String, Vec<(u32, u32, bool)>> = BTreeMap::new();
        let mut marks: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (&id, plies) in &matching {
            let all = positions(&games[id as usize]);
            for at in plies.iter().map(|&ply| &all[ply as usize]) {
                if let Some(next) = at.next {
                    let san = san_of(&at.position, next);
                    let name = san.trim_end_matches(['+', '#']);
                    times.entry(name.into()).or_default().push((id, at.ply, at.position.turn().is_black()));
                    marks.entry(name.into()).or_default().insert(san[name.len()..].into());
                }
            }
        }
        prop_assert_eq!(found.moves.len(), times.len());
        if let Some(one) = found.moves.last() {
            let selection = ReducerSelection::of(NEXT_MOVES.output().with_chosen(ChosenMove::Named(one.name)));
            let by = pool.install(|| run_query(&spans, &query, &selection, &())).expect("nobody cancels");
            let by = by.summary::<NextMoveTable>().and_then(|table| table.chosen_games.clone()).expect("requested");
            let games: BTreeSet<u32> = times[&one.name.to_string()].iter().map(|one| one.0).collect();
            prop_assert!(by.iter().map(|game| game.0).eq(games), "games that went on with {}", one.name);
        }
        for next in &found.moves {
            let (all, marks) = (&times[&next.name.to_string()], &marks[&next.name.to_string()]);
            // Mate every time, check or mate every time, or neither.
            let mark = if marks.contains("") { "" } else if marks.contains("+") { "+" } else { "#" };
            prop_assert_eq!(&next.written[0], &format!("{}{mark}", next.name));
            prop_assert_eq!((next.times, next.first.game.0, next.first.ply.0), (all.len() as u64, all[0].0, all[0].1));
            let mut seen = BTreeSet::new();
            let each: Vec<_> = all.iter().filter(|(id, ..)| seen.insert(*id)).map(|&(id, _, black)| (facts(id as usize % shard), black)).collect();
            prop_assert_eq!(next.results.games(), each.len() as u64);
            let dates = each.iter().map(|(facts, _)| facts.date).filter(|date| date.year() != 0);
            prop_assert_eq!(next.last_played, dates.max().unwrap_or_default());
            let rated: Vec<(u32, u32, f64, bool)> = each
                .iter()
                .filter(|(facts, _)| facts.white_elo != 0 && facts.black_elo != 0)
                .map(|(facts, black)| {
                    let (white, other) = (u32::from(facts.white_elo), u32::from(facts.black_elo));
                    let score = match facts.result {
                        GameResult::White => 1.0,
                        GameResult::Draw => 0.5,
                        _ => 0.0,
                    };
                    let decided = facts.result != GameResult::Unknown;
                    if *black { (other, white, 1.0 - score, decided) } else { (white, other, score, decided) }
                })
                .collect();
            let average = |sum: u32, of: usize| (of > 0).then(|| sum / of as u32);
            prop_assert_eq!(next.rating, average(rated.iter().map(|one| one.0).sum(), rated.len()));
            let decided: Vec<_> = rated.iter().filter(|one| one.3).collect();
            let expected = (!decided.is_empty()).then(|| {
                let number = decided.len() as f64;
                let (others, score) = decided.iter().fold((0.0, 0.0), |sum, one| (sum.0 + f64::from(one.1), sum.1 + one.2));
                others / number + 400.0 * (2.0 * score - number) / number
            });
            let near = match (next.performance, expected) {
                (Some(performance), Some(expected)) => (performance as f64 - expected).abs() <= 1.0,
                (performance, expected) => performance.is_none() && expected.is_none(),
            };
            prop_assert!(near, "{:?} and {:?}", next.performance, expected);
        }
    }
}
