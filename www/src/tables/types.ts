// The types of the tables, which wasm-bindgen writes from the Rust structs of the bindings (`web-tables/src`). This file
// loads nothing.
export type { MaterialStatistics, Need, PlannedTable, SideStatistics, TableLine, TableMap, TableMove, TableResult, TableValue, TableValues, TableVerdict } from '../wasm/tables-single/plyfold_web_tables.js';
