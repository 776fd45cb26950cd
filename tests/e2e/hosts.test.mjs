// Different hosts: with headers and without, under a sub-path, and offline.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { activated, answer, ask, closeBrowser, give, onSite, ready, THREE_GAMES } from './site.mjs';

after(closeBrowser);

test('headers: threads', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    assert.match(await page.textContent('[data-test=badge]'), /^\d+ threads?$/);
  });
});

test('no headers and no service worker: the single build, and it says so', async () => {
  await onSite({ server: { isolated: false }, context: { serviceWorkers: 'block' }, tolerate: /service worker/i }, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    assert.deepEqual(await answer(page), { games: 3, positions: 27 });
    assert.match(await page.textContent('[data-test=badge]'), /1 thread: .*headers/);
    assert.deepEqual(await ask(page, 'check'), { games: 2, positions: 2 });
  });
});

test('no headers: the service worker adds them, and threads come', async () => {
  await onSite({ server: { isolated: false } }, async ({ page }) => {
    await page.waitForFunction(() => crossOriginIsolated, undefined, { timeout: 30_000 });
    await ready(page);
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    assert.match(await page.textContent('[data-test=badge]'), /^\d+ threads?$/);
  });
});

test('a sub-path of a host', async () => {
  await onSite({ server: { prefix: '/some/where/plyfold/' } }, async ({ page, url }) => {
    assert.match(url, /\/some\/where\/plyfold\/$/);
    await page.click('[data-test=demo]');
    assert.ok((await answer(page)).games > 500);
  });
});

test('no network after the first load', async () => {
  await onSite({ offline: true, tolerate: /ERR_CONNECTION_REFUSED/ }, async ({ page, server }) => {
    await activated(page);
    await server.close();
    await page.reload();
    await ready(page);
    await page.click('[data-test=demo]');
    assert.ok((await answer(page)).games > 500);
    assert.match(await page.textContent('[data-test=badge]'), /^\d+ threads?$/);
  });
});
