//! A fleet: several processes, on one machine or on many, that make tables in one folder.
//!
//! Nobody directs them. Each takes the first table that nobody has taken and whose smaller tables are complete, makes it, and looks
//! again. If there is none, it waits for what others make. A table is taken by a [lease](crate::lease), so that a process that ends
//! is followed by another one, which resumes its partial file.

use std::sync::atomic::Ordering;
use std::time::Duration;

use plyfold_tables::material::TableMaterial;

use crate::Error;
use crate::generation::{FleetMember, GenerationEvent, GenerationRun, plan_table};
use crate::lease::{Lease, LeaseTaker};
use crate::partial_table::remove_partial_name;

/// How long a process waits before it looks again for a table to make: at first, and at most.
const WAITS: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(1)];

/// The result of one look at the folder.
enum Next {
    /// All tables are complete.
    Done,
    /// A table to make.
    Take(TableMaterial, Lease),
    /// Others make these.
    Wait(Vec<TableMaterial>),
}

/// Generates the tables of a request together with the rest of the fleet.
pub(crate) fn generate(run: &GenerationRun<'_>, member: &FleetMember) -> Result<(), Error> {
    let taker = LeaseTaker::new(run.folder.folder(), &member.name, member.times)?;
    let mut work =
        FleetWork { run, taker, missing: run.request.tables().to_vec(), too_large: Vec::new(), outgrown: Vec::new() };
    let (mut wait, mut reported) = (WAITS[0], None);
    loop {
        if run.stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped);
        }
        let others = match work.next()? {
            Next::Done => {
                work.taker.clean_up(run.request.tables().iter().map(ToString::to_string));
                return Ok(());
            }
            Next::Take(table, lease) => {
                if work.generate(table, lease)? {
                    (wait, reported) = (WAITS[0], None);
                    continue;
                }
                vec![table]
            }
            Next::Wait(others) => others,
        };
        let now = (others[0], others.len() - 1);
        if reported != Some(now) {
            reported = Some(now);
            (run.on_event)(GenerationEvent::Waiting(now.0, now.1));
        }
        std::thread::sleep(wait);
        wait = (wait * 2).min(WAITS[1]);
    }
}

/// The work of one process of the fleet.
struct FleetWork<'a> {
    run: &'a GenerationRun<'a>,
    taker: LeaseTaker,
    /// The tables that are not complete, as far as this process knows.
    missing: Vec<TableMaterial>,
    /// Those of them that need more memory than this process may use. Others may have more.
    too_large: Vec<TableMaterial>,
    /// Those whose lists outgrew the memory, so that their tiles have to stream.
    outgrown: Vec<TableMaterial>,
}

impl FleetWork<'_> {
    /// Looks for a table to make.
    fn next(&mut self) -> Result<Next, Error> {
        let mut others = Vec::new();
        let mut at = 0;
        while let Some(&table) = self.missing.get(at) {
            if self.is_complete(table)? {
                self.missing.remove(at);
                // Its maker may have been killed when the table was in its place.
                remove_partial_name(&self.run.folder.path(&table.to_string()))?;
                (self.run.on_event)(GenerationEvent::Skipped(table));
                continue;
            }
            at += 1;
            if self.too_large.contains(&table) || !self.is_ready(table)? {
                continue;
            }
            match self.taker.take(&table.to_string())? {
                // Another process may have completed it before it gave the lease back.
                Some(_) if self.is_complete(table)? => at -= 1,
                Some(lease) => return Ok(Next::Take(table, lease)),
                None => others.push(table),
            }
        }
        match (others.is_empty(), self.too_large.first()) {
            (false, _) => Ok(Next::Wait(others)),
            (true, None) => Ok(Next::Done),
            (true, Some(&table)) => {
                Err(plan_table(table, self.run.request, false).err().unwrap_or(Error::Missing(table)))
            }
        }
    }

    fn is_complete(&self, table: TableMaterial) -> Result<bool, Error> {
        Ok(self.run.folder.open(&table.to_string())?.is_some())
    }

    /// Whether all smaller tables are complete.
    ///
    /// # Errors
    ///
    /// One is missing, and not among those that the fleet makes.
    fn is_ready(&self, table: TableMaterial) -> Result<bool, Error> {
        for smaller in table.conversions() {
            if self.missing.contains(&smaller) {
                return Ok(false);
            }
            if !self.run.request.tables().contains(&smaller) && !self.is_complete(smaller)? {
                return Err(Error::Missing(smaller));
            }
        }
        Ok(true)
    }

    /// Makes a table, or leaves it to others. False if another process writes it without a lease, or is just ending.
    fn generate(&mut self, table: TableMaterial, lease: Lease) -> Result<bool, Error> {
        let plan = match plan_table(table, self.run.request, self.outgrown.contains(&table)) {
            Err(Error::Memory { .. }) => {
                self.too_large.push(table);
                return Ok(true);
            }
            plan => plan?,
        };
        match self.run.generate(table, &plan, lease) {
            Err(Error::TakenOver(_)) => (self.run.on_event)(GenerationEvent::TakenOver(table)),
            Err(Error::Locked(_)) => return Ok(false),
            Err(Error::Outgrown(_)) => self.outgrown.push(table),
            Err(error) if !matches!(error, Error::Stopped) && self.is_complete(table)? => drop(error),
            made => {
                made?;
                self.missing.retain(|other| *other != table);
            }
        }
        Ok(true)
    }
}
