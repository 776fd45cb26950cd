// What went wrong for players: pages that hold a corpus for themselves, refused addresses, links to games that are not
// there, numbers of another query, and files that are no games.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, ask, closeBrowser, give, onSite, ready, settled, THREE_GAMES } from './site.mjs';

after(closeBrowser);

const word = (page, name) => page.evaluate((name) => new URLSearchParams(location.hash.slice(1)).get(name), name);
const plyShown = (page, ply) => page.waitForFunction((ply) => document.querySelector('[data-test=ply]')?.textContent === ply, ply);

/** Handles as in Firefox and WebKit: without modes, so that only one page can have one. */
const EXCLUSIVE = `{
  const create = FileSystemFileHandle.prototype.createSyncAccessHandle;
  FileSystemFileHandle.prototype.createSyncAccessHandle = function () { return create.call(this); };
  delete FileSystemSyncAccessHandle.prototype.mode;
}`;

test('two tabs read one corpus where handles are exclusive, and the text of a game comes in both', async () => {
  await onSite({ patch: EXCLUSIVE }, async ({ page, context, url }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    const first = await answer(page);
    const other = await context.newPage();
    await other.goto(url);
    assert.deepEqual(await answer(other), first);
    for (const tab of [other, page]) {
      assert.deepEqual(await ask(tab, 'white knight on e5'), { games: 1, positions: 2 });
      await tab.click('[data-test=pgn-tab]');
      await tab.waitForFunction(() => document.querySelector('[data-test=pgn]')?.textContent.includes('Ne5'));
    }
  });
});

test('a browser that refuses most changes of the address stops nothing', async () => {
  await onSite({ open: false }, async ({ page, context, url }) => {
    // WebKit throws after 100 changes in 10 seconds; this is stricter.
    await context.addInitScript(() => {
      window.writes = 0;
      for (const name of ['pushState', 'replaceState']) {
        const write = history[name];
        history[name] = function (...values) {
          if (++window.writes % 20 > 10) throw new DOMException('Attempt to use history too often', 'SecurityError');
          write.apply(this, values);
        };
      }
    });
    await page.goto(url);
    await ready(page);
    await give(page, { name: 'long.pgn', text: `${Array.from({ length: 100 }, (_, nth) => `${nth + 1}. ${nth % 2 ? 'Ng1 Ng8' : 'Nf3 Nf6'}`).join('\n')} *\n` });
    await ask(page, 'white knight on f3');
    await plyShown(page, '1/200');
    await page.evaluate(() => document.activeElement.blur());
    const before = await page.evaluate(() => window.writes);
    for (let nth = 0; nth < 150; nth++) await page.keyboard.down('ArrowRight');
    await page.keyboard.up('ArrowRight');
    await plyShown(page, '151/200');
    await page.waitForFunction(() => location.hash.includes('ply=151'));
    assert.ok((await page.evaluate(() => window.writes)) - before < 75, 'the address follows with a pause');
    for (const tab of ['positions', 'heatmap', 'structures', 'explorer', 'counts', 'games']) {
      await page.click(`#tab-${tab}`);
      await settled(page);
      await page.waitForFunction(() => document.querySelector('#results').textContent.trim().length > 20);
    }
  });
});

test('a link to the demo games shows query, tab, game, ply and sideline in a browser that never saw them', async () => {
  await onSite({ open: false }, async ({ page, context, url }) => {
    await page.goto(url);
    await ready(page);
    await page.click('[data-test=demo]');
    await answer(page);
    const found = await ask(page, 'white knight on e5');
    await page.click('#row-2');
    await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get('ply') !== null);
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('ArrowRight');
    await page.click('#tab-heatmap');
    await page.waitForFunction(() => location.hash.includes('tab=heatmap'));
    const link = page.url();
    const board = await page.textContent('[data-test=board-words]');
    for (const address of [link, link.replace('corpus=Demo+games', 'corpus=demo')]) {
      const fresh = await context.browser().newContext();
      try {
        const other = await fresh.newPage();
        await other.goto(address);
        assert.deepEqual(await answer(other), found);
        await other.waitForFunction((board) => document.querySelector('[data-test=board-words]')?.textContent === board, board);
        assert.equal(await other.getAttribute('#tab-heatmap', 'aria-selected'), 'true');
        await other.waitForFunction((link) => location.href === link, link);
      } finally {
        await fresh.close();
      }
    }
  });
});

test('a link to other games says which, and shows its place when their file comes', async () => {
  await onSite({ path: '#corpus=three&q=check&game=2&ply=4' }, async ({ page }) => {
    assert.match(await page.textContent('[data-test=missing]'), /three.*does not have/);
    assert.match(await page.textContent('[data-test=waiting]'), /check/);
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    assert.deepEqual(await answer(page), { games: 2, positions: 2 });
    await plyShown(page, '4/4');
    assert.deepEqual([await word(page, 'game'), await word(page, 'ply')], ['2', '4']);
  });
});

test('an invalid query dims the results above which it stands; a valid one does not', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    const before = await answer(page);
    assert.equal(await page.locator('.stale').count(), 0);
    await page.fill('#query', 'check and white bishop_piar');
    await page.locator('[data-test=problem]').waitFor();
    await page.locator('#results.stale').waitFor();
    assert.match(await page.textContent('[data-test=stale]'), /results of the query before/);
    assert.deepEqual(await answer(page), before, 'the last results stay');
    for (const tab of ['positions', 'heatmap', 'structures', 'counts']) {
      await page.click(`#tab-${tab}`);
      await page.locator('#results', { hasText: 'Correct the query' }).waitFor();
    }
    await ask(page, 'check');
    await page.locator('#results', { hasNotText: 'Correct the query' }).waitFor();
    assert.equal(await page.locator('.stale, [data-test=stale]').count(), 0);
  });
});

test('an emptied query leaves no query in the address', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await ask(page, 'check');
    // Without Enter: the page runs what is typed after a pause.
    await page.fill('#query', '');
    await page.waitForFunction(() => !new URLSearchParams(location.hash.slice(1)).has('q'));
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('#query').value === 'check');
    assert.deepEqual(await answer(page), { games: 2, positions: 2 });
  });
});

/** As a README has them: a numbered list that can be read as moves, and no games. */
const README = '# Notes\n\n1. e4 is a move.\n2. Run the tests.\n\n[the tests](https://example.org)\n\n```\n[x] done\n```\n';

test('one empty file and one README of sixty files do not cancel the others, and are named', async () => {
  await onSite({}, async ({ page }) => {
    const games = Array.from({ length: 58 }, (_, nth) => ({ name: `game ${nth}.pgn`, text: `[White "W${nth}"]\n\n1. e4 e5 *\n` }));
    await give(page, ...games.slice(0, 20), { name: 'nothing.pgn', text: '' }, { name: 'README.md', text: README }, ...games.slice(20));
    await answer(page);
    const report = await page.textContent('[data-test=report]');
    assert.match(report, /58 games imported/);
    await page.click('[data-test=skipped] summary');
    const list = await page.textContent('[data-test=skipped]');
    assert.match(list, /nothing\.pgn is empty/);
    assert.match(list, /README\.md does not look like PGN/);
  });
});

test('a README is no games, and the open corpus stays', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    const before = await answer(page);
    await give(page, { name: 'README.md', text: README });
    const alert = page.getByRole('alert').first();
    await alert.waitFor();
    assert.match((await alert.textContent()).replace(/\s+/g, ' '), /README\.md does not look like PGN\. Nothing else changed\./);
    assert.match(await page.textContent('[data-test=corpus]'), /three/);
    assert.deepEqual(await answer(page), before);
    // A text file with games is welcome, whatever its name.
    await give(page, { name: 'games.txt', text: THREE_GAMES });
    await page.waitForFunction(() => location.hash.includes('corpus=games.txt'));
    assert.deepEqual(await answer(page), before);
  });
});
