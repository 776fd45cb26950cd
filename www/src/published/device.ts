// What this device keeps of a published library, in the browser's private files (OPFS): `library.json` as it last came, the
// publisher's text, and the unpacked scan parts. Each library has a folder of its own, named after the SHA-256 of its address, so
// no library can replace, remove or find what belongs to another. A file is written under another name and renamed when it is
// complete. What the kept `library.json` does not name any longer is removed. If private files are refused or the device is full,
// nothing is kept.
import { writeWhole } from '../engine/wholefile';
import { digestOfText, type Digesting } from './digest';
import { readManifest, type Manifest } from './manifest';

const FOLDER = 'library';
const LIST = 'library.json';
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

  /** What is kept of the library at an address. */
  static async open(address: string, digesting: Digesting): Promise<LibraryDevice> {
    try {
      const folder = await foldersOfLibraries();
      const device = new LibraryDevice(await folder.getDirectoryHandle(digestOfText(address, digesting), { create: true }));
      await device.look();
      return device;
    } catch {
      // The private windows of some browsers refuse storage, and the user may have switched it off.
      return new LibraryDevice(null);
    }
  }

  /** Whether the `library.json` of an address is kept. */
  static async hasKept(address: string, digesting: Digesting): Promise<boolean> {
    try {
      const folder = await (await foldersOfLibraries()).getDirectoryHandle(digestOfText(address, digesting));
      return (await folder.getFileHandle(LIST)) !== null;
    } catch {
      return false;
    }
  }

  private async look(): Promise<void> {
    for await (const name of this.folder?.keys() ?? []) {
      if (!name.endsWith(PART)) this.names.add(name);
      // Another tab may be writing it, and then the browser refuses to remove it, or takes its time.
      else void this.folder?.removeEntry(name).catch(() => undefined);
    }
  }

  /** The `library.json` that was kept; null if there is none. */
  list(): Promise<string | null> {
    return this.text(LIST);
  }

  /** Keeps the list of this visit, if it is another one, and removes what it does not name any longer. */
  async renewList(text: string): Promise<void> {
    if ((await this.list()) !== text) await this.keep(LIST, new TextEncoder().encode(text));
    const named = new Set([LIST, ...namesIn(text)]);
    for (const name of [...this.names]) if (!named.has(name)) await this.remove(name);
  }

  /** A text of the publisher by its digest; null if it is not here. */
  publishersText(digest: string): Promise<string | null> {
    return this.text(digest + ABOUT);
  }

  keepPublishersText(digest: string, text: string): Promise<boolean> {
    return this.keep(digest + ABOUT, new TextEncoder().encode(text));
  }

  hasScanPart(digest: string): boolean {
    return this.names.has(digest + SCAN);
  }

  /** An unpacked scan part by the digest of the packed one; null if it is not here. */
  scanPart(digest: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.read(digest + SCAN);
  }

  keepScanPart(digest: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    return this.keep(digest + SCAN, bytes);
  }

  async removeScanParts(digests: Iterable<string>): Promise<void> {
    for (const digest of digests) await this.remove(digest + SCAN);
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

/** The folder with one folder for each library. Files that lie in it are of an earlier version, which had them all in one folder. */
async function foldersOfLibraries(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle(FOLDER, { create: true });
  for await (const [name, { kind }] of folder.entries()) {
    if (kind === 'file') void folder.removeEntry(name).catch(() => undefined);
  }
  return folder;
}

/** The files that a `library.json` names, as they are called here. A list that this version cannot read names nothing. */
function namesIn(text: string): string[] {
  let manifest: Manifest;
  try {
    manifest = readManifest(text);
  } catch {
    return [];
  }
  const parts = manifest.corpora.flatMap(({ shards }) => shards.map(({ scan }) => scan.digest + SCAN));
  const texts = [manifest.about, manifest.aliases].flatMap((text) => (text ? [text.digest + ABOUT] : []));
  return [...parts, ...texts];
}
