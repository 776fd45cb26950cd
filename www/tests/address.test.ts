// The address says what the page shows, and no address does harm.
import { describe, expect, it } from 'vitest';
import { formatPlace, NOWHERE, parsePlace, UNTURNED, type Place } from '../src/state/address';

describe('address', () => {
  const places: Place[] = [
    NOWHERE,
    { ...NOWHERE, corpus: 'k3', query: '{ queens_off and white bishop_pair }', game: 0, ply: 0 },
    { ...NOWHERE, corpus: 'a b', query: 'count(white rook) >= 2 & "#?"', tab: 'heatmap', game: 206_360, ply: 43 },
    { ...NOWHERE, corpus: 'a', query: 'check', game: 3, ply: 4, line: ['e2e4', 'e7e8q'] },
    { ...NOWHERE, corpus: 'x', tab: 'structures' },
    // Names of earlier versions: the engine still reads them, so a link keeps them.
    { ...NOWHERE, corpus: 'x', query: 'white man on e4 and board "8/8/8/8/8/8/8/8" under polish' },
    { ...NOWHERE, corpus: 'x', query: 'check', within: '(@a & @b) - @c', tab: 'counts', key: 'count(white pawn) + 1' },
    { ...NOWHERE, tab: 'explorer', position: 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -', among: true },
    { ...NOWHERE, query: 'loser "Karpov*"', words: 'Karpov lost', tab: 'explorer', follow: true, game: 3, ply: 4 },
    { ...NOWHERE, tab: 'explorer', rating: [{ from: 2200, to: 2399 }, { from: 2600, to: null }], years: { from: '1990.05', to: '' }, classes: ['blitz', 'rapid'], player: 'Carlsen, Magnus', colour: 'black' },
    { ...NOWHERE, tab: 'positions', every: true },
    { ...NOWHERE, turned: UNTURNED },
    { ...NOWHERE, tabled: '' },
    { ...NOWHERE, corpus: 'a', tab: 'tablebase', game: 2, ply: 80, tabled: '8/8/8/4k3/8/8/8/KBN5 w - - 0 1' },
    { ...NOWHERE, query: 'check', turned: { position: '8/8/8/8/8/8/8/K6k w - - 0 1', sequence: 'Twin Move a1 b1\nTwin cont flipH', leaving: 'dropped', other: 'half a FEN', otherIsOriginal: true } },
    { ...NOWHERE, turned: { ...UNTURNED, leaving: 'refused', other: '8/8/8/8/8/8/8/8' } },
    {
      ...NOWHERE,
      parts: [
        { by: 'value', key: 'event', value: 'Open: "A & B"' },
        { by: 'value', key: 'opening', value: '' },
        { by: 'next', code: 796, san: 'Nf3', position: '' },
        { by: 'next', code: 65_535, san: 'e8=Q#', position: 'fen "8/4P3/8/8/8/8/8/K1k5 w - -"' },
      ],
    },
  ];

  it.each(places)('comes back: %o', (place) => {
    expect(parsePlace(formatPlace(place))).toEqual(place);
  });

  it('says the version of the language where it matters', () => {
    const place = { ...NOWHERE, query: 'eval >= 2' };
    expect(formatPlace(place)).toBe('#q=eval+%3E%3D+2&v=2');
    expect(parsePlace('#q=eval+%3E%3D+2')).toEqual({ ...place, language: 1 });
    expect(formatPlace({ ...NOWHERE, query: 'check' })).toBe('#q=check');
  });

  it('shows games from 1', () => {
    expect(formatPlace({ ...NOWHERE, game: 0, ply: 12 })).toBe('#game=1&ply=12');
  });

  it.each(['#', '#game=0', '#game=-3', '#game=1e9', '#tab=No_tab', '#ply=4', '#%%%', '#part=value', '#part=value::x', '#part=next:4194304:e4', '#part=next:x:e4', '#part=all:a:b', '#position=e4', '#position=8/8_w_-_-%22_or_check', '#key=', '#among=2', '#rating=high', '#years=-', '#every=2', '#line=e2e4', '#page=none&board=8'])('leaves out what it cannot read: %s', (fragment) => {
    expect(parsePlace(fragment)).toEqual(NOWHERE);
  });
});
