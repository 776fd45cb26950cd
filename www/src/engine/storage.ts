// Corpora in the browser's private files (OPFS), one file each, named after the corpus. A new corpus is
// written under another name and renamed when it is complete, so every listed corpus is complete. If
// private files are refused or the device is full, a corpus is in memory instead.
import type { ByteSource, CorpusInfo, CorpusSize, ImportReport } from './protocol';
import { writeWhole, type MovableFile } from './wholefile';

/** Reads the size of a corpus from its first bytes, through the engine, which may still be on its way. */
export type ReadSize = (head: Uint8Array) => CorpusSize | Promise<CorpusSize>;

/** A storage failure with a code, so that the page can tell failures apart. */
export class StorageError extends Error {
  readonly code: 'held' | 'storage' | 'no-corpus';
  constructor(code: StorageError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

const FOLDER = 'corpora';
/** The folder beside `corpora`. It has one folder per corpus, with the sets of that corpus as files, the account of its import, the edits of its games, and the names that stand for others. */
const SETS = 'sets';
const SET = '.bm';
const ACCOUNT = 'account.json';
const EDITS = 'games.edits';
const ALIASES = 'names.aliases';
const WHOLE = '.plyfold';
const PART = '.part';
const HEAD_BYTES = 64;
/** The errors that browsers throw when another tab holds a file. Older versions of Safari throw the second one. */
const LOCKED: ReadonlySet<string> = new Set(['NoModificationAllowedError', 'InvalidStateError']);
const SWEEP_AGAIN_MS = 4000;
/** The most partial files of other tabs with the same name that are skipped; then the corpus is in memory. */
const MOST_NAMES_HELD = 100;

export class Storage {
  private readonly memory = new Map<string, { info: CorpusInfo; chunks: Uint8Array[] }>();
  /** Sets by corpus and name, for corpora without set files. */
  private readonly memorySets = new Map<string, Map<string, Uint8Array>>();
  /** The accounts of imports by corpus, for corpora without files. */
  private readonly memoryAccounts = new Map<string, ImportReport>();
  /** Texts beside corpora, by corpus and file, for corpora without files. */
  private readonly memoryTexts = new Map<string, Map<string, string>>();
  private readonly folder: FileSystemDirectoryHandle | null;
  private readonly setFolders: FileSystemDirectoryHandle | null;
  private readonly sizeOf: ReadSize;

  private constructor(folder: FileSystemDirectoryHandle | null, setFolders: FileSystemDirectoryHandle | null, sizeOf: ReadSize) {
    this.folder = folder;
    this.setFolders = setFolders;
    this.sizeOf = sizeOf;
  }

  static async open(sizeOf: ReadSize): Promise<Storage> {
    try {
      const root = await navigator.storage.getDirectory();
      const folder = (name: string) => root.getDirectoryHandle(name, { create: true });
      const storage = new Storage(await folder(FOLDER), await folder(SETS), sizeOf);
      await storage.sweep();
      // A worker that was ended during an import holds its file for a moment longer.
      setTimeout(() => void storage.sweep(), SWEEP_AGAIN_MS);
      return storage;
    } catch {
      // The private windows of some browsers refuse storage, and the user may have switched it off.
      return new Storage(null, null, sizeOf);
    }
  }

  /** Whether corpora survive when the page closes. */
  get lasting(): boolean {
    return this.folder !== null;
  }

  async list(): Promise<CorpusInfo[]> {
    const found = [...this.memory.values()].map((corpus) => corpus.info);
    if (this.folder) {
      try {
        for await (const [name, handle] of this.folder.entries()) {
          if (handle.kind !== 'file' || !name.endsWith(WHOLE)) continue;
          const info = await this.describe(name, handle as FileSystemFileHandle);
          if (info) found.push(info);
        }
      } catch (error) {
        throw failed(error);
      }
    }
    return found.sort((one, two) => two.created_ms - one.created_ms);
  }

  /** One of the list; null if it is not there, or is no corpus. */
  async info(id: string): Promise<CorpusInfo | null> {
    const kept = this.memory.get(id);
    if (kept) return kept.info;
    const handle = await this.file(id).catch(() => null);
    return handle && this.describe(handle.name, handle);
  }

  /** What the engine reads a corpus from. If it is a handle, the engine closes it. */
  async read(id: string): Promise<ByteSource> {
    const kept = this.memory.get(id);
    if (kept) return kept.chunks;
    const handle = await this.file(id);
    try {
      // Each page of this browser may read the corpus: a handle that only one page can have would lock out the others,
      // and the browser keeps a page that was left alive, with its handles.
      return hasSharedHandles() ? await handle.createSyncAccessHandle({ mode: 'read-only' }) : await handle.getFile();
    } catch (error) {
      throw heldOr(error, `"${id}" is open in another tab of this browser. Close it there, then open it here`);
    }
  }

  async remove(id: string): Promise<void> {
    this.memorySets.delete(id);
    this.memoryAccounts.delete(id);
    this.memoryTexts.delete(id);
    if (this.memory.delete(id)) return;
    await this.file(id);
    try {
      await this.folder?.removeEntry(encodeURIComponent(id) + WHOLE);
    } catch (error) {
      throw heldOr(error, `"${id}" is open in another tab of this browser. Close it there, then delete it here`);
    }
    // A corpus of an older version that never had a set has no folder.
    await this.setFolders?.removeEntry(encodeURIComponent(id), { recursive: true }).catch(() => undefined);
  }

  /** Stores the account of the import of a corpus. */
  async putAccount(report: ImportReport): Promise<void> {
    const { id } = report.corpus;
    const folder = await this.setFolder(id, true);
    if (!folder) {
      this.memoryAccounts.set(id, report);
      return;
    }
    await writeWhole(folder, ACCOUNT + PART, ACCOUNT, [new TextEncoder().encode(JSON.stringify(report))]);
  }

  /** The account of the import of a corpus; null if an older version imported it, or no account could be stored. */
  async account(corpus: string): Promise<ImportReport | null> {
    const kept = this.memoryAccounts.get(corpus);
    if (kept) return kept;
    try {
      const handle = await (await this.setFolder(corpus, false))?.getFileHandle(ACCOUNT);
      return handle ? (JSON.parse(await (await handle.getFile()).text()) as ImportReport) : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw failed(error);
    }
  }

  /** The text of the list of edits of a corpus; empty if there is none. */
  edits(corpus: string): Promise<string> {
    return this.text(corpus, EDITS);
  }

  /** Stores the list of edits of a corpus. */
  putEdits(corpus: string, text: string): Promise<void> {
    return this.putText(corpus, EDITS, text, 'the edit');
  }

  /** The text of the list of names that stand for others in a corpus; empty if there is none. */
  aliases(corpus: string): Promise<string> {
    return this.text(corpus, ALIASES);
  }

  /** Stores the list of names that stand for others in a corpus. */
  putAliases(corpus: string, text: string): Promise<void> {
    return this.putText(corpus, ALIASES, text, 'the list of names');
  }

  private async text(corpus: string, file: string): Promise<string> {
    const kept = this.memoryTexts.get(corpus)?.get(file);
    if (kept !== undefined) return kept;
    try {
      const handle = await (await this.setFolder(corpus, false))?.getFileHandle(file);
      return handle ? await (await handle.getFile()).text() : '';
    } catch (error) {
      if (isMissing(error)) return '';
      throw failed(error);
    }
  }

  private async putText(corpus: string, file: string, text: string, what: string): Promise<void> {
    const folder = await this.setFolder(corpus, true, what);
    if (!folder) {
      const texts = this.memoryTexts.get(corpus) ?? new Map<string, string>();
      this.memoryTexts.set(corpus, texts.set(file, text));
      return;
    }
    await writeWhole(folder, file + PART, file, [new TextEncoder().encode(text)]).catch((error: unknown) => {
      throw notKept(error, what);
    });
  }

  /** The sets of a corpus by name, as the bytes of their files. */
  async sets(corpus: string): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
    const found = new Map<string, Uint8Array<ArrayBuffer>>();
    for (const [name, bytes] of this.memorySets.get(corpus) ?? []) found.set(name, bytes.slice());
    const folder = await this.setFolder(corpus, false);
    try {
      for await (const [name, handle] of folder?.entries() ?? []) {
        if (handle.kind !== 'file' || !name.endsWith(SET)) continue;
        const file = await (handle as FileSystemFileHandle).getFile();
        found.set(name.slice(0, -SET.length), new Uint8Array(await file.arrayBuffer()));
      }
    } catch (error) {
      throw failed(error);
    }
    return new Map([...found].sort(([one], [two]) => (one < two ? -1 : 1)));
  }

  /** Stores a set. The caller must refuse a name that is taken. */
  async putSet(corpus: string, name: string, bytes: Uint8Array): Promise<void> {
    const folder = await this.setFolder(corpus, true, `@${name}`);
    if (!folder) {
      const sets = this.memorySets.get(corpus) ?? new Map<string, Uint8Array>();
      this.memorySets.set(corpus, sets.set(name, bytes.slice()));
      return;
    }
    await writeWhole(folder, name + PART, name + SET, [bytes]).catch((error: unknown) => {
      throw notKept(error, `@${name}`);
    });
  }

  async removeSet(corpus: string, name: string): Promise<void> {
    if (this.memorySets.get(corpus)?.delete(name)) return;
    const folder = await this.setFolder(corpus, false);
    await folder?.removeEntry(name + SET).catch((error: unknown) => {
      // Another tab has already removed the set.
      if (isMissing(error)) return;
      throw heldOr(error, `@${name} is open in another tab of this browser`);
    });
  }

  /** The folder with the sets of a corpus; null if there is none or the corpus is in memory. Errors name what is `wanted` there. */
  private async setFolder(corpus: string, create: boolean, wanted = ''): Promise<FileSystemDirectoryHandle | null> {
    if (!this.setFolders || this.memory.has(corpus)) return null;
    try {
      return await this.setFolders.getDirectoryHandle(encodeURIComponent(corpus), { create });
    } catch (error) {
      if (!create && isMissing(error)) return null;
      throw create ? notKept(error, wanted) : failed(error);
    }
  }

  /** Begins a new corpus called `name`, or `name 2` and so on if the name is taken. */
  async create(name: string): Promise<Writer> {
    const taken = new Set((await this.list()).map((corpus) => corpus.id));
    let held = 0;
    for (let nth = 1; ; nth++) {
      const id = nth === 1 ? name : `${name} ${nth}`;
      if (taken.has(id)) continue;
      const part = held < MOST_NAMES_HELD ? await this.createPart(id) : null;
      if (part !== 'taken') return new Writer(id, part, this);
      held++;
    }
  }

  /** Keeps a complete corpus in memory when it could not be written to a file. */
  keep(id: string, chunks: Uint8Array[], games: number, plies: number): CorpusInfo {
    const size_bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const info: CorpusInfo = { id, name: id, games, plies, size_bytes, created_ms: Date.now(), kept: 'memory' };
    this.memory.set(id, { info, chunks });
    return info;
  }

  async removePart(id: string): Promise<void> {
    await this.folder?.removeEntry(encodeURIComponent(id) + PART).catch(() => undefined);
  }

  /** Removes a corpus that was completed only after its import had been abandoned. */
  async removeWhole(id: string): Promise<void> {
    await this.folder?.removeEntry(encodeURIComponent(id) + WHOLE).catch(() => undefined);
  }

  private async createPart(id: string): Promise<{ handle: MovableFile; access: FileSystemSyncAccessHandle } | 'taken' | null> {
    if (!this.folder) return null;
    try {
      const handle = (await this.folder.getFileHandle(encodeURIComponent(id) + PART, { create: true })) as MovableFile;
      const access = await handle.createSyncAccessHandle();
      access.truncate(0);
      return { handle, access };
    } catch (error) {
      if (error instanceof DOMException && LOCKED.has(error.name)) return 'taken';
      await this.removePart(id);
      return null;
    }
  }

  private async file(id: string): Promise<MovableFile> {
    const gone = new StorageError('no-corpus', `there is no corpus "${id}" on this device`);
    if (!this.folder) throw gone;
    try {
      return (await this.folder.getFileHandle(encodeURIComponent(id) + WHOLE)) as MovableFile;
    } catch (error) {
      throw isMissing(error) ? gone : failed(error);
    }
  }

  private async describe(fileName: string, handle: FileSystemFileHandle): Promise<CorpusInfo | null> {
    try {
      const id = decodeURIComponent(fileName.slice(0, -WHOLE.length));
      const file = await handle.getFile();
      const { games, plies } = await this.sizeOf(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
      return { id, name: id, games, plies, size_bytes: file.size, created_ms: file.lastModified, kept: 'device' };
    } catch {
      // The file is not a corpus, or a later version wrote it: the list leaves it out, and it stays.
      return null;
    }
  }

  /** Removes partial files. The browser refuses to remove a file that another tab is writing; the next sweep tries again. */
  private async sweep(): Promise<void> {
    try {
      if (this.folder) await sweepFolder(this.folder);
      for await (const handle of this.setFolders?.values() ?? []) if (handle.kind === 'directory') await sweepFolder(handle as FileSystemDirectoryHandle);
    } catch {
      // No caller waits for the sweep. What it could not remove stays until the next one.
    }
  }
}

/** What the engine says of a corpus that it has written. */
export interface Written extends CorpusSize {
  size_bytes: number;
  /** The bytes of the corpus if they are in memory, because there is no file or no room in it. */
  chunks: Uint8Array[] | undefined;
}

/** A corpus that the engine writes to a file as long as that works, otherwise to memory. */
export class Writer {
  readonly id: string;
  /** Why the corpus is in memory: one sentence, empty while it is in a file. */
  note = '';
  private readonly storage: Storage;
  private part: { handle: MovableFile; access: FileSystemSyncAccessHandle } | null;
  private isAbandoned = false;

  constructor(id: string, part: Writer['part'], storage: Storage) {
    this.id = id;
    this.part = part;
    this.storage = storage;
    if (!part) this.note = 'The browser does not let this page store files, so these games are only in memory and are lost when the page closes. To keep them, use a window that is not private.';
  }

  /** The file to write, empty; undefined if there is none. */
  get file(): FileSystemSyncAccessHandle | undefined {
    return this.part?.access;
  }

  /** Gives a complete corpus, whose file is closed, its name. If that is impossible, the corpus is in memory from now on. */
  async finish({ games, plies, size_bytes, chunks }: Written): Promise<CorpusInfo> {
    const { id, part } = this;
    const kept = part && !chunks ? await this.nameIt(part.handle, size_bytes) : chunks;
    if (!kept) return { id, name: id, games, plies, size_bytes, created_ms: Date.now(), kept: 'device' };
    if (part) {
      this.part = null;
      this.note = NO_ROOM;
      await this.storage.removePart(id);
    }
    return this.storage.keep(id, kept, games, plies);
  }

  /** Renames the complete file to its final name. If that fails, returns its bytes, if they can be read. */
  private async nameIt(handle: MovableFile, size_bytes: number): Promise<Uint8Array[] | undefined> {
    try {
      await handle.move(encodeURIComponent(this.id) + WHOLE);
    } catch (error) {
      const bytes = await handle.getFile().then((file) => file.arrayBuffer()).catch(() => null);
      if (bytes?.byteLength !== size_bytes) throw failed(error);
      return [new Uint8Array(bytes)];
    }
    if (!this.isAbandoned) return undefined;
    await this.storage.removeWhole(this.id);
    throw new StorageError('storage', 'the import was abandoned');
  }

  async abandon(): Promise<void> {
    this.isAbandoned = true;
    // An engine that has stopped did not close it.
    this.part?.access.close();
    if (this.part) await this.storage.removePart(this.id);
    this.part = null;
  }
}

const NO_ROOM = 'This device has no room left, so these games are only in memory and are lost when the page closes. To keep them, delete another corpus and import them again.';

/** Whether handles have modes, so that several pages can read a file through handles. In other browsers a handle is exclusive. */
function hasSharedHandles(): boolean {
  return typeof FileSystemSyncAccessHandle === 'function' && 'mode' in FileSystemSyncAccessHandle.prototype;
}

function heldOr(error: unknown, sentence: string): StorageError {
  if (error instanceof DOMException && LOCKED.has(error.name)) return new StorageError('held', sentence);
  return failed(error);
}

/** Why a set or a list was not stored. */
function notKept(error: unknown, what: string): StorageError {
  if (error instanceof DOMException && error.name === 'QuotaExceededError') {
    return new StorageError('storage', `this device has no room left, so ${what} was not saved`);
  }
  return heldOr(error, `${what} is being written in another tab of this browser`);
}

function failed(error: unknown): StorageError {
  return error instanceof StorageError ? error : new StorageError('storage', `the browser's storage failed (${error instanceof Error ? error.message : String(error)})`);
}

function isMissing(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'NotFoundError';
}

async function sweepFolder(folder: FileSystemDirectoryHandle): Promise<void> {
  for await (const name of folder.keys()) {
    if (name.endsWith(PART)) await folder.removeEntry(name).catch(() => undefined);
  }
}
