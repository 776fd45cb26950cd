// The corpus that was shown last on this device: by it the page knows what it will show before the engine is there.
import { keep, kept } from './kept';

const LAST_CORPUS = 'plyfold.corpus';

/** Remembers the corpus for the next visit. */
export function remember(corpus: string): void {
  keep(LAST_CORPUS, corpus);
}

/** The corpus that was shown last; empty if there is none. */
export function remembered(): string {
  return kept(LAST_CORPUS) ?? '';
}

/** Whether this browser has no games that are known of, and neither the address nor a publisher names some. */
export function isFirstVisit(): boolean {
  return remembered() === '' && location.hash === '' && !areGamesNamed();
}

/** Whether the games that were shown last are those of this visit, too, as far as can be known before the engine is there. `corpus` is that of the address. */
export function isReturn(corpus: string): boolean {
  return remembered() !== '' && (corpus === '' || corpus === remembered()) && !areGamesNamed();
}

/** Whether the address names a library or a file of games, or a publisher has written one into the page. */
function areGamesNamed(): boolean {
  const words = new URLSearchParams(location.search);
  return words.has('library') || words.has('corpus') || document.documentElement.dataset['library'] !== undefined;
}
