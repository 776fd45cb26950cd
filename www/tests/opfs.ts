// Simulated private files of the browser: folders in memory whose every step can fail, as with a full
// device, a file that another tab holds, or storage that is switched off.
import { vi } from 'vitest';

export type Step = 'open' | 'getFolder' | 'getFile' | 'createHandle' | 'write' | 'read' | 'flush' | 'move' | 'remove' | 'list' | 'blob';

/** A failing step: the nth of its kind from now on, from 0, or every one if there is no number. */
interface Fault {
  step: Step;
  error: string;
  nth: number | null;
  /** The write takes only so many bytes instead of failing. */
  short?: number;
}

const refused = (name: string) => new DOMException(`played: ${name}`, name);

export class FakeOpfs {
  readonly root = new FakeFolder(this, '');
  private faults: Fault[] = [];
  /** The steps that were done, for tests of their order. */
  readonly done: string[] = [];
  /** Set while steps of this kind must wait; `release` lets them continue. */
  private held: { step: Step; waiting: (() => void)[] } | null = null;

  /** Whether handles have modes, as in Chromium. Otherwise each handle is exclusive, as in Firefox and WebKit. */
  shared = true;

  /** Replaces the browser's storage; `vi.unstubAllGlobals` restores it. */
  install({ shared = true } = {}): this {
    this.shared = shared;
    vi.stubGlobal('FileSystemSyncAccessHandle', shared ? FakeAccess : class {});
    vi.stubGlobal('FileReaderSync', FakeReader);
    vi.stubGlobal('navigator', { storage: { getDirectory: async () => (this.check('open', ''), this.root) } });
    return this;
  }

  fail(step: Step, error = 'UnknownError', nth: number | null = null): void {
    this.faults.push({ step, error, nth });
  }

  /** Makes a write take only `bytes` bytes, as on a device that has just become full. */
  writeShort(bytes: number, nth = 0): void {
    this.faults.push({ step: 'write', error: '', nth, short: bytes });
  }

  heal(): void {
    this.faults = [];
  }

  hold(step: Step): void {
    this.held = { step, waiting: [] };
  }

  release(): void {
    const { held } = this;
    this.held = null;
    for (const go of held?.waiting ?? []) go();
  }

  /** Throws if this step must fail; otherwise returns how many bytes it may take. */
  check(step: Step, name: string): number {
    this.done.push(`${step} ${name}`.trim());
    for (const fault of this.faults.filter((one) => one.step === step)) {
      if (fault.nth !== null && fault.nth-- > 0) continue;
      if (fault.nth !== null) this.faults.splice(this.faults.indexOf(fault), 1);
      if (fault.short !== undefined) return fault.short;
      throw refused(fault.error);
    }
    return Infinity;
  }

  async step(step: Step, name: string): Promise<void> {
    const { held } = this;
    if (held?.step === step) await new Promise<void>((go) => held.waiting.push(go));
    this.check(step, name);
  }

  /** Names in a folder below the root. */
  names(path: string): string[] {
    let folder: FakeFolder | undefined = this.root;
    for (const name of path.split('/')) folder = folder?.folders.get(name);
    return [...(folder?.files.keys() ?? [])].sort();
  }

  /** A file below the root, such as `corpora/one.plyfold`. */
  file(path: string): FakeFile | undefined {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    let folder: FakeFolder | undefined = this.root;
    for (const part of parts) folder = folder?.folders.get(part);
    return folder?.files.get(name);
  }

  /** Puts a file below the root. */
  put(path: string, bytes: Uint8Array): FakeFile {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    let folder = this.root;
    for (const part of parts) {
      const inner: FakeFolder = folder.folders.get(part) ?? new FakeFolder(this, part);
      folder.folders.set(part, inner);
      folder = inner;
    }
    const file = new FakeFile(this, folder, name);
    file.bytes = bytes.slice();
    folder.files.set(name, file);
    return file;
  }
}

export class FakeFolder {
  readonly kind = 'directory';
  readonly files = new Map<string, FakeFile>();
  readonly folders = new Map<string, FakeFolder>();
  private readonly opfs: FakeOpfs;
  readonly name: string;
  constructor(opfs: FakeOpfs, name: string) {
    this.opfs = opfs;
    this.name = name;
  }

  async getDirectoryHandle(name: string, { create = false } = {}): Promise<FakeFolder> {
    await this.opfs.step('getFolder', name);
    const found = this.folders.get(name);
    if (found) return found;
    if (!create) throw refused('NotFoundError');
    const made = new FakeFolder(this.opfs, name);
    this.folders.set(name, made);
    return made;
  }

  async getFileHandle(name: string, { create = false } = {}): Promise<FakeFile> {
    await this.opfs.step('getFile', name);
    if (this.folders.has(name)) throw refused('TypeMismatchError');
    const found = this.files.get(name);
    if (found) return found;
    if (!create) throw refused('NotFoundError');
    const made = new FakeFile(this.opfs, this, name);
    this.files.set(name, made);
    return made;
  }

  async removeEntry(name: string, { recursive = false } = {}): Promise<void> {
    await this.opfs.step('remove', name);
    const file = this.files.get(name);
    const folder = this.folders.get(name);
    if (!file && !folder) throw refused('NotFoundError');
    if (file && file.handles > 0) throw refused('NoModificationAllowedError');
    if (folder && !recursive && folder.files.size + folder.folders.size > 0) throw refused('InvalidModificationError');
    if (file) file.isRemoved = true;
    this.files.delete(name);
    this.folders.delete(name);
  }

  async *entries(): AsyncGenerator<[string, FakeFile | FakeFolder]> {
    await this.opfs.step('list', this.name);
    for (const entry of [...this.files, ...this.folders]) yield entry;
  }

  async *values(): AsyncGenerator<FakeFile | FakeFolder> {
    for await (const [, handle] of this.entries()) yield handle;
  }

  async *keys(): AsyncGenerator<string> {
    for await (const [name] of this.entries()) yield name;
  }
}

export class FakeFile {
  readonly kind = 'file';
  bytes = new Uint8Array();
  lastModified = 5;
  /** The number of open handles; a handle that writes is the only one. */
  handles = 0;
  isRemoved = false;
  private exclusive = false;
  private readonly opfs: FakeOpfs;
  private readonly folder: FakeFolder;
  name: string;
  constructor(opfs: FakeOpfs, folder: FakeFolder, name: string) {
    this.opfs = opfs;
    this.folder = folder;
    this.name = name;
  }

  async getFile(): Promise<Blob & { lastModified: number }> {
    await this.opfs.step('blob', this.name);
    return new FakeBlob(this.opfs, this, this.bytes, this.lastModified) as unknown as Blob & { lastModified: number };
  }

  async move(name: string): Promise<void> {
    await this.opfs.step('move', `${this.name} ${name}`);
    if (this.handles > 0) throw refused('NoModificationAllowedError');
    this.folder.files.delete(this.name);
    this.folder.files.set(name, this);
    this.name = name;
  }

  async createSyncAccessHandle({ mode = 'readwrite' } = {}): Promise<FakeAccess> {
    await this.opfs.step('createHandle', this.name);
    const exclusive = mode === 'readwrite' || !this.opfs.shared;
    if (this.exclusive || (exclusive && this.handles > 0)) throw refused('NoModificationAllowedError');
    this.handles++;
    this.exclusive = exclusive;
    return new FakeAccess(this.opfs, this, () => {
      this.handles--;
      this.exclusive = false;
    });
  }
}

/** What `getFile` gives: the file as it is now. Reading it fails once the file has been removed. */
class FakeBlob {
  private readonly opfs: FakeOpfs;
  private readonly file: FakeFile;
  private readonly bytes: Uint8Array;
  readonly lastModified: number;
  constructor(opfs: FakeOpfs, file: FakeFile, bytes: Uint8Array, lastModified: number) {
    this.opfs = opfs;
    this.file = file;
    this.bytes = bytes;
    this.lastModified = lastModified;
  }

  get size(): number {
    return this.bytes.length;
  }

  slice(from: number, to: number): FakeBlob {
    return new FakeBlob(this.opfs, this.file, this.bytes.slice(from, to), this.lastModified);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.read();
  }

  read(): ArrayBuffer {
    if (this.file.isRemoved) throw refused('NotFoundError');
    this.opfs.check('read', this.file.name);
    return Uint8Array.from(this.bytes).buffer;
  }
}

class FakeReader {
  readAsArrayBuffer(blob: FakeBlob): ArrayBuffer {
    return blob.read();
  }
}

class FakeAccess {
  get mode(): string {
    return 'readwrite';
  }

  private readonly opfs: FakeOpfs;
  private readonly file: FakeFile;
  private release: (() => void) | null;
  constructor(opfs: FakeOpfs, file: FakeFile, release: () => void) {
    this.opfs = opfs;
    this.file = file;
    this.release = release;
  }

  private open(): FakeFile {
    if (!this.release) throw refused('InvalidStateError');
    return this.file;
  }

  read(into: Uint8Array, { at = 0 } = {}): number {
    const { bytes } = this.open();
    this.opfs.check('read', this.file.name);
    const piece = bytes.subarray(at, at + into.length);
    into.set(piece);
    return piece.length;
  }

  write(bytes: Uint8Array, { at = 0 } = {}): number {
    const file = this.open();
    const taken = Math.min(bytes.length, this.opfs.check('write', file.name));
    const grown = new Uint8Array(Math.max(file.bytes.length, at + taken));
    grown.set(file.bytes);
    grown.set(bytes.subarray(0, taken), at);
    file.bytes = grown;
    return taken;
  }

  truncate(size: number): void {
    const file = this.open();
    const cut = new Uint8Array(size);
    cut.set(file.bytes.subarray(0, size));
    file.bytes = cut;
  }

  getSize(): number {
    return this.open().bytes.length;
  }

  flush(): void {
    this.open();
    this.opfs.check('flush', this.file.name);
  }

  close(): void {
    this.release?.();
    this.release = null;
  }
}
