//! The examples of the manual, `docs/sql.md`: each statement gives the rows that stand below it.

use std::path::Path;

use datafusion::arrow::util::pretty::pretty_format_batches;

use crate::sandbox::{collect, demo};

#[test]
fn the_examples_of_the_manual_give_their_rows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/sql.md");
    let page = std::fs::read_to_string(path).unwrap();
    let mut shown = 0;
    for example in page.split("```sql\n").skip(1) {
        let (statement, rest) = example.split_once("\n```\n").unwrap();
        let batches = collect(demo(), statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        if let Some(rows) = rest.trim_start().strip_prefix("```text\n") {
            let rows = rows.split("\n```").next().unwrap();
            let found = pretty_format_batches(&batches).unwrap().to_string();
            assert_eq!(found, rows, "{statement}\n{found}");
            shown += 1;
        }
    }
    assert!(shown >= 5, "{shown}");
}
