// The languages of the page, and which of them it has.
import { keep, kept } from './kept';

/** Languages by their tag, each by its own name. src/locales has a catalog for each except English, which stands in the code. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

const KEY = 'plyfold.language';

/** The language of a visit without a choice: the first of the browser's languages that there is, else English. */
export function preferred(wanted: readonly string[]): Language {
  const primary = wanted.map((tag) => tag.toLowerCase().split('-')[0] ?? '');
  return primary.find(isLanguage) ?? 'en';
}

/** The language that the page has. Unit tests have no page. */
export function language(): Language {
  const lang = typeof document === 'undefined' ? 'en' : document.documentElement.lang;
  return isLanguage(lang) ? lang : 'en';
}

/** The language chosen on this device; null if there is none. */
export function chosenLanguage(): Language | null {
  const tag = kept(KEY) ?? '';
  return isLanguage(tag) ? tag : null;
}

export function storeLanguage(chosen: Language): void {
  keep(KEY, chosen);
}

function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(LANGUAGES, tag);
}
