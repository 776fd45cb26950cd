// Edits of games: headers are changed, games are deleted, exports have it, and everything can be undone; over a reload, too.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { clean } from './axe.mjs';
import { answer, ask, closeBrowser, give, onSite, row, THREE_GAMES } from './site.mjs';

after(closeBrowser);

/** The exported PGN. */
async function exported(page) {
  await page.click('[data-test=export]');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-test=export-pgn]')]);
  const text = await readFile(await download.path(), 'utf8');
  await page.keyboard.press('Escape');
  return text;
}

const waiting = (page, text) => page.locator('[data-test=edits-note]', { hasText: text }).waitFor();

/** Selects a game and opens its editor. */
async function edit(page, nth) {
  await page.click(`#row-${nth}`);
  await page.click('[data-test=edit-game]');
  await page.click('[data-test=edit-headers]');
  await page.locator('[data-test=game-editor] #tag-0').waitFor();
}

test('change headers, see them, export, undo; delete, export without, restore; all of it over a reload', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    const before = await exported(page);
    assert.equal(await page.locator('[data-test=edits-note]').count(), 0);

    await edit(page, 1);
    await clean(page);
    const dialog = page.locator('[data-test=game-editor]');
    await dialog.getByLabel('White', { exact: true }).fill('Dora "the rook"');
    await dialog.getByLabel('Date', { exact: true }).fill('2023.07.08');
    await dialog.getByLabel('Result', { exact: true }).selectOption('1-0');
    await page.click('[data-test=add-tag]');
    await dialog.getByLabel('Name of the tag').fill('Board');
    await dialog.getByLabel('Its value').fill('3');
    await page.click('[data-test=save-tags]');
    await dialog.waitFor({ state: 'detached' });
    await waiting(page, /The headers of game 2 are changed\.\s*1 edit waits/);
    await row(page, 1, /Dora "the rook".*Anna.*1-0.*2023\.07\.08/);
    await page.locator('.player', { hasText: 'Dora "the rook"' }).waitFor();
    await page.locator('[data-test=is-edited]').waitFor();
    const changed = await exported(page);
    assert.match(changed, /\[White "Dora \\"the rook\\""\]\n\[Black "Anna"\]\n\[Result "1-0"\]\n\[Board "3"\]\n\n1\. f3 e5 2\. g4 Qh4# 1-0\n/);
    // The search sees the games as they were imported.
    assert.equal((await ask(page, 'player "Clara"')).games, 2);
    await page.fill('#query', '');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => !location.hash.includes('q='));
    await answer(page);

    await page.reload();
    await answer(page);
    await waiting(page, '1 edit waits');
    await row(page, 1, /Dora "the rook"/);
    await page.click('[data-test=undo]');
    await waiting(page, 'The last edit is undone.');
    await row(page, 1, /Clara.*Anna.*0-1/);
    assert.equal(await exported(page), before);
    await page.click('[data-test=redo]');
    await row(page, 1, /Dora "the rook"/);

    // A deleted game is struck through, and is in no export.
    await edit(page, 0);
    await page.click('[data-test=delete-game]');
    await page.locator('[data-test=is-deleted]').waitFor();
    await row(page, 0, /Anna.*\(deleted\).*Boris/);
    await waiting(page, '2 edits wait');
    const without = await exported(page);
    assert.ok(without.startsWith('[Event "Short"]') && without.includes('[Event "Knight"]') && !without.includes('Exchange'), without);
    await page.click('[data-test=export]');
    await page.getByText('1 deleted game is left out.').waitFor();
    const [csv] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Games as CSV' }).click()]);
    assert.deepEqual((await readFile(await csv.path(), 'utf8')).trimEnd().split('\r\n').slice(1).map((line) => line.slice(0, 2)), ['2,', '3,']);
    await page.keyboard.press('Escape');
    await page.reload();
    await row(page, 0, /\(deleted\)/);
    await page.click('#row-0');
    await page.click('[data-test=edit-game]');
    await page.click('[data-test=edit-headers]');
    await page.click('[data-test=restore-game]');
    await waiting(page, 'Game 1 is restored.');
    assert.equal(await exported(page), changed);
  });
});

test('the list says what each edit changes, undoes all, takes that back, and becomes a collection', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    await edit(page, 0);
    await page.getByRole('button', { name: 'Remove ECO' }).click();
    await page.getByLabel('White’s rating', { exact: true }).fill('2222');
    await page.getByLabel('Black’s rating', { exact: true }).fill('2211');
    await page.click('[data-test=save-tags]');
    await waiting(page, '1 edit waits');
    await edit(page, 2);
    await page.click('[data-test=delete-game]');
    await waiting(page, '2 edits wait');
    await page.click('[data-test=edit-list]');
    const dialog = page.locator('[data-test=edits]');
    await dialog.locator('li', { hasText: /Game 3\s*deleted/ }).waitFor();
    await dialog.locator('li', { hasText: /Game 1\s*White’s rating: 2222 · Black’s rating: 2211 · ECO removed/ }).waitFor();
    await clean(page);
    await page.click('[data-test=undo-all]');
    await dialog.getByText('There are none.').waitFor();
    await page.click('[data-test=redo-last]');
    await dialog.locator('li').nth(1).waitFor();

    await page.fill('#edited-name', 'better');
    await page.click('[data-test=write-edited]');
    await page.waitForFunction(() => location.hash.includes('corpus=better'));
    assert.equal((await answer(page)).games, 2);
    assert.equal(await page.locator('[data-test=edits-note]').count(), 0);
    assert.equal((await ask(page, 'elo >= 2200')).games, 1);
  });
});

/** A long game, with another date and up to another ply. */
const long = (date, plies) => {
  const moves = 'e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 Nbd2 Bb7 Bc2 Re8 Nf1 Bf8'.split(' ').slice(0, plies);
  const text = moves.map((move, ply) => (ply % 2 === 0 ? `${ply / 2 + 1}. ${move}` : move)).join(' ');
  return `[Event "Cup"]\n[Date "${date}"]\n[Round "1"]\n[White "Carlsen, Magnus"]\n[Black "Anand, Viswanathan"]\n[Result "1/2-1/2"]\n\n${text} 1/2-1/2\n\n`;
};

test('doubles are found with reasons, those that stay ticked are deleted, and that is undone', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'doubles.pgn', text: long('2020.01.02', 26) + long('2020.01.02', 26) + THREE_GAMES + long('2020.??.??', 24) });
    assert.equal((await answer(page)).games, 6);
    await page.click('[data-test=corpus]');
    await page.click('[data-test=doubles-open]');
    const panel = page.locator('[data-test=doubles]');
    await panel.locator('li', { hasText: /Carlsen, Magnus – Anand, Viswanathan.*the same.*fewer moves, other date/ }).waitFor();
    await clean(page);
    await panel.getByRole('checkbox').first().uncheck();
    await panel.getByRole('button', { name: 'Delete 1 game' }).click();
    await panel.waitFor({ state: 'detached' });
    await waiting(page, /Game 6 is deleted\.\s*1 edit waits/);
    await row(page, 5, /\(deleted\)/);
    await page.click('[data-test=corpus]');
    await page.click('[data-test=doubles-open]');
    await panel.getByRole('button', { name: 'Delete 1 game' }).click();
    await waiting(page, '2 edits wait');
    assert.equal((await exported(page)).match(/\[Event /g).length, 4);
    await page.click('[data-test=undo]');
    await page.click('[data-test=undo]');
    await waiting(page, 'The last edit is undone.');
    assert.equal((await exported(page)).match(/\[Event /g).length, 6);
    await page.click('[data-test=corpus]');
    await page.click('[data-test=doubles-open]');
    await panel.getByRole('button', { name: 'Delete 2 games' }).waitFor();
  });
});

test('a tag that cannot be changed is refused, and the editor stays', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    await edit(page, 0);
    await page.click('[data-test=add-tag]');
    await page.getByLabel('Name of the tag').fill('FEN');
    await page.getByLabel('Its value').fill('8/8/8/8/8/8/8/8 w - - 0 1');
    await page.click('[data-test=save-tags]');
    await page.locator('[data-test=game-editor] [role=alert]', { hasText: 'The tag FEN says what the moves mean' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[data-test=game-editor]').waitFor({ state: 'detached' });
  });
});
