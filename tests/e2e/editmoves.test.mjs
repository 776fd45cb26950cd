// The moves of a game are edited: comments, signs, variations that are played on the board, lines that are promoted; saved, they are there
// after a reload, in exports, and for the command line, and are undone.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { clean, SIZES } from './axe.mjs';
import { commandLine } from './published.mjs';
import { answer, ask, closeBrowser, give, onSite, row, THREE_GAMES } from './site.mjs';

after(closeBrowser);

/** Plays a move by two clicks on the board. */
async function play(page, from, to) {
  for (const square of [from, to]) {
    const box = await page.locator('cg-board').boundingBox();
    await page.mouse.click(box.x + ((square.charCodeAt(0) - 97 + 0.5) / 8) * box.width, box.y + ((8 - Number(square[1]) + 0.5) / 8) * box.height);
  }
}

async function exported(page) {
  await page.click('[data-test=export]');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-test=export-pgn]')]);
  const text = readFileSync(await download.path(), 'utf8');
  await page.keyboard.press('Escape');
  return text;
}

const editor = (page) => page.locator('[data-test=moves-editor]');
const at = (page, words) => page.locator('[data-test=edited-move]', { hasText: words }).waitFor();
const waiting = (page, text) => page.locator('[data-test=edits-note]', { hasText: text }).waitFor();

/** Opens the three games, and edits the moves of one of them. */
async function begin(page, nth = 0) {
  await give(page, { name: 'three.pgn', text: THREE_GAMES });
  await answer(page);
  await page.click(`#row-${nth}`);
  await page.locator(`#row-${nth}[aria-selected=true]`).waitFor();
  await page.click('[data-test=edit-game]');
  await page.click('[data-test=edit-moves]');
  await editor(page).waitFor();
}

/** The moves of each game of a PGN, as the command line reads them. */
function movesByProgram(pgn) {
  const folder = mkdtempSync(join(tmpdir(), 'plyfold-editmoves-'));
  try {
    const file = join(folder, 'games.pgn');
    writeFileSync(file, pgn);
    return [1, 2, 3].map((nth) => {
      const shown = JSON.parse(execFileSync(commandLine(), ['show', file, `${nth}`, '--format', 'json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
      return shown.incomplete ? 'incomplete' : shown.moves.map(({ san }) => san).join(' ');
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('comment, sign, variation, promotion; saved, reloaded, exported, undone', async () => {
  await onSite({}, async ({ page }) => {
    await begin(page);
    const before = await exported(page);
    // A comment and a sign of the first move, which has a comment.
    await page.keyboard.press('ArrowRight');
    await at(page, '1. e4');
    const comment = page.locator('[data-test=comment-after]');
    assert.equal(await comment.inputValue(), 'a remark that must come back');
    await page.keyboard.press('d');
    await comment.fill('the best, by test');
    await page.keyboard.press('Escape');
    await page.keyboard.press('1');
    await page.locator('[data-test=moves] [data-ply="1"] .nag', { hasText: '!' }).waitFor();
    await page.locator('[data-test=signs]').getByRole('button', { name: 'White is slightly better' }).click();
    await clean(page);
    // A variation, by two moves on the board.
    await play(page, 'c7', 'c5');
    await at(page, '1… c5');
    await play(page, 'g1', 'f3');
    await at(page, '2. Nf3');
    await page.locator('[data-test=moves] .variation', { hasText: /c5\s*2\.\s*Nf3/ }).waitFor();
    await comment.fill('Sicilian');
    // It becomes the game, and is made longer.
    await page.keyboard.press('Escape');
    await page.click('[data-test=promote]');
    await page.locator('[data-test=moves] [data-ply="2"]', { hasText: 'c5' }).waitFor();
    await play(page, 'd7', 'd6');
    await at(page, '2… d6');
    await page.locator('[data-test=ply]', { hasText: '4/4' }).waitFor();
    await page.click('[data-test=save-moves]');
    await editor(page).waitFor({ state: 'detached' });
    await waiting(page, /The moves of game 1 are changed\.\s*1 edit since/);
    const changed = await exported(page);
    const is = before
      .replace('e4 {a remark that must come back} e5', 'e4 $1 $14 {the best, by test} 1... c5 (1... e5')
      .replace('9. h3 1/2', '9. h3) 2. Nf3 {Sicilian} 2... d6 1/2');
    assert.equal(changed, is);

    await page.reload();
    await answer(page);
    await waiting(page, '1 edit since');
    await page.click('#row-0');
    await page.locator('[data-test=moves] [data-ply="2"]', { hasText: 'c5' }).waitFor();
    await page.locator('[data-test=moves]', { hasText: 'Sicilian' }).waitFor();
    await page.locator('[data-test=is-edited]').waitFor();
    // The search finds the new moves and not the old ones.
    assert.equal((await ask(page, 'black pawn on d6')).games, 1);
    assert.equal((await ask(page, 'black knight on d6')).games, 0);
    await page.fill('#query', '');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => !location.hash.includes('q='));
    await answer(page);
    await page.click('#row-0');
    await page.locator('[data-test=moves] [data-ply="2"]', { hasText: 'c5' }).waitFor();
    assert.deepEqual(movesByProgram(changed), ['e4 c5 Nf3 d6', 'f3 e5 g4 Qh4#', 'd4 d5 Nf3 Nf6 Ne5 e6']);

    await page.click('[data-test=undo]');
    await waiting(page, 'The last edit is undone.');
    await page.locator('[data-test=moves] [data-ply="2"]', { hasText: 'e5' }).waitFor();
    assert.equal(await exported(page), before);
    await page.click('[data-test=redo]');
    await page.locator('[data-test=moves] [data-ply="2"]', { hasText: 'c5' }).waitFor();
    assert.equal(await exported(page), changed);
  });
});

test('changes are undone one by one, cancelling asks, and another game keeps them', async () => {
  await onSite({}, async ({ page }) => {
    await begin(page, 1);
    await page.keyboard.press('End');
    await at(page, '2… Qh4#');
    await page.keyboard.press('g');
    await page.keyboard.press('Enter');
    await page.locator('[data-sign="1"][aria-pressed=true]').waitFor();
    await page.keyboard.press('ArrowLeft');
    await at(page, '2. g4');
    await page.click('[data-test=more-of-moves]');
    await clean(page);
    await page.click('[data-test=delete-from]');
    await page.locator('[data-test=ply]', { hasText: '2/2' }).waitFor();
    await page.keyboard.press('Control+z');
    await page.locator('[data-test=ply]', { hasText: '/4' }).waitFor();
    await page.keyboard.press('Control+z');
    await page.locator('[data-test=save-moves]:disabled').waitFor();
    await page.click('[data-test=redo-change]');
    // Another game, and back.
    await page.click('#row-2');
    await page.locator('[data-test=unsaved-moves]', { hasText: 'Game 2 has changes' }).waitFor();
    await clean(page);
    await page.click('[data-test=back-to-editing]');
    await editor(page).waitFor();
    await page.locator('[data-test=moves] [data-ply="4"] .nag').waitFor();
    await page.click('[data-test=cancel-moves]');
    await page.getByText('Discard all changes?').waitFor();
    await page.click('[data-test=discard-moves]');
    await editor(page).waitFor({ state: 'detached' });
    await page.locator('[data-test=moves] [data-ply="4"]:not(:has(.nag))').waitFor();
    assert.equal(await page.locator('[data-test=edits-note]').count(), 0);
    // Leaving the page without changes asks nothing; with changes, the browser asks.
    await page.click('[data-test=edit-game]');
    await page.click('[data-test=edit-moves]');
    await editor(page).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('2');
    await page.locator('[data-test=save-moves]:enabled').waitFor();
    const asked = new Promise((resolve) => page.once('dialog', async (dialog) => resolve((await dialog.accept(), dialog.type()))));
    await page.reload();
    assert.equal(await asked, 'beforeunload');
    await row(page, 1, /Clara.*Anna/);
  });
});

test('a game whose text would lose something is not edited', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'open.pgn', text: '[White "Anna"]\n[Black "Boris"]\n\n1. e4 e5 (1... c5 {open' });
    await answer(page);
    await page.click('#row-0');
    await page.click('[data-test=edit-game]');
    await page.click('[data-test=edit-moves]');
    await page.locator('[data-test=moves-refused]', { hasText: 'a comment is not closed' }).waitFor();
    assert.equal(await editor(page).count(), 0);
  });
});

test('on a phone, too', async () => {
  await onSite({ context: { ...SIZES.phone, colorScheme: 'dark' } }, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    await page.tap('#row-0');
    await page.tap('[data-test=moves-here]');
    await page.tap('[data-test=edit-game]');
    await page.tap('[data-test=edit-moves]');
    await editor(page).waitFor();
    await page.getByRole('button', { name: 'Forward' }).tap();
    await at(page, '1. e4');
    await page.tap('[data-sign="5"]');
    await page.tap('[data-test=further-signs]');
    await page.locator('[data-test=comment-after]').fill('by touch');
    await clean(page);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    for (const square of ['c7', 'c6']) {
      const box = await page.locator('cg-board').boundingBox();
      await page.touchscreen.tap(box.x + ((square.charCodeAt(0) - 97 + 0.5) / 8) * box.width, box.y + ((8 - Number(square[1]) + 0.5) / 8) * box.height);
    }
    await at(page, '1… c6');
    await page.tap('[data-test=save-moves]');
    await editor(page).waitFor({ state: 'detached' });
    await page.locator('[data-test=moves] .variation', { hasText: 'c6' }).waitFor();
    await page.locator('[data-test=moves]', { hasText: 'by touch' }).waitFor();
  });
});
