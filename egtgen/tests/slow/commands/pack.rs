//! `egtgen pack`, and what the other commands make of packed tables.

use serde_json::json;

use super::program::EgtgenSandbox;

const POSITION: &str = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";

#[test]
fn packed_tables_say_the_same_everywhere() {
    let sandbox = EgtgenSandbox::with(&["KRvK", "KPvK"]);
    let text = sandbox.run(&["pack", "--tables", "t", "--out", "p", "--check"]).succeeded().stdout;
    assert!(text.contains("5 packed tables") && text.contains("KPvK"), "{text}");
    let again = sandbox.run(&["pack", "--tables", "t", "--out", "p"]).succeeded().stdout;
    assert!(again.contains("existed") && !again.contains(" s "), "{again}");
    assert_eq!(sandbox.names("p"), ["KBvK.egp", "KNvK.egp", "KPvK.egp", "KQvK.egp", "KRvK.egp"]);
    let same = sandbox.run(&["verify", "KPvK", "--tables", "p", "--against", "t"]).succeeded().stdout;
    assert_eq!(same, "KPvK: 98,304 places are the same packed and generated\n");
    for command in [&["probe", POSITION][..], &["stats", "KPvK"], &["stats", "KRvK"]] {
        let on = |folder: &str| sandbox.json(&[command, &["--tables", folder]].concat());
        let (packed, generated) = (on("p"), on("t"));
        assert_eq!(packed["sides"][0]["histogram"], generated["sides"][0]["histogram"], "{command:?}");
        assert_eq!(packed["moves"], generated["moves"], "{command:?}");
        assert_eq!(packed["line"], generated["line"], "{command:?}");
        assert_eq!(packed["sides"], generated["sides"], "{command:?}");
    }
    let report = sandbox.json(&["verify", "KRvK", "--tables", "p"]);
    assert_eq!((&report["differences"], &report["covered"]), (&json!(0), &report["legal"]));
    let listed = sandbox.run(&["list", "--tables", "p", "--check"]).succeeded().stdout;
    assert!(listed.contains("packed") && listed.contains("5 packed"), "{listed}");
}

#[test]
fn generate_packs_and_leaves_nothing_else() {
    let sandbox = EgtgenSandbox::new();
    let command = ["generate", "KPvK", "--out", "t", "--pack", "p", "--check"];
    sandbox.run(&command).succeeded();
    assert_eq!(sandbox.names("t"), Vec::<String>::new());
    assert_eq!(sandbox.names("p"), ["KBvK.egp", "KNvK.egp", "KPvK.egp", "KQvK.egp", "KRvK.egp"]);
    // What is lost is made again, with what it needs.
    let before = sandbox.get("p/KPvK.egp");
    std::fs::remove_file(sandbox.path("p/KPvK.egp")).unwrap();
    sandbox.run(&command).succeeded();
    assert!(sandbox.get("p/KPvK.egp") == before && sandbox.names("t").is_empty());
}

#[test]
fn what_cannot_be_packed_or_read() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    sandbox.run(&["pack", "--tables", "none", "--out", "p"]).failed(1, &["none", "cannot be read"]);
    sandbox.run(&["pack", "KQvK", "--tables", "t", "--out", "p"]).failed(1, &["the table KQvK is missing"]);
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    sandbox.run(&["pack", "--tables", "empty", "--out", "p"]).failed(1, &["has no generated tables"]);
    sandbox.run(&["pack", "--tables", "t", "--out", "p"]).succeeded();
    let sound = sandbox.get("p/KRvK.egp");
    let probe = ["probe", POSITION, "--tables", "p"];
    for at in [3, 20, 70, sound.len() / 2] {
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        sandbox.put("p/KRvK.egp", &bytes);
        let listed = sandbox.run(&["list", "--tables", "p", "--check"]);
        assert!(listed.code == Some(1) && listed.stdout.contains("KRvK.egp"), "byte {at}: {}", listed.stdout);
    }
    sandbox.put("p/KRvK.egp", &sound[..sound.len() - 1]);
    sandbox.run(&probe).failed(1, &["KRvK.egp", "instead of"]);
    sandbox.put("p/KRvK.egp", b"a foreign file");
    sandbox.run(&probe).failed(1, &["KRvK.egp", "not a packed table"]);
    sandbox.run(&["pack", "--tables", "t", "--out", "p"]).failed(1, &["KRvK.egp", "so it is not replaced"]);
    // A damaged table is packed again.
    sandbox.put("p/KRvK.egp", &sound[..sound.len() - 1]);
    sandbox.run(&["pack", "--tables", "t", "--out", "p"]).succeeded();
    assert!(sandbox.get("p/KRvK.egp") == sound);
    sandbox.run(&probe).succeeded();
}
