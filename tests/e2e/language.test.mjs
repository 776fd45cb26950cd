// The page in another language: chosen by the browser or by the user, whole, without a word of English, and laid out as well.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { violations } from './axe.mjs';
import { look, settle } from './layout.mjs';
import { answer, ask, closeBrowser, give, onSite, ready, THREE_GAMES } from './site.mjs';

after(closeBrowser);

const german = { locale: 'de-DE', reducedMotion: 'reduce' };
const WIDE = { viewport: { width: 1366, height: 657 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const TABS = ['games', 'positions', 'heatmap', 'structures', 'explorer', 'counts'];

/** The English texts without places for values that are different in German. */
const ENGLISH = readFileSync(new URL('../../www/src/locales/de.po', import.meta.url), 'utf8')
  .split('\n\n')
  .map((entry) => [/^msgid (".*")$/m.exec(entry)?.[1], /^msgstr (".*")$/m.exec(entry)?.[1]])
  .filter(([text, translated]) => text && translated && text !== translated)
  .map(([text]) => JSON.parse(text))
  .filter((text) => text !== '' && !/[{<]/.test(text));

/**
 * The English texts on the page: whole texts of the catalog, and common words. What the engine says, what the games say, and
 * the query language are English or have no language. Runs in the page.
 */
function englishTexts(catalog) {
  const known = new Set(catalog);
  const common = /\b(the|of|with|this|that|is|are|games?|positions?|moves?|white|black|search|show|sort|result)\b/i;
  const without = 'code, pre, textarea, script, style, noscript, option, .opening, .examples, [lang=en], [data-test=moves], .corpus .name, [data-test=images] .name, fieldset:has([value=mirror]), .told, [aria-label=Anfügen], .behind, .also, #count-number, .parts input, [data-test^=search-], [data-test^=add-], [data-test=card], [data-test=question]';
  const found = [];
  const check = (text, where) => {
    const plain = text.trim().replace(/\s+/g, ' ');
    if (known.has(plain) || common.test(plain)) found.push(`${where}: ${plain}`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) if (!node.parentElement?.closest(without)) check(node.data, 'text');
  for (const element of document.body.querySelectorAll('[title], [aria-label], [placeholder], [alt]')) {
    if (element.closest(without)) continue;
    for (const name of ['title', 'aria-label', 'placeholder', 'alt']) if (element.hasAttribute(name)) check(element.getAttribute(name), name);
  }
  for (const option of document.querySelectorAll('option:not([lang])')) if (known.has(option.textContent.trim())) check(option.textContent, 'option');
  return found;
}

async function openTab(page, tab) {
  await page.click(`#tab-${tab}`);
  await page.waitForFunction((tab) => document.querySelector(`#tab-${tab}`)?.ariaSelected === 'true', tab);
  await answer(page);
  await page.locator('[role=tabpanel] :is([data-test], [data-test] li)').first().waitFor();
}

test('a German browser sees German from the first paint, in every view', async () => {
  await onSite({ context: { ...german, ...WIDE }, open: false }, async ({ page, url }) => {
    await page.addInitScript(() => {
      globalThis.seen = [];
      new MutationObserver(() => {
        const text = document.querySelector('#app')?.innerText.trim() ?? '';
        if (text) globalThis.seen.push(text);
      }).observe(document, { childList: true, subtree: true });
    });
    await page.goto(url);
    await ready(page);
    const found = [];
    const isGerman = async (view) => found.push(...(await page.evaluate(englishTexts, ENGLISH)).map((one) => `${view}: ${one}`));
    const [first] = await page.evaluate(() => globalThis.seen);
    assert.match(first, /Suchprogramm|Partien/);
    assert.equal(await page.getAttribute('html', 'lang'), 'de');
    assert.match(await page.title(), /^plyfold: jede Stellung/);
    await isGerman('welcome');

    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    await isGerman('import');
    await ask(page, 'white knight on e5');
    await page.keyboard.press('Escape');
    await page.locator('.board-frame').click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('ArrowRight');
    await isGerman('game');
    for (const tab of TABS) {
      await openTab(page, tab);
      await isGerman(tab);
      if (tab === 'heatmap') {
        if (await page.locator('[data-test=heat-on-board]').isVisible()) {
          await page.locator('[data-test=heat-layer] [data-square]').first().click();
          await page.locator('[data-test=heat-square]').waitFor();
          await isGerman('heatmap on the board');
          await page.uncheck('[data-test=heat-on-board]');
        }
        assert.deepEqual(await page.locator('[data-test=heat-shades] option').allTextContents(), ['nach Rang', 'in gleichen Schritten']);
        await page.selectOption('[data-test=heat-shades]', 'number');
        await page.click('[data-test=heat-table]');
        await isGerman('heatmap as a table');
      }
      if (tab === 'explorer') {
        await page.click('[data-test=explore-start]');
        await page.locator('[data-move=d2d4] button').first().click();
        await page.locator('[data-move=d7d5]').waitFor();
        await isGerman('explorer, a move played');
      }
    }
    await openTab(page, 'games');
    for (const [button, part] of [
      ['[data-test=mask]', '[data-test=mask-use]'],
      ['[data-test=save]', '#saved-title'],
      ['[data-test=keep-set]', '#set-name'],
      ['[data-test=export]', '#export-title'],
      ['[data-test=corpus]', '#library-title'],
      ['[data-test=form-open]', '[data-test=form]'],
      ['[data-test=search-position]', '[data-test=paint-position]'],
      ['[data-test=copy]', '[data-test=copy-fen]'],
      ['header [title="Hilfe (?)"]', '[data-test=predicates] dt'],
    ]) {
      await page.click(button);
      await page.locator(part).first().waitFor();
      await isGerman(part);
      await page.keyboard.press('Escape');
    }
    await page.click('[data-test=page-more]');
    await page.click('[data-test=page-transforms]');
    await page.locator('[data-test=images] [data-image]').first().waitFor();
    await page.fill('[data-test=sequence]', 'flipH');
    await page.locator('[data-step]').waitFor();
    await isGerman('transforms');
    assert.deepEqual([...new Set(found)], []);
  });
});

test('the user changes the language, and query, game and choice stay', async () => {
  await onSite({ context: { ...german, ...WIDE } }, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    await ask(page, 'queens_off');
    await openTab(page, 'counts');
    await openTab(page, 'games');
    await page.click('#row-0');
    // The ply of the match joins the address when the engine has told it.
    await page.waitForFunction(() => /game=1&ply=16\b/.test(location.hash));
    const before = await page.evaluate(() => location.hash);
    await change(page, 'en');
    assert.equal(await page.getAttribute('html', 'lang'), 'en');
    await page.getByRole('tab', { name: 'Games', exact: true }).waitFor();
    assert.equal(await page.evaluate(() => location.hash), before);
    assert.equal(await page.inputValue('#query'), 'queens_off');
    await page.reload();
    await answer(page);
    assert.equal(await page.getAttribute('html', 'lang'), 'en', 'the choice stays');
    await change(page, 'de');
    await page.getByRole('tab', { name: 'Partien' }).waitFor();
    assert.equal(await page.evaluate(() => location.hash), before);
  });
});

/** Chooses a language in the header by the keyboard, and waits for the new page. */
async function change(page, language) {
  const loaded = page.waitForEvent('load');
  await page.selectOption('[data-test=language]', language);
  await loaded;
  await answer(page);
}

test('a typed query that has no result stays', async () => {
  await onSite({ context: { ...WIDE } }, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    await page.fill('#query', '{ white knigth on e5 }');
    await page.locator('[data-test=problem]').waitFor();
    const loaded = page.waitForEvent('load');
    await page.selectOption('[data-test=language]', 'de');
    await loaded;
    await page.locator('[data-test=problem]').waitFor();
    assert.equal(await page.inputValue('#query'), '{ white knigth on e5 }');
    // What is wrong is told in the language of the page.
    assert.match(await page.textContent('[data-test=problem]'), /„knigth“ bedeutet hier nichts. Meinten Sie knight\?/);
    for (const [query, said] of [
      ['check § castled', /Das Zeichen § bedeutet in einer Frage nichts/],
      ['{ queens_off and check', /} fehlt am Ende/],
      ['{ queens_off for 8 }', /Zwischen geschweiften Klammern gilt alles in einer Stellung, und for braucht mehrere/],
      ['white knight on e5 queens_off and check', /fehlt and, or oder then/],
      ['knight on (', /Ein Feld, eine Linie oder eine Reihe fehlt am Ende/],
    ]) {
      await page.fill('#query', query);
      await page.press('#query', 'Escape');
      await page.press('#query', 'Enter');
      await page.locator('[data-test=problem] span:not([lang])', { hasText: said }).first().waitFor();
    }
  });
});

test('games that are only in memory are not lost without a word', async () => {
  const patch = 'Object.defineProperty(navigator.storage, "getDirectory", { value: () => Promise.reject(new DOMException("no", "SecurityError")) })';
  await onSite({ context: { ...WIDE }, patch }, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    await page.selectOption('[data-test=language]', 'de');
    const notice = page.locator('[data-test=language-notice]');
    await notice.waitFor();
    assert.match(await notice.innerText(), /Deutsch.*only in memory are lost/s);
    await notice.getByRole('button', { name: 'Later' }).click();
    assert.equal(await page.inputValue('[data-test=language]'), 'en');
    assert.equal((await answer(page)).games, 3);
    await page.selectOption('[data-test=language]', 'de');
    const loaded = page.waitForEvent('load');
    await page.click('[data-test=language-notice-take]');
    await loaded;
    await ready(page);
    assert.equal(await page.getAttribute('html', 'lang'), 'de');
  });
});

test('an unknown language gets English', async () => {
  await onSite({ context: { locale: 'eo' } }, async ({ page }) => {
    assert.equal(await page.getAttribute('html', 'lang'), 'en');
    assert.match(await page.innerText('#zone-title'), /Drop your games/);
  });
});

test('both languages work offline', async () => {
  await onSite({ offline: true, context: { ...german } }, async ({ page, context }) => {
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await context.setOffline(true);
    await page.reload();
    await ready(page);
    assert.match(await page.innerText('#zone-title'), /Legen Sie Ihre Partien/);
    const loaded = page.waitForEvent('load');
    await page.selectOption('[data-test=language]', 'en');
    await loaded;
    await ready(page);
    assert.match(await page.innerText('#zone-title'), /Drop your games/);
    await context.setOffline(false);
  });
});

test('on a phone, the switch is in the menu and large enough for a finger', async () => {
  await onSite({ context: { ...german, ...PHONE } }, async ({ page }) => {
    await page.tap('[data-test=menu]');
    const select = page.locator('[data-test=language]');
    await select.waitFor();
    const { height, width } = await select.boundingBox();
    assert.ok(height >= 44 && width >= 44, `${width} × ${height} px`);
    await select.tap();
    assert.ok(await select.isVisible(), 'the menu stays open');
    const loaded = page.waitForEvent('load');
    await select.selectOption('en');
    await loaded;
    await ready(page);
    assert.equal(await page.getAttribute('html', 'lang'), 'en');
  });
});

for (const [colorScheme, size] of [['light', WIDE], ['dark', PHONE]]) {
  test(`the German page has no axe violation, ${colorScheme}, ${size.viewport.width} px`, async () => {
    await onSite({ context: { ...german, ...size, colorScheme } }, async ({ page }) => {
      const clean = async (view) => {
        assert.deepEqual(await violations(page), [], view);
      };
      await clean('welcome');
      await give(page, { name: 'three.pgn', text: THREE_GAMES });
      await answer(page);
      if (size === PHONE) {
        await page.tap('[data-test=menu]');
        await clean('menu');
        await page.keyboard.press('Escape');
      }
      for (const tab of TABS) {
        await openTab(page, tab);
        await clean(tab);
      }
    });
  });
}

test('no text of the German page is cut, and no panels overlap', async () => {
  await onSite({ context: { ...german } }, async ({ page }) => {
    const found = [];
    const walk = async (view) => {
      for (const [width, height] of [[1366, 657], [1024, 768], [390, 844], [820, 1180], [844, 390], [1920, 1080]]) {
        await page.setViewportSize({ width, height });
        await page.waitForFunction(([width, height]) => innerWidth === width && innerHeight === height, [width, height]);
        await settle(page);
        const { wrong } = await page.evaluate(look);
        found.push(...wrong.map((one) => `${view}, ${width} × ${height}: ${one}`));
      }
    };
    await walk('welcome');
    await page.click('[data-test=demo]');
    await answer(page);
    await page.locator('[data-test=dismiss]').click();
    for (const tab of TABS) {
      await openTab(page, tab);
      await walk(tab);
    }
    assert.deepEqual(found, []);
  });
});
