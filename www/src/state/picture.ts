// Writes the board as an SVG: squares, last move, check, pieces, arrows and circles. One square is 45 units, the size
// of the drawings of the pieces.
import { FILES, menOf, turnOf, type Man, type Side } from './squares';
import type { Shape } from './shapes';

export interface Picture {
  fen: string;
  flipped: boolean;
  /** The last move in UCI notation, or an empty text. */
  uci: string;
  check: boolean;
  shapes: readonly Shape[];
}

/** How the board looks on the page: the inner SVG of each piece, the squares, and the brushes of shapes. */
export interface Style {
  piece: (side: Side, man: Man) => string;
  light: string;
  dark: string;
  brush: (name: string) => { color: string; opacity: number; lineWidth: number };
}

const UNIT = 45;
export const SIZE = 8 * UNIT;

export function writePicture(picture: Picture, style: Style): string {
  const { fen, flipped, uci, check, shapes } = picture;
  const at = (name: string) => corner(name, flipped);
  const parts = [
    `<rect width="${SIZE}" height="${SIZE}" fill="${style.light}"/>`,
    `<path fill="${style.dark}" d="${darkSquares()}"/>`,
    ...[uci.slice(0, 2), uci.slice(2, 4)].filter(Boolean).map((name) => square(at(name), 'fill="#d6a83c" fill-opacity="0.42"')),
    ...(check ? checked(fen, at) : []),
    coordinates(flipped),
    ...pieces(fen, at, style),
    shapes.length > 0 ? `<g opacity="0.6" fill="none" stroke-linecap="round">${shapes.map((one) => drawn(one, at, style)).join('')}</g>` : '',
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}" viewBox="0 0 ${SIZE} ${SIZE}">${parts.join('')}</svg>`;
}

type Point = readonly [number, number];

/** The upper left corner of a square. */
function corner(name: string, flipped: boolean): Point {
  const [file, rank] = [FILES.indexOf(name.charAt(0)), Number(name.charAt(1)) - 1];
  return [(flipped ? 7 - file : file) * UNIT, (flipped ? rank : 7 - rank) * UNIT];
}

function square([x, y]: Point, paint: string): string {
  return `<rect x="${x}" y="${y}" width="${UNIT}" height="${UNIT}" ${paint}/>`;
}

/** The colours of the squares are the same from both sides. */
function darkSquares(): string {
  const all = Array.from({ length: 64 }, (_, at) => [at & 7, at >> 3] as const);
  return all.filter(([column, row]) => (column + row) % 2 === 1).map(([column, row]) => `M${column * UNIT} ${row * UNIT}h${UNIT}v${UNIT}h-${UNIT}z`).join('');
}

function checked(fen: string, at: (name: string) => Point): string[] {
  const side = turnOf(fen);
  const king = menOf(fen).find((one) => one.side === side && one.man === 'king');
  if (!king) return [];
  const gradient = '<radialGradient id="check"><stop offset="0" stop-color="#c43c1e" stop-opacity="0.9"/><stop offset="0.3" stop-color="#c43c1e" stop-opacity="0.6"/><stop offset="0.9" stop-color="#c43c1e" stop-opacity="0"/></radialGradient>';
  return [gradient, square(at(nameOf(king.square)), 'fill="url(#check)"')];
}

const nameOf = (square: number) => `${FILES.charAt(square & 7)}${(square >> 3) + 1}`;

function coordinates(flipped: boolean): string {
  const order = (nth: number) => (flipped ? 7 - nth : nth);
  const ranks = Array.from({ length: 8 }, (_, row) => `<text x="2" y="${row * UNIT + 9}">${8 - order(row)}</text>`);
  const files = Array.from({ length: 8 }, (_, column) => `<text x="${(column + 1) * UNIT - 2}" y="${SIZE - 3}" text-anchor="end">${FILES.charAt(order(column))}</text>`);
  return `<g font-family="system-ui, sans-serif" font-size="8" font-weight="600" fill="#26302a" fill-opacity="0.75">${[...ranks, ...files].join('')}</g>`;
}

function pieces(fen: string, at: (name: string) => Point, style: Style): string[] {
  return menOf(fen).map(({ square, side, man }) => `<g transform="translate(${at(nameOf(square)).join(' ')})">${style.piece(side, man)}</g>`);
}

/** An arrow or a circle in the proportions of chessground. */
function drawn({ orig, dest, brush }: Shape, at: (name: string) => Point, style: Style): string {
  const { color, opacity, lineWidth } = style.brush(brush);
  const centre = ([x, y]: Point): Point => [x + UNIT / 2, y + UNIT / 2];
  const [x, y] = centre(at(orig));
  if (!dest || dest === orig) return `<circle cx="${x}" cy="${y}" r="${short(UNIT * (1 / 2 - 1 / 32))}" stroke="${color}" stroke-width="${short(UNIT / 16)}" opacity="${opacity}"/>`;
  const [toX, toY] = centre(at(dest));
  const length = Math.hypot(toX - x, toY - y);
  const [alongX, alongY] = [(toX - x) / length, (toY - y) / length];
  const width = (lineWidth / 64) * UNIT;
  const point = (along: number, across: number) => `${short(toX - alongX * along - alongY * across)} ${short(toY - alongY * along + alongX * across)}`;
  const margin = (10 / 64) * UNIT;
  const [tip, base] = [margin - 0.95 * width, margin + 2.05 * width];
  return `<g opacity="${opacity}"><path d="M${x} ${y}L${point(base, 0)}" stroke="${color}" stroke-width="${short(width)}"/><path d="M${point(base, 2 * width)}L${point(base, -2 * width)}L${point(tip, 0)}z" fill="${color}"/></g>`;
}

const short = (value: number) => String(Math.round(value * 100) / 100);
