//! The outputs as tables, with a typed array for each column of numbers.

use js_sys::{Array, Float64Array};
use plyfold_core::reduce::output::{OUTPUTS, Output, OutputArgument, OutputDefinition, OutputResult};
use plyfold_core::reduce::result_table::{CellKind, ResultCell};
use tsify::Tsify;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::corpus::Corpus;
use crate::endgame_tables::bound_tables;
use crate::error::JsFailure;
use crate::plain::{IntoJs, Js, List, plain_object, to_js};
use crate::query::{PreparedQuestion, key_named};

/// What an output is.
#[derive(Tsify)]
pub struct OutputKind {
    /// Its name, by which its table is asked for.
    pub name: &'static str,
    /// What it shows, as a sentence without its full stop.
    pub summary: &'static str,
    /// What its columns mean, if their names do not say it; else empty.
    pub legend: &'static str,
    /// Whether it takes a key.
    pub takes_key: bool,
    /// Whether endgame tables judge it.
    pub asks_tables: bool,
}
plain_object!(OutputKind { name, summary, legend, takes_key, asks_tables });

/// A column of a table.
#[derive(Tsify)]
pub struct ResultColumn {
    /// Its name, which no other column of the table has.
    pub name: String,
    /// What its cells are.
    #[tsify(type = "'count' | 'number' | 'text' | 'results' | 'date' | 'year' | 'game' | 'ply' | 'condition'")]
    pub kind: &'static str,
    /// The cells: numbers, NaN for unknown ones; or texts, empty for missing ones.
    #[tsify(type = "Float64Array | string[]")]
    pub cells: JsValue,
}
plain_object!(ResultColumn { name, kind, cells });

/// The table of an output.
#[derive(Tsify)]
pub struct ResultTable {
    /// The name of the output.
    pub output: &'static str,
    /// The columns.
    pub columns: List<ResultColumn>,
    /// The number of rows.
    pub rows: u32,
    /// How many rows there are with those that are left out.
    pub distinct: f64,
}
plain_object!(ResultTable { output, columns, rows, distinct });

fn kind_name(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Count => "count",
        CellKind::Signed | CellKind::Rating => "number",
        CellKind::Year => "year",
        CellKind::Text => "text",
        CellKind::Results => "results",
        CellKind::Date => "date",
        CellKind::Game => "game",
        CellKind::Ply => "ply",
        CellKind::Condition => "condition",
    }
}

fn number(cell: &ResultCell<'_>) -> f64 {
    match *cell {
        ResultCell::Count(number) => number as f64,
        ResultCell::Signed(number) => number as f64,
        ResultCell::Empty | ResultCell::Date(_) | ResultCell::Text(_) => f64::NAN,
    }
}

fn text(cell: &ResultCell<'_>) -> JsValue {
    match cell {
        ResultCell::Date(date) => date.to_string().into_js_value(),
        ResultCell::Text(text) => text.as_ref().into_js_value(),
        _ => "".into_js_value(),
    }
}

impl From<&OutputResult> for ResultTable {
    fn from(result: &OutputResult) -> ResultTable {
        let table = result.table();
        let columns = table.columns.iter().enumerate().map(|(at, column)| {
            let cells = table.rows.iter().map(|row| &row[at]);
            let cells = match column.kind.is_number() {
                true => Float64Array::from(&*cells.map(number).collect::<Vec<_>>()).into(),
                false => cells.map(text).collect::<Array>().into(),
            };
            ResultColumn { name: column.name.clone().into_owned(), kind: kind_name(column.kind), cells }
        });
        ResultTable {
            output: result.output.definition.name,
            columns: columns.collect(),
            rows: table.rows.len() as u32,
            distinct: table.distinct as f64,
        }
    }
}

/// Lists the outputs.
#[wasm_bindgen(unchecked_return_type = "OutputKind[]")]
#[must_use]
pub fn outputs() -> Array {
    let kind = |output: &&OutputDefinition| OutputKind {
        name: output.name,
        summary: output.summary,
        legend: output.legend.unwrap_or_default(),
        takes_key: matches!(output.argument, OutputArgument::Key | OutputArgument::KeyWithRule),
        asks_tables: output.asks_tables,
    };
    OUTPUTS.iter().map(kind).collect::<List<_>>().0
}

/// Makes the output with this name, by a key if it takes one.
///
/// # Errors
///
/// There is no such output, or no such key.
pub(crate) fn output_named(name: &str, key: &str) -> Result<Output, JsFailure> {
    let unknown = || JsFailure::new("bad-input", format!("there is no output {name}"));
    let definition = OutputDefinition::named(name).ok_or_else(unknown)?;
    let output = match definition.argument {
        OutputArgument::Nothing | OutputArgument::Maximum(_) => definition.output(),
        OutputArgument::Key | OutputArgument::KeyWithRule => definition.by(key_named(key)?),
    };
    Ok(output.judged_by(&bound_tables()))
}

#[wasm_bindgen]
impl Corpus {
    /// Scans for a question and makes the whole table of an output, by a key if it takes one.
    ///
    /// # Errors
    ///
    /// There is no such output, or no such key; the request was cancelled.
    #[wasm_bindgen(js_name = resultTable)]
    pub fn result_table(
        &self,
        question: &PreparedQuestion,
        output: &str,
        key: &str,
    ) -> Result<Js<ResultTable>, JsFailure> {
        let found = question.run(self, output_named(output, key)?.showing(&self.names.shown))?;
        let [result] = &found.outputs[..] else { return Err(JsFailure::new("bad-input", "one output is one table")) };
        Ok(to_js(ResultTable::from(result)))
    }
}
