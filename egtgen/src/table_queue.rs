//! Makes the tables of a run, several at once: a table begins as soon as its smaller tables are complete and memory has room for
//! it.
//!
//! All share the threads of the run. A table has work that only one thread can do, such as writing a level after the last block of it is
//! done; the other threads work for another table then.

use std::sync::{Mutex, MutexGuard};

use plyfold_tables::material::TableMaterial;
use rayon::Scope;

use crate::Error;
use crate::plan::GenerationPlan;

const UNPOISONED: &str = "no thread panics with it";

/// Makes a table as planned, within the threads of a pool.
type GenerateTable<'a> = &'a (dyn Fn(TableMaterial, &GenerationPlan) -> Result<(), Error> + Sync);

/// Tables that are to be made.
pub(crate) struct TableQueue<'a> {
    generate: GenerateTable<'a>,
    /// Bytes that all plans in progress may need together.
    memory: u64,
    /// The most tables in progress.
    at_once: usize,
    state: Mutex<QueueState>,
}

struct QueueState {
    /// In an order in which each comes after those that it converts into.
    waiting: Vec<(TableMaterial, GenerationPlan)>,
    running: Vec<(TableMaterial, GenerationPlan)>,
    /// The first error. Nothing begins after it.
    failed: Option<Error>,
}

impl<'a> TableQueue<'a> {
    /// A queue of tables, each after those that it converts into.
    pub(crate) fn new(
        tables: Vec<(TableMaterial, GenerationPlan)>,
        memory: u64,
        at_once: usize,
        generate: GenerateTable<'a>,
    ) -> TableQueue<'a> {
        let state = QueueState { waiting: tables, running: Vec::new(), failed: None };
        TableQueue { generate, memory, at_once, state: Mutex::new(state) }
    }

    /// Makes all tables with the threads of the pool that calls it.
    ///
    /// # Errors
    ///
    /// The first error of a table. Those in progress are completed first.
    pub(crate) fn make_all(self) -> Result<(), Error> {
        rayon::scope(|scope| self.begin_tables(scope));
        self.state.into_inner().expect(UNPOISONED).failed.map_or(Ok(()), Err)
    }

    /// Begins all tables that can begin. Each begins others when it is complete.
    fn begin_tables<'s>(&'s self, scope: &Scope<'s>) {
        let mut state = self.lock();
        while let Some((table, plan)) = state.next(self.memory, self.at_once) {
            scope.spawn(move |scope| {
                let made = (self.generate)(table, &plan);
                self.lock().end(table, made);
                self.begin_tables(scope);
            });
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().expect(UNPOISONED)
    }
}

impl QueueState {
    /// The next table that can begin, which is in progress from now on.
    fn next(&mut self, memory: u64, at_once: usize) -> Option<(TableMaterial, GenerationPlan)> {
        if self.failed.is_some() || self.running.len() >= at_once {
            return None;
        }
        let can_begin = |at: usize| {
            let (table, plan) = &self.waiting[at];
            let smaller = table.conversions();
            // The smaller tables of a table come before it.
            let before = self.waiting[..at].iter().chain(&self.running);
            before.clone().all(|(other, _)| !smaller.contains(other)) && self.has_room(plan, memory)
        };
        let at = (0..self.waiting.len()).find(|&at| can_begin(at))?;
        self.running.push(self.waiting.remove(at));
        self.running.last().copied()
    }

    /// Whether a plan can be carried out beside those in progress. A table that streams keeps the disk busy alone, and one that may
    /// outgrow its memory has all of it.
    fn has_room(&self, plan: &GenerationPlan, memory: u64) -> bool {
        let is_alone = |plan: &GenerationPlan| plan.streams || plan.list_bytes.is_some();
        let mut running = self.running.iter().map(|(_, plan)| plan);
        let taken: u64 = running.clone().map(|plan| plan.bytes).sum();
        self.running.is_empty() || !is_alone(plan) && !running.any(is_alone) && taken + plan.bytes <= memory
    }

    /// Notes that a table has ended.
    fn end(&mut self, table: TableMaterial, made: Result<(), Error>) {
        self.running.retain(|(other, _)| *other != table);
        if let Err(error) = made
            && self.failed.as_ref().is_none_or(|failed| matches!(failed, Error::Stopped))
        {
            self.failed = Some(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use plyfold_tables::material::closure;

    use super::*;

    fn table(name: &str) -> TableMaterial {
        TableMaterial::parse(name).expect("a material")
    }

    /// All tables with wins that some tables need, in order.
    fn tables(names: &[&str]) -> Vec<TableMaterial> {
        let asked: Vec<TableMaterial> = names.iter().map(|name| table(name)).collect();
        let mut tables: Vec<TableMaterial> = closure(&asked).into_iter().filter(|table| table.can_win()).collect();
        tables.sort_by_key(|table| (table.men(), table.pawns(), *table));
        tables
    }

    /// Makes tables of these bytes within 100 bytes and four at once, by a function that may fail.
    fn make_all(
        tables: &[TableMaterial],
        bytes: u64,
        generate: impl Fn(TableMaterial) -> Result<(), Error> + Sync,
    ) -> Result<(), Error> {
        let planned = tables.iter().map(|table| (*table, GenerationPlan::new(table.pawns() == 1, 4, bytes))).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("threads");
        pool.install(|| TableQueue::new(planned, 100, 4, &|table, _| generate(table)).make_all())
    }

    #[test]
    fn a_table_begins_after_its_smaller_tables_and_within_memory() {
        let all = tables(&["KRPvKR", "KQvKPP", "KBNvK"]);
        assert!(all.len() > 30, "{}", all.len());
        for (bytes, most) in [(1, 4), (30, 3), (60, 1), (1000, 1)] {
            let (done, running, streaming) = (Mutex::new(BTreeSet::new()), AtomicUsize::new(0), AtomicUsize::new(0));
            let made = make_all(&all, bytes, |table| {
                let (streams, now) = (table.pawns() == 1, running.fetch_add(1, Ordering::SeqCst) + 1);
                assert!(now <= most, "{now} at once with {bytes} bytes each");
                let streams_now = streaming.fetch_add(usize::from(streams), Ordering::SeqCst) + usize::from(streams);
                assert!(streams_now == 0 || now == 1, "{table}: a table that streams is alone");
                let missing = |smaller: &TableMaterial| {
                    all.contains(smaller) && !done.lock().expect("no panic").contains(smaller)
                };
                assert_eq!(table.conversions().into_iter().find(missing), None, "{table}");
                std::thread::yield_now();
                streaming.fetch_sub(usize::from(streams), Ordering::SeqCst);
                running.fetch_sub(1, Ordering::SeqCst);
                assert!(done.lock().expect("no panic").insert(table), "{table} is made twice");
                Ok(())
            });
            assert!(made.is_ok());
            assert_eq!(done.into_inner().expect("no panic").into_iter().collect::<Vec<_>>(), {
                let mut all = all.clone();
                all.sort();
                all
            });
        }
    }

    #[test]
    fn nothing_begins_after_a_failure() {
        let all = tables(&["KRPvKR"]);
        let begun = Mutex::new(Vec::new());
        let failed = make_all(&all, 60, |table| {
            begun.lock().expect("no panic").push(table);
            if table == all[3] { Err(Error::Missing(table)) } else { Ok(()) }
        });
        assert!(matches!(failed, Err(Error::Missing(table)) if table == all[3]));
        assert_eq!(begun.into_inner().expect("no panic"), all[..4]);
    }

    #[test]
    fn an_error_says_more_than_that_the_run_was_stopped() {
        let all = tables(&["KRvK", "KQvK", "KBvK", "KNvK"]);
        let (first, both) = (AtomicUsize::new(0), std::sync::Barrier::new(2));
        let failed = make_all(&all[..2], 1, |table| {
            both.wait();
            if first.fetch_add(1, Ordering::SeqCst) == 0 { Err(Error::Stopped) } else { Err(Error::Missing(table)) }
        });
        assert!(matches!(failed, Err(Error::Missing(_))), "{failed:?}");
    }
}
