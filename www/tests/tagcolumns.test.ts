// Tags as columns: texts are read only where a column or the choice needs them, once for each game, and the choice is remembered.
import { beforeEach, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import { TagColumns } from '../src/state/tagcolumns.svelte';
import { FakeBrowser } from './browser';
import { Hand } from './hand';
import { corpus, row } from './results';

let port: Hand;
let columns: TagColumns;
const made = () => new TagColumns(new EngineClient(() => port));
beforeEach(() => {
  new FakeBrowser().install();
  port = new Hand();
  columns = made();
  columns.follow(corpus('one'));
  return () => void vi.unstubAllGlobals();
});

const tag = (name: string, value: string) => ({ name, value });

it('what rows have needs no text', async () => {
  columns.choose('Event', true);
  await columns.want([1, 2]);
  expect([port.open('tags'), columns.text({ ...row(1), event: 'Hastings' }, 'Event')]).toEqual([[], 'Hastings']);
});

it('tags are read once for each game in view, and again after an edit', async () => {
  columns.choose('Board', true);
  void columns.want([1, 2]);
  expect(port.asked.at(-1)).toMatchObject({ method: 'tags', params: { ids: [1, 2] } });
  await port.next('tags', [[tag('board', '3'), tag('Board', '4')], [tag('WhiteTeam', '?')]]);
  expect([columns.text(row(1), 'Board'), columns.text(row(2), 'Board'), columns.text(row(2), 'WhiteTeam')]).toEqual(['4', '', '']);
  void columns.want([1, 2, 3]);
  expect(port.asked.at(-1)).toMatchObject({ params: { ids: [3] } });
  await port.next('tags', [[]]);
  columns.renew();
  void columns.want([1]);
  expect([columns.text(row(1), 'Board'), port.open('tags').length]).toEqual(['4', 1]);
});

it('the tags of the games in view can be chosen, and the choice lasts', async () => {
  expect(columns.names).toEqual(['Event', 'Site']);
  columns.isChoosing = true;
  void columns.want([1]);
  await port.next('tags', [[tag('White', 'Anna'), tag('WhiteFideId', '7'), tag('event', 'x'), tag('Board', '3')]]);
  expect(columns.names).toEqual(['Board', 'Event', 'Site', 'WhiteFideId']);
  columns.choose('WhiteFideId', true);
  columns.choose('Board', true);
  columns.choose('WhiteFideId', false);
  expect(made().chosen).toEqual(['Board']);
});

it('texts that cannot be read say why, and are asked for again', async () => {
  columns.choose('Board', true);
  const failed = columns.want([1]);
  await port.fail(0, 'the network is away', 'host');
  await failed;
  expect(columns.trouble).toBe('The network is away.');
  void columns.want([1]);
  await port.next('tags', [[tag('Board', '3')]]);
  expect([columns.trouble, columns.text(row(1), 'Board')]).toEqual(['', '3']);
  // A late reply is about other games.
  void columns.want([2]);
  columns.follow(corpus('two'));
  await port.next('tags', [[tag('Board', '9')]]);
  expect(columns.text(row(2), 'Board')).toBe('');
});
