// Writes PGN of what is on the board: a game with the sideline as a variation of it, or the explorer's line. A
// sideline is written by chessops, which keeps the comments, variations and glyphs of the game.
import { ChildNode, defaultGame, extend, makePgn, parsePgn, type Node, type PgnNodeData } from 'chessops/pgn';
import { START_FEN } from './replay.svelte';

const asData = (sans: readonly string[]) => sans.map((san) => ({ san }));

/** The game's text with the moves of a sideline as a variation after ply `root`; unchanged without moves. */
export function withSideline(pgn: string, root: number, sans: readonly string[]): string {
  const game = sans.length > 0 ? parsePgn(pgn)[0] : undefined;
  if (!game) return pgn;
  let node: Node<PgnNodeData> = game.moves;
  for (let ply = 0; ply < root; ply++) {
    const next = node.children[0];
    // The text has fewer moves than the engine read.
    if (!next) return pgn;
    node = next;
  }
  // A move that the text already has, as the game's own or as a variation, is not written twice.
  let rest = [...sans];
  for (let found = same(node, rest[0]); found; found = same(node, rest[0])) {
    node = found;
    rest = rest.slice(1);
  }
  extendLast(node, rest);
  return makePgn(game);
}

function same(node: Node<PgnNodeData>, san: string | undefined): ChildNode<PgnNodeData> | undefined {
  const bare = (text: string) => text.replace(/[+#!?]+$/, '');
  return san === undefined ? undefined : node.children.find((child) => bare(child.data.san) === bare(san));
}

/** Adds a line as the last variation. */
function extendLast(node: Node<PgnNodeData>, sans: readonly string[]): void {
  const [first, ...rest] = asData(sans);
  if (!first) return;
  const child = new ChildNode<PgnNodeData>(first);
  node.children.push(child);
  extend(child, rest);
}

/** A line of moves as a game without players. */
export function lineAsPgn(start: string, sans: readonly string[]): string {
  const game = defaultGame<PgnNodeData>();
  if (start !== START_FEN) {
    game.headers.set('SetUp', '1');
    game.headers.set('FEN', start);
  }
  extend(game.moves, asData(sans));
  return makePgn(game);
}
