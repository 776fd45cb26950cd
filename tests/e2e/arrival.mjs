// Measures how soon a published library answers over a slow connection: the first visit, and a later one.
//
// usage: node arrival.mjs FOLDER [--mbits N] [--query TEXT] [--isolated]      (environment: CHROMIUM)
//
// FOLDER was written by `plyfold publish`. All answers of the host share the connection, 20 Mbit/s by default, and each begins 20 ms
// late; scripts, styles and wasm are compressed, as common hosts do. This is a script to measure with, and no test: its numbers depend
// on the machine.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { launch } from './browser.mjs';

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
const PIECE = 16 << 10;
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.json': 'application/json', '.svg': 'image/svg+xml', '.webmanifest': 'application/manifest+json' };
const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

const parts = JSON.parse(readFileSync(join(folder, 'library.json'), 'utf8')).corpora[0].shards.map(({ scan }) => scan.file);
/** The parts that have been sent, on any visit. */
const kept = new Set();
let sent = 0;
let requests = 0;
/** When the connection is free again. */
let free = 0;
const compressed = new Map();

function contents(path) {
  const bytes = readFileSync(join(folder, path));
  if (!['.html', '.js', '.css', '.wasm', '.json'].includes(extname(path))) return { bytes, headers: {} };
  if (!compressed.has(path)) compressed.set(path, gzipSync(bytes));
  return { bytes: compressed.get(path), headers: { 'Content-Encoding': 'gzip' } };
}

const server = createServer(async (request, response) => {
  requests++;
  const path = normalize(decodeURIComponent(new URL(request.url, 'http://host').pathname)).replace(/\/$/, '/index.html');
  let found;
  try {
    found = contents(path);
  } catch {
    response.writeHead(404).end();
    return;
  }
  let { bytes } = found;
  const headers = { 'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream', ...(values.isolated ? ISOLATED : {}), ...found.headers };
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  if (range) {
    const [from, to] = [Number(range[1]), range[2] === '' ? bytes.length - 1 : Math.min(Number(range[2]), bytes.length - 1)];
    headers['Content-Range'] = `bytes ${from}-${to}/${bytes.length}`;
    bytes = bytes.subarray(from, to + 1);
  }
  await new Promise((resolve) => setTimeout(resolve, LATENCY_MS));
  response.writeHead(range ? 206 : 200, { ...headers, 'Content-Length': bytes.length });
  for (let at = 0; at < bytes.length && !response.destroyed; at += PIECE) {
    const piece = bytes.subarray(at, at + PIECE);
    free = Math.max(free, performance.now()) + piece.length / bytesPerMs;
    await new Promise((resolve) => setTimeout(resolve, free - performance.now()));
    response.write(piece);
    sent += piece.length;
  }
  response.end();
  if (path.endsWith('.scan') && !response.destroyed) kept.add(path);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}/`;

const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
for (const visit of ['first visit', 'later visit']) {
  [sent, requests] = [0, 0];
  const page = await context.newPage();
  const begun = performance.now();
  const seconds = () => ((performance.now() - begun) / 1000).toFixed(2);
  await page.goto(url);
  await page.locator('[data-test=library-corpus]').first().waitFor();
  const shown = seconds();
  await page.locator('[data-test=library-corpus]').first().click();
  await page.fill('#query', values.query);
  await page.press('#query', 'Enter');
  await page.waitForFunction((query) => location.hash.includes(encodeURIComponent(query).slice(0, 6)) && document.querySelector('#row-0') !== null, values.query, { timeout: 120_000 });
  const [answered, first] = [seconds(), sent];
  // The note on parts comes with the second one, and the page asks once more when the last one is here.
  while (kept.size < parts.length) await new Promise((resolve) => setTimeout(resolve, 10));
  await page.locator('[data-test=arrival-parts]').waitFor({ state: 'detached', timeout: 300_000 });
  await page.waitForFunction(() => /\d/.test(document.querySelector('[data-test=status]')?.textContent ?? ''), null, { timeout: 300_000 });
  console.log(`${visit}: page ${shown} s, first answer ${answered} s after ${first} bytes, all ${seconds()} s after ${sent} bytes in ${requests} requests`);
  console.log(`  ${(await page.textContent('[data-test=status]')).replace(/\s+/g, ' ').trim()}`);
  // The site is stored for later visits once the games are here.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
  await page.close();
}
await context.close();
await browser.close();
server.close();
