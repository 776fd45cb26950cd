// Results as files for other programs, as CSV or JSON, with the same column names as in the command line.
import type { Endgames, GameRow, Groups, NextMoves, PositionHit, Structure } from '../engine/protocol';
import { heatOf } from './heat';
import { MEN, SIDES, squareName, squaresOf } from './squares';

export type Cell = string | number | null;

export interface Table {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/** The beginnings of fields that a spreadsheet would run as formulas, as in the command line's `cli/src/csv_table.rs`. */
const RUNS = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^[-+]?\d+(\.\d+)?$/;

/** The text, with an apostrophe before it if a spreadsheet would run it; numbers stay as they are. */
function inert(text: string): string {
  return RUNS.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

/** RFC 4180, with a line feed at the end of each line. Spreadsheets run no field as a formula. */
export function asCsv({ columns, rows }: Table): string {
  const field = (cell: Cell) => {
    const text = cell === null ? '' : typeof cell === 'number' ? String(cell) : inert(cell);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((row) => row.map(field).join(',') + '\n').join('');
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
    columns: ['number', 'white', 'black', 'white_elo', 'black_elo', 'result', 'eco', 'date', 'event', 'site', 'plies', 'ending', 'time_class', ...rare],
    rows: games.map((row) => [row.id + 1, row.white, row.black, row.white_elo || null, row.black_elo || null, row.result, row.eco, row.date, row.event, row.site, row.plies, row.ending, row.time_class, ...rare.map((name) => row[name])]),
  };
}

export function positionsTable(hits: readonly PositionHit[]): Table {
  return { columns: ['game', 'ply', 'fen'], rows: hits.map((hit) => [hit.game + 1, hit.ply, hit.fen]) };
}

export function heatTable(heatmap: Float64Array): Table {
  const rows = SIDES.flatMap((side) => MEN.flatMap((man) => Array.from(heatOf(heatmap, side, man), (count, square): Cell[] => [side, man, squareName(square), count])));
  return { columns: ['colour', 'man', 'square', 'positions'], rows };
}

export function structuresTable(structures: readonly Structure[]): Table {
  return {
    columns: ['rank', 'positions', 'white', 'black', 'white_squares', 'black_squares'],
    rows: structures.map((one, nth) => [nth + 1, one.count, one.white, one.black, squaresOf(one.white).join(' '), squaresOf(one.black).join(' ')]),
  };
}

export function groupsTable(groups: Groups): Table {
  return {
    columns: [groups.key, 'positions', 'games', 'white', 'draw', 'black', 'unknown'],
    rows: groups.groups.map((one) => [one.name, one.positions, one.games, one.white, one.draw, one.black, one.unknown]),
  };
}

export function endgamesTable({ endgames }: Endgames): Table {
  return {
    columns: ['material', 'games', 'won', 'drawn', 'lost', 'unknown', 'first_threw_away_win', 'first_threw_away_draw', 'second_threw_away_win', 'second_threw_away_draw'],
    rows: endgames.map((one) => [one.material, one.games, one.won, one.drawn, one.lost, one.unknown, one.first.wins, one.first.draws, one.second.wins, one.second.draws]),
  };
}

export function nextTable(next: NextMoves): Table {
  return {
    columns: ['san', 'uci', 'games', 'times', 'white', 'draw', 'black', 'unknown', 'average_elo', 'performance', 'last_played'],
    rows: next.moves.map((one) => [one.san, one.uci, one.games, one.times, one.white, one.draw, one.black, one.unknown, one.elo || null, one.performance, one.last_played]),
  };
}
