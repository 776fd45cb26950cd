// Evaluations as the page shows them: from White's view, in pawns or moves to mate.
import { say } from '../state/say';
import type { Side } from '../state/squares';
import { decimal } from '../state/words';
import type { UciScore } from './uci';

/** An evaluation from White's view: centipawns, or moves to mate, which are negative if Black mates. */
export type Score = UciScore;

/** The evaluation of a position in which `turn` is to move, from White's view. */
export function whiteScore(score: UciScore, turn: Side): Score {
  if (turn === 'white') return score;
  const bound = score.bound === 'lower' ? 'upper' : score.bound === 'upper' ? 'lower' : 'exact';
  return { kind: score.kind, value: -score.value, bound };
}

/** `+0.7`, `−1.3`, `0.0`, `#5`, `#−2`: a notation, which all languages share. */
export function scoreText({ kind, value }: Score, digits = 1): string {
  if (kind === 'mate') return `#${value < 0 ? '−' : ''}${Math.abs(value)}`;
  const pawns = (Math.abs(value) / 100).toFixed(digits);
  // A value that rounds to nothing has no sign.
  return Number(pawns) === 0 ? pawns : `${value < 0 ? '−' : '+'}${pawns}`;
}

/** The same in at most four characters, for the bar; who is better is seen there. */
export function shortText({ kind, value }: Score): string {
  if (kind === 'mate') return `#${Math.abs(value)}`;
  const pawns = Math.abs(value) / 100;
  return pawns.toFixed(pawns < 9.95 ? 1 : 0);
}

/** A sentence for screen readers. */
export function scoreWords({ kind, value }: Score): string {
  if (kind === 'mate') return value < 0 ? say(`Black mates in ${-value}`) : say(`White mates in ${value}`);
  // Rounded as the bar rounds, so that both say the same number.
  const rounded = Number((Math.abs(value) / 100).toFixed(1));
  if (rounded === 0) return say('Equal');
  const pawns = decimal(rounded, 1);
  if (rounded === 1) return value < 0 ? say(`Black is better by ${pawns} pawn`) : say(`White is better by ${pawns} pawn`);
  return value < 0 ? say(`Black is better by ${pawns} pawns`) : say(`White is better by ${pawns} pawns`);
}

/** How much of the bar is White's, from 0 to 1: the chance to win, by the formula that lichess fitted to its games. */
export function whiteShare({ kind, value }: Score): number {
  if (kind === 'mate') return value < 0 ? 0 : 1;
  return 1 / (1 + Math.exp(-0.00368208 * Math.max(-1000, Math.min(1000, value))));
}

/** Evaluations in one order: mates of Black, pawns, mates of White; a quicker mate is better. */
export function rankOf({ kind, value }: Score): number {
  if (kind === 'cp') return value;
  return value < 0 ? -1e6 - value : 1e6 - value;
}
