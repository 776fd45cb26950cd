// The form and the query text: each writes the other, and no text is lost.
import { describe, expect, it } from 'vitest';
import { changeTo, conditionOf, ENDGAMES, inWords, isEco, RATED, RESULTS, ROLES, shownOf, sidesOf, TIME_CLASSES, yearsAgo, type Filter, type Kind, type SingleKind } from '../src/state/filters';
import { PATTERNS, patternGroups, patternInWords } from '../src/state/patterns';
import { changedQuery, check, conditions } from './engine';

const shown = (text: string) => shownOf(conditions(text) ?? []);
const filters = (text: string) => shown(text).map(({ filter }) => filter);
const others = (text: string) => shown(text).filter(({ filter }) => filter === null).map((one) => one.text);
const added = (text: string, filter: Filter) => changedQuery(text, { kind: 'added', text: conditionOf(filter) }) ?? text;

/** The text with a field set, or with null emptied. */
function withFilter(text: string, kind: SingleKind, filter: Filter | null): string {
  const change = changeTo(conditions(text) ?? [], kind, filter);
  return change ? (changedQuery(text, change) ?? text) : text;
}

/** Every choice of the form, with values of all kinds. */
const ALL: readonly Filter[] = [
  ...ROLES.flatMap((role): Filter[] => [{ kind: 'player', role, name: 'Carlsen, Magnus' }, { kind: 'opponent', role, name: 'Nakamura*' }]),
  ...RATED.flatMap((rated): Filter[] => [{ kind: 'elo', rated, from: 2400, to: 2600 }, { kind: 'elo', rated, from: 2500, to: null }, { kind: 'elo', rated, from: null, to: 1800 }]),
  ...[['1985', '1995'], ['2024', ''], ['', '1999'], ['2024.11.23', ''], ['1990.05', '1991'], ['', '2001.12']].map(([from = '', to = '']): Filter => ({ kind: 'date', from, to })),
  ...RESULTS.map((result): Filter => ({ kind: 'result', result })),
  ...['Sicilian Defense: Najdorf Variation', 'B90', 'B80-B99, C42'].map((name): Filter => ({ kind: 'opening', name })),
  { kind: 'event', name: '*Candidates and then*' },
  { kind: 'time', classes: TIME_CLASSES },
  { kind: 'time', classes: ['blitz', 'rapid'] },
  { kind: 'length', from: 40, to: null },
  { kind: 'length', from: 1, to: 20 },
  { kind: 'length', from: null, to: 60 },
  ...ENDGAMES.map((pieces): Filter => ({ kind: 'endgame', pieces })),
  { kind: 'material', pieces: 'KRPvKR' },
  { kind: 'imbalance', pieces: 'RvBN' },
  { kind: 'unwon', name: 'Carlsen*' },
  { kind: 'square', side: 'white', man: 'knight', square: 'e5' },
  { kind: 'square', side: 'opponent "Anna"', man: 'pawn', square: 'd4' },
  { kind: 'pattern', side: '"Anna"', name: 'isolated_pawn', plies: 0 },
  { kind: 'pattern', side: 'opponent "Anna"', name: 'bishop_pair', plies: 8 },
  ...PATTERNS.flatMap((name) => sidesOf(name).map((side): Filter => ({ kind: 'pattern', side, name, plies: 0 }))),
];

const FOREIGN = [
  'never castled', '{ queens_off and white bishop_pair } for 8', 'check between 10 and 20', 'white check between moves 3 and 9', '(check or castled)', 'count(white rook) >= 2',
  'not elo >= 2000', 'never castled_long', 'board "????????/8/8/8/8/8/8/8" under mirror, colour flip', 'structure "8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8"', 'in @mine', 'site "X and Y"', 'elo difference >= 300',
  'plies >= 40', 'material white KRPvKR', 'endgame rook at end', 'white knight attacks queen',
];

/** Numbers that repeat for a seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Some filters, at most one of each kind except patterns. */
function some(below: (most: number) => number): Filter[] {
  const picked: Filter[] = [];
  for (let left = below(6); left >= 0; left--) {
    const one = ALL[below(ALL.length)];
    if (one && (one.kind === 'pattern' || one.kind === 'square' || !picked.some(({ kind }) => kind === one.kind))) picked.push(one);
  }
  // Without a player, the opponent would be one.
  return picked.filter(({ kind }, nth) => kind !== 'opponent' || picked.slice(0, nth).some((one) => one.kind === 'player'));
}

describe('chips and text', () => {
  it('write each other, in any combination', () => {
    for (let seed = 1; seed <= 500; seed++) {
      const picked = some(random(seed));
      const text = picked.reduce(added, '');
      expect(filters(text), text).toEqual(picked);
    }
  });

  it('keep foreign conditions untouched, wherever they stand', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const below = random(seed);
      const own = some(below).map(conditionOf);
      const foreign = FOREIGN.filter(() => below(4) === 0);
      const parts = [...own, ...foreign].map((part) => [below(1000), part] as const).sort(([one], [two]) => one - two).map(([, part]) => part);
      let text = parts.join(below(2) ? ' and ' : '  AND\n');
      const change: Filter = { kind: 'elo', rated: 'average', from: 2222, to: null };
      text = withFilter(text, 'elo', change);
      expect(others(text), text).toEqual(parts.filter((part) => foreign.includes(part)));
      expect(filters(text)).toContainEqual(change);
      text = withFilter(text, 'elo', null);
      expect(shown(text).map((one) => one.text), text).toEqual(parts.filter((part) => !/(^|average |white |black |either |winner |loser )elo /.test(part) || foreign.includes(part)));
    }
  });

  it.each([
    ['', '', []],
    ['"Anna" and WHITE "Boris"', '', [{ kind: 'player', role: 'player', name: 'Anna' }, { kind: 'opponent', role: 'white', name: 'Boris' }]],
    ['player "A" and player "B" and player "C"', 'player "C"', [{ kind: 'player', role: 'player', name: 'A' }, { kind: 'opponent', role: 'player', name: 'B' }, null]],
    ['elo>2400', '', [{ kind: 'elo', rated: 'both', from: 2401, to: null }]],
    ['both elo < 2400', '', [{ kind: 'elo', rated: 'both', from: null, to: 2399 }]],
    ['elo 2400 .. 2600 and elo >= 2500', 'elo >= 2500', [{ kind: 'elo', rated: 'both', from: 2400, to: 2600 }, null]],
    ['year 1990', '', [{ kind: 'date', from: '1990', to: '1990' }]],
    ['date = 1990.05', '', [{ kind: 'date', from: '1990.05', to: '1990.05' }]],
    ['date <= 1990.05', '', [{ kind: 'date', from: '', to: '1990.05' }]],
    ['result 1/2 - 1/2', '', [{ kind: 'result', result: 'draw' }]],
    ['ECO b9,c42', '', [{ kind: 'opening', name: 'B90-B99, C42' }]],
    ['time class Blitz , rapid', '', [{ kind: 'time', classes: ['blitz', 'rapid'] }]],
    ['either isolated pawns', '', [{ kind: 'pattern', side: '', name: 'isolated_pawn', plies: 0 }]],
    ['loser rook on the seventh', '', [{ kind: 'pattern', side: 'loser', name: 'rook_on_seventh', plies: 0 }]],
    ['white passed pawn for 4 moves', '', [{ kind: 'pattern', side: 'white', name: 'passed_pawn', plies: 8 }]],
    ['white knight on e5 and not check', 'not check', [{ kind: 'square', side: 'white', man: 'knight', square: 'e5' }, null]],
    ['queens_off or check and elo >= 2500', 'queens_off or check and elo >= 2500', [null]],
    ['castled_long then queens_off', 'castled_long then queens_off', [null]],
  ])('are read from %j', (text, rest, read) => {
    expect(filters(text)).toEqual(read);
    expect(others(text).join(' and ')).toBe(rest);
  });

  it('stand beside a choice and a sequence in brackets', () => {
    const elo: Filter = { kind: 'elo', rated: 'both', from: 2500, to: null };
    expect(withFilter('queens_off or check', 'elo', elo)).toBe('(queens_off or check) and elo >= 2500');
    expect(withFilter('castled then check', 'elo', elo)).toBe('(castled then check) and elo >= 2500');
    expect(withFilter('{ check or castled }', 'elo', elo)).toBe('{ check or castled } and elo >= 2500');
  });

  it('change their own place only', () => {
    const text = 'check for 3  and player "Anna" and  queens_off';
    expect(withFilter(text, 'player', { kind: 'player', role: 'loser', name: 'Boris "B"' })).toBe('check for 3  and loser "Boris  B" and  queens_off');
    expect(withFilter(text, 'player', null)).toBe('check for 3 and  queens_off');
    expect(withFilter(text, 'event', null)).toBe(text);
    expect(withFilter('player "Anna"', 'player', null)).toBe('');
  });
});

describe('the engine', () => {
  it('reads every chip', () => {
    const kinds = new Set<Kind>();
    for (const filter of ALL) {
      const problem = check(conditionOf(filter));
      kinds.add(filter.kind);
      // The names of openings are a file of the site, which is not loaded here.
      if (!/names of openings are not loaded/.test(problem?.message ?? '')) expect(problem, conditionOf(filter)).toBeUndefined();
      expect(inWords(filter)).not.toMatch(/undefined|null|NaN/);
    }
    expect(kinds.size).toBe(15);
  });

  it('reads what the form makes of a text', () => {
    for (const text of [...FOREIGN, 'queens_off or check', 'castled then check', 'check and castled or elo >= 3']) {
      if (text === 'in @mine') continue;
      expect(check(withFilter(text, 'time', { kind: 'time', classes: ['blitz'] })), text).toBeUndefined();
    }
  });
});

it('has words for every pattern and every group', () => {
  for (const name of PATTERNS) expect(patternInWords(name), name).not.toMatch(/_/);
  expect(patternGroups().flatMap(({ names }) => names)).toEqual(PATTERNS);
});

it('knows ECO codes from names', () => {
  for (const text of ['B9', 'b90', 'B80-B99', 'B80..B99, C42 ', 'A']) expect(isEco(text), text).toBe(true);
  for (const text of ['Benoni', 'B90x', 'F10', '', 'B 90']) expect(isEco(text), text).toBe(false);
});

it('counts years back', () => expect(yearsAgo(2, new Date(2026, 10, 3))).toBe('2024.11.03'));
