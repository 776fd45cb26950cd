// Any tag of the games is a column of their table: it is chosen, remembered, follows edits, and is there in a published library and on a phone.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clean, SIZES } from './axe.mjs';
import { library, onLibrary, open } from './publishedsite.mjs';
import { answer, closeBrowser, give, onSite, row, THREE_GAMES } from './site.mjs';

after(closeBrowser);

const TAGGED = THREE_GAMES.replace('[ECO "C67"]', '[ECO "C67"]\n[Board "7"]\n[WhiteTeam "Rooks"]');

/** Chooses columns, or takes them away. */
async function choose(page, ...names) {
  await page.click('[data-test=columns-open]');
  const chooser = page.locator('[data-test=columns]');
  for (const name of names) await chooser.getByLabel(name, { exact: true }).click();
  return chooser;
}

const heads = (page) => page.locator('[data-test=games-table] [role=columnheader]:visible').allTextContents();

test('tags become columns, which last over a reload and follow edits', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: TAGGED });
    await answer(page);
    const chooser = await choose(page, 'Board', 'WhiteTeam', 'Event');
    await clean(page);
    await page.keyboard.press('Escape');
    await chooser.waitFor({ state: 'detached' });
    await row(page, 0, /Anna.*7.*Rooks.*Exchange/);
    await row(page, 1, /Clara.*Short/);
    assert.deepEqual((await heads(page)).map((name) => name.trim()).slice(-3), ['Board', 'WhiteTeam', 'Event']);
    await clean(page);

    await page.reload();
    await row(page, 0, /Anna.*7.*Rooks.*Exchange/);
    await page.click('#row-1');
    await page.locator('#row-1[aria-selected=true]').waitFor();
    await page.click('[data-test=edit-game]');
    await page.click('[data-test=edit-headers]');
    await page.click('[data-test=add-tag]');
    await page.getByLabel('Name of the tag').fill('Board');
    await page.getByLabel('Its value').fill('45');
    await page.click('[data-test=save-tags]');
    await row(page, 1, /Clara.*45.*Short/);
    await page.click('[data-test=undo]');
    await page.locator('#row-1:not(:has-text("45"))').waitFor();

    await choose(page, 'WhiteTeam', 'Board');
    await page.keyboard.press('Escape');
    assert.equal((await heads(page)).at(-1), 'Event');
  });
});

test('on a phone, chosen tags stand below the names', async () => {
  await onSite({ context: SIZES.phone }, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: TAGGED });
    await answer(page);
    const chooser = await choose(page, 'Board', 'WhiteTeam');
    await clean(page);
    await page.keyboard.press('Escape');
    await chooser.waitFor({ state: 'detached' });
    await row(page, 0, /2100 · 7 · Rooks/);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  });
});

test('the texts of a published library have tags, too', async () => {
  await onLibrary(library(2), {}, async ({ page }) => {
    await open(page);
    await answer(page);
    await choose(page, 'Board');
    await page.keyboard.press('Escape');
    await row(page, 0, /Boris 1.*11/);
    await row(page, 2, /Boris 2.*12/);
  });
});
