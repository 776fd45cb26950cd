// Lines of moves in the tree of a game's text: which of its moves lead to a position on the board, and how a line goes on.
import type { Node } from 'chessops/pgn';
import { playSan } from './gametext';
import type { MoveNode, WrittenMove } from './movetext';
import { isSameAfter, positionOf, readMove, type Step } from './rules';

/** A null move as people write it. */
const NULL_MOVE = /^(?:--|Z0|0000|@@@@|<>|null|pass)/;

/** Plays a move as it is written; null if it is illegal. */
export function playWritten(fen: string, san: string): Step | null {
  if (!NULL_MOVE.test(san)) return readMove(fen, san.replace(/[+#]+$/, ''));
  const position = positionOf(fen);
  return position && playSan(position, '--');
}

function bare(san: string): string {
  return san.replace(/[+#=]/g, '');
}

/** Whether a move as it is written is the one that was played from a position. */
function isMove(fen: string, san: string, { san: played, fen: after }: Step): boolean {
  if (bare(san) === bare(played)) return true;
  const step = playWritten(fen, san);
  return step !== null && isSameAfter(step.fen, after);
}

/** The moves of the tree that a line has, which begins with its first position; up to the first that the tree lacks. */
export function pathAlong(moves: Node<WrittenMove>, line: readonly Step[]): MoveNode[] {
  const path: MoveNode[] = [];
  for (const [at, { fen }] of line.entries()) {
    const step = line[at + 1];
    const next = step && (path.at(-1) ?? moves).children.find((child) => isMove(fen, child.data.san, step));
    if (!next) break;
    path.push(next);
  }
  return path;
}

/** The moves of a line from a position on, up to the first that is illegal. Those of `known`, as far as the line has them, are not read again. */
export function stepsFrom(fen: string, first: MoveNode | undefined, known: readonly Step[] = []): Step[] {
  const steps: Step[] = [];
  for (let move = first, isKnown = true; move; move = move.children[0]) {
    const { san } = move.data;
    const same = known[steps.length];
    isKnown &&= same !== undefined && bare(san) === bare(same.san);
    const step = isKnown && same ? same : playWritten(steps.at(-1)?.fen ?? fen, san);
    if (!step) break;
    steps.push(step);
  }
  return steps;
}

/** How many moves two lines have in common. */
export function inCommon(one: readonly Step[], other: readonly Step[]): number {
  const differs = one.findIndex(({ fen }, at) => !isSameAfter(fen, other[at]?.fen ?? ''));
  return differs < 0 ? one.length : differs;
}

export function isSameLine(one: readonly Step[], other: readonly Step[]): boolean {
  return one.length === other.length && inCommon(one, other) === one.length;
}
