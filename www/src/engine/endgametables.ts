// The packed tables that queries ask. They are read into the engine's memory when a query first asks tables, because a scan
// cannot wait for the browser's storage.
import type { TableFile } from './protocol';

/** The most bytes of tables in the engine's memory. All tables of three and four pieces take 8 MB. */
const MOST_BYTES = 256 << 20;

/** The engine's side of it, `TableFiles` of the bindings. */
interface TableFiles {
  add(name: string, bytes: Uint8Array): void;
  leaveOut(sentence: string): void;
  bind(): void;
}

export class EndgameTables {
  private files: readonly TableFile[] = [];
  private isRead = true;

  /** Takes other tables. */
  take(files: readonly TableFile[]): void {
    this.files = files;
    this.isRead = false;
  }

  /** Reads tables that were not read yet; true if queries ask others now. */
  async bring(Files: new () => TableFiles): Promise<boolean> {
    if (this.isRead) return false;
    this.isRead = true;
    const tables = new Files();
    let left = MOST_BYTES;
    for (const { name, content } of [...this.files].sort((one, two) => one.content.size - two.content.size)) {
      left -= content.size;
      if (left < 0) tables.leaveOut(`queries ask at most 256 MiB of tables, and ${name}.egp is one too many`);
      else {
        const bytes = await content.arrayBuffer().catch(() => null);
        if (bytes) tables.add(name, new Uint8Array(bytes));
        else tables.leaveOut(`${name}.egp cannot be read; it may have been removed in another tab`);
      }
    }
    tables.bind();
    return true;
  }
}
