// The search with an engine that fails, is late, or replies out of order.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import { Search } from '../src/state/search.svelte';
import { Hand } from './hand';
import { result, row } from './results';

let port: Hand;
let client: EngineClient;
beforeEach(() => {
  port = new Hand();
  client = new EngineClient(() => port);
  vi.stubGlobal('navigator', {});
});
afterEach(() => void vi.unstubAllGlobals());

describe('the search', () => {
  const search = async () => {
    const one = new Search(client);
    one.text = 'check';
    void one.run();
    await port.next('check', null);
    await port.next('query', result(3, 7));
    return one;
  };

  it('says what failed, keeps the last answer, and is quiet after the next', async () => {
    const one = await search();
    one.text = 'castled';
    void one.run();
    await port.next('check', null);
    await port.fail(port.open('query')[0] ?? -1, 'out of memory');
    expect([one.trouble, one.answered, one.result?.games, one.running, one.pending]).toEqual(['Out of memory.', 'check', 2, false, false]);
    void one.run();
    await port.next('check', null);
    await port.next('query', result(1));
    expect([one.trouble, one.answered, one.result?.games]).toEqual(['', 'castled', 1]);
  });

  it('says whether the result is of another text', async () => {
    const one = await search();
    expect(one.isStale).toBe(false);
    one.text = 'nonsense';
    void one.run();
    expect(one.isStale).toBe(false);
    await port.next('check', { message: 'unknown', from: 0, to: 8, expected: [], nearest: '', id: '', arguments: [] });
    expect([one.isStale, one.has('games'), one.has('heatmap')]).toEqual([true, true, false]);
    one.text = 'check';
    void one.run();
    await port.next('check', null);
    await port.next('query', result(1));
    expect(one.isStale).toBe(false);
  });

  it('does not underline a text for the mistake of another', async () => {
    const one = await search();
    one.text = 'nonsense';
    void one.run();
    await port.next('check', { message: 'unknown', from: 0, to: 8, expected: [], nearest: '', id: '', arguments: [] });
    one.text = 'castled';
    void one.run();
    await port.fail(port.open('check')[0] ?? -1);
    expect([one.problem, one.trouble]).toEqual([null, 'The engine failed.']);
  });

  it('reads plain words, asks their query, and reads the same words once', async () => {
    const one = await search();
    const words = { message: 'unknown', from: 0, to: 6, expected: [], nearest: '', id: '' as const, arguments: [], areWords: true };
    const phrase = { query: 'loser "Karpov*"', understood: [{ from: 0, to: 11, meaning: 'loser "Karpov*"', notes: [] }], unknown: [], others: [] };
    one.text = 'Karpov lost';
    void one.run();
    await port.next('check', words);
    await port.next('readPhrase', phrase);
    await port.next('query', result(2));
    expect([one.text, one.words, one.query, one.answered, one.question.query, one.problem, one.isStale]).toEqual(['Karpov lost', 'Karpov lost', 'loser "Karpov*"', 'loser "Karpov*"', 'loser "Karpov*"', null, false]);
    void one.run();
    await Promise.resolve();
    await port.next('query', result(2));
    expect(port.open('check')).toEqual([]);
    // Another text is none of these words.
    one.text = 'queens_off';
    expect([one.words, one.query]).toEqual(['', 'queens_off']);
  });

  it('shows the mistake of words of which none is understood', async () => {
    const one = await search();
    one.text = 'frobnicate';
    void one.run();
    await port.next('check', { message: 'unknown', from: 0, to: 10, expected: [], nearest: '', id: '' as const, arguments: [], areWords: true });
    await port.next('readPhrase', { query: '', understood: [], unknown: [{ from: 0, to: 10 }], others: [] });
    expect([one.problem?.message, one.reading, one.query]).toEqual(['unknown', null, 'frobnicate']);
  });

  it('keeps what the words of a link meant', async () => {
    const one = await search();
    const words = { message: '', from: 0, to: 3, expected: [], nearest: '', id: '' as const, arguments: [], areWords: true };
    one.take('opening "benoni"', 'Benoni');
    expect([one.text, one.query]).toEqual(['Benoni', 'opening "benoni"']);
    void one.run();
    await port.next('check', words);
    await port.next('readPhrase', { query: 'benoni_structure', understood: [], unknown: [], others: [] });
    // The words mean something else by now: the query stands, without them.
    await port.next('check', null);
    await port.next('query', result(1));
    expect([one.text, one.words, one.answered]).toEqual(['opening "benoni"', '', 'opening "benoni"']);
    one.take('opening "benoni"', 'Benoni');
    void one.run();
    await port.next('check', words);
    await port.next('readPhrase', { query: 'opening "benoni"', understood: [], unknown: [], others: [] });
    await port.next('query', result(1));
    expect([one.text, one.words, one.answered]).toEqual(['Benoni', 'Benoni', 'opening "benoni"']);
  });

  it('is pending from the first letter until the answer is there', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const one = new Search(client);
    one.typed('check');
    expect(one.pending).toBe(true);
    vi.runAllTimers();
    vi.useRealTimers();
    await port.next('check', null);
    expect([one.pending, one.running]).toEqual([true, true]);
    await port.next('query', result(1));
    expect(one.pending).toBe(false);
    one.typed('check and');
    one.cancel();
    expect(one.pending).toBe(false);
  });

  it('drops an older answer that comes after a newer one', async () => {
    const one = await search();
    for (const text of ['old', 'new']) {
      one.text = text;
      void one.run();
      await port.answer(port.open('check').at(-1) ?? -1, null);
    }
    const [older = -1, newer = -1] = port.open('query');
    await port.answer(newer, result(1));
    await port.answer(older, result(1, 2, 3));
    expect([one.answered, one.result?.games]).toEqual(['new', 1]);
  });

  it('drops an answer for a corpus that was left, and rows of its games', async () => {
    const one = await search();
    void one.want([3, 7]);
    void one.run();
    await port.next('check', null);
    one.reset();
    void one.want([3]);
    const [before = -1, now = -1] = port.open('rows');
    await port.answer(now, [row(3, 'of this corpus')]);
    await port.answer(before, [row(3, 'of the one before'), row(7)]);
    await port.next('query', result(1));
    expect([one.result, one.rows.get(3)?.white, one.rows.size]).toEqual([null, 'of this corpus', 1]);
  });

  it('asks again for rows that failed, of those alone', async () => {
    const one = await search();
    void one.want(Array.from({ length: 150 }, (_, id) => id));
    await port.next('rows', Array.from({ length: 100 }, (_, id) => row(id)));
    await port.fail(port.open('rows')[0] ?? -1);
    void one.want([5, 120]);
    expect(port.asked.at(-1)?.params).toEqual({ ids: [120] });
  });

  it('sorts what is shown, and not what was', async () => {
    const one = await search();
    void one.sortBy('white');
    one.text = 'castled';
    void one.run();
    await port.next('check', null);
    await port.next('query', result(1, 2));
    const [old = -1, now = -1] = port.open('sort');
    await port.answer(now, Uint32Array.of(2, 1));
    await port.answer(old, Uint32Array.of(7, 3));
    expect([...one.order]).toEqual([2, 1]);
  });

  it('sorts by what was clicked last', async () => {
    const one = await search();
    void one.sortBy('white');
    void one.sortBy('date');
    await port.answer(port.open('sort')[1] ?? -1, Uint32Array.of(7, 3));
    await port.answer(port.open('sort')[0] ?? -1, Uint32Array.of(3, 7));
    expect([one.sortKey, ...one.order]).toEqual(['date', 7, 3]);
  });

  it('says that it could not sort, and shows the order that there is', async () => {
    const one = await search();
    const sorted = one.sortBy('white');
    await port.fail(port.open('sort')[0] ?? -1);
    await sorted;
    expect([one.sortKey, one.descending, one.trouble, ...one.order]).toEqual(['number', false, 'The engine failed.', 3, 7]);
  });

  it('says of the key that was chosen last what is wrong with it', async () => {
    const one = await search();
    void one.show('counts');
    void one.countBy('first');
    void one.countBy('second');
    await port.answer(port.open('checkKey')[1] ?? -1, { message: 'no key', from: 0, to: 1, expected: [], nearest: '', id: '', arguments: [] });
    await port.fail(port.open('checkKey')[0] ?? -1);
    expect([one.key, one.keyTrouble]).toEqual(['second', 'No key.']);
  });

  it('collects for the tab that was chosen while it ran', async () => {
    const one = await search();
    one.text = 'castled';
    void one.run();
    await port.next('check', null);
    void one.show('heatmap');
    await port.next('query', result(1));
    expect(one.pending).toBe(true);
    await port.next('check', null);
    expect(port.asked.at(-1)?.params).toMatchObject({ outputs: { heatmap: true } });
    await port.next('query', { ...result(1), heatmap: new Float64Array(768) });
    expect([one.pending, port.open('query'), one.result?.heatmap?.length]).toEqual([false, [], 768]);
  });

  it('is pending while a key is looked at, and runs what that stopped', async () => {
    const one = await search();
    void one.show('counts');
    await port.next('check', null);
    await port.next('query', { ...result(1), groups: { key: 'move', ordered: true, distinct: 0, positions: 0, groups: [] } });
    one.text = 'castled';
    void one.run();
    void one.countBy('year');
    expect(one.pending).toBe(true);
    await port.next('checkKey', null);
    await port.answer(port.open('check').at(-1) ?? -1, null);
    expect(port.asked.at(-1)?.params).toMatchObject({ question: { query: 'castled' }, outputs: { key: 'year' } });
  });

  it('calls off a question that was about to be put', async () => {
    const one = await search();
    const signal = one.expect();
    expect([signal.aborted, one.pending]).toEqual([false, true]);
    one.typed('x');
    expect(signal.aborted).toBe(true);
    one.cancel();
  });
});
