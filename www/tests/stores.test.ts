// The stores but the library and the search, with an engine that fails, is late, or replies out of order: the page shows
// what was requested last, reports a failure, and clears the report after a success.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import type { Images, NextMoves } from '../src/engine/protocol';
import { App } from '../src/state/app.svelte';
import { Explorer } from '../src/state/explorer.svelte';
import { Replay, START_FEN } from '../src/state/replay.svelte';
import { GameSets } from '../src/state/sets.svelte';
import { Transforms } from '../src/state/transforms.svelte';
import { FakeBrowser } from './browser';
import { Hand } from './hand';
import { game } from './results';

let port: Hand;
let client: EngineClient;
beforeEach(() => {
  port = new Hand();
  client = new EngineClient(() => port);
  vi.stubGlobal('navigator', {});
});
afterEach(() => void vi.unstubAllGlobals());

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
    expect([one.list.map((set) => set.name), one.said]).toEqual([['a', 'b'], 'Saved as “b”.']);
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
