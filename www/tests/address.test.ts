// The address says what the page shows, and any address is harmless.
import { describe, expect, it } from 'vitest';
import { formatPlace, NOWHERE, parsePlace, type Place } from '../src/state/address';

describe('address', () => {
  const places: Place[] = [
    NOWHERE,
    { corpus: 'k3', query: '{ queens_off and white bishop_pair }', tab: 'games', game: 0, ply: 0 },
    { corpus: 'a b', query: 'count(white rook) >= 2 & "#?"', tab: 'heatmap', game: 206_360, ply: 43 },
    { corpus: 'x', query: '', tab: 'structures', game: null, ply: null },
  ];

  it.each(places)('comes back: %o', (place) => {
    expect(parsePlace(formatPlace(place))).toEqual(place);
  });

  it('shows games from 1', () => {
    expect(formatPlace({ ...NOWHERE, game: 0, ply: 12 })).toBe('#game=1&ply=12');
  });

  it.each(['#', '#game=0', '#game=-3', '#game=1e9', '#tab=nonsense', '#ply=4', '#%%%'])('leaves out what it cannot read: %s', (fragment) => {
    expect(parsePlace(fragment)).toEqual(NOWHERE);
  });
});
