// What a game's PGN says beside its moves: comments, variations, signs, evaluations, clock times and shapes. chessops
// parses the text. The engine's moves are the game; what the text says is joined to them as long as both agree.
import type { Shape } from './shapes';
import { castlingSide, type Chess } from 'chessops/chess';
import { makeFen } from 'chessops/fen';
import { type ChildNode, defaultGame, type Evaluation, type Game, parseComment, PgnParser, type PgnNodeData } from 'chessops/pgn';
import { makeSanAndPlay, parseSan } from 'chessops/san';
import { type Move, type NormalMove } from 'chessops/types';
import { makeSquare, makeUci, opposite, squareFile } from 'chessops/util';
import type { GameView } from '../engine/protocol';
import { isSameAfter, positionOf, type Step } from './rules';

/** What the text says about one move and the position after it. */
export interface Remarks {
  /** Comments before and after the move. */
  before: readonly string[];
  after: readonly string[];
  nags: readonly number[];
  /** From White's side. */
  evaluation: Evaluation | null;
  /** Seconds that the player who moved has left. */
  clock: number | null;
  /** Seconds that the move took. */
  elapsed: number | null;
  shapes: readonly Shape[];
}

export interface VariationMove extends Remarks {
  /** Its index in `GameText.moves`. */
  id: number;
  variation: Variation;
  /** The move as SAN; as the text has it if it is illegal. */
  san: string;
  /** Null if the move is illegal, or comes after an illegal one. */
  step: Step | null;
  variations: Variation[];
}

export interface Variation {
  /** The ply of the game after which the moves of this variation leave the game. */
  root: number;
  /** The ply of its first move. */
  ply: number;
  /** The move that it replaces; null if that is a move of the game. */
  instead: VariationMove | null;
  /** 1 for a variation of the game itself. */
  depth: number;
  moves: VariationMove[];
}

export interface PlyText extends Remarks {
  /** Alternatives to the move. */
  variations: readonly Variation[];
}

export interface GameText {
  /** What the text says before the first move. */
  start: Remarks;
  /** One for each ply of the game. */
  plies: readonly PlyText[];
  /** The last ply at which text and game agree. */
  agreesTo: number;
  /** The moves of all variations. */
  moves: readonly VariationMove[];
  /** Whether there are comments or variations. */
  hasProse: boolean;
  /** The web page of the game, if a header names one; otherwise empty. */
  link: string;
}

export const NOTHING: PlyText = { before: [], after: [], nags: [], evaluation: null, clock: null, elapsed: null, shapes: [], variations: [] };

/** Reads the text of a game, all at once. */
export function readGameText(pgn: string, game: GameView): GameText {
  const reading = readInSteps(pgn, game);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
  }
}

/** Milliseconds of work after which the page gets its turn. */
const SLICE_MS = 8;

/** Reads the text of a game without holding up the page; null if nobody wants it any longer. */
export async function readGameTextInSlices(pgn: string, game: GameView, isWanted: () => boolean): Promise<GameText | null> {
  const reading = readInSteps(pgn, game);
  for (let end = performance.now() + SLICE_MS; ; ) {
    const { done, value } = reading.next();
    if (done) return value;
    if (performance.now() < end) continue;
    await new Promise((resolve) => setTimeout(resolve));
    if (!isWanted()) return null;
    end = performance.now() + SLICE_MS;
  }
}

function* readInSteps(pgn: string, game: GameView): Generator<void, GameText> {
  const { headers, moves: text } = split(pgn);
  const parsed = parse(text);
  yield;
  const plies: PlyText[] = [];
  const moves: VariationMove[] = [];
  let node: Game<PgnNodeData>['moves'] = parsed.moves;
  for (let at = 0; at < game.plies.length; at++) {
    const own = node.children.find((child) => isMoveOf(child, game, at));
    if (!own) break;
    const variations: Variation[] = [];
    for (const other of node.children) {
      if (other === own) continue;
      const variation: Variation = { root: at, ply: at + 1, instead: null, depth: 1, moves: [] };
      variations.push(variation);
      yield* readVariation(other, variation, positionOf(fenAt(game, at)), moves);
    }
    plies.push({ ...remarksOf(own.data), variations });
    node = own;
    yield;
  }
  const agreesTo = plies.length;
  while (plies.length < game.plies.length) plies.push(NOTHING);
  const start = remarksOf({ san: '', comments: parsed.comments ?? [] });
  const hasProse = start.after.length > 0 || plies.some(({ before, after, variations }) => before.length + after.length + variations.length > 0);
  return { start, plies, agreesTo, moves, hasProse, link: linkOf(headers) };
}

function fenAt(game: GameView, ply: number): string {
  return game.plies[ply - 1]?.fen ?? game.start_fen;
}

/** Whether a move of the text is the game's move after `at` plies. The text may write it in another way. */
function isMoveOf({ data }: ChildNode<PgnNodeData>, game: GameView, at: number): boolean {
  const own = game.plies[at];
  if (!own) return false;
  if (bareSan(data.san) === bareSan(own.san)) return true;
  const position = positionOf(fenAt(game, at));
  const step = position && playSan(position, data.san);
  return step !== null && isSameAfter(step.fen, own.fen);
}

function bareSan(san: string): string {
  return san.replace(/[+#=]/g, '');
}

interface Branch {
  first: ChildNode<PgnNodeData>;
  variation: Variation;
  position: Chess | null;
}

/** Reads a variation and those inside it. A stack of its own allows any depth. */
function* readVariation(first: ChildNode<PgnNodeData>, variation: Variation, position: Chess | null, moves: VariationMove[]): Generator<void> {
  const branches: Branch[] = [{ first, variation, position }];
  for (let branch = branches.pop(); branch; branch = branches.pop()) {
    const { root, depth, ply } = branch.variation;
    let here = branch.position;
    let node: ChildNode<PgnNodeData> | undefined = branch.first;
    let others: ChildNode<PgnNodeData>[] = [];
    while (node) {
      const before: Chess | null = others.length > 0 ? (here?.clone() ?? null) : null;
      const step: Step | null = here && playSan(here, node.data.san);
      if (!step) here = null;
      const move: VariationMove = { ...remarksOf(node.data), id: moves.length, variation: branch.variation, san: step?.san ?? node.data.san, step, variations: [] };
      moves.push(move);
      for (const other of others) {
        const inner: Variation = { root, ply: ply + branch.variation.moves.length, instead: move, depth: depth + 1, moves: [] };
        move.variations.push(inner);
        branches.push({ first: other, variation: inner, position: before?.clone() ?? null });
      }
      branch.variation.moves.push(move);
      yield;
      others = node.children.slice(1);
      node = node.children[0];
    }
  }
}

/** Plays a move of the text on `position`; null if it is illegal there. */
export function playSan(position: Chess, san: string): Step | null {
  if (san === '--') return passed(position);
  const move = parseSan(position, san);
  if (!move) return null;
  const uci = uciOf(position, move);
  const written = makeSanAndPlay(position, move);
  return { fen: makeFen(position.toSetup()), uci, san: written };
}

/** A null move: annotators let a player pass to show a threat. */
function passed(position: Chess): Step | null {
  if (position.isCheck()) return null;
  position.epSquare = undefined;
  position.halfmoves++;
  if (position.turn === 'black') position.fullmoves++;
  position.turn = opposite(position.turn);
  return { fen: makeFen(position.toSetup()), uci: '', san: '--' };
}

/** UCI notation; castling goes to the king's square, as the engine writes it. */
function uciOf(position: Chess, move: Move): string {
  const side = castlingSide(position, move);
  const { from, to } = move as NormalMove;
  const isUsual = side !== undefined && squareFile(from) === 4 && (squareFile(to) === 0 || squareFile(to) === 7);
  return isUsual ? makeSquare(from) + makeSquare(from + (side === 'h' ? 2 : -2)) : makeUci(move);
}

/** Splits a PGN into its headers and its moves. */
function split(pgn: string): { headers: ReadonlyMap<string, string>; moves: string } {
  const text = pgn.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const headers = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end);
    if (!/^\s*(?:\[|%|$)/.test(line)) break;
    const header = /^\s*\[(\w+)\s+"((?:[^"\\]|\\.)*)"/.exec(line);
    if (header?.[1]) headers.set(header[1].toLowerCase(), (header[2] ?? '').replace(/\\(.)/g, '$1'));
    at = end < 0 ? text.length : end + 1;
  }
  return { headers, moves: text.slice(at) };
}

/**
 * Parses the moves. Before that, comments to the end of a line become comments in braces, which the parser keeps,
 * and empty lines go, at which the parser would end the game.
 */
function parse(text: string): Game<PgnNodeData> {
  const even = text.replace(/\{[^}]*(?:\}|$)|;([^\n]*)|\n(?:[^\S\n]*\n)+/g, (found: string, rest: string | undefined) => {
    if (found.startsWith('{')) return found;
    return rest === undefined ? '\n' : `{${rest.replace(/[{}]/g, '')}}`;
  });
  const games: Game<PgnNodeData>[] = [];
  new PgnParser((game) => games.push(game), undefined, NaN).parse(even);
  return games[0] ?? defaultGame();
}

function remarksOf({ startingComments, comments, nags }: PgnNodeData): Remarks {
  if (!startingComments && !comments && !nags) return NOTHING;
  const found = { evaluation: null as Evaluation | null, clock: null as number | null, elapsed: null as number | null, shapes: [] as Shape[] };
  const prose = (texts: readonly string[] = []) => texts.map((text) => proseOf(text, found)).filter((text) => text !== '');
  return { before: prose(startingComments), after: prose(comments), nags: nags ?? [], ...found };
}

/** The words of a comment without its commands; puts what the commands say into `found`. */
function proseOf(comment: string, found: { evaluation: Evaluation | null; clock: number | null; elapsed: number | null; shapes: Shape[] }): string {
  if (!comment.includes('[%')) return comment.trim();
  const { text, shapes, clock, emt, evaluation } = parseComment(comment);
  if (evaluation) found.evaluation = evaluation;
  if (clock !== undefined) found.clock = clock;
  if (emt !== undefined) found.elapsed = emt;
  for (const { color, from, to } of shapes) {
    found.shapes.push(from === to ? { orig: makeSquare(from), brush: color } : { orig: makeSquare(from), dest: makeSquare(to), brush: color });
  }
  // Programs have commands of their own, which nobody reads.
  return text.replace(/\[%[^\]]*\]/g, ' ').trim();
}

const GAME_SITES = /^(?:[a-z-]+\.)?(?:lichess\.org|chess\.com)$/;

/** The page of the game at lichess or chess.com. */
function linkOf(headers: ReadonlyMap<string, string>): string {
  for (const name of ['site', 'link', 'gameurl', 'chapterurl']) {
    const text = headers.get(name) ?? '';
    if (!/^https?:/.test(text) || !URL.canParse(text)) continue;
    const address = new URL(text);
    if (GAME_SITES.test(address.hostname) && address.pathname.length > 1) return address.href;
  }
  return '';
}

/** The steps from the game to the end of the variation of a move, and how many of them lead to that move. */
export function lineTo(move: VariationMove): { root: number; steps: Step[]; played: number } {
  const pieces: VariationMove[][] = [];
  const last = move.variation.moves.indexOf(move);
  pieces.push(move.variation.moves);
  for (let at = move.variation.instead; at; at = at.variation.instead) pieces.push(at.variation.moves.slice(0, at.variation.moves.indexOf(at)));
  const moves = pieces.reverse().flat();
  const before = moves.length - move.variation.moves.length;
  const steps: Step[] = [];
  for (const { step } of moves) {
    if (!step) break;
    steps.push(step);
  }
  return { root: move.variation.root, steps, played: before + last + 1 };
}

/** The move of a variation to which these steps lead from the game; null if no variation has them all. */
export function findMove(text: GameText, root: number, steps: readonly Step[]): VariationMove | null {
  let found: VariationMove | null = null;
  for (const { uci } of steps) {
    const next: VariationMove | undefined = followers(text, root, found).find((move) => move.step?.uci === uci);
    if (!next) return null;
    found = next;
  }
  return found;
}

/** The moves of variations that can come after `move`, or from the game after `root` plies. */
function followers(text: GameText, root: number, move: VariationMove | null): VariationMove[] {
  if (!move) return firsts(text.plies[root]?.variations ?? []);
  const { moves } = move.variation;
  const next = moves[moves.indexOf(move) + 1];
  return next ? [next, ...firsts(next.variations)] : [];
}

function firsts(variations: readonly Variation[]): VariationMove[] {
  return variations.flatMap(({ moves }) => moves.slice(0, 1));
}
