// How good a move of the user was, as the tables say: whether it kept what there was, and how many moves it cost.
import type { TableValue, TableVerdict } from '../tables/protocol';
import { playMove, positionOf, type Step } from './rules';
import { say } from './say';
import { thrownAway, thrownInWords, type Thrown } from './tableverdict';
import { counted } from './words';

export interface Judgement {
  san: string;
  /** The best move there, and what the position was worth to the user. */
  best: string;
  before: TableValue;
  /** Null if the move kept the result. */
  thrown: Thrown | null;
  /** How many moves later than the best the user mates, or sooner the user is mated; null if a table has no distances. */
  cost: number | null;
}

/** Judges a move by what the tables say of the position before it; null if they do not know the move. */
export function judge(fen: string, step: Step, { value, moves }: TableVerdict): Judgement | null {
  const after = moves.find(({ uci }) => uci === step.uci)?.value;
  const best = moves[0] && playMove(fen, moves[0].uci);
  if (!after || !best) return null;
  const thrown = thrownAway(value, after);
  return { san: step.san, best: best.san, before: value, thrown, cost: thrown ? null : costOf(value, after) };
}

function costOf(before: TableValue, after: TableValue): number | null {
  if (before.result === 'draw') return 0;
  if (before.moves === null || after.moves === null) return null;
  return Math.max(0, before.result === 'win' ? after.moves - before.moves : before.moves - after.moves);
}

/** `Kd4 still wins, 3 moves later than the best move.` */
export function judgementInWords({ san, before, thrown, cost }: Judgement): string {
  if (thrown) return say(`${thrownInWords(san, thrown)}.`);
  if (before.result === 'draw') return say(`${san} keeps the draw.`);
  const moves = counted(cost ?? 0, ['# move', '# moves']);
  if (before.result === 'win') {
    if (cost === null) return say(`${san} still wins.`);
    return cost === 0 ? say(`${san} still wins, and nothing wins faster.`) : say(`${san} still wins, ${moves} later than the best move.`);
  }
  if (cost === null) return say(`${san} loses, as every move does.`);
  return cost === 0 ? say(`${san} resists as long as can be.`) : say(`${san} is mated ${moves} sooner than it must be.`);
}

/** How a line ended; null while it goes on. Tables do not count fifty moves. */
export type End = 'mate' | 'stalemate' | 'dead' | 'repetition';

/** How a line of positions has ended with its last one. */
export function endOf(fens: readonly string[]): End | null {
  const last = fens.at(-1) ?? '';
  const position = positionOf(last);
  if (!position) return null;
  if (position.isCheckmate()) return 'mate';
  if (position.isStalemate()) return 'stalemate';
  if (position.isInsufficientMaterial()) return 'dead';
  const sameAs = (fen: string) => fen.split(' ').slice(0, 4).join(' ');
  return fens.filter((fen) => sameAs(fen) === sameAs(last)).length >= 3 ? 'repetition' : null;
}
