// The page of one's own: what is counted from headers, the runs, the rating over time, and what came since the last import.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { headerTables, runsOf } from '../src/state/mine';
import { figuresOf, newsSince, visit } from '../src/state/lastimport';
import { daysOf, monthOf, type OwnGame } from '../src/state/owngames';
import { ratingAxis, ratingLines, timeMarks } from '../src/state/ratings';

const game = (id: number, one: Partial<OwnGame> = {}): OwnGame => ({ id, side: 'white', result: 'won', opponent: 'Ole', elo: 1800, opponentElo: 1800, date: '2024.05.01', timeClass: 'blitz', plies: 60, ...one });
const table = (games: readonly OwnGame[], title: string) => headerTables(games, 'Nora').find((one) => one.title === title)?.rows ?? [];

describe('what headers say is counted', () => {
  it('by month, the latest first, with the question of its games', () => {
    const rows = table([game(0, { date: '2023.12.31' }), game(1, { date: '2024.??.??', result: 'lost' }), game(2, { date: '2024.01.05', result: 'drawn' }), game(3, { date: '' })], 'Months');
    expect(rows.map(({ name, games, share, query }) => [name, games, share, query])).toEqual([
      ['Jan 2024', 2, 0.25, '"Nora" and date 2024.01'],
      ['Dec 2023', 1, 1, '"Nora" and date 2023.12'],
    ]);
    const many = Array.from({ length: 40 }, (_, nth) => game(nth, { date: `${2020 + Math.floor(nth / 12)}.${String((nth % 12) + 1).padStart(2, '0')}.01` }));
    expect(table(many, 'Months')).toHaveLength(24);
  });

  it('by the opponent’s rating, the highest first', () => {
    const games = [0, 99, 100, 199, 200, -1, -100, -101, -200, -201].map((more, id) => game(id, { opponentElo: 1800 + more }));
    const rows = table([...games, game(99, { elo: 0 })], 'Opponents by rating');
    expect(rows.map(({ name, games: number }) => [name, number])).toEqual([
      ['200 or more above me', 1],
      ['100 to 199 above me', 2],
      ['0 to 99 above me', 2],
      ['1 to 100 below me', 2],
      ['101 to 200 below me', 2],
      ['more than 200 below me', 1],
    ]);
    expect(rows[1]?.query).toBe('(white "Nora" and black elo - white elo >= 100 and black elo - white elo < 200) or (black "Nora" and white elo - black elo >= 100 and white elo - black elo < 200)');
  });

  it('by colour, opponent and time class', () => {
    const games = [game(0), game(1, { side: 'black', result: 'lost', opponent: 'Pia', timeClass: '' }), game(2, { result: null })];
    expect(table(games, 'Score').map(({ query, won, lost, games: number }) => [query, won, lost, number])).toEqual([['"Nora"', 1, 1, 3], ['white "Nora"', 1, 0, 2], ['black "Nora"', 0, 1, 1]]);
    expect(table(games, 'Opponents').map(({ query }) => query)).toEqual(['"Nora" and "Ole"', '"Nora" and "Pia"']);
    expect(table(games, 'Time classes').map(({ name, query }) => [name, query])).toEqual([['blitz', '"Nora" and time_class blitz'], ['unknown', '"Nora" and time_class unknown']]);
  });
});

it('the longest runs are found in the order of the games', () => {
  const results = ['won', 'won', 'lost', 'drawn', 'won', 'won', 'won', 'lost'] as const;
  expect(runsOf(results.map((result, id) => game(id, { result })))).toEqual({ wins: { games: 3, first: 4, last: 6 }, unbeaten: { games: 4, first: 3, last: 6 } });
});

describe('the rating over time', () => {
  const years = (number: number, timeClass: string) => Array.from({ length: number }, (_, nth) => game(nth, { date: `${2000 + nth}.06.15`, elo: 1500 + 10 * nth, timeClass }));

  it('has a line for each time class with enough games, thinned', () => {
    const lines = ratingLines([...years(5, 'rapid'), ...years(2, 'bullet'), ...Array.from({ length: 300 }, (_, nth) => game(nth, { date: `2024.${String(1 + (nth % 12)).padStart(2, '0')}.${String(1 + (nth % 28)).padStart(2, '0')}` })).sort((one, two) => one.date.localeCompare(two.date)), game(0, { elo: 0 }), game(0, { date: '' })]);
    expect(lines.map(({ timeClass, games }) => [timeClass, games])).toEqual([['blitz', 300], ['rapid', 5]]);
    expect(lines[0]?.points.length).toBeLessThanOrEqual(61);
    expect(lines[1]?.points.map(({ elo }) => elo)).toEqual([1500, 1510, 1520, 1530, 1540]);
  });

  it('has round marks on both axes', () => {
    const points = ratingLines(years(5, 'rapid'))[0]?.points ?? [];
    expect(ratingAxis(points)).toEqual({ from: 1490, to: 1550, marks: [1500, 1520, 1540] });
    expect(timeMarks(points).map(({ text }) => text)).toEqual(['2001', '2002', '2003', '2004']);
    const months = ratingLines(['2024.01.20', '2024.02.20', '2024.03.20'].map((date, id) => game(id, { date })))[0]?.points ?? [];
    expect(timeMarks(months).map(({ text }) => text)).toEqual(['2024.02', '2024.03']);
  });
});

it('dates are read as queries read them', () => {
  expect([monthOf('2024.05.01'), monthOf('2024.??.??'), monthOf('')]).toEqual(['2024.05', '2024.01', '']);
  expect([daysOf('1970.01.02'), daysOf('1971.??.??'), daysOf('')]).toEqual([1, 365, null]);
});

describe('what came since the last import', () => {
  const before = [game(0, { elo: 1843 }), game(1, { date: '2024.05.12', elo: 1850, opponent: 'Pia' })];

  beforeEach(() => {
    const kept = new Map<string, string>();
    vi.stubGlobal('localStorage', { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value) });
  });

  it('is counted, with the change of ratings, and found by its date', () => {
    const news = newsSince(figuresOf(before), [...before, game(2, { date: '2024.05.13', result: 'lost', elo: 1861 }), game(3, { date: '2024.06.01', timeClass: 'rapid' })], 'Nora');
    expect(news).toEqual({ says: '2 new games since 12 May 2024: 1 won, 0 drawn, 1 lost; blitz 1850 → 1861', query: '"Nora" and date >= 2024.05.13' });
    expect(newsSince(figuresOf(before), before, 'Nora')).toBeNull();
    // An older game that came later is no news.
    expect(newsSince(figuresOf(before), [game(9, { date: '2020.01.01' }), ...before], 'Nora')).toBeNull();
  });

  it('may be of the same day', () => {
    const news = newsSince(figuresOf(before), [...before, game(2, { date: '2024.05.12', opponent: 'Quirin' })], 'Nora');
    expect(news?.says).toMatch(/^1 new game since/);
    expect(news?.query).toBe('"Nora" and date >= 2024.05.12');
  });

  it('is said until other games come, for each collection and name', () => {
    const after = [...before, game(2, { date: '2024.05.13' })];
    expect(visit('nora', 'Nora', before)).toBeNull();
    expect(visit('nora', 'Nora', before)).toBeNull();
    expect(visit('other', 'Nora', after)).toBeNull();
    expect(visit('nora', 'Pia', after)).toBeNull();
    expect(visit('nora 2', 'Nora', after)?.says).toMatch(/^1 new game/);
    expect(visit('nora 2', 'Nora', after)?.says).toMatch(/^1 new game/);
    localStorage.setItem('plyfold.mine', '{"damaged');
    expect(visit('nora', 'Nora', after)).toBeNull();
  });
});
