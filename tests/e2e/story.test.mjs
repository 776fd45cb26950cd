// The whole way of a player who sees the page for the first time, on a laptop and on a phone: from a PGN to the lost rook endgames of the
// last two years, through one of them with its comments and clock times, to another move, to what masters played
// there, and to a link that opens exactly that.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, closeBrowser, give, onSite, ready, row, sharedBrowser } from './site.mjs';

after(closeBrowser);

const YEAR = new Date().getFullYear();
const START = '8/8/4k3/8/8/4K3/P7/R6r w - - 0 1';

function pgn(white, black, result, date, moves) {
  const tags = { Event: 'Club Cup', Site: '?', Date: date, White: white, Black: black, Result: result, SetUp: 1, FEN: START };
  return `${Object.entries(tags).map(([name, value]) => `[${name} "${value}"]`).join('\n')}\n\n${moves} ${result}\n\n`;
}

const OWN = [
  pgn('Muster, Max', 'Berg, Anna', '0-1', `${YEAR}.01.01`, '1. a3 {[%clk 0:04:50] too slow} Kd6 {[%clk 0:04:40]} 2. a4 {[%clk 0:03:00]} Kc5 {[%clk 0:04:30]}'),
  pgn('Muster, Max', 'Cruz, Carl', '0-1', '2015.03.01', '1. a3 Kd5'),
  pgn('Muster, Max', 'Berg, Anna', '1-0', `${YEAR}.01.02`, '1. Kd4 Kd6'),
].join('');
const MASTERS = [
  pgn('Magister, M', 'Doctor, D', '1-0', '2020.01.01', '1. a3 Ke5 2. Ra2'),
  pgn('Magister, M', 'Regent, R', '1/2-1/2', '2021.01.01', '1. a3 Ke5 2. a4'),
  pgn('Regent, R', 'Doctor, D', '0-1', '2022.01.01', '1. a3 Ke5 2. Ra2'),
].join('');

const SIZES = {
  'a laptop of 13 inches': { viewport: { width: 1366, height: 657 } },
  'a phone': { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

const ply = (page, text) => page.waitForFunction((text) => document.querySelector('[data-test=ply]')?.textContent === text, text);
const pieces = (page) => page.textContent('[data-test=board-words]');

/** Fills in the form: who lost, which endgame, since when. */
async function fillForm(page) {
  await page.click('[data-test=form-open]');
  const form = page.getByRole('dialog', { name: 'Find games' });
  await form.getByLabel('Player', { exact: true }).fill('Muster, Max');
  await page.keyboard.press('Tab');
  await form.getByRole('combobox', { name: 'Colour or result', exact: true }).selectOption('loser');
  await form.getByRole('combobox', { name: 'Endgame', exact: true }).selectOption('rook');
  await form.getByRole('button', { name: 'Last 2 years' }).click();
  await page.waitForFunction(() => location.hash.includes('loser') && location.hash.includes('date'));
  await answer(page);
  await form.locator('[data-test=form-done]').click();
  assert.deepEqual(await answer(page), { games: 1, positions: 4 });
}

for (const [name, context] of Object.entries(SIZES)) {
  test(`from a PGN to a link, on ${name}`, async () => {
    await onSite({ context }, async ({ page, url }) => {
      await give(page, { name: 'masters.pgn', text: MASTERS });
      await answer(page);
      await page.setInputFiles('[data-test=files]', { name: 'own.pgn', mimeType: 'application/x-chess-pgn', buffer: Buffer.from(OWN) });
      await page.waitForFunction(() => location.hash.includes('corpus=own'));
      await fillForm(page);
      await row(page, 0, /Muster, Max/);
      await page.click('#row-0');
      await ply(page, '1/4');

      // A game with its comments and clock times.
      const moves = page.locator('[data-test=moves-here]');
      if (await moves.isVisible()) await moves.click();
      await page.locator('[data-test=moves]', { hasText: 'too slow' }).waitFor();
      assert.match(await page.textContent('[data-test=clock-white]'), /4:50/);
      await page.locator('[data-test=graph]').waitFor({ state: 'attached' });

      // Another move on the board.
      await page.fill('[data-test=move]', 'Ke5');
      await page.keyboard.press('Enter');
      await page.locator('[data-test=sideline]').waitFor();
      await page.waitForFunction(() => location.hash.includes('line=e6e5'));
      const shown = await pieces(page);
      assert.match(shown, /Black: king e5, rook h1/);
      const link = page.url().slice(url.length);

      // What masters played there.
      await page.click('[data-test=search-position]');
      await page.click('[data-test=explore-position]');
      await page.locator('[data-test=explorer], .empty').first().waitFor();
      await page.click('[data-test=corpus]');
      await page.getByRole('dialog', { name: 'Games on this device' }).getByRole('button', { name: /^masters / }).click();
      await page.locator('[data-move=a1a2]').waitFor();
      assert.equal(await page.textContent('[data-test=explorer-games]'), '3');
      assert.match(await page.textContent('[data-move=a1a2]'), /Ra2\s*2/);

      // The link, somewhere else: it asks for the games, then shows the move.
      await elsewhere(context, url + link, shown);
    });
  });
}

async function elsewhere(options, link, shown) {
  const browser = await sharedBrowser();
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    await page.goto(link);
    await page.locator('[data-test=missing]').waitFor();
    await give(page, { name: 'own.pgn', text: OWN });
    await answer(page);
    await page.locator('[data-test=sideline]').waitFor({ state: 'attached' });
    assert.equal(await pieces(page), shown);
    await page.reload();
    await ready(page);
    await page.locator('[data-test=sideline]').waitFor({ state: 'attached' });
    assert.equal(await pieces(page), shown);
  } finally {
    await context.close();
  }
}
