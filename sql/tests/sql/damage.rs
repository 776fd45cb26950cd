//! Libraries that cannot be opened: one sentence that names the file.

use crate::sandbox::{Sandbox, ask};

#[test]
fn what_cannot_be_opened_is_named() {
    let sandbox = Sandbox::new();
    let whole = std::fs::read(sandbox.path("headers.plyfold")).unwrap();
    std::fs::write(sandbox.path("cut.plyfold"), &whole[..whole.len() - 8]).unwrap();
    let mut newer = whole.clone();
    newer[8] = 99;
    std::fs::write(sandbox.path("newer.plyfold"), newer).unwrap();
    let mut damaged = whole;
    damaged[64 + 1000] ^= 1;
    std::fs::write(sandbox.path("damaged.plyfold"), damaged).unwrap();
    for (name, says) in [
        ("missing.plyfold", "cannot be opened"),
        ("nothing*.plyfold", "matches no file"),
        ("games.pgn", "is a PGN file, not a corpus"),
        ("cut.plyfold", "cut.plyfold: "),
        ("newer.plyfold", "newer.plyfold: "),
        ("damaged.plyfold", "damaged.plyfold: "),
    ] {
        let address = sandbox.address(name);
        let message = ask(&address, "SELECT count(*) FROM games").expect_err(name);
        assert!(message.contains(name) && message.contains(says), "{name}: {message}");
        // As one of several libraries.
        let statement = format!("SELECT count(*) FROM search('{address}', '')");
        let message = ask(&sandbox.address("lib"), &statement).expect_err(name);
        assert!(message.contains(name) && message.contains(says), "{name}: {message}");
    }
}
