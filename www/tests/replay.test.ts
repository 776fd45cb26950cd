// A game on the board: steps and matches; of several requested games, the last one is shown.
import { describe, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import type { GameView, Port, Request } from '../src/engine/protocol';
import { Replay, START_FEN } from '../src/state/replay.svelte';
import { destinations, isPromotion, playLine, playMove } from '../src/state/rules';

const game = (id: number): GameView => ({
  row: { id, white: 'A', black: 'B', white_elo: 0, black_elo: 0, result: '*', eco: '', opening: '', eco_tag: '', date: '', event: '', site: '', plies: 4, ending: '', time_class: '', round: '', time_control: '', annotator: '' },
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

it('stays where the user went while the same game was fetched again', async () => {
  const one = replay();
  await one.show(5, 'check', null);
  const again = one.show(5, 'mate', 4);
  one.go(1);
  await again;
  expect(one.ply).toBe(1);
  const onceMore = one.show(5, 'check', null);
  one.play(playMove(START_FEN, 'd2d4')!);
  await onceMore;
  expect([one.ply, one.movesOfSideline]).toEqual([1, ['d2d4']]);
  await one.show(5, 'check', 3);
  expect([one.ply, one.sideline]).toEqual([3, null]);
});

describe('a sideline', () => {
  const step = (uci: string, fen = START_FEN) => playMove(fen, uci)!;

  async function atStart() {
    const one = replay();
    await one.show(5, '', 0);
    return one;
  }

  it('begins where the game is left, and the game stays as it is', async () => {
    const one = await atStart();
    const d4 = step('d2d4');
    one.play(d4);
    one.play(step('d7d5', d4.fen));
    expect([one.ply, one.last?.san, one.movesOfSideline]).toEqual([0, 'd5', ['d2d4', 'd7d5']]);
    expect(one.game?.plies.map(({ san }) => san)).toEqual(['e4', 'e5', 'Nf3', 'Nc6']);
    one.back();
    expect([one.last?.san, one.movesOfSideline]).toEqual(['d4', ['d2d4']]);
    one.forward();
    one.forward();
    expect(one.last?.san).toBe('d5');
    one.back();
    one.back();
    expect([one.sideline, one.fen]).toEqual([null, START_FEN]);
  });

  it('goes on from the middle of the line, and drops what came after', async () => {
    const one = await atStart();
    one.play(step('d2d4'));
    one.play(step('d7d5', one.fen));
    one.back();
    one.play(step('g8f6', one.fen));
    expect(one.movesOfSideline).toEqual(['d2d4', 'g8f6']);
  });

  it('ends when the game is shown at a ply', async () => {
    const one = await atStart();
    one.play(step('d2d4'));
    one.go(3);
    expect([one.sideline, one.ply]).toEqual([null, 3]);
  });

  it('comes from an address, up to its first illegal move', async () => {
    const one = replay();
    await one.show(5, '', 0, ['d2d4', 'd7d5', 'e1e8', 'c2c4']);
    expect(one.movesOfSideline).toEqual(['d2d4', 'd7d5']);
  });

  it('a move of the game is no sideline', async () => {
    const real = playLine(START_FEN, ['e2e4', 'e7e5']);
    const one = await atStart();
    one.game = { ...one.game!, plies: real.map(({ fen, uci, san }) => ({ fen, uci, san })) };
    one.play(step('e2e4'));
    expect([one.sideline, one.ply]).toEqual([null, 1]);
  });
});

describe('the rules', () => {
  it('castling, en passant and promotion are legal moves', () => {
    expect(playMove('r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1', 'e1g1')?.san).toBe('O-O');
    expect(playMove('8/8/8/3pP3/8/8/8/K6k w - d6 0 1', 'e5d6')?.san).toBe('exd6');
    expect(playMove('8/P7/8/8/8/8/8/K6k w - - 0 1', 'a7a8n')?.san).toBe('a8=N');
    expect(isPromotion('8/P7/8/8/8/8/8/K6k w - - 0 1', 'a7', 'a8')).toBe(true);
    expect(isPromotion('8/R7/8/8/8/8/8/K6k w - - 0 1', 'a7', 'a8')).toBe(false);
  });

  it('no move is legal on a board that is no position', () => {
    expect(destinations('8/8/8/8/8/8/8/8 w - - 0 1').size).toBe(0);
    expect(playMove('not a FEN', 'e2e4')).toBeNull();
    expect(destinations(START_FEN).get('g1')?.sort()).toEqual(['f3', 'h3']);
  });
});
