// The conditions of a query as cards: what each says in a player's words, and what stands on its small board or squares. The engine says
// what a condition is, and changes it.
import type { EngineClient } from '../engine/client';
import type { Condition } from '../engine/protocol';
import { inWords, meaningOf, shownOf, withPlies, type Shown } from './filters';
import { menIn, readMask, EMPTY, type Mask } from './mask';
import type { Reading } from './reading';
import { say } from './say';
import { menOf, pieceInWords, squareName, type Man, type Side } from './squares';
import { tokensOf } from './tokens';

export interface Card extends Shown {
  words: string;
  /** The position or the pattern of the condition, as a FEN with every piece that must stand somewhere; empty without one. */
  fen: string;
  /** The piece that the words are about; null if they are about none, or several. */
  piece: { side: Side; man: Man } | null;
}

/** The cards of the conditions of a query, which may be the meaning of plain words. */
export function cardsOf(conditions: readonly Condition[], reading: Reading | null): Card[] {
  return shownOf(conditions).map((condition) => {
    const { filter, text } = condition;
    const meaning = meaningOf(condition);
    const fen = fenOf(condition);
    const piece = meaning?.kind === 'square' && (meaning.side === 'white' || meaning.side === 'black') ? { side: meaning.side, man: meaning.man } : null;
    // Words that were typed are as good as others, unless there is a picture.
    const typed = fen || piece || (filter && filter.kind !== 'pattern') ? undefined : reading?.understood.find((one) => one.meaning === text);
    const words = typed && reading ? reading.text.slice(typed.from, typed.to) : filter ? inWords(filter) : wordsOf(condition);
    return { ...condition, words, fen, piece };
  });
}

/** A condition that the form does not know, in words. */
function wordsOf(condition: Condition): string {
  const { alternatives, together, negated, plies, text } = condition;
  if (alternatives.length > 0) return alternatives.map(listInWords).join(` ${say('or')} `);
  if (together.length > 0) return say(`at the same time: ${together.map(listInWords).join(' · ')}`);
  const meaning = meaningOf(condition);
  const words = meaning ? inWords(meaning) : titleOf(condition);
  if (words === '') return humanised(text);
  const lasting = meaning?.kind === 'pattern' ? words : withPlies(words, plies ?? 0);
  return negated ? say(`not: ${lasting}`) : lasting;
}

function listInWords(conditions: readonly Condition[]): string {
  return cardsOf(conditions, null).map(({ words }) => words).join(` ${say('and')} `);
}

/** A query in the words of its cards, without those of another query; the query itself if it cannot be read. */
export async function queryInWords(client: EngineClient, query: string, reading: Reading | null = null, other = ''): Promise<string> {
  const read = async (text: string) => (text === '' ? [] : ((await client.call('conditions', { query: text }).catch(() => null)) ?? []));
  const known = new Set((await read(other)).map(({ text }) => text));
  const told = cardsOf(await read(query), reading).filter(({ text }) => !known.has(text));
  return told.map(({ words }) => words).join(', ') || query;
}

/** Values of the count by structures with a name, in words. A value has the conditions of all structures of its positions. */
export async function structuresInWords(client: EngineClient, values: readonly string[]): Promise<Map<string, string>> {
  const told = new Map<string, Promise<string>>();
  const one = (condition: string) => told.get(condition) ?? told.set(condition, queryInWords(client, condition)).get(condition);
  return new Map(await Promise.all(values.map(async (value) => [value, (await Promise.all(value.split(', ').map(one))).join(', ')] as const)));
}

/** The plain words without those that mean a card; null if these words mean something else as well. */
export function wordsWithout({ text }: Card, reading: Reading | null): string | null {
  const spans = reading?.understood.filter(({ meaning }) => meaning === text) ?? [];
  const [span] = spans;
  if (!reading || !span || spans.length > 1) return null;
  return `${reading.text.slice(0, span.from).trimEnd()} ${reading.text.slice(span.to).trimStart()}`.trim();
}

/** The board of a condition as a FEN; of a pattern, the squares on which exactly one piece may stand. */
function fenOf({ pattern, pattern_kind }: Condition): string {
  if (pattern_kind !== 'board') return pattern.split(' ')[0] ?? '';
  const mask = readMask(pattern);
  return mask ? fenOfMask(mask) : '';
}

const LETTERS: Record<Man, string> = { pawn: 'p', knight: 'n', bishop: 'b', rook: 'r', queen: 'q', king: 'k' };

function fenOfMask(mask: Mask): string {
  const square = (at: number): string => {
    const men = menIn((mask[at] ?? 0) & ~EMPTY);
    const [one] = men;
    if (!one || men.length > 1) return '1';
    return one.side === 'white' ? LETTERS[one.man].toUpperCase() : LETTERS[one.man];
  };
  return [56, 48, 40, 32, 24, 16, 8, 0].map((from) => Array.from({ length: 8 }, (_, file) => square(from + file)).join('')).join('/');
}

/** What a condition with a board is called, one piece by its name; empty without a board. */
function titleOf(condition: Condition): string {
  const { pattern_kind } = condition;
  if (pattern_kind === '') return '';
  if (pattern_kind === 'structure') return say('these pawns');
  const men = menOf(fenOf(condition));
  const [one] = men;
  if (one && men.length === 1) return say(`${pieceInWords(one.side, one.man)} on ${squareName(one.square)}`);
  return pattern_kind === 'fen' ? say('this position') : say('this pattern');
}

/** A condition of the language as words: no quotes, no `_`, signs of comparison as words. */
export function humanised(text: string): string {
  // Moves are written as players write them.
  if (/^(?:played |reached )?\d+\./.test(text)) return text;
  const tokens = tokensOf(text);
  if (!tokens) return text;
  const words: Record<string, string> = { '>=': say('at least'), '<=': say('at most'), '>': say('more than'), '<': say('less than'), '{': '', '}': '', '(': '', ')': '', '..': '–' };
  const isTogether = text.startsWith('{');
  const counted = /^count\(([^()]*)\)\s*(>=|<=|>|<)\s*(\d+)$/.exec(text);
  if (counted) return [words[counted[2] ?? ''], counted[3], humanised(counted[1] ?? '')].join(' ');
  const said = tokens.map(({ from, to }) => {
    const token = text.slice(from, to);
    return words[token] ?? (token.startsWith('"') ? token.slice(1, -1).replace(/\*$/, '') : token.replaceAll('_', ' '));
  });
  const joined = said.filter(Boolean).join(' ').replace(/ – /g, '–').replace(/ ([,.])/g, '$1').trim();
  return isTogether ? say(`at the same time: ${joined}`) : joined;
}
