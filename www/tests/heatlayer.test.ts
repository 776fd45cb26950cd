// The heatmap on the board: colours without steps, and the score of a square, which is asked for when it is chosen.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import { heatOf } from '../src/state/heat';
import { HeatLayer, strengthOf } from '../src/state/heatlayer.svelte';
import { Search } from '../src/state/search.svelte';
import { FakeBrowser } from './browser';
import { Hand } from './hand';
import { result } from './results';

beforeEach(() => void new FakeBrowser().install());
afterEach(() => void vi.unstubAllGlobals());

function layer(own = '') {
  const port = new Hand();
  const client = new EngineClient(() => port);
  const search = new Search(client);
  search.result = { ...result(1, 2, 3), heatmap: Float64Array.from({ length: 768 }, (_, at) => at) };
  search.answered = 'queens_off';
  search.question = { ...search.question, query: 'queens_off' };
  return { port, search, one: new HeatLayer(client, search, () => own) };
}

it('has stronger colours for larger numbers, and none for none', () => {
  const strengths = [0, 1, 10, 50, 100].map((value) => strengthOf(value, 100));
  expect(strengths[0]).toBe(0);
  expect(strengths).toEqual([...strengths].sort((one, two) => one - two));
  expect(strengthOf(100, 100)).toBeCloseTo(0.92);
  expect(strengthOf(0, 0)).toBe(0);
});

it('shows one piece, while the heatmap is shown and wanted', () => {
  const { one } = layer();
  one.show('black', 'king');
  expect([one.values?.[0], one.most, one.isShown]).toEqual([704, 767, false]);
  one.isOpen = true;
  expect(one.isShown).toBe(true);
  one.toggle();
  expect([one.isShown, layer().one.isOn]).toEqual([false, false]);
});

it('shows a piece that stands somewhere, until the user chooses one', () => {
  const { search, one } = layer();
  expect([one.side, one.man]).toEqual(['white', 'knight']);
  // Rooks and kings alone.
  const heatmap = new Float64Array(768);
  for (const [side, man] of [['white', 'rook'], ['black', 'rook'], ['white', 'king'], ['black', 'king']] as const) {
    const values = heatOf(heatmap, side, man);
    values[0] = 1;
  }
  search.result = { ...result(1), heatmap };
  expect([one.side, one.man, one.most]).toEqual(['white', 'rook', 1]);
  one.show('black', 'queen');
  expect([one.side, one.man, one.most]).toEqual(['black', 'queen', 0]);
});

it('asks how the games of a square ended', async () => {
  const { port, one } = layer('Anna');
  const asked = one.choose(36);
  expect(port.asked.at(-1)?.params).toEqual({ query: 'queens_off', condition: 'white knight on e5' });
  await port.next('compose', { together: '{ queens_off and white knight on e5 }', apart: '' });
  expect(port.asked.at(-1)?.params).toMatchObject({ question: { query: '{ queens_off and white knight on e5 }' } });
  await port.next('query', result(1, 2));
  expect(port.asked.at(-1)?.params).toMatchObject({ player: 'Anna' });
  await port.next('score', { results: { white: 1, draw: 1, black: 0, unknown: 0 }, player: null } as never);
  await asked;
  expect(one.found).toMatchObject({ games: 2, player: '', score: { won: 1, drawn: 1, lost: 0, share: 0.75 } });
});

it('drops the score of a square that was left, and says if there is none', async () => {
  const { port, one } = layer();
  void one.choose(36);
  const asked = one.choose(35);
  await port.next('compose', { together: null, apart: 'x' });
  expect(one.found).toBeNull();
  await port.fail(port.open('compose')[0]!);
  await asked;
  expect([one.square, one.hasFailed]).toEqual([35, true]);
  one.leave();
  expect([one.square, one.hasFailed]).toEqual([null, false]);
});
