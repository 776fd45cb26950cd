// The conditions of a query as cards.
import { describe, expect, it } from 'vitest';
import { cardsOf, humanised, wordsWithout, type Card } from '../src/state/cards';
import { linkedReading, type Reading } from '../src/state/reading';
import { namedPlayer, sideScore } from '../src/state/score';
import { conditions } from './engine';

const cards = (query: string, reading: Reading | null = null) => cardsOf(conditions(query) ?? [], reading);
const first = (query: string): Card => cards(query)[0]!;

describe('cards', () => {
  it('say in words what the language says in signs', () => {
    expect(cards('loser "Karpov*" and endgame rook and year 1980..1990').map(({ words }) => words)).toEqual(['Karpov lost', 'rook endgame', '1980–1990']);
    expect(first('winner queen_sacrifice').words).toBe('winner: queen sacrifice');
    expect(first('winner plays_pin').words).toBe('winner plays pin');
    expect(first('count(white rook) >= 2').words).toBe('at least 2 white rook');
    expect(first('{ queens_off and white bishop_pair }').words).toBe('at the same time: queens off · White: bishop pair');
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

  it('say what is negated, lasts, and belongs together', () => {
    expect(first('not white isolated_pawn').words).toBe('not: White: isolated pawn');
    expect(first('white isolated_pawn for 8').words).toBe('White: isolated pawn for 8 plies');
    expect(first('queens_off or white bishop_pair').words).toBe('queens off or White: bishop pair');
    expect(cards('(queens_off or white bishop_pair) and check').map(({ words }) => words)).toEqual(['queens off or White: bishop pair', 'in check']);
    expect(first('opponent "Karpov*" isolated_pawn').words).toBe('opponent of Karpov: isolated pawn');
    expect(first('"Karpov*" knight on e5').words).toBe('Karpov: knight on e5');
    expect(cards('"Karpov*" and not winner "Karpov*"').map(({ words }) => words)).toEqual(['Karpov', 'Karpov did not win']);
    expect(first('imbalance RvBN').words).toBe('R against BN');
  });

  it('leave with their words, if there are such', () => {
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
    expect(wordsWithout(rook, reading)).toBe('Karpov lost');
    expect(wordsWithout(karpov, reading)).toBe('rook endgames');
    expect(wordsWithout(karpov, null)).toBeNull();
  });

  it('are none while a quote is open', () => {
    expect(cards('white "Kar')).toEqual([]);
  });
});

describe('the score', () => {
  const results = { games: 10, white: 5, draw: 2, black: 2, unknown: 1 };

  it('is that of the player whom the query names', () => {
    const named = (query: string) => namedPlayer(conditions(query) ?? []);
    expect(named('loser "Karpov*" and endgame rook')).toBe('Karpov*');
    expect(named('check and opponent "Karpov*" isolated_pawn')).toBe('Karpov*');
    expect(named('queens_off')).toBe('');
    expect(sideScore({ results, player: { games: 4, won: 1, drawn: 2, lost: 1 } })).toEqual({ won: 1, drawn: 2, lost: 1, share: 0.5, isPlayer: true });
  });

  it('is otherwise that of White, without games of unknown result', () => {
    expect(sideScore({ results, player: null })).toEqual({ won: 5, drawn: 2, lost: 2, share: 6 / 9, isPlayer: false });
    expect(sideScore({ results, player: { games: 0, won: 0, drawn: 0, lost: 0 } }).isPlayer).toBe(false);
    expect(sideScore({ results: { ...results, white: 0, draw: 0, black: 0 }, player: null }).share).toBeNull();
  });
});
