//! The JSON Schema of a query, as it is published.

use schemars::generate::SchemaSettings;

use crate::node::Node;

/// The schema (draft 2020-12) of a query in JSON, as indented JSON with a line break at its end.
pub fn schema() -> String {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Node>();
    // A schema is JSON already.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
