// The language of the page: the one chosen on this device, else the first of the browser's languages that there is, else
// English. Its catalog is loaded before any other part of the page runs, so texts may stand anywhere in the code.
import { loadLocale } from 'wuchale/load-utils';
import './locales/js.loader.js';
import './locales/main.loader.svelte.js';

/** Languages by their tag, each by its own name. src/locales has a catalog for each. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

const KEY = 'plyfold.language';

/** The language of a first visit. */
export function preferred(wanted: readonly string[]): Language {
  const primary = wanted.map((tag) => tag.toLowerCase().split('-')[0] ?? '');
  return primary.find(isLanguage) ?? 'en';
}

/** The language that the page has. */
export function language(): Language {
  const { lang } = document.documentElement;
  return isLanguage(lang) ? lang : 'en';
}

/** Loads the catalog of the page's language. Rejects if the host is out of reach. */
export async function loadLanguage(): Promise<void> {
  const chosen = stored() ?? preferred(navigator.languages);
  document.documentElement.lang = chosen;
  await loadLocale(chosen);
}

/** Stores the choice and loads the page anew, which then has this language. */
export function chooseLanguage(chosen: Language): void {
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // Without storage, the browser's language stays.
  }
  location.reload();
}

function isLanguage(tag: string): tag is Language {
  return tag in LANGUAGES;
}

function stored(): Language | null {
  try {
    const tag = localStorage.getItem(KEY) ?? '';
    return isLanguage(tag) ? tag : null;
  } catch {
    return null;
  }
}
