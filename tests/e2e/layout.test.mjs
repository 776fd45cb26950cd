// At ten sizes of window, in light and dark: no two panels overlap, nothing is cut, the page never scrolls sideways, and
// the board and six rows of results or moves are there without scrolling. On a phone, a tap on a game shows its position.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, closeBrowser, onSite, row } from './site.mjs';

after(closeBrowser);

const SIZES = [
  [1280, 720],
  [1366, 657],
  [1366, 768],
  [1536, 730],
  [1024, 768],
  [1440, 789],
  [1280, 800],
  [820, 1180],
  [844, 390],
  [390, 844],
  [1920, 1080],
  [2560, 1440],
];
const TABS = ['games', 'positions', 'heatmap', 'structures', 'explorer', 'counts'];
/** On a phone, these stand in place of the board. */
const WITHOUT_BOARD = new Set(['heatmap', 'structures', 'counts']);

/** What is wrong with the layout, in sentences, and how many rows are visible. Runs in the page. */
function look() {
  const wrong = [];
  const { innerWidth: width, innerHeight: height } = window;
  const seen = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility === 'visible';
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  const box = (element) => element.getBoundingClientRect();

  const PANELS = ['header', '.ask form', '.tools', '.status', '.board-panel > .player', '.board-frame', '.strip', '.buttons', '.game-panel', '[role=tablist]', '[role=tabpanel]', '.zone', '.questions'];
  const panels = PANELS.flatMap((name) => all(name).map((element) => ({ name, place: box(element) })));
  for (const [nth, { name, place }] of panels.entries()) {
    for (const other of panels.slice(nth + 1)) {
      const across = Math.min(place.right, other.place.right) - Math.max(place.left, other.place.left);
      const down = Math.min(place.bottom, other.place.bottom) - Math.max(place.top, other.place.top);
      if (across > 0.5 && down > 0.5) wrong.push(`${name} and ${other.name} overlap by ${across.toFixed(1)} × ${down.toFixed(1)} px`);
    }
    if (place.left < -0.5 || place.right > width + 0.5) wrong.push(`${name} sticks out sideways`);
  }

  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) wrong.push(`the page scrolls sideways by ${root.scrollWidth - root.clientWidth} px`);

  // Texts that must be whole. A row of tabs may scroll within itself, but each tab is whole.
  const WHOLE = '[role=tab], .button:not(.corpus), .moves, [data-test=status], .status strong, .row .number, thead th button, .corpus .name';
  for (const element of all(WHOLE)) {
    if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0) wrong.push(`"${element.textContent.trim()}" is cut: ${element.scrollWidth} of ${element.clientWidth} px`);
  }
  for (const list of all('[data-test=games-table], [data-test=explorer], [data-test=counts]')) {
    if (list.scrollWidth > list.clientWidth + 1) wrong.push(`${list.dataset.test} scrolls sideways: ${list.scrollWidth} of ${list.clientWidth} px`);
  }
  // A panel that is larger than the section around it is cut as well.
  const panel = document.querySelector('[role=tabpanel]');
  if (panel && seen(panel) && box(panel).bottom > box(panel.parentElement).bottom + 0.5) wrong.push('the results are cut at the bottom');

  const frame = document.querySelector('.board-frame');
  const board = frame && seen(frame) ? box(frame) : null;
  if (board && (board.width % 8 !== 0 || Math.abs(board.width - board.height) > 0.01)) wrong.push(`the board has ${board.width} × ${board.height} px`);
  const isBoardWhole = board !== null && board.top >= -0.5 && board.left >= -0.5 && board.bottom <= height + 0.5 && board.right <= width + 0.5;

  /** Rows that are completely within the window and within the list that scrolls them. */
  const rows = (list, row) =>
    all(list).flatMap((view) => {
      const place = box(view);
      const bottom = Math.min(place.bottom, height) + 0.5;
      const head = view.querySelector('.head, thead');
      const top = Math.max(head ? box(head).bottom : place.top, 0) - 0.5;
      return [...view.querySelectorAll(row)].filter((one) => seen(one) && box(one).top >= top && box(one).bottom <= bottom);
    }).length;
  return {
    wrong,
    isBoardWhole,
    moves: rows('.game-panel > ol', 'li'),
    results: rows('[data-test=games-table]', '.all > * > .row') + rows('[data-test=explorer]', 'tbody tr'),
  };
}

/** Waits until board and lists have taken their sizes: a few frames after a change of the window. */
function settle(page) {
  return page.evaluate(
    () =>
      new Promise((done) => {
        let last = '';
        let alike = 0;
        const look = () => {
          const now = ['.page', '.board-frame', '[role=tabpanel]'].map((name) => JSON.stringify(document.querySelector(name)?.getBoundingClientRect())).join();
          alike = now === last ? alike + 1 : 0;
          last = now;
          if (alike === 3) done();
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
  );
}

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
            if (height >= 650 && Math.max(moves, results) < 6 && !(width <= 560 && view === 'positions')) found.push(`${where}: only ${moves} moves and ${results} results are visible`);
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

/** Whether the board is completely in the window. */
async function boardIsWhole(page) {
  const { isBoardWhole } = await page.evaluate(look);
  return isBoardWhole;
}

for (const [width, height] of [[390, 844], [390, 664], [844, 390], [640, 360]]) {
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

      await page.tap('#tab-explorer');
      await page.tap('[data-test=explore-start]');
      await page.locator('[data-move=e2e4]').waitFor();
      const gap = await page.evaluate(() => document.querySelector('[role=tablist]').getBoundingClientRect().top - document.querySelector('.board-panel').getBoundingClientRect().bottom);
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
