// The local engine, with the real Stockfish: lines at the board, evaluations of a result, offline after it was
// loaded, and what the page says when it does not run. If the policy refused something of it, the test would fail (site.mjs).

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { violations } from './axe.mjs';
import { answer, ask, closeBrowser, give, onSite, ready } from './site.mjs';

after(closeBrowser);

/** Loading and starting the engine takes its time on a busy machine. */
const WAIT = 30_000;

/** Three games, each with a mate in one at its end: White's, Black's, and White's again. */
const MATES = `[White "Anna"]
[Black "Boris"]
[Date "2024.05.01"]
[Result "*"]
[SetUp "1"]
[FEN "6k1/5ppp/8/8/8/8/5PPP/3R1K2 w - - 0 1"]

1. Kg1 Kh8 2. Kf1 Kg8 *

[White "Clara"]
[Black "Anna"]
[Result "*"]

1. f3 e5 2. g4 *

[White "Boris"]
[Black "Clara"]
[Result "*"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 *
`;

/** Opens the games and shows a game at its start. */
async function opened(page, row = 0) {
  await give(page, { name: 'mates.pgn', text: MATES });
  await answer(page);
  await ask(page, 'not queens_off or queens_off');
  await page.locator(`#row-${row}`).click();
  // The address has the ply once the game is there; keys and buttons do nothing before.
  await page.waitForFunction(() => location.hash.includes('ply='));
  // The buttons, since the table has its own meaning for the keys.
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.locator('[data-test=ply]', { hasText: '0/' }).waitFor();
}

/** A window with two panels has the engine on a tab of its own. */
async function showEngine(page) {
  if ((await page.locator('#of-board').count()) > 0) await page.click('#tab-engine');
}
async function switchOn(page) {
  await showEngine(page);
  await page.click('[data-test=engine]');
}
const evaluation = (page, text) => page.locator('[data-test=evaluation]', { hasText: text }).waitFor({ timeout: WAIT });
const lines = (page) => page.locator('[data-test=engine-lines-list] li [role=group]').evaluateAll((all) => all.map((line) => line.textContent.trim()));
const state = (page, wanted) => page.locator(`[data-test=analysis][data-state=${wanted}]`).waitFor({ timeout: WAIT });

test('the engine is off and not fetched until it is switched on', async () => {
  await onSite({ offline: true }, async ({ page }) => {
    const fetched = [];
    page.on('request', (request) => fetched.push(request.url()));
    await opened(page);
    await showEngine(page);
    assert.match(await page.locator('[data-test=engine]').locator('xpath=..').textContent(), /fetched once, 1\.[78] MB/);
    assert.equal(await page.getAttribute('[data-test=engine]', 'aria-checked'), 'false');
    assert.deepEqual(fetched.filter((address) => address.includes('/stockfish')), []);
    assert.deepEqual(await page.evaluate(async () => (await Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)))).flat().filter((url) => url.includes('/stockfish/'))), []);
  });
});

for (const [build, options] of [
  ['threads', {}],
  ['single', { server: { isolated: false }, context: { serviceWorkers: 'block' } }],
]) {
  test(`three lines, the mating move first, and the board follows: ${build}`, async () => {
    await onSite(options, async ({ page }) => {
      await opened(page);
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await switchOn(page);
      await evaluation(page, '#1');
      const [best, ...others] = await lines(page);
      assert.match(best, /^2\.\s*Rd8#$/);
      assert.equal(others.length, 2);
      assert.equal(await page.getByRole('meter', { name: 'Evaluation' }).getAttribute('aria-valuetext'), 'White mates in 1');
      assert.match(await page.textContent('[data-test=engine-says]'), /^depth \d+/);
      // The bar beside the board is seen.
      assert.ok(await page.evaluate(() => { const bar = document.querySelector('.board-frame .bar'); const { left, top, width, height } = bar.getBoundingClientRect(); return bar.contains(document.elementFromPoint(left + width / 2, top + height / 2)); }));
      await page.locator('cg-container svg line').first().waitFor({ state: 'attached' });
      assert.equal(await page.locator('[data-test=engine-options]').click().then(() => page.getByLabel('Threads').isDisabled()), build === 'single');
      // Both the licence and the source are named.
      assert.equal(await page.getByRole('link', { name: 'source' }).getAttribute('href'), 'https://github.com/nmrugg/stockfish.js/tree/v19.0.0');
      const license = await page.getByRole('link', { name: 'GPL-3.0' }).getAttribute('href');
      assert.match(await page.evaluate(async (address) => (await fetch(address)).text(), license), /GNU GENERAL PUBLIC LICENSE\s+Version 3/);
      // A click on a move of a line plays it.
      await page.locator('[data-test=engine-lines-list] button', { hasText: 'Rd8#' }).first().click();
      await page.locator('[data-test=engine-says]', { hasText: 'Checkmate.' }).waitFor();
      await page.keyboard.press('ArrowLeft');
      await evaluation(page, '#1');
      await page.keyboard.press('ArrowRight');
      // Stepping shows another position, and fewer lines on request.
      await page.keyboard.press('Home');
      await page.locator('[data-test=engine-lines-list] button', { hasText: '1.' }).first().waitFor();
      await page.selectOption('[data-test=engine-lines]', '1');
      await page.waitForFunction(() => document.querySelectorAll('[data-test=engine-lines-list] li').length === 1);
      await page.click('[data-test=engine]');
      await state(page, 'off');
      assert.equal(await page.locator('[data-test=evaluation-bar]').count(), 0);
      // The board draws its arrows in the next frame.
      await page.waitForFunction(() => document.querySelectorAll('cg-container svg line').length === 0);
    });
  });
}

test('Black mates, in White’s view; the bar follows the flip; the explorer has the engine too', async () => {
  await onSite({}, async ({ page }) => {
    await opened(page, 1);
    await page.keyboard.press('End');
    await switchOn(page);
    await evaluation(page, '#−1');
    assert.match((await lines(page))[0], /^2…\s*Qh4#$/);
    const bar = page.locator('[data-test=evaluation-bar]');
    assert.equal(await bar.getAttribute('aria-valuenow'), '0');
    assert.doesNotMatch(await bar.getAttribute('class'), /flipped/);
    await page.keyboard.press('f');
    await page.locator('[data-test=evaluation-bar].flipped').waitFor();
    await page.click('#tab-explorer');
    await page.click('[data-test=explore-start]');
    await showEngine(page);
    await page.locator('[data-test=evaluation]', { hasText: /^\+0\.\d$/ }).waitFor({ timeout: WAIT });
    await page.locator('[data-test=engine-lines-list] button').first().click();
    await page.locator('[data-test=engine-lines-list] button', { hasText: '1…' }).first().waitFor({ timeout: WAIT });
  });
});

test('a game is analysed with one click: progress, a graph, signs, and all of it is there after a reload', async () => {
  await onSite({}, async ({ page }) => {
    await opened(page, 1);
    await page.click('[data-test=analyse-game]');
    await page.locator('[data-test=score-summary]').waitFor({ timeout: WAIT });
    const look = async () => ({ signs: await page.locator('[data-test=moves] [data-test=judged] [aria-hidden]').allTextContents(), summary: (await page.innerText('[data-test=score-summary]')).replace(/\s+/g, ' '), readout: await page.textContent('[data-test=graph-readout]') });
    await page.keyboard.press('End');
    await page.locator('[data-test=graph-readout]', { hasText: 'mate in 1 for Black' }).waitFor();
    const found = await look();
    // 2. g4 allows mate at once.
    assert.equal(found.signs.at(-1), '??');
    assert.match(found.summary, /^White \d ?\?! \d ?\? 1 ?\?\? Black \d ?\?! 0 ?\? 0 ?\?\? Again$/);
    assert.match(await page.locator('[data-ply="3"] [data-test=judged]').getAttribute('title'), /^Blunder\. Best was \S+\.$/);
    // Each sign is a dot on the graph; a click on it goes there.
    assert.equal(await page.locator('[data-test=graph] [data-dot]').count(), found.signs.length);
    await page.keyboard.press('Home');
    await page.click('[data-test=graph] [data-dot="3"]');
    await page.locator('[data-test=graph-readout]', { hasText: 'mate in 1 for Black' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.reload();
    await page.locator('[data-test=score-summary]').waitFor();
    await page.locator('[data-test=graph-readout]', { hasText: 'mate in 1 for Black' }).waitFor();
    assert.deepEqual(await look(), found);
  });
});

test('the analysis of a game can be cancelled', async () => {
  await onSite({}, async ({ page }) => {
    await page.click('[data-test=demo]');
    await answer(page);
    await page.click('[data-test=analyse-game]');
    await page.locator('[data-test=analyse-progress]', { hasText: /^\s*[1-9]\d*\/\d+/ }).waitFor({ timeout: WAIT });
    await page.click('[data-test=analyse-cancel]');
    await page.locator('[data-test=analyse-game]').waitFor();
    assert.equal(await page.locator('[data-test=score-summary]').count(), 0);
  });
});

test('the positions of a result are evaluated, sorted and opened', async () => {
  await onSite({ context: { permissions: ['clipboard-read', 'clipboard-write'] } }, async ({ page }) => {
    await opened(page);
    await ask(page, 'fen "7k/5ppp/8/8/8/8/5PPP/3R2K1 w - -" or fen "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq -" or fen "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq -"');
    await switchOn(page);
    await page.click('#tab-positions');
    await page.click('[data-test=evaluate]');
    await page.selectOption('[data-test=evaluate-limit]', { label: 'depth 12' });
    await page.click('[data-test=evaluate-run]');
    await page.locator('[data-test=evaluate-progress]', { hasText: '3 of 3 positions' }).waitFor({ timeout: WAIT });
    const table = () => page.locator('[data-test=evaluate-table] tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => (cell.querySelector('[aria-hidden]') ?? cell).textContent.trim())));
    const found = (await table()).map(([game, , evaluation, best]) => [game.replace(/\s+/g, ' '), evaluation, best]);
    assert.deepEqual(found, [['Anna – Boris 2024', '#1', 'Rd8#'], ['Clara – Anna', '#−1', 'Qh4#'], ['Boris – Clara', '#1', 'Qxf7#']]);
    await page.click('[data-test=evaluate-sort]');
    await page.click('[data-test=evaluate-sort]');
    assert.equal((await table())[0][3], 'Qh4#');
    await page.click('[data-test=evaluate-copy]');
    await page.getByText('Copied').waitFor();
    const csv = (await page.evaluate(() => navigator.clipboard.readText())).split('\r\n');
    assert.equal(csv[0], 'number,white,black,date,ply,move,fen,evaluation,depth,best,line');
    assert.match(csv[1], /^2,Clara,Anna,.*,#-1,\d+,Qh4#,Qh4#$/);
    await page.locator('[data-test=evaluate-table] button.game', { hasText: 'Clara – Anna' }).click();
    await page.waitForFunction(() => /game=2\b/.test(location.hash) && /ply=3\b/.test(location.hash));
    assert.equal(await page.locator('[data-test=evaluations]').count(), 0);
    await evaluation(page, '#−1');
  });
});

test('an evaluation of a result is cancelled, and the page stays usable', async () => {
  await onSite({}, async ({ page }) => {
    await page.click('[data-test=demo]');
    await answer(page);
    await switchOn(page);
    await page.click('#tab-positions');
    await page.click('[data-test=evaluate]');
    await page.selectOption('[data-test=evaluate-most]', '200');
    await page.selectOption('[data-test=evaluate-limit]', { label: '5 seconds' });
    await page.click('[data-test=evaluate-run]');
    await page.locator('[data-test=evaluate-progress]', { hasText: 'of 200 positions' }).waitFor({ timeout: WAIT });
    await page.click('[data-test=evaluate-cancel]');
    await page.locator('[data-test=evaluate-progress]', { hasText: 'cancelled' }).waitFor();
    await page.keyboard.press('Escape');
    await ask(page, 'check');
  });
});

const controlled = (page) =>
  page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (!navigator.serviceWorker.controller) await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }));
  });

test('it works offline once it was loaded', async () => {
  await onSite({ offline: true, tolerate: /Failed to load resource|ERR_INTERNET_DISCONNECTED|ERR_FAILED/ }, async ({ page, context }) => {
    await opened(page);
    await controlled(page);
    await switchOn(page);
    await page.locator('[data-test=evaluation]').waitFor({ timeout: WAIT });
    await context.setOffline(true);
    await page.reload();
    await ready(page);
    await answer(page);
    await switchOn(page);
    await page.locator('[data-test=evaluation]').waitFor({ timeout: WAIT });
  });
});

test('offline before it was loaded, the page says so, and the switch works again later', async () => {
  await onSite({ offline: true, tolerate: /./ }, async ({ page, context }) => {
    await opened(page);
    await controlled(page);
    await context.setOffline(true);
    await switchOn(page);
    await page.locator('[data-test=engine-trouble]', { hasText: 'cannot be fetched' }).waitFor({ timeout: WAIT });
    await ask(page, 'check or not check');
    await context.setOffline(false);
    await switchOn(page);
    await page.locator('[data-test=evaluation]').waitFor({ timeout: WAIT });
  });
});

/** Scripts that stand for Stockfish's. */
const DIES = `onmessage = ({ data }) => {
  if (data === 'uci') postMessage('uciok');
  else if (data === 'isready') postMessage('readyok');
  else if (String(data).startsWith('go')) setTimeout(() => { throw new Error('unreachable'); });
};`;
const LACKS_MEMORY = `throw new RangeError('WebAssembly.Memory(): could not allocate memory');`;
const routed = (context, pattern, body) => context.route(pattern, (route) => (body === null ? route.fulfill({ status: 404 }) : route.fulfill({ contentType: 'text/javascript', headers: { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Resource-Policy': 'same-origin' }, body })));

for (const [what, body, says] of [
  ['dies', DIES, /has stopped.*one thread/],
  ['lacks memory', LACKS_MEMORY, /not enough memory.*smaller hash table/],
  ['is not on the host', null, /does not have Stockfish \(status 404\)/],
]) {
  test(`an engine that ${what}: one sentence, and the page stays usable`, async () => {
    await onSite({ context: { serviceWorkers: 'block' }, tolerate: /./ }, async ({ page, context }) => {
      // These errors are the test's own.
      await routed(context, /stockfish\/stockfish-.*\.js/, body);
      await opened(page);
      await switchOn(page);
      await page.locator('[data-test=engine-trouble]', { hasText: says }).waitFor({ timeout: WAIT });
      assert.equal(await page.getAttribute('[data-test=engine]', 'aria-checked'), 'false');
      await ask(page, 'check or not check');
    });
  });
}

test('without memory for threads, the single build runs', async () => {
  await onSite({ context: { serviceWorkers: 'block' }, tolerate: /./ }, async ({ page, context }) => {
    await routed(context, /stockfish-19-lite-(?!single).*\.js/, LACKS_MEMORY);
    await opened(page);
    await switchOn(page);
    await page.locator('[data-test=evaluation]').waitFor({ timeout: WAIT });
  });
});

for (const [colorScheme, viewport] of [['light', { width: 1280, height: 860 }], ['dark', { width: 390, height: 844 }]]) {
  test(`no axe violation and no sideways scrolling: ${colorScheme}, ${viewport.width} wide`, async () => {
    await onSite({ context: { colorScheme, viewport, reducedMotion: 'reduce', hasTouch: viewport.width < 400 } }, async ({ page }) => {
      const clean = async (state) => {
        assert.deepEqual(await violations(page), [], state);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, state);
      };
      await opened(page);
      await clean('off');
      // On a phone, the moves and the engine stand in place of the results.
      if (viewport.width < 400) await page.click('[data-test=moves-here]');
      await switchOn(page);
      await page.locator('[data-test=evaluation]').waitFor({ timeout: WAIT });
      await page.click('[data-test=engine-options]');
      await clean('on, with options');
      await page.click('#tab-positions');
      await page.locator('[data-test=positions-list] li').first().waitFor();
      await page.locator('[data-test=evaluate]:visible').last().click();
      await page.selectOption('[data-test=evaluate-limit]', { label: 'depth 12' });
      await page.click('[data-test=evaluate-run]');
      await page.locator('[data-test=evaluate-table] td .unseen').first().waitFor({ state: 'attached', timeout: WAIT });
      await clean('evaluations');
    });
  });
}

test('a line is reached by keyboard: arrow keys move in it, Enter plays it', async () => {
  await onSite({}, async ({ page }) => {
    await opened(page, 1);
    await switchOn(page);
    await page.locator('[data-test=engine-lines-list] li').nth(2).locator('button').first().waitFor({ timeout: WAIT });
    // The lines change while the engine thinks.
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    const line = page.locator('[data-test=engine-lines-list] li').first();
    const moves = await line.locator('button').allTextContents();
    await line.locator('button').first().focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), moves[1]);
    assert.equal(await page.textContent('[data-test=ply]'), '0/3');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get('line')?.split('.').length === 2);
  });
});
