//! Damaged, cut, foreign and newer files: each gives an error, never a wrong result.

use std::fs;

use crate::program::CliSandbox;

/// Offsets and lengths of the sections of the first shard, as FORMAT.md defines them: a directory with 32 bytes an entry
/// follows the headers of file and shard.
fn sections(bytes: &[u8]) -> Vec<(usize, usize)> {
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let count = u32::from_le_bytes(bytes[64 + 12..64 + 16].try_into().unwrap()) as usize;
    (0..count).map(|nth| 128 + nth * 32).map(|entry| (64 + number(entry + 8), number(entry + 16))).collect()
}

#[test]
#[ignore = "slow"]
fn every_flipped_bit_is_found() {
    let sandbox = CliSandbox::with_sample();
    let sound = sandbox.get("sample.plyfold");
    let answer = |ran: &[u8]| serde_json::from_slice::<serde_json::Value>(ran).unwrap()["positions"].clone();
    let (text, _) = *sections(&sound).last().unwrap();
    let mut in_text = 0;
    for at in (0..sound.len()).step_by(5) {
        let mut damaged = sound.clone();
        damaged[at] ^= 1 << (at % 8);
        sandbox.put("damaged.plyfold", &damaged);
        sandbox.run(&["info", "damaged.plyfold", "--verify"]).failed_in_a_line(1, &["damaged.plyfold: "]);
        if at < text {
            answers_or_fails(&sandbox, &["show", "damaged.plyfold", "2"]);
            answers_or_fails(&sandbox, &["query", "damaged.plyfold", "queens_off", "--games", "--by", "structure"]);
            continue;
        }
        let queried = sandbox.run(&["query", "damaged.plyfold", "queens_off", "--format", "json"]);
        // Scans never read the text, so only commands that read it find the damage.
        assert_eq!(answer(&queried.succeeded().stdout), 7);
        let texts = ["show", "export"].map(|command| match command {
            "show" => sandbox.run(&["show", "damaged.plyfold", "2"]),
            _ => sandbox.run(&["export", "damaged.plyfold"]),
        });
        if at < text + sections(&sound).last().unwrap().1 {
            in_text += 1;
            for ran in texts {
                ran.failed_in_a_line(1, &["damaged.plyfold: corrupt text at byte"]);
            }
        }
    }
    assert!(in_text > 50, "the text is {in_text} samples long");
}

/// Asks a damaged corpus what `sample.plyfold` answers. Returns whether it answers, which must be the same.
fn answers_or_fails(sandbox: &CliSandbox, arguments: &[&str]) -> bool {
    let ran = sandbox.run(arguments);
    if ran.code != Some(0) {
        ran.failed_in_a_line(1, &["damaged.plyfold: "]);
        return false;
    }
    let of_sound: Vec<&str> =
        arguments.iter().map(|&word| if word == "damaged.plyfold" { "sample.plyfold" } else { word }).collect();
    assert_eq!(ran.stdout, sandbox.run(&of_sound).succeeded().stdout, "{arguments:?}");
    true
}

#[test]
fn a_query_checks_what_it_reads() {
    let sandbox = CliSandbox::with_sample();
    let sound = sandbox.get("sample.plyfold");
    let mut answers = [0; 7];
    let all = sections(&sound);
    for &(from, length) in all.iter().filter(|(_, length)| *length > 0) {
        let mut damaged = sound.clone();
        damaged[from + length / 2] ^= 1;
        sandbox.put("damaged.plyfold", &damaged);
        let asked: [&[&str]; 7] = [
            &["query", "damaged.plyfold", "result 1-0"],
            &["query", "damaged.plyfold", "queens_off"],
            &["query", "damaged.plyfold", "check", "--heatmap"],
            &["query", "damaged.plyfold", "", "--by", "white"],
            &["query", "damaged.plyfold", "check", "--positions", "both", "--unique", "--limit", "3"],
            &["query", "damaged.plyfold", "result 1-0", "--games"],
            &["names", "damaged.plyfold", "--kind", "event"],
        ];
        for (arguments, answered) in asked.iter().zip(&mut answers) {
            *answered += usize::from(answers_or_fails(&sandbox, arguments));
        }
    }
    let [result, .., games, _] = answers;
    // The columns alone decide the result; games are listed with all that is known of them.
    assert!(result == all.iter().filter(|(_, length)| *length > 0).count() - 1 && games < answers[1], "{answers:?}");
    assert!(answers.iter().all(|&answered| answered > 0), "{answers:?}");
}

#[test]
#[ignore = "slow"]
fn every_cut_is_found() {
    let sandbox = CliSandbox::with_sample();
    sandbox.run(&["import", "sample.pgn", "-o", "sample.plyfold", "--append"]).succeeded();
    let sound = sandbox.get("sample.plyfold");
    let first_shard = (sound.len() - 64) / 2;
    let borders = sections(&sound).into_iter().flat_map(|(from, length)| [from, from + length]);
    let borders = borders.chain([0, 8, 12, 64, 64 + 64, 64 + 64 + 32, 64 + first_shard]);
    let places = borders.flat_map(|border| [border, border + first_shard]);
    let mut cuts: Vec<usize> = places.flat_map(|place| [place.saturating_sub(1), place, place + 1]).collect();
    cuts.extend([sound.len() - 8, sound.len() - 1]);
    cuts.sort_unstable();
    cuts.dedup();
    cuts.retain(|&cut| cut < sound.len());
    assert!(cuts.len() > 60);
    for cut in cuts {
        sandbox.put("cut.plyfold", &sound[..cut]);
        let says = match cut {
            0 => "is empty (0 bytes)",
            _ => "truncated in",
        };
        for arguments in [
            &["info", "cut.plyfold"][..],
            &["query", "cut.plyfold", "queens_off"],
            &["show", "cut.plyfold", "1"],
            &["export", "cut.plyfold"],
            &["import", "--append", "sample.pgn", "-o", "cut.plyfold"],
        ] {
            let ran = sandbox.run(arguments).failed_in_a_line(1, &["cut.plyfold: ", says]);
            assert!(ran.stdout.is_empty());
        }
        assert_eq!(sandbox.get("cut.plyfold"), sound[..cut], "{cut}");
    }
}

#[test]
fn other_things_are_told_apart() {
    let sandbox = CliSandbox::with_sample();
    let sound = sandbox.get("sample.plyfold");
    fs::create_dir(sandbox.path("folder")).unwrap();
    let mut newer = sound.clone();
    newer[8] = 200;
    let files: [(&str, &[u8], &str); 7] = [
        ("empty", b"", "empty: is empty (0 bytes), not a corpus"),
        ("noise", &[0x42; 100], "noise: not a plyfold corpus"),
        ("games.plyfold", crate::program::SAMPLE, "games.plyfold: is a PGN file, not a corpus: import it first"),
        ("mark.plyfold", b"\xef\xbb\xbf\n[Event \"a\"]", "mark.plyfold: is a PGN file, not a corpus: import it first"),
        ("games.gz", &[0x1f, 0x8b, 8, 0], "games.gz: is truncated"),
        ("games.zst", &[0x28, 0xb5, 0x2f, 0xfd], "games.zst: is truncated"),
        ("newer", &newer, "newer: the file has format version 200, newer than 1"),
    ];
    for (name, bytes, says) in files {
        sandbox.put(name, bytes);
        for arguments in [&["info", name][..], &["query", name, "check"], &["show", name, "1"], &["export", name]] {
            sandbox.run(arguments).failed_in_a_line(1, &[says]);
        }
    }
    sandbox.run(&["query", "folder", "check"]).failed_in_a_line(1, &["folder: is a folder without corpora"]);
    sandbox.run(&["query", "missing", "check"]).failed_in_a_line(1, &["missing: cannot be opened: No such file"]);
    #[cfg(unix)]
    sandbox.run(&["query", "/dev/null", "check"]).failed_in_a_line(1, &["/dev/null: cannot be opened: it is a device"]);
}
