//! `egtgen verify`: derives all values again and compares them.

use plyfold_tables::index::TableAddress;
use plyfold_tables::layout::BlockKind;
use serde_json::json;

use super::forge::{Content, forge};
use super::program::EgtgenSandbox;

#[test]
fn sound_tables_are_found_sound() {
    let sandbox = EgtgenSandbox::with(&["KQvK", "KRvK"]);
    let report = sandbox.json(&["verify", "KRvK", "--tables", "t", "--threads", "2"]);
    assert_eq!((&report["covered"], &report["legal"]), (&json!(175_168 + 223_944), &json!(175_168 + 223_944)));
    assert_eq!((&report["differences"], &report["fraction"]), (&json!(0), &json!(1.0)));
    let text = sandbox.run(&["verify", "KQvK", "--tables", "t"]).succeeded().stdout;
    assert!(text.contains("every position") && text.contains("no differences"), "{text}");
}

#[test]
fn a_fraction_is_drawn_and_said() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let draw = |seed: &str| sandbox.json(&["verify", "KRvK", "--tables", "t", "--fraction", "0.25", "--seed", seed]);
    let (one, same, other) = (draw("7"), draw("7"), draw("8"));
    assert_eq!((&one["fraction"], &one["seed"]), (&json!(0.25), &json!(7)));
    assert_eq!(one["covered"], same["covered"]);
    assert_ne!(one["covered"], other["covered"]);
    let share = one["covered"].as_f64().unwrap() / one["legal"].as_f64().unwrap();
    assert!((0.2..0.3).contains(&share), "{share}");
    let text = sandbox.run(&["verify", "KRvK", "--tables", "t", "--fraction", "0.25"]).succeeded().stdout;
    assert!(text.contains("a random fraction of 0.25, seed 1"), "{text}");
}

#[test]
#[ignore = "slow"]
fn a_sample_has_so_many_positions_generated_or_packed() {
    let sandbox = EgtgenSandbox::with(&["KQvKR"]);
    sandbox.run(&["pack", "--tables", "t", "--out", "p"]).succeeded();
    for folder in ["t", "p"] {
        let sample = |seed: &str| {
            sandbox.json(&["verify", "KQvKR", "--tables", folder, "--sample", "5000", "--seed", seed, "--threads", "2"])
        };
        let (one, same, other) = (sample("7"), sample("7"), sample("8"));
        assert_eq!((&one["sample"], &one["checked"], &one["differences"]), (&json!(5000), &json!(5000), &json!(0)));
        assert_eq!(one["covered"], same["covered"]);
        assert_ne!(one["covered"], other["covered"]);
    }
    let text = sandbox.run(&["verify", "KQvKR", "--tables", "p", "--sample", "1000"]).succeeded().stdout;
    assert!(text.contains("1,000 random positions, seed 1") && text.contains("no differences"), "{text}");
    for wrong in ["0", "many", "10000001"] {
        sandbox.run(&["verify", "KQvKR", "--tables", "t", "--sample", wrong]).failed_usage("--sample");
    }
    sandbox.run(&["verify", "KQvKR", "--tables", "t", "--sample", "5", "--fraction", "0.1"]).failed_usage("--fraction");
}

#[test]
fn a_wrong_value_is_found_by_a_sample() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let later = |content: &mut Content| {
        let words = content.words(BlockKind::Won, 9);
        // One position stays, since no list is empty.
        let last = words.iter().rposition(|word| *word != 0).unwrap();
        let moved: Vec<u64> = words[..last].iter_mut().map(std::mem::take).collect();
        content.words(BlockKind::Won, 10).iter_mut().zip(moved).for_each(|(word, bits)| *word |= bits);
    };
    forge(&sandbox, "KRvK", later);
    let sample = ["verify", "KRvK", "--tables", "t", "--sample", "20000", "--format", "json"];
    let report: serde_json::Value =
        serde_json::from_str(&sandbox.run(&sample).failed(1, &["differences were found"]).stdout).unwrap();
    let own = report["first"].as_array().unwrap().iter().any(|one| one["stored"] == 10 && one["derived"] == 9);
    assert!(own && report["differences"].as_u64().unwrap() > 100, "{report}");
}

#[test]
fn what_cannot_be_verified() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    for fraction in ["0", "1.5", "-1", "some", "NaN"] {
        let option = format!("--fraction={fraction}");
        sandbox.run(&["verify", "KRvK", "--tables", "t", &option]).failed_usage("above 0 and up to 1");
    }
    sandbox.run(&["verify", "KRXK", "--tables", "t"]).failed(2, &["did you mean"]);
    sandbox.run(&["verify", "KQvK", "--tables", "t"]).failed(1, &["the table KQvK is missing"]);
}

/// Verifies KRvK with a change and right checksums. Asserts that the table is wrong, and returns the report.
fn of_forged(sandbox: &EgtgenSandbox, sound: &[u8], change: impl FnOnce(&mut Content)) -> serde_json::Value {
    sandbox.put("t/KRvK.egt", sound);
    forge(sandbox, "KRvK", change);
    assert!(sandbox.get("t/KRvK.egt") != sound, "nothing was changed");
    let listed = sandbox.run(&["list", "--tables", "t", "--check"]).succeeded().stdout;
    assert!(!listed.contains("damaged"), "{listed}");
    let ran = sandbox.run(&["verify", "KRvK", "--tables", "t", "--format", "json"]).failed(1, &["again"]);
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
#[ignore = "slow"]
fn a_table_with_a_wrong_count_is_caught() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let sound = sandbox.get("t/KRvK.egt");
    forge(&sandbox, "KRvK", |_| {});
    sandbox.run(&["verify", "KRvK", "--tables", "t"]).succeeded();
    type Change = fn(&mut Content);
    let cases: [(Change, &str); 5] = [
        (|content| content.levels[5].won += 1, "positions won in 5"),
        (|content| content.levels[16].lost -= 8, "positions lost in 16"),
        (|content| content.legal[0] += 8, "legal positions with white to move"),
        (|content| content.legal[1] -= 1, "legal positions with black to move"),
        // The sum over both sides is right.
        (|content| content.legal = [content.legal[0] - 8, content.legal[1] + 8], "legal positions with white to move"),
    ];
    for (change, what) in cases {
        let report = of_forged(&sandbox, &sound, change);
        let miscount = &report["miscounts"][0];
        assert_eq!((&miscount["table"], &miscount["what"]), (&json!("KRvK"), &json!(what)));
        assert_eq!(report["differences"], 0, "{report}");
        let text = sandbox.run(&["verify", "KRvK", "--tables", "t"]).failed(1, &["wrong: generate KRvK again"]).stdout;
        assert!(text.contains(&format!("KRvK: {what}: the table says ")), "{text}");
    }
}

/// Puts a value into every place whose position is stored as another image.
fn stray(content: &mut Content, kind: BlockKind, level: u16) {
    let index = content.index.clone();
    let at = |word: usize| index.squares(TableAddress { pawn_slice: 0, tile: 0, bit: word as u64 * 64 });
    let is_kept = |word: usize| index.canonical_words(0, &at(word)) >> (word % index.row_words()) & 1 != 0;
    let strays: Vec<usize> = (0..index.tile_words(0)).filter(|word| !is_kept(*word)).collect();
    assert!(strays.len() > 1000, "{} places", strays.len());
    let words = content.words(kind, level);
    for word in strays {
        assert_eq!(words[word], 0, "nothing stands there");
        words[word] = !0;
    }
}

#[test]
fn a_value_in_a_place_that_is_not_canonical_is_caught() {
    // With a single piece beside the kings, no position has images in two places.
    let sandbox = EgtgenSandbox::with(&["KNNvK"]);
    let sound = sandbox.get("t/KNNvK.egt");
    let verify = ["verify", "KNNvK", "--tables", "t", "--fraction", "0.01", "--format", "json"];
    sandbox.run(&verify).succeeded();
    for (kind, level) in [(BlockKind::Won, 1), (BlockKind::Lost, 0)] {
        sandbox.put("t/KNNvK.egt", &sound);
        forge(&sandbox, "KNNvK", |content| stray(content, kind, level));
        sandbox.run(&["list", "--tables", "t", "--check"]).succeeded();
        let ran = sandbox.run(&verify).failed(1, &["differences were found"]);
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert!(report["differences"].as_u64().unwrap() > 100, "{report}");
        for difference in report["first"].as_array().unwrap() {
            assert_eq!((&difference["stored"], &difference["derived"]), (&json!(level), &json!(null)));
        }
    }
}

#[test]
fn a_value_off_by_one_is_caught() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let sound = sandbox.get("t/KRvK.egt");
    for (kind, from, to) in
        [(BlockKind::Won, 5, 6), (BlockKind::Won, 16, 15), (BlockKind::Lost, 7, 6), (BlockKind::Lost, 0, 1)]
    {
        let report = of_forged(&sandbox, &sound, |content| {
            let words = content.words(kind, from);
            let word = words.iter().rposition(|word| *word != 0).expect("positions of this level");
            let bit = words[word] & words[word].wrapping_neg();
            words[word] ^= bit;
            content.words(kind, to)[word] |= bit;
        });
        let own = report["first"].as_array().unwrap().iter().any(|one| one["stored"] == to && one["derived"] == from);
        assert!(own && report["differences"].as_u64().unwrap() >= 1, "{kind:?} {from} as {to}: {report}");
    }
}
