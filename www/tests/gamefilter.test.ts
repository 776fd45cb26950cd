// Rating bands and years as conditions, names and parts of an address.
import { expect, it } from 'vitest';
import { ANY, bandName, conditionOf, parseSpan, RATING_BANDS, spanOf, spanText } from '../src/state/gamefilter';

it('bands meet without gaps', () => {
  RATING_BANDS.slice(1).forEach((band, nth) => expect(band.from).toBe((RATING_BANDS[nth]?.to ?? 0) + 1));
  expect(RATING_BANDS.map(bandName)).toEqual(['below 1600', '1600–1999', '2000–2199', '2200–2399', '2400–2599', '2600 and more']);
});

it('a filter is a condition on games', () => {
  expect(conditionOf({ rating: ANY, years: ANY })).toBe('');
  expect(conditionOf({ rating: { from: 2200, to: 2399 }, years: ANY })).toBe('average elo 2200..2399');
  expect(conditionOf({ rating: { from: null, to: 1599 }, years: { from: 1990, to: null } })).toBe('average elo <= 1599 and year >= 1990');
  expect(conditionOf({ rating: ANY, years: { from: 2020, to: 2020 } })).toBe('year = 2020');
});

it('ranges come back from the address, and nonsense is any number', () => {
  for (const span of [...RATING_BANDS, ANY]) expect(parseSpan(spanText(span))).toEqual(span);
  for (const text of ['', '-', 'x-y', '2000', '20000-', '-1e3']) expect(parseSpan(text)).toEqual(ANY);
  expect(parseSpan('2010-1990')).toEqual(spanOf(1990, 2010));
});
