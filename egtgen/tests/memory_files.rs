//! A table in memory has the bytes of its file, and comes back from them; damage is an error.

use std::fs;
use std::sync::atomic::AtomicBool;

use egtgen::memory_tables::MemoryTable;
use egtgen::{GenerationRequest, MemoryLibrary, TableMaterial, generate_tables};

#[test]
fn bytes_are_those_of_the_file_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let materials = ["KRvK", "KPvK", "KRvKN"].map(|name| name.parse::<TableMaterial>().unwrap());
    let stop = AtomicBool::new(false);
    generate_tables(&GenerationRequest::with_closure(&materials, folder.path()), &|_| (), &stop).unwrap();
    let library = MemoryLibrary::generate(&materials, &stop).unwrap();
    for material in materials {
        let name = format!("{material}.egt");
        let file = fs::read(folder.path().join(&name)).unwrap();
        let bytes = library.get(material).unwrap().to_bytes();
        assert!(bytes == file, "{name}");
        let table = MemoryTable::from_bytes(&bytes, &name).unwrap();
        assert_eq!(table.material(), material);
        assert!(table.to_bytes() == bytes, "{name}");
        for cut in [0, 63, bytes.len() / 2, bytes.len() - 1] {
            let error = MemoryTable::from_bytes(&bytes[..cut], &name).err().unwrap().to_string();
            assert!(error.starts_with(&name), "{error}");
        }
        for at in (0..bytes.len()).step_by(bytes.len() / 50) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 16;
            // A bit between two parts may be flipped; whatever is read is as it was.
            let read = MemoryTable::from_bytes(&flipped, &name);
            assert!(read.is_err() || read.is_ok_and(|table| table.to_bytes() == bytes), "{name}, byte {at}");
        }
    }
}
