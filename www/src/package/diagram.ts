// A position as letters on squares and in words, for the board of `<plyfold-search>`.

/** Black's letters are the filled ones; for either side they are drawn in the same dark colour. */
const LETTERS: Record<string, string> = { K: '♔', Q: '♕', R: '♖', B: '♗', N: '♘', P: '♙', k: '♚', q: '♛', r: '♜', b: '♝', n: '♞', p: '♟' };
const NAMES: Record<string, string> = { k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };
/** Asks for a letter instead of a coloured picture. */
const AS_TEXT = '\ufe0e';

/** The pieces of a FEN by square, a8 first; an empty text for an empty square. */
function squaresOf(fen: string): string[] {
  const [placement = ''] = fen.split(' ');
  return [...placement.replaceAll('/', '')].flatMap((letter) => (/\d/.test(letter) ? Array<string>(Number(letter)).fill('') : [letter])).slice(0, 64);
}

/** What stands on each square, a8 first. */
export function lettersOf(fen: string): string[] {
  return squaresOf(fen).map((piece) => (piece === '' ? '' : (LETTERS[piece] ?? '') + AS_TEXT));
}

/** The position in words. */
export function wordsOf(fen: string): string {
  const standing = squaresOf(fen).map((piece, nth) => ({ piece, square: `${'abcdefgh'[nth % 8]}${8 - Math.floor(nth / 8)}` }));
  const side = (isWhite: boolean) =>
    ['k', 'q', 'r', 'b', 'n', 'p']
      .map((role) => ({ role, squares: standing.filter(({ piece }) => piece === (isWhite ? role.toUpperCase() : role)).map(({ square }) => square) }))
      .filter(({ squares }) => squares.length > 0)
      .map(({ role, squares }) => `${NAMES[role]} ${squares.join(' ')}`)
      .join(', ');
  return `White: ${side(true)}. Black: ${side(false)}. ${fen.split(' ')[1] === 'b' ? 'Black' : 'White'} to move.`;
}
