// Takes the screenshots of the site: the demo games in light and dark, wide and narrow, one file each.
//
// usage: node screenshots.mjs FOLDER [--zoom N] [NAME...]      (environment: PLYFOLD_DIST, CHROMIUM)
// The two screenshots of the README: node screenshots.mjs docs light-wide-games dark-wide-heatmap

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { answer, ask, closeBrowser, onSite } from './site.mjs';

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

for (const colorScheme of ['light', 'dark']) {
  for (const [size, options] of Object.entries(SIZES)) {
    if (names.length > 0 && !names.some((name) => name.startsWith(`${colorScheme}-${size}`))) continue;
    await onSite({ context: { ...options, colorScheme, reducedMotion: 'reduce', deviceScaleFactor: zoom } }, async ({ page }) => {
      const shoot = async (what) => {
        const name = `${colorScheme}-${size}-${what}`;
        if (names.length > 0 && !names.includes(name)) return;
        await page.waitForTimeout(400);
        await page.mouse.move(0, 0);
        await page.screenshot({ path: join(folder, `${name}.png`), fullPage: size === 'narrow' || what.startsWith('transforms') });
        console.log(name);
      };
      await shoot('welcome');
      await page.click('[data-test=demo]');
      await answer(page);
      await page.click('[data-test=dismiss]');
      await ask(page, '{ queens_off and white bishop_pair }');
      await page.click('#row-3');
      await page.waitForFunction(() => location.hash.includes('game='));
      for (let nth = 0; nth < 4; nth++) await page.keyboard.press('n');
      await shoot('games');
      if (size === 'narrow') await page.click('[data-test=more]');
      for (const tab of ['positions', 'heatmap', 'structures']) {
        await page.click(`#tab-${tab}`);
        await page.waitForFunction((tab) => location.hash.includes(`tab=${tab}`), tab);
        await answer(page);
        if (tab === 'heatmap') await page.getByRole('button', { name: 'white bishop', exact: true }).click();
        await shoot(tab);
      }
      await page.click('#tab-games');
      if (size === 'narrow') await page.click('[data-test=moves-here]');
      await page.click('[data-test=search-position]');
      await page.click('[data-test=transform-this]');
      await page.fill('#sequence', 'Twin Rotate 90 Twin cont flipcolor shift:1,0');
      await page.locator('[data-test=twin-c]').waitFor();
      const [placement] = (await page.inputValue('#position')).split(' ');
      await page.fill('#other', placement.split('/').map((rank) => [...rank].reverse().join('')).join('/'));
      await page.locator('[data-test=between]').waitFor();
      await shoot('transforms');
      await page.fill('#sequence', 'flipH rotate 45');
      await page.locator('[data-test=sequence-fault]').waitFor();
      await shoot('transforms-fault');
      await page.getByRole('button', { name: 'pawns', exact: true }).click();
      await page.click('[data-test=under-search]');
      await answer(page);
      await page.locator('[data-test=as]').waitFor();
      await shoot('images');
      await ask(page, '{ queens_off and white bishop_pair }');
      await page.click('#tab-explorer');
      await page.click('[data-test=explore-start]');
      for (const uci of ['e2e4', 'c7c5', 'g1f3']) await page.locator(`[data-move=${uci}] button`).first().click();
      await page.locator('[data-move=d7d6]').waitFor();
      await shoot('explorer');
      await page.click('#tab-counts');
      await page.locator('[data-test=counts]').waitFor();
      await shoot('counts');
      await page.selectOption('[data-test=count-by]', 'material');
      await page.locator('[data-test=counts] tbody button').first().waitFor();
      await shoot('material');
      await page.selectOption('[data-test=count-by]', 'result');
      await page.getByRole('button', { name: /^result 1-0:/ }).click();
      await page.locator('[data-test=chips]').waitFor();
      for (const name of ['won', 'bishops']) {
        await page.click('[data-test=keep-set]');
        await page.fill('#set-name', name);
        await page.keyboard.press('Enter');
        await page.locator('[data-test=sets]').getByText(`@${name}`, { exact: true }).waitFor();
        if (name === 'bishops') await shoot('sets');
        await page.keyboard.press('Escape');
        if (name === 'won') await page.locator('[data-test=chips] button').click();
      }
      await page.click('[data-test=export]');
      await shoot('export');
      await page.keyboard.press('Escape');
      await page.fill('#query', '{ queens_off and white ');
      await page.locator('#query').pressSequentially('b');
      await page.locator('[role=option]').first().waitFor();
      await page.keyboard.press('ArrowDown');
      await shoot('options');
      await page.keyboard.press('Escape');
      await page.fill('#query', '');
      await page.locator('#query').pressSequentially('white knight ');
      await page.locator('[role=option]').first().waitFor();
      await shoot('next');
      await page.keyboard.press('Escape');
      await ask(page, '{ board "????????/ppp?????/????????/???[Nn.]????/?...????/??[nbrqk.][PNBRQK]?[NBRQKPnbrqk]??/1???????/????????" and check }');
      await page.click('[data-test=mask]');
      await shoot('mask');
      await page.keyboard.press('Escape');
      for (const [name, query] of [['Octopus', 'white knight on e5 for 4 moves'], ['', 'endgame rook'], ['Carlsbad', 'structure "8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8"']]) {
        await ask(page, query);
        await page.click('[data-test=save]');
        await page.getByLabel('Name', { exact: true }).fill(name);
        await page.keyboard.press('Enter');
        await page.keyboard.press('Escape');
      }
      await ask(page, '{ queens_off and white bishop_pair } for 8 and count(white rook) >= 2');
      await page.click('[data-test=save]');
      await shoot('saved');
      await page.keyboard.press('Escape');
      if (size === 'narrow') await page.click('[data-test=menu]');
      await page.getByRole('button', { name: 'Help' }).click();
      await page.locator('[data-test=predicates] dt').first().waitFor();
      await shoot('help');
      await page.keyboard.press('Escape');
      await page.fill('#query', 'white bishop_piar and check');
      await page.locator('[data-test=problem]').waitFor();
      await shoot('typo');
    });
  }
}
await closeBrowser();
