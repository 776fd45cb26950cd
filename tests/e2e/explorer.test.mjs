// The explorer: moves played from a position of its own and from the matching positions.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, ask, closeBrowser, give, onSite, row, THREE_GAMES } from './site.mjs';

after(closeBrowser);

/** The number of games in a move's row. */
const gamesOf = async (page, uci) => Number((await page.textContent(`[data-move="${uci}"] .games button`)).replaceAll(',', ''));
const at = (page, fen) => page.waitForFunction((fen) => new URLSearchParams(location.hash.slice(1)).get('position')?.startsWith(fen) && document.querySelector('[data-test=explorer]')?.ariaBusy === 'false', fen);

test('moves are played from the start position, taken back, and lead to their games', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    await page.click('#tab-explorer');
    await page.click('[data-test=explore-start]');
    await at(page, 'rnbqkbnr/pppppppp/8/8/8/8/');
    assert.equal(await page.textContent('[data-test=explorer-games]'), '3');
    assert.deepEqual(await page.locator('[data-move]').evaluateAll((rows) => rows.map((row) => row.dataset.move).sort()), ['d2d4', 'e2e4', 'f2f3']);

    // A drawn game, with both ratings and a date.
    // The name that the move leads to.
    await page.waitForFunction(() => document.querySelector('[data-move=e2e4] .opening')?.textContent === "King's Pawn Game");
    assert.match(await page.textContent('[data-move=e2e4]'), /e4.*?1\s*33 %.*drawn 1 \(100 %\).*2100\s*2050\s*2024\.05\.01/s);
    await page.getByRole('button', { name: 'e4', exact: true }).click();
    await at(page, 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR_b');
    assert.match(await page.textContent('[data-test=board-words]'), /pawns a2 b2 c2 d2 e4 f2 g2 h2.*Black to move/);
    // By keyboard: the move at the top has the focus, Enter plays it, and the arrow key takes it back.
    await page.waitForFunction(() => document.activeElement?.textContent === 'e5');
    await page.keyboard.press('Enter');
    await at(page, 'rnbqkbnr/pppp1ppp/8/4p3/');
    await page.keyboard.press('Backspace');
    await at(page, 'rnbqkbnr/pppppppp/8/8/4P3/');
    await page.goBack();
    await at(page, 'rnbqkbnr/pppp1ppp/8/4p3/');
    assert.match(await page.textContent('.line'), /Start\s*1\.\s*e4\s*e5/);
    // A reload changes nothing, because the line is stored in the entry of the history.
    await page.reload();
    await at(page, 'rnbqkbnr/pppp1ppp/8/4p3/');
    assert.match(await page.textContent('.line'), /Start\s*1\.\s*e4\s*e5/);

    // The number of games leads to these games, and going back returns to the explorer.
    assert.equal(await gamesOf(page, 'g1f3'), 1);
    await page.click('[data-move=g1f3] .games button');
    await page.locator('[data-test=chips]').getByText('continued with Nf3').waitFor();
    assert.equal((await answer(page)).games, 1);
    await row(page, 0, /Anna.*Boris/);
    await page.goBack();
    await at(page, 'rnbqkbnr/pppp1ppp/8/4p3/');
    // The start of a game counts here, although no ply leads to it.
    await page.getByRole('button', { name: 'Start', exact: true }).last().click();
    await at(page, 'rnbqkbnr/pppppppp/8/8/8/8/');
    await page.click('[data-move=d2d4] .games button');
    await page.locator('[data-test=chips]').getByText('continued with d4').waitFor();
    await page.waitForFunction(() => location.hash.includes('part=') && document.querySelector('#query').value.startsWith('fen "rnbqkbnr/pppppppp/8/8/3P4/'));
    assert.deepEqual(await answer(page), { games: 1, positions: 1 });
    await row(page, 0, /Boris.*Clara/);

    // So it does where a query asks for it.
    await page.locator('[data-test=chips] button').click();
    await page.waitForFunction(() => !location.hash.includes('part='));
    await ask(page, 'fen "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"');
    await page.click('#tab-explorer');
    await page.getByRole('button', { name: 'Matching positions' }).click();
    assert.equal(await gamesOf(page, 'f2f3'), 1);
    await page.click('[data-move=f2f3] .games button');
    await page.waitForFunction(() => location.hash.includes('part='));
    assert.equal((await answer(page)).games, 1);
    await row(page, 0, /Clara.*Anna/);
  });
});

test('among the matching games only, and from the matching positions', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await ask(page, 'white knight on f3');
    await page.click('#tab-explorer');
    await page.locator('[data-test=explorer]').waitFor();
    // The query matches after 2. Nf3 in both games, and at all later plies of the first but the last, because the knight stays.
    assert.equal(await page.textContent('[data-test=explorer-games]'), '2');
    await page.click('[data-test=explore-start]');
    await at(page, 'rnbqkbnr/pppppppp/8/8/8/8/');
    assert.equal(await page.textContent('[data-test=explorer-games]'), '3');
    await page.check('[data-test=among]');
    await page.waitForFunction(() => document.querySelector('[data-test=explorer-games]')?.textContent === '2');
    assert.match(page.url(), /among=1/);
    assert.equal(await gamesOf(page, 'd2d4'), 1);
    await page.click('[data-move=d2d4] .games button');
    await page.waitForFunction(() => location.hash.includes('part='));
    assert.deepEqual((await answer(page)).games, 1);
    await row(page, 0, /Boris.*Clara/);
    assert.equal(await page.inputValue('#query'), 'white knight on f3');
    // Without the chip, all matching games are there again.
    await page.locator('[data-test=chips] button').click();
    await page.waitForFunction(() => !location.hash.includes('part='));
    assert.equal((await answer(page)).games, 2);
  });
});

test('the position on the board, on the demo: every move leads to as many games as it says', async () => {
  await onSite({}, async ({ page }) => {
    await page.click('[data-test=demo]');
    await ask(page, 'white pawn on e4 and black pawn on c5');
    await page.click('#row-0');
    await page.keyboard.press('Escape');
    await page.click('#tab-explorer');
    await page.locator('[data-test=explorer]').waitFor();
    // The explorer follows the game that was chosen: its own move is marked, and each step asks for the next moves.
    await page.waitForFunction(() => location.hash.includes('follow=1'));
    const marked = () => page.waitForFunction(() => document.querySelector('[data-test=explorer]:not([aria-busy=true]) tr.played')?.dataset.move);
    const first = await (await marked()).jsonValue();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((first) => ![first, undefined].includes(document.querySelector('[data-test=explorer]:not([aria-busy=true]) tr.played')?.dataset.move), first);
    // The next moves from all matching positions.
    await page.getByRole('button', { name: 'Matching positions' }).click();
    await page.waitForFunction(() => !location.hash.includes('follow='));
    const row = page.locator('[data-test=explorer] tbody tr').nth(4);
    const games = Number((await row.locator('.games button').textContent()).replaceAll(',', ''));
    assert.ok(games > 1);
    await row.locator('.games button').click();
    await page.waitForFunction(() => location.hash.includes('part='));
    assert.equal((await answer(page)).games, games);
    // The table sorted by another column.
    await page.goBack();
    await page.locator('[data-test=explorer] thead').getByRole('button', { name: 'Elo' }).click();
    const elos = await page.locator('[data-test=explorer] tbody td:nth-child(4)').allTextContents();
    assert.ok(elos.length > 5 && elos.every((elo, nth) => nth === 0 || Number(elo) <= Number(elos[nth - 1])), elos.join());
  });
});
