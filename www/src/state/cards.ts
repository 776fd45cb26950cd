// The conditions of a query as cards: what each says in a player's words, what stands on its small board or squares, and how a
// click changes it. A card changes only the text of its own condition.
import type { Predicate } from '../engine/protocol';
import { conditionsOf, inWords, without, type Condition } from './filters';
import { boardIn, menIn, EMPTY, type Mask } from './mask';
import type { Reading } from './reading';
import { say } from './say';
import { menOf, pieceInWords, squareName, type Man, type Side } from './squares';
import { tokensOf } from './tokens';

/** The sides that a card can be turned to; the empty one is either side. A name between quotes is that of a player. */
export const CARD_SIDES = ['', 'white', 'black', 'winner', 'loser'] as const;
export type CardSide = (typeof CARD_SIDES)[number] | `"${string}"`;

export interface Card {
  condition: Condition;
  words: string;
  /** The position or the pattern of the condition, as a FEN with every piece that must stand somewhere; empty without one. */
  fen: string;
  /** The piece that the words are about; null if they are about none, or several. */
  piece: { side: Side; man: Man } | null;
  /** Whose condition it is; null if it is not one of a side. */
  side: CardSide | null;
  isNegated: boolean;
  /** For how many plies it must hold; 0 without such words. */
  plies: number;
}

/** The cards of a query; none if it cannot be read. */
export function cardsOf(query: string, reading: Reading | null, predicates: readonly Predicate[]): Card[] {
  return (conditionsOf(query) ?? []).map((condition) => cardOf(condition, reading, predicates));
}

function cardOf(condition: Condition, reading: Reading | null, predicates: readonly Predicate[]): Card {
  const { text, filter } = condition;
  const isNegated = /^not\s/.test(text);
  const inner = text.replace(/^not\s+/, '').replace(DURATION, '').trim();
  const plies = Number(DURATION.exec(text)?.[1] ?? 0);
  const typed = reading?.understood.find(({ meaning }) => meaning === text || meaning === inner);
  const side = sideOf(inner, predicates);
  const fen = fenIn(text);
  const one = ONE_PIECE.exec(inner);
  const piece = one ? { side: one[1] as Side, man: one[2] as Man } : null;
  const said = typed && reading && (!filter || filter.kind === 'pattern') ? reading.text.slice(typed.from, typed.to) : '';
  const words = said && !fen && !piece ? said : filter ? inWords(filter) : fen ? '' : piece ? say(`${pieceInWords(piece.side, piece.man)} on ${one?.[3] ?? ''}`) : humanised(inner);
  const again = filter ? '' : plies > 0 ? say(`for ${plies} plies`) : '';
  return { condition, words: [isNegated && !filter && !typed ? say('not:') : '', words || titleOf(text), again].filter(Boolean).join(' '), fen, piece, side, isNegated, plies };
}

const DURATION = /\sfor\s+(\d+)$/;
const ONE_PIECE = /^(white|black) (king|queen|rook|bishop|knight|pawn) on ([a-h][1-8])$/;
const SIDE_WORDS = /^(white|black|either|winner|loser|"[^"]*")\s+/;

/** Whose condition this is; null if no side may stand before it. */
function sideOf(text: string, predicates: readonly Predicate[]): CardSide | null {
  const rest = text.replace(SIDE_WORDS, '');
  const name = /^[a-z][a-z0-9_]*/.exec(rest)?.[0] ?? '';
  const known = predicates.find((one) => one.name === name || one.aliases.includes(name));
  const isPiece = /^(king|queen|rook|bishop|knight|pawn)s?\b/.test(rest);
  if (!(known?.sided ?? isPiece)) return null;
  const word = SIDE_WORDS.exec(text)?.[1] ?? '';
  return word === 'either' ? '' : (word as CardSide);
}

/** The query with a card's condition about another side. */
export function withSide(query: string, { condition }: Card, side: CardSide): string {
  const [, before = '', rest = ''] = /^(not\s+|)(.*)$/s.exec(condition.text) ?? [];
  const text = before + (side === '' ? '' : `${side} `) + rest.replace(SIDE_WORDS, '');
  return query.slice(0, condition.from) + text + query.slice(condition.to);
}

/** The query with a card's condition negated, or no longer so. */
export function negated(query: string, { condition, isNegated }: Card): string {
  const text = isNegated ? condition.text.replace(/^not\s+/, '').replace(/^\((.*)\)$/s, '$1') : /\s/.test(condition.text) ? `not (${condition.text})` : `not ${condition.text}`;
  return query.slice(0, condition.from) + text + query.slice(condition.to);
}

/** The query with a card's condition for so many plies in a row; for 0, at any of them. */
export function lasting(query: string, { condition }: Card, plies: number): string {
  const text = condition.text.replace(DURATION, '') + (plies > 0 ? ` for ${plies}` : '');
  return query.slice(0, condition.from) + text + query.slice(condition.to);
}

/** The text without a card: plain words without the words that mean it, if only these do; otherwise the query without it. */
export function withoutCard(query: string, { condition }: Card, reading: Reading | null): string {
  const spans = reading?.understood.filter(({ meaning }) => meaning === condition.text) ?? [];
  const [span] = spans;
  if (!reading || !span || spans.length > 1) return without(query, condition);
  return `${reading.text.slice(0, span.from).trimEnd()} ${reading.text.slice(span.to).trimStart()}`.trim();
}

/** The board of a condition as a FEN; of a pattern, the squares on which exactly one piece may stand. */
function fenIn(text: string): string {
  const fen = /\b(?:fen|structure)\s*"([^"]*)"/.exec(text)?.[1];
  if (fen) return fen.split(' ')[0] ?? '';
  const board = boardIn(text);
  return board ? fenOf(board.mask) : '';
}

const LETTERS: Record<Man, string> = { pawn: 'p', knight: 'n', bishop: 'b', rook: 'r', queen: 'q', king: 'k' };

function fenOf(mask: Mask): string {
  const square = (at: number): string => {
    const men = menIn((mask[at] ?? 0) & ~EMPTY);
    const [one] = men;
    if (!one || men.length > 1) return '1';
    return one.side === 'white' ? LETTERS[one.man].toUpperCase() : LETTERS[one.man];
  };
  return [56, 48, 40, 32, 24, 16, 8, 0].map((from) => Array.from({ length: 8 }, (_, file) => square(from + file)).join('')).join('/');
}

/** What a card with a board is called: one piece by its name, more by what they are. */
function titleOf(text: string): string {
  if (/\bstructure\b/.test(text)) return say('these pawns');
  const men = menOf(fenIn(text));
  const [one] = men;
  if (one && men.length === 1) return say(`${pieceInWords(one.side, one.man)} on ${squareName(one.square)}`);
  return /\bfen\b/.test(text) ? say('this position') : say('this pattern');
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
