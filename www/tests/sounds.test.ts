// The sounds of moves: a move is heard, a jump is not.
import { expect, it } from 'vitest';
import { START_FEN } from '../src/state/replay.svelte';
import { playLine } from '../src/state/rules';
import { soundBetween } from '../src/state/sounds';

it('a move, a capture and a check sound differently, and a jump is silent', () => {
  const steps = playLine(START_FEN, ['e2e4', 'd7d5', 'e4d5', 'd8d5', 'g1f3', 'd5e4', 'f1e2', 'g8f6', 'e1g1']);
  const heard = steps.map(({ fen, uci }, nth) => soundBetween(steps[nth - 1]?.fen ?? START_FEN, fen, uci));
  expect(heard).toEqual(['move', 'move', 'capture', 'capture', 'move', 'check', 'move', 'move', 'move']);
  const [first, second, third] = steps;
  // A step back, two steps at once, and another game.
  expect(soundBetween(second?.fen ?? '', first?.fen ?? '', first?.uci ?? '')).toBeNull();
  expect(soundBetween(first?.fen ?? '', third?.fen ?? '', third?.uci ?? '')).toBeNull();
  expect(soundBetween('8/8/8/4k3/8/8/8/KBN5 w - - 0 1', first?.fen ?? '', 'e2e4')).toBeNull();
});
