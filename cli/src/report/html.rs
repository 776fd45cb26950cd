//! Writes a report as one page of HTML that loads nothing: it is printed, sent, or opened from a disk.

use std::io::Write;

use plyfold_core::reduce::result_table::{CellKind, ResultCell, ResultTable};

use super::{Report, ReportSection};
use crate::failure::Result;
use crate::html_text::escape;
use crate::result_tables::text::ShownTable;
use plyfold_terminal::table::grouped;

const STYLE: &str = "\
body{font:15px/1.45 system-ui,sans-serif;color:#1c1c1c;background:#fff;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin:0 0 .5rem}
h2{font-size:1.1rem;margin:1.6rem 0 .3rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:0}
dt{color:#666}
dd{margin:0}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th{text-align:left;color:#666;font-weight:normal;border-bottom:1px solid #999}
th,td{padding:.15rem .5rem .15rem 0;vertical-align:baseline}
tbody tr{border-bottom:1px solid #e4e4e4;break-inside:avoid}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.t{white-space:pre-wrap}
.bar{display:flex;width:7rem;height:.8rem;border:1px solid #777;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.bar i:nth-child(1){background:#fff}
.bar i:nth-child(2){background:#bbb}
.bar i:nth-child(3){background:#444}
p{color:#666;margin:.2rem 0}
@media print{body{margin:0;max-width:none}h2{break-after:avoid}}
";

/// Writes the page.
pub(super) fn write(out: &mut dyn Write, report: &Report<'_>) -> Result<()> {
    let title = escape(&report.title);
    writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>")?;
    writeln!(out, "<style>\n{STYLE}</style>\n<h1>{title}</h1>\n<dl>")?;
    for (name, value) in report.facts_in_words() {
        writeln!(out, "<dt>{}</dt><dd>{}</dd>", escape(&name), escape(&value))?;
    }
    writeln!(out, "</dl>")?;
    for section in report.sections.iter().filter(|section| !section.table.rows.is_empty()) {
        write_section(out, report, section)?;
    }
    Ok(writeln!(out, "</html>")?)
}

fn write_section(out: &mut dyn Write, report: &Report<'_>, section: &ReportSection<'_>) -> Result<()> {
    let table = &section.table;
    let ShownTable { headings, rows } = ShownTable::of(table, report.count());
    let class = |is_number: bool| if is_number { "n" } else { "t" };
    writeln!(out, "<h2>{}</h2>\n<table>\n<thead><tr>", escape(section.title))?;
    for (heading, is_number) in &headings {
        write!(out, "<th class=\"{}\">{}</th>", class(*is_number), escape(heading))?;
    }
    let has_bars = results_of(table, 0).is_some();
    writeln!(out, "{}</tr></thead>\n<tbody>", if has_bars { "<th></th>" } else { "" })?;
    for (nth, row) in rows.iter().enumerate() {
        write!(out, "<tr>")?;
        for (entry, (_, is_number)) in row.iter().zip(&headings) {
            write!(out, "<td class=\"{}\">{}</td>", class(*is_number), escape(entry))?;
        }
        if let Some(results) = results_of(table, nth) {
            write_bar(out, results)?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody>\n</table>")?;
    match table.distinct - rows.len() as u64 {
        0 => Ok(()),
        left => Ok(writeln!(out, "<p>and {} more</p>", grouped(left))?),
    }
}

/// Wins, draws and losses of a row, if the table has them: the first three columns of results.
fn results_of(table: &ResultTable<'_>, row: usize) -> Option<[u64; 3]> {
    let row = table.rows.get(row)?;
    let results = table.columns.iter().zip(row).filter(|(column, _)| column.kind == CellKind::Results);
    let mut counts = results.map(|(_, cell)| if let ResultCell::Count(number) = cell { *number } else { 0 });
    Some([counts.next()?, counts.next()?, counts.next()?])
}

/// Writes a cell with a bar whose parts are as wide as their numbers.
fn write_bar(out: &mut dyn Write, results: [u64; 3]) -> Result<()> {
    write!(out, "<td><div class=\"bar\">")?;
    let all = results.iter().sum::<u64>().max(1);
    for part in results {
        write!(out, "<i style=\"width:{:.1}%\"></i>", part as f64 * 100.0 / all as f64)?;
    }
    Ok(write!(out, "</div></td>")?)
}
