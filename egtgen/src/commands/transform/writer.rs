//! Formats images as lines of text. Complete lines are collected and written on request.

use plyfold_transform::composite::CompositeTransform;
use plyfold_transform::position_text;
use plyfold_twinning::epd::{EpdStyle, EpdWriter, ORIGINAL};
use serde::Serialize;
use shakmaty::Setup;

use super::OutputForm;
use super::task::TransformedSetup;

/// Collects lines.
pub struct TransformWriter {
    form: OutputForm,
    lines: EpdWriter,
    pending: Vec<u8>,
}

/// The JSON object of a position and its images.
#[derive(Serialize)]
struct PositionImages {
    fen: String,
    images: Vec<NamedImage>,
}

/// The JSON object of an image.
#[derive(Serialize)]
struct NamedImage {
    /// The label of a twin.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// The transform that was applied; `null` for the position itself.
    op: Option<String>,
    fen: String,
}

/// The JSON object of the transforms between two positions.
#[derive(Serialize)]
struct BoardRelations {
    image: String,
    original: String,
    relations: Vec<String>,
}

/// The JSON object of a position that failed.
#[derive(Serialize)]
struct FailedTransform<'a> {
    place: &'a str,
    error: &'a str,
}

impl TransformWriter {
    /// Starts with no lines.
    pub fn new(form: OutputForm, policy: EpdStyle) -> TransformWriter {
        TransformWriter { form, lines: EpdWriter::new(policy), pending: Vec::new() }
    }

    /// The collected lines.
    pub fn pending_mut(&mut self) -> &mut Vec<u8> {
        &mut self.pending
    }

    /// Adds one image, with its transform as it was typed and as text for an EPD.
    pub fn write_image(&mut self, original: &Setup, image: &Setup, op: &str, operation: &str) {
        match self.form {
            OutputForm::Fen => self.write_fen(image),
            OutputForm::Epd => self.lines.push_pair(original, image, operation, &mut self.pending),
            OutputForm::Text | OutputForm::Json => {
                let result = TransformedSetup { label: None, operation: Some(op.to_owned()), position: image.clone() };
                self.write_images(original, vec![result]);
            }
        }
    }

    /// Adds several images of one position. In EPD the original stands before each.
    pub fn write_pairs(&mut self, original: &Setup, images: Vec<TransformedSetup>) {
        if self.form != OutputForm::Epd {
            return self.write_images(original, images);
        }
        for made in images {
            self.lines.push_pair(
                original,
                &made.position,
                made.operation.as_deref().unwrap_or(ORIGINAL),
                &mut self.pending,
            );
        }
    }

    /// Adds several images of one position.
    pub fn write_images(&mut self, original: &Setup, images: Vec<TransformedSetup>) {
        match self.form {
            OutputForm::Fen => images.iter().for_each(|made| self.write_fen(&made.position)),
            OutputForm::Epd => {
                for made in images {
                    let operation = image_name(&made);
                    self.lines.push_line(&made.position, &operation, &mut self.pending);
                }
            }
            OutputForm::Text => {
                self.write_fen(original);
                let names: Vec<String> = images.iter().map(image_name).collect();
                let width = names.iter().map(String::len).max().unwrap_or(0);
                for (name, made) in names.iter().zip(&images) {
                    self.pending.extend_from_slice(format!("  {name:width$}  ").as_bytes());
                    self.write_fen(&made.position);
                }
                self.pending.push(b'\n');
            }
            OutputForm::Json => {
                let named = |made: TransformedSetup| NamedImage {
                    label: made.label,
                    op: made.operation,
                    fen: position_text::to_fen(&made.position),
                };
                let images = images.into_iter().map(named).collect();
                self.write_json(&PositionImages { fen: position_text::to_fen(original), images });
            }
        }
    }

    /// Adds the transforms between two positions.
    pub fn write_relations(&mut self, image: &Setup, original: &Setup, transforms: &[CompositeTransform]) {
        let relations: Vec<String> = transforms.iter().map(ToString::to_string).collect();
        if self.form == OutputForm::Json {
            return self.write_json(&BoardRelations {
                image: position_text::to_fen(image),
                original: position_text::to_fen(original),
                relations,
            });
        }
        let text = if relations.is_empty() {
            "none".to_owned()
        } else {
            plyfold_transform::names_for_players(&relations.join(", "))
        };
        self.pending.extend_from_slice(text.as_bytes());
        self.pending.push(b'\n');
    }

    /// Adds the reason of a failure, if the format has a place for it.
    pub fn write_error(&mut self, place: &str, error: &str) -> bool {
        let is_here = self.form == OutputForm::Json;
        if is_here {
            self.write_json(&FailedTransform { place, error });
        }
        is_here
    }

    fn write_fen(&mut self, position: &Setup) {
        position_text::append_fen(position, &mut self.pending);
        self.pending.push(b'\n');
    }

    fn write_json(&mut self, object: &impl Serialize) {
        // Writing to memory cannot fail, and the keys of these objects are strings.
        if serde_json::to_writer(&mut self.pending, object).is_ok() {
            self.pending.push(b'\n');
        }
    }
}

/// A label and a transform.
fn image_name(made: &TransformedSetup) -> String {
    let operation = made.operation.as_deref().unwrap_or(ORIGINAL);
    made.label.as_ref().map_or_else(|| operation.to_owned(), |label| format!("{label}) {operation}"))
}
