// The user's own side: who it is, the page of one's own games, the board from that side, and games fetched from a site.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { violations } from './axe.mjs';
import { look, settle } from './layout.mjs';
import { answer, closeBrowser, give, onSite } from './site.mjs';
import { bring } from './tables.mjs';

after(closeBrowser);

/** Twelve games of Nora: with White she wins all but one draw, with Black she loses all. */
const game = (nth) => {
  const isWhite = nth % 2 === 0;
  const [white, black] = isWhite ? ['Nora', `Guest ${nth % 3}`] : [`Guest ${nth % 3}`, 'Nora'];
  const result = nth === 0 ? '1/2-1/2' : '1-0';
  const moves = isWhite ? '1. e4 c5 2. Nf3 d6' : '1. d4 d5 2. c4 e6';
  return `[Event "Club"]\n[Site "?"]\n[Date "2024.01.${String(nth + 1).padStart(2, '0')}"]\n[Round "?"]\n[White "${white}"]\n[Black "${black}"]\n[Result "${result}"]\n\n${moves} ${result}\n`;
};
const NORA = Array.from({ length: 12 }, (_, nth) => game(nth)).join('\n');

test('an import that is mostly one player’s asks whether this is the user, and shows the games', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'nora.pgn', text: NORA });
    await answer(page);
    await page.locator('[data-test=are-you]', { hasText: 'Are you Nora (12 games)?' }).waitFor();
    await page.click('[data-test=i-am]');
    const table = (name) => page.getByRole('region', { name, exact: true });
    const rows = async (name) => (await table(name).locator('tr').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').replace(/ won.*/, '').trim());
    await table('Longest runs').waitFor();
    assert.deepEqual(await rows('Score'), ['All games 12 46 %', 'with White 6 92 %', 'with Black 6 0 %']);
    assert.deepEqual(await rows('Opponents'), ['Guest 0 4 38 %', 'Guest 1 4 50 %', 'Guest 2 4 50 %']);
    assert.match(await table('Longest runs').innerText(), /1 game without a loss|without a loss/);
    assert.deepEqual(await violations(page), []);
    // A row leads to its games, and Back returns.
    await table('Openings with White').locator('button').first().click();
    assert.equal((await answer(page)).games, 6);
    await page.locator('[data-test=score]', { hasText: /^Nora\s*92/ }).waitFor();
    await page.goBack();
    await table('Score').waitFor();
    // Her side stands below, whatever its colour.
    await page.click('[data-test=page-search]');
    await page.fill('#query', 'my losses');
    await page.press('#query', 'Enter');
    await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get('q') === 'loser "Nora"');
    assert.equal((await answer(page)).games, 6);
    await page.locator('.orientation-black').first().waitFor();
    // Whoever is forgotten is asked for again.
    await page.click('[data-test=page-mine]');
    await page.click('[data-test=forget-me]');
    await page.locator('[data-test=am]').first().waitFor();
  });
});

/** Rated blitz games of Nora from January 2024 on, one a month: she wins every other one, and her rating rises. */
const rated = (number) =>
  Array.from({ length: number }, (_, nth) => {
    const date = `${2024 + Math.floor(nth / 12)}.${String((nth % 12) + 1).padStart(2, '0')}.10`;
    return `[Event "Rated"]\n[Site "?"]\n[Date "${date}"]\n[Round "?"]\n[White "Nora"]\n[Black "Guest ${nth}"]\n[WhiteElo "${1800 + nth}"]\n[BlackElo "${nth % 2 === 0 ? 1650 : 1950}"]\n[TimeControl "300+3"]\n[Result "${nth % 2 === 0 ? '1-0' : '0-1'}"]\n\n1. e4 c5 2. Nf3 d6 ${nth % 2 === 0 ? '1-0' : '0-1'}\n`;
  }).join('\n');

test('months, ratings and what came since the last import', async () => {
  await onSite({}, async ({ page }) => {
    await page.evaluate(() => localStorage.setItem('plyfold.me', 'Nora'));
    await page.reload();
    const region = (name) => page.getByRole('region', { name, exact: true });
    const rows = async (name) => (await region(name).locator('tr').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').replace(/ won.*/, '').trim());
    await give(page, { name: 'rated.pgn', text: rated(12) });
    await answer(page);
    await page.click('[data-test=page-mine]');
    await region('Longest runs').waitFor();
    assert.deepEqual(await rows('Opponents by rating'), ['100 to 199 above me 6 0 %', '101 to 200 below me 6 100 %']);
    assert.equal((await rows('Months'))[0], 'Dec 2024 1 0 %');
    assert.equal((await rows('Months')).length, 8);
    await region('Months').locator('[data-test=unfold]').click();
    assert.equal((await rows('Months')).length, 12);
    assert.match(await region('Rating').innerText(), /Rating of 12 games by date\. The last is 1811, the highest 1811\./);
    assert.equal(await region('Rating').locator('tbody tr').count(), 12);
    assert.equal(await page.locator('[data-test=news]').count(), 0);
    assert.deepEqual(await violations(page), []);
    for (const [width, height] of [[390, 844], [1366, 657], [1920, 1080]]) {
      await page.setViewportSize({ width, height });
      await settle(page);
      assert.deepEqual((await page.evaluate(look)).wrong, [], `${width} × ${height}`);
    }
    // A band leads to its games.
    await region('Opponents by rating').locator('button').first().click();
    assert.equal((await answer(page)).games, 6);
    // The same player's games again, with three more.
    await page.click('[data-test=corpus]');
    await page.setInputFiles('[data-test=files]', { name: 'rated.pgn', mimeType: 'text/plain', buffer: Buffer.from(rated(15)) });
    await page.waitForFunction(() => document.querySelector('[data-test=games]')?.textContent.startsWith('15'));
    await page.click('[data-test=page-mine]');
    const news = page.locator('[data-test=news]');
    await news.waitFor();
    assert.equal(await news.textContent(), '3 new games since 10 Dec 2024: 2 won, 0 drawn, 1 lost; blitz 1811 → 1814.');
    await news.click();
    assert.equal((await answer(page)).games, 3);
  });
});

/** Two endgames in which Nora threw something away, and one that she held. */
const THROWN = [
  ['Nora', 'Ole', '2024.03.01', '8/8/8/8/8/2k5/1R6/K7 w - - 0 1', '1. Rb8 Kd4 2. Kb2 Ke4 3. Re8+ Kd3 4. Re4 Kxe4 1/2-1/2'],
  ['Pia', 'Nora', '2024.04.01', '8/8/8/8/4k3/8/4P3/4K3 b - - 0 1', '1... Kd5 2. Kf2 Ke4 3. e3 Kd5 4. Kf3 Ke5 5. e4 Ke6 6. Kf4 Kd6 1-0'],
  ['Nora', 'Ole', '2024.05.01', '8/8/8/8/8/2k5/1R6/K7 w - - 0 1', '1. Rb8 Kd4 2. Kb2 Ke4 1-0'],
]
  .map(([white, black, date, fen, moves]) => `[Event "Club"]\n[Site "?"]\n[Date "${date}"]\n[Round "?"]\n[White "${white}"]\n[Black "${black}"]\n[Result "${moves.split(' ').at(-1)}"]\n[SetUp "1"]\n[FEN "${fen}"]\n\n${moves}\n`)
  .join('\n');

test('endgames that were thrown away are practised one after another; without tables, the page makes them first', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'nora.pgn', text: THROWN });
    await answer(page);
    await page.click('[data-test=page-mine]');
    await page.locator('[data-test=am]', { hasText: 'Nora' }).click();
    await page.click('[data-test=thrown-begin]');
    await page.locator('[data-test=thrown-missing]').waitFor();
    assert.deepEqual(await violations(page), []);
    await bring(page);
    // The latest game comes first; the user has her side and her move.
    const strip = page.locator('[data-test=thrown-strip]');
    await strip.filter({ hasText: 'Endgame 1 of 2' }).waitFor();
    assert.match(await strip.innerText(), /Pia – Nora, 2024/);
    await page.locator('[data-test=practice-task]', { hasText: 'You play Black: hold the draw.' }).waitFor();
    await page.locator('.orientation-black').waitFor();
    assert.equal(await page.locator('[data-test=thrown-told]').count(), 0);
    await page.click('[data-test=thrown-tell]');
    assert.match(await page.textContent('[data-test=thrown-told]'), /^In the game, \d…\s\S+ throws the draw away\.$/);
    await page.click('[data-test=thrown-next]');
    await strip.filter({ hasText: 'Endgame 2 of 2' }).waitFor();
    await page.locator('[data-test=practice-task]', { hasText: 'You play White, and can win.' }).waitFor();
    assert.deepEqual(await violations(page), []);
    // The game itself, at that move, and back.
    await page.click('[data-test=thrown-game]');
    await page.locator('[data-ply="7"][aria-current], [data-ply="7"] [aria-current]').first().waitFor();
    await page.goBack();
    await strip.waitFor();
  });
});

test('games of a player come from a site that the user agrees to', async () => {
  await onSite({ elsewhere: /^https:\/\/(lichess\.org|api\.chess\.com)\// }, async ({ page, context }) => {
    const asked = [];
    await context.route(/^https:\/\/(lichess\.org|api\.chess\.com)\//, (route) => {
      const address = route.request().url();
      asked.push(address);
      const headers = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' };
      if (address.endsWith('/archives')) return route.fulfill({ headers, contentType: 'application/json', body: JSON.stringify({ archives: ['https://api.chess.com/pub/player/nora/games/2024/01', 'https://api.chess.com/pub/player/nora/games/2024/02'] }) });
      return route.fulfill({ headers, contentType: 'application/x-chess-pgn', body: NORA });
    });
    await page.fill('#site-player', 'no/body');
    await page.keyboard.press('Enter');
    await page.getByText('A name there has letters').waitFor();
    await page.fill('#site-player', 'nora');
    await page.keyboard.press('Enter');
    assert.deepEqual(asked, [], 'no host is asked before the user agrees');
    await page.click('[data-test=agree-player]');
    assert.equal((await answer(page)).games, 12);
    assert.match(asked[0], /^https:\/\/lichess\.org\/api\/games\/user\/nora\?/);
    // From chess.com, month by month.
    await page.click('[data-test=corpus]');
    await page.selectOption('[data-test=player-games] select', 'chesscom');
    await page.fill('#site-player', 'nora');
    await page.keyboard.press('Enter');
    await page.click('[data-test=agree-player]');
    await page.waitForFunction(() => document.querySelector('[data-test=games]')?.textContent.startsWith('24'));
    assert.deepEqual(asked.slice(1), ['https://api.chess.com/pub/player/nora/games/archives', 'https://api.chess.com/pub/player/nora/games/2024/01/pgn', 'https://api.chess.com/pub/player/nora/games/2024/02/pgn']);
  });
});
