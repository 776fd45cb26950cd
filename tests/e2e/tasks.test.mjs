// The twelve tasks of docs/page.md, each without the language, in at most eight actions, on a laptop and on a phone. The games are those
// of the page's demo, and Karpov is the user.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, closeBrowser, onSite, THREE_GAMES } from './site.mjs';
import { zipOf } from './zip.mjs';

after(closeBrowser);

const MOST_ACTIONS = 8;
const SIZES = {
  laptop: { viewport: { width: 1366, height: 657 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

/** What a user does, counted. */
class User {
  actions = 0;

  constructor(page) {
    this.page = page;
  }

  /** A click, or a tap. */
  async click(place) {
    this.actions++;
    await this.page.locator(place).first().click();
  }

  async press(key) {
    this.actions++;
    await this.page.keyboard.press(key);
  }

  /** Types a question and presses Enter. */
  async ask(words) {
    this.actions += 2;
    await this.page.fill('#query', words);
    await this.page.press('#query', 'Enter');
    const isAsked = (words) => [...new URLSearchParams(location.hash.slice(1)).values()].includes(words);
    await this.page.waitForFunction(isAsked, words);
    await this.page.waitForFunction(() => !document.querySelector('[data-test=stale]'));
    return answer(this.page);
  }
}

const query = (page) => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('q'));

/** Each with what the user does, and what must be true then. */
const TASKS = {
  'lost rook endgames of mine': async (user, page) => {
    if (!(await page.locator('[data-test=page-mine]').isVisible())) await user.click('[data-test=menu]');
    await user.click('[data-test=page-mine]');
    await user.click('[data-test=am]:has-text("Karpov")');
    await page.locator('[data-test=mine] th button').first().waitFor();
    await user.click('[data-test=mine] th button');
    assert.ok((await user.ask('my lost rook endgames')).games > 0);
    assert.equal(await query(page), 'loser "Karpov, Anatoly" and endgame rook');
  },
  'the bishop pair, and lost': async (user, page) => {
    assert.ok((await user.ask('bishop pair and lost')).games > 100);
    assert.equal(await query(page), 'loser bishop_pair');
  },
  'a knight on e5 that nobody attacks': async (user) => assert.ok((await user.ask('knight on e5 that nobody attacks')).games > 100),
  'exchange sacrifices by Black': async (user, page) => {
    assert.ok((await user.ask('exchange sacrifices by Black')).games > 50);
    assert.equal(await query(page), 'black exchange_sacrifice');
  },
  'the open Sicilian by rating': async (user, page) => {
    assert.ok((await user.ask('1.e4 c5 2.Nf3 d6 3.d4')).games > 50);
    await user.click('#tab-counts');
    await page.locator('[data-test=count-by]').waitFor();
    user.actions++;
    await page.selectOption('[data-test=count-by]', 'elo');
    await page.waitForFunction(() => location.hash.includes('key=elo'));
    await answer(page);
  },
  'Karpov’s isolated queen’s pawns, with the score': async (user, page) => {
    assert.ok((await user.ask('Karpov isolani')).games > 20);
    await page.locator('[data-test=score]', { hasText: /^Karpov/ }).waitFor();
  },
  'queen against rook, not won': async (user) => assert.ok((await user.ask('queen against rook not won')).games >= 0),
  'step through a game, play another move, search for it': async (user, page) => {
    // The games that are there are those of a search before.
    await new User(page).ask('Karpov Najdorf');
    await user.click('#row-1');
    await page.waitForFunction(() => location.hash.includes('game='));
    // The board shows where the game leaves the opening.
    const ply = () => page.evaluate(() => document.querySelector('[data-test=ply]')?.textContent ?? '');
    await page.waitForFunction(() => /^[1-9]/.test(document.querySelector('[data-test=ply]')?.textContent ?? ''));
    const before = await ply();
    await user.press('ArrowRight');
    await page.waitForFunction((before) => document.querySelector('[data-test=ply]')?.textContent !== before, before);
    if (!(await page.locator('[data-test=move]').isVisible())) await user.click('[data-test=moves-here]');
    await user.click('[data-test=move]');
    user.actions++;
    await page.keyboard.type((await page.textContent('[data-test=board-words]')).includes('White to move') ? 'h3' : 'h6');
    await user.press('Enter');
    await page.waitForFunction(() => document.querySelector('[data-test=ply]')?.textContent.includes('+1'));
    await user.click('[data-test=search-position]');
    await user.click('[data-test=search-exact]');
    await page.waitForFunction(() => document.querySelector('#query')?.value.startsWith('fen'));
    await answer(page);
  },
  'my score with the Najdorf as Black': async (user, page) => {
    await page.evaluate(() => localStorage.setItem('plyfold.me', 'Kasparov, Gary'));
    await page.reload();
    await answer(page);
    assert.ok((await user.ask('my score with the Najdorf as Black')).games > 3);
    await page.locator('[data-test=score]', { hasText: /^Kasparov/ }).waitFor();
  },
  'practise what was thrown away': async (user, page) => {
    await page.evaluate(() => localStorage.setItem('plyfold.me', 'Karpov, Anatoly'));
    await page.reload();
    await answer(page);
    await user.ask('my thrown away wins');
    assert.equal(await query(page), '"Karpov, Anatoly" threw_away win');
    // Without tables, the page says what they would have to know.
    await page.locator('[data-test=query-notes], [data-test=empty]').first().waitFor();
  },
  'share a position': async (user, page) => {
    await user.ask('Karpov Najdorf');
    await user.click('#row-0');
    await page.waitForFunction(() => location.hash.includes('game='));
    if (!(await page.locator('[data-test=copy]').isVisible())) await user.click('[data-test=moves-here]');
    await user.click('[data-test=copy]');
    await page.locator('[data-test=copy-link]').waitFor();
    assert.match(page.url(), /game=\d+/);
    await page.keyboard.press('Escape');
  },
  'import a zip': async (user, page) => {
    user.actions += 2;
    await page.setInputFiles('[data-test=files]', { name: 'club.zip', mimeType: 'application/zip', buffer: zipOf({ 'a.pgn': THREE_GAMES, 'b/c.pgn': THREE_GAMES }) });
    await page.waitForFunction(() => location.hash.includes('corpus=club'));
    assert.equal((await answer(page)).games, 6);
  },
};

for (const [size, context] of Object.entries(SIZES)) {
  test(`every task in at most ${MOST_ACTIONS} actions, on a ${size}`, async (t) => {
    await onSite({ context, famous: true }, async ({ page }) => {
      await page.click('[data-test=demo]');
      await answer(page);
      for (const [name, walk] of Object.entries(TASKS)) {
        // Each task begins with the games of the search before.
        await page.click('#tab-games');
        const user = new User(page);
        const begin = performance.now();
        await walk(user, page);
        const seconds = (performance.now() - begin) / 1000;
        t.diagnostic(`${name}: ${user.actions} actions, ${seconds.toFixed(1)} s`);
        assert.ok(user.actions <= MOST_ACTIONS, `${name}: ${user.actions} actions`);
      }
    });
  });
}
