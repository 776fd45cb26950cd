// A game on the board: steps and matches; of several requested games, the last one is shown.
import { expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import type { GameView, Port, Request } from '../src/engine/protocol';
import { Replay, START_FEN } from '../src/state/replay.svelte';

const game = (id: number): GameView => ({
  row: { id, white: 'A', black: 'B', white_elo: 0, black_elo: 0, result: '*', eco: '', date: '', event: '', site: '', plies: 4, ending: '', time_class: '' },
  start_fen: START_FEN,
  plies: ['e4', 'e5', 'Nf3', 'Nc6'].map((san, at) => ({ fen: `fen after ${at + 1}`, uci: 'e2e4', san })),
  matches: [2, 4],
  images: [],
});

function replay(delays: Record<number, number> = {}) {
  const port: Port = {
    onmessage: null,
    onerror: null,
    terminate() {},
    postMessage({ number, method, params }: Request) {
      if (method !== 'game') return;
      setTimeout(() => port.onmessage?.({ data: { number, state: 'done', result: game(params.id) } }), delays[params.id] ?? 0);
    },
  };
  return new Replay(new EngineClient(() => port));
}

it('begins at the first match and walks from match to match', async () => {
  const one = replay();
  await one.show(5, 'check', null);
  expect([one.ply, one.fen]).toEqual([2, 'fen after 2']);
  one.nextMatch();
  expect(one.ply).toBe(4);
  one.nextMatch();
  expect(one.ply).toBe(4);
  one.previousMatch();
  expect(one.ply).toBe(2);
  one.go(-3);
  expect([one.ply, one.fen]).toEqual([0, START_FEN]);
  one.go(99);
  expect([one.ply, one.last?.san]).toEqual([4, 'Nc6']);
});

it('goes to the ply that was asked for', async () => {
  const one = replay();
  await one.show(5, 'check', 3);
  expect(one.ply).toBe(3);
});

it('shows the game that was wanted last, whichever comes last', async () => {
  vi.useFakeTimers();
  const one = replay({ 1: 100, 2: 10 });
  void one.show(1, '', null);
  void one.show(2, '', null);
  await vi.runAllTimersAsync();
  expect(one.game?.row.id).toBe(2);
  vi.useRealTimers();
});
