// The page of tables and the tab: tables made in the browser, a verdict, play against the tables, the map, statistics, and the
// moves of a game that threw a win away.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { delay } from './delay.mjs';
import { activated, answer, closeBrowser, give, onSite } from './site.mjs';
import { bring, make, stored } from './tables.mjs';

after(closeBrowser);

/** King, bishop and knight against king; White mates in 30. */
const KBNK = '8/8/8/4k3/8/8/8/KBN5 w - - 0 1';
/** A rook that is lost at once. */
const ROOK_LOST = `[Event "Rook"]
[White "Anna"]
[Black "Boris"]
[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]
[SetUp "1"]
[Result "1/2-1/2"]

1. Rb8 Kd4 2. Kb2 Ke4 3. Re8+ Kd3 4. Re4 Kxe4 1/2-1/2
`;

const at = (fen) => `#page=tablebase&board=${encodeURIComponent(fen.replaceAll(' ', '_'))}`;

/** Opens the page of tables without games. */
async function open(page, fen = KBNK) {
  await page.locator('[data-test=page-tablebase]').waitFor({ state: 'attached' });
  await page.evaluate((hash) => (location.hash = hash), at(fen));
  await page.locator('[data-test=tablebase]').waitFor();
}

const verdict = (page, text) => page.locator('[data-test=table-verdict]', { hasText: text }).waitFor({ timeout: 30_000 });

for (const path of ['', '?threads=0']) {
  const skip = path !== '' && delay > 0 && 'the number of threads changes no reply';
  test(`tables are made, and say what a position is worth${path ? ', on one thread' : ''}`, { skip }, async () => {
    await onSite({ path }, async ({ page }) => {
      await open(page);
      await page.locator('[data-test=table-missing]').waitFor();
      await make(page);
      console.log(`${path || 'threads'}: ${await page.textContent('[data-test=table-said]')} ${await page.getAttribute('[data-test=table-said]', 'title')}; ${await page.textContent('[data-test=table-inventory]')}`);
      await verdict(page, 'White mates in 30 moves.');
      assert.equal(await page.locator('[data-test=table-make]').count(), 0);
      await page.fill('[data-test=table-fen]', '8/8/8/8/8/2k5/1R6/K7 w - - 0 1');
      await page.press('[data-test=table-fen]', 'Enter');
      await verdict(page, 'White mates in 16 moves.');
      await page.fill('[data-test=table-fen]', '8/8/8/8/8/8/1k6/K7 w - - 0 1');
      await page.press('[data-test=table-fen]', 'Enter');
      await page.locator('[data-test=table-trouble]', { hasText: 'kings stand next to each other' }).waitFor();
    });
  });
}

test('play against the tables: answers are hidden, and each move is judged', async () => {
  await onSite({}, async ({ page }) => {
    const verdicts = page.locator('[data-test=table-verdict], [data-test=table-moves]');
    const judged = (text) => page.locator('[data-test=practice-judgement]', { hasText: text }).waitFor();
    await open(page);
    await bring(page);
    await verdict(page, 'White mates in 30 moves.');
    await page.click('[data-test=table-against]');
    await page.locator('[data-test=practice-task]', { hasText: /^You play White, and can win\.$/ }).waitFor();
    assert.equal(await verdicts.count(), 0);
    assert.equal(await page.textContent('[data-test=table-status]'), '');
    // Who asks for the answer sees it, and may move by it.
    await page.click('[data-test=practice-answer]');
    await verdict(page, 'White mates in 30 moves.');
    await page.click('[data-uci=b1e4]');
    await judged(/Be4 throws the win away\./);
    await page.click('[data-test=practice-answer]');
    assert.equal(await page.locator('[data-test=practice-best]').count(), 0);
    await page.click('[data-test=practice-show-best]');
    assert.match(await page.textContent('[data-test=practice-best]'), /^Best was \S+, which mates in 30\.$/);
    // The tables take the bishop, and nobody can mate any more.
    await page.locator('[data-test=table-line] li').nth(1).waitFor();
    assert.match(await page.textContent('[data-test=table-line]'), /Kxe4/);
    await page.locator('[data-test=practice-end]', { hasText: 'A draw: nobody can mate any more. The win is gone. You found the best move in 0 of 1 positions.' }).waitFor();
    await page.click('[data-test=table-back]');
    await page.locator('[data-test=practice-end]').waitFor({ state: 'detached' });
    assert.equal(await verdicts.count(), 0);
    await page.click('[data-test=table-stop-play]');
    await verdict(page, 'White mates in 30 moves.');
    // Best play goes on to mate.
    await page.click('[data-test=table-best]');
    await page.locator('[data-test=table-line] li').nth(58).waitFor();
    await page.keyboard.press('End');
    await verdict(page, 'Checkmate: White has won.');
    await page.keyboard.press('Home');
    await verdict(page, 'White mates in 30 moves.');
  });
});

test('play against the tables to the end: moves that cost something are counted', async () => {
  await onSite({}, async ({ page }) => {
    // Mate in two: Kc7, and then the rook mates on the edge.
    await open(page, 'k7/8/1K6/8/8/8/8/7R w - - 0 1');
    await bring(page);
    await verdict(page, 'White mates in 1 move.');
    await page.click('[data-test=table-against]');
    await page.click('[data-test=practice-answer]');
    await page.click('[data-uci=h1h7]');
    await page.locator('[data-test=practice-judgement]', { hasText: /Rh7 still wins, \d+ moves? later than the best move\./ }).waitFor();
    await page.locator('[data-test=table-line] li').nth(1).waitFor();
    await verdict(page, 'White mates in 1 move.');
    await page.click('[data-uci=h7h8]');
    await page.locator('[data-test=practice-end]', { hasText: 'You mated in 2 moves; the fastest way takes 1. You found the best move in 1 of 2 positions.' }).waitFor();
    await page.click('[data-test=practice-again]');
    assert.equal(await page.locator('[data-test=table-line]').count(), 0);
    await page.locator('[data-test=practice-task]', { hasText: 'You play White, and can win.' }).waitFor();
  });
});

test('the map, the editor and the statistics', async () => {
  await onSite({}, async ({ page }) => {
    await open(page, '8/8/8/8/8/2k5/1R6/K7 w - - 0 1');
    await bring(page);
    await verdict(page, 'White mates in 16 moves.');
    await page.click('[data-test=table-map]');
    // The black king is chosen first; beside the white king it cannot stand.
    const square = (name) => page.locator(`.grid [data-square="${name}"]`);
    await page.locator('.grid [data-outcome]').first().waitFor();
    assert.equal(await square(8).getAttribute('data-outcome'), 'none');
    assert.equal(await square(63).getAttribute('data-outcome'), 'white');
    assert.match(await square(63).getAttribute('aria-label'), /^h8\. White mates in \d+ moves\.$/);
    // A click on a square puts the piece there.
    await square(63).click();
    await page.waitForFunction(() => document.querySelector('[data-test=table-fen]').value.startsWith('7k/'));
    await page.click('[data-test=table-edit]');
    await page.locator('.grid [data-square="63"]').focus();
    await page.keyboard.press('Delete');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('k');
    await page.waitForFunction(() => document.querySelector('[data-test=table-fen]').value.startsWith('8/7k/'));
    await verdict(page, /White mates in \d+ moves\./);
    // By mouse: the rook from b2 to b8, then off the board.
    const middle = async (name) => {
      const box = await page.locator(`.grid [data-square="${name}"]`).boundingBox();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    await page.mouse.move(...(await middle(9)));
    await page.mouse.down();
    await page.mouse.move(...(await middle(57)));
    await page.mouse.up();
    await page.waitForFunction(() => document.querySelector('[data-test=table-fen]').value.startsWith('1R6/'));
    await page.click('[data-test=table-count]');
    await page.locator('[data-test=table-statistics]', { hasText: 'Longest win: 16 moves' }).waitFor();
    await page.locator('[data-test=table-longest]').first().click();
    await verdict(page, 'White mates in 16 moves.');
  });
});

test('a game: verdicts in its list of moves, and the move that threw the win away', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'rook.pgn', text: ROOK_LOST });
    await answer(page);
    await page.click('#tab-tablebase');
    await page.locator('[data-test=table-missing]').waitFor();
    assert.equal(await page.locator('[data-test=move-verdict]').count(), 0);
    await bring(page);
    await verdict(page, 'White mates in 16 moves.');
    const thrown = page.locator('[data-ply="7"] [data-test=move-thrown]');
    await page.click('#tab-moves');
    await thrown.waitFor();
    assert.equal(await page.locator('[data-test=move-thrown]').count(), 1);
    assert.match(await thrown.getAttribute('title'), /^A draw, if both sides play their best\. Re4 throws the win away\. Best was \S+, which mates in \d+\.$/);
    await page.click('[data-test=table-thrown-move]');
    await page.locator('[data-test=table-thrown]', { hasText: /4\. Re4 throws the win away\. Best was / }).waitFor();
    await page.click('#tab-tablebase');
    await verdict(page, 'A draw');
    // The page of tables begins where the game is.
    await page.click('#tab-moves');
    await page.keyboard.press('ArrowLeft');
    await page.click('[data-test=table-practise-here]');
    await page.locator('[data-test=practice-task]', { hasText: 'You play White, and can win.' }).waitFor();
    assert.equal(await page.locator('[data-test=table-verdict]').count(), 0);
    await page.goBack();
    await page.locator('[data-test=table-note-game]').waitFor();
  });
});

test('making tables can be cancelled, and goes on later', async () => {
  await onSite({}, async ({ page }) => {
    await open(page, '8/8/8/8/2k5/8/1Q6/K7 w - - 0 1');
    await page.locator('[data-test=table-make]:enabled').click();
    await page.locator('[data-test=table-progress]', { hasText: /^[1-9]\d* of/ }).waitFor();
    await page.click('[data-test=table-stop]');
    await page.locator('[data-test=table-said]', { hasText: 'Stopped. The tables that are complete stay.' }).waitFor();
    assert.match(await page.textContent('[data-test=table-inventory]'), /^\d+ tables? /);
    await make(page);
    await verdict(page, /White mates in \d+ moves\./);
  });
});

test('a worker that stops while it makes tables is replaced, and the tables are made', async () => {
  // The first worker stops at its twenty-first table, and leaves a file for the second one.
  const patch = `{
    const { instantiateStreaming } = WebAssembly;
    WebAssembly.instantiateStreaming = async (...given) => {
      const { instance, module } = await instantiateStreaming(...given);
      const { tables_generate } = instance.exports;
      if (!tables_generate) return { instance, module };
      const device = await navigator.storage.getDirectory();
      if (await device.getFileHandle('stopped').catch(() => null)) return { instance, module };
      await device.getFileHandle('stopped', { create: true });
      let left = 20;
      const stopping = (...values) => {
        if (left-- === 0) throw new WebAssembly.RuntimeError('unreachable');
        return tables_generate(...values);
      };
      return { instance: { exports: { ...instance.exports, tables_generate: stopping } }, module };
    };
  }`;
  await onSite({ patch }, async ({ page }) => {
    let workers = 0;
    page.on('worker', (worker) => (workers += Number(/\/tablesworker-/.test(worker.url()))));
    await open(page);
    await make(page);
    assert.match(await page.textContent('[data-test=table-said]'), /^45 tables made in /);
    assert.equal(await page.locator('[data-test=table-store-trouble]').count(), 0);
    assert.equal(workers, 2);
    await verdict(page, 'White mates in 30 moves.');
  });
});

test('tables are kept: after a reload they are there, and a game has its verdicts without a click', async () => {
  await onSite({}, async ({ page }) => {
    await open(page);
    await make(page);
    assert.match(await page.textContent('[data-test=table-inventory]'), /^45 tables on this device, \d+\.\d MB\.$/);
    await page.reload();
    await verdict(page, 'White mates in 30 moves.');
    assert.equal(await page.locator('[data-test=table-make]').count(), 0);
    await page.click('[data-test=page-search]');
    await give(page, { name: 'rook.pgn', text: ROOK_LOST });
    await answer(page);
    await page.locator('[data-ply="7"] [data-test=move-thrown]').waitFor();
    await page.click('[data-test=page-tablebase]');
    await page.click('.sources summary');
    await page.click('[data-test=table-remove]');
    await page.locator('[data-test=table-missing]').waitFor();
  });
});

test('storage is refused: tables are in memory, and the page says so', async () => {
  const patch = `navigator.storage.getDirectory = () => Promise.reject(new DOMException('no', 'SecurityError'))`;
  await onSite({ patch }, async ({ page }) => {
    await open(page);
    await make(page);
    await verdict(page, 'White mates in 30 moves.');
    assert.match(await page.textContent('[data-test=table-inventory]'), /^45 tables in memory, .* until this page closes\.$/);
    assert.deepEqual(await page.locator('[data-test=table-note]').allTextContents(), ['this browser refuses private files, so tables are lost when the page closes']);
  });
});

test('files: a damaged or foreign one is a sentence, a sound one is taken, and the others stay', async () => {
  await onSite({}, async ({ page }) => {
    await open(page);
    await bring(page);
    await page.click('.sources summary');
    const sound = await stored(page, 'KRvK');
    await page.click('[data-test=table-remove]');
    await page.locator('[data-test=table-missing]').waitFor();
    const damaged = Buffer.from(sound);
    damaged[damaged.length >> 1] ^= 1;
    const file = (name, buffer) => ({ name, mimeType: 'application/octet-stream', buffer });
    await page.click('.sources summary');
    await page.setInputFiles('[data-test=table-files]', [file('KRvK.egp', damaged), file('KQvK.egp', sound), file('KBvK.egp', Buffer.from('no table')), file('rook.egp', sound), file('KRvK.egp', sound.subarray(0, 500))]);
    await page.locator('[data-test=table-note]').nth(4).waitFor();
    const said = await page.locator('[data-test=table-note]').allTextContents();
    const expected = [/^KRvK\.egp: corrupt/, /^KQvK\.egp: it holds the table KRvK, not KQvK/, /^KBvK\.egp: not a packed table/, /^rook\.egp: a packed table has the name of its material/, /^KRvK\.egp: (truncated|corrupt)/];
    assert.equal(said.length, expected.length);
    for (const [nth, pattern] of expected.entries()) assert.match(said[nth], pattern);
    await page.setInputFiles('[data-test=table-files]', [file('KRvK.egp', sound)]);
    await page.locator('[data-test=table-inventory]', { hasText: /^1 table on this device/ }).waitFor();
    await page.fill('[data-test=table-fen]', '8/8/8/8/8/2k5/1R6/K7 w - - 0 1');
    await page.press('[data-test=table-fen]', 'Enter');
    await verdict(page, 'White mates in 16 moves.');
  });
});

test('a stored table that is damaged is removed, said, and made again', async () => {
  await onSite({}, async ({ page }) => {
    await open(page);
    await bring(page);
    await page.evaluate(async () => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('tables');
      const file = await folder.getFileHandle('KBNvK.egp');
      const writable = await file.createWritable();
      await writable.write(new Uint8Array(5000));
      await writable.close();
    });
    await page.reload();
    await page.locator('[data-test=table-missing]', { hasText: 'KBN–K' }).waitFor();
    await page.locator('[data-test=table-note]', { hasText: 'KBNvK.egp: not a packed table' }).waitFor();
    await make(page);
    await verdict(page, 'White mates in 30 moves.');
  });
});

/** A host of a folder of packed tables, which sends parts of files: what it has, what it was asked, and whether it sends parts. */
async function onFolder(test) {
  const folder = { tables: new Map(), requests: [], hasRanges: true, address: '' };
  const host = createServer((request, response) => {
    if (request.method === 'OPTIONS') return response.writeHead(204, { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'Range' }).end();
    const bytes = folder.tables.get(request.url.split('/').at(-1).replace('.egp', ''));
    const cors = { 'Access-Control-Allow-Origin': '*' };
    if (!bytes) return response.writeHead(404, cors).end();
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (!folder.hasRanges || from === undefined) return response.writeHead(200, cors).end(bytes);
    const part = bytes.subarray(Number(from), Number(to) + 1);
    folder.requests.push([request.url, part.length]);
    return response.writeHead(206, { ...cors, 'Content-Range': `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}` }).end(part);
  });
  await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve));
  folder.address = `http://127.0.0.1:${host.address().port}/tables`;
  try {
    await onSite({ elsewhere: /^http:\/\/127\.0\.0\.1:\d+\/tables\//, tolerate: /Failed to load resource/ }, (site) => test({ ...site, folder }));
  } finally {
    host.closeAllConnections();
    host.close();
  }
}

/** Moves tables from the page to the folder; the page keeps none. */
async function moveTo(folder, page, names) {
  await bring(page);
  for (const name of names) folder.tables.set(name, await stored(page, name));
  await page.click('.sources summary');
  await page.click('[data-test=table-remove]');
  await page.locator('[data-test=table-missing]').waitFor();
  await page.click('.sources summary');
}

test('a folder of another host is read by ranges of bytes; without ranges, a sentence', async () => {
  await onFolder(async ({ page, folder }) => {
    await open(page);
    await moveTo(folder, page, ['KBNvK', 'KBvK', 'KNvK', 'KQvK']);
    folder.hasRanges = false;
    await page.fill('[data-test=table-folder]', folder.address);
    await page.press('[data-test=table-folder]', 'Enter');
    await page.locator('[data-test=table-store-trouble]', { hasText: 'sends whole files and no parts of them' }).waitFor();
    folder.hasRanges = true;
    folder.requests.length = 0;
    await page.press('[data-test=table-folder]', 'Enter');
    await verdict(page, 'White mates in 30 moves.');
    const fetched = folder.requests.reduce((sum, [, length]) => sum + length, 0);
    console.log(`ranges: ${folder.requests.length} requests, ${fetched} bytes of ${folder.tables.get('KBNvK').length}`);
    assert.ok(fetched < folder.tables.get('KBNvK').length, 'only parts are fetched');
    // What is not in the folder is missing, and said.
    await page.fill('[data-test=table-fen]', '8/8/8/8/8/2k5/1R6/K7 w - - 0 1');
    await page.press('[data-test=table-fen]', 'Enter');
    await page.locator('[data-test=table-missing]', { hasText: 'KR–K' }).waitFor();
  });
});

test('play against the tables of a folder: hidden answers, judged moves, mate, and a piece thrown away', async () => {
  await onFolder(async ({ page, folder }) => {
    await open(page, 'k7/8/1K6/8/8/8/8/7R w - - 0 1');
    await moveTo(folder, page, ['KRvK', 'KBNvK', 'KBvK', 'KNvK', 'KQvK']);
    await page.fill('[data-test=table-folder]', folder.address);
    await page.press('[data-test=table-folder]', 'Enter');
    await verdict(page, 'White mates in 1 move.');
    await page.click('[data-test=table-against]');
    await page.locator('[data-test=practice-task]', { hasText: 'You play White, and can win.' }).waitFor();
    assert.equal(await page.locator('[data-test=table-verdict], [data-test=table-moves]').count(), 0);
    await page.click('[data-test=practice-answer]');
    await page.click('[data-uci=h1h7]');
    await page.locator('[data-test=practice-judgement]', { hasText: /Rh7 still wins, 1 move later than the best move\./ }).waitFor();
    await page.locator('[data-test=table-line] li').nth(1).waitFor();
    assert.match(await page.textContent('[data-test=table-line]'), /Kb8/);
    await verdict(page, 'White mates in 1 move.');
    await page.click('[data-uci=h7h8]');
    await page.locator('[data-test=practice-end]', { hasText: 'You mated in 2 moves; the fastest way takes 1.' }).waitFor();
    await page.click('[data-test=table-stop-play]');
    // The bishop is lost, and the tables take it: what that leads to stands in another file of the folder.
    await page.fill('[data-test=table-fen]', KBNK);
    await page.press('[data-test=table-fen]', 'Enter');
    await verdict(page, 'White mates in 30 moves.');
    await page.click('[data-test=table-against]');
    await page.click('[data-test=practice-answer]');
    await page.click('[data-uci=b1e4]');
    await page.locator('[data-test=practice-judgement]', { hasText: 'Be4 throws the win away.' }).waitFor();
    await page.locator('[data-test=practice-end]', { hasText: 'A draw: nobody can mate any more. The win is gone.' }).waitFor();
    const { length } = folder.tables.get('KBNvK');
    const fetched = folder.requests.filter(([url]) => url.endsWith('/KBNvK.egp')).reduce((sum, [, part]) => sum + part, 0);
    assert.ok(fetched > 0 && fetched < length, `${fetched} of ${length} bytes`);
  });
});

for (const [host, options] of [['a host with headers', {}], ['the service worker', { server: { isolated: false } }]]) test(`a server is asked once the user has named it, and only the worker of tables may: ${host}`, async () => {
  const asked = [];
  const tablebase = createServer((request, response) => {
    const { searchParams } = new URL(request.url, 'http://127.0.0.1');
    asked.push(searchParams.get('fen'));
    response.writeHead(200, { 'Content-Type': 'application/json', 'Access-Control-Allow-Origin': '*' });
    const standing = { checkmate: false, stalemate: false, dtm: 31, category: 'win' };
    response.end(JSON.stringify({ ...standing, moves: [{ uci: 'a1a2', san: 'Ka2', zeroing: false, checkmate: false, dtm: -30, category: 'loss' }] }));
  });
  await new Promise((resolve) => tablebase.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${tablebase.address().port}`;
  try {
    await onSite({ ...options, offline: true, elsewhere: /^http:\/\/127\.0\.0\.1:\d+\/tablebase/, tolerate: /ERR_CONNECTION_REFUSED|ERR_UNSAFE_PORT|connect-src|Content Security Policy|Failed to load/ }, async ({ page }) => {
      await activated(page);
      await open(page, '8/8/8/8/8/2k5/1R6/K7 w - - 0 1');
      await page.locator('[data-test=table-missing]').waitFor();
      assert.deepEqual(asked, []);
      // A dead port is a sentence.
      await page.click('.sources summary');
      await page.fill('[data-test=table-server]', 'http://127.0.0.1:9');
      await page.press('[data-test=table-server]', 'Enter');
      await page.locator('[data-test=table-store-trouble]', { hasText: '127.0.0.1:9 does not answer, sends this page on to another address, or does not let it read its answers (CORS)' }).waitFor();
      await page.fill('[data-test=table-server]', address);
      await page.press('[data-test=table-server]', 'Enter');
      await verdict(page, 'White mates in 16 moves.');
      assert.ok(asked.includes('8/8/8/8/8/2k5/1R6/K7 w - - 0 1'));
      // Play is judged by the server, too.
      await page.click('[data-test=table-against]');
      await page.locator('[data-test=practice-task]', { hasText: 'You play White, and can win.' }).waitFor();
      assert.equal(await page.locator('[data-test=table-verdict]').count(), 0);
      await page.click('[data-test=practice-answer]');
      await page.click('[data-uci=a1a2]');
      await page.locator('[data-test=practice-judgement]', { hasText: 'Ka2 still wins, and nothing wins faster.' }).waitFor();
      // The page itself may not ask it.
      const refused = await page.evaluate((address) => fetch(`${address}/tablebase`).then(() => 'answered', () => 'refused'), address);
      assert.equal(refused, 'refused');
    });
  } finally {
    tablebase.closeAllConnections();
    tablebase.close();
  }
});
