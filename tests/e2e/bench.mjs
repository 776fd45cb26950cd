// Measures the page in Chromium and prints the figures beside their targets.
//
//   results     on the first games of a PGN, compared with a truth file
//   speed       nanoseconds per ply, with one thread and with two, each the median of several runs
//   a big PGN   dropped on the page: seconds, wasm memory, longest task of the main thread
//
// usage: node bench.mjs [--json] [--runs N] [PGN]     (environment: PLYFOLD_DIST, CHROMIUM, PLYFOLD_TRUTH, PLYFOLD_TRUTH_PGN)
// Without a PGN, the large reference games are measured if they are beside the project, otherwise the demo
// games. Without a truth file, no results are compared, and the table says so.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Decompress } from 'fzstd';
import { closeBrowser, dist, onSite } from './site.mjs';

const fromProject = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const shared = (name) => fromProject(`../shared/data/${name}`);

const words = process.argv.slice(2);
const json = words.includes('--json');
const runs = Number(words[words.indexOf('--runs') + 1]) || 7;
const named = words.find((word, at) => !word.startsWith('--') && words[at - 1] !== '--runs');
const big = named ?? [shared('master-206k.pgn.zst'), fromProject('demo/demo.pgn.zst')].find(existsSync);
const truthPath = process.env.PLYFOLD_TRUTH ?? shared('truth-master-first2000.json');
const truthPgn = process.env.PLYFOLD_TRUTH_PGN ?? shared('master-30k.pgn.zst');

const rows = [];
const row = (what, figure, target, met) => rows.push({ what, figure, target, met });

/** The text of a file, decompressed if it is zstd. */
function unpacked(path) {
  const bytes = readFileSync(path);
  if (!path.endsWith('.zst')) return bytes;
  const chunks = [];
  const stream = new Decompress((chunk) => chunks.push(chunk));
  // The data goes in piece by piece: all at once would need the whole window in one array.
  for (let at = 0; at < bytes.length; at += 1 << 20) stream.push(bytes.subarray(at, at + (1 << 20)), at + (1 << 20) >= bytes.length);
  return Buffer.concat(chunks);
}

/** The first `count` games of a PGN in which every game begins with an Event tag. */
function firstGames(text, count) {
  let at = 0;
  for (let nth = 0; nth < count; nth++) {
    const next = text.indexOf('\n[Event ', at + 1);
    if (next < 0) return text;
    at = next;
  }
  return text.subarray(0, at + 1);
}

/** Puts `engine(threads)` on the page. It calls a worker of the site directly, so the figures are those of the engine alone. */
async function installDriver(page) {
  const worker = readdirSync(join(dist, 'assets')).find((name) => /^worker-.*\.js$/.test(name));
  await page.evaluate((worker) => {
    window.engine = async (threads) => {
      const port = new Worker(new URL(`assets/${worker}`, document.baseURI), { type: 'module' });
      const waiting = new Map();
      let next = 1;
      port.onmessage = ({ data }) => {
        if (data.state === 'progress') return;
        const { resolve, reject } = waiting.get(data.number);
        waiting.delete(data.number);
        if (data.state === 'done') resolve(data.result);
        else reject(new Error(data.failure.message));
      };
      const call = (method, params) =>
        new Promise((resolve, reject) => {
          const number = next++;
          waiting.set(number, { resolve, reject });
          port.postMessage({ number, method, params });
        });
      const hello = await call('hello', { threads });
      return { call, hello, end: () => port.terminate() };
    };
    window.outputs = (more = {}) => ({ heatmap: false, structures: 0, positions: 0, ...more });
  }, worker);
}

async function answers() {
  if (!existsSync(truthPath) || !existsSync(truthPgn)) {
    row('answers equal to the truth file', 'skipped: no truth file', 'equal', null);
    return;
  }
  const truth = JSON.parse(readFileSync(truthPath, 'utf8'));
  const text = unpacked(truthPgn);
  await onSite({ context: { serviceWorkers: 'block' } }, async ({ page }) => {
    await installDriver(page);
    await page.setInputFiles('[data-test=files]', [{ name: 'first.pgn', mimeType: 'text/plain', buffer: firstGames(text, truth.games_used) }]);
    await page.locator('[data-test=games]').waitFor();
    const found = await page.evaluate(async () => {
      const engine = await window.engine(2);
      const info = await engine.call('open', { corpus: 'first' });
      const off = await engine.call('query', { query: 'queens_off', outputs: window.outputs() });
      const all = await engine.call('query', { query: '', outputs: window.outputs({ heatmap: true, structures: 20 }) });
      const rows = await engine.call('rows', { ids: [...Array(info.games).keys()] });
      engine.end();
      return { info, off: [off.games, off.positions], heat: [...all.heatmap], structures: all.structures, total: all.structures_total, results: rows.map((row) => row.result), plies: rows.map((row) => row.plies) };
    });
    const results = {};
    for (const result of found.results) results[result] = (results[result] ?? 0) + 1;
    assert.deepEqual([found.info.games, found.info.plies], [truth.games_used, truth.plies_total], 'games and plies');
    assert.deepEqual(results, truth.results, 'results');
    assert.deepEqual(found.plies, truth.per_game.map((game) => game.plies), 'plies of every game');
    assert.deepEqual(found.off, [truth.games_with_queens_off, truth.plies_with_queens_off], 'queens off');
    assert.deepEqual(found.heat, truth.heat.flat(2), 'heat table');
    assert.equal(found.total, truth.distinct_pawn_structures, 'pawn structures');
    const known = new Map(truth.top20_pawn_structures_by_position_count.map((one) => [`${one.white_pawns}/${one.black_pawns}`, one.count]));
    const least = Math.min(...known.values());
    for (const one of found.structures.filter((one) => one.count > least)) assert.equal(known.get(`${one.white}/${one.black}`), one.count, 'top pawn structures');
    row(`answers on ${truth.games_used} games equal to the truth file`, 'equal', 'equal', true);
  });
}

async function bigFile(path) {
  const name = basename(path).replace(/\.zst$/, '');
  const folder = await mkdtemp(join(tmpdir(), 'plyfold-bench-'));
  try {
    const plain = path.endsWith('.zst') ? join(folder, name) : path;
    if (plain !== path) await writeFile(plain, unpacked(path));
    const megabytes = readFileSync(plain).length / 1e6;
    await onSite({ context: { serviceWorkers: 'block' } }, async ({ page }) => {
      await installDriver(page);
      await page.evaluate(() => {
        window.longest = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration);
        }).observe({ type: 'longtask' });
      });
      await page.setInputFiles('[data-test=files]', plain);
      await page.locator('[data-test=games]').waitFor({ timeout: 300_000 });
      const said = await page.textContent('[data-test=report]');
      const [, number, unit] = /in ([\d.]+) (ms|s)/.exec(said);
      const seconds = Number(number) / (unit === 'ms' ? 1000 : 1);
      row(`import of ${name}, ${megabytes.toFixed(0)} MB`, `${seconds.toFixed(1)} s, ${(megabytes / seconds).toFixed(0)} MB/s`, 'at most 8 s', seconds <= 8);

      // A user's afternoon in a few seconds: every tab, sorting, scrolling, stepping.
      for (const tab of ['positions', 'heatmap', 'structures', 'games']) {
        await page.click(`#tab-${tab}`);
        await page.locator('[data-test=status][aria-busy=false]').waitFor({ timeout: 60_000 });
        await page.waitForTimeout(300);
      }
      await page.getByRole('button', { name: 'White', exact: true }).click();
      await page.focus('[data-test=games-table]');
      for (const key of ['End', 'Home', 'PageDown', 'ArrowDown']) {
        await page.keyboard.press(key);
        await page.waitForTimeout(200);
      }
      const mebibytes = Number(await page.getAttribute('[data-test=badge]', 'data-memory-bytes')) / 2 ** 20;
      row('wasm memory after import and queries', `${mebibytes.toFixed(0)} MiB`, 'at most 600 MiB', mebibytes <= 600);
      const longest = await page.evaluate(() => window.longest);
      row('longest task of the main thread', longest === 0 ? 'under 50 ms' : `${longest.toFixed(0)} ms`, 'at most 100 ms', longest <= 100);

      const speeds = await page.evaluate(async (runs) => {
        const [one, two] = [await window.engine(1), await window.engine(2)];
        const id = (await one.call('list', {}))[0].id;
        for (const engine of [one, two]) await engine.call('open', { corpus: id });
        const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
        const cases = {
          'Ruy Lopez after 3...a6': ['fen "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq -"', {}],
          'queens_off, counting every ply': ['queens_off', {}],
          'rook endgame': ['endgame rook', {}],
          'rook endgame for 8 plies': ['endgame rook for 8', {}],
          "isolated queen's pawn for 10 plies": ['isolated_pawn on d for 10', {}],
          'white pawn e5, black knight f6': ['{ white pawn on e5 and black knight on f6 }', {}],
          'heatmap over all plies': ['', { heatmap: true }],
          'pawn structures over all plies': ['', { structures: 20 }],
        };
        const found = {};
        for (const [what, [query, more]] of Object.entries(cases)) {
          const times = [[], []];
          // The engines alternate, so a machine that slows down slows both. The first two runs warm up the compiler.
          for (let run = 0; run < runs + 2; run++) {
            for (const [at, engine] of [one, two].entries()) {
              const { elapsed_ms, plies_total } = await engine.call('query', { query, outputs: window.outputs(more) });
              if (run >= 2) times[at].push((elapsed_ms * 1e6) / plies_total);
            }
          }
          found[what] = times.map(median);
        }
        one.end();
        two.end();
        return found;
      }, runs);
      for (const [what, [one, two]] of Object.entries(speeds)) {
        const ratio = one / two;
        row(`${what}, one thread`, `${one.toFixed(2)} ns/ply`, 'at most 1.35 × native', null);
        row(`${what}, two threads`, `${two.toFixed(2)} ns/ply, ${ratio.toFixed(2)} × as fast`, 'at least 1.8 ×', ratio >= 1.8);
      }
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

try {
  await answers();
  await bigFile(big);
} finally {
  await closeBrowser();
}
if (json) console.log(JSON.stringify(rows, null, 2));
else {
  const width = (key) => Math.max(...rows.map((one) => one[key].length));
  const [what, figure] = [width('what'), width('figure')];
  for (const one of rows) {
    const mark = one.met === null ? ' ' : one.met ? '✓' : '✗';
    console.log(`${mark} ${one.what.padEnd(what)}  ${one.figure.padEnd(figure)}  ${one.target}`);
  }
}
