// Doubles: those that the user keeps are not deleted.
import { expect, it } from 'vitest';
import { EngineClient } from '../src/engine/client';
import { Doubles, whyDouble } from '../src/state/doubles.svelte';
import { Hand } from './hand';
import { row } from './results';

it('doubles that are not deleted yet are chosen until they are kept', async () => {
  const port = new Hand();
  const doubles = new Doubles(new EngineClient(() => port));
  const found = doubles.find();
  await port.next('doubles', [
    { kept: 1, others: [{ id: 2, differences: [] }] },
    { kept: 4, others: [{ id: 5, differences: ['moves', 'event'] }] },
  ]);
  expect(port.asked.at(-1)).toMatchObject({ method: 'rows', params: { ids: [1, 2, 4, 5] } });
  await port.next('rows', [row(1, 'Anna'), row(2), row(4), row(5)]);
  await found;
  expect([doubles.chosen, doubles.rows.get(1)?.white]).toEqual([[2, 5], 'Anna']);
  doubles.choose(2, false);
  expect([doubles.chosen, doubles.isChosen(2)]).toEqual([[5], false]);
  doubles.choose(2, true);
  expect(doubles.chosen).toEqual([2, 5]);
});

it('doubles that cannot be found say why', async () => {
  const port = new Hand();
  const doubles = new Doubles(new EngineClient(() => port));
  const found = doubles.find();
  await port.fail(0, 'the engine stopped');
  await found;
  expect([doubles.groups, doubles.trouble]).toEqual([null, 'The engine stopped.']);
});

it('what a double differs in, in words', () => {
  expect(whyDouble([])).toBe('the same');
  expect(whyDouble(['date', 'ratings'])).toBe('other date, ratings');
  expect(whyDouble(['moves'])).toBe('fewer moves');
  expect(whyDouble(['moves', 'event'])).toBe('fewer moves, other event');
});
