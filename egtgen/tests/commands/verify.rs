//! `egtgen verify`: values are derived anew.

use serde_json::json;

use crate::program::Sandbox;

#[test]
fn sound_tables_are_found_sound() {
    let sandbox = Sandbox::with(&["KQvK", "KRvK"]);
    let report = sandbox.json(&["verify", "KRvK", "--tables", "t", "--threads", "2"]);
    assert_eq!((&report["covered"], &report["legal"]), (&json!(175_168 + 223_944), &json!(175_168 + 223_944)));
    assert_eq!((&report["differences"], &report["fraction"]), (&json!(0), &json!(1.0)));
    let text = sandbox.run(&["verify", "KQvK", "--tables", "t"]).succeeded().stdout;
    assert!(text.contains("every position") && text.contains("no differences"), "{text}");
}

#[test]
fn a_fraction_is_drawn_and_said() {
    let sandbox = Sandbox::with(&["KRvK"]);
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
fn what_cannot_be_verified() {
    let sandbox = Sandbox::with(&["KRvK"]);
    for fraction in ["0", "1.5", "-1", "some", "NaN"] {
        let option = format!("--fraction={fraction}");
        sandbox.run(&["verify", "KRvK", "--tables", "t", &option]).failed_usage("above 0 and up to 1");
    }
    sandbox.run(&["verify", "KRXK", "--tables", "t"]).failed(2, &["did you mean"]);
    sandbox.run(&["verify", "KQvK", "--tables", "t"]).failed(1, &["the table KQvK is not there"]);
}
