// The tables of outputs: which columns are shown, what a cell says, and where it leads.
import { expect, test } from 'vitest';
import type { ResultTable } from '../src/engine/protocol';
import { cellInWords, conditionOf, gameOf, orderedRows, outputInWords, shownColumns } from '../src/state/outputs';
import { isTable } from '../src/state/tableoutputs';
import { byRows } from '../src/state/tables';

const numbers = (...cells: number[]) => Float64Array.from(cells);

const TABLE: ResultTable = {
  output: 'some_output',
  rows: 2,
  distinct: 5,
  columns: [
    { name: 'side', kind: 'text', cells: ['white', 'black'] },
    { name: 'ply', kind: 'count', cells: numbers(7, NaN) },
    { name: 'games', kind: 'count', cells: numbers(1200, 3400) },
    { name: 'white', kind: 'results', cells: numbers(700, 1) },
    { name: 'draw', kind: 'results', cells: numbers(100, 2) },
    { name: 'black', kind: 'results', cells: numbers(400, 3) },
    { name: 'unknown', kind: 'results', cells: numbers(0, 0) },
    { name: 'thrown', kind: 'count', cells: numbers(0, 4) },
    { name: 'last_played', kind: 'date', cells: ['2024.05.01', ''] },
    { name: 'last_year', kind: 'year', cells: numbers(2024, NaN) },
    { name: 'first_game', kind: 'game', cells: numbers(3, 12345) },
    { name: 'first_ply', kind: 'ply', cells: numbers(0, 9) },
    { name: 'condition', kind: 'condition', cells: ['white castles at ply 7', ''] },
    { name: 'thrown_condition', kind: 'condition', cells: ['threw_away', 'threw_away'] },
  ],
};

const column = (name: string) => TABLE.columns.find((one) => one.name === name)!;

test('results are one bar, and conditions, plies and years are not columns of their own', () => {
  const shown = shownColumns(TABLE);
  expect(shown.map(({ kind, name }) => [kind, name])).toEqual([
    ['cell', 'Side'],
    ['cell', 'Ply'],
    ['cell', 'Games'],
    ['bar', 'Result'],
    ['cell', 'Thrown'],
    ['cell', 'Last played'],
    ['cell', 'First game'],
  ]);
});

test('a cell says what it is, and what is unknown', () => {
  expect(['side', 'ply', 'games', 'first_game', 'last_played'].map((name) => cellInWords(column(name), 1))).toEqual(['Black', '–', '3,400', '12345', '']);
});

test('the first cell of a row and a number lead to their games', () => {
  expect([0, 1].map((row) => conditionOf(TABLE, column('side'), row))).toEqual(['white castles at ply 7', '']);
  // Behind a 0 there is no game.
  expect([0, 1].map((row) => conditionOf(TABLE, column('thrown'), row))).toEqual(['', 'threw_away']);
  expect(conditionOf(TABLE, column('games'), 0)).toBe('');
  expect([0, 1].map((row) => gameOf(TABLE, column('first_game'), row))).toEqual([{ id: 2, ply: 0 }, { id: 12344, ply: 9 }]);
  expect(gameOf(TABLE, column('games'), 0)).toBeNull();
});

test('rows are ordered by a number, the largest first', () => {
  expect(orderedRows(TABLE, null)).toEqual([0, 1]);
  expect(orderedRows(TABLE, column('games'))).toEqual([1, 0]);
  expect(orderedRows(TABLE, column('ply'))).toEqual([0, 1]);
});

test('an output that the page does not know has the name of the engine', () => {
  expect(outputInWords('some_output').name).toBe('Some output');
  expect(['heatmap', 'some_output'].map(isTable)).toEqual([false, true]);
});

test('a file has null for what is unknown', () => {
  const { columns, rows } = byRows(TABLE);
  expect(columns).toHaveLength(TABLE.columns.length);
  expect(rows[1]).toEqual(['black', null, 3400, 1, 2, 3, 0, 4, null, null, 12345, 9, null, 'threw_away']);
});
