// Loads the catalog of the page's language before any other part of the page runs, so that every function finds its texts.
import { loadLocale } from 'wuchale/load-utils';
import './locales/js.loader.js';
import './locales/main.loader.svelte.js';
import { chosenLanguage, preferred } from './state/language';

/** Rejects if the host is out of reach. */
export async function loadLanguage(): Promise<void> {
  const language = chosenLanguage() ?? preferred(navigator.languages);
  document.documentElement.lang = language;
  await loadLocale(language);
}
