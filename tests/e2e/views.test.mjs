// The views of a result: the explorer by ratings and years with its best games, positions by their moves, names of openings,
// shades of the heatmap, and notes that come and go.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, ask, closeBrowser, give, onSite, ready, THREE_GAMES } from './site.mjs';

after(closeBrowser);

const number = (text) => Number(text.replace(/\D/g, ''));
const AFTER_E4 = 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -';
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** Waits until the address has a word and the explorer is at rest, then returns the number of its games. */
async function explored(page, name, value) {
  await page.waitForFunction(
    ([name, value]) => new URLSearchParams(location.hash.slice(1)).get(name) === value && document.querySelector('[data-test=explorer]')?.ariaBusy === 'false',
    [name, value],
  );
  return number(await page.textContent('[data-test=explorer-games]'));
}

async function goBackToExplorer(page) {
  await page.goBack();
  await page.locator('[data-test=explorer][aria-busy=false]').waitFor();
}

/** Opens the menu of the games that count, and closes it after what is done there. */
async function filtering(page, act) {
  await page.click('[data-test=explorer-filter]');
  await act();
  await page.keyboard.press('Escape');
}

/** Chooses a band of ratings, or takes it away. */
const band = (page, name) => filtering(page, () => page.click(`[data-test="rating-${name}"]`));

async function date(page, end, text) {
  await page.fill(`[data-test=date-${end}]`, text);
  await page.press(`[data-test=date-${end}]`, 'Tab');
}

/** Five games that begin with 1. e4; ratings and dates rise in opposite orders. */
const RATED = [2100, 2200, 2300, 2400, 2500]
  .map((elo, nth) => `[Event "Rated"]\n[Date "${2020 - nth}.01.01"]\n[White "White ${elo}"]\n[Black "Black ${elo}"]\n[Result "1-0"]\n[WhiteElo "${elo}"]\n[BlackElo "${elo}"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n`)
  .join('\n');

test('explorer by ratings and years: the numbers are those of typed queries', async () => {
  await onSite({}, async ({ page }) => {
    await page.click('[data-test=demo]');
    await ask(page, 'queens_off');
    await page.click('#tab-explorer');
    await page.click('[data-test=explore-start]');
    await page.locator('[data-move=e2e4] .san').click();
    const all = await explored(page, 'position', AFTER_E4.replaceAll(' ', '_'));
    await band(page, '2200-2399');
    const rated = await explored(page, 'rating', '2200-2399');
    await filtering(page, async () => {
      await date(page, 'from', '2018');
      await explored(page, 'years', '2018-');
      await date(page, 'to', '2020');
    });
    const both = await explored(page, 'years', '2018-2020');
    assert.ok(all > rated && rated > both && both > 0, `${all} ${rated} ${both}`);
    // The address brings the filter back.
    await page.reload();
    assert.equal(await explored(page, 'years', '2018-2020'), both);
    assert.equal(await page.textContent('[data-test=explorer-chosen]'), '2200–2399, 2018–2020');
    // A move leads to as many games as it says.
    const games = number(await page.textContent('[data-move=c7c5] .games button'));
    await page.click('[data-move=c7c5] .games button');
    await page.waitForFunction(() => /average elo 2200\.\.2399 and year 2018\.\.2020$/.test(document.querySelector('#query').value));
    assert.equal((await answer(page)).games, games);
    await goBackToExplorer(page);
    // Among the matching games, the filter joins the query.
    await page.check('[data-test=among]');
    const among = await explored(page, 'among', '1');
    await page.click('#tab-games');
    const filter = 'average elo 2200..2399 and year 2018..2020';
    assert.equal((await ask(page, `fen "${AFTER_E4}" and average elo 2200..2399`)).games, rated);
    assert.equal((await ask(page, `fen "${AFTER_E4}" and ${filter}`)).games, both);
    assert.equal((await ask(page, `queens_off and fen "${AFTER_E4}" and ${filter}`)).games, among);
  });
});

test('a filter also holds for the moves of the matching positions, and can be taken away', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'rated.pgn', text: RATED });
    await ask(page, 'white pawn on e4 and move <= 1');
    await page.click('#tab-explorer');
    await page.locator('[data-move=e7e5]').waitFor();
    assert.equal(number(await page.textContent('[data-move=e7e5] .games button')), 5);
    await page.click('[data-test=explorer-filter]');
    // Only bands that have games are offered.
    await page.locator('[data-test^=rating-]').first().waitFor();
    assert.deepEqual(await page.locator('[data-test^=rating-]').allTextContents(), ['2000–2199', '2200–2399', '2400–2599']);
    await page.click('[data-test="rating-2400-2599"]');
    await page.keyboard.press('Escape');
    await explored(page, 'rating', '2400-2599');
    assert.equal(number(await page.textContent('[data-move=e7e5] .games button')), 2);
    await page.click('[data-move=e7e5] .games button');
    await page.locator('[data-test=chips]').getByText('continued with e5').waitFor();
    assert.equal((await answer(page)).games, 2);
    await goBackToExplorer(page);
    await page.click('[data-test=all-games]');
    await page.waitForFunction(() => !location.hash.includes('rating='));
    await page.waitForFunction(() => document.querySelector('[data-move=e7e5] .games button')?.textContent === '5');
    // Games without ratings and dates can only be filtered by a player.
    await give(page, { name: 'bare.pgn', text: '[Result "1-0"]\n\n1. e4 e5 1-0\n' });
    await page.waitForFunction(() => location.hash.includes('corpus=bare'));
    await answer(page);
    await page.click('[data-test=explore-start]');
    await page.locator('[data-move=e2e4]').waitFor();
    await page.click('[data-test=explorer-filter]');
    await page.locator('#explorer-player').waitFor();
    assert.equal(await page.locator('[data-test^=rating-], [data-test=date-from]').count(), 0);
  });
});

test('several bands, time classes, months and a player with a side, together and in a link', async () => {
  await onSite({}, async ({ page }) => {
    const timed = RATED.split('\n[Event').map((text, nth) => text.replace('"1-0"]', `"1-0"]\n[TimeControl "${['60+0', '180+2', '180+2', '600+5', '5400+30'][nth]}"]`)).join('\n[Event');
    await give(page, { name: 'timed.pgn', text: timed });
    await answer(page);
    await page.click('#tab-explorer');
    await page.click('[data-test=explore-start]');
    await page.locator('[data-move=e2e4]').waitFor();
    await page.click('[data-test=explorer-filter]');
    await page.click('[data-test="rating-2000-2199"]');
    assert.equal(await explored(page, 'rating', '2000-2199'), 1);
    await page.click('[data-test="rating-2200-2399"]');
    assert.equal(await explored(page, 'rating', '2000-2199,2200-2399'), 3);
    await page.click('[data-test=time-blitz]');
    assert.equal(await explored(page, 'time', 'blitz'), 2);
    await date(page, 'from', '5/2018');
    assert.equal(await explored(page, 'years', '2018.05-'), 1);
    await date(page, 'from', '');
    await page.waitForFunction(() => !location.hash.includes('years='));
    await page.fill('#explorer-player', 'White 2300');
    // A name that is known is taken as it is; before that, it is a beginning.
    await page.locator('[data-test=explorer-player-names] [role=option]').waitFor();
    await page.press('#explorer-player', 'Enter');
    assert.equal(await explored(page, 'player', 'White 2300'), 1);
    await page.selectOption('[data-test=explorer-colour]', 'white');
    assert.equal(await explored(page, 'colour', 'white'), 1);
    await page.keyboard.press('Escape');
    assert.equal(await page.textContent('[data-test=explorer-chosen]'), '2000–2399, blitz, White 2300 as White');
    await page.reload();
    assert.equal(await explored(page, 'colour', 'white'), 1);
    await page.click('[data-test=all-games]');
    await page.waitForFunction(() => !/rating=|time=|player=|colour=/.test(location.hash));
    await page.waitForFunction(() => /^5\b/.test(document.querySelector('[data-test=explorer-games]')?.textContent.trim() ?? ''));
  });
});

test('the best rated and the newest games of a position open there', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'rated.pgn', text: RATED });
    await answer(page);
    await page.click('#tab-explorer');
    await page.click('[data-test=explore-start]');
    await page.locator('[data-move=e2e4] .san').click();
    await explored(page, 'position', AFTER_E4.replaceAll(' ', '_'));
    const listed = (which) => page.locator(`[data-test=${which}] li`).allInnerTexts();
    await page.locator('[data-test=newest-games]').waitFor();
    assert.deepEqual((await listed('best-games')).map((text) => /White (\d+)/.exec(text)[1]), ['2500', '2400', '2300']);
    assert.deepEqual((await listed('newest-games')).map((text) => /(\d{4})$/.exec(text.trim())[1]), ['2020', '2019', '2018']);
    await band(page, '2200-2399');
    await explored(page, 'rating', '2200-2399');
    await page.waitForFunction(() => document.querySelectorAll('[data-test=best-games] li').length === 2);
    await page.locator('[data-test=best-games] button').first().click();
    await page.waitForFunction(() => location.hash.includes('game=3') && location.hash.includes('ply=1'));
    await page.waitForFunction(() => document.querySelector('[data-test=ply]')?.textContent.startsWith('1/'));
    assert.match(await page.textContent('[data-test=board-words]'), /e4.*Black to move/);
    await page.goBack();
    assert.equal(await explored(page, 'rating', '2200-2399'), 2);
  });
});

test('a move under the mouse or the focus is an arrow on the board', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'rated.pgn', text: RATED });
    await answer(page);
    await page.click('#tab-explorer');
    await page.click('[data-test=explore-start]');
    await page.locator('[data-move=e2e4]').hover();
    const arrow = page.locator('.cg-shapes line');
    await arrow.waitFor({ state: 'attached' });
    await page.mouse.move(2, 2);
    await arrow.waitFor({ state: 'detached' });
    await page.locator('[data-move=e2e4] .san').focus();
    await page.keyboard.press('Tab');
    await arrow.waitFor({ state: 'attached' });
  });
});

test('one position of each game, named by its move; all on request', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    const { positions } = await ask(page, 'white knight on f3');
    await page.click('#tab-positions');
    const boards = page.locator('[data-test=positions-list] li');
    await boards.first().waitFor();
    assert.equal(await boards.count(), 2);
    assert.match(await page.textContent('[data-test=positions-note]'), /first position of each game, 2 games/);
    const captions = await page.locator('[data-test=caption]').allTextContents();
    for (const caption of captions) assert.match(caption, /^(2\. Nf3|after 2\.)$/);
    await page.check('[data-test=every-position]');
    await page.waitForFunction((count) => document.querySelectorAll('[data-test=positions-list] li').length === count, positions);
    assert.match(page.url(), /every=1/);
    assert.match(await page.textContent('[data-test=positions-note]'), new RegExp(`All ${positions} positions`));
    await page.reload();
    await page.waitForFunction((count) => document.querySelectorAll('[data-test=positions-list] li').length === count, positions);
    await page.goBack();
    await page.waitForFunction(() => document.querySelectorAll('[data-test=positions-list] li').length === 2);
    await boards.nth(1).click();
    await page.waitForFunction(() => document.querySelector('[data-test=ply]')?.textContent === '3/6');
  });
});

test('counts by opening have names, and numbers in bars are never cut', async () => {
  for (const context of [{}, PHONE]) {
    await onSite({ context }, async ({ page }) => {
      await page.click('[data-test=demo]');
      await ask(page, 'queens_off');
      await page.click('#tab-counts');
      await page.selectOption('[data-test=count-by]', 'eco');
      await page.locator('[data-test=counts] .opening').first().waitFor();
      const names = await page.locator('[data-test=counts] tbody tr').allTextContents();
      assert.ok(names.some((text) => /B20.*Sicilian Defense/s.test(text)), names.slice(0, 20).join('\n'));
      assert.match(await page.getByRole('button', { name: /^ECO code B20/ }).getAttribute('aria-label'), /^ECO code B20, Sicilian Defense: [\d,]+ positions?, [\d,]+ games?$/);
      const { shown, cut } = await page.locator('[data-test=counts] .part').evaluateAll((parts) => {
        const texts = parts.map((part) => [part, part.querySelector('.number')]).filter(([, text]) => text.getClientRects().length > 0);
        return { shown: texts.length, cut: texts.filter(([part, text]) => text.getBoundingClientRect().width > part.getBoundingClientRect().width).map(([, text]) => text.textContent) };
      });
      assert.ok(shown > 100);
      assert.deepEqual(cut, []);
    });
  }
});

test('charts have axes: units, round numbers, years in their order', async () => {
  for (const context of [{}, PHONE]) {
    await onSite({ context }, async ({ page }) => {
      await page.click('[data-test=demo]');
      await ask(page, 'queens_off');
      await page.click('#tab-counts');
      await page.selectOption('[data-test=count-by]', 'year');
      await page.locator('[data-test=counts] .legend strong', { hasText: 'year' }).waitFor();
      assert.equal(await page.textContent('[data-test=counts] .unit'), 'positions');
      const years = (await page.locator('.axis span').allTextContents()).filter((text) => text !== '?').map(Number);
      assert.ok(years.length > 1 && years.every((year, nth) => nth === 0 || year > years[nth - 1]), years.join());
      const bars = await page.locator('[data-bar]').evaluateAll((bars) => bars.map((bar) => Number(/: ([\d,]+) position/.exec(bar.ariaLabel)[1].replaceAll(',', ''))));
      const top = number(await page.locator('.numbers span').nth(-2).textContent());
      assert.ok(top >= Math.max(...bars) && top <= 2 * Math.max(...bars), `${top} ${bars.join()}`);
      // No two numbers below the bars touch, and none leaves the chart.
      const places = await page.locator('.axis span').evaluateAll((marks) => marks.map((mark) => mark.getBoundingClientRect()).map(({ left, right }) => [left, right]));
      assert.ok(places.every(([left], nth) => nth === 0 || left > places[nth - 1][1]), JSON.stringify(places));
      assert.ok(places.at(-1)[1] <= (await page.locator('#results').evaluate((panel) => panel.getBoundingClientRect().right)));
    });
  }
});

for (const colorScheme of ['light', 'dark']) {
  test(`heatmap, ${colorScheme}: the legend has the numbers of each shade, and all numbers can be read`, async () => {
    await onSite({ context: { colorScheme } }, async ({ page }) => {
      await page.click('[data-test=demo]');
      await ask(page, 'move >= 15');
      await page.click('#tab-heatmap');
      await page.locator('[data-test=heatmap]').waitFor();
      await page.getByRole('button', { name: 'white king', exact: true }).click();
      await page.uncheck('[data-test=heat-on-board]');
      for (const shades of ['rank', 'number']) {
        await page.selectOption('[data-test=heat-shades]', shades);
        const legend = await page.locator('[data-test=heat-legend] li').evaluateAll((items) => items.map((item) => [getComputedStyle(item.querySelector('.shade')).backgroundColor, item.textContent.trim()]));
        assert.equal(legend.length, 7);
        const squares = await page.locator('.map [data-square]').evaluateAll((squares) => {
          const channels = (colour) => {
            const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
            return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)];
          };
          const light = (colour) =>
            channels(colour)
              .map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4))
              .reduce((sum, part, nth) => sum + part * [0.2126, 0.7152, 0.0722][nth], 0);
          return squares.map((square) => {
            const fill = getComputedStyle(square.querySelector('.square')).fill;
            const [dark, bright] = [light(fill), light(getComputedStyle(square.querySelector('text')).fill)].sort((one, two) => one - two);
            return { value: Number(/: ([\d,]+) position/.exec(square.ariaLabel)[1].replaceAll(',', '')), contrast: (bright + 0.05) / (dark + 0.05), fill };
          });
        });
        const low = squares.filter(({ value, contrast }) => value > 0 && contrast < 4.5);
        assert.deepEqual(low, [], shades);
        // The square with most positions has the last shade of the legend.
        const top = squares.reduce((one, two) => (two.value > one.value ? two : one));
        assert.equal(legend.at(-1)[0], top.fill, shades);
        assert.ok(new Set(legend.map(([colour]) => colour)).size === 7);
      }
      assert.match(await page.textContent('.legend'), /positions/);
    });
  });
}

test('the report of an import goes by itself, unless the user is at it, and stays with the corpus', async () => {
  await onSite({ open: false }, async ({ page, url }) => {
    await page.clock.install();
    await page.goto(url);
    await ready(page);
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    const report = page.locator('[data-test=report]');
    await report.hover();
    await page.clock.fastForward(60_000);
    assert.ok(await report.isVisible());
    await page.mouse.move(2, 2);
    await page.clock.fastForward(9000);
    await report.waitFor({ state: 'detached' });
    await page.click('[data-test=corpus]');
    await page.click('[aria-label="Account of the import of three"]');
    assert.match(await page.textContent('[data-test=account]'), /3 games imported/);
    await page.keyboard.press('Escape');
    // A report of games that could not be read to their ends stays.
    await give(page, { name: 'bad.pgn', text: `${THREE_GAMES}\n[Result "*"]\n\n1. e4 Ke4 *\n` });
    await report.waitFor();
    await page.mouse.move(2, 2);
    await page.clock.fastForward(60_000);
    assert.match(await report.textContent(), /1 game could be read only in part/);
    // The account stays with the corpus.
    await page.reload();
    await ready(page);
    await page.click('[data-test=corpus]');
    await page.click('[aria-label="Account of the import of bad"]');
    const account = page.locator('[data-test=account]');
    assert.match(await account.textContent(), /1 game could be read only in part/);
    await account.getByText('Which ones, and why').click();
    await account.getByText(/bad\.pgn, game 4, byte/).waitFor();
  });
});

test('what a query means stands beside its numbers', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await ask(page, 'queens_off and white two_bishops');
    const notes = page.locator('[data-test=query-notes]');
    await notes.getByText('Each condition may hold at a position of its own.').waitFor();
    await page.click('[data-test=together]');
    await page.waitForFunction(() => document.querySelector('#query').value === '{ queens_off and white two_bishops }');
    await answer(page);
    await notes.waitFor({ state: 'detached' });
    // The number of games with all of it at one position stands beside that of the result.
    await ask(page, 'white bishop on b5 and black king on d8');
    await notes.getByRole('button', { name: 'All at one position: 0 games' }).waitFor();
    await ask(page, 'white bishop on b5 and white knight on f3');
    await notes.getByRole('button', { name: 'All at one position: 1 game' }).waitFor();
    // Positions are where the windows were fulfilled: castling, and the two plies of the king on d8.
    await ask(page, 'became white castled then black king on d8');
    await notes.getByText('Positions count where the conditions were fulfilled, in games that match.').waitFor();
    assert.deepEqual(await answer(page), { games: 1, positions: 3 });
    // A game opens where they were.
    await page.click('#row-0');
    await page.waitForFunction(() => location.hash.includes('ply=7'));
    await page.click('[data-test=everywhere]');
    await notes.getByText('Every position counts where the conditions hold, also in games that do not match.').waitFor();
    assert.deepEqual(await answer(page), { games: 1, positions: 11 });
    assert.match(new URL(page.url()).hash, /everywhere=1/);
    await page.click('[data-test=everywhere]');
    await notes.getByText('Positions count where the conditions were fulfilled, in games that match.').waitFor();
    await ask(page, 'queens_off and result 1/2-1/2');
    await notes.waitFor({ state: 'detached' });
    // What the engine notes.
    await ask(page, 'check before 6');
    await notes.getByText('write before move 3 for moves').waitFor();
  });
});

test('rounds, time controls and annotators stand in a wide list and beside the board', async () => {
  const game = (white, tags) => `[Event "Cup"]\n[White "${white}"]\n[Black "Black"]\n[Result "1-0"]\n${tags}\n\n1. e4 e5 1-0\n`;
  const text = [game('A', '[Round "10"]\n[TimeControl "300+3"]'), game('B', '[Round "9"]'), game('C', '[Round "?"]')].join('\n');
  await onSite({ context: { viewport: { width: 2600, height: 900 } } }, async ({ page }) => {
    await give(page, { name: 'rounds.pgn', text });
    await ask(page, 'plies >= 1');
    const table = page.locator('[data-test=games-table]');
    // No game has an annotator.
    await table.getByRole('columnheader', { name: 'Round' }).waitFor();
    assert.deepEqual(await table.getByRole('columnheader').allTextContents().then((names) => names.slice(-3).map((name) => name.trim())), ['Moves', 'Round', 'Time']);
    const whites = () => table.locator('.all .row > div:nth-child(2)').evaluateAll((cells) => cells.map((cell) => cell.firstChild.textContent.trim()).join(''));
    assert.equal(await whites(), 'ABC');
    await table.getByRole('columnheader', { name: 'Round' }).getByRole('button').click();
    await page.waitForFunction(() => document.querySelector('[data-test=games-table] .all .row > div:nth-child(2)')?.firstChild.textContent.trim() === 'C');
    assert.equal(await whites(), 'CBA');
    await table.locator('.all .row').nth(2).click();
    await page.locator('.about', { hasText: 'Cup · Round 10 · C20 · 300+3' }).waitFor();
    // A narrower list has no room for them.
    await page.setViewportSize({ width: 1280, height: 900 });
    await table.getByRole('columnheader', { name: 'Round' }).waitFor({ state: 'hidden' });
  });
});
