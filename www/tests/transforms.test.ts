// The page of transforms with an engine that the test controls, and its texts.
import { describe, expect, it } from 'vitest';
import { EngineClient } from '../src/engine/client';
import type { Images } from '../src/engine/protocol';
import { UNTURNED } from '../src/state/address';
import { START_FEN } from '../src/state/replay.svelte';
import { queryFor } from '../src/state/transformquery';
import { epd, pasted, sameAs, Transforms, withoutStep, withStep } from '../src/state/transforms.svelte';
import { Hand } from './hand';

const KINGS = '8/8/8/8/8/8/8/K6k w - - 0 1';
const images = (fen: string): Images => ({ fen, images: [{ name: 'identity', fen }], fault: null });

function page() {
  const port = new Hand();
  return { port, one: new Transforms(new EngineClient(() => port)) };
}

describe('the page', () => {
  it('asks for what there is, and for no more', async () => {
    const { port, one } = page();
    one.visit(UNTURNED);
    expect(one.position).toBe(START_FEN);
    void one.ask();
    await port.answer(0, images(START_FEN));
    expect(port.asked.map((request) => request.method)).toEqual(['images']);
    expect([one.fen, one.made, one.found]).toEqual([START_FEN, null, null]);

    one.visit({ position: KINGS, sequence: 'flipH', leaving: 'refused', other: '8/8/8/8/8/8/8/k6K', otherIsOriginal: true });
    void one.ask();
    await port.answer(1, images(KINGS));
    expect(port.asked.slice(2).map((request) => request.params)).toEqual([
      { position: KINGS, text: 'flipH', leaving: 'refused' },
      { image: KINGS, original: '8/8/8/8/8/8/8/k6K' },
    ]);
    one.swap();
    void one.ask();
    await port.answer(4, images(KINGS));
    expect(port.asked[6]?.params).toEqual({ image: '8/8/8/8/8/8/8/k6K', original: KINGS });
  });

  it('drops a late answer, and does nothing to what is no position', async () => {
    const { port, one } = page();
    one.take(KINGS);
    one.sequence = 'flipH';
    void one.ask();
    one.position = 'half a FEN';
    void one.ask();
    const fault = { message: 'no', from: 0, to: 4 };
    await port.answer(1, { fen: '', images: [], fault });
    expect(port.asked.map((request) => request.method)).toEqual(['images', 'images']);
    await port.answer(0, images(KINGS));
    await port.answer(2, { twins: [], fault: null });
    expect([one.images?.fault, one.fen, one.turned.position]).toEqual([fault, '', 'half a FEN']);
  });

  it('writes the address by what the engine read, once it has', async () => {
    const { port, one } = page();
    one.position = '8/8/8/8/8/8/8/K6k';
    expect(one.turned.position).toBe('8/8/8/8/8/8/8/K6k');
    void one.ask();
    await port.answer(0, images(KINGS));
    expect(one.turned.position).toBe(KINGS);
    one.position = '8/8/8/8/8/8/8/K6';
    expect([one.fen, one.turned.position]).toEqual(['', '8/8/8/8/8/8/8/K6']);
  });
});

it('names the first of equal images', () => {
  const of = (...fens: string[]): Images => ({ fen: '', fault: null, images: fens.map((fen, nth) => ({ name: `n${nth}`, fen })) });
  expect(sameAs(of('a', 'b', 'a', 'b', 'c', 'a'))).toEqual(['', '', 'n0', 'n1', '', 'n0']);
});

it('writes an image as EPD', () => {
  expect(epd(KINGS, 'identity', 1)).toBe('8/8/8/8/8/8/8/K6k w - - c0 "original position"; id "1";');
  expect(epd('8/8/8/8/8/8/8/K6k b - - 3 9', 'rot90', 6)).toBe('8/8/8/8/8/8/8/K6k b - - c0 "rot90"; id "6";');
});

it.each([
  [KINGS, { position: KINGS, sequence: null }],
  [`${KINGS}\r\nTwin flipH\nTwin rot90\n`, { position: KINGS, sequence: 'Twin flipH\nTwin rot90' }],
  ['Twin Mirror a1<-->h1', { position: null, sequence: 'Twin Mirror a1<-->h1' }],
  ['  ', { position: null, sequence: null }],
])('knows what was pasted: %s', (text, found) => {
  expect(pasted(text)).toEqual(found);
});

it('appends a command', () => {
  expect([withStep('', 'flipH'), withStep(' flipH ', 'rot90')]).toEqual(['flipH', 'flipH rot90']);
});

it.each([
  ['flipH', 'flipH', ''],
  ['flipH rot90 polish', 'rot90', 'flipH polish'],
  ['Twin flipH rot90', 'flipH', 'Twin rot90'],
  ['Twin flipH Twin rot90', 'flipH', 'Twin rot90'],
  ['Twin flipH Twin rot90', 'rot90', 'Twin flipH'],
  ['flipH twin cont rot90 Twin polish', 'rot90', 'flipH Twin polish'],
  ['flipH Twin rot90', 'flipH', 'Twin rot90'],
  ['Twin Continued Move a1 b1 flipH', 'Move a1 b1', 'Twin Continued flipH'],
  ['ZeroPosition flipH Twin rot90', 'flipH', 'ZeroPosition rot90'],
  ['ZeroPosition flipH', 'flipH', ''],
  ['ZeroPosition flipH polish Twin rot90', 'polish', 'ZeroPosition flipH Twin rot90'],
])('takes a command out of %s: %s', (text, command, left) => {
  const from = text.indexOf(command);
  expect(withoutStep(text, from, from + command.length)).toBe(left);
});

describe('the query', () => {
  const FEN = '4k3/p1p5/8/3P4/8/8/PN5P/4K3 b - - 0 1';
  it.each([
    ['position', [], 'fen "4k3/p1p5/8/3P4/8/8/PN5P/4K3"'],
    ['pawns', ['colour flip', 'mirror'], 'structure "8/p1p5/8/3P4/8/8/P6P/8" under mirror, colour flip'],
    ['men', ['shifts'], 'board "????k???/p?p?????/????????/???P????/????????/????????/PN?????P/????K???" under shifts'],
  ] as const)('asks for the %s', (sought, families, query) => {
    expect(queryFor(FEN, sought, families)).toBe(query);
  });

  it('leaves out who was promoted', () => {
    expect(queryFor('Q~7/8/8/8/8/8/8/K6k w - - 0 1', 'position', ['mirror'])).toBe('fen "Q7/8/8/8/8/8/8/K6k" under mirror');
  });
});
