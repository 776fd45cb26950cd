//! The jobs that make tables: one for each material, with the jobs that must be done before it. `egtgen plan` writes them for the
//! programs that run jobs on many processes or machines.

use std::collections::BTreeMap;

use plyfold_tables::material::TableMaterial;

/// A job: the tables of one material, for both winners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The material, with the stronger side first.
    pub material: TableMaterial,
    /// The tables that the job makes, one or two.
    pub tables: Vec<TableMaterial>,
    /// The jobs whose tables it reads, as places in the list of jobs, ascending.
    pub needs: Vec<usize>,
    /// 0 without needs, otherwise one more than the greatest stage of its needs: jobs of a stage do not wait for each other.
    pub stage: usize,
}

/// The jobs that make these tables, in an order in which each comes after those that it needs. A smaller table that is not among
/// them counts as made. `tables` are in the order of [`closure`](plyfold_tables::material::closure).
#[must_use]
pub fn jobs(tables: &[TableMaterial]) -> Vec<Job> {
    let mut places: BTreeMap<TableMaterial, usize> = BTreeMap::new();
    let mut jobs: Vec<Job> = Vec::new();
    for &table in tables {
        let place = *places.entry(table.canonical()).or_insert_with(|| {
            jobs.push(Job { material: table.canonical(), tables: Vec::new(), needs: Vec::new(), stage: 0 });
            jobs.len() - 1
        });
        jobs[place].tables.push(table);
    }
    for place in 0..jobs.len() {
        let conversions = jobs[place].tables.iter().flat_map(|table| table.conversions());
        let mut needs: Vec<usize> = conversions.filter_map(|table| places.get(&table.canonical()).copied()).collect();
        needs.sort_unstable();
        needs.dedup();
        jobs[place].stage = needs.iter().map(|&need| jobs[need].stage + 1).max().unwrap_or(0);
        jobs[place].needs = needs;
    }
    jobs
}

#[cfg(test)]
mod tests {
    use plyfold_tables::material::closure;

    use super::*;

    #[test]
    fn each_job_comes_after_those_that_it_needs() {
        let materials: Vec<TableMaterial> = (3..=5).flat_map(TableMaterial::all_with_men).collect();
        let winners: Vec<TableMaterial> =
            materials.iter().flat_map(|material| [*material, material.swapped()]).collect();
        let tables = closure(&winners);
        let jobs = jobs(&tables);
        assert_eq!(jobs.len(), materials.len());
        assert_eq!(jobs.iter().map(|job| job.tables.len()).sum::<usize>(), tables.len());
        for (place, job) in jobs.iter().enumerate() {
            let stages = job.needs.iter().map(|&need| jobs[need].stage);
            assert_eq!(stages.max().map_or(0, |stage| stage + 1), job.stage);
            // Whatever a table converts into is made by a job before it.
            for table in job.tables.iter().flat_map(|table| table.conversions()) {
                let maker = jobs.iter().position(|other| other.tables.contains(&table)).expect("a job");
                assert!(maker < place && job.needs.contains(&maker), "{table} for {}", job.material);
            }
        }
    }

    #[test]
    fn a_table_that_is_not_asked_for_is_not_waited_for() {
        let table = TableMaterial::parse("KRvKN").expect("a material");
        let alone = jobs(&[table]);
        assert_eq!((alone.len(), alone[0].needs.len(), alone[0].stage), (1, 0, 0));
        assert!(jobs(&[]).is_empty());
    }
}
