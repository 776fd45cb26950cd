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
      'Without count(white queen) >= 9, 2 games would match. Remove it',
      'Without black elo > 3000, 1 game would match. Remove it',
    ]);
    await page.getByRole('button', { name: 'Remove the condition count(white queen) >= 9' }).click();
    await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get('q') === 'check');
    assert.deepEqual(await answer(page), { games: 2, positions: 2 });
    await page.goBack();
    await page.locator('[data-test=empty]').waitFor();
  });
});
