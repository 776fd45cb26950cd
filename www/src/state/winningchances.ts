// What an engine's evaluations say of the moves of a game: inaccuracies, mistakes and blunders, by the rule of lichess.
import type { Evaluation } from 'chessops/pgn';
import { whiteShare, type Score } from '../analysis/score';
import { say } from './say';
import type { Side } from './squares';

/** The numbers of the signs ?!, ? and ??. */
export type Sign = 6 | 2 | 4;

export function signInWords(sign: Sign): string {
  return { 6: say('Inaccuracy'), 2: say('Mistake'), 4: say('Blunder') }[sign];
}

/** The loss of winning chances, from -1 to 1, from which a move has a sign; the highest first. */
const LOSSES: readonly (readonly [number, Sign])[] = [
  [0.3, 4],
  [0.2, 2],
  [0.1, 6],
];

/** A score in the notation of a game's text. */
export function evaluationOf({ kind, value }: Score): Evaluation {
  return kind === 'mate' ? { mate: value } : { pawns: value / 100 };
}

/** White's chance to win, from -1 to 1. */
export function winningChances(score: Score): number {
  return 2 * whiteShare(score) - 1;
}

/** The sign of a move between two evaluations; null if it loses little. */
export function signOf(before: Score, after: Score, mover: Side): Sign | null {
  const change = winningChances(after) - winningChances(before);
  const loss = mover === 'white' ? -change : change;
  return LOSSES.find(([least]) => loss >= least)?.[1] ?? null;
}

/** How many moves of each sign a side made. */
export interface Tally {
  inaccuracies: number;
  mistakes: number;
  blunders: number;
}

export function tallyOf(signs: Iterable<Sign>): Tally {
  const of = { 6: 0, 2: 0, 4: 0 };
  for (const sign of signs) of[sign]++;
  return { inaccuracies: of[6], mistakes: of[2], blunders: of[4] };
}
