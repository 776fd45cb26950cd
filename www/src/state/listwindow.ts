// Which rows of a long list to draw. All rows have the same height, so this needs no measuring library. It
// also does what such a library would not: browsers refuse elements much taller than sixteen million
// pixels, so the scrollbar of a longer list is mapped onto the list.

export interface ListWindow {
  /** The first row to draw, and one past the last. */
  from: number;
  to: number;
  /** Where row `from` is drawn, in pixels from the top of the scrolled element. */
  offset: number;
  /** Height of the scrolled element in pixels. */
  height: number;
}

const TALLEST_PX = 12_000_000;
const MARGIN_ROWS = 8;

export function listWindow(rows: number, rowPx: number, viewPx: number, scrollPx: number): ListWindow {
  const full = rows * rowPx;
  const height = Math.min(full, TALLEST_PX);
  const scrolled = Math.max(0, Math.min(scrollPx, height - viewPx));
  // Pixels of the whole list above the view.
  const above = height === full ? scrolled : (scrolled / (height - viewPx)) * (full - viewPx);
  const from = Math.max(0, Math.floor(above / rowPx) - MARGIN_ROWS);
  const to = Math.min(rows, Math.ceil((above + viewPx) / rowPx) + MARGIN_ROWS);
  return { from, to, offset: scrolled - (above - from * rowPx), height };
}

/** The scroll position nearest to the present one at which a row is completely in view. */
export function scrollFor(row: number, rows: number, rowPx: number, viewPx: number, scrollPx: number): number {
  const full = rows * rowPx;
  const height = Math.min(full, TALLEST_PX);
  const scale = height === full || height <= viewPx ? 1 : (full - viewPx) / (height - viewPx);
  const above = scrollPx * scale;
  if (row * rowPx < above) return (row * rowPx) / scale;
  if ((row + 1) * rowPx > above + viewPx) return ((row + 1) * rowPx - viewPx) / scale;
  return scrollPx;
}
