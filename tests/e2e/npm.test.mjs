// The npm package: its examples in a browser and in Node, from the page's own host and from another one, under a strict policy,
// with and without threads; what it stores (nothing); and what is in it.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Library } from './published.mjs';
import { serve } from './serve.mjs';
import { closeBrowser, onSite, THREE_GAMES } from './site.mjs';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
const npm = join(project, 'npm');
const demo = join(project, 'demo/demo.pgn.zst');
/** Queens off before ply 20 in the demo games, as the command line counts them: games and, within the window, positions. */
const EARLY = { games: 241, positions: 1594, of: 4186 };

/** What a careful host lets the package do: its own scripts, wasm, and its worker. */
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'";
const HEADERS = `# as a host would have them
/*
  Content-Security-Policy: ${POLICY}
  Cross-Origin-Opener-Policy: same-origin
  Cross-Origin-Embedder-Policy: require-corp
`;
const HOSTILE = `<img src=x onerror="globalThis.ran=true">`;

const library = new Library();
const folder = mkdtempSync(join(tmpdir(), 'plyfold-npm-'));

before(async () => {
  assert.ok(existsSync(join(npm, 'dist')), 'there is no built package in npm/dist; run cargo xtask npm');
  library.grow(2);
  symlinkSync(join(npm, 'dist'), join(folder, 'dist'));
  symlinkSync(join(npm, 'examples'), join(folder, 'examples'));
  symlinkSync(library.out, join(folder, 'published'));
  symlinkSync(demo, join(folder, 'demo.pgn.zst'));
  writeFileSync(join(folder, 'blank.html'), '<!doctype html><title>blank</title>');
  writeFileSync(join(folder, 'favicon.ico'), '');
  writeFileSync(join(folder, 'three.pgn'), THREE_GAMES);
  writeFileSync(join(folder, 'hostile.pgn'), THREE_GAMES.replace('Anna', HOSTILE.replaceAll('"', '\\"')));
  writeFileSync(join(folder, '_headers'), HEADERS);
  await writeTables(join(folder, 'tables'));
});
after(async () => {
  await closeBrowser();
  rmSync(folder, { recursive: true });
  library.remove();
});

/** Writes all packed tables of three pieces. */
async function writeTables(folder) {
  const wasm = join(project, 'www/src/wasm/tables-single');
  const { initSync, Tables } = await import(join(wasm, 'plyfold_web_tables.js'));
  initSync({ module: readFileSync(join(wasm, 'plyfold_web_tables_bg.wasm')) });
  const tables = new Tables();
  mkdirSync(folder);
  for (const { name } of Tables.plan(3)) {
    tables.generate(name);
    writeFileSync(join(folder, `${name}.egp`), tables.pack(name));
  }
}

/** A page of the test's own host. */
function onPage(path, options, test) {
  return onSite({ folder, open: false, ...options }, async (site) => {
    await site.page.goto(site.url + path);
    await test(site);
  });
}

/** What the page's origin stores: files, databases, caches, keys. */
function stored(page) {
  return page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const names = [];
    for await (const name of root.keys()) names.push(name);
    return [...names, ...(await indexedDB.databases()), ...(await caches.keys()), ...Object.keys(localStorage)];
  });
}

for (const isolated of [true, false]) {
  test(`a plain page counts what the command line counts, ${isolated ? 'with threads under a strict policy' : 'on a host without headers'}`, async () => {
    await onPage('examples/page.html', { server: { isolated } }, async ({ page }) => {
      await page.locator('#file:enabled').waitFor();
      await page.setInputFiles('#file', demo);
      await page.getByText(`${EARLY.games} of ${EARLY.of} games, ${EARLY.positions} positions`).waitFor();
      await page.locator('#games li').nth(9).waitFor();
      assert.match(await page.locator('#games li').first().textContent(), /^Open File 260 – Königsflügel 360, 1-0$/);
      assert.deepEqual(await stored(page), []);
    });
  });
}

test('an address, games, positions, a heatmap, and what a query may not say', async () => {
  await onPage('blank.html', {}, async ({ page }) => {
    const told = await page.evaluate(async () => {
      const { open } = await import('./dist/plyfold.js');
      const seen = [];
      const games = await open('demo.pgn.zst', { threads: 2, onProgress: ({ bytes, totalBytes }) => seen.push([bytes, totalBytes]) });
      const result = await games.query('queens_off before 20', { heatmap: true });
      const positions = [];
      for await (const position of result.eachPosition()) positions.push(position);
      const game = await games.game(5);
      const problem = await games.query('queens_off befor 20').catch(({ name, code, problem }) => ({ name, code, from: problem.from, to: problem.to }));
      return {
        ...{ threads: games.threads, refused: games.refused, problem, seen: seen.at(-1) },
        ...{ numbers: [...result.numbers], first: positions[0], positions: positions.length, games: new Set(positions.map(({ game }) => game)).size },
        kings: result.heatmap.slice(5 * 64, 6 * 64).reduce((sum, count) => sum + count),
        ...{ white: game.white, pgn: await game.pgn(), replay: await game.replay('queens_off before 20'), whole: (await games.query('queens_off', { everywhere: true })).positions },
      };
    });
    assert.equal(told.threads, 2);
    assert.deepEqual(told.problem, { name: 'PlyfoldError', code: 'bad-query', from: 11, to: 16 });
    assert.equal(told.refused, 0);
    assert.equal(told.seen[0], told.seen[1]);
    assert.equal(told.numbers.length, EARLY.games);
    assert.deepEqual(told.first, { game: 5, ply: 16, fen: 'r1bk1b1r/ppp2ppp/2p5/4Pn2/8/5N2/PPP2PPP/RNB2RK1 w - - 0 9' });
    assert.deepEqual([told.positions, told.games, told.kings], [EARLY.positions, EARLY.games, EARLY.positions], 'every position has one white king');
    assert.match(told.pgn, /\[White "Open File 260"\]/);
    assert.equal(told.replay.moves[told.replay.matches[0] - 1].fen, told.first.fen);
    assert.equal(told.whole, 112_508);
  });
});

test('from another host: the worker starts from a line of its own, with threads', async () => {
  const host = await serve(npm, { isolated: false, cors: true });
  try {
    // What docs/npm.md says that a policy must name then.
    const named = { 'script-src': host.url, 'worker-src': `blob: ${host.url}`, 'connect-src': host.url };
    writeFileSync(join(folder, '_headers'), Object.entries(named).reduce((headers, [name, more]) => headers.replace(`${name} 'self'`, `${name} 'self' ${more}`), HEADERS));
    await onPage('blank.html', { elsewhere: new RegExp(`^${host.url}`) }, async ({ page }) => {
      const told = await page.evaluate(async (host) => {
        const { open } = await import(`${host}dist/plyfold.js`);
        const games = await open('three.pgn', { threads: 2 });
        return [games.threads, games.games, (await games.query('queens_off')).games];
      }, host.url);
      assert.deepEqual(told, [2, 3, 1]);
    });
  } finally {
    writeFileSync(join(folder, '_headers'), HEADERS);
    await host.close();
  }
});

test('endgame tables are probed from a folder, in a browser and in Node', async () => {
  const asked = [
    ['k7/8/1K6/8/8/8/8/7R w - - 0 1', { material: 'KRvK', result: 'win', moves: 1, best: { uci: 'h1h8', result: 'win', moves: 1 } }],
    ['k7/8/1K6/8/8/8/8/7R b - - 0 1', { material: 'KRvK', result: 'loss', moves: 1, best: { uci: 'a8b8', result: 'loss', moves: 1 } }],
    ['8/8/8/8/8/2k5/8/K6N w - - 0 1', 'draw'],
    ['7k/8/1K6/8/8/8/r7/6Q1 w - - 0 1', 'no-table'],
    ['no position', 'bad-input'],
  ];
  const probed = async (open, folder, asked) => {
    const tables = open(folder);
    const told = [];
    for (const [fen, expected] of asked) {
      const { material, result, moves, replies } = await tables.probe(fen).catch(({ code }) => ({ result: code }));
      told.push(typeof expected === 'string' ? result : { material, result, moves, best: replies[0] });
    }
    tables.close();
    return [...told, await tables.probe('').catch(({ code }) => code)];
  };
  const expected = [...asked.map(([, expected]) => expected), 'closed'];
  const node = await import('../../npm/dist/node.js');
  assert.deepEqual(await probed(node.openTables, join(folder, 'tables'), asked), expected);
  const server = await serve(folder, { isolated: false });
  assert.deepEqual(await probed(node.openTables, `${server.url}tables/`, asked), expected);
  await server.close();
  // The browser reports the table that is missing.
  await onPage('blank.html', { tolerate: /404/ }, async ({ page }) => {
    const told = await page.evaluate(`import('./dist/plyfold.js').then(({ openTables }) => (${probed})(openTables, 'tables', ${JSON.stringify(asked)}))`);
    assert.deepEqual(told, expected);
  });
});

test('whatever is aborted or closed says so, and the rest goes on', async () => {
  // The browser reports the file that is missing.
  await onPage('blank.html', { tolerate: /404/ }, async ({ page }) => {
    const told = await page.evaluate(async () => {
      const { open } = await import('./dist/plyfold.js');
      const nameOf = (promise) => promise.then(() => 'done', ({ name, code }) => (name === 'PlyfoldError' ? code : name));
      const before = new AbortController();
      before.abort();
      const opening = new AbortController();
      const asking = new AbortController();
      const games = await open('demo.pgn.zst');
      const late = nameOf(games.query('count(white pawn) = count(black pawn)', { signal: asking.signal }));
      asking.abort();
      const names = [
        await nameOf(open('demo.pgn.zst', { signal: before.signal })),
        await nameOf(open('demo.pgn.zst', { signal: opening.signal, onProgress: () => opening.abort() })),
        await late,
        (await games.query('queens_off before 20')).games,
        await nameOf(open('gone.pgn')),
        await nameOf(open(new TextEncoder().encode('no game at all'))),
        await nameOf(games.game(0)),
      ];
      const running = nameOf(games.query('queens_off'));
      games.close();
      return [...names, await running, await nameOf(games.query('check'))];
    });
    assert.deepEqual(told, ['AbortError', 'AbortError', 'AbortError', EARLY.games, 'host', 'bad-input', 'bad-input', 'closed', 'closed']);
  });
});

test('a library opens with its first part and grows; nothing of it is stored', async () => {
  let hold = true;
  const [, second] = library.scans;
  const meanwhile = async (path) => {
    while (hold && path === `published/${second}`) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await onPage('blank.html', { server: { meanwhile } }, async ({ page }) => {
    const first = await page.evaluate(async () => {
      const { open } = await import('./dist/plyfold.js');
      globalThis.games = await open('published/library.json');
      const { games } = globalThis;
      return { games: games.games, isComplete: games.isComplete, library: games.library, found: (await games.query('queens_off')).games };
    });
    hold = false;
    assert.equal(first.games, 2);
    assert.equal(first.isComplete, false);
    assert.equal(first.found, 1);
    assert.equal(first.library.title, library.list.title);
    const whole = await page.evaluate(async () => {
      const { games } = globalThis;
      const seen = [];
      for await (const { games: number, parts, totalParts } of games.arrivals()) seen.push([number, parts, totalParts]);
      const result = await games.query('queens_off');
      const names = [];
      for await (const game of result.each()) names.push(`${game.number} ${game.black}`);
      return { seen, names, pgn: await (await games.game(3)).pgn() };
    });
    assert.deepEqual(whole.seen.at(-1), [4, 2, 2]);
    assert.deepEqual(whole.names, ['1 Boris 1', '3 Boris 2']);
    assert.match(whole.pgn, /a remark of part 2/);
    assert.deepEqual(await stored(page), []);
  });
});

test('an article has a query, its answers and a board, all by keyboard', async () => {
  const moved = (path) => path.startsWith('examples/library/');
  const meanwhile = (path, response) => {
    if (!moved(path)) return false;
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Cross-Origin-Resource-Policy': 'same-origin' }).end(readFileSync(join(library.out, path.slice('examples/library/'.length))));
    return true;
  };
  await onPage('examples/article.html', { server: { meanwhile } }, async ({ page }) => {
    const element = page.locator('plyfold-search');
    await element.getByText('2 games, 4 positions').waitFor();
    assert.equal(await element.locator('li').count(), 2);

    await element.getByLabel('Query').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const caption = element.locator('figcaption');
    await caption.filter({ hasText: '8… Kxd8 · matches' }).waitFor();
    const board = element.getByRole('img');
    assert.match(await board.getAttribute('aria-label'), /^White: king g1, rook a1 f1, .* Black: king d8, .* White to move\.$/);
    await element.getByRole('button', { name: 'Next', exact: true }).focus();
    await page.keyboard.press('ArrowLeft');
    await caption.filter({ hasText: /^8\. Qxd8\+$/ }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await caption.filter({ hasText: '9. h3' }).waitFor();

    await element.getByLabel('Query').fill('queens_of');
    await page.keyboard.press('Enter');
    await element.getByText('did you mean `queens_off`').waitFor();
    await element.getByLabel('Query').fill('checkmate');
    await page.keyboard.press('Enter');
    await element.getByText('2 games, 2 positions').waitFor();
  });
});

test('the names of a corpus are text', async () => {
  await onPage('blank.html', {}, async ({ page }) => {
    await page.evaluate(async () => {
      await import('./dist/element.js');
      const element = document.createElement('plyfold-search');
      element.setAttribute('library', 'hostile.pgn');
      element.setAttribute('query', 'check');
      document.body.append(element);
    });
    const element = page.locator('plyfold-search');
    await element.getByText(HOSTILE).first().waitFor();
    assert.equal(await element.locator('img').count(), 0);
    assert.equal(await page.evaluate(() => globalThis.ran), undefined);
  });
});

test('the script for Node counts the same, and says what is wrong', async () => {
  const script = join(npm, 'examples/count.mjs');
  const { stdout } = await run('node', [script, demo, 'queens_off before 20']);
  assert.deepEqual(stdout.split('\n').slice(0, 2), [`${EARLY.games} of ${EARLY.of} games, ${EARLY.positions} positions`, '5 Open File 260 – Königsflügel 360 1-0']);
  assert.match(stdout, /^game 5, ply 16: r1bk1b1r\/ppp2ppp\/2p5\/4Pn2\/8\/5N2\/PPP2PPP\/RNB2RK1 w - - 0 9$/m);
  const published = await run('node', [script, join(library.out, 'library.json'), 'queens_off']);
  assert.match(published.stdout, /^1 of 2 games|^2 of 4 games/);
  await assert.rejects(run('node', [script, demo, 'queens_of']), { stderr: /did you mean `queens_off`/ });
  await assert.rejects(run('node', [script, join(npm, 'gone.pgn'), 'check']), { stderr: /gone\.pgn cannot be read/ });
});

test('plain words become a query, word by word', async () => {
  const { open } = await import('../../npm/dist/node.js');
  const games = await open(join(folder, 'three.pgn'));
  const phrase = await games.readPhrase('Clara lost frobnicated English Opening');
  assert.equal(phrase.query, 'loser "Clara*" and opening "english opening"');
  assert.deepEqual(phrase.unknown, [{ from: 11, to: 22 }]);
  const [clara, opening] = phrase.understood;
  assert.deepEqual(clara, { from: 0, to: 10, meaning: 'loser "Clara*"', notes: ['Clara (2 games)'] });
  assert.deepEqual([opening.from, opening.to, phrase.others], [23, 38, []]);
  const { query } = await games.readPhrase('Anna won');
  assert.equal((await games.query(query)).games, 1);
  games.close();
});

test('an aborted opening ends in Node, too', async () => {
  const { open } = await import('../../npm/dist/node.js');
  const abort = new AbortController();
  await assert.rejects(open(demo, { signal: abort.signal, onProgress: () => abort.abort() }), { name: 'AbortError' });
  const host = await serve(library.out, { isolated: false, meanwhile: (path) => (path.endsWith('.scan') ? new Promise(() => undefined) : undefined) });
  const late = new AbortController();
  const opening = open(`${host.url}library.json`, { signal: late.signal });
  setTimeout(() => late.abort(), 200);
  await assert.rejects(opening, { name: 'AbortError' });
  await host.close();
});

/** What is asked of a host that never answers: how each promise of the package fails. */
async function asksSilent({ open, openTables }, url) {
  const failure = (promise) => promise.then(() => 'done', ({ name, code, message }) => `${name} ${code}: ${message}`);
  const options = { silenceMs: 300 };
  return [
    await failure(open(`${url}games.pgn`, options)),
    await failure(open(`${url}library.json`, options)),
    await failure(openTables(`${url}tables/`, options).probe('8/8/8/8/8/2k5/8/K6R w - - 0 1')),
  ];
}

test('a host that never answers is given up, and named', async () => {
  const silent = await serve(folder, { isolated: false, cors: true, meanwhile: () => new Promise(() => undefined) });
  const expected = ['games.pgn', 'library.json', 'tables/KRvK.egp'].map((name) => `PlyfoldError host: nothing has come from ${silent.url}${name} for 0.3 seconds`);
  try {
    assert.deepEqual(await asksSilent(await import('../../npm/dist/node.js'), silent.url), expected);
    const server = { isolated: false };
    await onPage('blank.html', { server, elsewhere: new RegExp(`^${silent.url}`) }, async ({ page }) => {
      assert.deepEqual(await page.evaluate(`import('./dist/plyfold.js').then((plyfold) => (${asksSilent})(plyfold, '${silent.url}'))`), expected);
      assert.equal(await page.evaluate(() => import('./dist/plyfold.js').then(({ open }) => open('three.pgn', { silenceMs: 0 })).catch(({ code }) => code)), 'bad-input');
    });
  } finally {
    await silent.close();
  }
});

test('a package whose own files do not come says which', async () => {
  for (const [file, isolated] of [['gamesworker', true], ['plyfold_web_bg', true], ['plyfold_web_bg', false], ['plyfold_web_tables_bg', true]]) {
    const meanwhile = (path) => (path.startsWith(`dist/parts/${file}-`) ? new Promise(() => undefined) : undefined);
    await onPage('blank.html', { server: { isolated, meanwhile } }, async ({ page, url }) => {
      const told = await page.evaluate(async (isOfTables) => {
        const { open, openTables } = await import('./dist/plyfold.js');
        const options = { silenceMs: 3000 };
        return (isOfTables ? openTables('tables', options).probe('8/8/8/8/8/2k5/8/K6R w - - 0 1') : open('three.pgn', options)).then(String, ({ code, message }) => `${code}: ${message}`);
      }, file.includes('tables'));
      assert.match(told, new RegExp(`^host: nothing has come from ${url}dist/parts/${file}-.*(js|wasm) for 3 seconds$`));
    });
  }
});

test('an address whose percent signs begin no characters is text, or said to be none', async () => {
  const [odd, games] = ['a%ff.pgn', THREE_GAMES];
  writeFileSync(join(folder, odd), games);
  const { open, openTables, PlyfoldError } = await import('../../npm/dist/node.js');
  assert.equal((await open(join(folder, odd))).games, 3);
  const meanwhile = (path, response) => path.endsWith('.pgn') && response.writeHead(200, { 'Access-Control-Allow-Origin': '*' }).end(path.includes('bad') ? 'no games' : games) && true;
  await onPage('blank.html', { server: { meanwhile } }, async ({ page, url }) => {
    for (const name of ['%ff.pgn', '%.pgn']) {
      assert.equal((await open(url + name)).games, 3);
      assert.equal(await page.evaluate((name) => import('./dist/plyfold.js').then(({ open }) => open(name)).then(({ games }) => games), name), 3);
      await assert.rejects(open(`${url}bad${name}`), { code: 'bad-input', message: new RegExp(`^bad${name} has no game`) });
    }
  });
  for (const address of ['file:///%ff.pgn', 'file:///%.pgn', 'file:///a%2Fb.pgn', 'file:///%ff/library.json', 'http://%']) {
    await assert.rejects(open(address), (error) => error instanceof PlyfoldError && ['bad-input', 'host'].includes(error.code) && error.message.includes(address.slice(7, 10)), address);
  }
  await assert.rejects(openTables('file:///%ff/').probe('8/8/8/8/8/2k5/8/K6R w - - 0 1'), PlyfoldError);
  assert.throws(() => openTables('http://%'), PlyfoldError);
});

test('the package has what it needs and nothing else', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd: npm });
  const [{ files, size }] = JSON.parse(stdout);
  const kinds = files.map(({ path }) => path.replace(/-[\w-]{8}(?=\.\w+$)/, '')).sort();
  assert.deepEqual(kinds, [
    'README.md',
    'dist/LICENSE',
    ...['dist/api.d.ts', 'dist/element.d.ts', 'dist/element.js', 'dist/node.d.ts', 'dist/node.js'],
    ...['dist/parts/browser.js', 'dist/parts/gamesworker.js', 'dist/parts/opening-lines.tsv'],
    ...['dist/parts/plyfold_web.js', 'dist/parts/plyfold_web.js', 'dist/parts/plyfold_web.js', 'dist/parts/plyfold_web.js', 'dist/parts/plyfold_web_bg.wasm', 'dist/parts/plyfold_web_bg.wasm'],
    ...['dist/parts/plyfold_web_tables.js', 'dist/parts/plyfold_web_tables_bg.wasm', 'dist/parts/tables.js', 'dist/parts/workerHelpers.js'],
    ...['dist/plyfold.d.ts', 'dist/plyfold.js', 'package.json'],
  ]);
  assert.ok(size < 2_780_000, `the package is ${size} bytes packed`);
});

test('the types are right for programs that bundle and for Node', async () => {
  const types = mkdtempSync(join(folder, 'types-'));
  mkdirSync(join(types, 'node_modules'));
  symlinkSync(npm, join(types, 'node_modules/plyfold'));
  writeFileSync(join(types, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(types, 'use.ts'),
    `import { open, openTables, PlyfoldError, type Games, type Position } from 'plyfold';
     import { PlyfoldSearch } from 'plyfold/element';
     const games: Games = await open(new URL('https://a.example/games.pgn'), { signal: AbortSignal.timeout(1000), silenceMs: 1000 });
     const result = await games.query('check', { heatmap: true });
     const squares: Uint32Array | null = result.heatmap;
     for await (const game of result.each()) { const pgn: string = await game.pgn(); void pgn; }
     for await (const position of result.eachPosition()) { const { fen }: Position = position; void fen; }
     // @ts-expect-error There is no such option.
     await games.query('check', { heat: true });
     const { result: outcome }: { result: 'win' | 'draw' | 'loss' } = await openTables('https://a.example/tables/', { silenceMs: Infinity }).probe('8/8/8/8/8/2k5/8/K6R w - - 0 1');
     void [squares, outcome, PlyfoldError, PlyfoldSearch];`,
  );
  const tsc = join(project, 'www/node_modules/typescript/bin/tsc');
  const options = ['--target', 'es2022', '--lib', 'es2022,dom,esnext.disposable', '--strict', '--noEmit'];
  for (const module of [['--module', 'nodenext'], ['--module', 'esnext', '--moduleResolution', 'bundler', '--skipLibCheck']]) {
    await run('node', [tsc, ...options, ...module, join(types, 'use.ts')]).catch(({ stdout }) => assert.fail(stdout));
  }
});
