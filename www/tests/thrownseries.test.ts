// The user's own endgames that were thrown away: which positions are found, in which order, and what ends the search.
import { describe, expect, it, vi } from 'vitest';
import type { EngineClient } from '../src/engine/client';
import type { GameView } from '../src/engine/protocol';
import { playLine } from '../src/state/rules';
import { TableBoard } from '../src/state/tableboard.svelte';
import type { TableStore } from '../src/state/tablestore.svelte';
import { ThrownSeries } from '../src/state/thrownseries.svelte';
import type { TableValue } from '../src/tables/protocol';

const ROOK = '8/8/8/8/8/2k5/1R6/K7 w - - 0 1';
const LOST_ROOK = ['b2b8', 'c3d4', 'b8d8', 'd4e5', 'd8d5', 'e5d5'];

const gameOf = (id: number, moves: readonly string[]) => ({ row: { id, white: 'Nora', black: 'Ole' }, start_fen: ROOK, plies: playLine(ROOK, moves) }) as unknown as GameView;

/** What tables say: White wins as long as it has its rook and the king does not stand beside it. */
function valueOf(fen: string): TableValue {
  const isWhite = fen.split(' ')[1] === 'w';
  if (!fen.includes('R') || fen.startsWith('8/8/8/3Rk3')) return { result: 'draw', moves: null };
  return { result: isWhite ? 'win' : 'loss', moves: 9 };
}

function series(games: readonly GameView[], white: readonly number[], black: readonly number[]) {
  const asked: string[] = [];
  const engine = {
    call: (method: string, params: { question?: { query: string }; ids?: Uint32Array; id?: number }) => {
      if (method === 'query') {
        asked.push(params.question?.query ?? '');
        return Promise.resolve({ ids: Uint32Array.from(asked.length === 1 ? white : black) });
      }
      return Promise.resolve(method === 'sort' ? params.ids?.toReversed() : games[params.id ?? 0]);
    },
  } as unknown as EngineClient;
  const client = { call: (method: string, params: { fens: string[]; fen: string }) => Promise.resolve(method === 'values' ? { values: params.fens.map(valueOf) } : { fen: params.fen, material: 'KRvK', value: valueOf(params.fen), moves: [] }) };
  const store = { client, mostPieces: 4, refresh: () => Promise.resolve() } as unknown as TableStore;
  const board = new TableBoard(store);
  return { found: new ThrownSeries(engine, store, board), board, asked };
}

describe('endgames that were thrown away', () => {
  it('are those before the user’s first fault, the latest game first', async () => {
    const { found, board, asked } = series([gameOf(0, LOST_ROOK), gameOf(1, LOST_ROOK.slice(0, 4)), gameOf(2, LOST_ROOK.slice(0, 5))], [0, 1, 2], []);
    await found.find('Nora', () => 'club');
    await vi.waitFor(() => expect(found.isLooking).toBe(false));
    expect(asked).toEqual(['white "Nora" and count(piece) <= 4', 'black "Nora" and count(piece) <= 4']);
    expect(found.items.map(({ row, ply, san, thrown, side }) => [row.id, ply, san, thrown, side])).toEqual([[2, 5, 'Rd5+', 'win', 'white'], [0, 5, 'Rd5+', 'win', 'white']]);
    expect([found.done, found.total]).toEqual([3, 3]);
    found.play(0);
    expect([board.fen, board.practice?.side, found.current?.row.id]).toEqual([found.items[0]?.fen, 'white', 2]);
    found.keep();
    found.keep();
    expect(found.kept.size).toBe(1);
    // Another position on the board is none of the series.
    board.show(ROOK);
    expect(found.current).toBeNull();
  });

  it('are the user’s, not the other side’s', async () => {
    const { found } = series([gameOf(0, LOST_ROOK)], [], [0]);
    await found.find('Ole', () => 'club');
    expect([found.items.length, found.total, found.isLooking]).toEqual([0, 1, false]);
  });

  it('are looked for only while their games are open', async () => {
    let corpus = 'club';
    const { found } = series([gameOf(0, LOST_ROOK)], [0], []);
    const finding = found.find('Nora', () => corpus);
    corpus = 'other';
    await finding;
    expect([found.items.length, found.done]).toEqual([0, 0]);
  });
});
