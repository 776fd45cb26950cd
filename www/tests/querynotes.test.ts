// Notes on a query, from its words as the engine classifies them.
import { expect, it } from 'vitest';
import type { Painted } from '../src/engine/protocol';
import { notesOf } from '../src/state/querynotes';

const KEYWORDS = 'and or not then within on for ever never always became ceased before after from until at least times in between move moves ply opening endgame eco year result ended winner in fen b90 1-0'.split(' ');
const PREDICATES = ['queens_off', 'check', 'castled', 'checkmate', 'knight'];

/** Classifies words as the engine does, for the words of these tests. */
function paint(query: string): Painted[] {
  return [...query.matchAll(/"[^"]*"|@\w+|[{}()]|[\w-]+|[<>=.]+/g)].map(({ 0: text, index: from }) => {
    const kind = /^["@]/.test(text) ? 'text' : /^[{}()]$/.test(text) ? 'bracket' : PREDICATES.includes(text) ? 'predicate' : KEYWORDS.includes(text) ? 'keyword' : /^[a-h][1-8]$/.test(text) ? 'region' : /^\d+$/.test(text) ? 'number' : 'operator';
    return { from, to: from + text.length, class: kind };
  });
}
const notes = (query: string, hasWindows = false) => notesOf(query, paint(query), hasWindows);

it.each(['queens_off and check', 'fen "8/8" and castled', 'result 1-0 and queens_off and check', 'move <= 20 and check', 'castled or (queens_off and check)'])('conditions may hold apart: %s', (query) => {
  expect(notes(query)).toEqual({ together: `{ ${query} }`, isApart: true, hasWindows: false });
});

it.each(['{ queens_off and check }', 'queens_off', 'queens_off or check', 'queens_off and year >= 1990', 'not check and queens_off', 'ended checkmate and check', 'in @won and check', 'winner "a, b" and check', 'eco b90 and check', 'knight at e5', 'knight from e2', 'knight between check and castled', 'knight in front of check'])('no note: %s', (query) => {
  expect(notes(query)).toEqual({ together: '', isApart: false, hasWindows: false });
});

it.each(['check for 8', 'check between 20 and 40', 'check between moves 20 and 40', 'queens_off in endgame'])('one condition in a window: %s', (query) => {
  expect(notes(query, true)).toEqual({ together: '', isApart: false, hasWindows: true });
});

it('conditions in windows are not put into braces', () => {
  expect(notes('check between 20..40 and castled', true)).toEqual({ together: '', isApart: true, hasWindows: true });
});

it('braces that stand beside a condition are one position of their own', () => {
  expect(notes('{ queens_off and check } and castled')).toEqual({ together: '', isApart: true, hasWindows: false });
});
