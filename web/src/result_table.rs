//! The table of an output, for files: with the columns that the command line writes.

use js_sys::Array;
use plyfold_core::reduce::result_table::{ResultCell, ResultTable as Table};
use tsify::Tsify;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::corpus::Corpus;
use crate::error::JsFailure;
use crate::plain::{FromJs, IntoJs, Js, List, plain_object, to_js};
use crate::query::{Outputs, PreparedQuestion};

/// A table.
#[derive(Tsify)]
pub struct ResultTable {
    /// The names of the columns.
    pub columns: List<String>,
    /// The rows, with a cell for each column; null if nothing is known.
    #[tsify(type = "(string | number | null)[][]")]
    pub rows: Array,
}
plain_object!(ResultTable { columns, rows });

impl From<Table<'_>> for ResultTable {
    fn from(Table { columns, rows }: Table<'_>) -> ResultTable {
        let cell = |cell: ResultCell<'_>| match cell {
            ResultCell::Empty => JsValue::NULL,
            ResultCell::Count(number) => (number as f64).into_js_value(),
            ResultCell::Signed(number) => (number as f64).into_js_value(),
            ResultCell::Text(text) => text.as_ref().into_js_value(),
        };
        let rows = rows.into_iter().map(|row| row.into_iter().map(cell).collect::<Array>());
        ResultTable {
            columns: columns.into_iter().map(|column| column.name.into_owned()).collect(),
            rows: rows.collect(),
        }
    }
}

#[wasm_bindgen]
impl Corpus {
    /// Scans for a question and makes the table of the first of these outputs that has one.
    ///
    /// # Errors
    ///
    /// There is no such key; no output has a table; the request was cancelled.
    #[wasm_bindgen(js_name = resultTable)]
    pub fn result_table(
        &self,
        question: &PreparedQuestion,
        outputs: &Js<Outputs>,
    ) -> Result<Js<ResultTable>, JsFailure> {
        let selection = Outputs::from_js_value(outputs).selection()?;
        let found = question.run(self, &selection)?;
        let table = found.table(&selection, &self.spans(), usize::MAX);
        let table = table.ok_or_else(|| JsFailure::new("bad-input", "no output that has a table is requested"))?;
        Ok(to_js(ResultTable::from(table)))
    }
}
