// The whole workflow: drop, import, search, look, export, delete; and all the way back.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { after, test } from 'node:test';
import { answer, ask, closeBrowser, give, onSite, ready, row, THREE_GAMES } from './site.mjs';

after(closeBrowser);

test('a PGN of one\'s own: import, ask, step through, export, delete', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    // Without a query, all games.
    assert.deepEqual(await answer(page), { games: 3, positions: 27 });
    assert.match(await page.textContent('[data-test=report]'), /3 games imported/);
    // Queens are off after 8... Kxd8 and after 9. h3.
    assert.deepEqual(await ask(page, 'queens_off'), { games: 1, positions: 2 });
    assert.deepEqual(await ask(page, 'white knight on e5'), { games: 1, positions: 2 });
    assert.deepEqual(await ask(page, 'castled_short or check'), { games: 2, positions: 12 });

    // The table can be sorted, and a click on a row shows the game on the board at its first match.
    assert.deepEqual(await ask(page, 'not queens_off'), { games: 2, positions: 27 - 2 });
    await ask(page, 'white pawn on d4 or white pawn on g4');
    await page.getByRole('button', { name: 'White', exact: true }).click();
    await row(page, 0, /Anna/);
    await row(page, 2, /Clara.*Anna/);
    await page.click('#row-2');
    await page.waitForFunction(() => document.querySelector('[data-test=ply]')?.textContent === '3/4');
    assert.match(await page.textContent('[data-test=board-words]'), /pawns a2 b2 c2 d2 e2 f3 g4 h2.*Black to move/);
    assert.match(page.url(), /game=2&ply=3/);

    // The text is the same as in the file, byte for byte.
    await page.click('[data-test=pgn-tab]');
    await page.waitForFunction(() => document.querySelector('[data-test=pgn]')?.textContent !== '');
    assert.ok(THREE_GAMES.includes(await page.textContent('[data-test=pgn]')));

    await ask(page, 'queens_off');
    await page.click('[data-test=export]');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-test=export-pgn]')]);
    const exported = await readFile(await download.path(), 'utf8');
    await page.keyboard.press('Escape');
    assert.equal(exported.trim(), THREE_GAMES.slice(0, THREE_GAMES.indexOf('[Event "Short"]')).trim());

    // The corpus survives a reload and is then deleted.
    await page.reload();
    assert.deepEqual(await answer(page), { games: 1, positions: 2 });
    await page.click('[data-test=corpus]');
    await page.getByRole('button', { name: 'Delete three', exact: true }).click();
    await page.getByRole('button', { name: 'Delete three, really' }).click();
    await page.locator('[data-test=demo]').waitFor();
    await page.reload();
    await ready(page);
    assert.equal(await page.locator('[data-test=corpus]').count(), 0);
  });
});

test('the demo at one click, and every number leads somewhere', async () => {
  await onSite({}, async ({ page }) => {
    await page.click('[data-test=demo]');
    const queensOff = await answer(page);
    assert.ok(queensOff.games > 500 && queensOff.positions > queensOff.games, JSON.stringify(queensOff));

    await page.click('#tab-heatmap');
    const square = page.locator('[data-square="36"]');
    const [, count] = /e5: ([\d,]+) position/.exec(await square.getAttribute('aria-label'));
    // A click on the board says how the games of the square ended, another one shows the positions.
    await square.click();
    await page.locator('[data-test=heat-square]', { hasText: /\d+ games/ }).waitFor();
    await square.click();
    await page.waitForFunction(() => location.hash.includes('e5'));
    const onE5 = await answer(page);
    assert.equal(onE5.positions, Number(count.replaceAll(',', '')), 'the number of the square is that of its positions');
    assert.equal(await page.getAttribute('#tab-positions', 'aria-selected'), 'true');

    // A click on a position of the gallery shows it on the board.
    const card = page.locator('[data-test=positions-list] li button').nth(3);
    const fen = await card.getAttribute('title');
    await card.click();
    await page.waitForFunction(() => location.hash.includes('ply='));
    await page.locator('[data-test=positions-list] li').nth(3).locator('[aria-current=true]').waitFor();
    assert.match(await page.textContent('[data-test=board-words]'), fen.split(' ')[1] === 'w' ? /White to move/ : /Black to move/);

    await page.click('#tab-structures');
    const structure = page.locator('[data-test=structures] li button').first();
    const ofStructure = Number((await structure.locator('strong').textContent()).replaceAll(',', ''));
    await structure.click();
    await page.waitForFunction(() => location.hash.includes('structure+'));
    assert.equal((await answer(page)).positions, ofStructure, 'the number of the structure is that of its positions');

    // Back through the whole history.
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('#tab-structures')?.getAttribute('aria-selected') === 'true');
    assert.deepEqual(await answer(page), onE5);
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('#tab-heatmap')?.getAttribute('aria-selected') === 'true');
    assert.deepEqual(await answer(page), queensOff);
  });
});

test('a first visit is there before the engine, and what is asked then is answered', async () => {
  let begin;
  const engine = new Promise((resolve) => (begin = resolve));
  await onSite({ open: false, server: { meanwhile: (path) => (/plyfold_web_bg-.*\.wasm$/.test(path) ? engine : undefined) } }, async ({ page, url }) => {
    await page.goto(url);
    await page.locator('[data-test=demo]').waitFor();
    // The page of tables needs the engine.
    assert.ok(await page.locator('[data-test=page-tablebase]').isDisabled());
    await page.locator('[data-test=first-question]').first().click();
    await page.locator('[data-test=cancel-import]').waitFor();
    begin();
    await answer(page);
    assert.match(await page.inputValue('#query'), /^Karpov with an isolated/);
  });
});

test('a second visit shows the page before the engine, and what the address asks once the games are open', async () => {
  let engine = Promise.resolve();
  await onSite({ server: { meanwhile: (path) => (/plyfold_web_bg-.*\.wasm$/.test(path) ? engine : undefined) } }, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    await ask(page, 'queens_off');
    let begin;
    engine = new Promise((resolve) => (begin = resolve));
    await page.reload();
    await page.locator('main[inert] [data-test=status][aria-busy=true]').waitFor();
    await page.locator('[data-test=games-table], [data-test=score]').first().waitFor({ state: 'detached' });
    assert.deepEqual([await page.inputValue('#query'), await page.textContent('header .name')], ['queens_off', 'three']);
    begin();
    assert.deepEqual(await answer(page), { games: 1, positions: 2 });
    assert.equal(await page.locator('main[inert]').count(), 0);
  });
});

test('an address shows the same again: corpus, query, tab, game, ply', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    await page.goto(`${page.url().split('#')[0]}#corpus=three&q=check&tab=games&game=2&ply=4`);
    await page.reload();
    assert.deepEqual(await answer(page), { games: 2, positions: 2 });
    await page.waitForFunction(() => document.querySelector('[data-test=ply]')?.textContent === '4/4');
  });
});

test('compressed files and several at once make one corpus', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'one.pgn.gz', text: gzipSync(THREE_GAMES) }, { name: 'two.pgn', text: THREE_GAMES });
    assert.deepEqual(await answer(page), { games: 6, positions: 54 });
    assert.match(await page.textContent('[data-test=corpus]'), /one and 1 more.*6 games/s);
  });
});

test('a list without a cap: every match can be reached', async () => {
  const games = Array.from({ length: 20_000 }, (_, nth) => `[White "W${nth}"]\n[Black "B"]\n\n1. e4 e5 *\n\n`).join('');
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'many.pgn', text: games });
    assert.deepEqual(await ask(page, 'white pawn on e4'), { games: 20_000, positions: 40_000 });
    await page.focus('[data-test=games-table]');
    await page.keyboard.press('End');
    await page.waitForFunction(() => document.querySelector('#row-19999')?.textContent?.includes('W19999'));
    assert.ok((await page.locator('[data-test=games-table] [role=row]').count()) < 100, 'only the rows in view exist');
  });
});
