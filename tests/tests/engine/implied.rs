//! The material that a condition implies exists wherever the condition holds. Skipping relies on this: a bound that is too
//! strict loses games.

use plyfold_core::board::history::PositionHistory;
use plyfold_core::board::make::FullState;
use plyfold_core::board::{Board, PieceCode};
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::corpus_spans;
use plyfold_core::query::compile;
use plyfold_core::scan::Query;
use plyfold_core::scan::combine::BitSet;
use plyfold_core::scan::plan::implied_bounds::{MaterialBounds, implied_alternatives, implied_bounds};
use plyfold_core::scan::predicate::PositionPredicate;
use plyfold_tests::games::{Aligned, corpus};
use plyfold_tests::long;
use plyfold_tests::queries::{cases, games, query};
use proptest::prelude::*;
use shakmaty::Role;

/// Whether a board is within the bounds. Kings are ignored.
fn fulfils(board: &Board, asked: &MaterialBounds) -> bool {
    let pawns = board.pawns();
    let stand = (0..2)
        .all(|side| asked.required_pawns[side] & !pawns[side] == 0 && pawns[side] & !asked.allowed_pawns[side] == 0);
    let number = |code: PieceCode| {
        asked.min_pieces[code] <= board.piece_counts[code] && board.piece_counts[code] <= asked.max_pieces[code]
    };
    let counted = |code: &PieceCode| code.role().is_some_and(|role| role != Role::King);
    stand && PieceCode::all().filter(counted).all(number)
}

/// The predicates that hold on a board. Predicates that depend on the game or the ply take their bits from `anything`.
fn holding(query: &Query, board: &Board, anything: u64) -> BitSet {
    let holds = |(n, predicate): &(u16, &PositionPredicate)| match predicate {
        PositionPredicate::Header(_) | PositionPredicate::Ply(_) | PositionPredicate::Annotations(_) => {
            anything >> (n % 64) & 1 != 0
        }
        predicate => predicate.test(board),
    };
    (0..).zip(&query.predicates).filter(holds).map(|(n, _)| n).collect()
}

/// Asserts for each condition and each position of some games that the implied material exists. Returns how often a condition
/// implied anything.
fn compare(bytes: &Aligned, text: &str, query: &Query) -> usize {
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts).expect("a corpus");
    let all: Vec<(Vec<MaterialBounds>, MaterialBounds)> = query
        .conditions
        .iter()
        .map(|condition| {
            (
                implied_alternatives(&condition.formula, &query.predicates),
                implied_bounds(&condition.formula, &query.predicates),
            )
        })
        .collect();
    let (mut anything, mut told) = (long::LongGameDice::new(41), 0);
    for game in corpus_spans(&corpus).iter().flat_map(|span| span.games().collect::<Vec<_>>()) {
        let mut board = game.start_board();
        let mut history = PositionHistory::starting_at(&mut board);
        for ply in 0..=game.moves.len() {
            if ply > 0 {
                board.make::<FullState>(game.moves[ply - 1]);
                history.push(&mut board);
            }
            let bits = holding(query, &board, anything.word());
            for (condition, (ways, asked)) in query.conditions.iter().zip(&all) {
                if condition.formula.holds(&bits) {
                    let fen = board.fen();
                    assert!(ways.iter().any(|way| fulfils(&board, way)), "{text} at {fen}: {ways:?}");
                    assert!(fulfils(&board, asked), "{text} at {fen}: {asked:?}");
                    told += usize::from(*asked != MaterialBounds::default());
                }
            }
        }
    }
    told
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn what_is_implied_is_there(games in games(), text in query()) {
        if let Ok(query) = compile(&text) {
            compare(&Aligned::new(&corpus(&games, 5)), &text, &query);
        }
    }
}

/// Every comparison with every number of pieces, plain and negated, and several conditions on pawns.
#[test]
fn numbers_and_pawns_imply_what_is_there() {
    let mut games = long::short(20);
    games.extend(long::rich(4));
    let bytes = Aligned::new(&corpus(&games, 50));
    let mut texts = Vec::new();
    for size in
        ["count(white pawn)", "count(black knight)", "count(queen)", "2 * count(white rook)", "count(black bishop) - 1"]
    {
        for (sign, least) in
            ["=", "!=", "<", "<=", ">", ">="].into_iter().flat_map(|sign| [0, 1, 2, 7].map(|least| (sign, least)))
        {
            let leaf = format!("{size} {sign} {least}");
            texts.extend([
                format!("{{ {leaf} }}"),
                format!("{{ not {leaf} }}"),
                format!("{{ {leaf} or not white pawn on e2 }}"),
            ]);
        }
    }
    for square in ["a2", "d4", "e5", "h7", "e4 d4", "b..g"] {
        for leaf in [
            format!("white pawn on {square}"),
            format!("empty {square}"),
            format!("no black pawn on {square}"),
            format!("black knight on {square}"),
        ] {
            texts.extend([
                format!("{{ {leaf} }}"),
                format!("{{ not {leaf} }}"),
                format!("{{ {leaf} and not white pawn on h2 }}"),
            ]);
        }
    }
    texts.extend(
        [
            "{ bishop_pair }",
            "{ not queens_off }",
            "{ queens_off or white rook_on_seventh }",
            "{ no queen }",
            "{ white knight attacks pawn }",
        ]
        .map(str::to_owned),
    );
    texts.push("board \"????????/????????/????????/????????/????[PN]???/????????/[Pp.]PPP????/????????\"".to_owned());
    let told: usize = texts.iter().map(|text| compare(&bytes, text, &compile(text).expect(text))).sum();
    assert!(told > 10_000, "only {told} positions were told of");
}
