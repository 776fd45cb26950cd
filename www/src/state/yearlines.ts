// How many games each value of a count has in the course of the years, for a small line beside it. The engine counts by one key, so
// each period is a run of its own; together they look at each game once.
import type { EngineClient } from '../engine/client';
import type { Question } from '../engine/protocol';
import { say } from './say';
import { NO_OUTPUTS } from './search.svelte';
import { counted } from './words';

/** The most periods of a line; more years are joined by twos, fives and so on. */
const MOST_PERIODS = 48;
/** Fewer periods are no line. */
const LEAST_PERIODS = 3;

/** Years from one to another, both included. */
export interface Period {
  from: number;
  to: number;
}

export interface YearLines {
  periods: readonly Period[];
  /** The games of each value by period. */
  games: ReadonlyMap<string, readonly number[]>;
}

/** The periods from the first to the last of some years, with those in which nothing was played; none if there are too few. */
export function periodsOf(years: readonly number[]): Period[] {
  const [first, last] = [Math.min(...years), Math.max(...years)];
  const span = last - first + 1;
  if (!(span >= LEAST_PERIODS)) return [];
  const width = [1, 2, 5, 10, 20, 50].find((one) => span / one <= MOST_PERIODS - 1) ?? 100;
  const begin = Math.floor(first / width) * width;
  return Array.from({ length: Math.floor((last - begin) / width) + 1 }, (_, nth) => ({ from: Math.max(first, begin + nth * width), to: Math.min(last, begin + (nth + 1) * width - 1) }));
}

/** How many of some years fall in each period. */
export function byPeriod(periods: readonly Period[], years: readonly number[]): number[] {
  return periods.map(({ from, to }) => years.filter((year) => year >= from && year <= to).length);
}

/** `Games by year, 1972 to 2021: most in 1978–1979, 34 games`. */
export function lineInWords(periods: readonly Period[], games: readonly number[]): string {
  const most = Math.max(...games);
  const peak = periods[games.indexOf(most)];
  if (!peak) return '';
  const when = peak.from === peak.to ? String(peak.from) : `${peak.from}–${peak.to}`;
  return say(`Games by year, ${periods[0]?.from} to ${periods.at(-1)?.to}: most in ${when}, ${counted(most, ['# game', '# games'])}`);
}

/** The lines of the values of a key, as far as the engine lists them. */
export async function yearLines(client: EngineClient, question: Question, key: string, signal: AbortSignal): Promise<YearLines> {
  const groupsBy = async (query: string, by: string) => (await client.call('query', { question: { ...question, query }, outputs: { ...NO_OUTPUTS, key: by } }, { signal })).groups?.groups ?? [];
  const years = (await groupsBy(question.query, 'year')).map(({ name }) => Number(name)).filter((year) => year > 0);
  const periods = periodsOf(years);
  const games = new Map<string, number[]>();
  for (const [at, { from, to }] of periods.entries()) {
    const { together, apart } = await client.call('compose', { query: question.query, condition: `year ${from}..${to}` }, { signal });
    for (const group of await groupsBy(together ?? apart, key)) {
      const line = games.get(group.name) ?? periods.map(() => 0);
      games.set(group.name, line);
      line[at] = group.games;
    }
  }
  return { periods, games };
}
