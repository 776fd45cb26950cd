// What a visit shows is what the address says afterwards, field by field.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import { NOWHERE, UNTURNED, type Place } from '../src/state/address';
import { App } from '../src/state/app.svelte';
import { readPlace, showPlace } from '../src/state/placefields';
import { FakeBrowser } from './browser';
import { Hand } from './hand';

const FEN = '8/8/8/8/8/8/8/K6k w - -';

let app: App;
beforeEach(() => {
  new FakeBrowser().install();
  app = new App(new EngineClient(() => new Hand()));
});
afterEach(() => void vi.unstubAllGlobals());

const places: Partial<Place>[] = [
  {},
  { query: 'check', within: '@a', parts: [{ by: 'value', key: 'year', value: '2024' }], everywhere: true },
  { tab: 'counts', key: 'year' },
  { tab: 'explorer', position: FEN, among: true, rating: [{ from: 2200, to: null }], years: { from: '1990', to: '1999' }, classes: ['blitz'], player: 'Anna', colour: 'white' },
  { tab: 'positions', every: true },
  { tab: 'heatmap', beside: 'explorer' },
  { game: 3 },
  { turned: { ...UNTURNED, position: FEN, sequence: 'flipH' } },
  { tabled: FEN },
];

it.each(places)('%j', (changed) => {
  const place = { ...NOWHERE, ...changed };
  showPlace(app, place);
  expect(readPlace(app)).toEqual(place);
  // Nothing of one place is left at the next.
  showPlace(app, NOWHERE);
  expect(readPlace(app)).toEqual(NOWHERE);
});

it('a field of another tab or page is left out', () => {
  showPlace(app, { ...NOWHERE, tab: 'counts', key: 'year' });
  app.panels.tab = 'games';
  expect(readPlace(app).key).toBe(NOWHERE.key);
  showPlace(app, { ...NOWHERE, tabled: FEN });
  app.page = 'search';
  expect(readPlace(app).tabled).toBeNull();
});
