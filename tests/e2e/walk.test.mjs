// The main walk, the same in Chromium, Firefox and WebKitGTK: import, results, a query, stepping with a held key,
// every tab, another page and back, reload, Back, a link, and a second tab on the same corpus.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { delay } from './delay.mjs';
import { inFirefox, inWebKit, playwrightTab } from './drivers.mjs';
import { serve } from './serve.mjs';
import { closeBrowser, dist, onSite, THREE_GAMES } from './site.mjs';

after(closeBrowser);

/** The knights go out and home again, so that an arrow key can be held for long. */
const LONG_GAME = `[White "Dora"]\n[Black "Emil"]\n[Result "1/2-1/2"]\n\n${Array.from({ length: 100 }, (_, nth) => `${nth + 1}. ${nth % 2 ? 'Ng1 Ng8' : 'Nf3 Nf6'}`).join('\n')} 1/2-1/2\n`;
/** More than WebKit's limit of 100 changes of the address in 10 seconds. */
const HELD = 150;

/** The numbers of games and positions, once the result is there. */
async function numbers(tab) {
  await tab.until(() => document.querySelector('[data-test=status][aria-busy=false] [data-test=games]') !== null);
  return tab.run(() => ['games', 'positions'].map((name) => Number(document.querySelector(`[data-test=${name}]`).textContent.replace(/\D/g, ''))));
}

const addressed = (tab, name, value) => tab.until((name, value) => new URLSearchParams(location.hash.slice(1)).get(name) === value, name, value);
const plyShown = (tab, ply) => tab.until((ply) => document.querySelector('[data-test=ply]')?.textContent === ply, ply);

async function ask(tab, query) {
  await tab.type('#query', query);
  await addressed(tab, 'q', query);
  return numbers(tab);
}

/** The page keeps what goes wrong in it, since not every driver reports it. */
const watch = (tab) =>
  tab.run(() => {
    window.wrong = [];
    addEventListener('error', (event) => window.wrong.push(event.message));
    addEventListener('unhandledrejection', (event) => window.wrong.push(String(event.reason)));
  });
const wrong = (tab) => tab.run(() => [...window.wrong, ...[...document.querySelectorAll('[role=alert]')].map((alert) => alert.textContent.trim())]);

async function reload(tab) {
  await tab.run(() => void (window.isOld = true));
  await tab.reload();
  await tab.until(() => window.isOld === undefined);
}

/** @param {import('./drivers.mjs').Tab} tab */
async function walk(tab, url) {
  const folder = await mkdtemp(join(tmpdir(), 'plyfold-walk-'));
  try {
    const file = join(folder, 'four.pgn');
    await writeFile(file, `${THREE_GAMES}\n${LONG_GAME}`);
    await tab.go(url);
    await tab.until(() => document.querySelector('[data-test=demo]') !== null);
    // The first visit to a host may reload once.
    await tab.until(() => document.querySelector('[data-test=demo]') !== null && document.readyState === 'complete');
    await watch(tab);
    await tab.give('[data-test=files]', [file]);
    assert.deepEqual(await numbers(tab), [4, 227], 'all games');
    const report = await tab.run(() => document.querySelector('[data-test=report]')?.textContent ?? '');
    assert.match(report, /4 games imported/);
    const isKept = !/are lost when the page closes/.test(report);
    assert.match(await tab.run(() => document.querySelector('[data-test=badge]').textContent), /^\d+ threads?(: .+)?$/);

    assert.deepEqual(await ask(tab, 'castled_short or check'), [2, 12]);
    // From ply 3 to 17 in the first game, at plies 3 and 4 in the third, and 50 times for two plies in the long one.
    const asked = await ask(tab, 'white knight on f3');
    assert.deepEqual(asked, [3, 15 + 2 + 100]);

    // A held arrow key: the board goes on, the address follows.
    await tab.click('#row-2');
    await plyShown(tab, '1/200');
    await tab.run(() => document.activeElement.blur());
    await tab.hold('ArrowRight', HELD);
    await plyShown(tab, `${HELD + 1}/200`);
    await addressed(tab, 'ply', String(HELD + 1));
    assert.deepEqual(await wrong(tab), []);

    for (const name of ['positions', 'heatmap', 'structures', 'explorer', 'counts', 'games']) {
      await tab.click(`#tab-${name}`);
      await addressed(tab, 'tab', name === 'games' ? null : name);
      await tab.until((name) => document.querySelector(`#tab-${name}`).ariaSelected !== 'false' && document.querySelector('[data-test=status]').getAttribute('aria-busy') === 'false', name);
      await tab.until(() => document.querySelector('#results').textContent.trim().length > 20);
      assert.deepEqual([name, await wrong(tab)], [name, []]);
    }

    await ask(tab, 'queens_off');
    await tab.back();
    await addressed(tab, 'q', 'white knight on f3');
    assert.deepEqual(await numbers(tab), asked, 'after Back');
    await plyShown(tab, `${HELD + 1}/200`);
    const link = await tab.run(() => location.href);
    if (!isKept) {
      await walkToMissing(tab, link, file);
      return;
    }

    // Another page and back; then a reload.
    await tab.go(`${url}icon.svg`);
    await tab.back();
    assert.deepEqual(await numbers(tab), asked, 'after another page');
    await plyShown(tab, `${HELD + 1}/200`);
    await reload(tab);
    assert.deepEqual(await numbers(tab), asked, 'after a reload');
    await plyShown(tab, `${HELD + 1}/200`);
    assert.equal(await tab.run(() => location.href), link);

    // A second tab reads the same corpus, and the link shows the same there.
    const second = await tab.another();
    await second.go(link);
    await watch(second);
    assert.deepEqual(await numbers(second), asked, 'in a second tab');
    await plyShown(second, `${HELD + 1}/200`);
    assert.deepEqual(await ask(second, 'check'), [2, 2]);
    assert.deepEqual(await wrong(second), []);
    assert.deepEqual(await ask(tab, 'queens_off'), [1, 2], 'in the first tab, while the second is open');
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Where the browser keeps no files, a reload loses the games: the page says which ones the link needs, and then shows its place. */
async function walkToMissing(tab, link, file) {
  const before = await numbers(tab);
  await reload(tab);
  await tab.until(() => document.querySelector('[data-test=missing]')?.textContent.includes('four'));
  await tab.give('[data-test=files]', [file]);
  assert.deepEqual(await numbers(tab), before, 'after the file was imported again');
  await plyShown(tab, `${HELD + 1}/200`);
  assert.equal(await tab.run(() => location.href), link);
}

async function served(test) {
  const server = await serve(dist);
  try {
    await test(server.url);
  } finally {
    await server.close();
  }
}

/** With a delay, only Chromium is slowed down, so the others would walk the same way twice. */
const skip = delay > 0 && 'this browser is not slowed down';

// For a plain image, Chromium asks the host for a favicon.
test('the walk in Chromium', () => onSite({ open: false, offline: true, tolerate: /404 \(Not Found\)/ }, ({ page, url }) => walk(playwrightTab(page), url)));
test('the walk in Firefox', { skip }, () => served((url) => inFirefox((tab) => walk(tab, url))));
test('the walk in WebKitGTK', { skip }, () => served((url) => inWebKit((tab) => walk(tab, url))));
