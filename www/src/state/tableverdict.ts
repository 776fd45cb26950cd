// What tables say, in words: the verdict of a position, of a move, and of a move that threw something away.
import type { TableMove, TableResult, TableValue } from '../tables/protocol';
import { destinations, positionOf } from './rules';
import { say } from './say';
import { menOf, turnOf } from './squares';
import { counted } from './words';

/** The most pieces of any table, kings included. */
export const MOST_PIECES = 7;

/** A result from White's side. */
export type Outcome = 'white' | 'draw' | 'black';

/** How many pieces a position has, kings included. */
export const piecesOf = (fen: string) => menOf(fen).length;

/** Who wins, from the value for the side to move. */
export function outcomeOf(fen: string, { result }: TableValue): Outcome {
  if (result === 'draw') return 'draw';
  return (result === 'win') === (turnOf(fen) === 'white') ? 'white' : 'black';
}

/** `White mates in 23 moves.` */
export function verdictInWords(fen: string, value: TableValue): string {
  const outcome = outcomeOf(fen, value);
  if (outcome === 'draw') return isStalemate(fen) ? say('Stalemate: a draw.') : say('A draw, if both sides play their best.');
  if (value.moves === 0) return outcome === 'white' ? say('Checkmate: White has won.') : say('Checkmate: Black has won.');
  const { moves } = value;
  // Some servers know who wins, and not how soon.
  if (moves === null) return outcome === 'white' ? say('White wins.') : say('Black wins.');
  return outcome === 'white' ? counted(moves, ['White mates in # move.', 'White mates in # moves.']) : counted(moves, ['Black mates in # move.', 'Black mates in # moves.']);
}

function isStalemate(fen: string): boolean {
  return positionOf(fen)?.isCheck() === false && [...destinations(fen).values()].every((squares) => squares.length === 0);
}

/** The distance as players write it: `#12`, `#−12` if Black mates, `=` in a draw. */
export function shortVerdict(fen: string, value: TableValue): string {
  const outcome = outcomeOf(fen, value);
  return outcome === 'draw' ? '=' : `#${outcome === 'black' ? '−' : ''}${value.moves ?? '?'}`;
}

/** What a move leads to: `mates in 12`, `draws`, `is mated in 5`. */
export function moveInWords({ result, moves }: TableValue): string {
  if (result === 'draw') return say('draws');
  if (moves === null) return result === 'win' ? say('wins') : say('loses');
  if (result === 'win') return moves === 1 ? say('mates') : say(`mates in ${moves}`);
  return say(`is mated in ${moves}`);
}

const RANK: Record<TableResult, number> = { win: 2, draw: 1, loss: 0 };

/** What a move threw away. */
export type Thrown = 'win' | 'win to a loss' | 'draw';

/** What was thrown away between the value before a move and the value that it leads to, both for the side that moved; null for nothing. */
export function thrownAway(before: TableValue, after: TableValue): Thrown | null {
  if (RANK[after.result] >= RANK[before.result]) return null;
  if (before.result === 'draw') return 'draw';
  return after.result === 'draw' ? 'win' : 'win to a loss';
}

/** `Kd4 throws the win away`. */
export function thrownInWords(san: string, thrown: Thrown): string {
  if (thrown === 'draw') return say(`${san} throws the draw away`);
  return thrown === 'win' ? say(`${san} throws the win away`) : say(`${san} turns the win into a loss`);
}

/** The value for the side that moved into a position, from the value for the side to move there. */
export function forMover({ result, moves }: TableValue): TableValue {
  if (result === 'loss') return { result: 'win', moves: moves === null ? null : moves + 1 };
  return { result: result === 'win' ? 'loss' : 'draw', moves };
}

export interface MoveGroup {
  result: TableResult;
  name: string;
  moves: TableMove[];
}

/** The moves as Lichess groups them; groups without moves are left out. */
export function groupsOf(moves: readonly TableMove[]): MoveGroup[] {
  const names: Record<TableResult, string> = { win: say('Winning'), draw: say('Drawing'), loss: say('Losing') };
  const groups = (['win', 'draw', 'loss'] as const).map((result) => ({ result, name: names[result], moves: moves.filter(({ value }) => value.result === result) }));
  return groups.filter((group) => group.moves.length > 0);
}

/** `KBNvK` with dashes for readers: `KBN–K`. */
export const materialName = (name: string) => name.replace('v', '–');
