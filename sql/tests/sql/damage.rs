//! Libraries that cannot be opened: one sentence that names the file.

use crate::sandbox::{Sandbox, ask, ask_with};

#[test]
fn what_cannot_be_opened_is_named() {
    let sandbox = Sandbox::new();
    let whole = std::fs::read(sandbox.path("headers.plyfold")).unwrap();
    std::fs::write(sandbox.path("cut.plyfold"), &whole[..whole.len() - 8]).unwrap();
    let mut newer = whole.clone();
    newer[8] = 99;
    std::fs::write(sandbox.path("newer.plyfold"), newer).unwrap();
    let mut damaged = whole;
    // A directory.
    damaged[64 + 100] ^= 1;
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
        if name == "games.pgn" {
            continue;
        }
        // As one of several libraries.
        let statement = "SELECT count(*) FROM search('other', '')";
        let message = ask_with(&sandbox.address("lib"), &address, statement).expect_err(name);
        assert!(message.contains(name) && message.contains(says), "{name}: {message}");
    }
}

#[test]
fn a_damaged_corpus_is_refused_by_what_reads_its_damage() {
    let sandbox = Sandbox::new();
    let sound = std::fs::read(sandbox.path("headers.plyfold")).unwrap();
    let statements = [
        "SELECT count(*), max(white_elo) FROM games",
        "SELECT count(*) FROM games WHERE white LIKE 'A%'",
        "SELECT count(*) FROM games WHERE matches('queens_off')",
        "SELECT sum(positions) FROM counts('', 'result')",
    ];
    let path = sandbox.path("damaged.plyfold");
    let address = sandbox.address("damaged.plyfold");
    std::fs::write(&path, &sound).unwrap();
    let expected = statements.map(|statement| ask(&address, statement).expect(statement));
    let mut refused = [0; 4];
    for at in (64..sound.len()).step_by(41) {
        let mut damaged = sound.clone();
        damaged[at] ^= 0x10;
        std::fs::write(&path, damaged).unwrap();
        for (nth, statement) in statements.into_iter().enumerate() {
            match ask(&address, statement) {
                Ok(answer) => assert_eq!(answer, expected[nth], "{at}: {statement}"),
                Err(message) => {
                    assert!(message.contains("damaged.plyfold: "), "{at}: {message}");
                    refused[nth] += 1;
                }
            }
        }
    }
    // The last statement reads every part but the texts; a query of headers reads few.
    assert!(refused[0] > 0 && refused[..3].iter().all(|&few| few < refused[3]), "{refused:?}");
}
