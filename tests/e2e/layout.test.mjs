// At twelve sizes of window, or four for those who wait, in light and dark: no two panels overlap, nothing is cut, the page never scrolls sideways, and
// the board and six rows of results or moves are there without scrolling. On a phone, a tap on a game shows its position.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { look, settle } from './layout.mjs';
import { isMain } from './main.mjs';
import { answer, closeBrowser, onSite, row } from './site.mjs';
import { bring } from './tables.mjs';

after(closeBrowser);

const MAIN_SIZES = [
  [1366, 657],
  [820, 1180],
  [390, 844],
  [1920, 1080],
];
const OTHER_SIZES = [
  [1280, 720],
  [1366, 768],
  [1536, 730],
  [1024, 768],
  [1440, 789],
  [1280, 800],
  [844, 390],
  [2560, 1440],
];
const SIZES = isMain ? MAIN_SIZES : [...MAIN_SIZES, ...OTHER_SIZES];
const TABS = ['games', 'positions', 'heatmap', 'structures', 'explorer', 'engine', 'tablebase', 'counts', 'endgames', 'castlings'];
/** On a phone, these stand in place of the board. */
const WITHOUT_BOARD = new Set(['heatmap', 'structures', 'counts', 'endgames', 'castlings']);

for (const touch of [false, true]) {
  test(`no panels overlap, nothing is cut, ${touch ? 'with a finger' : 'with a mouse'}`, async () => {
    await onSite({ context: { reducedMotion: 'reduce', hasTouch: touch, isMobile: touch } }, async ({ page }) => {
      const found = [];
      const sizes = SIZES.filter(([width]) => !touch || width <= 1280);
      const walk = async (view) => {
        for (const [width, height] of sizes) {
          await page.setViewportSize({ width, height });
          await page.waitForFunction(([width, height]) => innerWidth === width && innerHeight === height, [width, height]);
          await settle(page);
          for (const colorScheme of ['light', 'dark']) {
            await page.emulateMedia({ colorScheme });
            const { wrong, isBoardWhole, moves, results } = await page.evaluate(look);
            const where = `${view}, ${width} × ${height}, ${colorScheme}`;
            found.push(...wrong.map((one) => `${where}: ${one}`));
            if (view === 'welcome' || (width <= 560 && WITHOUT_BOARD.has(view))) continue;
            if (!isBoardWhole) found.push(`${where}: the board is not whole in the window`);
            // On a phone the board has the whole width, and what is below it scrolls.
            if (height >= 650 && width > 560 && Math.max(moves, results) < 6) found.push(`${where}: only ${moves} moves and ${results} results are visible`);
          }
        }
      };
      await walk('welcome');
      await page.click('[data-test=demo]');
      await answer(page);
      await page.locator('[data-test=dismiss]').click({ timeout: 2000 }).catch(() => undefined);
      for (const tab of TABS) {
        await page.click(`#tab-${tab}`);
        await page.waitForFunction((tab) => document.querySelector(`#tab-${tab}`)?.ariaSelected === 'true', tab);
        await answer(page);
        await page.locator('[role=tabpanel] :is([data-test], [data-test] li)').first().waitFor();
        await walk(tab);
      }
      assert.deepEqual(found, []);
    });
  });
}

for (const touch of [false, true]) {
  test(`the page of tables fits every window, ${touch ? 'with a finger' : 'with a mouse'}`, async () => {
    await onSite({ context: { reducedMotion: 'reduce', hasTouch: touch, isMobile: touch } }, async ({ page }) => {
      const found = [];
      await page.evaluate(() => (location.hash = '#page=tablebase'));
      await bring(page);
      await page.click('[data-test=table-count]');
      await page.locator('[data-test=table-statistics]').waitFor();
      await page.click('[data-test=table-best]');
      for (const mode of ['edit', 'map', 'play', 'against']) {
        await page.click(`[data-test=table-${mode}]`);
        for (const [width, height] of SIZES.filter(([width]) => !touch || width <= 1280)) {
          await page.setViewportSize({ width, height });
          await page.waitForFunction(([width, height]) => innerWidth === width && innerHeight === height, [width, height]);
          await settle(page);
          const { wrong } = await page.evaluate(look);
          found.push(...wrong.map((one) => `${mode}, ${width} × ${height}: ${one}`));
          const board = await page.locator('main.tablebase .frame').boundingBox();
          if (width > 560 && height >= 650 && board.y + board.height > height) found.push(`${mode}, ${width} × ${height}: the board is not whole in the window`);
          if (board.width % 8 !== 0) found.push(`${mode}, ${width} × ${height}: the board has ${board.width} px`);
        }
      }
      assert.deepEqual(found, []);
    });
  });
}

/** Whether the board is completely in the window. */
async function boardIsWhole(page) {
  const { isBoardWhole } = await page.evaluate(look);
  return isBoardWhole;
}

for (const [width, height] of isMain ? [[390, 844]] : [[390, 844], [390, 664], [844, 390], [640, 360]]) {
  test(`a tap on a game or a move shows its position, ${width} × ${height}`, async () => {
    await onSite({ context: { viewport: { width, height }, isMobile: true, hasTouch: true, reducedMotion: 'reduce' } }, async ({ page }) => {
      await page.click('[data-test=demo]');
      await answer(page);
      for (const nth of [3, 20]) {
        const one = page.locator(`#row-${nth}`);
        await page.locator('[data-test=games-table]').evaluate((table, to) => (table.scrollTop = to), nth * 36 - 36);
        await one.scrollIntoViewIfNeeded();
        await row(page, nth, /\w/);
        await one.tap();
        await page.locator(`#row-${nth}[aria-selected=true]`).waitFor();
        assert.ok(await boardIsWhole(page), `the board is in the window after game ${nth + 1}`);
      }
      // The moves of the game are one tap away.
      if (width <= 560) {
        await page.tap('[data-test=moves-here]');
        await page.locator('.game-panel > ol').waitFor();
        assert.ok(await boardIsWhole(page), 'beside the moves');
        await page.tap('#tab-games');
      }

      // Nothing slides away under the finger while the moves are on their way.
      const top = await page.evaluate(() => {
        globalThis.highest = scrollY;
        addEventListener('scroll', () => (globalThis.highest = Math.min(globalThis.highest, scrollY)));
        return scrollY;
      });
      await page.tap('#tab-explorer');
      await page.locator('[data-move]').first().waitFor();
      const highest = await page.evaluate(() => globalThis.highest);
      if (width <= 560) assert.ok(highest >= top - 16, `the page stays where it is, and does not scroll from ${top} to ${highest}`);
      await page.tap('[data-test=explore-start]');
      await page.locator('[data-move=e2e4]').waitFor();
      // A tap may have scrolled the page, and then the list slides under the board.
      const gap = await page.evaluate(() => {
        const before = scrollY;
        scrollTo({ top: 0, behavior: 'instant' });
        const between = document.querySelector('[role=tablist]').getBoundingClientRect().top - document.querySelector('.board-panel').getBoundingClientRect().bottom;
        scrollTo({ top: before, behavior: 'instant' });
        return between;
      });
      if (width <= 560) assert.ok(gap >= -0.5 && gap < 16, `the moves stand directly below the board, not ${gap} px away`);
      const e4 = page.locator('[data-move=e2e4] button').first();
      await e4.scrollIntoViewIfNeeded();
      await e4.tap();
      await page.locator('[data-move=c7c5]').waitFor();
      assert.match(await page.textContent('.board-panel [data-test=board-words]'), /e4.*Black to move/);
      assert.ok(await boardIsWhole(page), 'the board is in the window after a move of the explorer');
    });
  });
}

test('at 1024 px the name of the corpus is readable', async () => {
  await onSite({ context: { viewport: { width: 1024, height: 768 } } }, async ({ page }) => {
    await page.click('[data-test=demo]');
    await answer(page);
    const name = await page.locator('[data-test=corpus] .name').evaluate((one) => ({ whole: one.scrollWidth <= one.clientWidth, width: one.clientWidth }));
    assert.ok(name.whole, `the name has only ${name.width} px`);
  });
});

test('the status line has no figures of the engine; they are behind details', async () => {
  await onSite({}, async ({ page }) => {
    await page.click('[data-test=demo]');
    await answer(page);
    assert.match((await page.innerText('[data-test=status]')).replace(/\s+/g, ' '), /^[\d,]+ games (\([\d.]+ %\) )?· [\d,]+ positions · (under )?[\d.]+ s$/);
    assert.ok(!(await page.locator('[data-test=badge]').isVisible()));
    await page.click('.status summary');
    await page.locator('[data-test=badge]').waitFor();
    assert.match(await page.innerText('[data-test=figures]'), /Searched\s+[\d,]+ games, [\d,]+ positions/);
    await page.keyboard.press('Escape');
    await page.locator('[data-test=badge]').waitFor({ state: 'hidden' });
  });
});

test('the buttons of the structures are large enough to hit', async () => {
  for (const [context, least] of [[{}, 28], [{ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }, 44]]) {
    await onSite({ context }, async ({ page }) => {
      await page.click('[data-test=demo]');
      await answer(page);
      await page.click('#tab-structures');
      const { height } = await page.locator('[data-test=others]').first().boundingBox();
      assert.ok(height >= least, `${height} px`);
    });
  }
});
