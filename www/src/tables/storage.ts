// Tables in the browser's private files (OPFS), one file each, named after the table. A table is written under another name
// and renamed when it is complete. If private files are refused or the device is full, tables are in memory instead.
import { writeWhole } from '../engine/wholefile';

const FOLDER = 'tables';
const WHOLE = '.egp';
const PART = '.part';
const PIECE_BYTES = 4 << 20;

export class TableStorage {
  private readonly folder: FileSystemDirectoryHandle | null;
  /** The stored tables. A file that another tab replaces is opened again. */
  private readonly files = new Map<string, File>();
  /** Why a table could not be stored, in one sentence; empty if all were. */
  note = '';

  private constructor(folder: FileSystemDirectoryHandle | null) {
    this.folder = folder;
  }

  static async open(): Promise<TableStorage> {
    try {
      const root = await navigator.storage.getDirectory();
      const storage = new TableStorage(await root.getDirectoryHandle(FOLDER, { create: true }));
      await storage.list();
      return storage;
    } catch {
      // The private windows of some browsers refuse storage, and the user may have switched it off.
      const storage = new TableStorage(null);
      storage.note = 'this browser refuses private files, so tables are lost when the page closes';
      return storage;
    }
  }

  /** Whether tables survive when the page closes. */
  get lasting(): boolean {
    return this.folder !== null;
  }

  /** The names of the stored tables, such as `KRvK`. */
  get names(): string[] {
    return [...this.files.keys()];
  }

  get bytes(): number {
    return [...this.files.values()].reduce((sum, { size }) => sum + size, 0);
  }

  private async list(): Promise<void> {
    if (!this.folder) return;
    for await (const [file, handle] of this.folder.entries()) {
      if (handle.kind !== 'file') continue;
      if (file.endsWith(WHOLE)) this.files.set(file.slice(0, -WHOLE.length), await (handle as FileSystemFileHandle).getFile());
      // Another tab may be writing it, and then keeps it.
      else await this.folder.removeEntry(file).catch(() => undefined);
    }
  }

  /** Stores a table; false if it could not be stored. */
  async keep(name: string, content: Blob): Promise<boolean> {
    if (!this.folder) return false;
    const part = `${name}${WHOLE}.${crypto.randomUUID()}${PART}`;
    try {
      const file = await writeWhole(this.folder, part, name + WHOLE, pieces(content));
      this.files.set(name, await file.getFile());
      return true;
    } catch (error) {
      const why = error instanceof DOMException && error.name === 'QuotaExceededError' ? 'the device is full' : error instanceof Error ? error.message : String(error);
      this.note = `the table of ${name} cannot be stored (${why}), so it is lost when the page closes`;
      return false;
    }
  }

  /** A stored table; null if there is none. */
  file(name: string): File | null {
    return this.files.get(name) ?? null;
  }

  async remove(name: string): Promise<void> {
    this.files.delete(name);
    await this.folder?.removeEntry(name + WHOLE).catch(() => undefined);
  }
}

async function* pieces(content: Blob): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.size; at += PIECE_BYTES) yield new Uint8Array(await content.slice(at, at + PIECE_BYTES).arrayBuffer());
}
