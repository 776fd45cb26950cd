// Corpora in the browser's private files (OPFS), one file each, named after the corpus. A new one
// is written under another name and renamed when it is whole, so that a listed corpus is always a
// complete one. Where private files are refused or full, a corpus lives in memory instead.
import type { CorpusInfo } from './protocol';

/** Bytes that can be read at any place, as the engine wants them. */
export interface Source {
  read(into: Uint8Array, at: number): number;
}

export interface OpenSource extends Source {
  readonly size_bytes: number;
  close(): void;
}

/** Reads games and plies off the first bytes of a corpus; the engine knows how. */
export type ReadFacts = (head: Uint8Array) => { games: number; plies: number };

/** A storage failure that the page can tell apart. */
export class StorageError extends Error {
  readonly code: 'held' | 'storage' | 'no-corpus';
  constructor(code: StorageError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

const FOLDER = 'corpora';
/** Beside it: a folder for each corpus, with its sets as files. */
const SETS = 'sets';
const SET = '.bm';
const WHOLE = '.plyfold';
const PART = '.part';
const HEAD_BYTES = 64;
/** What browsers throw when another tab holds a file; the second is Safari's of a few years ago. */
const LOCKED: ReadonlySet<string> = new Set(['NoModificationAllowedError', 'InvalidStateError']);
const SWEEP_AGAIN_MS = 4000;

// What TypeScript's library does not have yet.
interface MovableFile extends FileSystemFileHandle {
  move(name: string): Promise<void>;
  createSyncAccessHandle(options?: { mode: 'read-only' | 'readwrite' }): Promise<FileSystemSyncAccessHandle>;
}

export class Storage {
  private readonly memory = new Map<string, { info: CorpusInfo; chunks: Uint8Array[] }>();
  /** Sets by corpus and name, where there are no files for them. */
  private readonly memorySets = new Map<string, Map<string, Uint8Array>>();
  private readonly folder: FileSystemDirectoryHandle | null;
  private readonly setFolders: FileSystemDirectoryHandle | null;
  private readonly facts: ReadFacts;

  private constructor(folder: FileSystemDirectoryHandle | null, setFolders: FileSystemDirectoryHandle | null, facts: ReadFacts) {
    this.folder = folder;
    this.setFolders = setFolders;
    this.facts = facts;
  }

  static async open(facts: ReadFacts): Promise<Storage> {
    try {
      const root = await navigator.storage.getDirectory();
      const folder = (name: string) => root.getDirectoryHandle(name, { create: true });
      const storage = new Storage(await folder(FOLDER), await folder(SETS), facts);
      await storage.sweep();
      // A worker that was ended in the middle of an import holds its file for a moment longer.
      setTimeout(() => void storage.sweep(), SWEEP_AGAIN_MS);
      return storage;
    } catch {
      // Private windows of some browsers, or storage switched off.
      return new Storage(null, null, facts);
    }
  }

  /** Whether corpora are kept when the page is closed. */
  get lasting(): boolean {
    return this.folder !== null;
  }

  async list(): Promise<CorpusInfo[]> {
    const found = [...this.memory.values()].map((corpus) => corpus.info);
    if (this.folder) {
      for await (const [name, handle] of this.folder.entries()) {
        if (handle.kind !== 'file' || !name.endsWith(WHOLE)) continue;
        const info = await this.describe(name, handle as FileSystemFileHandle);
        if (info) found.push(info);
      }
    }
    return found.sort((one, two) => two.created_ms - one.created_ms);
  }

  async read(id: string): Promise<OpenSource> {
    const kept = this.memory.get(id);
    if (kept) return new MemorySource(kept.chunks);
    const handle = await this.file(id);
    try {
      return new FileSource(await handle.createSyncAccessHandle({ mode: 'read-only' }));
    } catch (error) {
      throw heldOr(error, `"${id}" is open in another tab of this browser. Close it there, then open it here`);
    }
  }

  async remove(id: string): Promise<void> {
    this.memorySets.delete(id);
    if (this.memory.delete(id)) return;
    await this.file(id);
    try {
      await this.folder?.removeEntry(encodeURIComponent(id) + WHOLE);
    } catch (error) {
      throw heldOr(error, `"${id}" is open in another tab of this browser. Close it there, then delete it here`);
    }
    // A corpus that never had a set has no folder of sets.
    await this.setFolders?.removeEntry(encodeURIComponent(id), { recursive: true }).catch(() => undefined);
  }

  /** The sets of a corpus by name, as the bytes of their files. */
  async sets(corpus: string): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
    const found = new Map<string, Uint8Array<ArrayBuffer>>();
    for (const [name, bytes] of this.memorySets.get(corpus) ?? []) found.set(name, bytes.slice());
    const folder = await this.setFolder(corpus, false);
    for await (const [name, handle] of folder?.entries() ?? []) {
      if (handle.kind !== 'file' || !name.endsWith(SET)) continue;
      const file = await (handle as FileSystemFileHandle).getFile();
      found.set(name.slice(0, -SET.length), new Uint8Array(await file.arrayBuffer()));
    }
    return new Map([...found].sort(([one], [two]) => (one < two ? -1 : 1)));
  }

  /** Keeps a set; a name that is taken is for the caller to refuse. */
  async putSet(corpus: string, name: string, bytes: Uint8Array): Promise<void> {
    const folder = await this.setFolder(corpus, true);
    if (!folder) {
      const sets = this.memorySets.get(corpus) ?? new Map<string, Uint8Array>();
      this.memorySets.set(corpus, sets.set(name, bytes.slice()));
      return;
    }
    // Under another name until it is whole.
    const part = (await folder.getFileHandle(name + PART, { create: true })) as MovableFile;
    try {
      const access = await part.createSyncAccessHandle();
      try {
        access.truncate(0);
        if (access.write(bytes, { at: 0 }) !== bytes.length) throw new DOMException('', 'QuotaExceededError');
        access.flush();
      } finally {
        access.close();
      }
      await part.move(name + SET);
    } catch (error) {
      await folder.removeEntry(name + PART).catch(() => undefined);
      if (error instanceof DOMException && error.name === 'QuotaExceededError') {
        throw new StorageError('storage', `there is no room left on this device, so @${name} was not kept`);
      }
      throw heldOr(error, `@${name} is being written in another tab of this browser`);
    }
  }

  async removeSet(corpus: string, name: string): Promise<void> {
    if (this.memorySets.get(corpus)?.delete(name)) return;
    const folder = await this.setFolder(corpus, false);
    await folder?.removeEntry(name + SET).catch((error: unknown) => {
      throw heldOr(error, `@${name} is open in another tab of this browser`);
    });
  }

  private async setFolder(corpus: string, create: boolean): Promise<FileSystemDirectoryHandle | null> {
    if (this.memory.has(corpus)) return null;
    return this.setFolders?.getDirectoryHandle(encodeURIComponent(corpus), { create }).catch(() => null) ?? null;
  }

  /** Begins a new corpus called `name`, or `name 2` and so on when that is taken. */
  async create(name: string): Promise<Writer> {
    const taken = new Set((await this.list()).map((corpus) => corpus.id));
    for (let nth = 1; ; nth++) {
      const id = nth === 1 ? name : `${name} ${nth}`;
      if (taken.has(id)) continue;
      const part = await this.createPart(id);
      if (part !== 'taken') return new Writer(id, part, this);
    }
  }

  /** Keeps a finished corpus that could not be written to a file. */
  keep(id: string, chunks: Uint8Array[], games: number, plies: number): CorpusInfo {
    const size_bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const info: CorpusInfo = { id, name: id, games, plies, size_bytes, created_ms: Date.now(), kept: 'memory' };
    this.memory.set(id, { info, chunks });
    return info;
  }

  async removePart(id: string): Promise<void> {
    await this.folder?.removeEntry(encodeURIComponent(id) + PART).catch(() => undefined);
  }

  private async createPart(id: string): Promise<{ handle: MovableFile; access: FileSystemSyncAccessHandle } | 'taken' | null> {
    if (!this.folder) return null;
    try {
      const handle = (await this.folder.getFileHandle(encodeURIComponent(id) + PART, { create: true })) as MovableFile;
      const access = await handle.createSyncAccessHandle();
      access.truncate(0);
      return { handle, access };
    } catch (error) {
      return error instanceof DOMException && LOCKED.has(error.name) ? 'taken' : null;
    }
  }

  private async file(id: string): Promise<MovableFile> {
    try {
      if (!this.folder) throw new Error();
      return (await this.folder.getFileHandle(encodeURIComponent(id) + WHOLE)) as MovableFile;
    } catch {
      throw new StorageError('no-corpus', `there is no corpus "${id}" on this device any more`);
    }
  }

  private async describe(fileName: string, handle: FileSystemFileHandle): Promise<CorpusInfo | null> {
    try {
      const id = decodeURIComponent(fileName.slice(0, -WHOLE.length));
      const file = await handle.getFile();
      const { games, plies } = this.facts(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
      return { id, name: id, games, plies, size_bytes: file.size, created_ms: file.lastModified, kept: 'device' };
    } catch {
      // Not one of ours, or from a version to come: leave it alone and unlisted.
      return null;
    }
  }

  /** Takes away what broken-off imports left. A file that another tab is writing refuses to go. */
  private async sweep(): Promise<void> {
    if (!this.folder) return;
    for await (const name of this.folder.keys()) {
      if (name.endsWith(PART)) await this.folder.removeEntry(name).catch(() => undefined);
    }
  }
}

/** A corpus being written: to a file as long as that works, otherwise to memory. */
export class Writer {
  readonly id: string;
  /** Why it is in memory: one sentence, empty while it is in a file. */
  note = '';
  private readonly storage: Storage;
  private part: { handle: MovableFile; access: FileSystemSyncAccessHandle } | null;
  private chunks: Uint8Array[] = [];
  private end = 0;

  constructor(id: string, part: Writer['part'], storage: Storage) {
    this.id = id;
    this.part = part;
    this.storage = storage;
    if (!part) this.note = 'The browser refuses to keep files for this page, so this corpus is in memory and gone when the page closes.';
  }

  /** Adds bytes at the end. `bytes` may be the engine's own memory and is copied. */
  append(bytes: Uint8Array): void {
    if (this.part) {
      try {
        if (this.part.access.write(bytes, { at: this.end }) !== bytes.length) throw new DOMException('', 'QuotaExceededError');
        this.end += bytes.length;
        return;
      } catch {
        this.retreat();
      }
    }
    this.chunks.push(bytes.slice());
    this.end += bytes.length;
  }

  /** Writes over the first bytes. */
  begin(bytes: Uint8Array): void {
    if (this.part) this.part.access.write(bytes, { at: 0 });
    else {
      const first = this.chunks[0];
      if (first) first.set(bytes);
    }
  }

  async finish(games: number, plies: number): Promise<CorpusInfo> {
    const size_bytes = this.end;
    if (this.part) {
      const { handle, access } = this.part;
      access.flush();
      access.close();
      await handle.move(encodeURIComponent(this.id) + WHOLE);
      return { id: this.id, name: this.id, games, plies, size_bytes, created_ms: Date.now(), kept: 'device' };
    }
    return this.storage.keep(this.id, this.chunks, games, plies);
  }

  async abandon(): Promise<void> {
    this.chunks = [];
    this.part?.access.close();
    if (this.part) await this.storage.removePart(this.id);
    this.part = null;
  }

  /** The device is full: what was written so far goes to memory, and the file away. */
  private retreat(): void {
    if (!this.part) return;
    const { access } = this.part;
    const written = new Uint8Array(this.end);
    access.read(written, { at: 0 });
    access.truncate(0);
    access.close();
    void this.storage.removePart(this.id);
    this.part = null;
    this.chunks = [written];
    this.note = 'There is no room left on this device for it, so this corpus is in memory and gone when the page closes.';
  }
}

class FileSource implements OpenSource {
  private readonly access: FileSystemSyncAccessHandle;
  readonly size_bytes: number;
  constructor(access: FileSystemSyncAccessHandle) {
    this.access = access;
    this.size_bytes = access.getSize();
  }
  read(into: Uint8Array, at: number): number {
    return this.access.read(into, { at });
  }
  close(): void {
    this.access.close();
  }
}

class MemorySource implements OpenSource {
  private readonly chunks: readonly Uint8Array[];
  readonly size_bytes: number;
  constructor(chunks: readonly Uint8Array[]) {
    this.chunks = chunks;
    this.size_bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }
  read(into: Uint8Array, at: number): number {
    let start = 0;
    let done = 0;
    for (const chunk of this.chunks) {
      const from = at + done - start;
      if (from < chunk.length && done < into.length) {
        const piece = chunk.subarray(from, from + into.length - done);
        into.set(piece, done);
        done += piece.length;
      }
      start += chunk.length;
    }
    return done;
  }
  close(): void {
    // Nothing is held.
  }
}

function heldOr(error: unknown, sentence: string): StorageError {
  if (error instanceof DOMException && LOCKED.has(error.name)) return new StorageError('held', sentence);
  return new StorageError('storage', `the browser's storage failed (${error instanceof Error ? error.message : String(error)})`);
}
