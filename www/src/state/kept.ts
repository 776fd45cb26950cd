// Texts that this browser keeps from one visit to the next, each under a key. Where storage is switched off or full, what is kept lasts
// until the page closes.

/** The text under a key; null if there is none. */
export function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** The value under a key, kept as JSON; null if there is none. It may be anything: another version of the page may have written it. */
export function keptValue(key: string): unknown {
  try {
    return JSON.parse(kept(key) ?? 'null');
  } catch {
    return null;
  }
}

/** Keeps a text, or with null none; false if the browser keeps nothing. */
export function keep(key: string, text: string | null): boolean {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

/** Keeps a value as JSON; false if the browser keeps nothing. */
export function keepValue(key: string, value: unknown): boolean {
  return keep(key, JSON.stringify(value));
}
