// No state of the page of tables has an axe violation, in light and dark, on a laptop and on a phone.

import { after, test } from 'node:test';
import { clean, EACH_SCHEME, SIZES } from './axe.mjs';
import { isMain } from './main.mjs';
import { answer, ask, closeBrowser, ENDINGS, give, onSite } from './site.mjs';
import { bring } from './tables.mjs';

after(closeBrowser);

for (const [colorScheme, size] of isMain ? [['dark', 'phone']] : EACH_SCHEME) {
  test(`tables: ${colorScheme}, ${size}`, async () => {
    await onSite({ context: { ...SIZES[size], colorScheme, reducedMotion: 'reduce' } }, async ({ page }) => {
      await page.evaluate(() => (location.hash = '#page=tablebase'));
      await page.locator('[data-test=table-make]:enabled').waitFor();
      await page.click('.sources summary');
      await clean(page, 'no tables, and other sources');
      await page.click('[data-test=table-make]');
      await page.locator('[data-test=table-progress]').waitFor();
      await clean(page, 'tables are being made');
      // They may be complete by now.
      await page.evaluate(() => document.querySelector('[data-test=table-stop]')?.click());
      await page.locator('[data-test=table-said]', { hasText: /made in|Stopped/ }).waitFor();
      await bring(page);
      await page.click('[data-test=table-count]');
      await page.locator('[data-test=table-statistics]').waitFor();
      await page.click('[data-test=table-against]');
      await clean(page, 'play against the tables');
      await page.click('[data-test=practice-answer]');
      await page.click('[data-uci=b1e4]');
      await page.locator('[data-test=table-line] li').nth(1).waitFor();
      await clean(page, 'a win thrown away');
      await page.click('[data-test=table-back]');
      await page.click('[data-test=table-stop-play]');
      await page.click('[data-test=table-edit]');
      await clean(page, 'the editor');
      await page.click('[data-test=table-map]');
      await page.locator('.grid [data-outcome]').first().waitFor();
      await clean(page, 'the map');
      await page.evaluate(() => (location.hash = ''));
      await give(page, { name: 'endings.pgn', text: ENDINGS });
      await answer(page);
      await ask(page, 'threw_away win or check');
      await page.locator('[data-test=unknown]').waitFor();
      await page.click('#tab-endgames');
      await page.locator('[data-output=endgames] tbody tr').first().waitFor();
      await clean(page, 'the endgames of a result, and what is not known');
    });
  });
}
