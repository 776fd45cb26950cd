// The page of transforms: images, commands, comparison, the way to a search and back; also without games.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { violations } from './axe.mjs';
import { answer, ask, closeBrowser, give, onSite, ready, THREE_GAMES } from './site.mjs';

after(closeBrowser);

const BOARD = '8/2k5/3p4/4P3/8/1N6/2K5/8';
const FEN = `${BOARD} w - - 0 1`;
const address = (page, name) => page.evaluate((name) => new URLSearchParams(location.hash.slice(1)).get(name), name);
/** Waits until the page of transforms shows the results for its fields. */
const turned = (page) => page.locator('[data-test=transforms][aria-busy=false]').waitFor();
const addressed = (page, name, value) => page.waitForFunction(([name, value]) => new URLSearchParams(location.hash.slice(1)).get(name) === value, [name, value]);
const position = (page, fen) => page.waitForFunction((fen) => document.querySelector('#position')?.value === fen, fen);
const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute('data-image') ?? document.activeElement?.id ?? '');
const told = (page, label) => page.locator(`[data-test=twin-${label}] .told`).allTextContents();

async function open(page, fen = FEN) {
  // On a phone, the pages are in a menu.
  if (await page.locator('[data-test=menu]').isVisible()) await page.click('[data-test=menu]');
  await page.click('[data-test=page-more]');
    await page.click('[data-test=page-transforms]');
  await page.fill('#position', fen);
  await addressed(page, 'board', FEN.replaceAll(' ', '_'));
  await turned(page);
}

test('a position and its images, without any games', async () => {
  await onSite({ context: { permissions: ['clipboard-read', 'clipboard-write'] } }, async ({ page }) => {
    await page.click('[data-test=page-more]');
    await page.click('[data-test=page-transforms]');
    await position(page, 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1');
    await page.fill('#position', BOARD);
    await addressed(page, 'board', FEN.replaceAll(' ', '_'));
    await turned(page);
    const names = await page.locator('[data-image]').evaluateAll((all) => all.map((one) => one.getAttribute('data-image')));
    assert.deepEqual(names, ['identity', 'flipH', 'flipV', 'flipD', 'flipAD', 'rot90', 'rot180', 'rot270', 'flipcolor', 'polish']);
    assert.match(await page.getAttribute('[data-image=flipH]', 'aria-label'), /^flipH\. White: king f2, knight g3, pawn d5\. Black: king f7, pawn e6\. White to move\.$/);

    await page.getByRole('button', { name: 'Copy the EPD of rot90' }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '8/8/8/3P4/2p5/1k4K1/5N2/8 w - - c0 "rot90"; id "6";');
    await page.getByRole('button', { name: 'Copy the FEN of flipcolor' }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '8/2k5/1n6/8/4p3/3P4/2K5/8 b - - 0 1');
    await page.getByRole('button', { name: 'Copy all' }).click();
    assert.equal((await page.evaluate(() => navigator.clipboard.readText())).split('\n').length, 10);

    await page.click('[data-image=rot90]');
    await position(page, '8/8/8/3P4/2p5/1k4K1/5N2/8 w - - 0 1');
    assert.equal(await page.textContent('[data-test=turned-said]'), 'The position is now rot90 of the one before.');
    await turned(page);
    await page.click('[data-image=rot270]');
    await position(page, FEN);
    await page.goBack();
    await position(page, '8/8/8/3P4/2p5/1k4K1/5N2/8 w - - 0 1');
    await page.goBack();
    await position(page, FEN);

    await page.fill('#position', '7k/8/8/8/8/8/8/K7');
    await page.locator('[data-image=flipD]', { hasText: 'same as identity' }).waitFor();
    await page.locator('[data-image=rot180]', { hasText: 'same as flipAD' }).waitFor();
    assert.equal(await page.locator('[data-image=flipAD]', { hasText: 'same as' }).count(), 0);

    // An error is shown with its place, and the last board stays.
    await page.fill('#position', '8/2k5/3x4/8/8/8/8/8');
    await page.locator('[data-test=position-fault]').waitFor();
    assert.equal(await page.textContent('[data-test=position-fault] mark'), 'x');
    await page.getByRole('button', { name: 'Start position' }).click();
    await page.locator('[data-test=position-fault]').waitFor({ state: 'detached' });
  });
});

test('a sequence: built, mistaken, mended, taken', async () => {
  await onSite({}, async ({ page }) => {
    await open(page);
    await page.getByRole('button', { name: 'Append rot90' }).click();
    await page.getByRole('button', { name: 'Append swap_colours' }).click();
    await page.selectOption('select[aria-label="Files to the right"]', '-2');
    await page.getByRole('button', { name: 'Append a shift by -2 files and 0 ranks' }).click();
    await addressed(page, 'twins', 'rot90 swap_colours shift:-2,0');
    await turned(page);
    assert.deepEqual(await told(page, 'b'), ['rotate 90', 'PolishType', 'shift:-2,0']);
    // Only twins have letters.
    assert.equal(await page.locator('[data-test=twins] .label').count(), 0);
    await page.getByRole('button', { name: 'refuse', exact: true }).click();
    await page.locator('[data-test=sequence-fault]', { hasText: 'leaves the board' }).waitFor();
    assert.equal(await page.textContent('[data-test=sequence-fault] mark'), 'shift:-2,0');
    assert.deepEqual(await told(page, 'b'), ['rotate 90', 'PolishType'], 'what could be done stays');
    assert.equal(await address(page, 'leaving'), 'refused');
    await page.getByRole('button', { name: 'drop', exact: true }).click();
    await page.locator('[data-test=sequence-fault]').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove PolishType' }).click();
    await addressed(page, 'twins', 'rot90 shift:-2,0');
    await turned(page);
    await page.getByRole('button', { name: 'Use the last board as the position' }).click();
    await position(page, '8/8/8/1P6/p7/4K3/3N4/8 w - - 0 1');

    await page.fill('#position', FEN);
    await page.fill('#sequence', 'Twin Move b3 b4 Twin cont Rotate 90 Twin frobnicate');
    await page.locator('[data-test=sequence-fault] mark', { hasText: 'frobnicate' }).waitFor();
    await page.fill('#sequence', 'Twin Move b3 b4 Twin cont Rotate 90 Twin Add white Qh8');
    await page.locator('[data-test=twin-d]').waitFor();
    await turned(page);
    assert.deepEqual((await page.locator('[data-test=twins] .label').allTextContents()).map((text) => text.trim()), ['a) the diagram', 'b) wSb3-->b4', 'c) rotate 90', 'd) +wQh8']);
    await page.fill('#sequence', 'Twin Move a8 b4');
    await page.locator('[data-test=sequence-fault]', { hasText: 'there is no piece on a8' }).waitFor();

    // A position with commands below it, pasted together.
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData('text/plain', text);
      document.querySelector('#position').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }, '8/8/8/8/8/8/8/K6k b - - 3 9\nTwin flipV');
    await position(page, '8/8/8/8/8/8/8/K6k b - - 3 9');
    await addressed(page, 'twins', 'Twin flipV');
  });
});

test('two positions compared', async () => {
  await onSite({}, async ({ page }) => {
    await open(page);
    const names = async () => (await page.locator('[data-test=between] li').allTextContents()).map((text) => text.trim());
    await page.fill('#other', '8/8/8/3P4/2p5/1k4K1/5N2/8');
    await turned(page);
    assert.deepEqual(await names(), ['rot90']);
    // The second shift takes the knight off the board, so it has no way back.
    await page.fill('#other', '2k5/3p4/4P3/8/1N6/2K5/8/8');
    await page.locator('[data-test=between] li', { hasText: 'shift:0,1' }).waitFor();
    await page.fill('#other', 'k7/1p6/2P5/8/8/K7/8/8');
    await page.locator('[data-test=between] li', { hasText: 'shift:-2,1' }).waitFor();
    await page.click('[data-test=swap]');
    await page.getByText('Nothing. No flip').waitFor();
    assert.ok(await address(page, 'original'));
    await page.fill('#other', '8/8');
    await page.locator('[data-test=other-fault]').waitFor();
  });
});

test('from a game to its images, to the search, and back', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    await ask(page, 'white knight on e5');
    await page.waitForFunction(() => document.querySelector('[data-test=ply]')?.textContent === '5/6');
    const fen = await page.evaluate(() => document.querySelector('[data-test=board-words]').textContent);
    await page.click('[data-test=search-position]');
    await page.click('[data-test=transform-this]');
    await page.locator('[data-test=images]').waitFor();
    await turned(page);
    assert.equal(await page.textContent('[data-test=board-words]'), fen);
    await page.getByRole('button', { name: 'pawns', exact: true }).click();
    assert.equal(await page.textContent('[data-test=under-query]'), 'structure "8/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/8" under mirror, colour flip');
    await page.locator('[data-test=under-images]', { hasText: '2 positions' }).waitFor();
    await page.click('[data-test=under-search]');
    await addressed(page, 'q', 'structure "8/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/8" under mirror, colour flip');
    // The mirror image has the pawns of 1. e4 e5, in another game.
    assert.deepEqual(await answer(page), { games: 2, positions: 10 });
    assert.equal(await address(page, 'page'), null);
    await page.waitForFunction(() => document.querySelector('[data-test=as]')?.textContent === 'matches as flipH');
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.querySelector('[data-test=as]')?.textContent.trim() === '');
    await page.goBack();
    await page.locator('[data-test=images]').waitFor();
    assert.equal(await address(page, 'page'), 'transforms');
    await page.goBack();
    await addressed(page, 'q', 'white knight on e5');
    await page.locator('#query').waitFor();

    // The position matches only as an image; and the address alone brings everything back.
    await ask(page, 'board "????????/????????/????????/???p????/??p?????/????????/????????/????????" under rot180, polish');
    await page.click('[data-test=page-more]');
    await page.click('[data-test=page-transforms]');
    await page.reload();
    await page.locator('[data-test=images]').waitFor();
    await page.click('[data-test=page-search]');
    await page.waitForFunction(() => document.querySelector('#query')?.value.endsWith('under rot180, polish'));
    await answer(page);
    await ask(page, 'board "????????/????????/????????/????????/????p???/????????/????????/????????" under polish');
    await page.waitForFunction(() => document.querySelector('[data-test=as]')?.textContent === 'matches as swap_colours');
  });
});

test('without games the question waits for them', async () => {
  await onSite({ path: `#page=transforms&board=${FEN.replaceAll(' ', '_')}`, open: false }, async ({ page, url }) => {
    await page.goto(`${url}#page=transforms&board=${FEN.replaceAll(' ', '_')}&twins=flipH`);
    await page.locator('[data-test=twin-b]').waitFor();
    await page.click('[data-test=under-search]');
    await ready(page);
    await page.locator('[data-test=waiting]', { hasText: `fen "${BOARD}" under mirror, colour flip` }).waitFor();
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await addressed(page, 'q', `fen "${BOARD}" under mirror, colour flip`);
    assert.deepEqual(await answer(page), { games: 0, positions: 0 });
  });
});

test('the images by keys', async () => {
  await onSite({}, async ({ page }) => {
    await open(page);
    await page.focus('[data-image=identity]');
    for (const [key, name] of [['ArrowRight', 'flipH'], ['ArrowDown', 'rot180'], ['End', 'polish'], ['ArrowRight', 'polish'], ['ArrowUp', 'flipAD'], ['ArrowLeft', 'flipD']]) {
      await page.keyboard.press(key);
      assert.equal(await focused(page), name, key);
    }
    assert.equal(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'solid', 'focus is visible');
    await page.keyboard.press('Enter');
    await position(page, '8/8/8/4P3/5p2/1K4k1/2N5/8 w - - 0 1');
    assert.equal(await focused(page), 'flipD', 'the focus stays');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Copy the FEN of flipD');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Home');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Help' }).waitFor();
  });
});

for (const colorScheme of ['light', 'dark']) {
  for (const [size, viewport] of Object.entries({ wide: { width: 1280, height: 860 }, narrow: { width: 360, height: 740 } })) {
    test(`no axe violation: ${colorScheme}, ${size}`, async () => {
      await onSite({ context: { colorScheme, viewport, reducedMotion: 'reduce' } }, async ({ page }) => {
        const clean = async (state) => {
          assert.deepEqual(await violations(page), [], state);
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
          assert.equal(overflow, 0, `${state}: nothing sticks out sideways`);
        };
        await open(page);
        await page.fill('#sequence', 'Twin Move b3 b4 Twin cont Rotate 90 Twin Add white Qh8 black Pa2b2c3d4e5f6g7');
        await page.locator('[data-test=twin-d]').waitFor();
        await page.fill('#other', '8/8/8/3P4/2p5/1k4K1/5N2/8');
        await page.locator('[data-test=between]').waitFor();
        await clean('all of it');
        await page.fill('#position', `${BOARD}/8`);
        await page.locator('[data-test=position-fault]').waitFor();
        await clean('no position');
        await page.fill('#position', FEN);
        await page.fill('#sequence', 'Twin Move b3');
        await page.fill('#other', '8/8');
        await page.locator('[data-test=sequence-fault]').waitFor();
        await clean('mistakes');
        if (size === 'narrow') await page.click('[data-test=menu]');
        await page.click('[data-test=page-search]');
        await give(page, { name: 'three.pgn', text: THREE_GAMES });
        await answer(page);
        await ask(page, 'board "????????/????????/????????/????????/????p???/????????/????????/????????" under polish, mirror');
        await page.waitForFunction(() => document.querySelector('[data-test=as]')?.textContent.startsWith('matches as'));
        await clean('a match as an image');
      });
    });
  }
}
