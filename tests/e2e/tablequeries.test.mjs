// Endgame tables in queries: without tables a sentence says what to do; tables that are made, fetched or removed change the result
// of the same query; the table of endgames leads to its games.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { delay } from './delay.mjs';
import { inFirefox, inWebKit } from './drivers.mjs';
import { serve } from './serve.mjs';
import { answer, ask, closeBrowser, dist, ENDINGS, give, onSite } from './site.mjs';
import { bring, make, stored } from './tables.mjs';

after(closeBrowser);

const counted = (page, text) => page.locator('[data-test=games]', { hasText: text }).waitFor({ timeout: 60_000 });
const unknown = (page, text) => page.locator('[data-test=unknown]', { hasText: text }).waitFor({ timeout: 30_000 });

async function remove(page) {
  await page.click('#tab-tablebase');
  await page.locator('[data-test=page-tablebase]').click();
  await page.locator('[data-test=table-sources]').waitFor();
  await page.click('.sources summary');
  await page.click('[data-test=table-remove]');
  await page.locator('[data-test=table-make]').waitFor();
  await page.click('[data-test=page-search]');
}

for (const path of ['', '?threads=0']) {
  test(`a query asks the tables that are made while it is shown${path ? ', on one thread' : ''}`, async () => {
    await onSite({ path }, async ({ page }) => {
      await give(page, { name: 'endings.pgn', text: ENDINGS });
      await answer(page);
      await ask(page, 'white threw_away win');
      await counted(page, /^0 games$/);
      // After White's moves: four, three and two.
      await unknown(page, 'No endgame tables are here, so nothing is known of 9 positions of few pieces. Open the tab Tablebase and make or choose tables.');
      await page.click('[data-test=unknown-tables]');
      await make(page);
      await counted(page, /^1 game$/);
      await unknown(page, 'Tables of these materials would tell: KRP–KR (2).');
      // Words of the language that ask tables, with other conditions, and a key.
      await ask(page, 'white tb win for 6 and not threw_away');
      await counted(page, /^1 game$/);
      await ask(page, 'tb_dtm <= 15 and white "Clara"');
      await counted(page, /^1 game$/);
      await page.click('#tab-counts');
      await page.selectOption('[data-test=count-by]', 'tb');
      await page.locator('[data-test=counts]', { hasText: 'white wins' }).waitFor();
      // After a reload, the first result already asks the tables.
      await ask(page, 'white threw_away win');
      await counted(page, /^1 game$/);
      await page.reload();
      await page.locator('[data-test=status][aria-busy=false] [data-test=games]').waitFor();
      assert.equal(await page.textContent('[data-test=games]'), '1 game');
      await page.click('#tab-moves');
      await page.locator('[data-test=move-thrown]').first().waitFor();
      await remove(page);
      await counted(page, /^0 games$/);
      await unknown(page, 'No endgame tables are here');
    });
  });
}

test('the endgames of a result, and the games behind each number', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'endings.pgn', text: ENDINGS });
    await answer(page);
    await page.click('#tab-endgames');
    await page.locator('[data-test=result-table-none]').waitFor();
    await page.click('[data-test=make-tables]');
    await bring(page);
    await page.click('#tab-endgames');
    const rows = page.locator('[data-output=endgames] tbody tr');
    await rows.first().waitFor();
    // Two games with a rook, which both had won, and Black takes the rook of one; the other endgame has five pieces.
    assert.deepEqual((await rows.locator('td:first-child').allTextContents()).map((text) => text.trim()), ['KR–K', 'K–K']);
    const cells = (await rows.first().locator('td').allTextContents()).map((text) => text.trim());
    assert.deepEqual([cells[1], ...cells.slice(3)], ['2', '0', '1', '0', '0', '0']);
    assert.match(cells[2], /^won 2, drawn 0, lost 0/);
    await page.locator('[data-column=first_threw_away_win] button').click();
    await counted(page, /^1 game$/);
    assert.equal(await page.inputValue('#query'), '(material white KRvK then within 1 white threw_away win) or (material black KRvK then within 1 black threw_away win)');
    assert.equal(await page.getAttribute('#tab-games', 'aria-selected'), 'true');
    await page.goBack();
    await rows.first().waitFor();
    await page.locator('[data-column=material] button').first().click();
    await counted(page, /^2 games$/);
    // Together with a query, the number leads to games of that query.
    await ask(page, 'player "Clara"');
    await page.click('#tab-endgames');
    await rows.first().waitFor();
    await page.locator('[data-column=material] button').first().click();
    await counted(page, /^1 game$/);
    await page.click('#tab-endgames');
    await page.click('[data-test=export]');
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('[data-test=export-csv]').click()]);
    const chunks = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    const lines = Buffer.concat(chunks).toString().split('\r\n');
    const counts = ['first_threw_away_win', 'first_threw_away_draw', 'second_threw_away_win', 'second_threw_away_draw'];
    assert.equal(lines[0], ['material', 'games', 'won', 'drawn', 'lost', 'unknown', ...counts, 'condition', ...counts.map((name) => `${name}_condition`)].join(','));
    assert.match(lines[1], /^KRvK,1,1,0,0,0,0,0,0,0,material KRvK,/);
    assert.deepEqual(lines.slice(2), ['']);
  });
});

test('a damaged table is a sentence, and the other tables are asked', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'endings.pgn', text: ENDINGS });
    await answer(page);
    await page.click('#tab-tablebase');
    await bring(page);
    await ask(page, 'tb win');
    await counted(page, /^2 games$/);
    await page.evaluate(async () => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('tables');
      const writable = await (await folder.getFileHandle('KRvK.egp')).createWritable();
      await writable.write(new Uint8Array(5000));
      await writable.close();
    });
    await page.reload();
    await page.locator('[data-test=unknown-trouble]', { hasText: 'A table cannot be used, so its positions are not known: KRvK.egp: not a packed table' }).waitFor();
    await counted(page, /^0 games$/);
  });
});

test('a folder of tables in use: what a result leaves open is fetched at a click', async () => {
  const tables = new Map();
  let requests = 0;
  const host = createServer((request, response) => {
    requests++;
    const cors = { 'Access-Control-Allow-Origin': '*' };
    if (request.method === 'OPTIONS') return response.writeHead(204, { ...cors, 'Access-Control-Allow-Headers': 'Range' }).end();
    const bytes = tables.get(request.url.split('/').at(-1).replace('.egp', ''));
    if (!bytes) return response.writeHead(404, cors).end();
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (Number(from) >= bytes.length) return response.writeHead(416, cors).end();
    return response.writeHead(206, cors).end(bytes.subarray(Number(from), Number(to) + 1));
  });
  await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${host.address().port}/tables`;
  try {
    await onSite({ elsewhere: /^http:\/\/127\.0\.0\.1:\d+\/tables\//, tolerate: /Failed to load resource/ }, async ({ page }) => {
      await give(page, { name: 'endings.pgn', text: ENDINGS });
      await answer(page);
      await page.click('#tab-tablebase');
      await bring(page);
      tables.set('KRvK', await stored(page, 'KRvK'));
      await remove(page);
      await page.click('#tab-tablebase');
      await page.click('.sources summary');
      await page.fill('[data-test=table-folder]', address);
      await page.press('[data-test=table-folder]', 'Enter');
      await page.locator('.sources', { hasText: 'Asked: http' }).waitFor();
      await ask(page, 'threw_away');
      await counted(page, /^0 games$/);
      await page.click('[data-test=unknown-fetch]');
      await counted(page, /^1 game$/);
      await unknown(page, 'KRP–KR (4)');
      // The address is offered on the next visit, and nothing is asked before the user chooses it again.
      const asked = requests;
      await page.reload();
      await page.click('#tab-tablebase');
      await page.click('.sources summary');
      const before = page.locator('[data-test=table-folder-before] li');
      assert.equal(await before.locator('.link').textContent(), address);
      assert.equal(requests, asked);
      await before.locator('.link').click();
      await page.locator('.sources', { hasText: `Asked: ${address}` }).waitFor();
      assert.ok(requests > asked);
      await page.reload();
      await page.locator('.sources summary').click();
      await before.locator('[aria-label^="Do not offer"]').click();
      await before.waitFor({ state: 'detached' });
      await page.reload();
      await page.locator('.sources summary').click();
      assert.equal(await before.count(), 0);
    });
  } finally {
    host.closeAllConnections();
    host.close();
  }
});

/** @param {import('./drivers.mjs').Tab} tab */
async function walk(tab, url) {
  const folder = await mkdtemp(join(tmpdir(), 'plyfold-tables-'));
  const shows = (selector, text) => tab.until((selector, text) => document.querySelector(selector)?.textContent.trim().startsWith(text), selector, text);
  try {
    const file = join(folder, 'endings.pgn');
    await writeFile(file, ENDINGS);
    await tab.go(url);
    // The first visit to a host may reload once.
    await tab.until(() => document.querySelector('[data-test=demo]') !== null && document.readyState === 'complete');
    await tab.give('[data-test=files]', [file]);
    await shows('[data-test=games]', '3 games');
    await tab.type('#query', 'white threw_away win');
    await shows('[data-test=games]', '0 games');
    await shows('[data-test=unknown]', 'No endgame tables are here');
    await tab.click('[data-test=unknown-tables]');
    await tab.until(() => document.querySelector('[data-test=table-make]')?.disabled === false);
    await tab.click('[data-test=table-make]');
    await shows('[data-test=games]', '1 game');
    await tab.type('#query', 'tb win');
    await shows('[data-test=games]', '2 games');
    await tab.click('#tab-endgames');
    await shows('[data-output=endgames] tbody td', 'KR–K');
    await tab.click('[data-column=first_threw_away_win] button');
    await shows('[data-test=games]', '1 game');
    assert.deepEqual(await tab.run(() => [...document.querySelectorAll('[role=alert]')].map((alert) => alert.textContent)), []);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** With a delay, only Chromium is slowed down. */
const skip = delay > 0 && 'this browser is not slowed down';

for (const [name, run] of [['Firefox', inFirefox], ['WebKitGTK', inWebKit]]) {
  test(`tables in queries in ${name}`, { skip }, async () => {
    const server = await serve(dist);
    try {
      await run((tab) => walk(tab, server.url));
    } finally {
      await server.close();
    }
  });
}
