//! What was made of positions as lines of text. They are gathered, and go out when somebody says so: whole lines always.

use plyfold_core::transform::epd::{Lines, ORIGINAL, Policy};
use plyfold_core::transform::image::Image;
use plyfold_core::transform::read;
use serde::Serialize;
use shakmaty::Setup;

use super::Form;
use super::task::Made;

/// Lines that are ready.
pub struct Written {
    form: Form,
    lines: Lines,
    ready: Vec<u8>,
}

/// A position and what was made of it, in JSON.
#[derive(Serialize)]
struct Turned {
    fen: String,
    images: Vec<Named>,
}

/// Something made of a position, in JSON.
#[derive(Serialize)]
struct Named {
    /// Of a twin.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// What was done; `null` for the position itself.
    op: Option<String>,
    fen: String,
}

/// What lies between two positions, in JSON.
#[derive(Serialize)]
struct Between {
    image: String,
    original: String,
    relations: Vec<String>,
}

/// A position that got no answer, in JSON.
#[derive(Serialize)]
struct Unanswered<'a> {
    place: &'a str,
    error: &'a str,
}

impl Written {
    /// Nothing yet.
    pub fn new(form: Form, policy: Policy) -> Written {
        Written { form, lines: Lines::new(policy), ready: Vec::new() }
    }

    /// What is ready to go out.
    pub fn ready(&mut self) -> &mut Vec<u8> {
        &mut self.ready
    }

    /// One image, and what was done: as it was typed, and in the words of an EPD.
    pub fn image(&mut self, original: &Setup, image: &Setup, op: &str, told: &str) {
        match self.form {
            Form::Fen => self.fen(image),
            Form::Epd => self.lines.pair(original, image, told, &mut self.ready),
            Form::Text | Form::Json => {
                let made = Made { label: None, told: Some(op.to_owned()), position: image.clone() };
                self.images(original, vec![made]);
            }
        }
    }

    /// Several of one position; in EPD the original before each.
    pub fn pairs(&mut self, original: &Setup, made: Vec<Made>) {
        if self.form != Form::Epd {
            return self.images(original, made);
        }
        for made in made {
            self.lines.pair(original, &made.position, made.told.as_deref().unwrap_or(ORIGINAL), &mut self.ready);
        }
    }

    /// Several of one position.
    pub fn images(&mut self, original: &Setup, made: Vec<Made>) {
        match self.form {
            Form::Fen => made.iter().for_each(|made| self.fen(&made.position)),
            Form::Epd => {
                for made in made {
                    let told = named(&made);
                    self.lines.line(&made.position, &told, &mut self.ready);
                }
            }
            Form::Text => {
                self.fen(original);
                let names: Vec<String> = made.iter().map(named).collect();
                let width = names.iter().map(String::len).max().unwrap_or(0);
                for (name, made) in names.iter().zip(&made) {
                    self.ready.extend_from_slice(format!("  {name:width$}  ").as_bytes());
                    self.fen(&made.position);
                }
                self.ready.push(b'\n');
            }
            Form::Json => {
                let named = |made: Made| Named { label: made.label, op: made.told, fen: read::write(&made.position) };
                let images = made.into_iter().map(named).collect();
                self.json(&Turned { fen: read::write(original), images });
            }
        }
    }

    /// Everything that makes one position of another.
    pub fn between(&mut self, image: &Setup, original: &Setup, ways: &[Image]) {
        let relations: Vec<String> = ways.iter().map(ToString::to_string).collect();
        if self.form == Form::Json {
            return self.json(&Between { image: read::write(image), original: read::write(original), relations });
        }
        let told = if relations.is_empty() { "none".to_owned() } else { relations.join(", ") };
        self.ready.extend_from_slice(told.as_bytes());
        self.ready.push(b'\n');
    }

    /// Says why there is no answer, if that is said among the answers.
    pub fn error(&mut self, place: &str, error: &str) -> bool {
        let is_here = self.form == Form::Json;
        if is_here {
            self.json(&Unanswered { place, error });
        }
        is_here
    }

    fn fen(&mut self, position: &Setup) {
        read::append(position, &mut self.ready);
        self.ready.push(b'\n');
    }

    fn json(&mut self, object: &impl Serialize) {
        // Memory takes it, and these objects have texts for keys.
        if serde_json::to_writer(&mut self.ready, object).is_ok() {
            self.ready.push(b'\n');
        }
    }
}

/// A label and what was done.
fn named(made: &Made) -> String {
    let told = made.told.as_deref().unwrap_or(ORIGINAL);
    made.label.as_ref().map_or_else(|| told.to_owned(), |label| format!("{label}) {told}"))
}
