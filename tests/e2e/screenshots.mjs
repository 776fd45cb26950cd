// Takes the screenshots of the site: the demo as visitors see it, in light and dark, wide and narrow, one file each.
//
// usage: node screenshots.mjs FOLDER [--zoom N] [NAME...]      (environment: PLYFOLD_DIST, CHROMIUM)
// The two screenshots of the README: node screenshots.mjs docs light-wide-games dark-wide-heatmap

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { answer, closeBrowser, onSite } from './site.mjs';

const words = process.argv.slice(2);
const folder = words[0];
if (!folder) {
  console.error('usage: node screenshots.mjs FOLDER [--zoom N] [NAME...]');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const zoom = Number(words[words.indexOf('--zoom') + 1]) || 1;
const names = words.slice(1).filter((word, at, all) => word !== '--zoom' && all[at - 1] !== '--zoom');

const SIZES = {
  wide: { viewport: { width: 1360, height: 850 } },
  narrow: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

/** The question of most pictures, as a player writes it. */
const QUESTION = 'Karpov isolated queen’s pawn';

for (const colorScheme of ['light', 'dark']) {
  for (const [size, options] of Object.entries(SIZES)) {
    if (names.length > 0 && !names.some((name) => name.startsWith(`${colorScheme}-${size}`))) continue;
    await onSite({ famous: true, context: { ...options, colorScheme, reducedMotion: 'reduce', deviceScaleFactor: zoom } }, async ({ page }) => {
      const isNarrow = size === 'narrow';
      const shoot = async (what) => {
        const name = `${colorScheme}-${size}-${what}`;
        if (names.length > 0 && !names.includes(name)) return;
        await page.mouse.move(0, 0);
        await page.waitForTimeout(400);
        await page.screenshot({ path: join(folder, `${name}.png`), fullPage: isNarrow || what === 'transforms' });
        console.log(name);
      };
      const menu = async (test) => {
        if (isNarrow) await page.click('[data-test=menu]');
        await page.click(`[data-test=${test}]`);
      };
      const asked = async () => {
        await page.fill('#query', QUESTION);
        await page.press('#query', 'Enter');
        await page.waitForFunction((words) => new URLSearchParams(location.hash.slice(1)).get('words') === words, QUESTION);
        await answer(page);
      };
      await shoot('welcome');
      await page.click('[data-test=demo]');
      await answer(page);
      await page.click('[data-test=dismiss]');
      await asked();
      await page.click('#row-0');
      await page.waitForFunction(() => location.hash.includes('game='));
      for (let nth = 0; nth < 9; nth++) await page.keyboard.press('n');
      await shoot('games');
      for (const tab of ['positions', 'heatmap', 'structures', 'counts', 'explorer']) {
        await page.click(`#tab-${tab}`);
        await answer(page);
        if (tab === 'heatmap') await page.getByRole('button', { name: 'white knight', exact: true }).click();
        if (tab === 'counts') {
          await page.selectOption('[data-test=count-by]', 'opening_family');
          await page.locator('[data-test=sparkline]').first().waitFor({ state: 'attached' });
        }
        if (tab === 'explorer') await page.locator('[data-move]').first().waitFor();
        await shoot(tab);
      }
      await page.click('#tab-games');
      await page.fill('#query', '');
      await page.locator('#query').pressSequentially('Karp');
      await page.locator('[role=option]').first().waitFor();
      await shoot('suggestions');
      await page.keyboard.press('Escape');
      await asked();
      await page.click('[data-test=form-open]');
      await page.locator('[data-test=form]').waitFor();
      await shoot('form');
      await page.keyboard.press('Escape');
      await menu('sets-open');
      await page.locator('dialog[open]').waitFor();
      await shoot('collections');
      await page.keyboard.press('Escape');
      await menu('page-mine');
      await page.locator('[data-test=am]').first().click();
      await page.locator('[data-test=mine] [data-test=sparkline]').first().waitFor({ state: 'attached' });
      await shoot('mine');
      if (isNarrow) await page.click('[data-test=menu]');
      await page.click('[data-test=page-more]');
      await page.click('[data-test=page-transforms]');
      await page.fill('#sequence', 'flipH rotate 90');
      await shoot('transforms');
    });
  }
}
await closeBrowser();
