// The outputs of the engine that are shown as tables: their names and columns in a player's words, and what a cell leads to.
import type { ResultColumn, ResultTable } from '../engine/protocol';
import { patternInWords } from './patterns';
import { say } from './say';
import { materialName } from './tableverdict';
import { count } from './words';

interface OutputWords {
  name: string;
  /** What the rows count, above them; empty if their columns say it. */
  counts: string;
  legend: string;
  /** Said if there is no row. */
  none: string;
}

const words = (): Readonly<Record<string, OutputWords>> => ({
  endgames: {
    name: say('Endgames'),
    counts: say('Counted are games in which exactly these pieces stood on the board, even for one move: a rook that is taken at once makes a drawn KR–K. The bar says who would have won with best play when they first stood there, not how the games ended.'),
    legend: say('Won and lost are for the side named first. What was thrown away counts moves, of the side named first and then of the other.'),
    none: say('No game comes to an endgame that the tables on this device know.'),
  },
  castlings: { name: say('Castling'), counts: '', legend: say('At which ply each side castled. The last row of a side counts the games in which it did not.'), none: say('No game matches.') },
  standings: {
    name: say('Crosstable'),
    counts: '',
    legend: say('Equal points are ordered by the Sonneborn-Berger score, then by wins. Against: the place of the opponent and the results.'),
    none: say('No game matches.'),
  },
  manoeuvres: {
    name: say('Manoeuvres'),
    counts: '',
    legend: say('The ways on which pieces came into play: their first two or three moves without a capture, within 60 plies. The most frequent come first.'),
    none: say('No piece moved twice in these games.'),
  },
  features: {
    name: say('Features'),
    counts: '',
    legend: say('What stands on the board: at how many of the matching positions, and in how many of their games.'),
    none: say('No position matches.'),
  },
  novelties: {
    name: say('Novelties'),
    counts: '',
    legend: say('By date, the first game with each new move in a position that ten of these games had had before, within 40 plies. Those of the strongest players come first.'),
    none: say('No game has a new move in a position that ten of these games had before.'),
  },
});

const columnWords = (): Readonly<Record<string, string>> => ({
  material: say('Endgame'),
  feature: say('Feature'),
  games: say('Games'),
  positions: say('Positions'),
  unknown: say('Not known'),
  first_threw_away_win: say('Wins thrown away'),
  first_threw_away_draw: say('Draws thrown away'),
  second_threw_away_win: say('Wins thrown away by the other side'),
  second_threw_away_draw: say('Draws thrown away by the other side'),
  side: say('Side'),
  ply: say('Ply'),
  move: say('Move'),
  first_game: say('First game'),
  manoeuvre: say('Manoeuvre'),
  rank: say('Place'),
  player: say('Player'),
  points: say('Points'),
  sonneborn_berger: say('Sonneborn-Berger'),
  rating: say('Rating'),
  performance: say('Performance'),
  against: say('Against'),
  games_before: say('Games before'),
  games_after: say('Games after'),
  date: say('Date'),
});

const sideWords = (): Readonly<Record<string, string>> => ({ white: say('White'), black: say('Black') });

const spaced = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

/** The name of an output; an output that this page does not know has the engine's. */
export function outputInWords(name: string): OutputWords {
  return words()[name] ?? { name: spaced(name), counts: '', legend: '', none: say('No game has anything to list here.') };
}

export function columnInWords(name: string): string {
  return columnWords()[name] ?? spaced(name);
}

/** A column as it is shown; three columns of results are one bar. */
export type ShownColumn = { kind: 'bar'; name: string; columns: readonly [ResultColumn, ResultColumn, ResultColumn] } | { kind: 'cell'; name: string; column: ResultColumn };

/** The columns to show: conditions are where other cells lead to, and the ply of a game is shown with it. */
export function shownColumns(table: ResultTable): ShownColumn[] {
  const shown: ShownColumn[] = [];
  for (const [at, column] of table.columns.entries()) {
    const [, draws, losses] = table.columns.slice(at);
    const isFirst = table.columns[at - 1]?.kind !== 'results';
    if (column.kind === 'results' && isFirst && draws?.kind === 'results' && losses?.kind === 'results') shown.push({ kind: 'bar', name: column.name === 'white' ? say('Result') : say('Won, drawn, lost'), columns: [column, draws, losses] });
    else if (!['results', 'condition', 'ply', 'year'].includes(column.kind) || (column.kind === 'ply' && table.columns[at - 1]?.kind !== 'game')) shown.push({ kind: 'cell', name: columnInWords(column.name), column });
  }
  return shown;
}

/** The cell of a column; NaN and an empty text are unknown. */
export function cellOf(column: ResultColumn, row: number): number | string {
  return column.cells[row] ?? '';
}

export function cellInWords(column: ResultColumn, row: number): string {
  const cell = cellOf(column, row);
  if (typeof cell === 'string') return textInWords(column.name, cell);
  if (Number.isNaN(cell)) return '–';
  return column.kind === 'number' || column.kind === 'game' ? String(cell) : count(cell);
}

function textInWords(column: string, text: string): string {
  if (column === 'material') return materialName(text);
  if (column === 'feature') return spaced(patternInWords(text));
  return sideWords()[text] ?? text;
}

/** The query of the games behind a cell; empty if there is none. */
export function conditionOf(table: ResultTable, column: ResultColumn, row: number): string {
  const named = (name: string) => table.columns.find((other) => other.name === name && other.kind === 'condition');
  const condition = named(`${column.name}_condition`) ?? (table.columns[0] === column ? named('condition') : undefined);
  return condition && cellOf(column, row) !== 0 ? String(cellOf(condition, row)) : '';
}

/** The game and the ply of a cell, if it is the number of a game: from 0, as views take them. */
export function gameOf(table: ResultTable, column: ResultColumn, row: number): { id: number; ply: number } | null {
  const game = cellOf(column, row);
  if (column.kind !== 'game' || typeof game !== 'number' || Number.isNaN(game)) return null;
  const next = table.columns[table.columns.indexOf(column) + 1];
  return { id: game - 1, ply: next?.kind === 'ply' ? Number(cellOf(next, row)) : 0 };
}

/** The rows in the order of a column, the largest first; without one, in their own order. */
export function orderedRows(table: ResultTable, column: ResultColumn | null): number[] {
  const rows = Array.from({ length: table.rows }, (_, row) => row);
  if (!column) return rows;
  const number = (row: number) => Number(cellOf(column, row)) || 0;
  return rows.sort((one, two) => number(two) - number(one));
}
