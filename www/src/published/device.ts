// What this device keeps of published libraries, in the browser's private files (OPFS): each `library.json` as it last came, the
// publisher's text, and the unpacked scan parts. A file is written under another name and renamed when it is complete. What no
// kept `library.json` names any longer is removed. If private files are refused or the device is full, nothing is kept.
import { writeWhole } from '../engine/wholefile';
import { readManifest, type Manifest } from './manifest';

const FOLDER = 'library';
const LIST = '.json';
const SCAN = '.shard';
const ABOUT = '.md';
const PART = '.part';

export class LibraryDevice {
  private readonly folder: FileSystemDirectoryHandle | null;
  /** The names of the complete files. */
  private readonly names = new Set<string>();
  /** Why something could not be kept: one sentence, empty if all was. */
  note = '';

  private constructor(folder: FileSystemDirectoryHandle | null) {
    this.folder = folder;
    if (!folder) this.note = 'The browser does not let this page store files, so the games of this library are only in memory and are fetched again on the next visit.';
  }

  /** A device that keeps nothing, for a page that is not ours. */
  static none(): LibraryDevice {
    const device = new LibraryDevice(null);
    device.note = '';
    return device;
  }

  static async open(): Promise<LibraryDevice> {
    try {
      const root = await navigator.storage.getDirectory();
      const device = new LibraryDevice(await root.getDirectoryHandle(FOLDER, { create: true }));
      await device.look();
      return device;
    } catch {
      // The private windows of some browsers refuse storage, and the user may have switched it off.
      return new LibraryDevice(null);
    }
  }

  private async look(): Promise<void> {
    for await (const name of this.folder?.keys() ?? []) {
      if (!name.endsWith(PART)) this.names.add(name);
      // Another tab may be writing it, and then the browser refuses to remove it, or takes its time.
      else void this.folder?.removeEntry(name).catch(() => undefined);
    }
  }

  /** The `library.json` that was kept under a key; null if there is none. */
  list(key: string): Promise<string | null> {
    return this.text(key + LIST);
  }

  keepList(key: string, text: string): Promise<boolean> {
    return this.keep(key + LIST, new TextEncoder().encode(text));
  }

  /** Keeps the list of this visit, if it is another one, and removes what no list names any longer. */
  async renewList(key: string, text: string): Promise<void> {
    if ((await this.list(key)) !== text) await this.keepList(key, text);
    await this.sweep();
  }

  hasList(key: string): boolean {
    return this.names.has(key + LIST);
  }

  about(checksum: string): Promise<string | null> {
    return this.text(checksum + ABOUT);
  }

  keepAbout(checksum: string, text: string): Promise<boolean> {
    return this.keep(checksum + ABOUT, new TextEncoder().encode(text));
  }

  hasScanPart(checksum: string): boolean {
    return this.names.has(checksum + SCAN);
  }

  /** An unpacked scan part; null if it is not here. */
  scanPart(checksum: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.read(checksum + SCAN);
  }

  keepScanPart(checksum: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    return this.keep(checksum + SCAN, bytes);
  }

  async removeScanParts(checksums: Iterable<string>): Promise<void> {
    for (const checksum of checksums) await this.remove(checksum + SCAN);
  }

  /** Removes what no kept list names. A list that this version cannot read names nothing. */
  async sweep(): Promise<void> {
    const named = new Set<string>();
    for (const name of this.names) {
      if (!name.endsWith(LIST)) continue;
      const text = await this.text(name);
      for (const one of text === null ? [] : namesIn(text)) named.add(one);
    }
    for (const name of [...this.names]) if (!name.endsWith(LIST) && !named.has(name)) await this.remove(name);
  }

  private async text(name: string): Promise<string | null> {
    const bytes = await this.read(name);
    return bytes && new TextDecoder().decode(bytes);
  }

  private async read(name: string): Promise<Uint8Array<ArrayBuffer> | null> {
    if (!this.folder || !this.names.has(name)) return null;
    try {
      const file = await (await this.folder.getFileHandle(name)).getFile();
      return new Uint8Array(await file.arrayBuffer());
    } catch {
      // Another tab has removed it.
      this.names.delete(name);
      return null;
    }
  }

  private async keep(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    if (!this.folder) return false;
    const part = `${name}.${crypto.randomUUID()}${PART}`;
    try {
      await writeWhole(this.folder, part, name, [bytes]);
      this.names.add(name);
      return true;
    } catch {
      this.note = 'This device has no room left for all games of this library, so some are only in memory and are fetched again on the next visit. To keep them, delete another corpus.';
      return false;
    }
  }

  private async remove(name: string): Promise<void> {
    this.names.delete(name);
    await this.folder?.removeEntry(name).catch(() => undefined);
  }
}

/** The files that a `library.json` names, as they are called here. */
function namesIn(text: string): string[] {
  let manifest: Manifest;
  try {
    manifest = readManifest(text);
  } catch {
    return [];
  }
  const parts = manifest.corpora.flatMap(({ shards }) => shards.map(({ scan }) => scan.checksum + SCAN));
  return manifest.about ? [...parts, manifest.about.checksum + ABOUT] : parts;
}
