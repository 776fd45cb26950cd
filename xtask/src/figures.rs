//! The page of figures: what the benchmarks print, with the machine and the commit that they measured.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::{cargo, output_of, program, run_and_keep};
use crate::paths::project_root;

/// The sections of a page, which [`FiguresPage::finish`] writes all at once.
pub struct FiguresPage {
    file: PathBuf,
    text: String,
    /// The folder of the games that the command line names; the page shows only their file name.
    games_folder: Option<PathBuf>,
}

impl FiguresPage {
    /// Begins a page for `file`.
    ///
    /// # Errors
    /// Git or the compiler cannot be asked for the measured version.
    pub fn new(file: &Path, games: Option<&Path>) -> Result<Self> {
        let changed = !output_of(program("git").args(["status", "--porcelain", "--untracked-files=no"]))?.is_empty();
        let commit = output_of(program("git").args(["log", "-1", "--format=%h of %cs"]))?;
        let compiler = output_of(cargo().arg("--version"))?;
        let mut text = String::from("# Figures\n\n");
        writeln!(text, "`cargo xtask bench --page {}` made this page.", file.display())?;
        writeln!(text, "It measured commit {}{}.", commit.trim(), if changed { ", with local changes" } else { "" })?;
        writeln!(text, "The machine: {}; {}.", machine(), compiler.trim())?;
        text.push_str("A ratio says more than a time, because both of its sides were measured in the same run.\n");
        let games_folder = games.and_then(Path::parent).map(Path::to_owned);
        Ok(Self { file: file.to_owned(), text, games_folder })
    }

    /// Runs a benchmark program, and adds its output to the page.
    ///
    /// # Errors
    /// The program cannot be started, or does not exit with 0.
    pub fn add(&mut self, name: &str, command: &mut Command) -> Result<()> {
        let printed = run_and_keep(command)?;
        write!(self.text, "\n## {name}\n\n```\n{}\n```\n", self.without_folders(printed.trim_matches('\n')))?;
        Ok(())
    }

    /// Writes the page.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<()> {
        fs::write(&self.file, self.text).with_context(|| format!("{} cannot be written", self.file.display()))?;
        println!("wrote {}", self.file.display());
        Ok(())
    }

    /// Removes the folders of the machine from a text, because the page must not name them.
    fn without_folders(&self, text: &str) -> String {
        let folders = [Some(project_root()), self.games_folder.as_deref()].into_iter().flatten();
        folders.fold(text.to_owned(), |text, folder| text.replace(&format!("{}/", folder.display()), ""))
    }
}

/// The processor and the number of cores.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let known = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = known.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    format!("{cores} cores of {}", model.map_or(std::env::consts::ARCH, |(_, model)| model.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_prints_stands_on_the_page_without_folders() {
        let file = std::env::temp_dir().join(format!("plyfold-figures-{}.md", std::process::id()));
        let mut page =
            FiguresPage::new(&file, Some(Path::new("/somewhere/else/games.pgn"))).expect("git and cargo answer");
        page.add("echo", program("echo").arg("/somewhere/else/games.pgn: 3 ns")).expect("echo works");
        assert!(page.add("false", &mut program("false")).is_err());
        page.finish().expect("a file");
        let text = fs::read_to_string(&file).expect("the page");
        fs::remove_file(&file).expect("it is there");
        assert!(text.ends_with("\n## echo\n\n```\ngames.pgn: 3 ns\n```\n"), "{text}");
        assert!(text.contains("cores of ") && text.contains("commit "), "{text}");
    }
}
