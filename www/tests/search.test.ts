// The search with an engine that the test controls: its requests, and the results that it keeps or drops.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import type { Groups, Methods, NextMoves, Port, QueryResult, Request } from '../src/engine/protocol';
import { Search } from '../src/state/search.svelte';

const RESULT: QueryResult = {
  games_total: 10,
  plies_total: 800,
  games: 2,
  positions: 5,
  plies_looked_at: 80,
  elapsed_ms: 1,
  memory_bytes: 0,
  ids: Uint32Array.of(3, 7),
  heatmap: null,
  structures: [],
  structures_total: 0,
  hits: [],
  next: null,
  groups: null,
  table: null,
  unknown: null,
};

const NEXT: NextMoves = { games: 2, white: 1, draw: 0, black: 1, unknown: 0, positions: 5, moves: [] };
const GROUPS: Groups = { key: '', ordered: true, distinct: 0, positions: 5, groups: [] };

/** Replies to each request with the result of `play`, after `delay_ms`. */
class PlayedPort implements Port {
  onmessage: Port['onmessage'] = null;
  onerror: Port['onerror'] = null;
  readonly asked: Request[] = [];
  private readonly play: (request: Request) => { result: Methods[keyof Methods]['result']; delay_ms?: number };
  constructor(play: PlayedPort['play']) {
    this.play = play;
  }
  postMessage(request: Request): void {
    this.asked.push(request);
    const { result, delay_ms = 0 } = this.play(request);
    setTimeout(() => this.onmessage?.({ data: { number: request.number, state: 'done', result } }), delay_ms);
  }
  terminate(): void {}
}

function search(play: (request: Request) => { result: Methods[keyof Methods]['result']; delay_ms?: number }) {
  const port = new PlayedPort(play);
  return { port, search: new Search(new EngineClient(() => port)) };
}

/** An engine that reports one bad word and replies to everything else. */
const plain = (request: Request): { result: Methods[keyof Methods]['result']; delay_ms?: number } => {
  if (request.method === 'check') {
    const bad = request.params.query.includes('nonsense');
    return { result: bad ? { message: 'unknown name `nonsense`', from: 0, to: 8, expected: [], nearest: '', id: '', arguments: [] } : null };
  }
  if (request.method === 'query') {
    const { heatmap, structures, next, key } = request.params.outputs;
    return {
      result: { ...RESULT, heatmap: heatmap ? new Float64Array(768) : null, structures: structures > 0 ? [{ white: '0', black: '0', count: 5, condition: '' }] : [], next: next ? NEXT : null, groups: key ? { ...GROUPS, key } : null },
      delay_ms: request.params.question.query === 'slow' ? 500 : 5,
    };
  }
  if (request.method === 'sort') return { result: Uint32Array.of(7, 3) };
  return { result: [] };
};

const methods = (port: PlayedPort) => port.asked.map((request) => request.method).filter((method) => method !== 'conditions');

describe('search', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('runs after a pause in typing, once', async () => {
    const { port, search: one } = search(plain);
    for (const text of ['q', 'qu', 'queens_off']) {
      one.typed(text);
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(methods(port)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(methods(port)).toEqual(['check', 'query']);
    expect(one.answered).toBe('queens_off');
    expect([...one.order]).toEqual([3, 7]);
  });

  it('keeps the last answer while the text is wrong', async () => {
    const { port, search: one } = search(plain);
    one.typed('check');
    await vi.runAllTimersAsync();
    one.typed('nonsense');
    await vi.runAllTimersAsync();
    expect(one.problem).toMatchObject({ from: 0, to: 8 });
    expect(one.answered).toBe('check');
    expect(one.result?.games).toBe(2);
    expect(methods(port).filter((method) => method === 'query')).toHaveLength(1);
  });

  it('drops a late answer to an older question', async () => {
    const { search: one } = search(plain);
    one.typed('slow');
    await vi.advanceTimersByTimeAsync(400);
    expect(one.running).toBe(true);
    one.typed('check');
    await vi.runAllTimersAsync();
    expect(one.answered).toBe('check');
    expect(one.running).toBe(false);
  });

  it('asks again for a tab whose answer was not collected, and only then', async () => {
    const { port, search: one } = search(plain);
    one.typed('check');
    await vi.runAllTimersAsync();
    for (const tab of ['heatmap', 'games', 'heatmap', 'structures'] as const) {
      void one.show(tab);
      await vi.runAllTimersAsync();
    }
    const outputs = port.asked.flatMap((request) => (request.method === 'query' ? [request.params.outputs] : []));
    expect(outputs.map(({ heatmap, structures }) => [heatmap, structures > 0])).toEqual([
      [false, false],
      [true, false],
      [false, true],
    ]);
  });

  it('counts by a key, once each, and says what is no key', async () => {
    const { port, search: one } = search((request) => {
      if (request.method === 'checkKey' && request.params.key === 'mov') return { result: { message: '`mov` is not a key to group by', from: 0, to: 3, expected: [], nearest: 'move', id: '', arguments: [] } };
      return request.method === 'checkKey' ? { result: null } : plain(request);
    });
    one.typed('check');
    await vi.runAllTimersAsync();
    void one.show('counts');
    await vi.runAllTimersAsync();
    for (const key of ['year', 'year', 'mov', 'structure', 'year']) {
      void one.countBy(key);
      await vi.runAllTimersAsync();
      expect(one.keyTrouble).toBe(key === 'mov' ? 'mov is not a key to group by; did you mean move?' : '');
    }
    const keys = port.asked.flatMap((request) => (request.method === 'query' ? [request.params.outputs.key] : []));
    expect(keys).toEqual(['', 'move', 'year', 'structure', 'year']);
  });

  it('runs without a query on all games and on some, and again when they are others', async () => {
    const { port, search: one } = search(plain);
    expect(one.isAnswered()).toBe(false);
    void one.run();
    await vi.runAllTimersAsync();
    expect(one.isAnswered()).toBe(true);
    one.within = '@a';
    void one.run();
    await vi.runAllTimersAsync();
    expect(one.isAnswered()).toBe(true);
    one.parts = [{ by: 'value', key: 'year', value: '1985' }];
    expect(one.isAnswered()).toBe(false);
    void one.run();
    await vi.runAllTimersAsync();
    const questions = port.asked.flatMap((request) => (request.method === 'query' ? [request.params.question] : []));
    expect(questions).toEqual([
      { query: '', within: '', parts: [], everywhere: false },
      { query: '', within: '@a', parts: [], everywhere: false },
      { query: '', within: '@a', parts: [{ by: 'value', key: 'year', value: '1985' }], everywhere: false },
    ]);
  });

  it('sorts by a column, then the other way round', async () => {
    const { port, search: one } = search(plain);
    one.typed('check');
    await vi.runAllTimersAsync();
    for (const _ of [1, 2]) {
      void one.sortBy('white');
      await vi.runAllTimersAsync();
    }
    const sorts = port.asked.flatMap((request) => (request.method === 'sort' ? [request.params.descending] : []));
    expect(sorts).toEqual([false, true]);
    expect([...one.order]).toEqual([7, 3]);
  });

  it('fetches a row once', async () => {
    const { port, search: one } = search(plain);
    void one.want([1, 2]);
    void one.want([2, 3]);
    await vi.runAllTimersAsync();
    const ids = port.asked.flatMap((request) => (request.method === 'rows' ? request.params.ids : []));
    expect(ids).toEqual([1, 2, 3]);
  });

  it('forgets everything for another corpus', async () => {
    const { search: one } = search(plain);
    one.typed('check');
    await vi.runAllTimersAsync();
    one.reset();
    expect([one.result, one.answered, one.order.length, one.text]).toEqual([null, '', 0, 'check']);
  });
});
