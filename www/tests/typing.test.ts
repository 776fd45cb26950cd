// Typing with an engine that the test controls: late results are dropped, and colours follow the text.
import { describe, expect, it } from 'vitest';
import { EngineClient } from '../src/engine/client';
import type { Painted } from '../src/engine/protocol';
import { begins, moved, taken, Typing, type Offer } from '../src/state/typing.svelte';
import { Hand } from './hand';

function typing() {
  const port = new Hand();
  return { port, typing: new Typing(new EngineClient(() => port)) };
}

const optionsAt = (from: number, ...texts: string[]) => texts.map((text) => ({ from, text, detail: '', kind: 'predicate' as const }));
const options = (...texts: string[]) => optionsAt(0, ...texts);
const offer = (text: string, from: number, to: number, ...texts: string[]): Offer => ({ text, at: to, from, to, picked: -1, options: optionsAt(from, ...texts) });

describe('completions', () => {
  it('drops a late answer', async () => {
    const { port, typing: one } = typing();
    void one.complete('q', 1, true);
    void one.complete('qu', 2, true);
    await port.answer(1, { from: 0, to: 2, options: options('queen', 'queens_off') });
    await port.answer(0, { from: 0, to: 1, options: options('late') });
    expect(one.offer?.options.map((option) => option.text)).toEqual(['queen', 'queens_off']);
  });

  it('needs no list for a word that is whole', async () => {
    const { port, typing: one } = typing();
    void one.complete('Check', 5, true);
    await port.next('complete', { from: 0, to: 5, options: options('check') });
    await port.next('suggest', []);
    expect(one.offer).toBeNull();
    void one.complete('Check', 5, false);
    await port.next('complete', { from: 0, to: 5, options: options('check') });
    await port.next('suggest', []);
    expect(one.offer?.options).toHaveLength(1);
  });

  it('opens unasked where a word is begun or wanted, and nowhere else', async () => {
    const { port, typing: one } = typing();
    const cases: [string, boolean][] = [['', false], ['for 8', false], ['for 8 ', true], ['count(', true], ['wh', true]];
    for (const [text, opens] of cases) {
      void one.complete(text, text.length, true);
      const from = text === 'wh' ? 0 : text.length;
      await port.next('complete', { from, to: text.length, options: options('white', 'both') });
      if (port.open('suggest').length > 0) await port.next('suggest', []);
      expect(one.offer !== null, text).toBe(opens);
    }
  });

  it('picks by keys, round and round', async () => {
    const { port, typing: one } = typing();
    void one.complete('q', 1, true);
    await port.answer(0, { from: 0, to: 1, options: options('a', 'b', 'c') });
    const picked = [1, 1, 1, 1, -1, -1].map((step) => (one.pick(step), one.offer?.picked));
    expect(picked).toEqual([0, 1, 2, 0, 2, 1]);
    one.dismiss();
    expect(one.offer).toBeNull();
  });

  it('keeps what is picked when the list becomes shorter', async () => {
    const { port, typing: one } = typing();
    void one.complete('k', 1, true);
    await port.answer(0, { from: 0, to: 1, options: options('king', 'knight') });
    void one.complete('kn', 2, true);
    one.pick(-1);
    await port.answer(1, { from: 0, to: 2, options: options('knight') });
    expect(one.offer?.picked).toBe(0);
  });

  it('replaces all words of a name', () => {
    const rook: Offer = { ...offer('rook o', 5, 6, 'on'), options: [...optionsAt(5, 'on'), ...optionsAt(0, 'rook_on_seventh')] };
    expect(taken(rook, 0)).toEqual({ from: 5, to: 6, text: 'on ' });
    expect(taken(rook, 1)).toEqual({ from: 0, to: 6, text: 'rook_on_seventh ' });
  });

  it.each([
    [offer('wh', 0, 2, 'white'), { from: 0, to: 2, text: 'white ' }],
    [offer('wh and', 0, 2, 'white'), { from: 0, to: 2, text: 'white' }],
    [offer('co', 0, 2, 'count('), { from: 0, to: 2, text: 'count(' }],
    [offer('', 0, 0, '{'), { from: 0, to: 0, text: '{ ' }],
    [offer('pawn on f', 9, 9, '..'), { from: 9, to: 9, text: '..' }],
  ])('what is taken %#', (from, expected) => {
    expect(taken(from, 0)).toEqual(expected);
    expect(taken(from, 3)).toBeNull();
  });
});

it('tells a beginning from a mistake', () => {
  expect(begins(offer('Bishop-p', 0, 8, 'bishop_pair'))).toBe(true);
  expect(begins(offer('bishop_piar', 0, 11, 'bishop_pair'))).toBe(false);
  expect(begins(offer('{ seventh', 2, 9, 'rook_on_seventh'))).toBe(true);
  expect(begins(offer('eventh', 0, 6, 'rook_on_seventh'))).toBe(false);
});

describe('colours', () => {
  const part = (from: number, to: number): Painted => ({ from, to, class: 'keyword' });

  it('ask for the last of several texts', async () => {
    const { port, typing: one } = typing();
    for (const text of ['n', 'no', 'not']) void one.paint(text);
    await port.answer(0, [part(0, 1)]);
    await port.answer(1, [part(0, 3)]);
    expect(port.asked.map((request) => request.method === 'paint' && request.params.query)).toEqual(['n', 'not']);
    expect(one.parts('not')).toEqual([part(0, 3)]);
    expect(one.parts('not c')).toEqual([part(0, 3)]);
  });

  it.each([
    ['not c', 'not ch', [part(0, 3), part(4, 5)], [part(0, 3), part(4, 6)]],
    ['not check', 'not a check', [part(0, 3), part(4, 9)], [part(0, 3), part(6, 11)]],
    ['not check', 'not ck', [part(0, 3), part(4, 9)], [part(0, 3), part(4, 6)]],
    ['not check', '', [part(0, 3), part(4, 9)], []],
  ])('%s, then %s', (before, after, parts, expected) => {
    expect(moved(parts, before, after)).toEqual(expected);
  });
});
