// The shades of the heatmap: which numbers have which shade. A browser test checks that numbers can be read on them.
import { expect, it } from 'vitest';
import { heatClasses, shadeOf } from '../src/state/heat';

const squares = (...values: number[]) => Float64Array.from({ length: 64 }, (_, at) => values[at] ?? 0);

it('by rank, large numbers differ, and each class says its numbers', () => {
  const values = squares(1, 2, 3, 4, 5, 6, 7, 90_000, 91_000, 92_000, 93_000, 99_000, 99_500, 100_000);
  const classes = heatClasses(values, 'rank');
  expect(classes.map(({ from, to }) => [from, to])).toEqual([[1, 2], [3, 4], [5, 6], [7, 90_000], [91_000, 92_000], [93_000, 99_000], [99_500, 100_000]]);
  expect([0, 1, 90_000, 93_000, 100_000].map((value) => shadeOf(value, classes))).toEqual([0, 1, 4, 6, 7]);
});

it('by number, the classes are equal steps', () => {
  const classes = heatClasses(squares(1, 20, 700), 'number');
  expect(classes.map(({ shade, from, to }) => [shade, from, to])).toEqual([[1, 1, 234], [4, 235, 467], [7, 468, 700]]);
});

it('equal numbers have one shade, and no number has none', () => {
  expect(heatClasses(squares(5, 5, 5), 'rank')).toEqual([{ shade: 7, from: 5, to: 5 }]);
  expect(heatClasses(squares(1, 1, 1, 1, 1, 1, 2), 'rank').map(({ from, to }) => [from, to])).toEqual([[1, 1], [2, 2]]);
  expect(heatClasses(squares(), 'rank')).toEqual([]);
});

it('every square counts in the class of its number', () => {
  for (let seed = 1; seed < 40; seed++) {
    const values = Float64Array.from({ length: 64 }, (_, at) => ((at + 7) * seed * seed * 31) % (seed * 50));
    for (const by of ['rank', 'number'] as const) {
      const classes = heatClasses(values, by);
      for (const value of values) {
        const shade = shadeOf(value, classes);
        const own = classes.find((one) => one.shade === shade);
        expect(value === 0 ? shade : own && own.from <= value && value <= own.to).toBe(value === 0 ? 0 : true);
      }
    }
  }
});
