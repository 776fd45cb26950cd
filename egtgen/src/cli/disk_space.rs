//! Checks the free space of a disk before the work starts.

use std::path::Path;

use egtgen::byte_size::format_bytes;
use egtgen::estimate::{EstimateRange, MachineSpeed, estimate};
use egtgen::folder::{PARTIAL_EXTENSION, TableFolder};
use egtgen::generation::GenerationRequest;
use plyfold_files::PrintablePath;

use super::failure::{EgtgenFailure, Result};

/// Refuses to generate tables for which the disk is most likely too small.
///
/// # Errors
///
/// The disk is too small; a table that is there is damaged.
pub fn check(request: &GenerationRequest) -> Result<()> {
    let Some(free) = free_bytes(request.folder()) else { return Ok(()) };
    let folder = TableFolder::new(request.folder());
    // The time is not asked for, so the speed does not matter.
    let speed = MachineSpeed { seconds_per_word: 0.0, threads: request.threads(), calibration_seconds: 0.0 };
    let (mut disk, mut scratch, mut begun) = (EstimateRange::ZERO, 0, 0);
    for &table in request.tables() {
        let name = table.to_string();
        if folder.open(&name)?.is_none() {
            let estimate = estimate(table, request.memory(), speed);
            disk = disk.plus(estimate.disk);
            scratch =
                scratch.max(if estimate.plan.is_some_and(|plan| plan.streams) { estimate.needs.scratch } else { 0 });
            let mut part = folder.path(&name).into_os_string();
            part.push(PARTIAL_EXTENSION);
            begun += Path::new(&part).metadata().map_or(0, |about| about.len());
        }
    }
    compare(request.folder(), disk, scratch, (free, begun))
}

/// Compares what is needed with the free bytes, and with those that partial files already have.
fn compare(folder: &Path, disk: EstimateRange, scratch: u64, (free, begun): (u64, u64)) -> Result<()> {
    if disk.typical as u64 + scratch <= free.saturating_add(begun) {
        return Ok(());
    }
    let [low, typical, high] = [disk.low, disk.typical, disk.high].map(|bytes| format_bytes(bytes as u64));
    let scratch = match scratch {
        0 => String::new(),
        bytes => format!(", and up to {} while they are made", format_bytes(bytes)),
    };
    Err(EgtgenFailure::Usage(format!(
        "the tables take about {typical} of disk, between {low} and {high}{scratch}, but {} has {} free: make room, or start anyway with \
         --force",
        PrintablePath(folder),
        format_bytes(free)
    )))
}

/// The bytes that this user may still write to the disk of a folder; `None` if the system does not say.
#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    about.f_bavail.checked_mul(about.f_frsize)
}

/// Returns `None`, because other systems are not asked.
#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_is_too_small_is_refused_with_all_figures() {
        let disk = EstimateRange { low: 1e9, typical: 3e9, high: 9e9 };
        let of = |scratch, free| compare(Path::new("tables"), disk, scratch, free);
        assert!(of(0, (3_000_000_000, 0)).is_ok() && of(0, (2_000_000_000, 1_000_000_000)).is_ok());
        for (scratch, free) in [(0, (2_999_999_999, 0)), (1 << 30, (3_000_000_000, 0)), (0, (0, 0))] {
            assert!(of(scratch, free).is_err(), "{scratch} {free:?}");
        }
        let error = of(1 << 30, (5 << 20, 0)).expect_err("too small").to_string();
        let told = "about 2.8GiB of disk, between 954MiB and 8.4GiB, and up to 1.0GiB while they are made, but tables has 5.0MiB free";
        let plain = error.replace(".0", "");
        assert!(plain.contains(&told.replace(".0", "")) && error.contains("--force"), "{error}");
        assert!(of(u64::MAX / 2, (u64::MAX, u64::MAX)).is_ok());
    }
}
