// Positions as the editor makes them: a piece put on a square or moved, the side to move, and positions drawn by lot.
import { menOf, turnOf, type Man, type Side, type StandingMan } from './squares';

const LETTERS: Record<Man, string> = { pawn: 'p', knight: 'n', bishop: 'b', rook: 'r', queen: 'q', king: 'k' };
const MEN_BY_LETTER: Record<string, Man> = { P: 'pawn', N: 'knight', B: 'bishop', R: 'rook', Q: 'queen', K: 'king' };

/** The FEN of pieces on a board, with nothing to castle or to capture en passant. */
export function fenOf(men: readonly StandingMan[], turn: Side): string {
  const letters = new Map(men.map(({ square, side, man }) => [square, side === 'white' ? LETTERS[man].toUpperCase() : LETTERS[man]]));
  const rank = (from: number) => Array.from({ length: 8 }, (_, file) => letters.get(from + file) ?? '1').join('').replace(/1+/g, (empty) => String(empty.length));
  return `${[56, 48, 40, 32, 24, 16, 8, 0].map(rank).join('/')} ${turn === 'white' ? 'w' : 'b'} - - 0 1`;
}

/** A position with another side to move. */
export function withTurn(fen: string, turn: Side): string {
  return fenOf(menOf(fen), turn);
}

/** A position with a piece on a square; null takes away what stands there. A king of that side stands nowhere else then. */
export function withPiece(fen: string, square: number, piece: { side: Side; man: Man } | null): string {
  const isOther = (one: StandingMan) => one.square !== square && !(piece?.man === 'king' && one.man === 'king' && one.side === piece.side);
  const others = menOf(fen).filter(isOther);
  return fenOf(piece ? [...others, { ...piece, square }] : others, turnOf(fen));
}

/** A position with the piece of one square on another. */
export function withMove(fen: string, from: number, to: number): string {
  const moved = menOf(fen).find(({ square }) => square === from);
  return moved && from !== to ? withPiece(withPiece(fen, from, null), to, moved) : fen;
}

/** Positions of a material such as `KBNvK`, drawn by lot, with White to move; some may not be legal. */
export function randomPositions(material: string, number: number, random: () => number = Math.random): string[] {
  const [white = '', black = ''] = material.split('v');
  const pieces = [...[...white].map((letter) => ({ side: 'white' as const, letter })), ...[...black].map((letter) => ({ side: 'black' as const, letter }))];
  return Array.from({ length: number }, () => {
    const free = Array.from({ length: 64 }, (_, square) => square);
    const men = pieces.flatMap(({ side, letter }) => {
      const man = MEN_BY_LETTER[letter];
      const allowed = man === 'pawn' ? free.filter((square) => square > 7 && square < 56) : free;
      const square = allowed[Math.floor(random() * allowed.length)];
      if (!man || square === undefined) return [];
      free.splice(free.indexOf(square), 1);
      return [{ square, side, man }];
    });
    return fenOf(men, 'white');
  });
}
