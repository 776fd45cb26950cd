// The named sets of the open corpus. The device stores them as files; the engine has them as the games
// that `@name` means. The engine decides whether bytes are a set, and whether the set belongs to this
// corpus.
import type { NamedSet } from './protocol';

/** What this module needs of the engine's corpus. `putSet` takes the bytes of a set; `setSize` counts its games that are not deleted. */
export interface SetTaker {
  putSet(name: string, bytes: Uint8Array): void;
  setSize(name: string): number;
  dropSet(name: string): void;
}

/** Where sets are stored, by corpus and name. */
export interface SetStore {
  sets(corpus: string): Promise<Map<string, Uint8Array<ArrayBuffer>>>;
  putSet(corpus: string, name: string, bytes: Uint8Array): Promise<void>;
  removeSet(corpus: string, name: string): Promise<void>;
}

/** A set to be stored. */
interface NewSet {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The same rule as in the command line, where the names are file names. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;
const REFUSED = 'bad-input';

export class Sets {
  private readonly id: string;
  private readonly corpus: SetTaker;
  private readonly storage: SetStore;
  private readonly known = new Map<string, { bytes: Uint8Array<ArrayBuffer>; trouble: string }>();

  private constructor(id: string, corpus: SetTaker, storage: SetStore) {
    this.id = id;
    this.corpus = corpus;
    this.storage = storage;
  }

  /** Gives the engine the stored sets of this corpus. */
  static async open(id: string, corpus: SetTaker, storage: SetStore): Promise<Sets> {
    const sets = new Sets(id, corpus, storage);
    for (const [name, bytes] of await storage.sets(id)) sets.know(name, bytes);
    return sets;
  }

  /** Gives the engine again what it refused, because the corpus has other games now. */
  tryAgain(): void {
    for (const [name, { bytes, trouble }] of this.known) if (trouble !== '') this.know(name, bytes);
  }

  private know(name: string, bytes: Uint8Array<ArrayBuffer>): void {
    try {
      this.corpus.putSet(name, bytes);
      this.known.set(name, { bytes, trouble: '' });
    } catch (error) {
      this.known.set(name, { bytes, trouble: said(error) });
    }
  }

  list(): NamedSet[] {
    return [...this.known].map(([name, { trouble }]) => ({ name, games: trouble === '' ? this.corpus.setSize(name) : 0, trouble })).sort((one, two) => (one.name < two.name ? -1 : 1));
  }

  /** Throws if a name is invalid or already taken. */
  mayBeCalled(name: string): void {
    if (!NAME.test(name)) throw refusal(`"${name}" cannot be the name of a set: use letters, digits and _ . -, and do not begin with . or -`);
    if (this.known.has(name)) throw refusal(`there already is a set @${name}; choose another name`);
  }

  /** Stores all of these sets or none. */
  async keep(sets: readonly NewSet[]): Promise<NamedSet[]> {
    for (const { name } of sets) this.mayBeCalled(name);
    const done: string[] = [];
    try {
      for (const { name, bytes } of sets) {
        this.corpus.putSet(name, bytes);
        done.push(name);
        await this.storage.putSet(this.id, name, bytes);
        this.known.set(name, { bytes, trouble: '' });
      }
    } catch (error) {
      for (const name of done) {
        this.corpus.dropSet(name);
        if (this.known.delete(name)) await this.storage.removeSet(this.id, name).catch(() => undefined);
      }
      throw error;
    }
    return this.list();
  }

  /** Gives each part a name of its own under which it can be stored. */
  named(prefix: string, parts: readonly { name: string; bytes: Uint8Array<ArrayBuffer> }[]): NewSet[] {
    const taken = new Set<string>();
    return parts.map(({ name: value, bytes }) => {
      const name = setName(prefix, value);
      let free = name;
      for (let nth = 2; taken.has(free); nth++) free = `${name}-${nth}`;
      taken.add(free);
      return { name: free, bytes };
    });
  }

  /** Stores a set from a file of the user. */
  async add(name: string, file: File): Promise<NamedSet[]> {
    this.mayBeCalled(name);
    const bytes = new Uint8Array(await file.arrayBuffer());
    try {
      return await this.keep([{ name, bytes }]);
    } catch (error) {
      throw (error as { code?: unknown }).code === REFUSED ? refusal(`${file.name}: ${said(error)}`) : error;
    }
  }

  async rename(name: string, to: string): Promise<NamedSet[]> {
    if (name === to) return this.list();
    const { bytes } = this.one(name);
    await this.keep([{ name: to, bytes }]);
    return this.remove(name);
  }

  async remove(name: string): Promise<NamedSet[]> {
    await this.storage.removeSet(this.id, name);
    this.corpus.dropSet(name);
    this.known.delete(name);
    return this.list();
  }

  file(name: string): Blob {
    return new Blob([this.one(name).bytes], { type: 'application/octet-stream' });
  }

  private one(name: string): { bytes: Uint8Array<ArrayBuffer> } {
    const found = this.known.get(name);
    if (!found) throw refusal(`this corpus has no set @${name}`);
    return found;
  }
}

/** `prefix-value` as the name of a set: characters that a name cannot have become `_`. */
export function setName(prefix: string, value: string): string {
  return `${prefix}-${value}`.normalize('NFKD').replace(/[\u0300-\u036f]/g, '').replaceAll('½', '1_2').replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, 90);
}

export function refusal(message: string): { code: typeof REFUSED; message: string } {
  return { code: REFUSED, message };
}

/** What anything thrown says. */
export function said(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
