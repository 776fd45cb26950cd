// Counts by a key: bars and tables, the games of each value, and sets made of them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { violations } from './axe.mjs';
import { answer, ask, closeBrowser, give, onSite, row, THREE_GAMES } from './site.mjs';

after(closeBrowser);

const number = (text) => Number(text.replace(/\D/g, ''));

/** Counts by a key and waits for the result. */
async function by(page, key) {
  await page.selectOption('[data-test=count-by]', key);
  await page.waitForFunction((key) => new URLSearchParams(location.hash.slice(1)).get('key') === key, key);
  await page.locator('[data-test=status][aria-busy=false]').waitFor();
  await page.locator('[data-test=counts]').waitFor();
}

test('by result: a table whose rows lead to their games, and back', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await ask(page, 'not queens_off');
    await page.click('#tab-counts');
    await page.locator('[data-test=counts] [data-bar]').first().waitFor();
    await by(page, 'result');
    assert.deepEqual(await page.locator('[data-test=counts] tbody td:first-child').allTextContents(), ['½-½', '*', '0-1']);
    assert.match(await page.textContent('[data-test=counts] tfoot'), /3 values\s*25/);
    await page.getByRole('button', { name: /result 0-1: 4 positions, 1 game/ }).click();
    await page.locator('[data-test=chips]').getByText('result 0-1').waitFor();
    assert.deepEqual(await answer(page), { games: 1, positions: 4 });
    await row(page, 0, /Clara.*Anna/);
    await page.goBack();
    await page.locator('[data-test=counts]').waitFor();
    assert.match(page.url(), /key=result/);
    assert.equal(await page.locator('[data-test=chips]').count(), 0);
    // The address brings everything back.
    await page.goForward();
    await page.locator('[data-test=chips]').waitFor();
    await page.reload();
    await page.locator('[data-test=chips]').getByText('result 0-1').waitFor();
    assert.deepEqual(await answer(page), { games: 1, positions: 4 });
  });
});

test('by moves and by a number: bars, a table as their twin, and what is no key', async () => {
  await onSite({}, async ({ page }) => {
    await page.click('[data-test=demo]');
    await ask(page, 'queens_off');
    await page.click('#tab-counts');
    const bar = page.locator('[data-bar="9"]');
    const [, move, positions] = /move (\d+): ([\d,]+) position/.exec(await bar.getAttribute('aria-label'));
    await bar.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.waitForFunction((move) => location.hash.includes(`move+%3D+${move}`), move);
    assert.equal((await answer(page)).positions, number(positions), 'the number of the bar is that of its positions');
    await page.goBack();

    await page.click('[data-test=count-table]');
    await page.locator('[data-test=counts] tbody tr').first().waitFor();
    assert.ok((await page.locator('[data-test=counts] tbody tr').count()) > 30);
    await page.selectOption('[data-test=count-by]', '');
    await page.fill('#count-number', 'count(white pwan)');
    await page.keyboard.press('Enter');
    assert.match(await page.textContent('[data-test=key-trouble]'), /did you mean/);
    await page.fill('#count-number', 'count(white rook) - count(black rook)');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('key=count'));
    const row = page.getByRole('button', { name: /black rook\) -1: / });
    const [, games] = /([\d,]+) games?$/.exec(await row.getAttribute('aria-label'));
    await row.click();
    await page.waitForFunction(() => location.hash.includes('q=') && document.querySelector('#query').value.includes('= -1'));
    assert.equal((await answer(page)).games, number(games));
    await page.goBack();

    // If no condition of the language can express a value at a position, the value becomes a part of the selection.
    for (const key of ['structure', 'endgame', 'material', 'player', 'white_king', 'castling', 'opening']) {
      await page.locator('[data-test=count-by]').waitFor();
      await by(page, key);
      const first = page.locator('[data-test=counts] tbody button').first();
      const [, games] = /([\d,]+) games?$/.exec(await first.getAttribute('aria-label'));
      await first.click();
      await page.locator('#tab-games[aria-selected=true]').waitFor();
      await page.waitForFunction((games) => document.querySelector('[data-test=status][aria-busy=false] [data-test=games]')?.textContent.replace(/\D/g, '') === games, games.replaceAll(',', ''));
      await page.goBack();
    }

  });
});

test('each value kept as a set', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await ask(page, 'not queens_off');
    await page.click('#tab-counts');
    await by(page, 'result');
    await page.click('[data-test=counts] ~ details summary');
    await page.getByLabel('the largest').fill('2');
    await page.click('[data-test=keep-parts]');
    await page.getByText('2 collections saved: result-…').waitFor();
    // The second time, the names are taken, and no set is lost.
    await page.click('[data-test=keep-parts]');
    await page.getByText(/There already is a set @result-/).waitFor();
    await page.click('[data-test=sets-open]');
    await page.locator('[data-test=sets] li').nth(1).waitFor();
    assert.equal(await page.locator('[data-test=sets] li').count(), 2);
    assert.match(await page.textContent('[data-test=sets]'), /result-1_2-1_2\s*1 game|result-0-1\s*1 game/);
  });
});

test('by opening: a small line says how many games each had by year, after the table is there', async () => {
  await onSite({}, async ({ page }) => {
    const games = [['1. e4 e5', 1999], ['1. e4 e5', 2001], ['1. e4 e5', 2001], ['1. d4 d5', 2000], ['1. d4 d5', 0]];
    await give(page, { name: 'years.pgn', text: games.map(([moves, year], nth) => `[White "Anna"]\n[Black "Boris ${nth}"]\n[Date "${year || '????'}.??.??"]\n[Result "1-0"]\n\n${moves} 1-0\n`).join('\n') });
    await answer(page);
    await page.click('#tab-counts');
    await by(page, 'white');
    const lines = page.locator('[data-test=counts] [data-test=sparkline]');
    await lines.waitFor();
    assert.equal(await lines.getAttribute('title'), 'Games by year, 1999 to 2001: most in 2001, 2 games');
    await by(page, 'opening');
    await lines.nth(1).waitFor();
    assert.deepEqual((await lines.evaluateAll((all) => all.map(({ title }) => title))).sort(), ['Games by year, 1999 to 2001: most in 2000, 1 game', 'Games by year, 1999 to 2001: most in 2001, 2 games']);
    // Games without years have no lines, and no column for them.
    await ask(page, 'year 2001');
    await by(page, 'white');
    await page.locator('[data-test=counts] thead .years').waitFor({ state: 'detached' });
    assert.deepEqual(await violations(page), []);
  });
});
