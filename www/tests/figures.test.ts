// The engine's figures: nothing that a small corpus makes meaningless.
import { expect, it } from 'vitest';
import type { QueryResult } from '../src/engine/protocol';
import { enginesFigures } from '../src/state/figures';

const threads = { build: 'threads' as const, threads: 4, reason: '' };
const result = (of: Partial<QueryResult>) => ({ games_total: 206_000, plies_total: 16_400_000, plies_looked_at: 1_640_000, elapsed_ms: 40, memory_bytes: 0, ...of }) as QueryResult;
const values = (of: Partial<QueryResult>) => Object.fromEntries(enginesFigures(threads, result(of)).map(({ name, value }) => [name, value]));

it('groups digits', () => {
  expect(values({ memory_bytes: 120_000_000 })).toEqual({
    Searched: '206,000 games, 16,400,000 positions',
    Replayed: '1,640,000 positions (10 %)',
    Speed: '410,000,000 positions a second',
    Memory: '120.0 MB',
    Threads: '4 threads',
  });
});

it('tells no speed of a small corpus, and no share if nothing was replayed', () => {
  expect(values({ games_total: 3, plies_total: 27, plies_looked_at: 0 })).toEqual({ Searched: '3 games, 27 positions', Threads: '4 threads' });
});

it('says why there is one thread, before there is a result', () => {
  expect(enginesFigures({ build: 'single', threads: 1, reason: 'The host sends no headers.' }, null)).toEqual([{ name: 'Threads', value: '1 thread: The host sends no headers.', test: 'badge' }]);
});
