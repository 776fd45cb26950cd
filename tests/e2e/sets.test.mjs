// Collections of games: saving, searching within, combining, renaming, exporting and importing them; and errors.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { answer, ask, closeBrowser, give, onSite, row, THREE_GAMES } from './site.mjs';

after(closeBrowser);

/** Saves the matching games under a name. */
async function keep(page, name) {
  await page.click('[data-test=keep-set]');
  await page.fill('#set-name', name);
  await page.keyboard.press('Enter');
  await page.locator('[data-test=sets]').getByText(name, { exact: true }).waitFor();
  await page.keyboard.press('Escape');
}

const bring = (page, name, bytes) => page.setInputFiles('[data-test=set-file]', [{ name, mimeType: 'application/octet-stream', buffer: bytes }]);

test('keep, search in, combine, rename, remove; all of it over a reload', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await ask(page, 'white pawn on e4');
    await keep(page, 'e4');
    await ask(page, 'white knight on f3');
    await keep(page, 'knight');

    await page.reload();
    await answer(page);
    await page.click('[data-test=sets-open]');
    await page.locator('[data-test=sets]', { hasText: /e4\s*1 game.*knight\s*2 games/s }).waitFor();
    const combined = async (how, games) => {
      await page.getByLabel('Operation', { exact: true }).selectOption(how);
      await page.waitForFunction((games) => document.querySelector('[data-test=combined]')?.textContent === games, games);
    };
    await page.getByLabel('First games').selectOption('knight');
    await page.getByLabel('Second games').selectOption('e4');
    await combined('and', '1 game');
    await combined('or', '2 games');
    await combined('without', '1 game');
    // What few need stands behind "More".
    assert.equal(await page.locator('option[value=xor]').count(), 0);
    await page.locator('[data-test=sets-more] summary').click();
    await combined('xor', '1 game');
    await combined('not', '1 game');
    await combined('without', '1 game');
    await page.getByLabel('Name of the combination').fill('not-e4');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Search in not-e4' }).click();
    await page.locator('[data-test=chips]').getByText('not-e4').waitFor();
    await page.waitForFunction(() => location.hash.includes('in='));
    assert.equal((await answer(page)).games, 1);
    await row(page, 0, /Boris.*Clara/);
    // A search within the set concerns only its games, even with an empty query.
    await page.fill('#query', '');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => !location.hash.includes('q='));
    assert.deepEqual(await answer(page), { games: 1, positions: 6 });

    // A query can also name the set, among other conditions.
    await page.locator('[data-test=chips] button').click();
    assert.deepEqual(await ask(page, 'white knight on f3 and not in @e4'), { games: 1, positions: 2 });
    await page.fill('#query', 'check and in @e5');
    await page.getByText(/this corpus has no set @e5/i).waitFor();
    await page.click('[data-test=sets-open]');
    await page.getByRole('button', { name: 'Search in not-e4' }).click();
    await page.locator('[data-test=chips]').getByText('not-e4').waitFor();

    // After a set is removed, the search is no longer within it.
    await page.fill('#query', 'white knight on f3');
    await page.keyboard.press('Enter');
    await page.click('[data-test=sets-open]');
    await page.getByRole('button', { name: 'Rename e4', exact: true }).click();
    await page.getByLabel('New name of e4').fill('knight');
    await page.keyboard.press('Enter');
    assert.match(await page.textContent('[data-test=sets-trouble]'), /There already is a collection “knight”/);
    // Any name will do, and stays.
    await page.getByLabel('New name of e4').fill('König’s pawn: e4!');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove König’s pawn: e4!' }).waitFor();
    await page.getByRole('button', { name: 'Search in König’s pawn: e4!' }).click();
    await page.locator('[data-test=chips]').getByText('König’s pawn: e4!').waitFor();
    await page.waitForFunction(() => location.hash.includes('in=%40Konig_s_pawn_e4'));
    await page.reload();
    await answer(page);
    await page.locator('[data-test=chips]').getByText('König’s pawn: e4!').waitFor();
    await page.click('[data-test=sets-open]');
    await page.getByRole('button', { name: 'Search in not-e4' }).click();
    await page.locator('[data-test=chips]').getByText('not-e4').waitFor();
    await page.click('[data-test=sets-open]');
    await page.getByRole('button', { name: 'Remove not-e4' }).click();
    await page.waitForFunction(() => !location.hash.includes('in='));
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('[data-test=chips]').count(), 0);
    await page.goto(`${page.url().split('#')[0]}#corpus=three&q=check&in=%40gone`);
    await page.getByText('This corpus has no set @gone.').waitFor();
  });
});

test('a set comes back from its file; one of another corpus or a damaged one is refused', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await ask(page, 'white pawn on e4');
    await keep(page, 'e4');
    await page.click('[data-test=sets-open]');
    await page.locator('[data-test=sets-more] summary').click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download e4' }).click()]);
    assert.equal(download.suggestedFilename(), 'e4.bm');
    const bytes = await readFile(await download.path());
    assert.equal(bytes.subarray(0, 8).toString(), 'PMOTE-BM');
    assert.deepEqual([...bytes.subarray(32)], [1, 0, 0, 0, 0, 0, 0, 0]);

    await bring(page, 'e4.bm', bytes);
    assert.match(await page.textContent('[data-test=sets-trouble]'), /There already is a collection “e4”/);
    await bring(page, 'my e4.bm', bytes);
    await page.getByText('Added as “my e4”.').waitFor();
    for (const [name, wrong, why] of [
      ['cut.bm', bytes.subarray(0, 36), /cut\.bm: truncated in its words/],
      ['flipped.bm', Buffer.concat([bytes.subarray(0, 32), Buffer.from([3, 0, 0, 0, 0, 0, 0, 0])]), /flipped\.bm: corrupt/],
      ['text.bm', Buffer.from('no set at all, but some text'), /text\.bm: not a set of games/],
    ]) {
      await bring(page, name, wrong);
      await page.waitForFunction((name) => document.querySelector('[data-test=sets-trouble]')?.textContent.includes(name), name);
      assert.match(await page.textContent('[data-test=sets-trouble]'), why);
    }
    assert.equal(await page.locator('[data-test=sets] li').count(), 2);
    await page.keyboard.press('Escape');

    await give(page, { name: 'other.pgn', text: THREE_GAMES.replace('Anna', 'Anne') });
    await page.waitForFunction(() => location.hash.includes('corpus=other'));
    await answer(page);
    await page.click('[data-test=sets-open]');
    assert.equal(await page.locator('[data-test=sets] li').count(), 0, 'sets are of one corpus');
    await bring(page, 'e4.bm', bytes);
    await page.waitForFunction(() => document.querySelector('[data-test=sets-trouble]')?.textContent.includes('e4.bm: it belongs to another corpus'));
  });
});

test('sets live in memory where the browser refuses files, and with the corpus they go', async () => {
  const patch = 'Object.defineProperty(StorageManager.prototype, "getDirectory", { value: () => Promise.reject(new DOMException("", "SecurityError")) })';
  await onSite({ patch }, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await ask(page, 'white pawn on e4');
    await keep(page, 'e4');
    await page.click('[data-test=sets-open]');
    await page.getByRole('button', { name: 'Search in e4' }).click();
    await page.waitForFunction(() => location.hash.includes('in=%40e4'));
    assert.equal((await answer(page)).games, 1);
  });
});
