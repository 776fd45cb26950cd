//! Queries that are answered in one pass are answered as if each were asked alone.

use plyfold_core::corpus::file::{Check, Corpus};
use plyfold_core::game::spans;
use plyfold_core::keys::key;
use plyfold_core::query::compile;
use plyfold_core::reduce::games::GameSet;
use plyfold_core::reduce::partition::Rule;
use plyfold_core::reduce::positions::Which;
use plyfold_core::reduce::{Answers, Asked, Wanted, answer_all, answer_within};
use plyfold_core::scan::{Query, Work};
use plyfold_tests::games::{Aligned, Played, corpus, play};
use plyfold_tests::queries::{bound, cases, games, query};
use proptest::prelude::*;

fn wanted() -> impl Strategy<Value = Wanted> {
    let which = prop_oneof![
        2 => Just(None),
        1 => (prop::option::of(0usize..40), any::<bool>()).prop_map(|(limit, unique)| Some(Which { limit, unique })),
    ];
    (any::<[bool; 6]>(), which).prop_map(|([count, heatmap, structures, grouped, parted, next], positions)| {
        let of = |name| key(name).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        Wanted {
            games: true,
            positions_count: count,
            heatmap,
            structures: structures.then_some(100),
            positions,
            groups: if grouped { vec![(of("material"), 100), (of("count(pawn)"), 100)] } else { Vec::new() },
            partitions: if parted { vec![(of("result"), Rule::Final)] } else { Vec::new() },
            next,
            ..Wanted::default()
        }
    })
}

/// What is looked at is looked at for all of them, so that part is not compared.
fn without_work(answers: Answers) -> Answers {
    Answers { work: Work::default(), ..answers }
}

fn alone(spans: &[plyfold_core::game::Span<'_>], asked: &Asked<'_>) -> Answers {
    without_work(answer_within(spans, asked.query, asked.within, asked.wanted, &()).expect("nobody cancels"))
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn together_as_alone(
        games in games(),
        texts in prop::collection::vec((query(), wanted(), any::<u64>(), any::<bool>()), 1..14),
        shard in 1usize..9,
        threads in 1usize..4,
    ) {
        let bytes = Aligned::new(&corpus(&games, shard));
        let corpus = Corpus::open(bytes.bytes(), Check::Whole).expect("a corpus");
        let all = games.len() as u32;
        let mut queries: Vec<(Query, Option<GameSet>, Wanted)> = Vec::new();
        for (text, wanted, keep, bounded) in texts {
            // One in eight asks for headers alone, which goes another way.
            let text = if keep % 8 == 0 { "result 1-0 or elo > 2500" } else { &*text };
            let Ok(query) = compile(text).map(bound) else { continue };
            let mut set = GameSet::empty(all);
            (0..all).filter(|id| keep >> (id % 64) & 1 != 0).for_each(|id| set.insert(id));
            queries.push((query, bounded.then_some(set), wanted));
        }
        let asked: Vec<Asked<'_>> = queries
            .iter()
            .map(|(query, within, wanted)| Asked { query, within: within.as_ref(), wanted })
            .collect();
        let spans = spans(&corpus);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let found = pool.install(|| answer_all(&spans, &asked, &())).expect("nobody cancels");
        prop_assert_eq!(found.len(), asked.len());
        for (found, asked) in found.into_iter().zip(&asked) {
            prop_assert_eq!(without_work(found), alone(&spans, asked));
        }
    }
}

#[test]
fn more_predicates_than_share_a_replay() {
    let games: Vec<Played> = (0..30u16)
        .map(|n| play(None, &(0..n * 4).map(|k| k.wrapping_mul(977).wrapping_add(n)).collect::<Vec<_>>()))
        .collect();
    let bytes = Aligned::new(&corpus(&games, 7));
    let corpus = Corpus::open(bytes.bytes(), Check::Whole).expect("a corpus");
    let text = |n: u32| {
        format!("white knight on {}{} or count(pawn) = {}", (b'a' + (n % 8) as u8) as char, 1 + n / 8 % 8, n % 17)
    };
    let queries: Vec<Query> = (0..100).map(|n| compile(&text(n)).expect("a query")).collect();
    let wanted = Wanted { games: true, positions_count: true, ..Wanted::default() };
    let asked: Vec<Asked<'_>> = queries.iter().map(|query| Asked { query, within: None, wanted: &wanted }).collect();
    let spans = spans(&corpus);
    let found = answer_all(&spans, &asked, &()).expect("nobody cancels");
    assert!(found.iter().any(|found| found.count.games > 0));
    for (found, asked) in found.into_iter().zip(&asked) {
        assert_eq!(without_work(found), alone(&spans, asked));
    }
    assert!(answer_all(&spans, &[], &()).expect("nobody cancels").is_empty());
}
