// The board is played on: sidelines, promotion, the explorer, drawings; its position is searched for, pasted and copied.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { violations } from './axe.mjs';
import { answer, ask, closeBrowser, give, onSite, THREE_GAMES } from './site.mjs';

after(closeBrowser);

const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };
const PROMOTION = '8/P6k/8/8/8/8/p6K/1N6 w - - 0 1';

const word = (page, name) => page.evaluate((name) => new URLSearchParams(location.hash.slice(1)).get(name), name);
const addressed = (page, name, value) => page.waitForFunction(([name, value]) => new URLSearchParams(location.hash.slice(1)).get(name) === value, [name, value]);
const saying = (page, text) => page.waitForFunction((text) => document.querySelector('[data-test=said]')?.textContent === text, text);
const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

/** The centre of a square. The board may be seen from Black's side. */
async function centre(page, square) {
  const box = await page.locator('[data-test=board] cg-board').boundingBox();
  const flipped = (await page.locator('.orientation-black').count()) > 0;
  const [file, rank] = ['abcdefgh'.indexOf(square[0]), Number(square[1]) - 1];
  return [box.x + (((flipped ? 7 - file : file) + 0.5) / 8) * box.width, box.y + (((flipped ? rank : 7 - rank) + 0.5) / 8) * box.height];
}

async function drag(page, from, to, button = 'left') {
  await page.mouse.move(...(await centre(page, from)));
  await page.mouse.down({ button });
  await page.mouse.move(...(await centre(page, to)), { steps: 4 });
  await page.mouse.up({ button });
}

async function press(page, ...squares) {
  for (const square of squares) await page.mouse.click(...(await centre(page, square)));
}

/** Pastes as the user does, from the clipboard. */
async function paste(page, text) {
  await page.evaluate((text) => navigator.clipboard.writeText(text), text);
  await page.keyboard.press('Control+V');
}

async function three(page) {
  await give(page, { name: 'three.pgn', text: THREE_GAMES });
  await ask(page, 'queens_off');
  // The keys are for the board.
  await page.locator('#query').blur();
  await page.waitForFunction(() => document.querySelector('[data-test=ply]')?.textContent === '16/17');
}

test('a sideline is played by drag, by clicks and by writing, and the game stays', async () => {
  await onSite({ context: CLIPBOARD }, async ({ page }) => {
    await three(page);
    await drag(page, 'f1', 'd1');
    await saying(page, 'Sideline: 9. Rd1+');
    await addressed(page, 'line', 'f1d1');
    assert.equal(await page.textContent('[data-test=ply]'), '16+1/17');
    assert.match(await page.textContent('[data-test=board-words]'), /rooks a1 d1.*Black to move\. Sideline: 9\. Rd1\+\./);
    await page.locator('cg-board square.check').waitFor();
    assert.equal(await page.locator('cg-board square.last-move:visible').count(), 2);
    // A move that is illegal in check is not taken.
    await drag(page, 'a7', 'a6');
    await press(page, 'd8', 'e8');
    await saying(page, 'Sideline: 9… Ke8');

    // Without a mouse.
    await page.keyboard.press('m');
    await page.keyboard.type('Rd3');
    await page.keyboard.press('Enter');
    await saying(page, 'Sideline: 10. Rd3');
    await page.keyboard.type('Ke4');
    await page.keyboard.press('Enter');
    await page.locator('[data-test=move-trouble]', { hasText: 'Ke4 is not possible here.' }).waitFor();
    await page.fill('[data-test=move]', 'h7h5');
    await page.keyboard.press('Enter');
    await saying(page, 'Sideline: 10… h5');
    assert.equal(await page.inputValue('[data-test=move]'), '');
    await page.keyboard.press('Escape');
    assert.match(await page.textContent('[data-test=sideline]'), /9\. Rd1\+\s*Ke8\s*10\. Rd3\s*h5/);

    // Its moves can be clicked and stepped through.
    await page.locator('[data-test=sideline]').getByRole('button', { name: 'Ke8' }).click();
    await saying(page, 'Sideline: 9… Ke8');
    await page.keyboard.press('ArrowRight');
    await saying(page, 'Sideline: 10. Rd3');
    await page.keyboard.press('End');
    await saying(page, 'Sideline: 10… h5');
    await page.keyboard.press('ArrowLeft');
    await addressed(page, 'line', 'f1d1.d8e8.d1d3');

    // A reload keeps it, and the link opens exactly this.
    const words = await page.textContent('[data-test=board-words]');
    await page.reload();
    await saying(page, 'Sideline: 10. Rd3');
    assert.equal(await page.textContent('[data-test=board-words]'), words);
    await page.click('[data-test=copy]');
    await page.click('[data-test=copy-link]');
    await page.locator('[data-test=copied]', { hasText: 'Link copied.' }).waitFor();
    const link = await clipboard(page);
    await page.goto('about:blank');
    await page.goto(link);
    await saying(page, 'Sideline: 10. Rd3');

    // Back to the game, by its button and by Escape.
    await page.click('[data-test=back-to-game]');
    await saying(page, '8… Kxd8, matches');
    assert.equal(await word(page, 'line'), null);
    await page.keyboard.press('ArrowRight');
    await saying(page, '9. h3, matches');
    await page.keyboard.press('ArrowLeft');
    await drag(page, 'b1', 'c3');
    await saying(page, 'Sideline: 9. Nc3');
    await page.keyboard.press('Escape');
    await saying(page, '8… Kxd8, matches');
    assert.equal(await page.locator('[data-test=sideline]').count(), 0);
    // The game's own move is no sideline.
    await press(page, 'h2', 'h3');
    await saying(page, '9. h3, matches');
  });
});

test('a pawn becomes what is chosen: by key, by arrows, by click, from both sides', async () => {
  await onSite({ context: CLIPBOARD }, async ({ page }) => {
    await three(page);
    await paste(page, PROMOTION);
    await page.locator('[data-test=pasted]', { hasText: 'on the board' }).waitFor();
    await addressed(page, 'tab', 'explorer');
    const dialog = page.locator('[data-test=promotion]');
    const line = (text) => page.waitForFunction((text) => document.querySelector('.line')?.textContent.replace(/\s+/g, ' ').includes(text), text);

    await drag(page, 'a7', 'a8');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.match(await page.textContent('[data-test=board-words]'), /pawn a7/);
    await press(page, 'a7', 'a8');
    await dialog.waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), 'queen');
    await page.keyboard.press('n');
    await line('a8=N');
    await dialog.waitFor({ state: 'detached' });

    // Black takes and promotes, seen from Black's side.
    await page.keyboard.press('f');
    await page.locator('.orientation-black').first().waitFor();
    await drag(page, 'a2', 'b1');
    await dialog.waitFor();
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), 'rook');
    await page.keyboard.press('Enter');
    await line('axb1=R');

    await page.click('[data-test=take-back]');
    await drag(page, 'a2', 'a1');
    await dialog.getByRole('button', { name: 'bishop' }).click();
    await line('a1=B');
    // The piece can be written; without it, the field asks for it.
    await page.click('[data-test=take-back]');
    await page.fill('[data-test=move]', 'a1');
    await page.keyboard.press('Enter');
    await page.locator('[data-test=move-trouble]', { hasText: 'a1=Q' }).waitFor();
    await page.fill('[data-test=move]', 'a1=q');
    await page.keyboard.press('Enter');
    await line('a1=Q');
  });
});

test('the explorer: a move begins a line from the board, and goes on from its own position', async () => {
  await onSite({}, async ({ page }) => {
    await three(page);
    await page.keyboard.press('Home');
    await saying(page, 'Start position');
    await page.click('#tab-explorer');
    await addressed(page, 'tab', 'explorer');
    // The explorer follows the game until it gets a position of its own.
    await addressed(page, 'follow', '1');
    await page.click('[data-test=explore-start]');
    await addressed(page, 'follow', null);
    await drag(page, 'e2', 'e4');
    await addressed(page, 'position', 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR_b_KQkq_-');
    await page.locator('[data-move=e7e5]').waitFor();
    await press(page, 'e7', 'e5');
    await page.locator('[data-move=g1f3]').waitFor();
    assert.match(await page.textContent('.line'), /Position|Start/);
    assert.equal(await page.locator('[data-test=sideline]').count(), 0);
    await page.goBack();
    await page.locator('[data-move=e7e5]').waitFor();
    // Nobody played this, and the board still takes it.
    await press(page, 'a7', 'a6');
    await page.getByText('No game has this position.').waitFor();
  });
});

test('looks: another board and figurines, kept on this device', async () => {
  await onSite({}, async ({ page }) => {
    await three(page);
    const square = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--square-dark').trim());
    const green = await square();
    await page.click('[data-test=looks]');
    await page.locator('[data-test=board-brown]').check();
    await page.locator('[data-test=signs-figurines]').check();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Escape');
    await page.locator('[data-test=moves]', { hasText: '♘f3' }).waitFor();
    assert.notEqual(await square(), green);
    await page.reload();
    await page.locator('[data-test=moves]', { hasText: '♘f3' }).waitFor();
    assert.notEqual(await square(), green);
    await page.click('[data-test=looks]');
    await page.locator('[data-test=signs-german]').check();
    await page.keyboard.press('Escape');
    await page.locator('[data-test=moves]', { hasText: 'Sf3' }).waitFor();
  });
});

test('moves are heard if the user wants it', async () => {
  await onSite({}, async ({ page }) => {
    await three(page);
    await page.evaluate(() => {
      window.heard = 0;
      const { start } = AudioBufferSourceNode.prototype;
      AudioBufferSourceNode.prototype.start = function (...given) {
        window.heard++;
        return start.apply(this, given);
      };
    });
    const heard = () => page.evaluate(() => window.heard);
    const step = async (key, ply) => {
      await page.keyboard.press(key);
      await page.locator(`[data-ply="${ply}"][aria-current], [data-ply="${ply}"] [aria-current]`).first().waitFor();
    };
    await page.locator('[data-ply="1"]').first().click();
    await step('ArrowRight', 2);
    assert.equal(await heard(), 0);
    await page.click('[data-test=looks]');
    await page.locator('[data-test=sounds]').check();
    await page.keyboard.press('Escape');
    await step('ArrowRight', 3);
    await page.waitForFunction(() => window.heard === 1);
    // A step back is silent.
    await step('ArrowLeft', 2);
    await step('ArrowRight', 3);
    await page.waitForFunction(() => window.heard === 2);
  });
});

test('arrows and circles by right drag', async () => {
  await onSite({}, async ({ page }) => {
    await three(page);
    const shapes = page.locator('[data-test=board] .cg-shapes g > :is(line, circle)');
    await drag(page, 'f1', 'd1', 'right');
    await shapes.nth(0).waitFor({ state: 'attached' });
    await page.keyboard.down('Shift');
    await drag(page, 'd8', 'd8', 'right');
    await page.keyboard.up('Shift');
    await shapes.nth(1).waitFor({ state: 'attached' });
    assert.deepEqual((await shapes.evaluateAll((all) => all.map((one) => `${one.tagName} ${one.getAttribute('stroke')}`))).sort(), ['circle #882020', 'line #15781B']);
    // Flipping keeps them; a click takes them away, and so does another position.
    await page.keyboard.press('f');
    await page.locator('.orientation-black').first().waitFor();
    assert.equal(await shapes.count(), 2);
    await press(page, 'e4');
    await shapes.first().waitFor({ state: 'detached' });
    await drag(page, 'f1', 'd1', 'right');
    await shapes.nth(0).waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowRight');
    await shapes.first().waitFor({ state: 'detached' });
    assert.equal(await page.locator('[data-test=sideline]').count(), 0);
  });
});

test('the pieces stand on their squares at every size, also with reduced motion', async () => {
  for (const reducedMotion of ['reduce', 'no-preference']) {
    await onSite({ context: { reducedMotion } }, async ({ page }) => {
      await three(page);
      const before = (await page.locator('[data-test=board]').boundingBox()).width;
      await page.setViewportSize({ width: 1800, height: 1100 });
      await page.waitForFunction((before) => document.querySelector('[data-test=board]').getBoundingClientRect().width > before + 20, before);
      await page.waitForFunction(() => {
        const board = document.querySelector('[data-test=board] cg-board').getBoundingClientRect();
        const king = document.querySelector('[data-test=board] piece.white.king').getBoundingClientRect();
        // The king is on g1.
        return Math.abs(king.left - board.left - (board.width * 6) / 8) < 1 && Math.abs(king.bottom - board.bottom) < 1;
      });
    });
  }
});

test('the position is searched for in each way, with the numbers of the typed query', async () => {
  await onSite({}, async ({ page }) => {
    await three(page);
    await ask(page, 'white knight on e5');
    await page.waitForFunction(() => document.querySelector('[data-test=ply]')?.textContent === '5/6');
    // Game 3 after 2. Nf3.
    await page.click('[data-ply="3"]');
    await addressed(page, 'ply', '3');
    const search = async (way, ...families) => {
      await page.click('[data-test=search-position]');
      for (const name of families) await page.check(`[popover] input[value="${name}"]`);
      const before = await page.inputValue('#query');
      await page.click(`[data-test=${way}]`);
      await page.waitForFunction((before) => document.querySelector('#query').value !== before, before);
      const found = await answer(page);
      const query = await page.inputValue('#query');
      await page.click('[data-test=search-position]');
      for (const name of families) await page.uncheck(`[popover] input[value="${name}"]`);
      await page.keyboard.press('Escape');
      return { query, ...found };
    };
    const cases = [
      ['search-exact', [], 'fen "rnbqkbnr/ppp1pppp/8/3p4/3P4/5N2/PPP1PPPP/RNBQKB1R b KQkq -"', 1, 1],
      ['search-pawns', [], 'structure "8/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/8"', 1, 4],
      // The other opening has the mirror image of these pawns.
      ['search-pawns', ['mirror', 'colour flip'], 'structure "8/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/8" under mirror, colour flip', 2, 10],
      // Nothing is taken in two games, and in the first before 4... Nxe4.
      ['search-material', [], 'material white KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP', 3, 17],
      ['search-pieces', [], 'board "rnbqkbnr/ppp?pppp/????????/???p????/???P????/?????N??/PPP?PPPP/RNBQKB?R"', 1, 1],
    ];
    for (const [way, families, query, games, positions] of cases) {
      assert.deepEqual(await search(way, ...families), { query, games, positions }, way);
      await ask(page, 'check');
      assert.deepEqual(await ask(page, query), { games, positions }, `${way}, typed`);
    }
    await ask(page, 'white knight on f3');
    assert.deepEqual(await search('add-pawns'), { query: '{ white knight on f3 and structure "8/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/8" }', games: 1, positions: 2 });

    // Painted as a pattern, and from the explorer's board.
    await page.click('[data-test=search-position]');
    await page.click('[data-test=paint-position]');
    await page.locator('[data-test=mask-text]', { hasText: 'board "rnbqkbnr/ppp?pppp/' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'black pieces' }).click();
    await page.click('[data-test=mask-search]');
    await addressed(page, 'q', 'board "rnbqkbnr/ppp?pppp/????????/???p????/????????/????????/????????/????????"');
    assert.deepEqual(await answer(page), { games: 1, positions: 2 });
    await page.click('[data-test=search-position]');
    await page.click('[data-test=explore-position]');
    await page.locator('[data-move=g8f6]').waitFor();
    await page.click('[data-test=search-position]');
    await page.click('[data-test=search-exact]');
    await addressed(page, 'q', 'fen "rnbqkbnr/ppp1pppp/8/3p4/3P4/5N2/PPP1PPPP/RNBQKB1R b KQkq -"');
    assert.deepEqual(await answer(page), { games: 1, positions: 1 });
    assert.equal(await word(page, 'tab'), null);
  });
});

test('PGN, FEN, moves and anything else are pasted anywhere', async () => {
  await onSite({ context: CLIPBOARD }, async ({ page }) => {
    const said = (text) => page.locator('[data-test=pasted]', { hasText: text }).waitFor();
    // Without games, moves have nowhere to go.
    await paste(page, '1. e4 e5');
    await said('Import games first');
    await paste(page, THREE_GAMES);
    await page.locator('[data-test=report]', { hasText: '3 games imported' }).waitFor();
    assert.match(await page.textContent('[data-test=corpus]'), /Pasted games/);
    await answer(page);

    await paste(page, '1. e4 e5 {a remark} 2. Nf3 (2. f4) *');
    await said('3 moves on the board.');
    await page.locator('[data-move=b8c6]').waitFor();
    assert.match(await page.textContent('.line'), /Start\s*1\.\s*e4\s*e5\s*2\.\s*Nf3/);
    await paste(page, 'rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1');
    await said('The position is on the board.');
    await page.locator('[data-move=d7d5]').waitFor();
    const hash = await page.evaluate(() => location.hash);
    await paste(page, 'what a lovely knight on e4');
    await said('no PGN, no FEN and no list of moves');
    assert.equal(await page.evaluate(() => location.hash), hash);

    // In the query, a query is pasted as usual; a whole FEN is a position, unless it stands in quotes.
    await page.fill('#query', '');
    await paste(page, 'white knight on f3');
    assert.equal(await page.inputValue('#query'), 'white knight on f3');
    await page.fill('#query', 'fen "');
    await paste(page, '8/8/8/3k4/8/8/8/K6R w - - 0 1');
    assert.equal(await page.inputValue('#query'), 'fen "8/8/8/3k4/8/8/8/K6R w - - 0 1');
    await page.fill('#query', 'check');
    await paste(page, '8/8/8/3k4/8/8/8/K6R w - - 0 1');
    await addressed(page, 'position', '8/8/8/3k4/8/8/8/K6R_w_-_-');
    assert.equal(await page.inputValue('#query'), 'check');
    // On the page of transforms, a FEN is the position there.
    await page.click('[data-test=page-more]');
    await page.click('[data-test=page-transforms]');
    await page.locator('[data-test=images]').waitFor();
    await page.locator('h3').first().click();
    await paste(page, '8/8/8/8/3k4/8/8/K6R w - - 0 1');
    await page.waitForFunction(() => document.querySelector('#position')?.value.startsWith('8/8/8/8/3k4'));
  });
});

test('FEN, PGN and pictures of the board are copied and saved', async () => {
  await onSite({ context: CLIPBOARD }, async ({ page }) => {
    await three(page);
    const copied = async (test) => {
      await page.click('[data-test=copy]');
      await page.click(`[data-test=${test}]`);
      await page.locator('[data-test=copied]', { hasText: 'copied.' }).waitFor();
      await page.keyboard.press('Escape');
      return clipboard(page);
    };
    assert.equal((await copied('copy-fen')).split(' ')[0], 'r1bk1b1r/ppp2ppp/2p5/4Pn2/8/5N2/PPP2PPP/RNB2RK1');
    const pgn = await copied('copy-pgn');
    assert.ok(THREE_GAMES.includes(pgn.trim()));
    await drag(page, 'f1', 'd1');
    await saying(page, 'Sideline: 9. Rd1+');
    await press(page, 'd8', 'e8');
    await saying(page, 'Sideline: 9… Ke8');
    assert.match((await copied('copy-pgn')).replace(/\s+/g, ' '), /\[White "Anna"\].*\{ ?a remark that must come back ?\}.*8\. Qxd8\+ Kxd8 \( 8\.\.\. Kd7 \) 9\. h3 \( 9\. Rd1\+ Ke8 \) 1\/2-1\/2/);

    await drag(page, 'c1', 'g5', 'right');
    await page.locator('[data-test=board] .cg-shapes line').waitFor({ state: 'attached' });
    const saved = async (test) => {
      await page.click('[data-test=copy]');
      const [download] = await Promise.all([page.waitForEvent('download'), page.click(`[data-test=${test}]`)]);
      await page.keyboard.press('Escape');
      return readFile(await download.path());
    };
    const svg = (await saved('save-svg')).toString();
    assert.equal(svg.match(/<g transform="translate/g).length, 26);
    assert.match(svg, /fill="#d6a83c".*stroke="#15781B"/);
    assert.equal(await page.evaluate((svg) => new DOMParser().parseFromString(svg, 'image/svg+xml').querySelector('parsererror')?.textContent ?? '', svg), '');
    const png = await saved('save-png');
    assert.equal(png.toString('latin1', 1, 4), 'PNG');
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1080, 1080]);
    await page.click('[data-test=copy]');
    await page.click('[data-test=copy-picture]');
    await page.locator('[data-test=copied]', { hasText: 'Picture copied.' }).waitFor();
    assert.deepEqual(await page.evaluate(async () => (await navigator.clipboard.read()).flatMap(({ types }) => types)), ['image/png']);
    await page.keyboard.press('Escape');

    // The explorer's line has a PGN of its own.
    await page.click('#tab-explorer');
    await page.click('[data-test=explore-start]');
    await drag(page, 'd2', 'd4');
    await addressed(page, 'position', 'rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR_b_KQkq_-');
    assert.match(await copied('copy-pgn'), /\n1\. d4 \*/);
  });
});

test('a finger scrolls the page, and plays where a piece can move', async () => {
  await onSite({ context: { viewport: { width: 390, height: 700 }, isMobile: true, hasTouch: true } }, async ({ page }) => {
    await three(page);
    const cdp = await page.context().newCDPSession(page);
    /** A finger goes down by so many pixels, a part of the way in each frame. */
    const swipe = async (from, down) => {
      const [x, y] = await centre(page, from);
      const touch = (type, ...touchPoints) => cdp.send('Input.dispatchTouchEvent', { type, touchPoints });
      await touch('touchStart', { x, y });
      for (let part = 1; part <= 10; part++) {
        await touch('touchMove', { x, y: y + (down * part) / 10 });
        await page.evaluate(() => new Promise(requestAnimationFrame));
      }
      await touch('touchEnd');
    };
    // A page that a finger has thrown goes on scrolling, even from where a script has put it in between.
    const scrollEnd = () => page.evaluate(() => new Promise((done) => document.addEventListener('scrollend', () => done(scrollY), { once: true })));
    const toTop = async () => {
      const ended = scrollEnd();
      await page.evaluate(() => scrollTo(0, 0));
      assert.equal(await ended, 0);
    };
    // From an empty square and from a piece of the other side.
    for (const square of ['e4', 'b7']) {
      const ended = scrollEnd();
      await swipe(square, -150);
      assert.ok((await ended) > 50, `the page does not scroll from ${square}`);
      await toTop();
    }
    const step = (await centre(page, 'h4'))[1] - (await centre(page, 'h2'))[1];
    await swipe('h2', step);
    await saying(page, 'Sideline: 9. h4');
    assert.equal(await page.evaluate(() => scrollY), 0);
    for (const square of ['f8', 'c5']) await page.touchscreen.tap(...(await centre(page, square)));
    await saying(page, 'Sideline: 9… Bc5');
    await page.keyboard.press('Escape');
  });
});

test('a link to one’s own game shows the game to somebody who has not its games; a link to a position shows the board', async () => {
  await onSite({ context: { permissions: ['clipboard-read', 'clipboard-write'] } }, async ({ page, context, url }) => {
    const pgn = '[White "Anna"]\n[Black "Boris"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O 1-0\n';
    await give(page, { name: 'Pasted games.pgn', text: pgn });
    await page.click('#row-0');
    await page.getByRole('button', { name: 'End of the game' }).click();
    await page.locator('[data-test=ply]', { hasText: '7/7' }).waitFor();
    const words = await page.textContent('.board-panel [data-test=board-words]');
    await page.click('[data-test=copy]');
    await page.click('[data-test=copy-link]');
    await page.locator('[data-test=copied]', { hasText: 'Link copied.' }).waitFor();
    const link = await clipboard(page);
    assert.ok(link.length < 400, link);
    // Somebody else has another browser.
    const friend = await context.browser().newContext();
    const other = await friend.newPage();
    await other.goto(link);
    await other.locator('[data-test=ply]', { hasText: '7/7' }).waitFor({ timeout: 30_000 });
    assert.equal(await other.textContent('.board-panel [data-test=board-words]'), words);
    assert.match(await other.textContent('[data-test=corpus]'), /Anna - Boris/);
    assert.match(await other.textContent('[data-test=moves]'), /O-O/);
    assert.ok(!other.url().includes('moves='));
    // Once more, it is the same collection.
    await other.goto('about:blank');
    await other.goto(link);
    await other.locator('[data-test=ply]', { hasText: '7/7' }).waitFor({ timeout: 30_000 });
    assert.match(other.url(), /corpus=Anna\+-\+Boris&/);
    await other.goto('about:blank');
    await other.goto(`${url}#corpus=somebody&q=check&tab=explorer&position=rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR_w_KQkq_-`);
    await other.locator('[data-test=linked-board] piece').first().waitFor();
    assert.equal(await other.locator('[data-test=linked-board] piece').count(), 32);
    await friend.close();
  });
});
