// Results as files for other programs, as CSV or JSON, with the same column names as in the command line.
import type { GameRow, ResultTable } from '../engine/protocol';

export type Cell = string | number | null;

export interface Table {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/** The table of an output by rows. An unknown number, date or condition has no value. */
export function byRows({ columns, rows }: ResultTable): Table {
  const cell = ({ kind, cells }: ResultTable['columns'][number], row: number): Cell => {
    const value = cells[row] ?? null;
    return Number.isNaN(value) || (value === '' && kind !== 'text') ? null : value;
  };
  return { columns: columns.map(({ name }) => name), rows: Array.from({ length: rows }, (_, row) => columns.map((column) => cell(column, row))) };
}

/** The beginnings of fields that a spreadsheet would run as formulas, as in the command line's `cli/src/csv_table.rs`. */
const RUNS = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^[-+]?\d+(\.\d+)?$/;

/** The text, with an apostrophe before it if a spreadsheet would run it; numbers stay as they are. */
function inert(text: string): string {
  return RUNS.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

/** RFC 4180. Spreadsheets run no field as a formula. */
export function asCsv({ columns, rows }: Table): string {
  const field = (cell: Cell) => {
    const text = cell === null ? '' : typeof cell === 'number' ? String(cell) : inert(cell);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((row) => row.map(field).join(',') + '\r\n').join('');
}

/** An array of objects, one a line. */
export function asJson({ columns, rows }: Table): string {
  const object = (row: readonly Cell[]) => JSON.stringify(Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])));
  return rows.length === 0 ? '[]\n' : `[\n${rows.map(object).join(',\n')}\n]\n`;
}

/** The columns that only some headers have. */
const RARE_COLUMNS = ['round', 'time_control', 'annotator'] as const;

/** The rare columns that some game has. */
export function rareColumns(games: Iterable<GameRow>): (typeof RARE_COLUMNS)[number][] {
  const found = new Set<string>();
  for (const row of games) RARE_COLUMNS.filter((name) => row[name]).forEach((name) => found.add(name));
  return RARE_COLUMNS.filter((name) => found.has(name));
}

export function gamesTable(games: readonly GameRow[]): Table {
  const rare = rareColumns(games);
  return {
    columns: ['number', 'white', 'black', 'white_elo', 'black_elo', 'result', 'eco', 'opening', 'eco_tag', 'date', 'event', 'site', 'plies', 'ending', 'time_class', ...rare],
    rows: games.map((row) => [row.id + 1, row.white, row.black, row.white_elo || null, row.black_elo || null, row.result, row.eco, row.opening, row.eco_tag, row.date, row.event, row.site, row.plies, row.ending, row.time_class, ...rare.map((name) => row[name])]),
  };
}
