// Queries that one keeps: a name and a text each, on this device only. They leave it as a text file
// that the user saves, and come back as one that the user gives.

export interface SavedQuery {
  name: string;
  text: string;
}

const KEY = 'plyfold.saved';
/** What the file calls itself, so that another JSON is not taken for one. */
const FORMAT = 'plyfold saved queries';
const LONGEST_TEXT = 20_000;
const LONGEST_NAME = 120;

export class Saved {
  /** In the order in which they were kept. */
  list = $state.raw<readonly SavedQuery[]>([]);
  /** Set when the browser keeps nothing: one sentence. */
  trouble = $state('');

  constructor() {
    this.list = stored();
  }

  /** Takes over what another tab of the site has kept or removed. */
  follow(): void {
    addEventListener('storage', (event) => {
      if (event.key === KEY) this.list = stored();
    });
  }

  has(text: string): boolean {
    return this.list.some((one) => one.text === text.trim());
  }

  /** Keeps a query under a name, its own text if the name is empty; a text that is kept already takes the new name. */
  keep(name: string, text: string): void {
    const one = cleaned({ name, text });
    if (!one) return;
    const known = this.list.findIndex((other) => other.text === one.text);
    this.put(known < 0 ? [...this.list, one] : this.list.with(known, one));
  }

  rename(at: number, name: string): void {
    const one = this.list[at];
    const renamed = one && cleaned({ name, text: one.text });
    if (renamed) this.put(this.list.with(at, renamed));
  }

  remove(at: number): void {
    this.put(this.list.toSpliced(at, 1));
  }

  /** All of them as a text. */
  exported(): string {
    return `${JSON.stringify({ format: FORMAT, version: 1, queries: this.list }, null, 2)}\n`;
  }

  /** Adds those of an exported text that are new; how many, or one sentence about what is wrong. */
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
    return more.length;
  }

  private put(list: readonly SavedQuery[]): void {
    this.list = list;
    try {
      localStorage.setItem(KEY, JSON.stringify(list));
      this.trouble = '';
    } catch {
      this.trouble = 'The browser stores nothing for this page, so these queries are lost when it closes. Export them.';
    }
  }
}

/** What can be kept of it: some text, and a name. */
function cleaned(one: unknown): SavedQuery | null {
  if (typeof one !== 'object' || one === null) return null;
  const { name, text } = one as { name?: unknown; text?: unknown };
  if (typeof text !== 'string' || text.trim() === '' || text.length > LONGEST_TEXT) return null;
  const given = typeof name === 'string' ? name.trim().slice(0, LONGEST_NAME) : '';
  return { name: given || text.trim().slice(0, LONGEST_NAME), text: text.trim() };
}

function stored(): SavedQuery[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(list) ? list.map(cleaned).filter((one) => one !== null) : [];
  } catch {
    return [];
  }
}
