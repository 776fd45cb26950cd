// A game in a link: its moves, two bytes each, and the headers that name it. So a link shows the game to somebody who has not the
// games that it is from.
import { defaultGame, extend, makePgn, type PgnNodeData } from 'chessops/pgn';
import { makeSquare, parseSquare } from 'chessops/util';
import type { GameView } from '../engine/protocol';
import { START_FEN } from './replay.svelte';
import { playLine } from './rules';

/** A link of more letters is cut by some programs. */
export const MOST_LINK_LETTERS = 2000;
/** Moves of one game at most; more are no game. */
const MOST_MOVES = 1000;
const PIECES = ['', 'n', 'b', 'r', 'q'];

/** The headers that a link carries, in this order. */
type Headers = readonly [white: string, black: string, result: string, date: string, event: string, start: string];

export interface LinkedGame {
  /** What the collection of this game is called. */
  name: string;
  pgn: string;
}

/** A game as a part of an address; empty if it has a move that the notation lacks. */
export function packGame({ row, start_fen, plies }: GameView): string {
  const bytes = new Uint8Array(2 * plies.length);
  for (const [at, { uci }] of plies.entries()) {
    const [from, to] = [parseSquare(uci.slice(0, 2)), parseSquare(uci.slice(2, 4))];
    const piece = PIECES.indexOf(uci.slice(4));
    if (from === undefined || to === undefined || piece < 0) return '';
    new DataView(bytes.buffer).setUint16(2 * at, (piece << 12) | (to << 6) | from);
  }
  const headers: Headers = [row.white, row.black, row.result, row.date, row.event, start_fen === START_FEN ? '' : start_fen];
  return `${base64(bytes)}.${base64(new TextEncoder().encode(JSON.stringify(headers)))}`;
}

/** The game of such a part; null if it is none, or a move is illegal. */
export function unpackGame(text: string): LinkedGame | null {
  try {
    const [moves = '', rest = ''] = text.split('.');
    const bytes = bytesOf(moves);
    const headers: unknown = JSON.parse(new TextDecoder().decode(bytesOf(rest)));
    if (!Array.isArray(headers) || headers.length !== 6 || !headers.every((one) => typeof one === 'string')) return null;
    const [white, black, result, date, event, start] = headers as unknown as Headers;
    const wanted = Array.from({ length: Math.min(MOST_MOVES, bytes.length / 2) }, (_, at) => uciOf(new DataView(bytes.buffer).getUint16(2 * at)));
    const steps = playLine(start || START_FEN, wanted);
    if (steps.length === 0 || steps.length < wanted.length) return null;
    const game = defaultGame<PgnNodeData>();
    for (const [name, value] of Object.entries({ White: white, Black: black, Result: result, Date: date, Event: event })) if (value) game.headers.set(name, value);
    if (start) {
      game.headers.set('SetUp', '1');
      game.headers.set('FEN', start);
    }
    extend(game.moves, steps.map(({ san }) => ({ san })));
    return { name: `${white || '?'} - ${black || '?'}`.replace(/[/\\:|]/g, ' '), pgn: makePgn(game) };
  } catch {
    return null;
  }
}

function uciOf(move: number): string {
  return makeSquare(move & 63) + makeSquare((move >> 6) & 63) + (PIECES[move >> 12] ?? '');
}

/** Base64 with the letters that an address needs not escape. */
function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
}
