// The board as an SVG.
import { expect, it } from 'vitest';
import { writePicture, type Picture, type Style } from '../src/state/picture';

const style: Style = { piece: (side, man) => `<path id="${side}-${man}"/>`, light: '#eee', dark: '#999', brush: (color) => ({ color, opacity: 1, lineWidth: 10 }) };
const draw = (change: Partial<Picture>) => writePicture({ fen: '7k/8/8/8/8/8/8/K7 w - - 0 1', flipped: false, uci: '', check: false, shapes: [], ...change }, style);

it('has each piece on its square, from both sides', () => {
  expect(draw({})).toContain('<g transform="translate(0 315)"><path id="white-king"/></g>');
  expect(draw({})).toContain('<g transform="translate(315 0)"><path id="black-king"/></g>');
  expect(draw({ flipped: true })).toContain('<g transform="translate(315 0)"><path id="white-king"/></g>');
});

it('has the last move and the check', () => {
  expect(draw({ uci: 'a2a1' }).match(/fill-opacity="0.42"/g)).toHaveLength(2);
  expect(draw({})).not.toContain('fill-opacity="0.42"');
  expect(draw({ check: true })).toContain('<rect x="0" y="315" width="45" height="45" fill="url(#check)"/>');
});

it('has arrows and circles', () => {
  const drawn = draw({ shapes: [{ orig: 'e2', dest: 'e4', brush: 'green' }, { orig: 'd5', brush: 'red' }] });
  expect(drawn).toMatch(/<path d="M202.5 292.5L202.5 \d+(\.\d+)?" stroke="green"/);
  expect(drawn).toContain('<circle cx="157.5" cy="157.5"');
  expect(draw({})).not.toContain('<circle');
});

it('is well formed', () => {
  expect(draw({ check: true, uci: 'a2a1', shapes: [{ orig: 'a1', dest: 'h8', brush: 'blue' }] })).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" [^>]*>.*<\/svg>$/);
});
