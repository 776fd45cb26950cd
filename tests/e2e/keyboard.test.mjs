// The whole workflow without a mouse.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, ask, closeBrowser, give, onSite, row, THREE_GAMES } from './site.mjs';

after(closeBrowser);

const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute('data-test') ?? document.activeElement?.id ?? '');

async function tabTo(page, name) {
  for (let nth = 0; nth < 60; nth++) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab never reached ${name}`);
}

/** The three games with their query, and the focus on the page. */
async function threeGames(page) {
  await give(page, { name: 'three.pgn', text: THREE_GAMES });
  await answer(page);
  await ask(page, 'queens_off');
  await page.locator('#query').blur();
}

const ply = (page, text) => page.waitForFunction((text) => document.querySelector('[data-test=ply]')?.textContent === text, text);

test('from the first visit to a game', async () => {
  await onSite({}, async ({ page }) => {
    await tabTo(page, 'demo');
    const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.equal(ring, 'solid', 'focus is visible');
    await page.keyboard.press('Enter');
    await answer(page);

    await page.keyboard.press('/');
    assert.equal(await focused(page), 'query');
    await page.keyboard.type('check');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('q=check'));
    await answer(page);

    await tabTo(page, 'tab-games');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => location.hash.includes('tab=positions'));
    assert.equal(await focused(page), 'tab-positions');
    await page.keyboard.press('Home');
    await page.waitForFunction(() => !location.hash.includes('tab='));

    await tabTo(page, 'games-table');
    await row(page, 1, /\w/);
    const first = await page.textContent('#row-0');
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.querySelector('#row-1')?.getAttribute('aria-selected') === 'true');
    assert.notEqual(await page.textContent('#row-1'), first);
    await page.keyboard.press('PageDown');
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.querySelector('#row-0')?.getAttribute('aria-selected') === 'true');
  });
});

test('stepping, matches, turning, help', async () => {
  await onSite({}, async ({ page }) => {
    await threeGames(page);
    // The first match of queens_off in the first game is 8... Kxd8, ply 16.
    await ply(page, '16/17');
    const steps = [
      ['ArrowRight', '17/17'],
      ['j', '17/17'],
      ['k', '16/17'],
      ['ArrowLeft', '15/17'],
      ['n', '16/17'],
      ['n', '17/17'],
      ['p', '16/17'],
      ['Home', '0/17'],
      ['End', '17/17'],
    ];
    for (const [key, text] of steps) {
      await page.keyboard.press(key);
      await ply(page, text);
    }
    await page.keyboard.press('Home');
    await page.keyboard.press('j');
    await page.waitForFunction(() => document.querySelector('[data-test=said]')?.textContent === '1. e4');
    await page.keyboard.press('f');
    await page.locator('.orientation-black').first().waitFor();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Help' });
    await help.waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    assert.match(page.url(), /game=1&ply=1/);
  });
});

test('the heatmap by keys', async () => {
  await onSite({}, async ({ page }) => {
    await threeGames(page);
    await page.click('#tab-heatmap');
    await page.locator('[data-square="0"]').focus();
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^f3: 2 positions, 100 %/);
    await page.keyboard.press('Enter');
    await page.locator('[data-test=heat-square]', { hasText: 'on f3' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get('q') === '{ queens_off and white knight on f3 }');
  });
});
