// The rows of the list of moves: a row for each move number, and between them what the text says.
import type { GameView } from '../engine/protocol';
import type { GameText, Variation } from './gametext';
import { turnOf } from './squares';
import { moveNumber } from './words';

export interface MovesRow {
  kind: 'moves';
  key: string;
  number: string;
  /** Plies of White's and Black's move; 0 if the row has none. */
  white: number;
  black: number;
}

export interface TextRow {
  kind: 'text';
  key: string;
  comments: readonly string[];
  variations: readonly Variation[];
}

export type Row = MovesRow | TextRow;

/** Without `text`, only the rows of moves. A comment or variation splits the row of its move. */
export function rowsOf(game: GameView, text: GameText | null): Row[] {
  const rows: Row[] = [];
  const add = (key: string, comments: readonly string[], variations: readonly Variation[] = []) => {
    if (comments.length + variations.length > 0) rows.push({ kind: 'text', key, comments, variations });
  };
  const blackBegins = turnOf(game.start_fen) === 'black';
  if (text) add('start', text.start.after);
  for (let at = 1; at <= game.plies.length; at++) {
    const said = text?.plies[at - 1];
    if (said) add(`before ${at}`, said.before);
    const isWhites = (at % 2 === 1) !== blackBegins;
    const last = rows.at(-1);
    const number = moveNumber(game.start_fen, at);
    if (isWhites) rows.push({ kind: 'moves', key: `${at}`, number, white: at, black: 0 });
    else if (last?.kind === 'moves' && last.black === 0) last.black = at;
    else rows.push({ kind: 'moves', key: `${at}`, number: number.replace('…', '.'), white: 0, black: at });
    if (said) add(`after ${at}`, said.after, said.variations);
  }
  return rows;
}

/** How many moves a row has, with all its variations. */
export function weightOf(row: Row): number {
  return row.kind === 'moves' ? 2 : 1 + row.variations.reduce((sum, variation) => sum + movesOf(variation), 0);
}

/** The number of moves of a variation, and of those inside it. */
export function movesOf(variation: Variation): number {
  let moves = 0;
  const left = [variation];
  for (let one = left.pop(); one; one = left.pop()) {
    moves += one.moves.length;
    for (const move of one.moves) left.push(...move.variations);
  }
  return moves;
}
