//! Applies a task to each position.

use plyfold_transform::composite::{self, CompositeTransform};
use plyfold_transform::detect;
use plyfold_transform::position_text::{self, PositionTextError};
use plyfold_twinning::epd::{self, EpdExporter};
use plyfold_twinning::{OffBoardRule, Twin, TwinCommand, TwinList};
use shakmaty::Setup;

use super::writer::TransformWriter;

/// Separates two positions in a line.
const BETWEEN: char = '\t';

/// The task for each position.
pub enum TransformTask {
    /// Several commands as one transform.
    One {
        /// The text as it was typed.
        op: String,
        twin: Twin,
        /// The text for an EPD.
        told: String,
        leaving: OffBoardRule,
    },
    /// A list of twins.
    Twins {
        /// The text as it was typed.
        op: String,
        twins: TwinList,
        leaving: OffBoardRule,
    },
    /// Commands, each by itself, with the text for an EPD.
    Family(Vec<(TwinCommand, String)>),
    /// All of these commands, each resulting board once.
    All(Vec<CompositeTransform>),
    /// Finds the transforms between two positions.
    Detect,
}

/// An image of a position.
pub struct TransformedSetup {
    /// Its label in a list of twins.
    pub label: Option<String>,
    /// The transform that was applied; `None` for the position itself.
    pub operation: Option<String>,
    pub position: Setup,
}

impl TransformTask {
    /// Reads commands or a list of twins from `op`.
    pub fn parse(op: &str, mut twins: TwinList, leaving: OffBoardRule) -> TransformTask {
        let op = op.to_owned();
        match (TwinList::is_list(&op), twins.twins.pop()) {
            (false, Some(twin)) => TransformTask::One { told: epd::twin_description(&twin), op, twin, leaving },
            (_, last) => {
                twins.twins.extend(last);
                TransformTask::Twins { op, twins, leaving }
            }
        }
    }

    /// The task of an exporter of libxfm.
    pub fn family(exporter: EpdExporter) -> TransformTask {
        let describe = |command: TwinCommand| {
            let description = epd::command_description(&command);
            (command, description)
        };
        TransformTask::Family(exporter.commands().into_iter().map(describe).collect())
    }

    /// All flips and rotations, with and without swapped colours.
    pub fn all() -> TransformTask {
        TransformTask::All(composite::TransformFamily::combinations(&[
            composite::TransformFamily::Flips,
            composite::TransformFamily::Rotations,
            composite::TransformFamily::ColourFlip,
        ]))
    }

    /// Applies the task to the position of a line, and passes the results on.
    ///
    /// # Errors
    ///
    /// The text is not a position, or the task cannot be applied to it.
    pub fn transform_line(&self, text: &str, writer: &mut TransformWriter) -> Result<(), String> {
        if let TransformTask::Detect = self {
            let Some((first, second)) = text.split_once(BETWEEN) else {
                return Err("write two positions with a tab between them".to_owned());
            };
            let (image, original) = (parse_position(first, "first")?, parse_position(second, "second")?);
            writer.write_relations(&image, &original, &detect::transforms_between(&image, &original));
            return Ok(());
        }
        let line = position_text::read_line(text).map_err(|misread| misread.with_column(text))?;
        self.transform_position(&line.position, writer)
    }

    /// Applies the task to a position, and passes the results on.
    ///
    /// # Errors
    ///
    /// The task cannot be applied to the position.
    pub fn transform_position(&self, position: &Setup, writer: &mut TransformWriter) -> Result<(), String> {
        let refused =
            |op: &str, misread: PositionTextError| format!("`{}`: {}", &op[misread.from..misread.to], misread.message);
        match self {
            TransformTask::One { op, twin, told, leaving } => {
                let made = twin.apply(position, *leaving).map_err(|misread| refused(op, misread))?;
                writer.write_image(position, &made, op, told);
            }
            TransformTask::Twins { op, twins, leaving } => {
                let made = twins.apply(position, *leaving).map_err(|misread| refused(op, misread))?;
                let results = made.into_iter().map(|made| TransformedSetup {
                    label: Some(made.label),
                    operation: Some(made.description).filter(|told| !told.is_empty()),
                    position: made.position,
                });
                writer.write_images(position, results.collect());
            }
            TransformTask::Family(commands) => {
                let results = commands.iter().map(|(command, told)| {
                    let position = command.apply(position, OffBoardRule::Drop)?;
                    Ok(TransformedSetup { label: None, operation: Some(told.clone()), position })
                });
                writer.write_pairs(position, results.collect::<Result<Vec<TransformedSetup>, String>>()?);
            }
            TransformTask::All(images) => {
                let mut distinct: Vec<TransformedSetup> = Vec::new();
                for image in images {
                    let turned = image.apply(position);
                    let is_known = |known: &TransformedSetup| {
                        known.position.board == turned.board && known.position.turn == turned.turn
                    };
                    if !distinct.iter().any(is_known) {
                        let operation = Some(image.to_string()).filter(|_| *image != CompositeTransform::IDENTITY);
                        distinct.push(TransformedSetup { label: None, operation, position: turned });
                    }
                }
                writer.write_images(position, distinct);
            }
            TransformTask::Detect => return Err("this is one position, but --detect needs two".to_owned()),
        }
        Ok(())
    }
}

/// Reads one of two positions in a line.
fn parse_position(text: &str, which: &str) -> Result<Setup, String> {
    let text = text.trim_ascii();
    let line = position_text::read_line(text)
        .map_err(|misread| format!("the {which} position, {}", misread.with_column(text)))?;
    Ok(line.position)
}
