// The lines of games by year: which years make a period, and what the engine is asked for them.
import { describe, expect, it } from 'vitest';
import type { EngineClient } from '../src/engine/client';
import { WHOLE_CORPUS } from '../src/state/search.svelte';
import { byPeriod, lineInWords, periodsOf, yearLines } from '../src/state/yearlines';
import { result } from './results';

describe('periods', () => {
  it('are years, those without games too', () => {
    const periods = periodsOf([2001, 1999, 2001]);
    expect(periods.map(({ from, to }) => [from, to])).toEqual([[1999, 1999], [2000, 2000], [2001, 2001]]);
    expect(byPeriod(periods, [2001, 1999, 2001])).toEqual([1, 0, 2]);
  });

  it('join more years than a small line can show, at round years', () => {
    const periods = periodsOf([1834, 2021]);
    expect([periods.length, periods[0], periods.at(-1)]).toEqual([39, { from: 1834, to: 1834 }, { from: 2020, to: 2021 }]);
    for (let span = 3; span < 600; span++) {
      const some = periodsOf([1500, 1500 + span - 1]);
      expect(some.length).toBeLessThanOrEqual(48);
    }
  });

  it('need three years', () => {
    expect([periodsOf([]), periodsOf([2000, 2001])]).toEqual([[], []]);
  });
});

it('a line says its years and its peak', () => {
  expect(lineInWords(periodsOf([1999, 2001]), [1, 0, 2])).toBe('Games by year, 1999 to 2001: most in 2001, 2 games');
  expect(lineInWords(periodsOf([1950, 2020]), [3, 1, ...Array(34).fill(0)])).toBe('Games by year, 1950 to 2020: most in 1950–1951, 3 games');
});

it('the engine counts the years, then the key in each period', async () => {
  const asked: unknown[] = [];
  const years: Record<string, string[]> = { year: ['?', '1999', '2001'], 'queens_off & year 1999..1999': ['A'], 'queens_off & year 2000..2000': [], 'queens_off & year 2001..2001': ['A', 'B'] };
  const call = async (method: string, params: { query: string; condition: string; question: { query: string; within: string }; outputs: { key: string } }) => {
    if (method === 'compose') return { together: null, apart: `${params.query} & ${params.condition}` };
    const { question, outputs } = params;
    asked.push([question.query, question.within, outputs.key]);
    const names = years[outputs.key === 'year' ? 'year' : question.query] ?? [];
    return { ...result(), groups: { key: outputs.key, ordered: false, distinct: 0, positions: 0, groups: names.map((name, nth) => ({ name, positions: 1, games: nth + 1, white: 0, draw: 0, black: 0, condition: null })) } };
  };
  const { periods, games } = await yearLines({ call } as unknown as EngineClient, { ...WHOLE_CORPUS, query: 'queens_off', within: 'mine' }, 'opening', new AbortController().signal);
  expect(periods).toHaveLength(3);
  expect([...games]).toEqual([['A', [1, 0, 1]], ['B', [0, 0, 2]]]);
  expect(asked[0]).toEqual(['queens_off', 'mine', 'year']);
  expect(asked).toHaveLength(4);
});
