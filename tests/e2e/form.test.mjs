// Finding games without the language: all games without a query, the form and its chips, and the completion of names.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { violations } from './axe.mjs';
import { answer, ask, closeBrowser, give, onSite, ready, row } from './site.mjs';

after(closeBrowser);

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const YEAR = new Date().getFullYear();
const ROOK_ENDGAME = '8/8/4k3/8/8/4K3/P7/R6r w - - 0 1';

function pgn({ white, black, result, date, moves, fen = '', elo = [2000, 1900], event = 'Club Cup', eco = 'B90', time = '300+3' }) {
  const tags = { Event: event, Site: '?', Date: date, White: white, Black: black, Result: result, WhiteElo: elo[0], BlackElo: elo[1], ECO: eco, TimeControl: time, ...(fen && { SetUp: 1, FEN: fen }) };
  return `${Object.entries(tags).map(([name, value]) => `[${name} "${value}"]`).join('\n')}\n\n${moves} ${result}\n\n`;
}

const SHORT = '1. e4 c5 2. Nf3 d6';
/** Games of Max, whose numbers can be counted by hand: 6 games, 2 + 2 + 2 + 2 + 4 + 4 positions. */
const GAMES = [
  { white: 'Muster, Max', black: 'Berg, Anna', result: '0-1', date: `${YEAR}.01.01`, moves: '1. a3 Kd6', fen: ROOK_ENDGAME },
  { white: 'Cruz, Carl', black: 'Muster, Max', result: '1-0', date: `${YEAR - 1}.06.01`, moves: '1. a4 Ke5', fen: ROOK_ENDGAME, time: '60+0' },
  { white: 'Muster, Max', black: 'Cruz, Carl', result: '0-1', date: '2015.03.01', moves: '1. a3 Kd5', fen: ROOK_ENDGAME },
  { white: 'Muster, Max', black: 'Berg, Anna', result: '1-0', date: `${YEAR}.01.02`, moves: '1. Kd4 Kd6', fen: ROOK_ENDGAME, event: 'Town Open' },
  { white: 'Muster, Max', black: 'Berg, Anna', result: '0-1', date: `${YEAR}.01.03`, moves: SHORT, elo: [2000, 2450] },
  { white: 'Dahl, Dora', black: 'Cruz, Carl', result: '1/2-1/2', date: '1999.??.??', moves: '1. d4 d5 2. c4 e6', elo: [2500, 2600], eco: 'D30', time: '5400+30' },
].map(pgn).join('');

async function games(page) {
  await give(page, { name: 'max.pgn', text: GAMES });
  return answer(page);
}

const query = (page, text) => page.waitForFunction((text) => (new URLSearchParams(location.hash.slice(1)).get('q') ?? '') === text, text);
const form = (page) => page.getByRole('dialog', { name: 'Find games' });

async function openForm(page) {
  await page.click('[data-test=form-open]');
  await form(page).waitFor();
  return form(page);
}

/** Fills in a field and leaves it, then waits for the query and its number of games. */
async function fill(page, label, value, text, count) {
  await form(page).getByLabel(label, { exact: true }).fill(value);
  await page.keyboard.press('Tab');
  await query(page, text);
  assert.equal((await answer(page)).games, count, text);
}

async function choose(page, label, value, text, count) {
  await form(page).getByRole('combobox', { name: label, exact: true }).selectOption(value);
  await query(page, text);
  assert.equal((await answer(page)).games, count, text);
}

test('without a query, all games: sorted by each column, on each tab, and again when the text is emptied', async () => {
  // All columns have room.
  await onSite({ context: { viewport: { width: 1920, height: 1000 } } }, async ({ page }) => {
    assert.deepEqual(await games(page), { games: 6, positions: 16 });
    assert.ok(!page.url().includes('q='), page.url());
    assert.match(await page.getAttribute('#query', 'placeholder'), /^A player, an opening/);
    await page.waitForFunction(() => /^0\//.test(document.querySelector('[data-test=ply]')?.textContent ?? ''));
    // There is a column for time controls, too, which the games have; it needs more room than this.
    await page.locator('[data-test=games-table] [role=columnheader]').nth(9).waitFor({ state: 'attached' });
    const heads = page.locator('[data-test=games-table] [role=columnheader]:visible');
    assert.equal(await heads.count(), 9);
    for (let nth = (await heads.count()) - 1; nth >= 0; nth--) {
      const before = await heads.nth(nth).getAttribute('aria-sort');
      await heads.nth(nth).getByRole('button').click();
      await page.waitForFunction(([nth, before]) => document.querySelectorAll('[data-test=games-table] [role=columnheader]')[nth].getAttribute('aria-sort') !== before, [nth, before]);
    }
    await page.getByRole('button', { name: 'White', exact: true }).click();
    await row(page, 0, /Cruz/);

    await page.click('#tab-heatmap');
    await page.locator('[data-square="36"]').waitFor();
    await page.click('#tab-counts');
    await page.locator('[data-test=counts]').waitFor();
    await page.click('#tab-explorer');
    // The two games that begin at the start position.
    const moves = page.locator('[role=tabpanel] tbody tr');
    await moves.nth(1).waitFor();
    assert.deepEqual((await moves.locator('td:first-child .san').allTextContents()).map((one) => one.trim()).sort(), ['d4', 'e4']);
    // With a query, the explorer shows its matches.
    assert.equal((await ask(page, 'endgame rook')).games, 4);
    await page.waitForFunction(() => !location.hash.includes('position='));
    await page.click('#tab-games');

    await page.fill('#query', '');
    await query(page, '');
    assert.deepEqual(await answer(page), { games: 6, positions: 16 });
    assert.ok(!page.url().includes('q='), page.url());
    await page.goBack();
    assert.equal((await answer(page)).games, 4);
    await page.reload();
    assert.equal((await answer(page)).games, 4);
  });
});

test('my lost rook endgames of the last two years, by the form alone', async () => {
  await onSite({}, async ({ page }) => {
    await games(page);
    const dialog = await openForm(page);
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'form-player');
    await fill(page, 'Player', 'Muster, Max*', 'player "Muster, Max*"', 5);
    await choose(page, 'Colour or result', 'loser', 'loser "Muster, Max*"', 4);
    await choose(page, 'Endgame', 'rook', 'loser "Muster, Max*" and endgame rook', 3);
    await dialog.getByRole('button', { name: 'Last 2 years' }).click();
    await page.waitForFunction(() => location.hash.includes('date'));
    assert.equal((await answer(page)).games, 2);
    assert.equal(await dialog.locator('[data-test=form-done]').textContent(), 'Show 2 games');
    await dialog.locator('[data-test=form-done]').click();
    await dialog.waitFor({ state: 'detached' });
    await row(page, 0, /Berg/);
    await row(page, 1, /Cruz/);
    // The chips say what was found, and each can go.
    const chips = page.locator('[data-test=filters] .words');
    assert.deepEqual((await chips.allTextContents()).slice(0, 2), ['Muster, Max lost', 'rook endgame']);
    await page.getByRole('button', { name: 'Remove the condition rook endgame' }).click();
    assert.equal((await answer(page)).games, 3);
    await chips.first().click();
    await page.click('[data-test=card-change]');
    await form(page).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'form-player');
  });
});

test('every field finds what a count by hand finds', async () => {
  await onSite({}, async ({ page }) => {
    await games(page);
    const dialog = await openForm(page);
    await fill(page, 'Player', 'Muster*', 'player "Muster*"', 5);
    await fill(page, 'Opponent', 'Cruz*', 'player "Muster*" and player "Cruz*"', 2);
    await fill(page, 'Opponent', '', 'player "Muster*"', 5);
    await choose(page, 'Colour or result', 'black', 'black "Muster*"', 1);
    await fill(page, 'Player', '', '', 6);
    await choose(page, 'Result', 'draw', 'result draw', 1);
    await choose(page, 'Result', '', '', 6);
    const rating = dialog.getByRole('group', { name: 'Rating' });
    await rating.getByLabel('from').fill('2400');
    await page.keyboard.press('Tab');
    await query(page, 'elo >= 2400');
    assert.equal((await answer(page)).games, 1);
    await dialog.locator('[data-test=form-rated]').selectOption('either');
    await query(page, 'either elo >= 2400');
    assert.equal((await answer(page)).games, 2);
    await rating.getByLabel('to').fill('2500');
    await page.keyboard.press('Tab');
    await query(page, 'either elo 2400..2500');
    assert.equal((await answer(page)).games, 2);
    await dialog.locator('[data-test=form-clear]').click();
    await query(page, '');
    await fill(page, 'Played from', '1990', 'year >= 1990', 6);
    await dialog.locator('[data-test=form-date-to]').fill('2015-03-01');
    await page.keyboard.press('Tab');
    await query(page, 'date 1990..2015.03.01');
    assert.equal((await answer(page)).games, 2);
    await dialog.locator('[data-test=form-date-to]').fill('soon');
    await page.keyboard.press('Tab');
    await dialog.getByText('Write a year').waitFor();
    await dialog.locator('[data-test=form-clear]').click();
    await query(page, '');
    await fill(page, 'Opening', 'd3', 'eco D3', 1);
    await fill(page, 'Opening', 'Sicilian', 'opening "Sicilian"', 1);
    await fill(page, 'Opening', '', '', 6);
    await fill(page, 'Event', 'town', 'event "*town*"', 1);
    await fill(page, 'Event', '', '', 6);
    await dialog.getByLabel('bullet', { exact: true }).check();
    await query(page, 'time_class bullet');
    assert.equal((await answer(page)).games, 1);
    await dialog.getByLabel('classical').check();
    await query(page, 'time_class bullet, classical');
    assert.equal((await answer(page)).games, 2);
    await dialog.locator('[data-test=form-clear]').click();
    await query(page, '');
    await fill(page, 'Moves from', '2', 'plies >= 3', 2);
    await dialog.locator('[data-test=form-length-to]').fill('2');
    await page.keyboard.press('Tab');
    await query(page, 'plies 3..4');
    await dialog.locator('[data-test=form-clear]').click();
    await query(page, '');
    await fill(page, 'Exact pieces', 'krpvkr', 'material krpvkr', 4);
    await dialog.getByRole('combobox', { name: 'Pattern', exact: true }).selectOption('isolated_pawn');
    await dialog.locator('[data-test=form-side]').selectOption('white');
    await dialog.locator('[data-test=form-add]').click();
    await query(page, 'material krpvkr and white isolated_pawn');
    assert.equal((await answer(page)).games, 4);
    await dialog.getByRole('combobox', { name: 'Pattern', exact: true }).selectOption('queens_off');
    assert.ok(await dialog.locator('[data-test=form-side]').isDisabled());
    await dialog.locator('[data-test=form-add]').click();
    await query(page, 'material krpvkr and white isolated_pawn and queens_off');
    await dialog.getByRole('button', { name: 'Remove White: isolated pawn' }).click();
    await query(page, 'material krpvkr and queens_off');
    // What is wrong is said, and nothing is lost.
    await dialog.getByLabel('Exact pieces').fill('KRPvKRX');
    await page.keyboard.press('Tab');
    await dialog.locator('[data-test=form-trouble]').waitFor();
    assert.deepEqual([await dialog.getByLabel('Exact pieces').inputValue(), await page.inputValue('#query')], ['KRPvKRX', 'material krpvkr and queens_off']);
    await dialog.getByLabel('Exact pieces').fill('');
    await page.keyboard.press('Tab');
    await query(page, 'queens_off');
    // A pattern is of the player above or of the opponent, and lasts; a piece stands on a square.
    await fill(page, 'Player', 'Muster*', 'queens_off and black "Muster*"', 1);
    await choose(page, 'Colour or result', 'player', 'queens_off and player "Muster*"', 4);
    await dialog.getByRole('combobox', { name: 'Pattern', exact: true }).selectOption('isolated_pawn');
    await dialog.locator('[data-test=form-side]').selectOption({ label: 'the opponent' });
    await dialog.locator('[data-test=form-plies]').fill('2');
    await dialog.locator('[data-test=form-add]').click();
    await query(page, 'queens_off and player "Muster*" and opponent "Muster*" isolated_pawn for 2');
    assert.equal((await answer(page)).games, 1);
    await dialog.getByRole('button', { name: 'Remove opponent of Muster: isolated pawn for 2 plies' }).click();
    await dialog.locator('[data-test=form-on]').fill('x9');
    await dialog.locator('[data-test=form-add-square]').click();
    await dialog.getByText('Write a square such as e5.').waitFor();
    await dialog.locator('[data-test=form-man]').selectOption('king');
    await dialog.locator('[data-test=form-on]').fill('d4');
    await dialog.locator('[data-test=form-add-square]').click();
    await query(page, 'queens_off and player "Muster*" and white king on d4');
    assert.equal((await answer(page)).games, 1);
    await choose(page, 'Colour or result', 'unwon', 'queens_off and player "Muster*" and white king on d4 and not winner "Muster*"', 0);
  });
});

test('the text fills in the form, and what the form does not know stays', async () => {
  await onSite({}, async ({ page }) => {
    await games(page);
    await ask(page, 'never castled and winner "Berg, Anna" and (check or endgame rook) and elo >= 1000');
    assert.deepEqual(await page.locator('[data-test=filters] .words').allTextContents(), ['never castled', 'Berg, Anna won', 'in check or rook endgame', 'Both rated from 1000']);
    const dialog = await openForm(page);
    assert.equal(await dialog.getByLabel('Player', { exact: true }).inputValue(), 'Berg, Anna');
    assert.equal(await dialog.locator('[data-test=form-role]').inputValue(), 'winner');
    assert.match(await dialog.locator('[data-test=form-others]').textContent(), /never castled and \(check or endgame rook\)/);
    await choose(page, 'Colour or result', 'black', 'never castled and black "Berg, Anna" and (check or endgame rook) and elo >= 1000', 2);
    // A choice gets brackets when a condition joins it.
    await page.fill('#query', 'endgame rook or check');
    await page.locator('#query').blur();
    await query(page, 'endgame rook or check');
    await answer(page);
    assert.deepEqual(await page.locator('[data-test=filters] .words').allTextContents(), ['rook endgame or in check']);
    await choose(page, 'Result', '0-1', '(endgame rook or check) and result 0-1', 2);
    await page.getByRole('button', { name: 'Remove the condition rook endgame or in check' }).click();
    await query(page, 'result 0-1');
    // While a quote is open, the form waits.
    await page.fill('#query', 'player "Berg');
    await dialog.locator('[data-test=form-unread]').waitFor();
    assert.ok(await dialog.getByRole('combobox', { name: 'Result', exact: true }).isDisabled());
  });
});

test('the form by keyboard alone', async () => {
  await onSite({}, async ({ page }) => {
    await games(page);
    await page.focus('[data-test=form-open]');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.id === 'form-player');
    await page.keyboard.type('Muster*');
    await page.keyboard.press('Enter');
    await query(page, 'player "Muster*"');
    await page.keyboard.press('Tab');
    await page.keyboard.press('End');
    await query(page, 'loser "Muster*"');
    assert.equal((await answer(page)).games, 4);
    await page.keyboard.press('Escape');
    await form(page).waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-test')), 'form-open');
    assert.equal((await answer(page)).games, 4);
  });
});

test('on a phone the form is a sheet that fits, with targets for a finger', async () => {
  await onSite({ context: PHONE }, async ({ page }) => {
    await games(page);
    await page.tap('[data-test=form-open]');
    const dialog = form(page);
    await dialog.waitFor();
    const box = await dialog.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.y >= 0 && box.y + box.height <= 844.5, JSON.stringify(box));
    const inner = await dialog.evaluate((one) => [one.scrollWidth, one.clientWidth]);
    assert.ok(inner[0] <= inner[1], inner.join(' '));
    const small = await dialog.evaluate((one) => [...one.querySelectorAll('button, select, input:not([type=checkbox]), label:has([type=checkbox])')].filter((field) => field.getBoundingClientRect().height > 0 && field.getBoundingClientRect().height < 44).map((field) => field.outerHTML.slice(0, 80)));
    assert.deepEqual(small, []);
    await choose(page, 'Endgame', 'rook', 'endgame rook', 4);
    await dialog.locator('[data-test=form-done]').tap();
    await dialog.waitFor({ state: 'detached' });
    await page.tap('[aria-label="Remove the condition rook endgame"]');
    await query(page, '');
    assert.equal((await answer(page)).games, 6);
  });
});

for (const colorScheme of ['light', 'dark']) {
  for (const [size, context] of Object.entries({ wide: {}, phone: PHONE })) {
    test(`no axe violation: chips and form, ${colorScheme}, ${size}`, async () => {
      await onSite({ context: { ...context, colorScheme, reducedMotion: 'reduce' } }, async ({ page }) => {
        await games(page);
        await ask(page, 'player "Muster*" and player "Berg*" and either elo >= 1000 and isolated_pawn and white isolated_pawn and never castled');
        await page.locator('[data-test=filters] .words', { hasText: 'never castled' }).waitFor({ state: 'attached' });
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'no sideways scrolling');
        for (const state of ['chips', 'form']) {
          if (state === 'form') await openForm(page);
          assert.deepEqual(await violations(page), [], state);
        }
      });
    });
  }
}

test('the player who uses the device is remembered, and forgotten with one click', async () => {
  await onSite({}, async ({ page }) => {
    await games(page);
    await ask(page, 'player "Muster, Max"');
    await openForm(page);
    await page.click('[data-test=form-remember]');
    await page.click('[data-test=form-clear]');
    await query(page, '');
    await page.reload();
    await ready(page);
    await openForm(page);
    assert.equal(await page.textContent('[data-test=form-me]'), 'Me: Muster, Max');
    await page.click('[data-test=form-me]');
    await query(page, 'player "Muster, Max"');
    assert.equal((await answer(page)).games, 5);
    await page.click('[data-test=form-forget]');
    await page.reload();
    await ready(page);
    await openForm(page);
    assert.equal(await page.locator('[data-test=form-me]').count(), 0);
  });
});

test('an unknown name: the nearest one takes its place', async () => {
  await onSite({}, async ({ page }) => {
    await games(page);
    await page.fill('#query', 'player "Muster, Mux" and endgame rook');
    await page.locator('[data-test=problem]', { hasText: 'Muster, Mux' }).waitFor();
    await page.locator('[data-test=use-name]', { hasText: 'Muster, Max' }).click();
    await query(page, 'player "Muster, Max" and endgame rook');
    assert.equal((await answer(page)).games, 4);
    // The form says the same, and a click mends it there.
    const dialog = await openForm(page);
    await dialog.getByLabel('Player', { exact: true }).fill('Berg, Anne');
    await page.keyboard.press('Tab');
    await dialog.locator('[data-test=form-problem]').getByRole('button', { name: 'Use Berg, Anna' }).click();
    await query(page, 'player "Berg, Anna" and endgame rook');
    assert.equal((await answer(page)).games, 2);
  });
});

test('names of the corpus are offered with their games: in the form and between quotes in the query text', async () => {
  await onSite({}, async ({ page }) => {
    await games(page);
    const dialog = await openForm(page);
    const player = dialog.getByLabel('Player', { exact: true });
    await player.pressSequentially('must');
    const options = dialog.locator('[data-test=form-player-names] [role=option]');
    await options.first().waitFor();
    assert.match(await options.first().textContent(), /Muster, Max\s*5 games/);
    assert.equal(await player.getAttribute('aria-expanded'), 'true');
    await page.keyboard.press('ArrowDown');
    assert.equal(await player.getAttribute('aria-activedescendant'), 'form-player-name-0');
    await page.keyboard.press('Enter');
    await query(page, 'player "Muster, Max"');
    // Escape closes the list first, then the form.
    await dialog.getByLabel('Opponent', { exact: true }).pressSequentially('cruz');
    await dialog.locator('[data-test=form-opponent-names] [role=option]').first().waitFor();
    await page.keyboard.press('Escape');
    await dialog.locator('[data-test=form-opponent-names] [role=option]').first().waitFor({ state: 'detached' });
    assert.ok(await dialog.isVisible());
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await query(page, 'player "Muster, Max" and player "cruz*"');

    await page.fill('#query', '');
    await page.locator('#query').pressSequentially('endgame rook and loser "max');
    const list = page.locator('[data-test=options] [role=option]');
    await list.filter({ hasText: '"Muster, Max"' }).click();
    await page.waitForFunction(() => document.querySelector('#query').value === 'endgame rook and loser "Muster, Max" ');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await query(page, 'endgame rook and loser "Muster, Max"');
    assert.equal((await answer(page)).games, 3);
  });
});

/** The engine's worker keeps the form's change back until the page lets it go, and says when it has come. */
const HELD = `
const channel = new BroadcastChannel('held');
self.addEventListener('message', (event) => {
  if (event.data?.method !== 'changed' || event.data.isLetGo) return;
  event.stopImmediatePropagation();
  channel.onmessage = () => self.dispatchEvent(new MessageEvent('message', { data: { ...event.data, isLetGo: true } }));
  channel.postMessage('held');
})`;

test('who types into the box while a change of the form is on its way gets what was typed, alone', async () => {
  await onSite({ patch: HELD }, async ({ page }) => {
    await games(page);
    await page.evaluate(() => {
      window.channel = new BroadcastChannel('held');
      window.held = new Promise((resolve) => (window.channel.onmessage = resolve));
    });
    const change = async (label, value) => {
      await form(page).getByLabel(label, { exact: true }).fill(value);
      await page.keyboard.press('Tab');
      await page.evaluate(() => window.held.then(() => (window.held = new Promise((resolve) => (window.channel.onmessage = resolve))) && undefined));
    };
    const arrives = async (text) => {
      await page.evaluate(() => window.channel.postMessage('go'));
      await page.waitForFunction((text) => document.querySelector('#query').value === text, text);
    };
    await openForm(page);
    // The box is empty when the user goes to it, and the form's text comes before the first letter.
    await change('Player', 'Muster');
    await page.focus('#query');
    await arrives('player "Muster*"');
    await page.keyboard.type('year >= 1990');
    assert.equal(await page.inputValue('#query'), 'year >= 1990');
    await query(page, 'year >= 1990');
    // All of the text is selected when it is replaced.
    await change('Event', 'Town');
    await page.focus('#query');
    await page.keyboard.press('ControlOrMeta+A');
    await arrives('year >= 1990 and event "*Town*"');
    await page.keyboard.type('check');
    assert.equal(await page.inputValue('#query'), 'check');
    await query(page, 'check');
    // A letter that is typed before the change arrives stays, and the change does not.
    await change('Event', 'Club');
    await page.focus('#query');
    await page.keyboard.press('End');
    await page.keyboard.type(' ');
    await page.evaluate(() => window.channel.postMessage('go'));
    await page.keyboard.type('or stalemate');
    assert.equal(await page.inputValue('#query'), 'check or stalemate');
    await query(page, 'check or stalemate');
    assert.equal(await page.inputValue('#query'), 'check or stalemate');
  });
});
