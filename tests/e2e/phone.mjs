// Walks through a large library as on a phone: opens everything, asks, looks at the views, and opens one corpus after another.
//
// usage: node phone.mjs FOLDER [--memory GIB]      (environment: CHROMIUM)
//
// FOLDER was written by `plyfold publish` and has several corpora. The page is told that the device has so much memory, 1 GiB by
// default. To hold the browser to it and to a slower processor, run this within limits of the system, such as
// `systemd-run --scope -p MemoryMax=1G -p CPUQuota=50%`. A page that runs out of memory crashes, and this fails. It is a script to
// measure with, and no test: its numbers depend on the machine.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { executablePath, FLAGS } from './browser.mjs';
import { serve } from './serve.mjs';

const { values, positionals } = parseArgs({ options: { memory: { type: 'string', default: '1' } }, allowPositionals: true });
const [folder] = positionals;
if (folder === undefined) throw new Error('name the published folder');

const server = await serve(folder, { gzip: true });
// Private files of a profile are on the disk; those of a passing context are in memory.
const profile = mkdtempSync(join(tmpdir(), 'plyfold-phone-'));
const context = await chromium.launchPersistentContext(profile, { executablePath, args: FLAGS, viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
await context.addInitScript((value) => Object.defineProperty(navigator, 'deviceMemory', { value }), Number(values.memory));
const page = await context.newPage();
const begun = performance.now();
const tell = async (what) => {
  const status = (await page.textContent('[data-test=status]').catch(() => '')) ?? '';
  const engine = await page.getAttribute('[data-memory-bytes]', 'data-memory-bytes').catch(() => 0);
  console.log(`${((performance.now() - begun) / 1000).toFixed(1)} s  ${what}: ${status.replace(/\s+/g, ' ').trim()} (engine ${Math.round(engine / 2 ** 20)} MiB)`);
};
const ask = async (query) => {
  await page.fill('#query', query);
  await page.press('#query', 'Enter');
  await page.locator('[data-test=status][aria-busy=false] [data-test=games]').waitFor({ timeout: 300_000 });
  await tell(query === '' ? 'all games' : query);
};
/** Waits until all parts are here that this device can hold. */
const arrived = () => page.waitForFunction(() => document.querySelector('[data-test=status] [data-test=games]') && (!document.querySelector('[data-test=arrival-parts]') || document.querySelector('[data-test=arrival-full]')), null, { timeout: 1_800_000 });

await page.goto(server.url);
await page.locator('[data-test=library-together]').waitFor();
for (const box of await page.locator('[data-test=library-tick]').all()) await box.check();
const names = await page.locator('[data-test=library-corpus] strong').allTextContents();
await page.click('[data-test=library-together]');
await page.locator('#row-0').waitFor({ timeout: 120_000 });
await tell('the first games');
await arrived();
await tell('all that fits');
for (const query of ['queens_off before 20', 'fork', 'white knight on e5', '']) await ask(query);
for (const tab of ['heatmap', 'positions', 'counts', 'explorer', 'games']) {
  await page.click(`#tab-${tab}`);
  await page.locator(`#tab-${tab}[aria-selected=true]`).waitFor();
  await page.locator('[data-test=status][aria-busy=false]').waitFor({ timeout: 300_000 });
  await tell(tab);
}
for (const name of names.slice(-2)) {
  await page.click('[data-test=corpus]');
  await page.click('[data-test=first-page]');
  await page.locator('[data-test=library-corpus]').nth(names.indexOf(name)).click();
  await page.waitForFunction((name) => location.hash.includes(encodeURIComponent(name).replaceAll('%20', '+')), name);
  await arrived();
  await tell(name);
}
await context.close();
await server.close();
rmSync(profile, { recursive: true });
