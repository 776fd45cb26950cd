// The address belongs to the click: it is written before the engine replies, and a late result never shows
// a place other than that of the address.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import { App } from '../src/state/app.svelte';
import { START_FEN } from '../src/state/replay.svelte';
import { playMove } from '../src/state/rules';
import { FakeBrowser } from './browser';
import { Hand } from './hand';
import { corpus, game, result } from './results';

const FEN = '8/8/8/8/8/8/8/K6k w - - 0 1';
const images = (fen: string) => ({ fen, images: [{ name: 'identity', fen }], fault: null });

let browser: FakeBrowser;
let port: Hand;
let app: App;

/** Replies to all requests of a run. */
async function run(...ids: number[]): Promise<void> {
  if (port.open('check').length > 0) await port.next('check', null);
  await port.next('query', result(...ids));
}

/** Starts at an address, with an open corpus and a result. */
async function begin(hash: string): Promise<void> {
  browser = new FakeBrowser().install();
  browser.entries[0] = { hash, state: null };
  port = new Hand();
  app = new App(new EngineClient(() => port));
  const start = app.start();
  await port.next('hello', { build: 'single', threads: 1, reason: '', storage: true, cancel: null, outputs: [], corpora: [corpus('one'), corpus('two')] });
  await port.next('open', corpus('one'));
  await port.next('sets', []);
  await run(4, 7);
  await port.next('game', game(4));
  await start;
}

beforeEach(async () => {
  await begin('#q=queens_off');
});
afterEach(() => void vi.unstubAllGlobals());

describe('the address is written by the click', () => {
  it('at the start, with what it leaves out', () => {
    expect([browser.word('corpus'), browser.word('q'), browser.at]).toEqual(['one', 'queens_off', 0]);
  });

  it('for a query', () => {
    void app.ask('check');
    expect([browser.word('q'), browser.at]).toEqual(['check', 1]);
    expect(app.search.pending).toBe(true);
  });

  it('for a part of an answer, and again when the engine has composed the query', async () => {
    void app.narrow('white knight on e5', 'positions');
    expect([browser.word('q'), browser.word('tab'), browser.at]).toEqual(['queens_off', 'positions', 1]);
    await port.next('compose', { together: null, apart: 'queens_off and white knight on e5' });
    expect([browser.word('q'), browser.at]).toEqual(['queens_off and white knight on e5', 1]);
    await run(7);
    expect(app.search.result?.games).toBe(1);
    expect(browser.at).toBe(1);
  });

  it('for a part of an answer on the same tab, as a place of its own', async () => {
    void app.narrow('white knight on e5', 'games');
    expect([browser.word('q'), browser.at]).toEqual(['queens_off', 1]);
    await port.next('compose', { together: '{ queens_off and white knight on e5 }', apart: '' });
    expect([browser.word('q'), browser.at]).toEqual(['{ queens_off and white knight on e5 }', 1]);
  });

  it('for a count: by its condition, or as a part where that cannot be asked at one position', async () => {
    const group = { name: 'g1', positions: 3, games: 2, white: 1, draw: 0, black: 1, unknown: 0, condition: 'white king on g1' };
    void app.narrowToGroup(group);
    await port.next('compose', { together: '{ queens_off and white king on g1 }', apart: '' });
    expect([browser.word('q'), browser.word('part')]).toEqual(['{ queens_off and white king on g1 }', null]);
    await run(7);
    void app.narrowToGroup(group);
    await port.next('compose', { together: null, apart: '' });
    expect([browser.word('q'), browser.word('part')]).toEqual(['{ queens_off and white king on g1 }', 'value::g1']);
  });

  it('for a game, and its ply when that is known', async () => {
    void app.selectGame(7);
    expect([browser.word('game'), browser.word('ply'), browser.at]).toEqual(['8', null, 1]);
    await port.next('game', game(7));
    expect([browser.word('game'), browser.word('ply'), browser.at]).toEqual(['8', '2', 1]);
  });

  it('for another corpus, and taken back where it cannot be opened', async () => {
    void app.openCorpus('two');
    expect([browser.word('corpus'), browser.at]).toEqual(['two', 1]);
    await port.fail(port.open('open')[0] ?? -1, 'damaged', 'bad-corpus');
    expect([browser.word('corpus'), app.library.trouble, app.search.result?.games]).toEqual(['one', 'damaged.', 2]);
  });

  it('for another corpus, and what was called off for it is asked again where it cannot be opened', async () => {
    void app.ask('check');
    void app.openCorpus('two');
    await port.fail(port.open('open')[0] ?? -1, 'damaged', 'bad-corpus');
    await port.answer(port.open('check').at(-1) ?? -1, null);
    await port.answer(port.open('query').at(-1) ?? -1, result(1));
    expect([browser.word('corpus'), browser.word('q'), app.search.answered]).toEqual(['one', 'check', 'check']);
  });

  it('for a key', () => {
    app.panels.tab = 'counts';
    void app.countBy('year');
    expect([browser.word('key'), browser.at]).toEqual(['year', 1]);
  });

  it('for the page of transforms and what is done there', async () => {
    void app.pages.openTransforms(FEN);
    expect([browser.word('page'), browser.at]).toEqual(['transforms', 1]);
    void app.pages.turn((one) => (one.sequence = 'flipH'));
    expect([browser.word('twins'), browser.at]).toEqual(['flipH', 2]);
    void app.pages.searchTurned('fen "8/8"');
    expect([browser.word('page'), browser.word('q'), browser.at]).toEqual([null, 'fen "8/8"', 3]);
  });

  it('and typing is written with its answer', async () => {
    vi.useFakeTimers();
    app.search.typed('castled');
    vi.runAllTimers();
    vi.useRealTimers();
    expect(browser.at).toBe(0);
    await run(4);
    expect([browser.word('q'), browser.at]).toEqual(['castled', 1]);
  });
});

describe('going back before the answer', () => {
  it('shows the place that was left, whatever comes late', async () => {
    void app.ask('check');
    await run(1);
    void app.ask('castled');
    browser.back();
    expect([browser.word('q'), app.search.text]).toEqual(['check', 'check']);
    for (const nth of port.open('check')) await port.answer(nth, null);
    for (const nth of port.open('query')) await port.answer(nth, result(9, 9));
    expect([browser.word('q'), app.search.text, app.search.answered, app.search.result?.games]).toEqual(['check', 'check', 'check', 1]);
  });

  it('calls off what the click was still to ask', async () => {
    void app.narrow('white knight on e5', 'positions');
    const [asked = -1] = port.open('compose');
    browser.back();
    await port.answer(asked, { together: '{ queens_off and white knight on e5 }', apart: '' });
    expect([app.search.text, app.tab, port.open('query')]).toEqual(['queens_off', 'games', []]);
  });

  it('on the page of transforms shows the position of the address', async () => {
    void app.pages.openTransforms(FEN);
    const [first = -1] = port.open('images');
    void app.pages.turn((one) => one.take(START_FEN));
    browser.back();
    const late = port.open('images').filter((nth) => nth !== first);
    for (const nth of late.reverse()) await port.answer(nth, images(port.asked[nth]?.method === 'images' ? (port.asked[nth]?.params as { position: string }).position : ''));
    await port.answer(first, images(FEN));
    expect([app.transforms.position, app.transforms.images?.fen, browser.word('board')]).toEqual([FEN, FEN, FEN.replaceAll(' ', '_')]);
  });

  it('twice shows the older of the two places', async () => {
    void app.pages.openTransforms(FEN);
    await port.next('images', images(FEN));
    app.pages.close();
    void app.ask('check');
    await run(1);
    browser.back();
    browser.back();
    browser.back();
    for (const method of ['images', 'check'] as const) for (const nth of port.open(method)) await port.answer(nth, method === 'check' ? null : images(FEN));
    for (const nth of port.open('query')) await port.answer(nth, result(4, 7));
    expect([browser.word('q'), app.page, app.search.text]).toEqual(['queens_off', 'search', 'queens_off']);
  });

  it('from a corpus that is still being opened comes back to the one before', async () => {
    void app.ask('check');
    await run(1);
    void app.openCorpus('two');
    browser.back();
    // The engine opens one corpus after the other.
    await port.next('open', corpus('two'));
    await port.next('open', corpus('one'));
    expect([app.library.current?.id, browser.word('corpus'), app.search.text]).toEqual(['one', 'one', 'check']);
  });
});

it('a step waits for the game that was clicked', async () => {
  void app.selectGame(7);
  app.step((replay) => replay.go(0));
  expect(app.chosen).toBe(7);
  await port.next('game', game(7));
  app.step((replay) => replay.go(1));
  expect([app.chosen, app.replay.ply, browser.word('ply')]).toEqual([7, 1, '1']);
});

it('a key waits for the game that was clicked, and for no other one', async () => {
  void app.selectGame(7);
  app.key((replay) => replay.go(0));
  app.key((replay) => replay.forward());
  expect([app.replay.game?.row.id, app.replay.ply]).toEqual([4, 2]);
  await port.next('game', game(7));
  app.route.flush();
  expect([app.replay.game?.row.id, app.replay.ply, browser.word('ply')]).toEqual([7, 1, '1']);
  void app.selectGame(4);
  app.key((replay) => replay.go(0));
  void app.selectGame(7);
  await port.next('game', game(4));
  await port.next('game', game(7));
  expect([app.replay.game?.row.id, app.replay.ply]).toEqual([7, 2]);
});

describe('the board is played on', () => {
  const E4 = playMove(START_FEN, 'e2e4')!;
  const next = { games: 2, white: 1, draw: 0, black: 1, unknown: 0, positions: 5, moves: [] };

  it('beside the game, and the address has the moves', () => {
    app.step((replay) => replay.go(0));
    app.playOnBoard(E4);
    app.link();
    expect([app.replay.movesOfSideline, app.fen, browser.word('line')]).toEqual([['e2e4'], E4.fen, 'e2e4']);
    expect(app.leaveSideline()).toBe(true);
    app.link();
    expect([app.replay.ply, app.replay.sideline, browser.word('line')]).toEqual([0, null, null]);
    expect(app.leaveSideline()).toBe(false);
  });

  it('in the explorer beside the game that it follows', () => {
    app.step((replay) => replay.go(0));
    void app.selectTab('explorer');
    app.playOnBoard(E4);
    app.follower.follow();
    expect(app.explorer.line.map(({ san }) => san)).toEqual(['', 'e4']);
    app.link();
    expect([app.replay.movesOfSideline, app.exploring, app.fen, browser.word('position'), browser.word('follow')]).toEqual([['e2e4'], false, E4.fen, null, '1']);
  });

  it('in the explorer as a line of its own', async () => {
    void app.selectTab('explorer');
    void app.explore((explorer) => explorer.begin(START_FEN));
    app.playOnBoard(E4);
    expect(app.explorer.line.map(({ san }) => san)).toEqual(['', 'e4']);
    expect([app.replay.sideline, app.exploring, app.fen, browser.word('position')?.split('_')[1]]).toEqual([null, true, E4.fen, 'b']);
    await port.next('explore', next);
    app.playOnBoard(playMove(E4.fen, 'e7e5')!);
    expect(app.explorer.line.map(({ san }) => san)).toEqual(['', 'e4', 'e5']);
  });

  it('and on a board without a game in the explorer', () => {
    app.replay.clear();
    app.playOnBoard(E4);
    expect([app.tab, app.explorer.line.length, app.replay.sideline]).toEqual(['explorer', 2, null]);
  });

  it('its position replaces the query, or joins it', async () => {
    app.panels.tab = 'explorer';
    void app.searchPosition('structure "8"', 'replace');
    expect([browser.word('q'), app.tab]).toEqual(['structure "8"', 'games']);
    await run(4);
    void app.searchPosition('check', 'add');
    await port.next('compose', { together: '{ structure "8" and check }', apart: '' });
    expect(browser.word('q')).toBe('{ structure "8" and check }');
  });

  it('the link has the game that the board shows by itself', () => {
    browser.install();
    expect(browser.word('game')).toBeNull();
    app.link();
    expect([browser.word('game'), browser.word('ply')]).toEqual(['5', '2']);
  });
});

describe('a pasted text', () => {
  it('of moves is a line, of a FEN a position, in the explorer', async () => {
    expect(await app.imports.paste('1. e4 e5 2. Ke3')).toBe('2 moves on the board; Ke3 is not possible after that.');
    expect([app.tab, ...app.explorer.line.map(({ san }) => san)]).toEqual(['explorer', '', 'e4', 'e5']);
    expect(await app.imports.paste(FEN)).toBe('The position is on the board.');
    expect(app.explorer.line.map(({ fen }) => fen)).toEqual([FEN]);
  });

  it('of games is imported as a file', async () => {
    void app.imports.paste('[Event "?"]\n\n1. e4 *');
    await Promise.resolve();
    const [nth] = port.open('import');
    const request = port.asked[nth ?? -1];
    expect(request?.method === 'import' && request.params.files.map(({ name }) => name)).toEqual(['Pasted games.pgn']);
  });

  it('of anything else changes nothing, and says so', async () => {
    const before = browser.hash;
    expect(await app.imports.paste('hello there')).toMatch(/no PGN, no FEN and no list of moves/);
    expect(browser.hash).toBe(before);
  });

  it('on the page of transforms a FEN is its position', async () => {
    void app.pages.openTransforms(START_FEN);
    await app.imports.paste(FEN);
    expect([app.page, app.transforms.position]).toEqual(['transforms', FEN]);
  });
});

describe('without a query', () => {
  const MOVES = { games: 3, white: 0, draw: 0, black: 0, unknown: 3, positions: 3, moves: [] };

  it('all games are shown, each from its start', async () => {
    await begin('');
    expect([app.search.text, app.search.result?.games, app.search.isAnswered(), app.replay.ply]).toEqual(['', 2, true, 0]);
    expect([browser.word('corpus'), browser.word('q'), browser.at]).toEqual(['one', null, 0]);
  });

  it('the text leaves the address when it is emptied', async () => {
    vi.useFakeTimers();
    app.search.typed('');
    vi.runAllTimers();
    vi.useRealTimers();
    await run(4, 7, 9);
    expect([browser.word('q'), browser.at, app.search.result?.games]).toEqual([null, 1, 3]);
  });

  it('the explorer begins at the start position, and returns to the matches of a query', async () => {
    await begin('');
    void app.selectTab('explorer');
    await new Promise((resolve) => setTimeout(resolve));
    expect(app.explorer.here?.fen).toBe(START_FEN);
    expect(port.open('query')).toEqual([]);
    await port.next('explore', MOVES);
    expect(app.explorer.found?.games).toBe(3);
    // The best games of the position.
    await port.next('query', result(1));
    void app.ask('check');
    await run(4);
    expect([app.explorer.here, browser.word('position'), browser.word('q')]).toEqual([null, null, 'check']);
  });

  it('another corpus shows all its games, and the demo its first query', async () => {
    await begin('');
    void app.openCorpus('two');
    await port.next('open', corpus('two'));
    await run(1);
    expect([browser.word('corpus'), browser.word('q'), app.search.result?.games]).toEqual(['two', null, 1]);
    app.library.corpora = [...app.library.corpora, { ...corpus('demo'), name: 'Demo games' }];
    void app.imports.demo();
    await port.next('open', corpus('demo'));
    await run(1);
    expect([browser.word('corpus'), browser.word('q')]).toEqual(['demo', 'queens_off']);
  });
});

describe('a change of the form', () => {
  const added = () => void app.change(() => ({ kind: 'added', text: 'check' }));
  const settled = () => new Promise((resolve) => setTimeout(resolve));

  it('joins the query', async () => {
    added();
    await settled();
    await port.next('changed', 'queens_off and check');
    expect([app.search.text, browser.word('q')]).toEqual(['queens_off and check', 'queens_off and check']);
  });

  it('gives way to what is typed meanwhile, even if it is a space yet', async () => {
    for (const typed of ['queens_off ', 'queens']) {
      app.search.take('queens_off');
      added();
      await settled();
      app.search.typed(typed);
      await port.next('changed', 'queens_off and check');
      expect([app.search.text, browser.word('q')]).toEqual([typed, 'queens_off']);
    }
  });
});

describe('a first visit', () => {
  const visit = (hash: string, last = '') => {
    browser = new FakeBrowser().install();
    browser.entries[0] = { hash, state: null };
    if (last) localStorage.setItem('plyfold.corpus', last);
    port = new Hand();
    return new App(new EngineClient(() => port));
  };

  it('is one without games that are known of and without a place in the address', () => {
    expect([visit('').isFirstVisit, visit('#q=check').isFirstVisit, visit('', 'one').isFirstVisit]).toEqual([true, false, false]);
  });

  it('answers what was asked before the engine was there', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('games')));
    app = visit('');
    const start = app.start();
    void app.imports.demo('check');
    await port.next('hello', { build: 'single', threads: 1, reason: '', storage: true, cancel: null, outputs: [], corpora: [] });
    await start;
    expect([app.ready, app.search.text, app.library.importing.phase]).toEqual([true, 'check', 'running']);
  });

  it('lets the demo be cancelled while it is fetched', async () => {
    vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) => new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))));
    app = visit('');
    const done = app.imports.demo();
    app.library.cancelImport();
    await done;
    expect(app.library.importing.phase).toBe('idle');
  });
});

describe('a second visit', () => {
  const visit = (hash: string) => {
    browser = new FakeBrowser().install();
    browser.entries[0] = { hash, state: null };
    localStorage.setItem('plyfold.corpus', 'one');
    port = new Hand();
    app = new App(new EngineClient(() => port));
    void app.start();
  };

  it('shows what its address says before the engine is there', () => {
    visit('#corpus=one&q=check&tab=heatmap');
    expect([app.isReturning, app.search.text, app.tab]).toEqual([true, 'check', 'heatmap']);
  });

  it('waits with another page and with other games', () => {
    const shown = ['#page=transforms', '#corpus=two&q=check', ''].map((hash) => (visit(hash), app.isReturning));
    expect(shown).toEqual([false, false, true]);
  });
});
