//! Checks what a command may write before it does anything.
//!
//! A command declares everything that it reads and writes. Files are compared by their identity and not by their names:
//! links, hard links and `./` make no difference.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::identity::{FileIdentity, folder_of};
use crate::open::{file_kind_name, is_standard_output};
use crate::partial::is_partial;
use crate::printable::PrintablePath;

/// What happens to an existing file with the name of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OverwriteRule {
    /// It is kept, and the command is refused.
    Refuse,
    /// It is replaced, since the user wants that.
    Replace,
    /// It was written by the program, and the command updates it.
    Update,
}

impl OverwriteRule {
    /// Replaces if the user has forced it, and refuses otherwise.
    #[must_use]
    pub fn from_force(force: bool) -> OverwriteRule {
        if force { OverwriteRule::Replace } else { OverwriteRule::Refuse }
    }
}

/// The files that a command reads and writes.
#[derive(Default, Debug)]
pub struct OutputPlan {
    inputs: Vec<PlannedInput>,
    outputs: Vec<PlannedOutput>,
    groups: Vec<OutputGroup>,
}

#[derive(Debug)]
struct PlannedInput {
    /// What it is for, such as "the corpus".
    role: String,
    path: PathBuf,
    /// Whether the same command may update it.
    is_updated: bool,
}

#[derive(Debug)]
struct PlannedOutput {
    /// The name that messages use for it, such as the name of its option.
    role: String,
    path: PathBuf,
    overwrite: OverwriteRule,
    /// Whether it may be written to a FIFO or a device.
    is_stream: bool,
    /// Why an existing file is no earlier output of the program, which alone may be updated.
    why_foreign: Option<fn(&Path) -> Option<&'static str>>,
}

/// Files that get their names while they are written: all in one folder, with the same prefix.
#[derive(Debug)]
struct OutputGroup {
    role: String,
    folder: PathBuf,
    prefix: String,
}

/// Why a command may not write an output. Another name always helps, and the message says so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutputError {
    message: String,
    is_replaceable: bool,
}

impl OutputError {
    /// Returns whether the output is allowed too once its rule is [`OverwriteRule::Replace`].
    #[must_use]
    pub fn is_replaceable(&self) -> bool {
        self.is_replaceable
    }
}

impl fmt::Display for OutputError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: choose another name", self.message)
    }
}

impl std::error::Error for OutputError {}

impl OutputPlan {
    /// A command that reads and writes no file.
    #[must_use]
    pub fn new() -> OutputPlan {
        OutputPlan::default()
    }

    /// Declares an input. `role` is the name that messages use for it, such as "the corpus".
    pub fn reads(&mut self, role: impl Into<String>, path: impl Into<PathBuf>) {
        self.inputs.push(PlannedInput { role: role.into(), path: path.into(), is_updated: false });
    }

    /// Declares an input that is the program's own file; the command may update it under the same path.
    pub fn reads_own(&mut self, role: impl Into<String>, path: impl Into<PathBuf>) {
        self.inputs.push(PlannedInput { role: role.into(), path: path.into(), is_updated: true });
    }

    /// Declares an output. `role` is the name that messages use for it, such as the name of its option.
    pub fn writes(&mut self, role: impl Into<String>, path: impl Into<PathBuf>, existing: OverwriteRule) {
        self.outputs.push(PlannedOutput {
            role: role.into(),
            path: path.into(),
            overwrite: existing,
            is_stream: false,
            why_foreign: None,
        });
    }

    /// Declares an output that the program updates if it has written it before; `why_foreign` says of an existing file why it has not,
    /// such as "is not a set of games".
    pub fn updates(
        &mut self,
        role: impl Into<String>,
        path: impl Into<PathBuf>,
        why_foreign: fn(&Path) -> Option<&'static str>,
    ) {
        self.writes(role, path, OverwriteRule::Update);
        if let Some(output) = self.outputs.last_mut() {
            output.why_foreign = Some(why_foreign);
        }
    }

    /// Declares an output as [`writes`](OutputPlan::writes) does; it may also be a FIFO or a device such as `/dev/null`.
    pub fn streams(&mut self, role: impl Into<String>, path: impl Into<PathBuf>, existing: OverwriteRule) {
        self.writes(role, path, existing);
        if let Some(output) = self.outputs.last_mut() {
            output.is_stream = true;
        }
    }

    /// Declares outputs in this folder whose names begin with `prefix`; existing ones are updated.
    pub fn writes_group(&mut self, role: impl Into<String>, folder: impl Into<PathBuf>, prefix: impl Into<String>) {
        self.groups.push(OutputGroup { role: role.into(), folder: folder.into(), prefix: prefix.into() });
    }

    /// Checks whether the command may write all its outputs.
    ///
    /// # Errors
    ///
    /// An output is an input or another output, it exists and must not be replaced, or no file can be written there.
    pub fn check(&self) -> Result<(), OutputError> {
        let mut before: Vec<(&PlannedOutput, FileIdentity)> = Vec::new();
        for output in &self.outputs {
            if output.is_stream && is_standard_output(&output.path) {
                continue;
            }
            let state = output.target_state()?;
            // Nothing is lost by writing to a terminal or to /dev/null.
            if state == TargetState::Device {
                continue;
            }
            let identity = FileIdentity::of(&output.path);
            self.check_not_input(output, &identity)?;
            if let Some((other, _)) = before.iter().find(|(_, other)| *other == identity) {
                return Err(output.error(&format!("is also {} {}", other.role, PrintablePath(&other.path)), false));
            }
            if let Some(group) = self.groups.iter().find(|group| group.may_contain(&output.path)) {
                return Err(output.error(&format!("may be one of the files of {}", group.role), false));
            }
            if state == TargetState::File && output.overwrite == OverwriteRule::Refuse {
                return Err(output.error("exists already", true));
            }
            if state == TargetState::File
                && let Some(why) = output.why_foreign.and_then(|why_foreign| why_foreign(&output.path))
            {
                return Err(output.error(&format!("{why}, so it is not replaced"), false));
            }
            before.push((output, identity));
        }
        for input in self.inputs.iter().filter(|input| !input.is_updated) {
            if let Some(group) = self.groups.iter().find(|group| group.may_contain(&input.path)) {
                let (role, path) = (&input.role, PrintablePath(&input.path));
                let message = format!("{role} {path} may be one of the files that {} writes", group.role);
                return Err(OutputError { message, is_replaceable: false });
            }
        }
        Ok(())
    }

    fn check_not_input(&self, output: &PlannedOutput, identity: &FileIdentity) -> Result<(), OutputError> {
        for PlannedInput { role, path, is_updated } in &self.inputs {
            let is_updated = *is_updated && output.overwrite == OverwriteRule::Update && output.path == *path;
            if !is_updated && FileIdentity::of(path) == *identity {
                return Err(output.error(&format!("is also {role} {}", PrintablePath(path)), false));
            }
        }
        Ok(())
    }
}

/// What exists at the path of an output.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code, reason = "pipes and devices are files only there"))]
enum TargetState {
    Nothing,
    File,
    Fifo,
    Device,
}

impl PlannedOutput {
    fn error(&self, what: &str, is_replaceable: bool) -> OutputError {
        OutputError { message: format!("{} {} {what}", self.role, PrintablePath(&self.path)), is_replaceable }
    }

    /// Returns what exists at its path, if a file can be written there.
    fn target_state(&self) -> Result<TargetState, OutputError> {
        let file_type = match fs::metadata(&self.path) {
            Ok(found) => found.file_type(),
            Err(_) if self.path.is_symlink() => {
                // Only the user may give up a link; a file that it is to lead to is not one that the program has written.
                let is_kept = self.overwrite != OverwriteRule::Replace;
                return match is_kept {
                    true => {
                        let is_replaceable = self.overwrite == OverwriteRule::Refuse;
                        Err(self.error("is a link to a file that does not exist", is_replaceable))
                    }
                    false => Ok(TargetState::Nothing),
                };
            }
            // If the folder is missing, the system says so when the file is created.
            Err(_) => {
                return match self.path.file_name() {
                    Some(name) if is_partial(name) => Err(self.error("has the name of a partial file", false)),
                    Some(_) => Ok(TargetState::Nothing),
                    None => Err(self.error("is not the name of a file", false)),
                };
            }
        };
        if file_type.is_file() {
            return match self.path.file_name() {
                Some(name) if is_partial(name) => Err(self.error("has the name of a partial file", false)),
                _ => Ok(TargetState::File),
            };
        }
        #[cfg(unix)]
        if self.is_stream {
            use std::os::unix::fs::FileTypeExt;
            if file_type.is_fifo() {
                return Ok(TargetState::Fifo);
            }
            if file_type.is_char_device() {
                return Ok(TargetState::Device);
            }
        }
        Err(self.error(&format!("is {}", file_kind_name(file_type)), false))
    }
}

impl OutputGroup {
    fn may_contain(&self, path: &Path) -> bool {
        let begins = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(self.prefix.as_bytes());
        path.file_name().is_some_and(begins) && FileIdentity::of(folder_of(path)) == FileIdentity::of(&self.folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with an input, and a check of outputs there.
    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Folder {
            let folder = Folder(tempfile::tempdir().expect("a folder"));
            fs::write(folder.path("games.pgn"), "games").expect("room");
            fs::write(folder.path("other"), "other").expect("room");
            folder
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        /// The message for these outputs, each `(option, name, rule for an existing file)`.
        fn says(&self, outputs: &[(&str, &str, OverwriteRule)]) -> String {
            let mut checked = OutputPlan::new();
            checked.reads("the input", self.path("games.pgn"));
            for &(role, name, existing) in outputs {
                checked.streams(role, self.path(name), existing);
            }
            let said = checked.check().err().map_or_else(String::new, |refused| {
                let or = if refused.is_replaceable() { ", or replace it" } else { "" };
                format!("{refused}{or}")
            });
            said.replace(&format!("{}/", self.0.path().display()), "")
        }
    }

    #[test]
    fn an_output_is_no_input_however_it_is_named() {
        let folder = Folder::new();
        fs::create_dir(folder.path("below")).expect("room");
        fs::hard_link(folder.path("games.pgn"), folder.path("hard")).expect("room");
        let mut names = vec!["games.pgn", "./games.pgn", "below/../games.pgn", "hard"];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("games.pgn", folder.path("soft")).expect("room");
            std::os::unix::fs::symlink("../below", folder.path("below/again")).expect("room");
            names.extend(["soft", "below/again/../games.pgn"]);
        }
        for name in names {
            for existing in [OverwriteRule::Refuse, OverwriteRule::Replace, OverwriteRule::Update] {
                let said = folder.says(&[("-o", name, existing)]);
                assert_eq!(said, format!("-o {name} is also the input games.pgn: choose another name"));
            }
        }
    }

    #[test]
    fn two_outputs_are_two_files() {
        let folder = Folder::new();
        fs::create_dir(folder.path("below")).expect("room");
        let mut pairs =
            vec![("new", "new"), ("new", "./new"), ("other", "below/../other"), ("below/new", "below/./new")];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("below", folder.path("linked")).expect("room");
            std::os::unix::fs::symlink("below/later", folder.path("later")).expect("room");
            pairs.extend([("below/new", "linked/new"), ("below/later", "later"), ("linked/later", "later")]);
        }
        for (one, two) in pairs {
            let said = folder.says(&[("-o", one, OverwriteRule::Replace), ("--ledger", two, OverwriteRule::Replace)]);
            assert_eq!(said, format!("--ledger {two} is also -o {one}: choose another name"));
        }
        assert_eq!(
            folder.says(&[("-o", "new", OverwriteRule::Refuse), ("--ledger", "newer", OverwriteRule::Refuse)]),
            ""
        );
    }

    #[test]
    fn a_file_is_kept_unless_it_is_to_be_replaced() {
        let folder = Folder::new();
        let said = folder.says(&[("-o", "other", OverwriteRule::Refuse)]);
        assert_eq!(said, "-o other exists already: choose another name, or replace it");
        assert_eq!(folder.says(&[("-o", "other", OverwriteRule::Replace)]), "");
        assert_eq!(folder.says(&[("-o", "other", OverwriteRule::Update)]), "");
        fs::create_dir(folder.path("below")).expect("room");
        for existing in [OverwriteRule::Refuse, OverwriteRule::Replace, OverwriteRule::Update] {
            let said = folder.says(&[("-o", "below", existing)]);
            assert_eq!(said, "-o below is a directory: choose another name");
            let said = folder.says(&[("-o", ".new.aB3dE6gH.plyfold-part", existing)]);
            assert!(said.contains("has the name of a partial file"), "{said}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn links_that_lead_nowhere_and_what_is_no_file() {
        let folder = Folder::new();
        std::os::unix::fs::symlink("later", folder.path("link")).expect("room");
        let said = folder.says(&[("-o", "link", OverwriteRule::Refuse)]);
        assert!(said.starts_with("-o link is a link to a file that does not exist: choose"), "{said}");
        let socket = std::os::unix::net::UnixListener::bind(folder.path("socket")).expect("room");
        assert_eq!(
            folder.says(&[("-o", "socket", OverwriteRule::Replace)]),
            "-o socket is a socket: choose another name"
        );
        drop(socket);
        assert_eq!(
            folder
                .says(&[("-o", "/dev/null", OverwriteRule::Refuse), ("--ledger", "/dev/null", OverwriteRule::Refuse)]),
            ""
        );
        let mut outputs = OutputPlan::new();
        outputs.writes("-o", "/dev/null", OverwriteRule::Replace);
        let refused = outputs.check().expect_err("no corpus can be there").to_string();
        assert_eq!(refused, "-o /dev/null is a device: choose another name");
    }

    #[test]
    fn what_the_program_made_is_brought_up_to_date_under_its_own_name_alone() {
        let folder = Folder::new();
        let check = |name: &str, existing| {
            let mut outputs = OutputPlan::new();
            outputs.reads_own("the set", folder.path("other"));
            outputs.writes("-o", folder.path(name), existing);
            outputs.check().is_ok()
        };
        assert!(check("other", OverwriteRule::Update));
        assert!(!check("other", OverwriteRule::Replace));
        assert!(!check("./other", OverwriteRule::Replace));
        fs::hard_link(folder.path("other"), folder.path("hard")).expect("room");
        assert!(!check("hard", OverwriteRule::Update));
    }

    #[test]
    fn files_that_get_their_names_later_are_no_others() {
        let folder = Folder::new();
        let check = |input: &str, output: &str| {
            let mut outputs = OutputPlan::new();
            outputs.reads("the set", folder.path(input));
            outputs.writes("-o", folder.path(output), OverwriteRule::Replace);
            outputs.writes_group("--save-parts @year", folder.path("."), "year-");
            outputs.check().err().map(|refused| refused.to_string())
        };
        assert_eq!(check("games.pgn", "years"), None);
        assert!(check("games.pgn", "year-2001.bm").is_some_and(|said| said.contains("files of --save-parts @year")));
        assert!(check("year-2001.bm", "years").is_some_and(|said| said.contains("that --save-parts @year writes")));
    }
}
