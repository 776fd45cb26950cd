// No state of the page has an axe violation, in light and dark, on a laptop and on a phone.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clean, EACH_SCHEME, SIZES } from './axe.mjs';
import { isMain } from './main.mjs';
import { answer, ask, closeBrowser, give, onSite, THREE_GAMES } from './site.mjs';

after(closeBrowser);

const VIEWS = isMain ? [['light', 'phone'], ['dark', 'wide']] : EACH_SCHEME;

for (const [colorScheme, size] of VIEWS) {
  test(`${colorScheme}, ${size}`, async () => {
    await onSite({ context: { ...SIZES[size], colorScheme, reducedMotion: 'reduce' } }, async ({ page }) => {
      const isPhone = size === 'phone';
      await clean(page, 'welcome');
      await give(page, { name: 'three.pgn', text: `${THREE_GAMES}\n[Event "Bad"]\n\n1. e4 e5 2. Ke3 *\n` });
      await answer(page);
      await page.click('.import summary');
      await clean(page, 'games, with a report of refused ones');
      await page.click('[data-test=dismiss]');
      await page.click('.status summary');
      await clean(page, 'details of the search');
      await page.keyboard.press('Escape');
      if (isPhone) {
        await page.click('[data-test=more]');
        await page.click('[data-test=menu]');
        await clean(page, 'the menu and more ways to search');
        await page.keyboard.press('Escape');
      }
      for (const tab of ['positions', 'heatmap', 'structures', 'explorer', 'engine', 'tablebase', 'endgames', 'castlings', 'counts']) {
        await page.click(`#tab-${tab}`);
        await page.waitForFunction((tab) => location.hash.includes(`tab=${tab}`), tab);
        await answer(page);
        await page.waitForTimeout(200);
        await clean(page, tab);
        if (tab === 'heatmap') {
          if (!isPhone) {
            await page.locator('[data-test=heat-layer] [data-square]').first().click();
            await page.locator('[data-test=heat-square]').waitFor();
            await clean(page, 'a square of the heatmap on the board');
          }
          await page.click('[data-test=heat-table]');
          await clean(page, 'heatmap as a table');
        }
        if (tab === 'structures') {
          await page.locator('[data-test=others]').first().click();
          await clean(page, 'no other corpus');
          await page.keyboard.press('Escape');
        }
        if (tab === 'explorer') {
          await page.click('[data-test=explore-start]');
          await page.locator('[data-move=d2d4] button').first().click();
          await page.locator('[data-move=d7d5]').waitFor();
          await clean(page, 'explorer, a move played');
          await page.click('[data-test=explorer-filter]');
          await page.locator('#explorer-player').waitFor();
          await clean(page, 'which games the explorer counts');
          await page.keyboard.press('Escape');
        }
      }
      await page.click('[data-test=count-table]');
      await page.click('[data-test=counts] ~ details summary');
      await clean(page, 'counts as a table');
      await page.selectOption('[data-test=count-by]', '');
      await page.fill('#count-number', 'count(pwan)');
      await page.keyboard.press('Enter');
      await page.locator('[data-test=key-trouble]').waitFor();
      await clean(page, 'no key');
      await page.selectOption('[data-test=count-by]', 'result');
      await page.locator('[data-test=counts] tbody button').first().click();
      await page.locator('[data-test=chips]').waitFor();
      await clean(page, 'a part of the games');
      await page.click('[data-test=keep-set]');
      await clean(page, 'sets, none');
      await page.fill('#set-name', 'drawn');
      await page.keyboard.press('Enter');
      await page.locator('[data-test=combine]').waitFor();
      await page.fill('#set-name', 'drawn');
      await page.keyboard.press('Enter');
      await page.locator('[data-test=sets-trouble]').waitFor();
      await clean(page, 'sets');
      await page.keyboard.press('Escape');
      await page.click('[data-test=export]');
      await clean(page, 'export');
      await page.keyboard.press('Escape');
      await page.locator('[data-test=chips] button').first().click();
      await page.click(isPhone ? '[data-test=moves-here]' : '#tab-moves');
      await clean(page, 'the moves of a game');
      await page.click('[data-test=pgn-tab]');
      await page.fill('#query', 'white bishop_piar');
      await page.locator('[data-test=problem]').waitFor();
      await clean(page, 'a typo, and the text of a game');
      if (isPhone) await page.click('[data-test=moves-here]');
      await page.fill('#query', '');
      await page.locator('#query').pressSequentially('white kn');
      await page.locator('[role=option]').first().waitFor();
      await page.keyboard.press('ArrowDown');
      await clean(page, 'a list of what may stand here');
      await page.fill('#query', 'count(white queen) >= 9');
      await page.getByText('No game matches.').waitFor();
      await clean(page, 'no match');
      await page.click('[data-test=corpus]');
      await page.getByRole('dialog').waitFor();
      await clean(page, 'corpora');
      await page.keyboard.press('Escape');
      await page.click('[data-test=mask]');
      for (const [name, square] of [['any black piece', 36], ['white knight', 28], ['empty', 20]]) {
        await page.getByRole('dialog').getByRole('button', { name }).click();
        await page.locator(`[data-square="${square}"]`).click();
      }
      await page.getByRole('button', { name: 'Exclude' }).click();
      await page.locator('[data-square="19"]').click();
      await clean(page, 'a mask');
      await page.keyboard.press('Escape');
      await page.click('[data-test=save]');
      await clean(page, 'saved queries, none');
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Queens');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Remove Queens' }).waitFor();
      await clean(page, 'saved queries');
      await page.keyboard.press('Escape');
      if (isPhone) await page.click('[data-test=menu]');
      await page.getByRole('button', { name: 'Help' }).click();
      await page.getByRole('dialog').waitFor();
      await page.locator('[data-test=predicates] dt').first().waitFor();
      await clean(page, 'help');
      await page.keyboard.press('Escape');
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(overflow, 0, 'nothing sticks out sideways');
    });
  });
}

for (const colorScheme of isMain ? ['light'] : ['light', 'dark']) {
  test(`the board and its menus, ${colorScheme}`, async () => {
    await onSite({ context: { colorScheme, ...SIZES.wide, reducedMotion: 'reduce' } }, async ({ page }) => {
      await give(page, { name: 'three.pgn', text: THREE_GAMES });
      await ask(page, 'queens_off');
      await page.waitForFunction(() => document.querySelector('[data-test=ply]')?.textContent === '16/17');
      await page.fill('[data-test=move]', 'Rd1 Ke8 Rd3 Kd4');
      await page.keyboard.press('Enter');
      await page.locator('[data-test=move-trouble]').waitFor();
      await page.locator('[data-test=sideline]').waitFor();
      await clean(page, 'a sideline, and a move that is not possible');
      for (const [menu, item] of [['search-position', 'search-exact'], ['copy', 'copy-fen']]) {
        await page.click(`[data-test=${menu}]`);
        await page.locator(`[data-test=${item}]`).waitFor();
        await clean(page, menu);
        await page.keyboard.press('Escape');
      }
      // Pasted without a clipboard, which the browser gives only to a page with permission.
      await page.evaluate(() => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', '8/P6k/8/8/8/8/8/K7 w - - 0 1');
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      });
      await page.locator('[data-test=pasted] p').waitFor();
      const { x, y, width } = await page.locator('[data-test=board] cg-board').boundingBox();
      for (const rank of [1.5, 0.5]) await page.mouse.click(x + width / 16, y + (rank * width) / 8);
      await page.locator('[data-test=promotion]').waitFor();
      await clean(page, 'a promotion');
    });
  });
}

for (const [scheme, width] of isMain ? [['dark', 390]] : [['light', 1366], ['dark', 390]]) {
  test(`a link without its games, skipped files, results of another text: ${scheme}, ${width}`, async () => {
    await onSite({ path: '#corpus=club&q=check', context: { colorScheme: scheme, viewport: { width, height: 800 } } }, async ({ page }) => {
      await page.locator('[data-test=missing]').waitFor();
      await clean(page, 'a link without its games');
      await give(page, { name: 'three.pgn', text: THREE_GAMES }, { name: 'empty.pgn', text: '' }, { name: 'nothing.pgn', text: '' });
      await answer(page);
      await page.click('[data-test=skipped] summary');
      await clean(page, 'skipped files');
      await page.fill('#query', 'white bishop_piar');
      for (const tab of ['games', 'positions', 'heatmap', 'structures', 'explorer', 'counts']) {
        await page.click(`#tab-${tab}`);
        await page.locator('#results.stale').waitFor();
        await clean(page, `results of another text: ${tab}`);
      }
    });
  });
}
