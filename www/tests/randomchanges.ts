// Random changes of games, the same in every run: what a test makes of a text with the functions of the editor.
import type { Node } from 'chessops/pgn';
import * as changes from '../src/state/movechanges';
import { playWritten } from '../src/state/movepaths';
import type { MoveNode, MoveText, WrittenMove } from '../src/state/movetext';
import { START_FEN } from '../src/state/replay.svelte';
import { destinations, playMove, type Step } from '../src/state/rules';

/** Texts to begin with, as programs and people write them. */
export const TEXTS = ['1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n', '{Start} 1.d4!d5(1...Nf6{x}2.c4(2.Nf3 $2)e6)2.c4{[%clk 1:00:00]}1/2-1/2', '1. e4 (1. d4 (1. c4) d5) (1. Nf3) {b} e5\r\n2. Nf3 ; so\r\n2... Nc6', '*'];

/** Numbers from 0 to below `most`, the same in every run. */
export function numbers(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

const legal = (fen: string): string[] => [...destinations(fen)].flatMap(([from, all]) => all.map((to) => from + to)).flatMap((uci) => playMove(fen, uci)?.san ?? playMove(fen, `${uci}q`)?.san ?? []);

/** A path to some move. */
function somewhere(text: MoveText, below: (most: number) => number): MoveNode[] {
  const found: MoveNode[] = [];
  for (let node: Node<WrittenMove> = text.moves; node.children.length > 0 && below(12) > 0; node = found.at(-1) as MoveNode) found.push(node.children[below(3) > 0 ? 0 : below(node.children.length)] as MoveNode);
  return found;
}

/** Changes a game somewhere. */
export function change(text: MoveText, below: (most: number) => number): void {
  const at = somewhere(text, below);
  const [move, first] = [at.at(-1), below(4) === 0];
  const remarks = !move ? text.start : first && move.data.open ? move.data.before : move.data.after;
  const one = below(10);
  if (one < 4) {
    const fen = stepsAlong(at).at(-1)?.fen ?? START_FEN;
    const moves = legal(fen);
    const san = moves[below(moves.length)];
    const known = (move ?? text.moves).children.map(({ data }) => data.san);
    if (san && !known.includes(san)) changes.addMove(text, at, san);
  } else if (one < 6) changes.setWords(remarks, below(2), ['', 'good', 'two\nlines', 'a (b) $1 [c]'][below(4)] as string);
  else if (one < 7) move && changes.toggleSign(move, [1, 2, 3, 14, 146][below(5)] as number, [1, 2, 3]);
  else if (one < 8) changes.promote(text, at);
  else if (one < 9) below(4) === 0 ? changes.makeMain(text, at) : changes.deleteVariation(text, at);
  else below(3) === 0 ? changes.deleteFrom(text, at) : changes.deleteComment(remarks, 0);
}

function stepsAlong(at: readonly MoveNode[]): Step[] {
  const steps: Step[] = [];
  for (const { data } of at) steps.push(playWritten(steps.at(-1)?.fen ?? START_FEN, data.san) as Step);
  return steps;
}
