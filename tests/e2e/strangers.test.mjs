// Libraries of other hosts: the user is asked first, no host leads to another, and none changes or finds what this device keeps of
// another library.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { BLOCKED, complete, firstPage, grown, library, NO_WORKER, onLibrary, open, PLAIN, scansOf } from './publishedsite.mjs';
import { serve } from './serve.mjs';
import { answer, closeBrowser, onSite } from './site.mjs';

after(closeBrowser);

test('a library of another host is asked about first', async () => {
  const games = library(2);
  const other = await serve(games.out, { isolated: false, prefix: '/there/', cors: true });
  try {
    for (const isolated of [true, false]) {
      const path = `?library=${encodeURIComponent(`${other.url}library.json`)}`;
      other.asked.length = 0;
      await onSite({ server: { ...PLAIN, isolated }, context: BLOCKED, path, open: false, tolerate: NO_WORKER, elsewhere: new RegExp(`^${other.url}`) }, async ({ page, url }) => {
        await page.goto(`${url}${path}#corpus=library.club+games&q=queens_off`);
        const { host } = new URL(other.url);
        await page.locator('[data-test=library-gate] h2', { hasText: `Open the library at ${host}?` }).waitFor();
        assert.match(await page.textContent('[data-test=host-says]'), /learns the address of your device and which games you open/);
        assert.deepEqual(other.asked, []);
        await page.click('[data-test=agree]');
        assert.match(await page.textContent('[data-test=library-size]'), new RegExp(`^${host} has 4 games, updated .* All of them are [\\d.]+ k?B to load`));
        assert.deepEqual(scansOf(other), []);
        await page.click('[data-test=take]');
        assert.equal((await answer(page)).games > 0, true);
        await page.locator('[data-test=games]', { hasText: '2 games' }).waitFor();
        await page.locator('[data-test=moves]', { hasText: 'a remark of part 1' }).waitFor();
        assert.match(page.url(), /\?library=.*#corpus=library\.club\+games&q=queens_off/);
        // Next time, the browser knows the host.
        await page.reload();
        await grown(page, 2);
      });
    }
  } finally {
    await other.close();
  }
});

test('a library that the user looked at and did not want is asked about again', async () => {
  const games = library(1);
  const other = await serve(games.out, { isolated: false, cors: true });
  try {
    const path = `?library=${encodeURIComponent(other.url)}`;
    await onSite({ server: PLAIN, context: BLOCKED, open: false, tolerate: NO_WORKER, elsewhere: new RegExp(`^${other.url}`) }, async ({ page, url }) => {
      await page.goto(url + path);
      await page.click('[data-test=agree]');
      await page.locator('[data-test=library-size]').waitFor();
      await page.click('[data-test=decline]');
      await page.locator('[data-test=demo]').waitFor();
      other.asked.length = 0;
      await page.goto('about:blank');
      await page.goto(url + path);
      await page.locator('[data-test=agree]').waitFor();
      assert.deepEqual(other.asked, []);
    });
  } finally {
    await other.close();
  }
});

test('a host to which the user agreed cannot send the page on to another one', async () => {
  const games = library(1);
  const third = await serve(games.out, { isolated: false, cors: true });
  const meanwhile = (path, response) => {
    response.writeHead(302, { Location: third.url + path, 'Access-Control-Allow-Origin': '*' }).end();
    return true;
  };
  const other = await serve(games.out, { isolated: false, cors: true, meanwhile });
  try {
    const path = `?library=${encodeURIComponent(other.url)}`;
    await onSite({ server: PLAIN, context: BLOCKED, open: false, tolerate: NO_WORKER, elsewhere: new RegExp(`^(${other.url}|${third.url})`) }, async ({ page, url }) => {
      await page.goto(url + path);
      await page.click('[data-test=agree]');
      await page.locator('[data-test=library-trouble]', { hasText: 'sends this page on to another address' }).waitFor();
      // The browser tells of a request that it does not make.
      assert.deepEqual(third.asked, []);
    });
  } finally {
    await other.close();
    await third.close();
  }
});

test('a hostile library changes nothing of a kept one, and learns nothing of it', async () => {
  const [kept, hostile] = [library(2), library(1)];
  // It says that its games are those of a part that is kept.
  const [corpus] = hostile.list.corpora;
  const [shard] = corpus.shards;
  const forged = { ...hostile.list, corpora: [{ ...corpus, id: kept.list.corpora[0].id, shards: [{ ...shard, scan: { ...shard.scan, file: kept.scans[1] } }] }] };
  const meanwhile = (path, response) => {
    const isList = path.endsWith('library.json');
    if (!isList && !path.endsWith('.scan')) return false;
    response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' }).end(isList ? JSON.stringify(forged) : readFileSync(join(hostile.out, shard.scan.file)));
    return true;
  };
  const other = await serve(hostile.out, { isolated: false, cors: true, meanwhile });
  try {
    await onLibrary(kept, { elsewhere: new RegExp(`^${other.url}`), tolerate: NO_WORKER }, async (site) => {
      const { page, server, url } = site;
      await firstPage(page);
      await open(page);
      await complete(page);
      await page.goto('about:blank');
      await page.goto(`${url}?library=${encodeURIComponent(other.url)}#corpus=library.club+games`);
      await page.click('[data-test=agree]');
      await page.click('[data-test=take]');
      await page.locator('[role=alert]', { hasText: 'came damaged' }).waitFor();
      assert.equal(scansOf(other).length > 0, true, 'the part that the kept library has is asked for all the same');
      server.asked.length = 0;
      await page.goto('about:blank');
      await page.goto(url);
      await firstPage(page);
      await open(page);
      await complete(page);
      await page.locator('[data-test=games]', { hasText: '4 games' }).waitFor();
      assert.deepEqual(scansOf(server), [], 'the kept library is still here');
    });
  } finally {
    await other.close();
  }
});

test('a text that takes long to read is shown as it was written, and the page answers meanwhile', async () => {
  for (const text of [`${'a'.repeat(60_000)}@`, '>'.repeat(60_000), `${'> '.repeat(60)}deep`]) {
    await onLibrary(library(1, text), {}, async ({ page }) => {
      await firstPage(page);
      await open(page);
      await page.locator('[data-test=games]').waitFor();
      await page.goBack();
      await firstPage(page);
      assert.equal(await page.locator('[data-test=about] pre').textContent(), text);
      assert.equal(await page.locator('[data-test=about] blockquote').count(), 0);
    });
  }
});

test('another host that does not let pages read its files', async () => {
  const games = library(1);
  const other = await serve(games.out, { isolated: false });
  try {
    const path = `?library=${encodeURIComponent(other.url)}`;
    await onSite({ server: PLAIN, context: BLOCKED, open: false, tolerate: /service worker|CORS|Failed to load/i, elsewhere: new RegExp(`^${other.url}`) }, async ({ page, url }) => {
      await page.goto(url + path);
      await page.click('[data-test=agree]');
      await page.locator('[data-test=library-trouble]', { hasText: 'does not let other pages read its files (CORS)' }).waitFor();
      await page.click('[data-test=decline]');
      await page.locator('[data-test=demo]').waitFor();
    });
  } finally {
    await other.close();
  }
});
