// What every end-to-end test begins with: a server and a browser context of its own, and a page. The test fails if the page
// throws, logs an error, violates its Content Security Policy, or sends a request to another origin.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launch } from './browser.mjs';
import { delay, slowDown } from './delay.mjs';
import { serve } from './serve.mjs';

/** The folder of the built site. */
export const dist = process.env.PLYFOLD_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url));

/** The games that engines played, in the place of the demo of the site. */
export const engineGames = fileURLToPath(new URL('../../demo/demo.pgn.zst', import.meta.url));

let shared;

/** The browser that all tests of a file share. */
export async function sharedBrowser() {
  assert.ok(existsSync(dist), `there is no built site at ${dist}; run cargo xtask dist`);
  shared ??= await launch();
  return shared;
}

/** Closes the shared browser; for `after`. */
export async function closeBrowser() {
  await shared?.close();
  shared = undefined;
}

/**
 * Serves the site, opens it, and runs `test` on it.
 *
 * @param {object} options
 *   folder: the folder to serve instead of the built site; server: options of `serve`; context: options of a browser context;
 *   path: what follows the address of the site; patch: JavaScript to run before the own of the engine's worker and of that of the
 *   tables, to simulate a browser that refuses something; offline: the site stores itself for offline use, which takes a quarter of the
 *   time of a test (otherwise it does so only where the host sends no headers, because the page needs its service worker there);
 *   famous: the demo is that of the site, and not the games that engines played;
 *   open: false leaves the page blank; tolerate: a pattern of expected console errors; elsewhere: a pattern of addresses that the test
 *   itself visits
 * @param {(site: { page: import('playwright-core').Page, context: import('playwright-core').BrowserContext, url: string, server: Awaited<ReturnType<typeof serve>> }) => Promise<void>} test
 */
export async function onSite({ folder = dist, server: serverOptions = {}, context: contextOptions = {}, path = '', patch = '', offline = false, famous = false, open = true, tolerate, elsewhere } = {}, test) {
  const browser = await sharedBrowser();
  const storesItself = !patch && (offline || serverOptions.isolated === false);
  // A site that stores itself checks the digest of every file.
  const server = await serve(folder, { demo: storesItself || famous ? undefined : engineGames, ...serverOptions });
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    // A patched worker must come from the server and not from the site's own cache.
    serviceWorkers: storesItself ? 'allow' : 'block',
    ...contextOptions,
  });
  const troubles = [];
  if (delay > 0) await context.addInitScript(slowDown, delay);
  // This reports violations in the same words in every browser version.
  await context.addInitScript(() => addEventListener('securitypolicyviolation', (event) => console.error(`refused by the policy: ${event.violatedDirective} ${event.blockedURI}`)));
  context.on('page', (page) => {
    page.on('pageerror', (error) => troubles.push(`page error: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error' && !tolerate?.test(message.text())) troubles.push(`console: ${message.text()}`);
    });
    page.on('request', (request) => {
      const address = request.url();
      if (!address.startsWith(server.url) && !elsewhere?.test(address) && !/^(blob|data|about):/.test(address)) troubles.push(`request to ${address}`);
    });
  });
  if (patch) {
    await context.route(/\/assets\/(tables)?worker-[^/]*\.js$/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `${patch};\n${await response.text()}` });
    });
  }
  try {
    const page = await context.newPage();
    if (open) {
      await page.goto(server.url + path);
      await ready(page);
    }
    await test({ page, context, url: server.url, server });
    assert.deepEqual(troubles, []);
  } catch (error) {
    if (error instanceof Error) error.stack += await scene(context, server, troubles);
    throw error;
  } finally {
    await context.close();
    await server.close();
  }
}

/** What there was to see when a test failed: what each page shows, what the host was asked last, and what the pages complained about. */
async function scene(context, { asked }, troubles) {
  const pages = await Promise.all(
    context.pages().map(async (page) => {
      // A page that hangs says nothing.
      const text = await Promise.race([page.evaluate(() => document.body.innerText), new Promise((resolve) => setTimeout(resolve, 5_000, 'it does not answer'))]).catch(String);
      return `${page.url()} shows: ${text.replaceAll(/\s+/g, ' ').slice(0, 1500)}`;
    }),
  );
  const last = asked.slice(-8).map(({ path, range }) => (range === undefined ? path : `${path} (${range})`));
  return ['', ...pages, `asked last: ${last.join(', ')}`, ...troubles].join('\n    ');
}

/** Waits until the page can be used: it shows the welcome or an open corpus. On a first visit the engine may still be on its way. */
export async function ready(page) {
  await page.locator('[data-test=demo], main:not([inert]) [data-test=status]').first().waitFor({ timeout: 30_000 });
}

/**
 * Waits until the service worker is active and the page has what it needs for threads. On a host without headers the page
 * reloads itself as soon as the service worker can send them, which ends whatever a test evaluates in the page just then;
 * so this waits for the reloaded page first.
 */
export async function activated(page) {
  await page.waitForFunction(() => crossOriginIsolated, undefined, { timeout: 30_000 });
  await ready(page);
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    while (active.state !== 'activated') await new Promise((resolve) => active.addEventListener('statechange', resolve, { once: true }));
  });
}

/** Gives files to the page, as the file dialog does. Each file is { name, text }; the text is a string or bytes. */
export async function give(page, ...files) {
  await page.setInputFiles(
    '[data-test=files]',
    files.map(({ name, text }) => ({ name, mimeType: 'application/x-chess-pgn', buffer: Buffer.from(text) })),
  );
}

/** Waits until the query has a result or an error. */
export async function settled(page) {
  await page.locator('[data-test=status][aria-busy=false]').waitFor({ timeout: 60_000 });
}

/** Waits until a row of the games table has a text; rows are fetched when they come into view. */
export async function row(page, nth, hasText) {
  await page.locator(`#row-${nth}`, { hasText }).waitFor();
}

/** Waits for a result and returns its numbers. */
export async function answer(page) {
  await page.locator('[data-test=status][aria-busy=false] [data-test=games]').waitFor({ timeout: 60_000 });
  const number = async (name) => Number((await page.textContent(`[data-test=${name}]`)).replace(/\D/g, ''));
  return { games: await number('games'), positions: await number('positions') };
}

/** Types a query, presses Enter, and waits until the address has the query and the page has the result. */
export async function ask(page, query) {
  await page.fill('#query', query);
  await page.press('#query', 'Enter');
  await page.waitForFunction((query) => new URLSearchParams(location.hash.slice(1)).get('q') === query, query, { timeout: 60_000 });
  return answer(page);
}

/** Three games whose matches can be counted by hand. */
export const THREE_GAMES = `[Event "Exchange"]
[Site "Here"]
[Date "2024.05.01"]
[White "Anna"]
[Black "Boris"]
[Result "1/2-1/2"]
[WhiteElo "2100"]
[BlackElo "2050"]
[ECO "C67"]

1. e4 {a remark that must come back} e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O Nxe4 5. d4 Nd6
6. Bxc6 dxc6 7. dxe5 Nf5 8. Qxd8+ Kxd8 (8... Kd7) 9. h3 1/2-1/2

[Event "Short"]
[Site "There"]
[Date "2023.??.??"]
[White "Clara"]
[Black "Anna"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

[Event "Knight"]
[Site "?"]
[Date "????.??.??"]
[White "Boris"]
[Black "Clara"]
[Result "*"]

1. d4 d5 2. Nf3 Nf6 3. Ne5 e6 *
`;

/** Many games: the three games repeated `times` times. */
export function manyGames(times) {
  return THREE_GAMES.concat('\n').repeat(times);
}

const ending = (white, black, fen, moves, result = '1/2-1/2') => `[White "${white}"]\n[Black "${black}"]\n[FEN "${fen}"]\n[SetUp "1"]\n[Result "${result}"]\n\n${moves} ${result}\n\n`;
/** A rook that is lost at once, a rook that wins, and an endgame of five pieces. */
export const ENDINGS = [
  ending('Anna', 'Boris', '8/8/8/8/8/2k5/1R6/K7 w - - 0 1', '1. Rb8 Kd4 2. Kb2 Ke4 3. Re8+ Kd3 4. Re4 Kxe4'),
  ending('Clara', 'Anna', '8/8/8/8/8/2k5/1R6/K7 w - - 0 1', '1. Rb8 Kd4 2. Kb2 Ke4 3. Re8+ Kd3', '1-0'),
  ending('Dora', 'Emil', '8/8/8/3k4/8/8/1R1P4/K6r w - - 0 1', '1. Ka2 Kd4 2. Rb4+ Kd5'),
].join('');
