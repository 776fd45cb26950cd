//! Gives damaged files to the programs: each run gives an error that names the file, or the result of the sound file. Files
//! that the command does not write stay unchanged.

use rand::Rng;
use rand::rngs::StdRng;

use crate::attack::{AttackOutcome, AttackSeries, Tried};
use crate::bytes::{cut, flipped};
use crate::mangle::mangled;
use crate::programs::{ProgramRun, told, words};
use crate::scene::{self, COMMANDS, Files};

/// Attacks on the programs through their input files.
pub struct DamagedFiles {
    scene: Files,
    /// The result of each command on sound files, and the files afterwards.
    sound: Vec<(ProgramRun, Files)>,
}

impl DamagedFiles {
    /// Runs every command once on sound files.
    pub fn new() -> DamagedFiles {
        let scene = scene::files();
        let sound = COMMANDS.iter().map(|command| {
            let sandbox = scene::sandbox(&scene);
            let ran = sandbox.run(command.program, &words(command.line));
            assert!(matches!(ran.code(), Some(0 | 3)), "{}: {}", command.line, String::from_utf8_lossy(&ran.stderr));
            (ran, sandbox.files())
        });
        let sound = sound.collect();
        DamagedFiles { scene, sound }
    }
}

impl AttackSeries for DamagedFiles {
    fn attack(&mut self, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
        let nth = random.random_range(0..COMMANDS.len());
        let command = &COMMANDS[nth];
        let file = command.reads[random.random_range(0..command.reads.len())];
        let bytes = &self.scene[std::path::Path::new(file)];
        let is_text = file.ends_with(".pgn") || file.ends_with(".txt") || file.ends_with(".json");
        let damaged = match random.random_range(0..4) {
            _ if is_text => mangled(random, bytes, &["[", "{", "null", "\"query\":", "w", "KQkq", "1. e4"]),
            0 => cut(random, bytes, &[0, 8, 64, bytes.len() - 8]),
            1 => mangled(random, bytes, &[]),
            _ => flipped(random, bytes),
        };
        let line = words(command.line);
        told(command.program, &line, tried);
        tried.input(file, &damaged);
        let sandbox = scene::sandbox(&self.scene);
        sandbox.put(file, &damaged);
        let ran = sandbox.run(command.program, &line);
        let (mut before, after) = (self.scene.clone(), sandbox.files());
        before.insert(file.into(), damaged.clone());
        if let Some(fault) = ran.fault(command.program) {
            return fault;
        }
        if let Some(lost) = scene::lost(&before, &after, command.writes) {
            return AttackOutcome::Lost(lost);
        }
        let (sound, sound_files) = &self.sound[nth];
        let code = ran.code().unwrap_or(1);
        if code == 1 || code == 2 {
            // A command that fails writes nothing, except for a partial file to resume from.
            let kept = command.writes.iter().filter(|name| name.ends_with(".part")).copied().collect::<Vec<_>>();
            return scene::lost(&before, &after, &kept).map_or(AttackOutcome::Refused, AttackOutcome::Lost);
        }
        if is_text {
            // Another text is another query. The attacks in this process check such results.
            return AttackOutcome::Answered;
        }
        // A line of a list may report an error of its own.
        let said = String::from_utf8_lossy(&ran.stdout);
        if ["\"error\"", "\"damaged\"", "\"trouble\""].iter().any(|word| said.contains(word)) {
            return AttackOutcome::Refused;
        }
        // Messages of a command about its own work do not count as a result, because the damage may have given it more to do.
        if command.writes.is_empty() && ran.answer() != sound.answer() {
            return AttackOutcome::Wrong(format!("{} in place of {}", ran.answer(), sound.answer()));
        }
        for name in command.writes {
            let name = std::path::Path::new(name);
            if after.get(name) != sound_files.get(name) && command.reads[0] != name.to_string_lossy() {
                return AttackOutcome::Wrong(format!("{} is another file than of sound files", name.display()));
            }
        }
        AttackOutcome::Answered
    }
}
