//! Any text as a position and as a material: an error with a message, or a value whose printed form reads as the same value.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::index::fen::board_from_fen;
use plyfold_core::query::compile;
use plyfold_core::table::material::TableMaterial;

fuzz_target!(|text: &str| {
    match board_from_fen(text) {
        Ok(board) => {
            let fen = board.fen().to_string();
            let again = board_from_fen(&fen).expect("what was written");
            assert_eq!((again.hash, again.fen().to_string()), (board.hash, fen));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if !text.contains(['"', '\\']) {
        // The same text within a query.
        if let Err(error) = compile(&format!("fen \"{text}\"")) {
            assert!(!error.message.is_empty());
        }
    }
    match TableMaterial::parse(text) {
        Ok(material) => assert_eq!(TableMaterial::parse(&material.to_string()), Ok(material), "{material}"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
