// The conditions of a query as cards.
import { describe, expect, it } from 'vitest';
import type { Predicate } from '../src/engine/protocol';
import { isAboutGames } from '../src/state/aboutgames';
import { cardsOf, humanised, lasting, negated, withoutCard, withSide, type Card } from '../src/state/cards';
import { linkedReading, type Reading } from '../src/state/reading';
import { namedPlayer, sideScore } from '../src/state/score';

const PREDICATES = [
  { name: 'bishop_pair', aliases: [], summary: '', sided: true, number: false },
  { name: 'queens_off', aliases: ['queenless'], summary: '', sided: false, number: false },
] as Predicate[];

const cards = (query: string, reading: Reading | null = null) => cardsOf(query, reading, PREDICATES);
const first = (query: string): Card => cards(query)[0]!;

describe('cards', () => {
  it('say in words what the language says in signs', () => {
    expect(cards('loser "Karpov*" and endgame rook and year 1980..1990').map(({ words }) => words)).toEqual(['Karpov lost', 'rook endgame', '1980–1990']);
    expect(first('winner queen_sacrifice').words).toBe('winner: queen sacrifice');
    expect(first('winner plays_pin').words).toBe('winner plays pin');
    expect(first('count(white rook) >= 2').words).toBe('at least 2 white rook');
    expect(first('{ queens_off and white bishop_pair }').words).toBe('at the same time: queens off and white bishop pair');
    expect(humanised('1. e4 c5 2. Nf3 d6')).toBe('1. e4 c5 2. Nf3 d6');
    expect(humanised('opening "sicilian najdorf"')).toBe('opening sicilian najdorf');
  });

  it('have the words that were typed, where these mean the condition alone', () => {
    const reading: Reading = { ...linkedReading('smothered mate by Black', 'black smothered_mate'), understood: [{ from: 0, to: 23, meaning: 'black smothered_mate', notes: [] }] };
    expect(cards('black smothered_mate', reading)[0]?.words).toBe('smothered mate by Black');
  });

  it('draw what stands on the board', () => {
    expect([first('white knight on e5').piece, first('white knight on e5').words]).toEqual([{ side: 'white', man: 'knight' }, 'white knight on e5']);
    const one = first('board "????????/????????/????????/????N???/????????/????????/????????/????????"');
    expect([one.fen, one.words]).toEqual(['11111111/11111111/11111111/1111N111/11111111/11111111/11111111/11111111', 'white knight on e5']);
    expect(first('structure "8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8"').fen).toBe('8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8');
  });

  it('turn to another side, are negated, and last', () => {
    const query = 'check and white bishop_pair and queens_off';
    const [, pair, off] = cards(query) as [Card, Card, Card];
    expect([pair.side, off.side]).toEqual(['white', null]);
    expect(withSide(query, pair, 'winner')).toBe('check and winner bishop_pair and queens_off');
    expect(withSide(query, pair, '')).toBe('check and bishop_pair and queens_off');
    expect(withSide(query, pair, '"Karpov*"')).toBe('check and "Karpov*" bishop_pair and queens_off');
    const named = first('"Karpov*" bishop_pair');
    expect([named.side, withSide('"Karpov*" bishop_pair', named, 'black')]).toEqual(['"Karpov*"', 'black bishop_pair']);
    expect(negated(query, pair)).toBe('check and not (white bishop_pair) and queens_off');
    const not = cards(negated(query, pair))[1]!;
    expect([not.isNegated, negated(negated(query, pair), not)]).toEqual([true, query]);
    expect(lasting(query, off, 8)).toBe('check and white bishop_pair and queens_off for 8');
    const longer = cards(lasting(query, off, 8))[2]!;
    expect([longer.plies, lasting(lasting(query, off, 8), longer, 0)]).toEqual([8, query]);
  });

  it('leave with their words, or from the query', () => {
    const text = 'Karpov lost rook endgames';
    const query = 'loser "Karpov*" and endgame rook';
    const reading: Reading = {
      ...linkedReading(text, query),
      understood: [
        { from: 0, to: 11, meaning: 'loser "Karpov*"', notes: [] },
        { from: 12, to: 25, meaning: 'endgame rook', notes: [] },
      ],
    };
    const [karpov, rook] = cards(query, reading) as [Card, Card];
    expect(withoutCard(query, rook, reading)).toBe('Karpov lost');
    expect(withoutCard(query, karpov, reading)).toBe('rook endgames');
    expect(withoutCard(query, karpov, null)).toBe('endgame rook');
  });

  it('are none while a quote is open', () => {
    expect(cards('white "Kar')).toEqual([]);
  });
});

describe('the score', () => {
  const results = { games: 10, white: 5, draw: 2, black: 2, unknown: 1 };

  it('is that of the player whom the query names', () => {
    expect(namedPlayer('loser "Karpov*" and endgame rook')).toBe('Karpov*');
    expect(namedPlayer('queens_off')).toBe('');
    expect(sideScore({ results, player: { games: 4, won: 1, drawn: 2, lost: 1 } })).toEqual({ won: 1, drawn: 2, lost: 1, share: 0.5, isPlayer: true });
  });

  it('is otherwise that of White, without games of unknown result', () => {
    expect(sideScore({ results, player: null })).toEqual({ won: 5, drawn: 2, lost: 2, share: 6 / 9, isPlayer: false });
    expect(sideScore({ results, player: { games: 0, won: 0, drawn: 0, lost: 0 } }).isPlayer).toBe(false);
    expect(sideScore({ results: { ...results, white: 0, draw: 0, black: 0 }, player: null }).share).toBeNull();
  });
});

describe('a query about whole games', () => {
  it('has no condition of a position', () => {
    for (const query of ['"Karpov*"', 'white "Karpov*" and opening "King\'s and x" and year 1980..1990', 'elo >= 2600 and result 1-0', 'eco B80-B99, C42', 'winner "A" and time_class blitz']) expect(isAboutGames(query), query).toBe(true);
    for (const query of ['', 'queens_off', '"Karpov*" isolated_queens_pawn', '"A" or "B"', '"A" and check', 'opening "x" for 8', 'loser bishop_pair']) expect(isAboutGames(query), query).toBe(false);
  });
});
