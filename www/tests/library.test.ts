// A published library on the page: where its address comes from, what happens before the user agrees to another host, its first
// page, and answers that grow as its parts arrive.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import type { Arrived, CorpusInfo, PublishedInfo } from '../src/engine/protocol';
import { App } from '../src/state/app.svelte';
import { FakeBrowser } from './browser';
import { Hand } from './hand';
import { game, result } from './results';

const corpus = (id: string, kept: CorpusInfo['kept'] = 'library'): CorpusInfo => ({ id, name: id, games: 6, plies: 30, size_bytes: 0, created_ms: 0, kept });
const info = (): PublishedInfo => ({ address: 'https://club.example/library.json', title: 'Club', updated_ms: 0, about: '', questions: [], corpora: [corpus('library.a'), corpus('library.b')], tables: '', note: '', trust_note: '' });
const arrived = (parts: number, changed: Partial<Arrived> = {}): Arrived => ({ corpus: 'library.a', games: parts * 2, plies: parts * 10, parts, parts_fitting: 3, parts_total: 3, running: parts < 3, trouble: '', storage_note: '', ...changed });
const settle = () => new Promise((resolve) => setTimeout(resolve));

let browser: FakeBrowser;
let port: Hand;
let app: App;
let started: Promise<void>;

/** The page at an address; \`library\` is what the publisher has written into it. */
async function begin({ page = 'https://club.example/', library = 'library.json', hash = '' } = {}): Promise<void> {
  browser = new FakeBrowser();
  Object.assign(browser, { page, library });
  browser.install();
  browser.entries[0] = { hash, state: null };
  vi.stubGlobal('navigator', {});
  port = new Hand();
  app = new App(new EngineClient(() => port));
  started = app.start();
  await port.next('hello', { build: 'single', threads: 1, reason: '', storage: true, cancel: null, outputs: [], corpora: [corpus('own', 'device')] });
}

/** What the worker says by itself. */
async function say(notice: Arrived): Promise<void> {
  port.onmessage?.({ data: { state: 'arrived', arrived: notice } });
  await settle();
}

async function run(...ids: number[]): Promise<void> {
  if (port.open('check').length > 0) await port.next('check', null);
  await port.next('query', result(...ids));
}

/** A link into the library whose first part is there. */
async function linked(hash: string, ...ids: number[]): Promise<void> {
  await begin({ hash });
  await port.next('library', info());
  port.onmessage?.({ data: { state: 'arrived', arrived: arrived(1) } });
  await port.next('open', corpus('library.a'));
  if (port.open('sets').length > 0) await port.next('sets', []);
  await run(...ids);
}

afterEach(() => void vi.unstubAllGlobals());

describe('the address of the library', () => {
  const asked = () => port.asked.find(({ method }) => method === 'library' || method === 'isKept')?.params;

  it('is the one that the publisher wrote into the page, relative to it', async () => {
    await begin({ page: 'https://club.example/games/' });
    expect([port.open('library').length, asked()]).toEqual([1, { address: 'https://club.example/games/library.json', keep: true }]);
  });

  it('is the one in the address of the page, which may name a folder', async () => {
    await begin({ page: 'https://club.example/?library=other/', library: '' });
    expect(asked()).toEqual({ address: 'https://club.example/other/library.json', keep: true });
  });

  it('of other kinds is none', async () => {
    for (const named of ['javascript:alert(1)', 'data:,x', 'file:///etc/passwd', 'https://']) {
      await begin({ page: `https://club.example/?library=${encodeURIComponent(named)}`, library: '' });
      expect([asked(), app.published.isWanted]).toEqual([undefined, false]);
      await port.next('open', corpus('own', 'device'));
    }
  });
});

describe('a link to a file of games', () => {
  const FILE = 'https://other.example/games.pgn.zst';
  const linkedTo = (hash = '#q=check&game=2', kept = {}) => {
    const begun = begin({ page: `https://club.example/?corpus=${encodeURIComponent(FILE)}`, hash });
    localStorage.setItem('plyfold.linked', JSON.stringify(kept));
    return begun;
  };

  const opened = () => port.asked.findLast(({ method }) => method === 'open')?.params;

  it('asks the user before it asks the host, tells the size, and then shows what it says', async () => {
    await linkedTo();
    await started;
    expect([app.linked.state, app.gate.awaitsFile, app.published.isWanted, port.open('sizeOf').length]).toEqual([{ phase: 'asking' }, true, false, 0]);
    void app.linked.agree();
    await port.next('sizeOf', { bytes: 1000 });
    expect([app.linked.state, port.open('importFrom').length]).toEqual([{ phase: 'sized', bytes: 1000 }, 0]);
    void app.gate.takeFile();
    await settle();
    expect(port.asked.at(-1)).toMatchObject({ method: 'importFrom', params: { address: FILE, name: 'games' } });
    await port.next('importFrom', { corpus: corpus('games', 'device'), refusals: [], refused: 0, in_part: 0, notes: [], skipped: [], elapsed_ms: 1, bytes: 1, storage_note: '', memory_bytes: 0 });
    await port.next('list', [corpus('own', 'device'), corpus('games', 'device')]);
    await port.next('open', corpus('games', 'device'));
    await run(0, 1);
    expect([app.gate.awaitsFile, app.search.text, app.chosen, app.library.current?.id]).toEqual([false, 'check', 1, 'games']);
    expect(app.linked.kept).toBe('games');
  });

  it('opens what came of it on an earlier visit', async () => {
    await linkedTo('#q=check', { [FILE]: 'own' });
    expect([opened(), app.gate.awaitsFile]).toEqual([{ corpus: 'own' }, false]);
  });

  it('can be declined, and says why it fails', async () => {
    await linkedTo();
    await started;
    void app.linked.agree();
    await port.fail(port.open('sizeOf')[0] ?? -1, 'other.example does not have games.pgn.zst');
    expect(app.linked.state).toEqual({ phase: 'failed', message: 'other.example does not have games.pgn.zst.' });
    void app.gate.declineFile();
    await settle();
    expect([app.gate.awaitsFile, opened()]).toEqual([false, { corpus: 'own' }]);
  });
});

describe('another host', () => {
  const elsewhere = () => begin({ page: 'https://club.example/?library=https%3A%2F%2Fother.example%2Flibrary.json', hash: '#corpus=library.a&q=check' });

  it('is asked for nothing before the user agrees, and for no games before the user knows how many', async () => {
    await elsewhere();
    await port.next('isKept', false);
    await started;
    expect([app.published.state, app.gate.awaitsLibrary, port.open('library').length]).toEqual([{ phase: 'asking', host: 'other.example' }, true, 0]);
    void app.published.agree();
    expect(port.asked.filter(({ method }) => method === 'library').map(({ params }) => params)).toEqual([{ address: 'https://other.example/library.json', keep: false }]);
    await port.next('library', info());
    expect([app.published.state.phase, port.open('open').length, app.library.corpora.length]).toEqual(['sized', 0, 1]);
    void app.gate.takeLibrary();
    await port.next('keepLibrary', null);
    await settle();
    expect([app.gate.awaitsLibrary, port.open('open').length, app.library.corpora.map(({ id }) => id)]).toEqual([false, 1, ['own', 'library.a', 'library.b']]);
  });

  it('has several corpora that a link opens together, if it has them all', async () => {
    await begin({ hash: '#corpus=library.a|b&q=check' });
    await port.next('library', info());
    expect(port.asked.findLast(({ method }) => method === 'open')?.params).toEqual({ corpus: 'library.a|b' });
    await begin({ hash: '#corpus=library.a|x&q=check' });
    await port.next('library', info());
    await started;
    expect(app.missing?.corpus).toBe('library.a|x');
  });

  it('is asked at once if this device has kept its library', async () => {
    await elsewhere();
    await port.next('isKept', true);
    expect(port.open('library').length).toBe(1);
  });

  it('can be declined', async () => {
    await elsewhere();
    await port.next('isKept', false);
    await started;
    void app.gate.declineLibrary();
    await settle();
    // The link leads to games that are not here.
    expect([app.gate.awaitsLibrary, app.missing?.corpus, port.open('library').length]).toEqual([false, 'library.a', 0]);
  });
});

describe('the first page', () => {
  it('is shown at the empty address, also when the user goes back there', async () => {
    await begin();
    await port.next('library', info());
    await started;
    expect([app.ready, app.library.current, port.open('open').length]).toEqual([true, null, 0]);
    void app.askElsewhere('library.b', 'check', 'games');
    await port.next('open', corpus('library.b'));
    expect([browser.word('corpus'), app.library.current?.id]).toEqual(['library.b', 'library.b']);
    browser.back();
    await settle();
    expect([app.library.current, browser.hash]).toEqual([null, '']);
  });

  it('says what went wrong, and a second try goes on as if nothing had', async () => {
    await begin({ hash: '#corpus=library.a' });
    await port.fail(port.open('library')[0] ?? -1, 'the host of this page cannot be reached', 'host');
    await started;
    expect(app.published.state).toEqual({ phase: 'failed', message: 'The host of this page cannot be reached.' });
    void app.gate.takeLibrary();
    await port.next('library', info());
    expect(port.open('open').length).toBe(1);
  });

  it('leads to the first corpus for a question without one', async () => {
    await begin({ hash: '#q=check' });
    await port.next('library', info());
    expect(port.asked.find(({ method }) => method === 'open')?.params).toEqual({ corpus: 'library.a' });
  });
});

describe('answers', () => {
  it('grow with each part that arrives', async () => {
    await linked('#corpus=library.a&q=check', 0);
    await say(arrived(2));
    await run(0, 2);
    expect([app.search.result?.games, app.published.arrived?.parts]).toEqual([2, 2]);
    await say(arrived(3));
    await port.next('sets', []);
    await run(0, 2, 4);
    expect(app.search.result?.games).toBe(3);
  });

  it('are asked for again once, after the one that is on its way', async () => {
    await linked('#corpus=library.a&q=check', 0);
    await say(arrived(2));
    await port.next('check', null);
    expect(port.open('query').length).toBe(1);
    await say(arrived(2, { games: 5 }));
    await say(arrived(2, { games: 6 }));
    expect(port.open('query').length).toBe(1);
    await port.next('query', result(0));
    await run(0, 2);
    expect([app.search.result?.games, port.open('check').length, port.open('query').length]).toEqual([2, 0, 0]);
  });

  it('are not asked for because of another corpus, or of a notice without games', async () => {
    await linked('#corpus=library.a&q=check', 0);
    await say(arrived(1, { running: false }));
    await say(arrived(2, { corpus: 'library.b' }));
    expect([port.open('check').length, port.open('query').length]).toEqual([0, 0]);
  });

  it('do not replace a text that the user is typing', async () => {
    await linked('#corpus=library.a&q=check', 0);
    app.search.typed('mat');
    app.search.cancel();
    await say(arrived(2));
    expect([port.open('check').length, app.search.answered]).toEqual([0, 'check']);
  });

  it('come again for a name that only a later part has', async () => {
    await linked('#corpus=library.a', 0);
    void app.ask('player "Anna"');
    await port.next('check', { message: 'nobody is called Anna', start: 0, end: 1, nearest: '' } as never);
    expect(app.search.problem).not.toBeNull();
    await say(arrived(2));
    await run(2);
    expect([app.search.problem, app.search.result?.games]).toEqual([null, 1]);
  });
});

describe('a game of a link', () => {
  it('that has not arrived waits, with its place in the address', async () => {
    await linked('#corpus=library.a&q=check&game=5&ply=1', 0);
    expect([app.awaited?.id, port.open('game').length, browser.word('ply')]).toEqual([4, 0, '1']);
    await say(arrived(2));
    await run(0, 2);
    expect([port.open('game').length, browser.word('game'), browser.word('ply')]).toEqual([0, '5', '1']);
    await say(arrived(3));
    await run(0, 2, 4);
    expect(browser.word('ply')).toBe('1');
    await port.next('game', game(4));
    expect([app.awaited, app.replay.game?.row.id, app.replay.ply, browser.word('ply')]).toEqual([null, 4, 1, '1']);
  });

  it('is forgotten when the user chooses another one', async () => {
    await linked('#corpus=library.a&q=check&game=5&ply=1', 0);
    void app.selectGame(0);
    await port.next('game', game(0));
    expect([browser.word('game'), app.replay.game?.row.id]).toEqual(['1', 0]);
    await say(arrived(3));
    await run(0, 4);
    expect(browser.word('game')).toBe('1');
  });
});

it('the arrival can be stopped and goes on, and says why it does not', async () => {
  await linked('#corpus=library.a&q=check', 0);
  void app.published.arrive(false);
  await port.next('arrive', null);
  await say(arrived(1, { running: false }));
  expect(app.published.arrived?.running).toBe(false);
  void app.published.arrive(true);
  await port.fail(port.open('arrive')[0] ?? -1, 'the engine stopped');
  expect(app.published.arrived?.trouble).toBe('The engine stopped.');
});
