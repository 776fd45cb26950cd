// A query without results names the condition that removed everything.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, ask, closeBrowser, give, onSite, THREE_GAMES } from './site.mjs';

after(closeBrowser);

/** The engine's reply to `without`, given by the test. */
const PATCH = `{
  const listeners = [];
  Object.defineProperty(self, 'onmessage', { set: (listener) => listeners.push(listener) });
  addEventListener('message', (event) => {
    const { number, method } = event.data ?? {};
    if (method !== 'without') return listeners.forEach((listener) => listener(event));
    postMessage({ number, state: 'done', result: [
      { condition: 'check', query: 'count(white queen) >= 9', games: 0 },
      { condition: 'count(white queen) >= 9', query: 'check', games: 2 },
      { condition: 'black elo > 3000', query: 'white pawn on e4', games: 1 },
    ] });
  });
}`;

test('without each condition, so many games would match; a click removes it', async () => {
  await onSite({ patch: PATCH }, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    assert.deepEqual(await ask(page, 'check and count(white queen) >= 9'), { games: 0, positions: 0 });
    const lines = page.locator('[data-test=empty] li');
    await lines.first().waitFor();
    assert.deepEqual((await lines.allTextContents()).map((text) => text.replace(/\s+/g, ' ').trim()), [
      'Without “at least 9 white queen”, 2 games would match. Remove it',
      'Without “Black rated from 3001”, 1 game would match. Remove it',
    ]);
    await lines.first().getByRole('button', { name: 'Remove the condition at least 9 white queen' }).click();
    await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get('q') === 'check');
    assert.deepEqual(await answer(page), { games: 2, positions: 2 });
    await page.goBack();
    await page.locator('[data-test=empty]').waitFor();
  });
});

test('a game on the board that is no match says why', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    const why = page.locator('[data-test=why-not]');
    const open = async (query) => {
      await page.goto(`${page.url().split('#')[0]}#corpus=three&q=${encodeURIComponent(query)}&game=1&ply=4`);
      await page.waitForFunction((query) => document.querySelector('#query').value === query, query);
      await why.locator('summary').click();
      await why.locator('li').first().waitFor();
      return (await why.textContent()).replace(/\s+/g, ' ');
    };
    assert.match(await open('white knight on f3 and checkmate'), /holds: white knight on f3.*fails: checkmate.*It matches without checkmate/);
    assert.match(await open('white queen on d8 before move 3'), /fails: white queen on d8 until move 2 holds at 1 position, but not when it must 8\. Qxd8\+/);
    await why.getByRole('button', { name: '8. Qxd8+' }).click();
    await page.waitForFunction(() => /ply=15\b/.test(location.hash));
    assert.match(await open('{ white knight on f3 and white pawn on d5 and queens_off }'), /nearest where .* holds, but not white pawn on d5/);
  });
});
