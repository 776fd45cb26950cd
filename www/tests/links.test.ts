// A link shows its games, query, tab, game, ply and sideline, also in a browser that does not have the games yet.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import type { CorpusInfo, GameView, QueryResult } from '../src/engine/protocol';
import { App } from '../src/state/app.svelte';
import { START_FEN } from '../src/state/replay.svelte';
import { FakeBrowser } from './browser';
import { Hand } from './hand';

const corpus = (id: string): CorpusInfo => ({ id, name: id, games: 30, plies: 300, size_bytes: 100, created_ms: 0, kept: 'device' });
const report = (id: string) => ({ corpus: corpus(id), refusals: [], refused: 0, in_part: 0, notes: [], skipped: [], elapsed_ms: 1, bytes: 1, storage_note: '', memory_bytes: 0 });
const result = (...ids: number[]): QueryResult => ({
  games_total: 30, plies_total: 300, games: ids.length, positions: ids.length, plies_looked_at: 100, elapsed_ms: 1, memory_bytes: 0,
  ids: Uint32Array.from(ids), heatmap: null, structures: [], structures_total: 0, hits: [], next: null, groups: null, table: null, unknown: null,
});
const AFTER = ['rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1', 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2'];
const game = (id: number): GameView => ({
  row: { id, white: '', black: '', white_elo: 0, black_elo: 0, result: '*', eco: '', opening: '', eco_tag: '', date: '', event: '', site: '', plies: 2, ending: '', time_class: '', round: '', time_control: '', annotator: '' },
  start_fen: START_FEN, plies: AFTER.map((fen, nth) => ({ fen, uci: ['e2e4', 'e7e5'][nth] ?? '', san: ['e4', 'e5'][nth] ?? '' })), matches: [2], images: [],
});

let browser: FakeBrowser;
let port: Hand;
let app: App;
beforeEach(() => {
  browser = new FakeBrowser().install();
  vi.stubGlobal('navigator', {});
  port = new Hand();
  app = new App(new EngineClient(() => port));
});
afterEach(() => void vi.unstubAllGlobals());

const settle = () => new Promise((resolve) => setTimeout(resolve));

async function open(hash: string, ...corpora: string[]): Promise<void> {
  browser.entries[0] = { hash, state: null };
  void app.start();
  await port.next('hello', { build: 'single', threads: 1, reason: '', storage: true, cancel: null, outputs: [], corpora: corpora.map(corpus) });
  await settle();
}

async function imported(id: string): Promise<void> {
  await port.next('import', report(id));
  await port.next('list', [corpus(id)]);
  await port.next('open', corpus(id));
}

/** Replies to everything that the link's place needs, and looks at what the page then shows. */
async function shown(id: string): Promise<void> {
  await port.next('sets', []);
  await port.next('check', null);
  await port.next('query', result(3, 11));
  await port.next('game', game(11));
  expect([browser.word('corpus'), browser.word('q'), browser.word('game'), browser.word('ply'), browser.word('line')]).toEqual([id, 'check', '12', '1', 'c7c5']);
  expect([app.search.answered, app.chosen, app.replay.game?.row.id, app.replay.ply, app.replay.movesOfSideline, app.missing]).toEqual(['check', 11, 11, 1, ['c7c5'], null]);
}

const PLACE = 'q=check&game=12&ply=1&line=c7c5';

describe('a link to the demo games', () => {
  const fetched = () => vi.stubGlobal('fetch', async () => ({ ok: true, blob: async () => new Blob(['x']) }));

  for (const name of ['Demo+games', 'demo']) {
    it(`imports them by itself: ${name}`, async () => {
      fetched();
      await open(`#corpus=${name}&${PLACE}`);
      await imported('Demo games');
      await shown('Demo games');
      expect(browser.entries.length).toBe(1);
    });
  }

  it('opens those that are there, also by their short name', async () => {
    await open(`#corpus=demo&${PLACE}`, 'three', 'Demo games');
    await port.next('open', corpus('Demo games'));
    await shown('Demo games');
  });

  it('means a corpus of one\'s own that is called so', async () => {
    await open(`#corpus=demo&${PLACE}`, 'demo', 'Demo games');
    await port.next('open', corpus('demo'));
    await shown('demo');
  });

  it('waits when the host cannot be reached, and then shows the same', async () => {
    vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('Failed to fetch')));
    await open(`#corpus=demo&${PLACE}`);
    expect(app.library.importing).toMatchObject({ phase: 'failed', message: expect.stringMatching(/host of this page cannot be reached\. Check the connection/) });
    expect([app.missing?.corpus, app.search.text]).toEqual(['demo', 'check']);
    fetched();
    void app.imports.demo();
    await settle();
    await imported('Demo games');
    await shown('Demo games');
  });
});

describe('a link to games that are not there', () => {
  it('waits for their file, and then shows exactly its place', async () => {
    await open(`#corpus=club&${PLACE}`, 'three');
    expect([app.missing?.corpus, app.search.text, app.library.current, port.open('open')]).toEqual(['club', 'check', null, []]);
    expect(browser.word('game')).toBe('12');
    void app.imports.files([new File(['x'], 'club.pgn')]);
    await imported('club');
    await shown('club');
  });

  it('takes a second import of the same file', async () => {
    await open(`#corpus=club+2&${PLACE}`);
    void app.imports.files([new File(['x'], 'club.pgn')]);
    await imported('club');
    await shown('club');
  });

  it('keeps its query for other games, but neither game nor ply', async () => {
    await open(`#corpus=club&${PLACE}`);
    void app.imports.files([new File(['x'], 'other.pgn')]);
    await imported('other');
    await port.next('sets', []);
    await port.next('check', null);
    await port.next('query', result(3));
    expect([browser.word('corpus'), browser.word('q'), browser.word('game'), app.missing]).toEqual(['other', 'check', null, null]);
  });

  it('shows no results of the corpus that was open, and Back shows them again', async () => {
    await open('#corpus=three&q=castled', 'three');
    await port.next('open', corpus('three'));
    await port.next('sets', []);
    await port.next('check', null);
    await port.next('query', result(3));
    browser.visit(`#corpus=club&${PLACE}`);
    expect([app.missing?.corpus, app.library.current, app.search.result]).toEqual(['club', null, null]);
    browser.back();
    await port.next('open', corpus('three'));
    await port.next('check', null);
    await port.next('query', result(3));
    expect([app.missing, app.library.current?.id, app.search.answered]).toEqual([null, 'three', 'castled']);
  });
});

describe('a page that the browser kept', () => {
  it('gives up its corpus when it is left, and notices what other tabs deleted', async () => {
    await open('#corpus=three&q=castled', 'three');
    await port.next('open', corpus('three'));
    browser.say('pagehide', { persisted: true });
    expect(port.open('release').length).toBe(1);
    browser.say('pageshow', { persisted: true });
    await port.next('list', []);
    expect([app.library.current, app.library.trouble]).toEqual([null, '"three" was deleted in another tab of this browser.']);
  });
});
