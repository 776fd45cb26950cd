// Measures how soon a published library answers over a slow connection: the first visit, and a later one.
//
// usage: node arrival.mjs FOLDER [--mbits N] [--query TEXT] [--isolated]      (environment: CHROMIUM)
//
// FOLDER was written by `plyfold publish`. All answers of the host share the connection, 20 Mbit/s by default, and each begins 20 ms
// late; scripts, styles and wasm are compressed, as common hosts do. This is a script to measure with, and no test: its numbers depend
// on the machine.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { launch } from './browser.mjs';
import { serve } from './serve.mjs';

const { values, positionals } = parseArgs({
  options: {
    mbits: { type: 'string', default: '20' },
    query: { type: 'string', default: 'queens_off before 20' },
    isolated: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined) throw new Error('name the published folder');
const bytesPerMs = (Number(values.mbits) * 1e6) / 8 / 1000;
const LATENCY_MS = 20;

const { shards } = JSON.parse(readFileSync(join(folder, 'library.json'), 'utf8')).corpora[0];
let sent = 0;
/** When the connection is free again. */
let free = 0;
const server = await serve(folder, {
  isolated: values.isolated,
  gzip: true,
  meanwhile: () => wait(LATENCY_MS),
  pace: async (bytes) => {
    sent += bytes;
    free = Math.max(free, performance.now()) + bytes / bytesPerMs;
    await wait(free - performance.now());
  },
});
const partsAsked = () => server.asked.filter(({ path }) => path.endsWith('.scan')).length;

const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
for (const visit of ['first visit', 'later visit']) {
  sent = 0;
  const before = server.asked.length;
  const page = await context.newPage();
  const begun = performance.now();
  const seconds = () => ((performance.now() - begun) / 1000).toFixed(2);
  await page.goto(server.url);
  await page.locator('[data-test=library-corpus]').first().waitFor();
  const shown = seconds();
  await page.locator('[data-test=library-corpus]').first().click();
  await page.fill('#query', values.query);
  await page.press('#query', 'Enter');
  await page.waitForFunction((query) => location.hash.includes(encodeURIComponent(query).slice(0, 6)) && document.querySelector('#row-0') !== null, values.query, { timeout: 120_000 });
  const [answered, first] = [seconds(), sent];
  // The note on parts comes with the second one, and the page asks once more when the last one is here.
  while (partsAsked() < shards.length) await wait(10);
  await page.locator('[data-test=arrival-parts]').waitFor({ state: 'detached', timeout: 300_000 });
  await page.waitForFunction(() => /\d/.test(document.querySelector('[data-test=status]')?.textContent ?? ''), null, { timeout: 300_000 });
  console.log(`${visit}: page ${shown} s, first answer ${answered} s after ${first} bytes, all ${seconds()} s after ${sent} bytes in ${server.asked.length - before} requests`);
  console.log(`  ${(await page.textContent('[data-test=status]')).replace(/\s+/g, ' ').trim()}`);
  // The site is stored for later visits once the games are here.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
  await page.close();
}
// A link to an answer, on a later visit: from what the page shows first to the answer.
const page = await context.newPage();
const before = server.asked.length;
await page.addInitScript(() => {
  const seen = (name, isThere) => new MutationObserver((_, observer) => isThere() && (performance.mark(name), observer.disconnect())).observe(document, { childList: true, subtree: true, attributes: true });
  seen('page', () => document.querySelector('.page header') !== null);
  seen('answer', () => document.querySelector('[data-test=status][aria-busy=false] [data-test=games]') !== null);
});
const { name } = JSON.parse(readFileSync(join(folder, 'library.json'), 'utf8')).corpora[0];
await page.goto(`${server.url}#corpus=library.${encodeURIComponent(name)}&q=${encodeURIComponent(values.query)}`);
await page.waitForFunction(() => performance.getEntriesByName('answer').length > 0, null, { timeout: 120_000 });
const [shown, answered] = await page.evaluate(() => ['page', 'answer'].map((name) => performance.getEntriesByName(name)[0].startTime));
console.log(`a link: page ${Math.round(shown)} ms, answer ${Math.round(answered - shown)} ms later, ${server.asked.length - before} requests`);
await context.close();
await browser.close();
await server.close();
