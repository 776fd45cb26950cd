// What the text of a game says: comments, variations and signs in the list of moves; evaluations and clock times under the
// board; circles and arrows on it; the opening's name; links to other sites.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { violations } from './axe.mjs';
import { answer, ask, closeBrowser, give, onSite, THREE_GAMES } from './site.mjs';

after(closeBrowser);

const ANNOTATED = `[Event "Club"]
[Site "https://lichess.org/AbCd1234"]
[Date "2026.01.02"]
[White "Anna"]
[Black "Boris"]
[Result "1-0"]

{A <b>bold</b> start <img src=x onerror=alert(1)>} 1. e4! {[%eval 0.31] [%clk 0:10:00]} e5 {[%eval 0.25] [%clk 0:09:58.5]}
(1... c5 {Sicilian} 2. Nf3 d6 (2... Nc6 3. d4 (3. Bb5 g6 (3... e6 4. O-O))) 3. d4)
2. Nf3 { [%csl Ge5,Rf7][%cal Yf3e5,Bd2d4] [%clk 0:09:50] } Nc6 $6 {[%eval 0.9] شطرنج لعبة} 3. Bb5 $14 {[%eval #3] [%clk 0:09:40]} a6 {[%eval -2.5] [%clk 0:00:07.3]}
(3... Nf6 4. Ke8 {nobody can}) 4. Ba4 Nf6 5. O-O {[%broken} Be7 1-0
`;

const ply = (page, text) => page.waitForFunction((text) => document.querySelector('[data-test=ply]')?.textContent.startsWith(text), text);
const words = (page) => page.textContent('[data-test=board-words]');
const present = (page) => page.locator('[data-test=moves] [aria-current=step]');
const pieces = (page) => page.evaluate(() => document.querySelector('[data-test=board-words]').textContent);
const move = (page, san) => page.locator('[data-test=moves] .variation').getByRole('button', { name: san });

/** Opens a game and waits for its text. */
async function open(page, text, until = '[data-test=text]') {
  await give(page, { name: 'game.pgn', text });
  await answer(page);
  await ask(page, 'white king');
  await page.click('#row-0');
  // The address has the ply once the game is there; keys do nothing before.
  await page.waitForFunction(() => location.hash.includes('ply='));
  await page.locator(until).first().waitFor({ state: 'attached' });
  // On a phone, the moves stand in place of the results.
  const here = page.locator('[data-test=moves-here]');
  if (await here.isVisible()) await here.click();
  await page.locator('[data-test=moves]').focus();
  await page.keyboard.press('Home');
  await ply(page, '0/');
}

test('clock times stand beside the moves where there is room, and are not part of them', async () => {
  await onSite({ context: { viewport: { width: 1920, height: 1080 } } }, async ({ page }) => {
    await open(page, ANNOTATED);
    const clocks = page.locator('[data-test=moves] [data-test=clock]');
    await clocks.first().waitFor();
    const times = (await clocks.allTextContents()).slice(0, 2);
    assert.deepEqual(times, ['10:00', '9:58']);
    assert.equal(await page.locator('[data-test=moves] [data-ply="2"]').textContent().then((text) => text.includes('9:58')), false);
    assert.equal(await clocks.first().getAttribute('title'), 'Time left');
    await page.setViewportSize({ width: 1600, height: 900 });
    await clocks.first().waitFor({ state: 'hidden' });
    const list = await page.locator('[data-test=moves]').boundingBox();
    const last = await page.locator('[data-test=moves] [data-ply="2"]').boundingBox();
    assert.ok(last.x + last.width <= list.x + list.width, 'the second move stands within the list');
  });
});

test('comments, signs and variations stand in the list of moves', async () => {
  await onSite({}, async ({ page }) => {
    await open(page, ANNOTATED);
    const list = page.locator('[data-test=moves]');
    const text = (await list.innerText()).replace(/\s+/g, ' ');
    assert.match(text, /A <b>bold<\/b> start <img src=x onerror=alert\(1\)>/, 'a comment is text and no markup');
    assert.equal(await list.locator('b, img').count(), 0);
    assert.match(text, /1… ?c5 Sicilian 2\. ?Nf3 d6/);
    assert.match(text, /\[%broken/, 'a broken command stands as it is');
    assert.doesNotMatch(text, /%eval|%clk|%csl/);
    const arabic = list.locator('p', { hasText: 'شطرنج' });
    assert.equal(await arabic.evaluate((one) => getComputedStyle(one).direction), 'rtl');
    assert.equal(await list.locator('[data-ply="1"]').textContent(), 'e4!, good move, matches');
    assert.equal(await list.locator('[data-ply="5"] .nag').getAttribute('title'), 'White is slightly better');
    // The variation at depth 4 is closed until its button is pressed.
    assert.equal(await move(page, 'e6').count(), 0);
    const more = page.locator('.variation .more');
    await more.click();
    await move(page, 'e6').waitFor();
    assert.equal(await page.locator('.illegal', { hasText: 'Ke8' }).count(), 1);

    await page.click('[data-test=comments]');
    await page.locator('[data-test=text]').first().waitFor({ state: 'detached' });
    assert.equal(await list.locator('li').count(), 5, 'the list is two columns again');
    await page.reload();
    await page.locator('[data-test=comments][aria-pressed=false]').waitFor();
    assert.equal(await page.locator('[data-test=text]').count(), 0);
  });
});

test('a move of a variation comes on the board, and the variation goes on', async () => {
  await onSite({}, async ({ page }) => {
    await open(page, ANNOTATED);
    await move(page, 'c5').click();
    assert.equal(await present(page).textContent(), 'c5');
    const sicilian = await words(page);
    assert.match(sicilian, /c5/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => document.querySelector('[data-test=moves] [aria-current=step]')?.textContent === 'd6');
    await page.waitForFunction(() => /ply=1&line=c7c5\.g1f3\.d7d6/.test(location.hash));
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => document.querySelector('[data-test=moves] [aria-current=step]')?.dataset.ply === '1');
    // By keyboard: the first move of each variation is a stop of the Tab key.
    await move(page, 'Bb5').focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('line=c7c5.g1f3.b8c6.f1b5'));
    assert.equal(await present(page).count(), 1);
    // A reload shows the same move, and the variation goes on from there.
    await page.reload();
    await page.waitForFunction(() => document.querySelector('[data-test=moves] [aria-current=step]')?.textContent === 'Bb5');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => document.querySelector('[data-test=moves] [aria-current=step]')?.textContent === 'g6');
    const before = await pieces(page);
    await page.locator('[data-test=moves] [data-ply="1"]').click();
    assert.notEqual(await pieces(page), before);
    await page.waitForFunction(() => !location.hash.includes('line='));
  });
});

test('circles and arrows stand on the board at their position', async () => {
  await onSite({}, async ({ page }) => {
    await open(page, ANNOTATED);
    assert.equal(await page.locator('.cg-shapes circle').count(), 0);
    await page.locator('[data-ply="3"]').click();
    await page.locator('.cg-shapes circle').nth(1).waitFor({ state: 'attached' });
    await page.locator('.cg-shapes line').nth(1).waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowRight');
    await page.locator('.cg-shapes circle').first().waitFor({ state: 'detached' });
  });
});

test('evaluations and clock times are a graph that is a slider', async () => {
  await onSite({}, async ({ page }) => {
    await open(page, ANNOTATED);
    const slider = page.locator('[data-test=graph-slider]');
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await ply(page, '1/10');
    assert.equal(await slider.getAttribute('aria-valuetext'), '1. e4, evaluation +0.31, White’s time left 10:00');
    assert.equal(await page.textContent('[data-test=clock-white]').then((text) => text.trim()), 'clock: 10:00');
    await page.keyboard.press('PageUp');
    await ply(page, '10/10');
    await page.keyboard.press('Home');
    await ply(page, '0/10');
    const box = await slider.boundingBox();
    await page.mouse.click(box.x + box.width * 0.6, box.y + 10);
    await ply(page, '6/10');
    assert.equal(await page.textContent('[data-test=graph-readout]'), '−2.50');
    assert.equal(await page.textContent('[data-test=clock-black]').then((text) => text.trim()), 'clock: 0:07.3');
    await page.mouse.move(box.x + box.width * 0.6, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.3, box.y + 30);
    await page.mouse.up();
    await ply(page, '3/10');
    await page.click('[data-test=graph-switch]');
    await page.waitForFunction(() => document.querySelector('[data-test=graph-slider]')?.ariaLabel === 'Clock by move, time left');
    assert.match(await page.textContent('[data-test=graph] table'), /3\. Bb5\s*mate in 3 for White\s*9:40/);
    assert.ok(box.height >= 40);
  });
});

test('a dubious move is a dot on the graph, and a click on it goes there', async () => {
  await onSite({}, async ({ page }) => {
    await open(page, ANNOTATED);
    const dots = page.locator('[data-test=graph] [data-dot]');
    assert.deepEqual(await dots.evaluateAll((all) => all.map(({ title }) => title)), ['2… Nc6: Inaccuracy']);
    await dots.click();
    await ply(page, '4/10');
    assert.match(await page.locator('[data-test=graph-slider]').getAttribute('aria-valuetext'), /^2… Nc6, Inaccuracy, evaluation \+0\.90/);
    assert.match(await page.textContent('[data-test=graph] table'), /2… Nc6\s*Inaccuracy\s*\+0\.90/);
  });
});

test('a game without evaluations has no graph, and one without comments has two columns', async () => {
  await onSite({}, async ({ page }) => {
    await open(page, THREE_GAMES);
    assert.equal(await page.locator('[data-test=graph]').count(), 0);
    assert.equal(await page.locator('[data-test=comments]').count(), 1);
    // The second game has no comments.
    await page.click('#row-1');
    await page.locator('[data-test=text]').first().waitFor({ state: 'detached' });
    await ply(page, '1/4');
    assert.equal(await page.locator('[data-test=moves] li').count(), 2);
    assert.equal(await page.locator('[data-test=comments]').count(), 0);
  });
});

test('the opening has its name, also in a variation and in the explorer', async () => {
  await onSite({}, async ({ page }) => {
    await open(page, ANNOTATED);
    const named = (text) => page.waitForFunction((text) => document.querySelector('[data-test=opening]')?.textContent === text, text);
    await page.keyboard.press('End');
    await named('C84 Ruy Lopez: Closed');
    await page.locator('[data-ply="3"]').click();
    await named('C40 King’s Knight Opening'.replace('’', "'"));
    await move(page, 'c5').click();
    await named('B20 Sicilian Defense');
    await page.click('#tab-explorer');
    await page.click('[data-test=explore-start]');
    await page.locator('[data-move=e2e4] button').first().click();
    await named("B00 King's Pawn Game");
  });
});

test('links lead to lichess, in a tab of their own', async () => {
  await onSite({}, async ({ page }) => {
    await open(page, ANNOTATED);
    await page.locator('[data-ply="1"]').click();
    const game = page.getByRole('link', { name: /game at lichess/ });
    await page.waitForFunction(() => document.querySelector('a[href^="https://lichess.org/AbCd1234"]')?.hash === '#1');
    for (const link of [game, page.getByRole('link', { name: /^lichess analysis/ })]) {
      assert.equal(await link.getAttribute('target'), '_blank');
      assert.equal(await link.getAttribute('rel'), 'noopener noreferrer');
      assert.match(await link.textContent(), /opens another site/);
    }
    assert.match(await page.getByRole('link', { name: /^lichess analysis/ }).getAttribute('href'), /^https:\/\/lichess\.org\/analysis\/rnbqkbnr\/pppppppp\/8\/8\/4P3\/8\/PPPP1PPP\/RNBQKBNR_b_KQkq_/);
  });
});

test('bad texts never break the page', async () => {
  const header = (name) => `[Event "x"]\n[White "${name}"]\n[Black "B"]\n[Result "*"]\n\n`;
  const games = [
    `${header('unclosed')}1. e4 e5 2. Nf3 {this never ends (3. d4) Nc6 *\n\n`,
    `${header('long')}1. e4 {${'x'.repeat(10_000)}} e5 2. Nf3 *\n`,
    `${header('deep')}1. e4 ${'(1. d4 '.repeat(200)}${')'.repeat(200)} e5 *\n`,
    `${header('null')}1. e4 e5 (1... -- 2. d4) 2. Nf3 *\n`,
  ];
  for (const text of games) {
    await onSite({}, async ({ page }) => {
      await open(page, text);
      await page.keyboard.press('End');
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowRight');
      await ply(page, '1/');
      const { list, page: width } = await page.evaluate(() => ({ list: document.querySelector('[data-test=moves]').scrollWidth - document.querySelector('[data-test=moves]').clientWidth, page: document.documentElement.scrollWidth - innerWidth }));
      assert.ok(list <= 0 && width <= 0, `${text.slice(0, 40)}: nothing is cut`);
    });
  }
});

test('stepping through 300 plies with comments marks moves and renders nothing again', async () => {
  const moves = Array.from({ length: 75 }, (_, at) => `${at * 2 + 1}. Nf3 {a [%eval 0.${10 + (at % 80)}] [%clk 0:${10 + (at % 40)}:00]} Nf6 (${at * 2 + 1}... d5 ${at * 2 + 2}. d4) ${at * 2 + 2}. Ng1 Ng8 {b}`).join(' ');
  await onSite({}, async ({ page }) => {
    await open(page, `[White "A"]\n[Black "B"]\n[Result "*"]\n\n${moves} *\n`);
    await page.locator('[data-ply="300"]').waitFor({ state: 'attached' });
    const made = await page.evaluate(async () => {
      const list = document.querySelector('[data-test=moves]');
      let nodes = 0;
      const watch = new MutationObserver((all) => (nodes += all.reduce((sum, one) => sum + one.addedNodes.length + one.removedNodes.length, 0)));
      watch.observe(list, { childList: true, subtree: true });
      for (let step = 0; step < 300; step++) {
        list.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }));
        if (step % 10 === 0) await new Promise(requestAnimationFrame);
      }
      await new Promise(requestAnimationFrame);
      watch.disconnect();
      return { nodes, now: list.querySelectorAll('[aria-current]').length, ply: list.querySelector('[aria-current]')?.dataset.ply };
    });
    assert.deepEqual(made, { nodes: 0, now: 1, ply: '300' });
  });
});

for (const colorScheme of ['light', 'dark']) {
  for (const viewport of [{ width: 1280, height: 860 }, { width: 390, height: 844 }]) {
    test(`no axe violations: ${colorScheme}, ${viewport.width} wide`, async () => {
      await onSite({ context: { colorScheme, viewport, reducedMotion: 'reduce' } }, async ({ page }) => {
        await open(page, ANNOTATED);
        const clean = async (state) => {
          assert.deepEqual(await violations(page, 'section[aria-label=Board]'), [], state);
        };
        await page.locator('[data-ply="6"]').click();
        await page.locator('[data-test=clock-black]').waitFor();
        await clean('evaluations');
        await page.click('[data-test=graph-switch]');
        await move(page, 'd6').click();
        await clean('clock times and a variation');
      });
    });
  }
}
