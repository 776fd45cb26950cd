// Saved queries: a name and a text each, stored only on this device. The user can export them to a text
// file and import them from one.

import { keepValue, keptValue } from './kept';
import { FIRST_LANGUAGE, LANGUAGE } from './queryversion';

type InThisLanguage = (text: string, language: number) => Promise<string>;

export interface SavedQuery {
  name: string;
  text: string;
  /** The version of the language of the text; without it, the first. */
  language?: number;
}

const KEY = 'plyfold.saved';
/** The name of the file format, so that another JSON file is not mistaken for saved queries. */
const FORMAT = 'plyfold saved queries';
const LONGEST_TEXT = 20_000;
const LONGEST_NAME = 120;

export class Saved {
  /** In the order in which the user saved them. */
  list = $state.raw<readonly SavedQuery[]>([]);
  /** Set if the browser stores nothing: one sentence. */
  trouble = $state('');
  private inThisLanguage: InThisLanguage | null = null;

  constructor() {
    this.list = stored();
  }

  /** Takes over changes that the user makes in another tab of the site. */
  follow(): void {
    addEventListener('storage', (event) => {
      if (event.key === KEY) this.list = stored();
    });
  }

  has(text: string): boolean {
    return this.list.some((one) => one.text === text.trim());
  }

  /** Saves a query under a name, or under its own text if the name is empty. A text that is already saved gets the new name. */
  keep(name: string, text: string): void {
    const one = cleaned({ name, text, language: LANGUAGE });
    if (!one) return;
    const known = this.list.findIndex((other) => other.text === one.text);
    this.put(known < 0 ? [...this.list, one] : this.list.with(known, one));
  }

  rename(at: number, name: string): void {
    const one = this.list[at];
    const renamed = one && cleaned({ ...one, name });
    if (renamed) this.put(this.list.with(at, renamed));
  }

  remove(at: number): void {
    this.put(this.list.toSpliced(at, 1));
  }

  /** All saved queries as a text. */
  exported(): string {
    return `${JSON.stringify({ format: FORMAT, version: 1, queries: this.list }, null, 2)}\n`;
  }

  /** Adds the new queries of an exported text. Returns how many there were, or one sentence about what is wrong. */
  imported(text: string): number | string {
    let file: unknown;
    try {
      file = JSON.parse(text);
    } catch {
      return 'This file is not JSON; nothing changed.';
    }
    const queries = typeof file === 'object' && file !== null && (file as { format?: unknown }).format === FORMAT ? (file as { queries?: unknown }).queries : null;
    if (!Array.isArray(queries)) return 'This file has no saved queries of plyfold; nothing changed.';
    const known = new Set(this.list.map((one) => one.text));
    const more = queries.map(cleaned).filter((one) => one !== null && !known.has(one.text) && known.add(one.text)) as SavedQuery[];
    if (more.length > 0) this.put([...this.list, ...more]);
    if (this.inThisLanguage) void this.renew(this.inThisLanguage);
    return more.length;
  }

  /** Puts queries of an earlier version of the language into the words of this one. */
  async renew(inThisLanguage: InThisLanguage): Promise<void> {
    this.inThisLanguage = inThisLanguage;
    const older = this.list.filter(({ language = FIRST_LANGUAGE }) => language < LANGUAGE);
    if (older.length === 0) return;
    let renewed: Map<SavedQuery, SavedQuery>;
    try {
      renewed = new Map(await Promise.all(older.map(async (one) => [one, { ...one, text: await inThisLanguage(one.text, one.language ?? FIRST_LANGUAGE), language: LANGUAGE }] as const)));
    } catch {
      // They stay as they are until the page is opened again.
      return;
    }
    // The user may have saved or removed others meanwhile, and two words of before may be one now.
    const texts = new Set<string>();
    const all = this.list.map((one) => renewed.get(one) ?? one);
    this.put(all.filter(({ text }) => !texts.has(text) && texts.add(text)));
  }

  private put(list: readonly SavedQuery[]): void {
    this.list = list;
    const isKept = keepValue(KEY, list);
    this.trouble = isKept ? '' : 'The browser stores nothing for this page, so these queries are lost when it closes. Export them.';
  }
}

/** A valid saved query made of this value; null if there is no text. */
function cleaned(one: unknown): SavedQuery | null {
  if (typeof one !== 'object' || one === null) return null;
  const { name, text, language } = one as { name?: unknown; text?: unknown; language?: unknown };
  if (typeof text !== 'string' || text.trim() === '' || text.length > LONGEST_TEXT) return null;
  const given = typeof name === 'string' ? name.trim().slice(0, LONGEST_NAME) : '';
  return { name: given || text.trim().slice(0, LONGEST_NAME), text: text.trim(), ...(typeof language === 'number' && { language }) };
}

function stored(): SavedQuery[] {
  const list = keptValue(KEY);
  return Array.isArray(list) ? list.map(cleaned).filter((one) => one !== null) : [];
}
