//! What was made of positions as lines of text. They are gathered, and go out when somebody says so: whole lines always.

use plyfold_core::transform;
use plyfold_core::transform::composite::CompositeTransform;
use plyfold_core::transform::epd::{EpdStyle, EpdWriter, ORIGINAL};
use plyfold_core::transform::position_text;
use serde::Serialize;
use shakmaty::Setup;

use super::OutputForm;
use super::task::TransformedSetup;

/// Lines that are ready.
pub struct TransformWriter {
    form: OutputForm,
    lines: EpdWriter,
    pending: Vec<u8>,
}

/// A position and what was made of it, in JSON.
#[derive(Serialize)]
struct PositionImages {
    fen: String,
    images: Vec<NamedImage>,
}

/// Something made of a position, in JSON.
#[derive(Serialize)]
struct NamedImage {
    /// Of a twin.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// What was done; `null` for the position itself.
    op: Option<String>,
    fen: String,
}

/// What lies between two positions, in JSON.
#[derive(Serialize)]
struct BoardRelations {
    image: String,
    original: String,
    relations: Vec<String>,
}

/// A position that got no answer, in JSON.
#[derive(Serialize)]
struct FailedTransform<'a> {
    place: &'a str,
    error: &'a str,
}

impl TransformWriter {
    /// Nothing yet.
    pub fn new(form: OutputForm, policy: EpdStyle) -> TransformWriter {
        TransformWriter { form, lines: EpdWriter::new(policy), pending: Vec::new() }
    }

    /// What is ready to go out.
    pub fn pending_mut(&mut self) -> &mut Vec<u8> {
        &mut self.pending
    }

    /// One image, and what was done: as it was typed, and in the words of an EPD.
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

    /// Several of one position; in EPD the original before each.
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

    /// Several of one position.
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

    /// Everything that makes one position of another.
    pub fn write_relations(&mut self, image: &Setup, original: &Setup, transforms: &[CompositeTransform]) {
        let relations: Vec<String> = transforms.iter().map(ToString::to_string).collect();
        if self.form == OutputForm::Json {
            return self.write_json(&BoardRelations {
                image: position_text::to_fen(image),
                original: position_text::to_fen(original),
                relations,
            });
        }
        let text =
            if relations.is_empty() { "none".to_owned() } else { transform::names_for_players(&relations.join(", ")) };
        self.pending.extend_from_slice(text.as_bytes());
        self.pending.push(b'\n');
    }

    /// Says why there is no answer, if that is said among the answers.
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
        // Memory takes it, and these objects have texts for keys.
        if serde_json::to_writer(&mut self.pending, object).is_ok() {
            self.pending.push(b'\n');
        }
    }
}

/// A label and what was done.
fn image_name(made: &TransformedSetup) -> String {
    let operation = made.operation.as_deref().unwrap_or(ORIGINAL);
    made.label.as_ref().map_or_else(|| operation.to_owned(), |label| format!("{label}) {operation}"))
}
