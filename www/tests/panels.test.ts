// Two panels beside the board: which views they show, and what the address says of them.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import { App } from '../src/state/app.svelte';
import { FIRST_SHARES, LEAST_SHARE, Panels } from '../src/state/panels.svelte';
import { START_FEN } from '../src/state/replay.svelte';
import { FakeBrowser } from './browser';
import { Hand } from './hand';
import { corpus, game, result } from './results';

let browser: FakeBrowser;

beforeEach(() => {
  browser = new FakeBrowser();
  browser.isWide = true;
  browser.install();
});
afterEach(() => void vi.unstubAllGlobals());

function two(): Panels {
  const panels = new Panels();
  panels.follow();
  return panels;
}

describe('two panels', () => {
  it('show the moves and the games first', () => {
    const panels = two();
    expect([panels.ofBoard, panels.ofResults]).toEqual(['moves', 'games']);
    expect(['moves', 'games', 'explorer', 'heatmap'].map((tab) => panels.isShown(tab))).toEqual([true, true, false, false]);
  });

  it('change one at a time', () => {
    const panels = two();
    panels.choose('heatmap');
    panels.choose('explorer');
    expect([panels.ofBoard, panels.ofResults, panels.tab, panels.other]).toEqual(['explorer', 'heatmap', 'explorer', 'heatmap']);
    panels.choose('games');
    expect([panels.ofBoard, panels.ofResults, panels.tab, panels.other]).toEqual(['explorer', 'games', 'games', 'explorer']);
    panels.choose('moves');
    expect([panels.ofBoard, panels.ofResults, panels.tab, panels.other]).toEqual(['moves', 'games', 'games', '']);
  });

  it('have a share of the height that is kept', () => {
    const panels = two();
    expect(panels.share).toBe(FIRST_SHARES.moves);
    panels.divide(0.5);
    expect(two().share).toBe(0.5);
    panels.divide(0.01);
    expect([panels.share, two().share]).toEqual([LEAST_SHARE, LEAST_SHARE]);
    // Each view of the board has its own.
    panels.choose('explorer');
    expect(panels.share).toBe(FIRST_SHARES.explorer);
    panels.choose('moves');
    panels.divide();
    expect(panels.share).toBe(FIRST_SHARES.moves);
  });
});

it('one panel shows one view', () => {
  const panels = new Panels();
  panels.choose('explorer');
  expect([panels.isShown('explorer'), panels.isShown('games'), panels.isShown('moves')]).toEqual([true, false, false]);
  panels.choose('games');
  expect([panels.isShown('explorer'), panels.other]).toEqual([false, '']);
});

describe('the page with two panels', () => {
  let port: Hand;
  let app: App;

  async function begin(hash: string): Promise<void> {
    browser.entries[0] = { hash, state: null };
    port = new Hand();
    app = new App(new EngineClient(() => port));
    const start = app.start();
    await port.next('hello', { build: 'single', threads: 1, reason: '', storage: true, cancel: null, outputs: [], corpora: [corpus('one')] });
    await port.next('open', corpus('one'));
    await port.next('sets', []);
    await port.next('check', null);
    await port.next('query', result(4, 7));
    await port.next('game', game(4));
    // The explorer asks for more, which is of no interest here.
    void start;
  }

  it('asks for what both show', async () => {
    await begin('#q=queens_off&tab=heatmap&beside=explorer');
    const asked = port.asked.find(({ method }) => method === 'query');
    expect(asked).toMatchObject({ params: { outputs: { heatmap: true, next: true } } });
    expect([browser.word('tab'), browser.word('beside')]).toEqual(['heatmap', 'explorer']);
  });

  it('keeps the explorer on the board while another view of the results is shown, until a game is chosen', async () => {
    await begin('#q=queens_off');
    void app.exploreFrom(START_FEN);
    expect(app.exploring).toBe(true);
    void app.selectTab('structures');
    expect([app.exploring, browser.word('tab'), browser.word('beside')]).toEqual([true, 'structures', 'explorer']);
    void app.selectTab('engine');
    expect([app.exploring, browser.word('position')?.slice(0, 8)]).toEqual([true, START_FEN.slice(0, 8)]);
    void app.selectGame(7);
    expect([app.exploring, app.explorer.following]).toEqual([false, true]);
  });

  it('goes back to the game with its moves', async () => {
    await begin('#q=queens_off');
    void app.exploreFrom(START_FEN);
    void app.selectTab('moves');
    expect([app.exploring, app.panels.ofBoard]).toEqual([false, 'moves']);
    void app.selectTab('engine');
    expect(app.exploring).toBe(false);
  });

  it('shows the games of a new question on the board', async () => {
    await begin('#q=queens_off');
    void app.exploreFrom(START_FEN);
    app.show('games');
    expect([app.exploring, app.panels.ofBoard]).toEqual([false, 'explorer']);
  });
});
