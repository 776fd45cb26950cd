// The conditions of the form as chips, and the query text that says the same. A query that is a conjunction
// becomes one chip for each condition that the form knows; the rest of the text stays as it is. To write a chip
// changes its own condition and nothing else.
import { say } from './say';
import { tokensOf, type Token } from './tokens';

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
export type Side = (typeof SIDES)[number];

interface Pattern {
  name: string;
  /** Other names in the language, in the form with `_`. */
  aliases: readonly string[];
  /** Which sides may stand before it: none, one of them, which a move has, or both as well. */
  sides: 'none' | 'one' | 'both';
}

const pattern = (name: string, aliases = '', sides: Pattern['sides'] = 'both'): Pattern => ({ name, aliases: aliases.split(' '), sides });

/** The predicates of the form, a short list of the language's. */
export const PATTERNS: readonly Pattern[] = [
  pattern('isolated_pawn', 'isolated_pawns'),
  pattern('isolated_queens_pawn', 'iqp isolated_queen_pawn'),
  pattern('passed_pawn', 'passed_pawns passer'),
  pattern('doubled_pawn', 'doubled_pawns'),
  pattern('backward_pawn', 'backward_pawns'),
  pattern('hanging_pawns', 'hanging_pawn'),
  pattern('bishop_pair'),
  pattern('opposite_bishops', 'opposite_coloured_bishops opposite_colored_bishops', 'none'),
  pattern('queens_off', 'queenless', 'none'),
  pattern('fianchetto', 'fianchettoed_bishop fianchettos'),
  pattern('outpost', 'outposts'),
  pattern('rook_on_seventh', 'rook_on_the_seventh'),
  pattern('rook_on_open_file', 'rook_on_an_open_file'),
  pattern('castled_short', 'castled_kingside'),
  pattern('castled_long', 'castled_queenside'),
  pattern('opposite_castling', 'opposite_sides_castling castled_opposite', 'none'),
  pattern('king_in_centre', 'king_in_center king_in_the_centre king_in_the_center'),
  pattern('locked_centre', 'locked_center', 'none'),
  pattern('fork', 'forks'),
  pattern('pinned', 'pinned_piece pinned_pieces'),
  pattern('double_check', 'in_double_check'),
  pattern('checkmate', 'mated checkmated'),
  pattern('stalemate', 'stalemated'),
  pattern('connected_passed_pawn', 'connected_passed_pawns'),
  pattern('outside_passed_pawn', 'outside_passed_pawns'),
  pattern('doubled_rook', 'doubled_rooks'),
  pattern('sacrifices', '', 'one'),
  pattern('exchange_sacrifice', '', 'one'),
  pattern('queen_sacrifice', '', 'one'),
  pattern('discovered_attack', '', 'one'),
  pattern('traps_piece', '', 'one'),
  pattern('smothered_mate', '', 'one'),
  pattern('back_rank_mate', '', 'one'),
  pattern('blunder', '', 'one'),
  pattern('time_trouble', '', 'one'),
  pattern('won_from_lost', '', 'none'),
  pattern('upset', '', 'none'),
  pattern('carlsbad'),
  pattern('maroczy_bind'),
  pattern('hedgehog'),
  pattern('stonewall', 'stonewall_structure'),
  pattern('benoni_structure'),
  pattern('french_chain'),
  pattern('slav_structure'),
  pattern('caro_kann_structure'),
  pattern('najdorf_structure'),
  pattern('scheveningen_structure'),
  pattern('gruenfeld_centre'),
  pattern('kings_indian_chain'),
  pattern('ruy_lopez_chain'),
];

const patternsInWords = (): Readonly<Record<string, string>> => ({
  isolated_pawn: say('isolated pawn'),
  isolated_queens_pawn: say('isolated queen’s pawn'),
  passed_pawn: say('passed pawn'),
  doubled_pawn: say('doubled pawns'),
  backward_pawn: say('backward pawn'),
  hanging_pawns: say('hanging pawns'),
  bishop_pair: say('bishop pair'),
  opposite_bishops: say('opposite-coloured bishops'),
  queens_off: say('queens off'),
  fianchetto: say('fianchetto'),
  outpost: say('outpost'),
  rook_on_seventh: say('rook on the seventh'),
  rook_on_open_file: say('rook on an open file'),
  castled_short: say('castled kingside'),
  castled_long: say('castled queenside'),
  opposite_castling: say('castled on opposite sides'),
  king_in_centre: say('king in the centre'),
  locked_centre: say('locked centre'),
  fork: say('fork'),
  pinned: say('pinned piece'),
  double_check: say('in double check'),
  checkmate: say('checkmated'),
  stalemate: say('stalemated'),
  connected_passed_pawn: say('connected passed pawns'),
  outside_passed_pawn: say('outside passed pawn'),
  doubled_rook: say('doubled rooks'),
  sacrifices: say('sacrifice'),
  exchange_sacrifice: say('exchange sacrifice'),
  queen_sacrifice: say('queen sacrifice'),
  discovered_attack: say('discovered attack'),
  traps_piece: say('trapped piece'),
  smothered_mate: say('smothered mate'),
  back_rank_mate: say('back-rank mate'),
  blunder: say('blunder'),
  time_trouble: say('time trouble'),
  won_from_lost: say('won from a lost position'),
  upset: say('the lower rated won'),
  carlsbad: say('Carlsbad structure'),
  maroczy_bind: say('Maróczy bind'),
  hedgehog: say('Hedgehog'),
  stonewall: say('Stonewall'),
  benoni_structure: say('Benoni structure'),
  french_chain: say('French chain'),
  slav_structure: say('Slav structure'),
  caro_kann_structure: say('Caro-Kann structure'),
  najdorf_structure: say('Najdorf structure'),
  scheveningen_structure: say('Scheveningen structure'),
  gruenfeld_centre: say('Grünfeld centre'),
  kings_indian_chain: say('King’s Indian chain'),
  ruy_lopez_chain: say('Ruy Lopez chain'),
});

/** A predicate of the form in a player's words. */
export function patternInWords(name: string): string {
  return patternsInWords()[name] ?? name;
}

/** The sides that may stand before a predicate of the form; the empty one is either. */
export function sidesOf(name: string): readonly Side[] {
  const sides = PATTERNS.find((one) => one.name === name)?.sides ?? 'none';
  return sides === 'none' ? [''] : SIDES.filter((side) => sides === 'both' || side !== 'both');
}

/** One condition of the form. Bounds are null, or an empty text, if there is none. */
export type Filter =
  | { kind: 'player'; role: Role; name: string }
  | { kind: 'opponent'; role: Role; name: string }
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
  | { kind: 'pattern'; side: Side; name: string };
export type Kind = Filter['kind'];
export type FilterOf<K extends Kind> = Extract<Filter, { kind: K }>;

/** A condition of a query, with its place in the text. `filter` is null if the form does not know it. */
export interface Condition {
  filter: Filter | null;
  from: number;
  to: number;
  text: string;
}

/** The parts of a query between its outer `and`s. */
interface Outline {
  parts: Token[][];
  /** Whether the query is a choice or a sequence, and therefore one part: a following `and` would bind more tightly. */
  isChoice: boolean;
}

/** Null if the text cannot be read. */
function outlineOf(text: string): Outline | null {
  const tokens = tokensOf(text);
  if (!tokens) return null;
  const parts: Token[][] = [[]];
  let depth = 0;
  let isChoice = false;
  for (const [nth, token] of tokens.entries()) {
    if (token.text === '(' || token.text === '{') depth++;
    if (token.text === ')' || token.text === '}') depth--;
    if (depth < 0) return null;
    isChoice ||= depth === 0 && (token.text === 'or' || token.text === 'then');
    if (depth === 0 && token.text === 'and' && !isOfRange(tokens, nth)) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  if (depth > 0 || (tokens.length > 0 && parts.some((part) => part.length === 0))) return null;
  return { parts: tokens.length === 0 ? [] : isChoice ? [tokens] : parts, isChoice };
}

/** Whether this `and` belongs to `between 10 and 20`. */
function isOfRange(tokens: readonly Token[], nth: number): boolean {
  const before = [tokens[nth - 2]?.text, tokens[nth - 3]?.text];
  return /^\d+$/.test(tokens[nth - 1]?.text ?? '') && (before[0] === 'between' || (before[1] === 'between' && /^(ply|plies|moves?)$/.test(before[0] ?? '')));
}

/** Words with one space between them, and no space beside a sign. */
function canonical(tokens: readonly Token[]): string {
  let text = '';
  for (const { text: token } of tokens) text += /[\w"]$/.test(text) && /^[\w"]/.test(token) ? ` ${token}` : token;
  return text;
}

/** The conditions of a query, in order; null if the text cannot be read, for instance while a quote is still open. */
export function conditionsOf(text: string): Condition[] | null {
  const seen = new Set<Kind>();
  const outline = outlineOf(text);
  if (!outline) return null;
  return outline.parts.map((tokens) => {
    const from = tokens[0]?.from ?? 0;
    const to = tokens.at(-1)?.to ?? 0;
    let filter = filterOf(canonical(tokens));
    // The second player is the opponent.
    if (filter?.kind === 'player' && seen.has('player')) filter = { ...filter, kind: 'opponent' };
    // The form has one field for each kind, and any number of patterns.
    if (filter && filter.kind !== 'pattern' && seen.has(filter.kind)) filter = null;
    if (filter) seen.add(filter.kind);
    return { filter, from, to, text: text.slice(from, to) };
  });
}

const DAY = String.raw`\d+(?:\.\d+){0,2}`;
/** Each kind of condition in its canonical form. The engine decides whether the values are valid. */
const READERS: readonly [RegExp, (...groups: (string | undefined)[]) => Filter | null][] = [
  [/^(?:(player|white|black|winner|loser) )?"([^"]*)"$/, (role, name = '') => ({ kind: 'player', role: (role ?? 'player') as Role, name })],
  [/^(?:(white|black|either|both|winner|loser|average) )?elo ?(\D.*|\d.*)$/, (rated, bounds = '') => withBounds(bounds, (from, to) => ({ kind: 'elo', rated: (rated ?? 'both') as Rated, from, to }))],
  [/^year ?(.+)$/, (bounds = '') => withBounds(bounds, (from, to) => ({ kind: 'date', from: from === null ? '' : String(from), to: to === null ? '' : String(to) }))],
  [new RegExp(`^date ?(?:(>=|<=|=)?(${DAY})|(${DAY})\\.\\.(${DAY}))$`), (sign, one = '', from = '', to = '') => ({ kind: 'date', from: sign === '<=' ? '' : one || from, to: sign === '>=' ? '' : one || to })],
  [/^result ?(1-0|0-1|1\/2-1\/2|draw|drawn|decisive|\*)$/, (result = '') => ({ kind: 'result', result: (/^1\/2|drawn/.test(result) ? 'draw' : result) as Outcome })],
  [/^opening "([^"]*)"$/, (name = '') => ({ kind: 'opening', name })],
  [/^eco ([a-e].*)$/, (codes = '') => ({ kind: 'opening', name: codes.toUpperCase().replaceAll(',', ', ') })],
  [/^event "([^"]*)"$/, (name = '') => ({ kind: 'event', name })],
  [/^time[ _-]class (\w+(?:,\w+)*)$/, (words = '') => timeClasses(words.split(','))],
  [/^plies ?(.+)$/, (bounds = '') => withBounds(bounds, ofMoves)],
  [/^endgame (pawn|knight|bishop|minor|rook|queen)$/, (pieces) => ({ kind: 'endgame', pieces: pieces as Endgame })],
  [/^material ([kqrbnp]+)v([kqrbnp]+)$/, (one = '', two = '') => ({ kind: 'material', pieces: `${one.toUpperCase()}v${two.toUpperCase()}` })],
  [/^(?:(white|black|either|both|winner|loser) )?([a-z][a-z0-9_ -]*)$/, (side, name = '') => patternOf(side, name)],
];

function filterOf(text: string): Filter | null {
  for (const [reader, make] of READERS) {
    const found = reader.exec(text);
    if (found) return make(...found.slice(1));
  }
  return null;
}

/** Reads `>=40`, `40..60` and so on; null for anything else. */
function withBounds(text: string, make: (from: number | null, to: number | null) => Filter | null): Filter | null {
  const range = /^(\d+)\.\.(\d+)$/.exec(text);
  if (range) return make(Number(range[1]), Number(range[2]));
  const [, sign = '=', digits] = /^(>=|<=|=|>|<)?(\d+)$/.exec(text) ?? [];
  if (digits === undefined) return null;
  const number = Number(digits);
  if (sign === '=') return make(number, number);
  if (sign === '>=') return make(number, null);
  if (sign === '<=') return make(null, number);
  return sign === '>' ? make(number + 1, null) : number > 0 ? make(null, number - 1) : null;
}

/** A length in plies as one in moves, if it is one: a game of 40 moves has 79 or 80 plies. */
function ofMoves(from: number | null, to: number | null): Filter | null {
  if ((from !== null && from % 2 === 0) || (to !== null && (to === 0 || to % 2 === 1))) return null;
  return { kind: 'length', from: from === null ? null : (from + 1) / 2, to: to === null ? null : to / 2 };
}

function timeClasses(words: readonly string[]): Filter | null {
  const classes = words.filter((word): word is TimeClass => (TIME_CLASSES as readonly string[]).includes(word));
  return classes.length === words.length ? { kind: 'time', classes } : null;
}

function patternOf(side: string | undefined, words: string): Filter | null {
  const name = words.replaceAll(/[ -]/g, '_');
  const found = PATTERNS.find((one) => one.name === name || one.aliases.includes(name));
  if (!found || (side !== undefined && found.sides === 'none') || (side === 'both' && found.sides !== 'both')) return null;
  return { kind: 'pattern', side: side === undefined || side === 'either' ? '' : (side as Side), name: found.name };
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
    case 'pattern':
      return filter.side === '' ? filter.name : `${filter.side} ${filter.name}`;
  }
}

/** A name between quotes. A name has no quote in the language, and punctuation makes no difference. */
export function quotedName(name: string): `"${string}"` {
  return `"${name.replaceAll('"', ' ').trim()}"`;
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

/** The first chip of a kind, if the query has one. */
export function filterIn<K extends Kind>(conditions: readonly Condition[], kind: K): FilterOf<K> | null {
  const found = conditions.find(({ filter }) => filter?.kind === kind)?.filter;
  return (found as FilterOf<K> | undefined) ?? null;
}

/** The text with another condition in the place of `old`; without `old`, with one more at the end. */
export function withCondition(text: string, old: Condition | null, filter: Filter): string {
  const words = conditionOf(filter);
  if (old) return words === '' ? without(text, old) : text.slice(0, old.from) + words + text.slice(old.to);
  const before = text.trim();
  if (words === '' || before === '') return words || text;
  return `${outlineOf(before)?.isChoice ? `(${before})` : before} and ${words}`;
}

/** The text without a condition and without the `and` beside it. */
export function without(text: string, old: Condition): string {
  const all = conditionsOf(text) ?? [];
  const nth = all.findIndex(({ from }) => from === old.from);
  const [before, after] = [all[nth - 1], all[nth + 1]];
  if (before) return (text.slice(0, before.to) + text.slice(old.to)).trim();
  return after ? text.slice(after.from).trim() : '';
}

/** The text with a kind of chip set, changed or, with null, removed. */
export function withFilter(text: string, kind: Exclude<Kind, 'pattern'>, filter: Filter | null): string {
  const old = conditionsOf(text)?.find((one) => one.filter?.kind === kind) ?? null;
  if (filter) return withCondition(text, old, filter);
  return old ? without(text, old) : text;
}

/** The text without the conditions that the form does not know. */
export function withoutOthers(text: string): string {
  for (;;) {
    const other = conditionsOf(text)?.find(({ filter }) => filter === null);
    if (!other) return text;
    text = without(text, other);
  }
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
  const all: Record<Side, string> = { '': words, white: say(`White: ${words}`), black: say(`Black: ${words}`), both: say(`both sides: ${words}`), winner: say(`winner: ${words}`), loser: say(`loser: ${words}`) };
  return all[side];
}

/** A chip in a player's words. */
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
    case 'pattern':
      return ofSide(filter.side, patternInWords(filter.name));
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
