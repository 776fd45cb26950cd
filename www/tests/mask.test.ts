// The text of a board pattern: reading, painting, writing.
import { describe, expect, it } from 'vitest';
import { ANYTHING, bitOf, boardIn, EMPTY, isOpen, maskOf, MEN_OF, openMask, painted, possible, readMask, squareInWords, writeMask } from '../src/state/mask';
import { START_FEN } from '../src/state/replay.svelte';

const OPEN = '????????/????????/????????/????????/????????/????????/????????/????????';
const [A1, E4] = [0, 28];
const knight = bitOf('white', 'knight');
const enemy = bitOf('black', 'knight');

describe('text', () => {
  it.each([
    [OPEN, OPEN],
    ['????????/?????ppp/????????/????????/????????/????????/?????PPP/??????K?', '????????/?????ppp/????????/????????/????????/????????/?????PPP/??????K?'],
    ['8/8/8/8/8/8/8/....11..', '8/8/8/8/8/8/8/8'],
    ['[Nn]..[.Rr]1??[K]/8/8/8/8/8/8/7[k]', '[Nn]2[Rr.]1??K/8/8/8/8/8/8/7k'],
    ['[KQRBNkqrbn.]7/[PKQRBNpkqrbn.]3[.]3/8/8/8/8/8/8', '?7/?7/8/8/8/8/8/8'],
  ])('%s', (text, written) => {
    const mask = readMask(text);
    expect(mask && writeMask(mask)).toBe(written);
    expect(readMask(written)).toEqual(mask);
  });

  it.each(['', '8/8/8/8/8/8/8', '9/8/8/8/8/8/8/8', '7/8/8/8/8/8/8/8', 'x7/8/8/8/8/8/8/8', '[]7/8/8/8/8/8/8/8', '[N7/8/8/8/8/8/8/8', 'P7/8/8/8/8/8/8/8', '8/8/8/8/8/8/8/8/8'])('%s is none', (text) => {
    expect(readMask(text)).toBeNull();
  });
});

describe('painting', () => {
  it('looks for a man, and takes it away again', () => {
    expect(painted(ANYTHING, E4, knight, 'only')).toBe(knight);
    expect(painted(knight, E4, knight, 'only')).toBe(ANYTHING);
    expect(painted(knight, E4, EMPTY, 'only')).toBe(EMPTY);
  });
  it('looks for several', () => {
    const both = painted(painted(ANYTHING, E4, knight, 'or'), E4, enemy, 'or');
    expect(both).toBe(knight | enemy);
    expect(painted(both, E4, enemy, 'or')).toBe(knight);
    expect(painted(knight, E4, knight, 'or')).toBe(ANYTHING);
  });
  it('goes on as it began, from square to square', () => {
    expect(painted(knight, E4, knight, 'only', true)).toBe(knight);
    expect(painted(enemy, E4, knight, 'only', false)).toBe(ANYTHING);
    expect(painted(knight, E4, knight, 'or', true)).toBe(knight);
    expect(painted(ANYTHING, E4, knight, 'or', false)).toBe(ANYTHING);
    expect(painted(ANYTHING & ~knight, E4, knight, 'not', true)).toBe(ANYTHING & ~knight);
    expect(painted(EMPTY, E4, ANYTHING, 'only')).toBe(ANYTHING);
  });
  it('excludes, written as the set of the others', () => {
    const others = painted(ANYTHING, E4, MEN_OF.white, 'not');
    const mask = openMask().with(E4, others);
    expect(writeMask(mask).split('/')[4]).toBe('????[pnbrqk.]???');
    expect(painted(others, E4, MEN_OF.white, 'not')).toBe(ANYTHING);
  });
  it('puts no pawn on the first rank', () => {
    expect(painted(possible(A1), A1, bitOf('white', 'pawn'), 'only')).toBe(possible(A1));
    const rook = painted(possible(A1), A1, bitOf('white', 'rook'), 'not');
    expect(writeMask(openMask().with(A1, rook)).split('/')[7]).toBe('[NBQKnbrqk.]???????');
  });
  it('says what it is', () => {
    expect(squareInWords(E4, knight | enemy)).toBe('e4: white knight or black knight');
    expect(squareInWords(E4, ANYTHING & ~knight)).toBe('e4: not white knight');
    expect(squareInWords(E4, MEN_OF.black | EMPTY)).toBe('e4: any black piece or empty');
    expect(squareInWords(A1, possible(A1))).toBe('a1: anything');
    expect(squareInWords(E4, ANYTHING & ~EMPTY)).toBe('e4: any piece');
  });
});

describe('the board of a game', () => {
  it('exactly, loosely, one side', () => {
    expect(writeMask(maskOf(START_FEN, 'exact'))).toBe(START_FEN.split(' ')[0]);
    expect(writeMask(maskOf(START_FEN, 'men'))).toBe('rnbqkbnr/pppppppp/????????/????????/????????/????????/PPPPPPPP/RNBQKBNR');
    expect(writeMask(maskOf(START_FEN, 'black'))).toBe('rnbqkbnr/pppppppp/????????/????????/????????/????????/????????/????????');
    expect(isOpen(maskOf('8/8/8/8/8/8/8/8 w - - 0 1', 'men'))).toBe(true);
  });
});

describe('in a query', () => {
  const rank = '????????';
  it('finds its own text, and no other quote', () => {
    const query = `white "board" and fen "8/8/8/8/8/8/8/Kk6" and { BOARD "${OPEN}" and check }`;
    const found = boardIn(query);
    expect(found && query.slice(found.from, found.to)).toBe(OPEN);
    expect(found && isOpen(found.mask)).toBe(true);
  });
  it('finds none', () => {
    expect(boardIn('fen "8/8/8/8/8/8/8/Kk6"')).toBeNull();
    expect(boardIn(`board "${rank}"`)).toBeNull();
    expect(boardIn('queens_off')).toBeNull();
  });
});
