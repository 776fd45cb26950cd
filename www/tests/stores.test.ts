// Every store with an engine that fails, is late, or replies out of order: the page shows what was
// requested last, reports a failure, and clears the report after a success.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import type { CorpusInfo, GameRow, GameView, Images, NextMoves, QueryResult } from '../src/engine/protocol';
import { App } from '../src/state/app.svelte';
import { Explorer } from '../src/state/explorer.svelte';
import { Library } from '../src/state/library.svelte';
import { Me } from '../src/state/me.svelte';
import { asPattern, nameAt, namesIn, Suggestions, suggestNames } from '../src/state/names.svelte';
import { Replay, START_FEN } from '../src/state/replay.svelte';
import { Search } from '../src/state/search.svelte';
import { GameSets } from '../src/state/sets.svelte';
import { Transforms } from '../src/state/transforms.svelte';
import { begins, taken, Typing } from '../src/state/typing.svelte';
import { Update } from '../src/state/update.svelte';
import { TAKE_OVER } from '../src/sw/words';
import { FakeBrowser } from './browser';
import { Hand } from './hand';

const corpus = (id: string): CorpusInfo => ({ id, name: id, games: 3, plies: 30, size_bytes: 100, created_ms: 0, kept: 'device' });
const result = (...ids: number[]): QueryResult => ({
  games_total: 10, plies_total: 100, games: ids.length, positions: ids.length, plies_looked_at: 100, elapsed_ms: 1, memory_bytes: 0,
  ids: Uint32Array.from(ids), heatmap: null, structures: [], structures_total: 0, hits: [], next: null, groups: null, table: null, unknown: null,
});
const row = (id: number, white = ''): GameRow => ({ id, white, black: '', white_elo: 0, black_elo: 0, result: '*', eco: '', date: '', event: '', site: '', plies: 2, ending: '', time_class: '', round: '', time_control: '', annotator: '' });
const game = (id: number): GameView => ({ row: row(id), start_fen: START_FEN, plies: ['e4', 'e5'].map((san) => ({ fen: `after ${san}`, uci: 'e2e4', san })), matches: [2], images: [] });
const report = (id: string) => ({ corpus: corpus(id), refusals: [], refused: 0, in_part: 0, notes: [], skipped: [], elapsed_ms: 1, bytes: 1, storage_note: '', memory_bytes: 0 });
const settle = () => new Promise((resolve) => setTimeout(resolve));

let port: Hand;
let client: EngineClient;
beforeEach(() => {
  port = new Hand();
  client = new EngineClient(() => port);
  vi.stubGlobal('navigator', {});
});
afterEach(() => void vi.unstubAllGlobals());

describe('the library', () => {
  const library = async () => {
    const one = new Library(client);
    const start = one.start();
    await port.next('hello', { build: 'single', threads: 1, reason: '', storage: true, cancel: null, outputs: [], corpora: [corpus('a'), corpus('b')] });
    await start;
    return one;
  };
  const file = new File(['x'], 'games.pgn');

  it('says that the engine does not start', async () => {
    const one = new Library(client);
    const start = one.start();
    await port.fail(0, 'no memory');
    await start;
    expect([one.engine, one.trouble]).toEqual([null, 'The engine could not start: No memory. Stored games are kept. Reload the page; if that does not help, try a newer browser.']);
  });

  it('has the corpus that was chosen last, whichever answer comes last', async () => {
    const one = await library();
    const [first, second] = [one.choose('a'), one.choose('b')];
    await port.answer(2, corpus('b'));
    await port.answer(1, corpus('a'));
    expect([await first, await second, one.current?.id]).toEqual([false, true, 'b']);
  });

  it('opens what is chosen again, though its first request ends only then', async () => {
    const one = await library();
    const choices = [one.choose('a'), one.choose('b'), one.choose('a')];
    await port.fail(1, 'ended for another one');
    await port.answer(2, corpus('b'));
    await port.answer(3, corpus('a'));
    expect([await Promise.all(choices), one.current?.id, one.trouble]).toEqual([[false, false, true], 'a', '']);
  });

  it('opens anew what is open, while another one is on its way', async () => {
    const one = await library();
    const first = one.choose('a');
    await port.next('open', corpus('a'));
    await first;
    const [other, back] = [one.choose('b'), one.choose('a')];
    await port.next('open', corpus('b'));
    await port.next('open', corpus('a'));
    expect([await other, await back, one.current?.id]).toEqual([false, true, 'a']);
  });

  it('keeps what is open when another one fails, says so, and forgets it when one opens', async () => {
    const one = await library();
    void one.choose('a');
    await port.next('open', corpus('a'));
    const failed = one.choose('b');
    await port.fail(2, 'damaged', 'bad-corpus');
    expect([await failed, one.current?.id, one.trouble]).toEqual([false, 'a', 'damaged.']);
    void one.choose('b');
    await port.next('open', corpus('b'));
    expect([one.current?.id, one.trouble]).toEqual(['b', '']);
  });

  it('does not say of an older choice that it failed', async () => {
    const one = await library();
    void one.choose('a');
    void one.choose('b');
    await port.fail(1, 'damaged', 'bad-corpus');
    await port.next('open', corpus('b'));
    expect([one.current?.id, one.trouble]).toEqual(['b', '']);
  });

  it('never shows an older list', async () => {
    const one = await library();
    void one.remove('a');
    void one.remove('b');
    await port.answer(2, []);
    await port.answer(1, [corpus('b')]);
    expect(one.corpora).toEqual([]);
  });

  it('keeps the list when a corpus cannot be removed', async () => {
    const one = await library();
    void one.remove('a');
    await port.fail(1, '"a" is open in another tab', 'held');
    expect([one.corpora.length, one.trouble]).toEqual([2, '"a" is open in another tab.']);
  });

  it('tells an import that was done from one that failed, though its corpus cannot be opened', async () => {
    const one = await library();
    const done = one.importFiles([file]);
    await port.next('import', report('games'));
    await port.next('list', [corpus('games'), corpus('a')]);
    await port.fail(port.open('open')[0] ?? -1, 'damaged', 'bad-corpus');
    expect([await done, one.importing.phase, one.trouble, one.corpora.length]).toEqual([false, 'done', 'damaged.', 2]);
  });

  it('goes on after an import whose list fails', async () => {
    const one = await library();
    const done = one.importFiles([file]);
    await port.next('import', report('games'));
    await port.fail(port.open('list')[0] ?? -1, 'storage failed', 'storage');
    await port.next('open', corpus('games'));
    expect([await done, one.importing.phase, one.current?.id, one.trouble]).toEqual([true, 'done', 'games', 'Storage failed.']);
  });

  it('fails an import, and takes the next one', async () => {
    const one = await library();
    const failed = one.importFiles([file]);
    await port.fail(1, 'games.pgn holds no games', 'bad-input');
    expect([await failed, one.importing]).toEqual([false, { phase: 'failed', name: 'games', message: 'games.pgn holds no games.' }]);
    void one.importFiles([file]);
    expect(one.importing.phase).toBe('running');
    one.cancelImport();
    await settle();
    expect(one.importing.phase).toBe('idle');
  });
});

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
    await port.next('check', { message: 'unknown', from: 0, to: 8, expected: [], nearest: '' });
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
    await port.next('check', { message: 'unknown', from: 0, to: 8, expected: [], nearest: '' });
    one.text = 'castled';
    void one.run();
    await port.fail(port.open('check')[0] ?? -1);
    expect([one.problem, one.trouble]).toEqual([null, 'The engine failed.']);
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
    await port.answer(port.open('checkKey')[1] ?? -1, { message: 'no key', from: 0, to: 1, expected: [], nearest: '' });
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

describe('the game on the board', () => {
  it('is the one that was asked for last, as it was asked for', async () => {
    const one = new Replay(client);
    void one.show(5, 'old', null);
    void one.show(5, 'new', null);
    await port.answer(1, { ...game(5), matches: [1] });
    await port.answer(0, game(5));
    expect([one.game?.matches, one.ply]).toEqual([[1], 1]);
  });

  it('stays when another one fails, which is said; and a late failure is not', async () => {
    const one = new Replay(client);
    void one.show(5, '', null);
    await port.next('game', game(5));
    void one.show(6, '', null);
    expect(one.isAwaited).toBe(true);
    await port.fail(1);
    expect([one.game?.row.id, one.trouble, one.isAwaited]).toEqual([5, 'The engine failed.', false]);
    void one.show(6, '', null);
    void one.show(7, '', null);
    await port.next('game', game(6));
    await port.next('game', game(7));
    expect([one.game?.row.id, one.trouble]).toEqual([7, '']);
  });

  it('does not come back after it was cleared away', async () => {
    const one = new Replay(client);
    void one.show(5, '', null);
    one.clear();
    await port.next('game', game(5));
    expect([one.game, one.isAwaited]).toEqual([null, false]);
  });

  it('has its own text, though a game of another corpus has its number', async () => {
    const one = new Replay(client);
    void one.show(5, '', null);
    await port.next('game', game(5));
    void one.fetchPgn();
    one.clear();
    void one.show(5, '', null);
    await port.next('game', game(5));
    await port.next('pgn', 'of the other corpus');
    expect(one.pgn).toBe('');
    void one.fetchPgn();
    await port.fail(port.open('pgn')[0] ?? -1);
    expect(one.trouble).toBe('The engine failed.');
    void one.fetchPgn();
    await port.next('pgn', 'its own');
    expect(one.pgn).toBe('its own');
  });
});

describe('the explorer', () => {
  const QUESTION = { query: 'check', within: '', parts: [], everywhere: false };
  const found = (games: number): NextMoves => ({ games, white: 0, draw: 0, black: 0, unknown: games, positions: games, moves: [] });

  it('says what failed, and asks again', async () => {
    const one = new Explorer(client);
    one.begin(START_FEN);
    void one.ask(QUESTION);
    await port.fail(0);
    expect([one.found, one.trouble, one.running]).toEqual([null, 'The engine failed.', false]);
    void one.ask(QUESTION);
    await port.next('explore', found(4));
    expect([one.found?.games, one.trouble]).toEqual([4, '']);
  });

  it('asks again for what the engine called off by itself', async () => {
    const one = new Explorer(client);
    one.begin(START_FEN);
    void one.ask(QUESTION);
    await port.fail(0, 'cancelled', 'cancelled');
    expect([one.trouble, one.running]).toEqual(['', false]);
    void one.ask(QUESTION);
    await port.next('explore', found(4));
    expect(one.found?.games).toBe(4);
  });

  it('drops what comes late: of an older position, of a corpus that was left', async () => {
    const one = new Explorer(client);
    one.begin(START_FEN);
    void one.ask(QUESTION);
    one.begin('8/8/8/8/8/8/8/K6k w - - 0 1');
    void one.ask(QUESTION);
    await port.answer(1, found(2));
    await port.answer(0, found(9));
    expect(one.found?.games).toBe(2);
    one.begin(START_FEN);
    void one.ask(QUESTION);
    one.reset();
    expect(one.running).toBe(false);
    await port.answer(2, found(9));
    expect(one.found).toBeNull();
  });
});

describe('the sets', () => {
  const sets = (...names: string[]) => names.map((name) => ({ name, games: 1, trouble: '' }));
  const QUESTION = { query: 'check', within: '', parts: [], everywhere: false };

  it('that cannot be fetched are an error, and not none', async () => {
    const one = new GameSets(client);
    void one.fetch();
    await port.fail(0, 'the storage failed', 'storage');
    expect([one.list, one.trouble]).toEqual([[], 'The storage failed.']);
    void one.fetch();
    await port.next('sets', sets('a'));
    expect([one.list.length, one.trouble]).toEqual([1, '']);
  });

  it('are those of the corpus that is open, whatever comes late', async () => {
    const one = new GameSets(client);
    void one.fetch();
    const kept = one.keep('late', QUESTION);
    void one.fetch();
    await port.answer(2, sets('of', 'this'));
    await port.answer(1, sets('late'));
    await port.answer(0, sets('of', 'the', 'other'));
    expect([await kept, one.list.map((set) => set.name), one.said]).toEqual([true, ['of', 'this'], '']);
    const removed = one.remove('of');
    void one.fetch();
    await port.fail(3);
    expect([await removed, one.trouble]).toEqual([false, '']);
  });

  it('are as the newest answer has them', async () => {
    const one = new GameSets(client);
    void one.keep('a', QUESTION);
    void one.keep('b', QUESTION);
    await port.answer(1, sets('a', 'b'));
    await port.answer(0, sets('a'));
    expect([one.list.map((set) => set.name), one.said]).toEqual([['a', 'b'], 'Saved as @b.']);
  });
});

describe('the page of transforms', () => {
  const images = (fen: string): Images => ({ fen, images: [{ name: 'identity', fen }], fault: null });

  it('says what failed, keeps the last images, and is quiet after the next', async () => {
    const one = new Transforms(client);
    one.take(START_FEN);
    void one.ask();
    await port.next('images', images(START_FEN));
    one.sequence = 'flipH';
    void one.ask();
    await port.next('images', images(START_FEN));
    await port.fail(port.open('twins')[0] ?? -1);
    expect([one.trouble, one.images?.fen]).toEqual(['The engine failed.', START_FEN]);
    void one.ask();
    await port.next('images', images(START_FEN));
    await port.next('twins', { twins: [], fault: null });
    expect([one.trouble, one.made]).toEqual(['', { twins: [], fault: null }]);
  });

  it('does not say of an older text that it failed', async () => {
    const one = new Transforms(client);
    one.take(START_FEN);
    void one.ask();
    void one.ask();
    await port.answer(1, images(START_FEN));
    await port.fail(0);
    expect([one.trouble, one.images?.fen]).toEqual(['', START_FEN]);
  });
});

describe('typing', () => {
  const offer = (...texts: string[]) => ({ from: 0, to: 1, options: texts.map((text) => ({ from: 0, text, detail: '', kind: 'keyword' as const })) });

  it('goes on without colours that failed, and has those of the next text', async () => {
    const one = new Typing(client);
    void one.paint('a');
    await port.fail(0);
    expect(one.parts('a')).toEqual([]);
    void one.paint('b');
    await port.next('paint', [{ from: 0, to: 1, class: 'keyword' }]);
    expect(one.parts('b')).toHaveLength(1);
  });

  it('offers for the newest text, whichever answer comes last, and nothing once it was dismissed', async () => {
    const one = new Typing(client);
    void one.complete('a', 1, false);
    void one.complete('b', 1, false);
    await port.answer(1, offer('new'));
    await port.answer(0, offer('old'));
    expect(one.offer?.options[0]?.text).toBe('new');
    void one.complete('c', 1, false);
    await port.fail(2);
    expect(one.offer).toBeNull();
    void one.complete('d', 1, false);
    one.dismiss();
    await port.answer(3, offer('late'));
    expect(one.offer).toBeNull();
  });
});

describe('names of the corpus', () => {
  const names = (...all: string[]) => all.map((name) => ({ name, games: 2 }));

  it('are offered for the newest text, and not where the engine fails', async () => {
    const one = new Suggestions(client);
    void one.ask('player', 'a');
    void one.ask('player', 'ann');
    await port.answer(1, names('Anna', 'Hanna'));
    await port.answer(0, names('late'));
    one.pick(-1);
    expect([one.open, one.options.map(({ name }) => name), one.picked]).toEqual([true, ['Anna', 'Hanna'], 1]);
    void one.ask('player', 'x');
    await port.fail(2);
    expect([one.open, one.options]).toEqual([false, []]);
    void one.ask('player', 'y');
    one.close();
    await port.answer(3, names('late'));
    expect(one.open).toBe(false);
  });

  it('are offered between the quotes of a name, with the closing quote', async () => {
    const one = new Typing(client);
    void one.complete('check and loser "carl', 21, true);
    expect(port.asked[0]).toMatchObject({ method: 'names', params: { field: 'player', text: 'carl' } });
    await port.answer(0, names('Carlsen, Magnus'));
    expect(one.offer).toMatchObject({ from: 16, to: 21, options: [{ text: '"Carlsen, Magnus"', detail: '2 games' }] });
    expect(one.offer && [begins(one.offer), taken(one.offer, 0)]).toEqual([true, { from: 16, to: 21, text: '"Carlsen, Magnus" ' }]);
    void one.complete('player "Carlsen, Magnus"', 23, true);
    await port.answer(1, names('Carlsen, Magnus'));
    expect(one.offer).toBeNull();
    void one.complete('fen "8', 6, true);
    expect(port.asked.at(-1)?.method).toBe('complete');
  });

  it.each([
    ['player "', 8, { field: 'player', from: 7, to: 8, text: '' }],
    ['white "An', 9, { field: 'white', from: 6, to: 9, text: 'An' }],
    ['event "Cup" and check', 8, { field: 'event', from: 6, to: 11, text: 'Cup' }],
    ['"An and white "Boris"', 3, { field: 'player', from: 0, to: 3, text: 'An' }],
    ['white "Anna"', 12, null],
    ['board "8', 8, null],
    ['queens_off', 4, null],
  ])('are sought in %j at %i', (text, at, place) => expect(nameAt(text, at)).toEqual(place));

  it('stand for themselves, and a part of one for all that have it', () => {
    expect(asPattern(' ANNA ', names('Anna'))).toBe('Anna');
    expect(asPattern('Carl', names('Carlsen'))).toBe('Carl*');
    expect(asPattern('Cup', [], true)).toBe('*Cup*');
    expect(asPattern('*son', [])).toBe('*son');
    expect(asPattern('', [])).toBe('');
  });

  it('are taken from the error about an unknown one', async () => {
    const found = suggestNames(client, 'player "Carlson"');
    await port.next('check', { message: 'no player of this corpus has the name "Carlson": did you mean "Carlsen, Magnus"?', from: 7, to: 16, expected: [], nearest: '' });
    expect(await found).toEqual(['Carlsen, Magnus']);
    expect(namesIn('no player of this corpus has the name "Carlson": did you mean "Carlsen, Magnus" or "Carlson, A"?')).toEqual(['Carlsen, Magnus', 'Carlson, A']);
    expect(namesIn('no player of this corpus has the name "X"')).toEqual([]);
  });
});

it('the player of this device is remembered until forgotten', () => {
  new FakeBrowser().install();
  new Me().set('Anna');
  expect(new Me().name).toBe('Anna');
  new Me().forget();
  expect(new Me().name).toBe('');
});

describe('names that are fetched once', () => {
  it('are fetched again after that failed', async () => {
    new FakeBrowser().install();
    const app = new App(client);
    for (const [method, ask] of [['keys', () => app.keys()], ['predicates', () => app.predicates()]] as const) {
      const failed = ask().catch((error: Error) => error.message);
      await port.fail(port.open(method)[0] ?? -1);
      expect(await failed).toBe('the engine failed');
      const got = ask();
      await port.next(method, []);
      expect(await got).toEqual([]);
      await ask();
      expect(port.open(method)).toEqual([]);
    }
  });
});

describe('a newer build', () => {
  class Worker extends EventTarget {
    readonly said: unknown[] = [];
    postMessage(message: unknown): void {
      this.said.push(message);
    }
  }
  class Registration extends EventTarget {
    active: Worker | null = null;
    installing: Worker | null = null;
    waiting: Worker | null = null;
    update = vi.fn(async () => this);
    /** Simulates a build that becomes ready, with the browser's events. */
    build(): Worker {
      const worker = new Worker();
      this.installing = worker;
      this.dispatchEvent(new Event('updatefound'));
      [this.installing, this.waiting] = [null, worker];
      worker.dispatchEvent(new Event('statechange'));
      return worker;
    }
  }
  const followed = (registration: Registration) => {
    const update = new Update();
    const container = new EventTarget();
    const reload = vi.fn();
    update.follow(registration as unknown as ServiceWorkerRegistration, { container: container as ServiceWorkerContainer, reload });
    return { update, container, reload };
  };

  it('is offered, takes over at a word, and then the page is loaded from it', () => {
    const registration = new Registration();
    registration.active = new Worker();
    const { update, container, reload } = followed(registration);
    expect(update.isReady).toBe(false);
    const worker = registration.build();
    expect(update.isReady).toBe(true);
    update.take();
    expect([worker.said, reload.mock.calls.length]).toEqual([[TAKE_OVER], 0]);
    container.dispatchEvent(new Event('controllerchange'));
    expect(reload).toHaveBeenCalledOnce();
  });

  it('that waits already is offered at once; the very first one is not', () => {
    const waits = new Registration();
    [waits.active, waits.waiting] = [new Worker(), new Worker()];
    expect(followed(waits).update.isReady).toBe(true);
    const first = new Registration();
    const { update } = followed(first);
    first.build();
    expect(update.isReady).toBe(false);
  });

  it('that another tab has let take over is loaded at once', () => {
    const registration = new Registration();
    registration.active = new Worker();
    const { update, reload } = followed(registration);
    registration.build();
    registration.waiting = null;
    update.take();
    expect(reload).toHaveBeenCalledOnce();
  });

  it('is looked for once an hour at most, and a host that is gone is no trouble', async () => {
    const registration = new Registration();
    registration.update = vi.fn(() => Promise.reject(new TypeError('no network')));
    const { update } = followed(registration);
    const now = Date.now();
    update.lookAgain(now + 1000);
    update.lookAgain(now + 4_000_000);
    update.lookAgain(now + 4_100_000);
    await settle();
    expect(registration.update).toHaveBeenCalledOnce();
  });
});
