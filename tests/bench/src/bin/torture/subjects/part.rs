//! Unfinished tables: whatever bytes `NAME.egt.part` has, the finished table has the bytes of an undisturbed run.

use rand::Rng;
use rand::rngs::StdRng;

use super::table::{MADE, files, made};
use super::{Subject, SubjectAnswers, shuffled};
use crate::random;

struct Part {
    bytes: Vec<u8>,
    borders: Vec<usize>,
}

/// A table of many pawn slices, interrupted in the middle.
pub fn all() -> impl Iterator<Item = Box<dyn Subject>> {
    use plyfold_core::table::layout::TableReader;
    let whole = &MADE["KPvK.egt"];
    let table = TableReader::open(whole.as_slice()).expect("a table");
    let sections = table.contents().sections();
    let middle = sections[sections.len() / 2].end() as usize;
    let mut borders = vec![8, 64, middle];
    borders.extend(sections.iter().flat_map(|entry| [entry.offset as usize, entry.offset as usize + 64]));
    borders.retain(|border| *border <= middle);
    std::iter::once(Box::new(Part { bytes: whole[..middle].to_vec(), borders }) as Box<dyn Subject>)
}

impl Subject for Part {
    fn name(&self) -> &'static str {
        "a table that is being generated"
    }

    fn file(&self) -> &'static str {
        "KPvK.egt.part"
    }

    fn sound(&self) -> &[u8] {
        &self.bytes
    }

    fn borders(&self) -> Vec<usize> {
        self.borders.clone()
    }

    /// The table that is generated from these bytes.
    fn ask(&self, bytes: &[u8]) -> SubjectAnswers {
        vec![self.finished(bytes)]
    }

    /// Changes only the header. The other checksums belong to sections, and a forger would need the right values for them.
    fn forge(&self, random: &mut StdRng) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        random::overwrite(random, &mut bytes[..56]);
        let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..56]).to_le_bytes();
        bytes[56..64].copy_from_slice(&checksum);
        bytes
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn law(&self, _: &[u8]) -> Result<(), String> {
        Err("the table that was finished has other bytes".into())
    }

    fn rearranged(&self, random: &mut StdRng) -> Vec<u8> {
        let mut bytes = shuffled(random, &self.bytes, &self.borders);
        let longest = self.bytes.len() * 2;
        bytes.truncate(random.random_range(longest / 2..=longest));
        bytes
    }
}

impl Part {
    fn finished(&self, bytes: &[u8]) -> Result<String, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        for (name, sound) in MADE.iter().filter(|(name, _)| *name != "KPvK.egt") {
            std::fs::write(folder.path().join(name), sound).map_err(|error| error.to_string())?;
        }
        std::fs::write(folder.path().join(self.file()), bytes).map_err(|error| error.to_string())?;
        made(folder.path(), "KPvK").map_err(|error| error.to_string())?;
        let all = files(folder.path());
        if all == *MADE { Ok("the same files".into()) } else { Ok(format!("other files: {:?}", all.keys())) }
    }
}
