// Changes of a game as a tree of moves: lines, comments and signs.
import type { Node } from 'chessops/pgn';
import { newMove, type MoveNode, type MoveText, type Remark, type WrittenMove } from './movetext';
import { hostOf, variationsBehind } from './movewriter';

/** The moves from the start of a game to one of them, itself included; empty for the start. */
export type MovePath = readonly MoveNode[];

/** Behind all variations of its move. */
const LAST = Number.MAX_SAFE_INTEGER;

function before(text: MoveText, path: MovePath, at: number): Node<WrittenMove> {
  return path[at - 1] ?? text.moves;
}

/** Adds a move behind those of `path`: in the line if that ends there, and otherwise as its last variation. */
export function addMove(text: MoveText, path: MovePath, san: string): MoveNode {
  const move = newMove(san);
  const { children } = before(text, path, path.length);
  const [first] = children;
  const variations = first ? variationsBehind(first, children).length : 0;
  // What stands behind all variations leads on to the next move.
  if (variations > 0) for (const remark of first?.data.after ?? []) if (remark.behind === variations) remark.behind++;
  children.push(move);
  return move;
}

/** The index in `path` of the first move of the innermost variation that has its last move; -1 if that is a move of the game. */
export function variationIn(text: MoveText, path: MovePath): number {
  return path.findLastIndex((move, at) => before(text, path, at).children[0] !== move);
}

/** Puts the innermost variation in the place of the line that it leaves, which becomes a variation. */
export function promote(text: MoveText, path: MovePath): void {
  const at = variationIn(text, path);
  if (at >= 0) raise(text, path, at);
}

/** Puts the line that leads to the last move in the place of the game's own. */
export function makeMain(text: MoveText, path: MovePath): void {
  for (let at = path.length - 1; at >= 0; at--) raise(text, path, at);
}

function raise(text: MoveText, path: MovePath, at: number): void {
  const from = before(text, path, at);
  const move = path[at];
  const [first] = from.children;
  if (!move || first === move) return;
  for (const { data } of from.children) if (data.host === first) data.host = null;
  from.children = [move, ...from.children.filter((one) => one !== move)];
  beginNoVariation(text, path, at);
}

/** What stands before a move that no longer begins a variation stands behind the move before it. */
function beginNoVariation(text: MoveText, path: MovePath, at: number): void {
  const move = before(text, path, at).children[0];
  if (!move) return;
  const remarks = move.data.before.map((remark) => ({ ...remark, behind: LAST }));
  (path[at - 1]?.data.after ?? text.start).push(...remarks);
  move.data.before = [];
}

/** Deletes the last move of `path` with all that follows. The first variation takes the place of a move that has some. */
export function deleteFrom(text: MoveText, path: MovePath): void {
  const at = path.length - 1;
  const move = path[at];
  if (!move) return;
  const from = before(text, path, at);
  const [first] = from.children;
  const host = hostOf(from.children, from.children.indexOf(move));
  if (host && move !== first) {
    const place = variationsBehind(host, from.children).indexOf(move);
    for (const remark of host.data.after) if (remark.behind > place && remark.behind !== LAST) remark.behind--;
  }
  from.children = from.children.filter((one) => one !== move);
  if (first === move) beginNoVariation(text, path, at);
  if (text.moves.children.length === 0 && text.start.length === 0) text.tail = text.tail.trimStart();
}

/** Deletes the innermost variation that has the last move of `path`. */
export function deleteVariation(text: MoveText, path: MovePath): void {
  const at = variationIn(text, path);
  if (at >= 0) deleteFrom(text, path.slice(0, at + 1));
}

/** All moves of a game. */
function* everyMove(text: MoveText): Generator<MoveNode> {
  const waiting: Node<WrittenMove>[] = [text.moves];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    yield* node.children;
    waiting.push(...node.children);
  }
}

/** The moves of the game without its variations. */
function* ownMoves(text: MoveText): Generator<Node<WrittenMove>> {
  for (let node: Node<WrittenMove> | undefined = text.moves; node; node = node.children[0]) yield node;
}

export function deleteVariations(text: MoveText): void {
  for (const node of ownMoves(text)) node.children = node.children.slice(0, 1);
}

/** Keeps what `kept` makes of each remark of the game. */
function changeRemarks(text: MoveText, kept: (remark: Remark) => Remark[]): void {
  text.start = text.start.flatMap(kept);
  for (const { data } of everyMove(text)) {
    data.before = data.before.flatMap(kept);
    data.after = data.after.flatMap(kept);
  }
}

export function deleteSigns(text: MoveText): void {
  changeRemarks(text, (remark) => (remark.kind === 'sign' ? [] : [remark]));
}

/** Deletes all comments but clocks and evaluations, which programs have measured. */
export function deleteComments(text: MoveText): void {
  changeRemarks(text, (remark) => {
    if (remark.kind !== 'comment') return [remark];
    const measured = commentOf(remark).commands.filter((command) => /^\[%(?:clk|emt|eval)/.test(command));
    return measured.length === 0 ? [] : [{ ...remark, text: `{${measured.join(' ')}}`, from: -1 }];
  });
}

/** Comments as a person reads them: words, and the commands of programs such as `[%clk 0:01:02]`. */
export interface Comment {
  words: string;
  commands: readonly string[];
}

export function commentOf({ text }: Remark): Comment {
  const inside = text.startsWith('{') ? text.slice(1, -1) : text.slice(1);
  const commands = inside.match(/\[%[^\]]*\]/g) ?? [];
  const words = commands.length === 0 ? inside : inside.replace(/(?:[^\S\n]*\[%[^\]]*\])+[^\S\n]*/g, ' ');
  return { words: words.replace(/\r\n?/g, '\n').trim(), commands };
}

/** Puts other words in the place of those of the `nth` comment, or adds a comment. Without words and commands, it goes. */
export function setWords(remarks: Remark[], nth: number, typed: string): void {
  // The first } ends a comment.
  const words = typed.replaceAll('}', ')').trim();
  const old = remarks.filter(({ kind }) => kind === 'comment')[nth];
  if (!old) {
    if (words !== '') remarks.splice(remarks.filter(({ behind, kind }) => behind === 0 && kind !== 'comment').length, 0, { kind: 'comment', lead: '', text: `{${words}}`, behind: 0, from: -1 });
    return;
  }
  const { words: before, commands } = commentOf(old);
  if (words === before) return;
  const inside = old.text.slice(1);
  const [parts, isBraced] = [/^\s*\[%/.test(inside) ? [...commands, words] : [words, ...commands], old.text.startsWith('{')];
  const [, opening = '', closing = ''] = isBraced ? (/^([^\S\r\n]*)[^]*?([^\S\r\n]*)\}$/.exec(inside) ?? []) : [];
  const text = parts.filter(Boolean).join(' ');
  if (text === '') remarks.splice(remarks.indexOf(old), 1);
  else [old.text, old.from] = [`{${opening}${text}${closing}}`, -1];
}

/** Deletes the `nth` comment with its commands. */
export function deleteComment(remarks: Remark[], nth: number): void {
  const old = remarks.filter(({ kind }) => kind === 'comment')[nth];
  if (old) remarks.splice(remarks.indexOf(old), 1);
}

const SIGNS: Readonly<Record<string, number>> = { '!': 1, '?': 2, '!!': 3, '??': 4, '!?': 5, '?!': 6 };

/** The number of a sign. */
export function numberOf({ text }: Remark): number {
  return SIGNS[text] ?? Number(text.slice(1));
}

/** The signs of a move, by number. */
export function signsOf(move: MoveNode): number[] {
  return move.data.after.filter(({ kind }) => kind === 'sign').map(numberOf);
}

/** Gives a move a sign, or takes it away. It takes the place of the others of its group, of which a move has one. */
export function toggleSign(move: MoveNode, number: number, group: readonly number[]): void {
  const { after } = move.data;
  const isThere = signsOf(move).includes(number);
  const place = after.findIndex((remark) => remark.kind === 'sign' && group.includes(numberOf(remark)));
  const kept = after.filter((remark) => remark.kind !== 'sign' || !(numberOf(remark) === number || group.includes(numberOf(remark))));
  const behindSigns = kept.findIndex(({ kind }) => kind !== 'sign');
  if (!isThere) kept.splice(place >= 0 ? place : behindSigns < 0 ? kept.length : behindSigns, 0, { kind: 'sign', lead: '', text: `$${number}`, behind: 0, from: -1 });
  move.data.after = kept;
}
