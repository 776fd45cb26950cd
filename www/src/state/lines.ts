// The lines of a repertoire: of a PGN with variations, the moves that are played in each position. Lines that transpose meet.
import { makeFen } from 'chessops/fen';
import { parsePgn, startingPosition, type Node, type PgnNodeData } from 'chessops/pgn';
import { bare } from './explorer.svelte';
import { readMove, type Step } from './rules';
import { say } from './say';

export interface Lines {
  /** The position in which the first line begins. */
  start: string;
  /** By position, without counters: the moves that the lines play there, those of the main line first. */
  moves: ReadonlyMap<string, readonly Step[]>;
}

/** A null move, which ends a line: it shows an idea. */
const NULL_MOVE = /^(--|z0|null)$/i;

/** Reads lines, or says in a sentence why they cannot be read. */
export function readLines(text: string): Lines | string {
  const moves = new Map<string, Step[]>();
  let start = '';
  for (const [nth, game] of parsePgn(text).entries()) {
    const first = startingPosition(game.headers).unwrap(
      (position) => (position.rules === 'chess' ? makeFen(position.toSetup()) : null),
      () => null,
    );
    if (first === null) return say(`Game ${nth + 1}: its first position is none of standard chess.`);
    const wrong = addMoves(game.moves, first, moves);
    if (wrong) return wrong.after === '' ? say(`Game ${nth + 1}: ${wrong.san} is not possible in the first position.`) : say(`Game ${nth + 1}: ${wrong.san} is not possible after ${wrong.after}.`);
    if (start === '' && moves.size > 0) start = first;
  }
  return start === '' ? say('There are no moves in this text.') : { start, moves };
}

/** Adds all moves of a game and of its variations; returns the first that cannot be played, and the move before it. */
function addMoves(game: Node<PgnNodeData>, first: string, moves: Map<string, Step[]>): { san: string; after: string } | null {
  const waiting = [{ node: game, fen: first, after: '' }];
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    for (const child of at.node.children) {
      const { san } = child.data;
      if (NULL_MOVE.test(san)) continue;
      const step = readMove(at.fen, san);
      if (!step) return { san, after: at.after };
      const known = moves.get(bare(at.fen)) ?? [];
      if (!known.some(({ uci }) => uci === step.uci)) moves.set(bare(at.fen), [...known, step]);
      waiting.push({ node: child, fen: step.fen, after: step.san });
    }
  }
  return null;
}
