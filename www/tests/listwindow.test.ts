// The window of a long list: the drawn rows cover the visible part, however long the list is.
import { describe, expect, it } from 'vitest';
import { listWindow, scrollFor } from '../src/state/listwindow';

const ROW = 30;
const VIEW = 600;

describe.each([0, 1, 19, 20, 21, 1000, 400_000, 5_000_000])('%i rows', (rows) => {
  const { height } = listWindow(rows, ROW, VIEW, 0);

  it('has an element that browsers accept', () => {
    expect(height).toBeLessThanOrEqual(12_000_000);
    expect(height).toBeLessThanOrEqual(rows * ROW);
  });

  it.each([0, 0.1, 0.5, 0.999, 1])('draws what is seen at %f of the way', (part) => {
    const scroll = Math.max(0, height - VIEW) * part;
    const { from, to, offset } = listWindow(rows, ROW, VIEW, scroll);
    expect(from).toBeGreaterThanOrEqual(0);
    expect(to).toBeLessThanOrEqual(rows);
    expect(to - from).toBeLessThanOrEqual(VIEW / ROW + 18);
    expect(offset).toBeLessThanOrEqual(scroll);
    expect(offset + (to - from) * ROW).toBeGreaterThanOrEqual(Math.min(scroll + VIEW, height) - 1e-6);
    if (part === 1 && rows > 0) expect(to).toBe(rows);
  });

  it('brings any row into view', () => {
    for (const row of [0, Math.floor(rows / 3), rows - 1]) {
      if (row < 0 || row >= rows) continue;
      const scroll = scrollFor(row, rows, ROW, VIEW, (height - VIEW) / 2);
      const { from, to } = listWindow(rows, ROW, VIEW, scroll);
      expect(row).toBeGreaterThanOrEqual(from);
      expect(row).toBeLessThan(to);
    }
  });
});

it('does not scroll for a row that is in view', () => {
  expect(scrollFor(25, 1000, ROW, VIEW, 600)).toBe(600);
});
