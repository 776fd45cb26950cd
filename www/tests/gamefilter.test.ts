// Which games count: as conditions, names and parts of an address.
import { expect, it } from 'vitest';
import { ALL_GAMES, ALWAYS, ANY, bandName, conditionOf, datesOf, datesText, joined, parseClasses, parseDates, parseMonth, parseSpan, parseSpans, RATING_BANDS, spansText, spanText } from '../src/state/gamefilter';

const of = (change: Partial<typeof ALL_GAMES>) => conditionOf({ ...ALL_GAMES, ...change });

it('bands meet without gaps', () => {
  RATING_BANDS.slice(1).forEach((band, nth) => expect(band.from).toBe((RATING_BANDS[nth]?.to ?? 0) + 1));
  expect(RATING_BANDS.map(bandName)).toEqual(['below 1600', '1600–1999', '2000–2199', '2200–2399', '2400–2599', '2600 and more']);
  expect(joined(RATING_BANDS)).toEqual([ANY]);
  expect(joined([{ from: 2600, to: null }, { from: 2000, to: 2199 }, { from: 2200, to: 2399 }])).toEqual([{ from: 2000, to: 2399 }, { from: 2600, to: null }]);
});

it('a filter is a condition on games', () => {
  expect(of({})).toBe('');
  expect(of({ ratings: [{ from: 2200, to: 2399 }] })).toBe('average elo 2200..2399');
  expect(of({ ratings: [{ from: null, to: 1599 }], dates: { from: '1990', to: '' } })).toBe('average elo <= 1599 and year >= 1990');
  expect(of({ dates: { from: '2020', to: '2020' } })).toBe('year = 2020');
  expect(of({ dates: { from: '1990.05', to: '1991' } })).toBe('date 1990.05..1991');
  expect(of({ ratings: [{ from: 2200, to: 2399 }, { from: 2600, to: null }], classes: ['blitz', 'rapid'] })).toBe('{ average elo 2200..2399 or average elo >= 2600 } and time_class blitz, rapid');
  expect(of({ player: 'Carlsen, Magnus' })).toBe('player "Carlsen, Magnus"');
  expect(of({ player: 'Carl"sen*', colour: 'black' })).toBe('black "Carl sen*"');
});

it('ranges come back from the address, and nonsense is any number', () => {
  for (const span of [...RATING_BANDS, ANY]) expect(parseSpan(spanText(span))).toEqual(span);
  for (const text of ['', '-', 'x-y', '2000', '20000-', '-1e3']) expect(parseSpan(text)).toEqual(ANY);
  expect(parseSpans(spansText(RATING_BANDS))).toEqual(RATING_BANDS);
  expect(parseSpans('high,2200-2399,')).toEqual([{ from: 2200, to: 2399 }]);
  expect(parseClasses('rapid,blitz,slow')).toEqual(['blitz', 'rapid']);
});

it('dates are years or months, in either order', () => {
  expect(['1990', '1990.5', '1990-05', '5/1990', ' 1990 ', '1990.13', '90', 'May'].map(parseMonth)).toEqual(['1990', '1990.05', '1990.05', '1990.05', '1990', '', '', '']);
  expect([parseDates('1990.05-1991'), parseDates('2010-1990'), parseDates('2000-'), parseDates('x-y')]).toEqual([{ from: '1990.05', to: '1991' }, { from: '1990', to: '2010' }, { from: '2000', to: '' }, ALWAYS]);
  // From May 1990 until the end of 1990.
  expect(datesText(datesOf('1990.05', '1990'))).toBe('1990.05-1990');
});
