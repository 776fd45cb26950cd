// Counts: the places of bars and the order of rows.
import { describe, expect, it } from 'vitest';
import type { Group } from '../src/engine/protocol';
import { axisMarks, axisNumbers, bars, scoreOf, sorted } from '../src/state/counts';

function group(name: string, positions: number, white = 0, draw = 0, black = 0): Group {
  return { name, positions, games: white + draw + black, white, draw, black, unknown: 0, condition: null };
}

describe('bars', () => {
  const places = (names: string[]) => bars(names.map((name) => group(name, 1)));
  it('leave room for values that do not occur', () => {
    const drawn = places(['2000', '2100', '2400']);
    expect([drawn.places, drawn.bars.map((bar) => bar.at)]).toEqual([5, [0, 1, 4]]);
    expect(places(['-2', '3']).places).toBe(2);
    expect(places(['-2', '-1', '3']).places).toBe(6);
  });
  it('stand side by side where that is too much, or no number', () => {
    expect(places(['0', '1', '9999']).places).toBe(3);
    expect(places(['unknown', '2', '4']).places).toBe(3);
    expect(places(['7']).places).toBe(1);
    expect(places([]).places).toBe(0);
  });
});

describe('axes', () => {
  const marks = (names: string[], most: number) => axisMarks(bars(names.map((name) => group(name, 1))), most).map(({ at, text }) => [at, text]);
  it('have round numbers at the places of the values, also where a value does not occur', () => {
    expect(marks(['1987', '1990', '1991', '1995', '2003'], 5)).toEqual([[3, '1990'], [8, '1995'], [13, '2000']]);
    expect(marks(['2000', '2100', '2400'], 9)).toEqual([[0, '2000'], [1, '2100'], [2, '2200'], [3, '2300'], [4, '2400']]);
  });
  it('show the unknown value apart from the numbers', () => {
    expect(bars(['?', '2001', '2002'].map((name) => group(name, 1))).bars.map((bar) => bar.at)).toEqual([0, 2, 3]);
    expect(marks(['?', '2001', '2002'], 4)).toEqual([[0, '?'], [2, '2001'], [3, '2002']]);
  });
  it('have at most so many marks', () => {
    const years = Array.from({ length: 160 }, (_, nth) => String(1860 + nth));
    for (const most of [2, 3, 5, 8, 14]) expect(marks(years, most).length).toBeLessThanOrEqual(most);
    expect(marks(['a', 'b', 'c', 'd'], 2)).toEqual([[0, 'a'], [2, 'c']]);
  });
  it('begin at 0 and reach the highest bar', () => {
    expect(axisNumbers(1234)).toEqual([0, 500, 1000, 1500]);
    for (const highest of [0, 1, 2, 3, 7, 99, 100, 130_477]) {
      const numbers = axisNumbers(highest);
      expect([numbers[0], (numbers.at(-1) ?? 0) >= highest, numbers.length < 9]).toEqual([0, true, true]);
    }
  });
});

it('scores count draws as half, and games without a result not at all', () => {
  expect(scoreOf({ white: 1, draw: 2, black: 1 })).toBe(50);
  expect(scoreOf({ white: 3, draw: 0, black: 1 })).toBe(75);
  expect(scoreOf({ white: 0, draw: 0, black: 0 })).toBeNull();
});

it('rows sort by each column, either way', () => {
  const groups = { key: 'x', ordered: false, distinct: 3, positions: 0, groups: [group('B10', 9, 1), group('B2', 30, 0, 0, 4), group('A', 5, 0, 9)] };
  const names = (column: Parameters<typeof sorted>[1], descending: boolean) => sorted(groups, column, descending).map((one) => one.name);
  expect(names('value', false)).toEqual(['A', 'B2', 'B10']);
  expect(names('positions', true)).toEqual(['B2', 'B10', 'A']);
  expect(names('games', false)).toEqual(['B10', 'B2', 'A']);
  expect(names('score', true)).toEqual(['B10', 'A', 'B2']);
  expect(sorted({ ...groups, ordered: true }, 'value', true).map((one) => one.name)).toEqual(['A', 'B2', 'B10']);
});
