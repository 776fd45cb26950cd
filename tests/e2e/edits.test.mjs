// Edits of games: headers are changed, games are deleted, searches and exports have it, and everything can be undone; over a reload, too.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { clean } from './axe.mjs';
import { answer, ask, closeBrowser, give, manyGames, onSite, row, THREE_GAMES } from './site.mjs';

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

/** Waits until a search has found so many games; after an edit, the page shows those of the search before until then. */
const found = (page, games) => page.locator('[data-test=status][aria-busy=false] [data-test=games]', { hasText: new RegExp(`^${games} games?$`) }).waitFor();

/** Selects a game and opens its editor. */
async function edit(page, nth) {
  await page.click(`#row-${nth}`);
  // Until then, the menu is that of the game before.
  await page.locator(`#row-${nth}[aria-selected=true]`).waitFor();
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
    await waiting(page, /The headers of game 2 are changed\.\s*1 edit since/);
    await row(page, 1, /Dora "the rook".*Anna.*1-0.*2023\.07\.08/);
    await page.locator('.player', { hasText: 'Dora "the rook"' }).waitFor();
    await page.locator('[data-test=is-edited]').waitFor();
    const changed = await exported(page);
    assert.match(changed, /\[White "Dora \\"the rook\\""\]\n\[Black "Anna"\]\n\[Result "1-0"\]\n\[Board "3"\]\n\n1\. f3 e5 2\. g4 Qh4# 1-0\n/);
    // The search finds the new name and not the old one.
    assert.equal((await ask(page, 'player "Clara"')).games, 1);
    assert.equal((await ask(page, 'white "Dora *" and result 1-0 and tag "Board" "3"')).games, 1);
    await all(page);

    await page.reload();
    await answer(page);
    await waiting(page, '1 edit since');
    await row(page, 1, /Dora "the rook"/);
    await page.click('[data-test=undo]');
    await waiting(page, 'The last edit is undone.');
    await row(page, 1, /Clara.*Anna.*0-1/);
    assert.equal(await exported(page), before);
    await page.click('[data-test=redo]');
    await row(page, 1, /Dora "the rook"/);

    // A deleted game stays on the board, and is in no result and no export.
    await edit(page, 0);
    await page.click('[data-test=delete-game]');
    await page.locator('[data-test=is-deleted]').waitFor();
    await row(page, 0, /Dora "the rook"/);
    await found(page, 2);
    await page.locator('[data-test=corpus]', { hasText: '2 games' }).waitFor();
    await waiting(page, '2 edits since');
    const without = await exported(page);
    assert.ok(without.startsWith('[Event "Short"]') && without.includes('[Event "Knight"]') && !without.includes('Exchange'), without);
    await page.click('[data-test=export]');
    const [csv] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Games as CSV' }).click()]);
    assert.deepEqual((await readFile(await csv.path(), 'utf8')).trimEnd().split('\r\n').slice(1).map((line) => line.slice(0, 2)), ['2,', '3,']);
    await page.keyboard.press('Escape');
    // Whoever opens it by its number sees it.
    await page.reload();
    await found(page, 2);
    await page.click('[data-test=edit-list]');
    await page.locator('[data-test=edits] li', { hasText: /Game 1\s*deleted/ }).locator('button').click();
    await page.locator('[data-test=is-deleted]').waitFor();
    await page.locator('.player', { hasText: 'Boris' }).waitFor();
    await page.click('[data-test=edit-game]');
    await page.click('[data-test=edit-headers]');
    await page.click('[data-test=restore-game]');
    await waiting(page, 'Game 1 is restored.');
    await found(page, 3);
    assert.equal(await exported(page), changed);
  });
});

/** Asks for all games. */
async function all(page) {
  await page.fill('#query', '');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => !location.hash.includes('q='));
  return answer(page);
}

/** The first column of white players in the table, from above. */
const whites = async (page) => {
  const names = [];
  for (let nth = 0; nth < 3; nth++) names.push((await page.locator(`#row-${nth} > div`).nth(1).textContent()).match(/[A-Z][a-z]+/)[0]);
  return names;
};

test('an order follows a changed date, and saved games have those that are not deleted', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await ask(page, 'player "Clara"');
    await page.click('[data-test=keep-set]');
    await page.fill('#set-name', 'hers');
    await page.keyboard.press('Enter');
    await page.locator('[data-test=sets]').getByText('hers', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await all(page);
    await page.getByRole('button', { name: 'Date', exact: true }).click();
    // Boris is Black in the first game.
    await row(page, 0, /^\s*3\s*Boris/);
    assert.deepEqual(await whites(page), ['Boris', 'Clara', 'Anna']);
    await page.locator('.row', { hasText: '2024.05.01' }).click();
    await page.locator('.row[aria-selected=true]', { hasText: '2024.05.01' }).waitFor();
    await page.click('[data-test=edit-game]');
    await page.click('[data-test=edit-headers]');
    const dialog = page.locator('[data-test=game-editor]');
    await dialog.getByLabel('Date', { exact: true }).fill('1971.02.03');
    await dialog.getByLabel('White', { exact: true }).fill('Emil');
    await page.click('[data-test=save-tags]');
    await row(page, 1, /Emil.*1971\.02\.03/);
    assert.deepEqual(await whites(page), ['Boris', 'Emil', 'Clara']);
    await page.locator('.player', { hasText: 'Emil' }).waitFor();
    assert.equal((await ask(page, 'player "Emil" and date <= 1980')).games, 1);
    assert.equal((await ask(page, 'white "Anna"')).games, 0);
    await page.click('[data-test=undo]');
    await row(page, 0, /Anna/);
    await all(page);
    assert.deepEqual(await whites(page), ['Boris', 'Clara', 'Anna']);

    await edit(page, 0);
    await page.click('[data-test=delete-game]');
    await row(page, 0, /^\s*2\s*Clara/);
    assert.equal((await ask(page, 'in @hers')).games, 1);
    await page.click('[data-test=sets-open]');
    await page.locator('[data-test=sets]', { hasText: /hers\s*1 game/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.click('[data-test=undo]');
    await row(page, 0, /Boris|Clara/);
    await page.locator('[data-test=status][aria-busy=false] [data-test=games]', { hasText: '2' }).waitFor();
    await page.click('[data-test=sets-open]');
    await page.locator('[data-test=sets]', { hasText: /hers\s*2 games/ }).waitFor();
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
    await waiting(page, '1 edit since');
    await edit(page, 2);
    await page.click('[data-test=delete-game]');
    await waiting(page, '2 edits since');
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
    await found(page, 2);
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
    await found(page, 6);
    await page.click('[data-test=corpus]');
    await page.click('[data-test=doubles-open]');
    const panel = page.locator('[data-test=doubles]');
    await panel.locator('li', { hasText: /Carlsen, Magnus – Anand, Viswanathan.*the same.*fewer moves, other date/ }).waitFor();
    await clean(page);
    await panel.getByRole('checkbox').first().uncheck();
    await panel.getByRole('button', { name: 'Delete 1 game' }).click();
    await panel.waitFor({ state: 'detached' });
    await waiting(page, /Game 6 is deleted\.\s*1 edit since/);
    await found(page, 5);
    await page.click('[data-test=corpus]');
    await page.click('[data-test=doubles-open]');
    await panel.getByRole('button', { name: 'Delete 1 game' }).click();
    await waiting(page, '2 edits since');
    await found(page, 4);
    assert.equal((await exported(page)).match(/\[Event /g).length, 4);
    await page.click('[data-test=undo]');
    await page.click('[data-test=undo]');
    await waiting(page, 'The last edit is undone.');
    await found(page, 6);
    assert.equal((await exported(page)).match(/\[Event /g).length, 6);
    await page.click('[data-test=corpus]');
    await page.click('[data-test=doubles-open]');
    await panel.getByRole('button', { name: 'Delete 2 games' }).waitFor();
  });
});

test('a long list stays where it is when a game of it is deleted', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'many.pgn', text: manyGames(100) });
    await found(page, 300);
    await page.focus('[data-test=games-table]');
    await page.keyboard.press('End');
    await row(page, 299, /Boris/);
    await edit(page, 298);
    await page.click('[data-test=delete-game]');
    await page.locator('[data-test=is-deleted]').waitFor();
    await found(page, 299);
    await row(page, 298, /Boris/);
    await page.locator('#row-298.at').waitFor();
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
