// The workbench in the window of a laptop: the board with two panels beside it, whose views speak of the same position.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, closeBrowser, give, onSite } from './site.mjs';

after(closeBrowser);

const LAPTOP = { viewport: { width: 1366, height: 657 }, reducedMotion: 'reduce' };

const GAMES = `[White "Anna"]
[Black "Boris"]
[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 1-0

[White "Clara"]
[Black "Anna"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1
`;

const shown = (page) => page.locator('[role=tab][aria-selected=true]').allTextContents();
const words = (page) => page.textContent('.board-panel [data-test=board-words]');

test('the moves and the list of games are there at the same time, beside a board of the whole height', async () => {
  await onSite({ context: LAPTOP }, async ({ page }) => {
    await page.click('[data-test=demo]');
    await answer(page);
    assert.deepEqual((await shown(page)).sort(), ['Games', 'Moves']);
    const board = await page.locator('.board-frame').boundingBox();
    assert.ok(board.height >= 440, `the board has ${board.height} px`);
    await page.locator('[data-test=moves] [data-ply="1"]').waitFor();
    await page.locator('#row-3').waitFor();
    // Nothing but the opening and the facts stands between the tabs and the moves.
    const [tabs, moves] = [await page.locator('.board-tabs').boundingBox(), await page.locator('[data-test=moves]').boundingBox()];
    assert.ok(moves.y - (tabs.y + tabs.height) < 40, `${moves.y - tabs.y - tabs.height} px above the moves`);
  });
});

test('each panel changes for itself, and a link opens both', async () => {
  await onSite({ context: LAPTOP }, async ({ page, context }) => {
    await page.click('[data-test=demo]');
    await answer(page);
    await page.click('#tab-heatmap');
    await page.click('#tab-explorer');
    await page.locator('[data-test=explorer]').waitFor();
    assert.deepEqual((await shown(page)).sort(), ['Explorer', 'Heatmap']);
    assert.ok(await page.locator('[data-test=heatmap]').isVisible());
    const other = await context.newPage();
    await other.goto(page.url());
    await other.locator('[data-test=explorer]').waitFor();
    assert.deepEqual((await shown(other)).sort(), ['Explorer', 'Heatmap']);
    await other.close();
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('#tab-moves')?.ariaSelected === 'true');
    assert.deepEqual((await shown(page)).sort(), ['Heatmap', 'Moves']);
  });
});

test('explorer, engine and board speak of one position; a game takes the board back', async () => {
  await onSite({ context: LAPTOP }, async ({ page }) => {
    await give(page, { name: 'two.pgn', text: GAMES });
    await answer(page);
    await page.click('#tab-explorer');
    await page.click('[data-test=explore-start]');
    await page.locator('[data-move=e2e4] button').first().click();
    await page.locator('[data-move=e7e5]').waitFor();
    assert.match(await words(page), /e4.*Black to move/);
    await page.click('#tab-engine');
    assert.match(await words(page), /e4.*Black to move/);
    await page.click('#tab-counts');
    assert.match(await words(page), /e4.*Black to move/);
    await page.click('#tab-games');
    await page.click('#row-1');
    await page.locator('[data-test=ply]', { hasText: '0/4' }).waitFor();
    await page.getByRole('button', { name: 'End of the game' }).click();
    await page.locator('[data-test=ply]', { hasText: '4/4' }).waitFor();
    await page.click('#tab-explorer');
    await page.locator('[data-test=explore-board][aria-pressed=true]').waitFor();
    assert.match(await words(page), /queen h4/);
  });
});

test('the heatmap lies on the board with percentages, says how the games of a square ended, and can be taken away', async () => {
  await onSite({ context: LAPTOP }, async ({ page }) => {
    await give(page, { name: 'two.pgn', text: GAMES });
    await answer(page);
    await page.click('#tab-heatmap');
    await page.getByRole('button', { name: 'white king', exact: true }).click();
    const g1 = page.locator('[data-test=heat-layer] [data-square="6"]');
    await g1.waitFor();
    // Of 14 positions, two have the king on g1.
    assert.equal(await g1.locator('text').textContent(), '14%');
    assert.match(await g1.getAttribute('aria-label'), /^g1: 2 positions, 14 %/);
    const [layer, board] = [await page.locator('[data-test=heat-layer]').boundingBox(), await page.locator('.board-frame').boundingBox()];
    assert.deepEqual(layer, board);
    await g1.click();
    await page.locator('[data-test=heat-square]', { hasText: /1 game\b/ }).waitFor();
    assert.match((await page.innerText('[data-test=heat-square]')).replace(/\s+/g, ' '), /king on g1 1 game White 100 %/);
    // The board turns, and the layer with it.
    await page.click('[aria-label="Flip the board"]');
    await page.waitForFunction(() => { const { left, top } = document.querySelector('[data-test=heat-layer] [data-square="6"]').getBoundingClientRect(); const frame = document.querySelector('.board-frame').getBoundingClientRect(); return top < frame.top + 10 && left < frame.left + frame.width / 4; });
    await page.uncheck('[data-test=heat-on-board]');
    await page.locator('[data-test=heat-layer]').waitFor({ state: 'detached' });
    await page.locator('[data-test=heat-legend]').waitFor();
    await page.check('[data-test=heat-on-board]');
    await page.locator('[data-test=heat-layer]').waitFor();
    await page.click('#tab-games');
    await page.locator('[data-test=heat-layer]').waitFor({ state: 'detached' });
  });
});

test('the divider gives a panel more room, by mouse and by keys, and the next visit has it', async () => {
  await onSite({ context: LAPTOP }, async ({ page }) => {
    await page.click('[data-test=demo]');
    await answer(page);
    const height = async () => (await page.locator('.game-panel').boundingBox()).height;
    const first = await height();
    const divider = page.locator('[data-test=divider]');
    const { x, y, width } = await divider.boundingBox();
    await page.mouse.move(x + width / 2, y + 5);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + 65);
    await page.mouse.up();
    const dragged = await height();
    assert.ok(dragged - first > 45, `${first} px, then ${dragged} px`);
    await page.reload();
    await answer(page);
    await page.locator('[data-test=moves]').waitFor();
    assert.ok(Math.abs((await height()) - dragged) <= 2);
    await divider.focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction((wanted) => Math.abs(document.querySelector('.game-panel').getBoundingClientRect().height - wanted) <= 2, first);
    // The arrow keys that move the divider do not step through the game.
    const ply = await page.textContent('[data-test=ply]');
    await page.keyboard.press('ArrowDown');
    assert.ok((await height()) > first);
    assert.equal(await page.textContent('[data-test=ply]'), ply);
  });
});
