// Keeps the address in step with what the page shows, and knows how far the page is with the place that it goes to. Only
// this class reads and writes the address; `placefields.ts` says what belongs there.
import type { Question } from '../engine/protocol';
import { formatPlace, NOWHERE, parsePlace, type Place } from './address';
import { AddressHistory } from './history';
import type { Library } from './library.svelte';
import { readPlace, type Shown } from './placefields';

/** How far the page is with a place. */
export type Visit =
  /** Nothing is on its way. */
  | { phase: 'settled' }
  /** The place is a link to games that are not on this device. */
  | { phase: 'missing'; place: Place }
  /** The corpus of the place is being opened. */
  | { phase: 'opening'; corpus: string }
  /** The results of the place are being fetched. The address already has the place. */
  | { phase: 'fetching'; place: Place };

const SETTLED: Visit = { phase: 'settled' };

/** A game and where to open it. */
export interface AwaitedGame {
  id: number;
  ply: number | null;
  line: readonly string[];
}

export class Route {
  visit = $state.raw<Visit>(SETTLED);
  /** The game of a link that has not arrived yet, with its place; null if there is none. */
  awaited = $state.raw<AwaitedGame | null>(null);
  /** The question that the address has. */
  addressed: Question = NOWHERE;

  private readonly shown: Shown;
  private readonly library: Library;
  private readonly history = new AddressHistory();
  private visits = 0;

  constructor(shown: Shown, library: Library) {
    this.shown = shown;
    this.library = library;
  }

  /** Begins another visit. Whatever was begun for the previous one stops. The returned function tells whether yet another visit has replaced this one. */
  begin(visit: Visit = SETTLED): () => boolean {
    const number = ++this.visits;
    this.visit = visit;
    this.awaited = null;
    return () => number !== this.visits;
  }

  /** The place is shown, or given up. */
  settle(): void {
    this.visit = SETTLED;
  }

  /** The user asks something else than the place whose results are being fetched. */
  overtake(): void {
    if (this.fetched) this.settle();
  }

  /** The place whose results are being fetched; null if there is none. */
  get fetched(): Place | null {
    return this.visit.phase === 'fetching' ? this.visit.place : null;
  }

  /** The place of a link to games that are not on this device; null if there is none. */
  get missing(): Place | null {
    return this.visit.phase === 'missing' ? this.visit.place : null;
  }

  /** The place that the address has. */
  read(): Place {
    return parsePlace(location.hash);
  }

  /**
   * Writes the address of what is shown, except for what `change` replaces. If the address does not change, this
   * makes no entry of the history, unless `isAlwaysNew`. `follow` replaces the entry, with a pause after the last time.
   */
  write(how: 'push' | 'replace' | 'follow', change: Partial<Place> = {}, isAlwaysNew = false): void {
    const place: Place = { ...readPlace(this.shown), ...change };
    const fragment = formatPlace(place);
    if (fragment === this.history.fragment && !isAlwaysNew) return;
    // The history entry stores the line, so that going back takes moves back.
    const state = place.position ? { line: $state.snapshot(this.shown.explorer.line) } : null;
    this.history[how](fragment, state);
  }

  /** Writes what waits for a pause. */
  flush(): void {
    this.history.flush();
  }

  /** Forgets what waits, because the browser has gone to another entry. */
  drop(): void {
    this.history.drop();
  }

  /** The corpus for the address: the one that is being opened, or the open one. */
  get corpus(): string {
    return this.visit.phase === 'opening' ? this.visit.corpus : (this.library.current?.id ?? '');
  }

  /** The question for the address. */
  get question(): Question {
    const { search } = this.shown;
    return search.result ? this.addressed : search.wanted();
  }

  /** The moment of the selected game for the address. */
  get moment(): Pick<AwaitedGame, 'ply' | 'line'> {
    const { chosen, replay } = this.shown;
    if (chosen !== null && chosen === replay.game?.row.id) return { ply: replay.ply, line: replay.movesOfSideline };
    return this.awaited?.id === chosen && this.awaited ? this.awaited : { ply: null, line: [] };
  }
}
