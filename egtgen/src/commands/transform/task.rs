//! What is made of a position.

use plyfold_core::transform::detect;
use plyfold_core::transform::epd::{self, Exporter};
use plyfold_core::transform::image::{self, Image};
use plyfold_core::transform::read::{self, Misread};
use plyfold_core::transform::twin::{Command, Leaving, Twin, Twins};
use shakmaty::Setup;

use super::written::Written;

/// Between two positions in a line.
const BETWEEN: char = '\t';

/// What is to be done to each position.
pub enum Task {
    /// Some commands, one after the other, as one.
    One {
        /// As it was typed.
        op: String,
        twin: Twin,
        /// In the words of an EPD.
        told: String,
        leaving: Leaving,
    },
    /// A list of twins.
    Twins {
        /// As it was typed.
        op: String,
        twins: Twins,
        leaving: Leaving,
    },
    /// Commands, each by itself, and in the words of an EPD.
    Family(Vec<(Command, String)>),
    /// All of these, each board once.
    All(Vec<Image>),
    /// Two positions: what makes the first of the second.
    Detect,
}

/// Something made of a position.
pub struct Made {
    /// Which of a list of twins it is.
    pub label: Option<String>,
    /// What was done; none for the position itself.
    pub told: Option<String>,
    pub position: Setup,
}

impl Task {
    /// Commands or a list of twins, read from `op`.
    pub fn of(op: &str, mut twins: Twins, leaving: Leaving) -> Task {
        let op = op.to_owned();
        match (Twins::is_list(&op), twins.twins.pop()) {
            (false, Some(twin)) => Task::One { told: epd::told_of(&twin), op, twin, leaving },
            (_, last) => {
                twins.twins.extend(last);
                Task::Twins { op, twins, leaving }
            }
        }
    }

    /// What an exporter does.
    pub fn family(exporter: Exporter) -> Task {
        let told = |command: Command| {
            let told = epd::told(&command);
            (command, told)
        };
        Task::Family(exporter.commands().into_iter().map(told).collect())
    }

    /// Flips, rotations, and these with colours changed.
    pub fn all() -> Task {
        Task::All(image::Family::all(&[image::Family::Flips, image::Family::Rotations, image::Family::ColourFlip]))
    }

    /// Does it to the position that a line says, and hands it over.
    ///
    /// # Errors
    ///
    /// What is no position; what cannot be done to it.
    pub fn line(&self, text: &str, written: &mut Written) -> Result<(), String> {
        if let Task::Detect = self {
            let Some((first, second)) = text.split_once(BETWEEN) else {
                return Err("two positions with a tab between them are wanted".to_owned());
            };
            let (image, original) = (position_of(first, "first")?, position_of(second, "second")?);
            written.between(&image, &original, &detect::between(&image, &original));
            return Ok(());
        }
        let line = read::line(text).map_err(|misread| misread.placed(text))?;
        self.position(&line.position, written)
    }

    /// Does it to a position, and hands it over.
    ///
    /// # Errors
    ///
    /// What cannot be done to it.
    pub fn position(&self, position: &Setup, written: &mut Written) -> Result<(), String> {
        let refused = |op: &str, misread: Misread| format!("`{}`: {}", &op[misread.from..misread.to], misread.message);
        match self {
            Task::One { op, twin, told, leaving } => {
                let made = twin.apply(position, *leaving).map_err(|misread| refused(op, misread))?;
                written.image(position, &made, op, told);
            }
            Task::Twins { op, twins, leaving } => {
                let made = twins.apply(position, *leaving).map_err(|misread| refused(op, misread))?;
                let each = made.into_iter().map(|made| Made {
                    label: Some(made.label),
                    told: Some(made.told).filter(|told| !told.is_empty()),
                    position: made.position,
                });
                written.images(position, each.collect());
            }
            Task::Family(commands) => {
                let each = commands.iter().map(|(command, told)| {
                    let position = command.apply(position, Leaving::Dropped)?;
                    Ok(Made { label: None, told: Some(told.clone()), position })
                });
                written.pairs(position, each.collect::<Result<Vec<Made>, String>>()?);
            }
            Task::All(images) => {
                let mut made: Vec<Made> = Vec::new();
                for image in images {
                    let turned = image.apply(position);
                    let is_known =
                        |known: &Made| known.position.board == turned.board && known.position.turn == turned.turn;
                    if !made.iter().any(is_known) {
                        let told = Some(image.to_string()).filter(|_| *image != Image::IDENTITY);
                        made.push(Made { label: None, told, position: turned });
                    }
                }
                written.images(position, made);
            }
            Task::Detect => return Err("two positions are wanted, and this is one".to_owned()),
        }
        Ok(())
    }
}

/// One of two positions in a line.
fn position_of(text: &str, which: &str) -> Result<Setup, String> {
    let text = text.trim_ascii();
    let line = read::line(text).map_err(|misread| format!("the {which} position, {}", misread.placed(text)))?;
    Ok(line.position)
}
