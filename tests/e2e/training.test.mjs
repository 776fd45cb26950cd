// Training: one's own lines, played from memory against what was played.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { violations } from './axe.mjs';
import { answer, closeBrowser, give, onSite } from './site.mjs';

after(closeBrowser);

const game = (moves) => `[Event "Club"]\n[Site "?"]\n[Date "2024.01.01"]\n[Round "?"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n${moves} 1-0\n`;
const GAMES = [...Array(8).fill('1. e4 e5 2. Nf3 Nc6'), ...Array(2).fill('1. e4 c6 2. d4 d5')].map(game).join('\n');
const LINES = '1. e4 e5 2. Nf3 (2. f4 exf4) 2... Nc6 3. Bb5 *';

/** Plays a move by two clicks on the board. */
async function play(page, from, to) {
  for (const square of [from, to]) {
    const box = await page.locator('cg-board').boundingBox();
    await page.mouse.click(box.x + ((square.charCodeAt(0) - 97 + 0.5) / 8) * box.width, box.y + ((8 - Number(square[1]) + 0.5) / 8) * box.height);
  }
}

test('lines are trained: right and wrong moves, what opponents play, the end of the line, and again on the next visit', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'club.pgn', text: GAMES });
    await answer(page);
    await page.click('[data-test=page-more]');
    await page.click('[data-test=page-training]');
    await page.fill('[data-test=training-text]', '1. e5 *');
    await page.click('[data-test=training-begin]');
    await page.locator('[data-test=training-trouble]', { hasText: 'Game 1: e5 is not possible in the first position.' }).waitFor();
    await page.fill('[data-test=training-text]', LINES);
    await page.click('[data-test=training-begin]');
    const says = page.locator('[data-test=training-says]');
    await says.getByText('Your move.').waitFor();
    assert.deepEqual(await violations(page), []);
    await play(page, 'd2', 'd4');
    await says.getByText('d4 is not in your lines.').waitFor();
    await page.click('[data-test=training-show]');
    await page.locator('[data-test=training-answer]', { hasText: 'Your lines play e4.' }).waitFor();
    await play(page, 'e2', 'e4');
    await says.getByText('e5 was played in 8 of 10 games (80 %).').waitFor();
    await says.getByText('Your lines do not answer c6, played in 2.').waitFor();
    await play(page, 'g1', 'f3');
    await says.getByText('Nc6 was played in 8 of 8 games (100 %).').waitFor();
    await play(page, 'f1', 'b5');
    await says.getByText('The line ends here.').waitFor();
    assert.equal((await page.locator('[data-test=training-line]').innerText()).replace(/\s+/g, ' ').trim(), '1. e4 e5 2. Nf3 Nc6 3. Bb5');
    assert.equal(await page.locator('[data-test=training-tally]').innerText(), 'You found 2 of 3 moves.');
    // A reload begins a line; the lines are still there, and so is the page.
    await page.reload();
    await says.getByText('Your move.').waitFor();
    await page.click('[data-test=training-black]');
    await page.locator('.orientation-black').first().waitFor();
    await page.locator('[data-test=training-line]', { hasText: 'e4' }).waitFor();
  });
});
