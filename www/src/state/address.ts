// What the page shows, written into the address: corpus, query, tab, game and ply. It lives behind
// the `#`, which browsers never send to a server, so a query stays on the device even when shared
// hosting keeps logs.

export const TABS = ['games', 'positions', 'heatmap', 'structures'] as const;
export type Tab = (typeof TABS)[number];

export interface Place {
  corpus: string;
  query: string;
  tab: Tab;
  /** Game number in the corpus, from 0, or null when none was chosen. */
  game: number | null;
  /** Ply on the board, 0 for the start position; only together with a game. */
  ply: number | null;
}

export const NOWHERE: Place = { corpus: '', query: '', tab: 'games', game: null, ply: null };

/** Reads an address fragment, with or without `#`. Anything unknown or malformed is left out. */
export function parsePlace(fragment: string): Place {
  const words = new URLSearchParams(fragment.replace(/^#/, ''));
  const tab = TABS.find((name) => name === words.get('tab')) ?? 'games';
  // Games are shown from 1, as in the table.
  const game = wholeNumber(words.get('game'), 1);
  return {
    corpus: words.get('corpus') ?? '',
    query: words.get('q') ?? '',
    tab,
    game: game === null ? null : game - 1,
    ply: game === null ? null : wholeNumber(words.get('ply'), 0),
  };
}

/** The fragment for a place, with its `#`; the empty place gives an empty text. */
export function formatPlace(place: Place): string {
  const words = new URLSearchParams();
  if (place.corpus) words.set('corpus', place.corpus);
  if (place.query) words.set('q', place.query);
  if (place.tab !== 'games') words.set('tab', place.tab);
  if (place.game !== null) {
    words.set('game', String(place.game + 1));
    if (place.ply !== null) words.set('ply', String(place.ply));
  }
  const text = words.toString();
  return text ? `#${text}` : '';
}

function wholeNumber(text: string | null, least: number): number | null {
  if (text === null || !/^\d{1,9}$/.test(text)) return null;
  const value = Number(text);
  return value >= least ? value : null;
}
