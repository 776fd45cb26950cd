// The board as a picture: the look of the page's own board, and a PNG of an SVG.
import type { Style } from '../../state/picture';
import { SIZE } from '../../state/picture';
import { ENGINE_BRUSHES } from '../../state/shapes';
import type { Man, Side } from '../../state/squares';

/** Pixels of a picture for each unit of the drawing. */
const SCALE = 3;

const BRUSHES: Record<string, { color: string; opacity: number; lineWidth: number }> = {
  green: { color: '#15781B', opacity: 1, lineWidth: 10 },
  red: { color: '#882020', opacity: 1, lineWidth: 10 },
  blue: { color: '#003088', opacity: 1, lineWidth: 10 },
  yellow: { color: '#e68f00', opacity: 1, lineWidth: 10 },
  ...ENGINE_BRUSHES,
  paleGreen: { color: '#15781B', opacity: 0.4, lineWidth: 15 },
  paleRed: { color: '#882020', opacity: 0.4, lineWidth: 15 },
};
const GREEN = { color: '#15781B', opacity: 1, lineWidth: 10 };

/** The look of the board at present: light or dark, with the pieces of the style sheet. */
export function styleOfPage(): Style {
  const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return { piece: pieceOfPage, light: token('--square-light'), dark: token('--square-dark'), brush: (name) => BRUSHES[name] ?? GREEN };
}

const kept = new Map<string, string>();

/** The drawing of a piece, from the style sheet that draws the board. */
function pieceOfPage(side: Side, man: Man): string {
  const name = `${side} ${man}`;
  const known = kept.get(name);
  if (known !== undefined) return known;
  const wrap = document.createElement('div');
  wrap.className = 'cg-wrap unseen';
  const piece = document.createElement('piece');
  piece.className = name;
  wrap.append(piece);
  document.body.append(wrap);
  const image = getComputedStyle(piece).backgroundImage;
  wrap.remove();
  const code = /base64,([A-Za-z0-9+/=]+)/.exec(image)?.[1];
  const drawing = code === undefined ? '' : atob(code).replace(/^[^]*?<svg[^>]*>|<\/svg>\s*$/g, '');
  kept.set(name, drawing);
  return drawing;
}

/** A PNG of an SVG. The picture is loaded from a data address, which the page's policy allows. */
export async function toPng(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = SIZE * SCALE;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'));
}
