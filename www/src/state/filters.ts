// The conditions of the form, and the query text that says the same. The engine says which conditions a query has, and changes one of
// them; what the form does not know stays as it is.
import type { Change, Condition } from '../engine/protocol';
import { patternInWords, patternNamed } from './patterns';
import { say } from './say';
import { manInWords, MEN, pieceInWords, type Man } from './squares';
import { quotedName } from './tokens';

export const ROLES = ['player', 'white', 'black', 'winner', 'loser'] as const;
export type Role = (typeof ROLES)[number];

export const RATED = ['both', 'either', 'average', 'white', 'black', 'winner', 'loser'] as const;
export type Rated = (typeof RATED)[number];

export const RESULTS = ['1-0', '0-1', 'draw', 'decisive', '*'] as const;
export type Outcome = (typeof RESULTS)[number];

export const TIME_CLASSES = ['ultrabullet', 'bullet', 'blitz', 'rapid', 'classical', 'correspondence', 'unknown'] as const;
export type TimeClass = (typeof TIME_CLASSES)[number];

export const ENDGAMES = ['pawn', 'knight', 'bishop', 'minor', 'rook', 'queen'] as const;
export type Endgame = (typeof ENDGAMES)[number];

export const SIDES = ['', 'white', 'black', 'both', 'winner', 'loser'] as const;
/** A name between quotes is that of a player, and `opponent` before it means the other one. */
export type Side = (typeof SIDES)[number] | `"${string}"` | `opponent "${string}"`;

/** The sides that may stand before a predicate of the form; the empty one is either. */
export function sidesOf(name: string): readonly Side[] {
  const sides = patternNamed(name) ?? 'none';
  return sides === 'none' ? [''] : SIDES.filter((side) => sides === 'both' || side !== 'both');
}

/** One condition of the form. Bounds are null, or an empty text, if there is none. */
export type Filter =
  | { kind: 'player'; role: Role; name: string }
  | { kind: 'opponent'; role: Role; name: string }
  /** The player did not win. */
  | { kind: 'unwon'; name: string }
  | { kind: 'elo'; rated: Rated; from: number | null; to: number | null }
  /** A year, or a year with month or with month and day: `2024`, `2024.05`, `2024.05.31`. */
  | { kind: 'date'; from: string; to: string }
  | { kind: 'result'; result: Outcome }
  /** The name of an opening, or ECO codes as in `B80-B99, C42`. */
  | { kind: 'opening'; name: string }
  | { kind: 'event'; name: string }
  | { kind: 'time'; classes: readonly TimeClass[] }
  /** In moves. */
  | { kind: 'length'; from: number | null; to: number | null }
  | { kind: 'endgame'; pieces: Endgame }
  /** Exactly these pieces: `KRPvKR`. */
  | { kind: 'material'; pieces: string }
  /** What each side has that the other has not: `RvBN`. */
  | { kind: 'imbalance'; pieces: string }
  | { kind: 'square'; side: Side; man: Man; square: string }
  /** For so many plies in a row, 0 for any of them. */
  | { kind: 'pattern'; side: Side; name: string; plies: number };
export type Kind = Filter['kind'];
export type FilterOf<K extends Kind> = Extract<Filter, { kind: K }>;
/** Kinds of which the form has one field each. */
export type SingleKind = Exclude<Kind, 'pattern' | 'square'>;

/** A condition of a query, its number, and what the form shows of it; null if the form does not know it. */
export interface Shown extends Condition {
  nth: number;
  filter: Filter | null;
}

/** The conditions of a query as the form shows them. */
export function shownOf(conditions: readonly Condition[]): Shown[] {
  const seen = new Set<Kind>();
  return conditions.map((condition, nth) => {
    let filter = filterOf(condition);
    // The second player is the opponent.
    if (filter?.kind === 'player' && seen.has('player')) filter = { ...filter, kind: 'opponent' };
    if (filter && filter.kind !== 'pattern' && filter.kind !== 'square' && seen.has(filter.kind)) filter = null;
    if (filter) seen.add(filter.kind);
    return { ...condition, nth, filter };
  });
}

function filterOf(condition: Condition): Filter | null {
  const meaning = meaningOf(condition);
  if (condition.negated) return meaning?.kind === 'player' && meaning.role === 'winner' ? { kind: 'unwon', name: meaning.name } : null;
  return meaning?.kind === 'square' && condition.plies ? null : meaning;
}

/** What a condition says, whether it is negated or not; null if the form has no such field. */
export function meaningOf({ name, values, side, plies, plain }: Condition): Filter | null {
  const [first = '', second = ''] = values;
  const number = (text: string) => (text === '' ? null : Number(text));
  if (!plain) return null;
  switch (name) {
    case 'player': {
      const role = oneOf(ROLES, side || 'player');
      return role && { kind: 'player', role, name: first };
    }
    case 'elo': {
      const rated = oneOf(RATED, side || 'both');
      return rated && { kind: 'elo', rated, from: number(first), to: number(second) };
    }
    case 'date':
      return { kind: 'date', from: first, to: second };
    case 'result': {
      const result = oneOf(RESULTS, first === '1/2-1/2' ? 'draw' : first);
      return result && { kind: 'result', result };
    }
    case 'opening':
    case 'event':
      return { kind: name, name: first };
    case 'eco':
      return { kind: 'opening', name: values.join(', ') };
    case 'time_class':
      return { kind: 'time', classes: values.flatMap((one) => oneOf(TIME_CLASSES, one) ?? []) };
    case 'plies':
      return ofMoves(number(first), number(second));
    case 'endgame': {
      const pieces = oneOf(ENDGAMES, first);
      return pieces && { kind: 'endgame', pieces };
    }
    case 'material':
    case 'imbalance':
      // The side that has the pieces may stand before them.
      return /^(white|black) /.test(first) ? null : { kind: name, pieces: first.replaceAll(' v ', 'v') };
    default:
      return ofPosition(name, first, side, plies ?? 0);
  }
}

function ofPosition(name: string, place: string, side: string, plies: number): Filter | null {
  const whose = sideOf(side);
  const man = oneOf(MEN, name);
  if (whose === null) return null;
  if (man) return place.length === 2 ? { kind: 'square', side: whose, man, square: place } : null;
  const known = patternNamed(name);
  if (!known || place !== '' || (side === 'both' && known !== 'both')) return null;
  return { kind: 'pattern', side: whose, name, plies };
}

/** A side of the form, as a query writes it. */
function sideOf(side: string): Side | null {
  return side.endsWith('"') ? (side as Side) : oneOf(SIDES, side);
}

function oneOf<T extends string>(all: readonly T[], text: string): T | null {
  return all.find((one) => one === text) ?? null;
}

/** A length in plies as one in moves, if it is one: a game of 40 moves has 79 or 80 plies. */
function ofMoves(from: number | null, to: number | null): Filter | null {
  if ((from !== null && from % 2 === 0) || (to !== null && (to === 0 || to % 2 === 1))) return null;
  return { kind: 'length', from: from === null ? null : (from + 1) / 2, to: to === null ? null : to / 2 };
}

/** The condition of a chip; an empty text if it has no value. */
export function conditionOf(filter: Filter): string {
  switch (filter.kind) {
    case 'player':
    case 'opponent':
      return wordAndName(filter.role, filter.name);
    case 'elo':
      return bounds(filter.rated === 'both' ? 'elo' : `${filter.rated} elo`, filter.from, filter.to);
    case 'date':
      return bounds(/^\d*$/.test(filter.from + filter.to) ? 'year' : 'date', filter.from || null, filter.to || null);
    case 'result':
      return `result ${filter.result}`;
    case 'opening':
      return isEco(filter.name) ? `eco ${filter.name.trim().toUpperCase()}` : wordAndName('opening', filter.name);
    case 'event':
      return wordAndName('event', filter.name);
    case 'time':
      return filter.classes.length > 0 ? `time_class ${filter.classes.join(', ')}` : '';
    case 'length':
      return bounds('plies', filter.from === null ? null : Math.max(0, 2 * filter.from - 1), filter.to === null ? null : 2 * filter.to);
    case 'endgame':
      return `endgame ${filter.pieces}`;
    case 'material':
      return filter.pieces.trim() === '' ? '' : `material ${filter.pieces.trim()}`;
    case 'unwon':
      return `not ${wordAndName('winner', filter.name)}`;
    case 'imbalance':
      return filter.pieces.trim() === '' ? '' : `imbalance ${filter.pieces.trim()}`;
    case 'square':
      return filter.square.trim() === '' ? '' : `${filter.side} ${filter.man} on ${filter.square.trim()}`.trim();
    case 'pattern':
      return `${filter.side} ${filter.name}${filter.plies > 0 ? ` for ${filter.plies}` : ''}`.trim();
  }
}

/** A word and the name that it asks for; empty without a name. */
function wordAndName(word: string, name: string): string {
  const quoted = quotedName(name);
  return quoted === '""' ? '' : `${word} ${quoted}`;
}

function bounds(word: string, from: number | string | null, to: number | string | null): string {
  if (from === null && to === null) return '';
  if (to === null) return `${word} >= ${from}`;
  return from === null ? `${word} <= ${to}` : `${word} ${from}..${to}`;
}

/** Whether a text is ECO codes and not the name of an opening. */
export function isEco(text: string): boolean {
  return /^\s*[a-e]\d{0,2}(\s*(-|\.\.)\s*[a-e]\d{0,2})?(\s*,\s*[a-e]\d{0,2}(\s*(-|\.\.)\s*[a-e]\d{0,2})?)*\s*$/i.test(text);
}

/** The filter of a kind, if the query has one. */
export function filterIn<K extends SingleKind>(shown: readonly Shown[], kind: K): FilterOf<K> | null {
  const found = shown.find(({ filter }) => filter?.kind === kind)?.filter;
  return (found as FilterOf<K> | undefined) ?? null;
}

/** What gives the query this filter of a kind, or with null none; null if nothing changes. */
export function changeTo(conditions: readonly Condition[], kind: SingleKind, filter: Filter | null): Change | null {
  const old = shownOf(conditions).find((one) => one.filter?.kind === kind);
  const text = filter ? conditionOf(filter) : '';
  if (old) return text === '' ? { kind: 'removed', nth: old.nth } : { kind: 'replaced', nth: old.nth, text };
  return text === '' ? null : { kind: 'added', text };
}

function named(written: string, role: Role): string {
  const name = withoutStar(written);
  const words: Record<Role, string> = { player: name, white: say(`${name} as White`), black: say(`${name} as Black`), winner: say(`${name} won`), loser: say(`${name} lost`) };
  return words[role];
}

/** A name as a player writes it: `Karpov*` is all who begin so. */
function withoutStar(name: string): string {
  return name.replace(/^\*|\*$/g, '');
}

function against(written: string, role: Role): string {
  const name = withoutStar(written);
  const words: Record<Role, string> = { player: say(`against ${name}`), white: say(`against ${name} as White`), black: say(`against ${name} as Black`), winner: say(`against ${name} won`), loser: say(`against ${name} lost`) };
  return words[role];
}

const ratedInWords = (): Record<Rated, string> => ({ both: say('Both rated'), either: say('One rated'), average: say('Average rating'), white: say('White rated'), black: say('Black rated'), winner: say('Winner rated'), loser: say('Loser rated') });
export const resultsInWords = (): Record<Outcome, string> => ({ '1-0': say('White won'), '0-1': say('Black won'), draw: say('draw'), decisive: say('decisive'), '*': say('unfinished') });
export const endgamesInWords = (): Record<Endgame, string> => ({ pawn: say('pawn endgame'), knight: say('knight endgame'), bishop: say('bishop endgame'), minor: say('endgame with one minor piece each'), rook: say('rook endgame'), queen: say('queen endgame') });
/** Classes of time controls; for `unknown` alone the words say unknown what. */
export const timesInWords = (): Record<TimeClass, string> => ({ ultrabullet: say('ultrabullet'), bullet: say('bullet'), blitz: say('blitz'), rapid: say('rapid'), classical: say('classical'), correspondence: say('correspondence'), unknown: say('unknown') });

function ofSide(side: Side, words: string): string {
  const name = withoutStar(side.split('"')[1] ?? '');
  if (name !== '') return side.startsWith('"') ? say(`${name}: ${words}`) : say(`opponent of ${name}: ${words}`);
  const all: Record<string, string> = { '': words, white: say(`White: ${words}`), black: say(`Black: ${words}`), both: say(`both sides: ${words}`), winner: say(`winner: ${words}`), loser: say(`loser: ${words}`) };
  return all[side] ?? words;
}

/** With how long it must hold. */
export function withPlies(words: string, plies: number): string {
  return plies > 0 ? say(`${words} for ${plies} plies`) : words;
}

/** A filter in a player's words. */
export function inWords(filter: Filter): string {
  switch (filter.kind) {
    case 'player':
      return named(filter.name, filter.role);
    case 'opponent':
      return against(filter.name, filter.role);
    case 'elo':
      return `${ratedInWords()[filter.rated]} ${span(filter.from, filter.to)}`;
    case 'date':
      return filter.from && filter.from === filter.to ? filter.from : span(filter.from || null, filter.to || null);
    case 'result':
      return resultsInWords()[filter.result];
    case 'opening':
      return isEco(filter.name) ? `ECO ${filter.name}` : filter.name;
    case 'event':
      return say(`at ${withoutStar(filter.name)}`);
    case 'time':
      return filter.classes.map((one) => (one === 'unknown' ? say('unknown time') : timesInWords()[one])).join(', ');
    case 'length':
      return say(`${span(filter.from, filter.to)} moves`);
    case 'endgame':
      return endgamesInWords()[filter.pieces];
    case 'material':
      return say(`only ${filter.pieces}`);
    case 'unwon':
      return say(`${withoutStar(filter.name)} did not win`);
    case 'imbalance':
      return say(`${filter.pieces.split('v')[0] ?? ''} against ${filter.pieces.split('v')[1] ?? ''}`);
    case 'square':
      if (filter.side === 'white' || filter.side === 'black') return say(`${pieceInWords(filter.side, filter.man)} on ${filter.square}`);
      return ofSide(filter.side, say(`${manInWords(filter.man)} on ${filter.square}`));
    case 'pattern':
      return withPlies(ofSide(filter.side, patternInWords(filter.name)), filter.plies);
  }
}

function span(from: number | string | null, to: number | string | null): string {
  if (to === null) return say(`from ${from}`);
  return from === null ? say(`up to ${to}`) : `${from}–${to}`;
}

/** The first day of a span of so many years that ends today, as `2024.05.31`. */
export function yearsAgo(years: number, today = new Date()): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${today.getFullYear() - years}.${two(today.getMonth() + 1)}.${two(today.getDate())}`;
}
