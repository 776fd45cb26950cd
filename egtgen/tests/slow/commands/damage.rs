//! Damaged, cut, foreign and misnamed tables: each gives an error, never a wrong result, and no table is generated from them.

use super::program::EgtgenSandbox;

const LONGEST: &str = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";

#[test]
fn every_flipped_byte_is_found() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let sound = sandbox.get("t/KRvK.egt");
    for at in (0..sound.len()).step_by(sound.len() / 25) {
        let mut damaged = sound.clone();
        damaged[at] ^= 1 << (at % 8);
        sandbox.put("t/KRvK.egt", &damaged);
        let ran = sandbox.run(&["list", "--tables", "t", "--check"]).failed(1, &["damaged"]);
        assert!(ran.stdout.contains("t/KRvK.egt: "), "{at}: {}", ran.stdout);
        // The part that is read is either sound or gives an error.
        let probed = sandbox.run(&["probe", LONGEST, "--tables", "t", "--format", "json"]);
        match probed.code {
            Some(0) => assert_eq!(probed.objects()[0]["dtm_plies"], 31, "{at}"),
            _ => assert!(probed.objects()[0]["error"].as_str().unwrap().contains("KRvK.egt"), "{at}"),
        }
    }
}

#[test]
fn cut_and_foreign_files_are_no_tables() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let sound = sandbox.get("t/KRvK.egt");
    for (bytes, says) in [
        (&sound[..sound.len() - 1], "KRvK.egt"),
        (&sound[..64], "KRvK.egt"),
        (&sound[..0], "not a table"),
        (b"PNG and whatever else a file may hold", "not a table"),
    ] {
        sandbox.put("t/KRvK.egt", bytes);
        sandbox.run(&["probe", LONGEST, "--tables", "t"]).failed(1, &["t/KRvK.egt: ", says]);
        sandbox.run(&["stats", "KRvK", "--tables", "t"]).failed(1, &["t/KRvK.egt: ", says]);
        sandbox.run(&["verify", "KRvK", "--tables", "t"]).failed(1, &["t/KRvK.egt: ", says]);
        sandbox.run(&["list", "--tables", "t"]).failed(1, &["damaged"]);
    }
}

#[test]
fn a_table_under_a_wrong_name() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    sandbox.put("t/KQvK.egt", sandbox.get("t/KRvK.egt"));
    let fen = "8/8/8/8/8/2k5/1Q6/K7 b - - 0 1";
    sandbox.run(&["probe", fen, "--tables", "t"]).failed(1, &["KQvK.egt", "holds the table KRvK"]);
}

#[test]
fn nothing_is_made_of_a_damaged_smaller_table() {
    let sandbox = EgtgenSandbox::with(&["KRvK", "KNvK"]);
    let mut damaged = sandbox.get("t/KRvK.egt");
    // In the first block, behind the headers of file and section. It has the mates, which are read first.
    damaged[64 + 64 + 2] ^= 4;
    sandbox.put("t/KRvK.egt", &damaged);
    sandbox.run(&["generate", "KRvKN", "--out", "t"]).failed(1, &["t/KRvK.egt: "]);
    assert!(!sandbox.names("t").contains(&"KRvKN.egt".to_owned()), "{:?}", sandbox.names("t"));
}
