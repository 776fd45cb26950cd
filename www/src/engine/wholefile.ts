// Files in the browser's private folders (OPFS) that are there whole or not at all.

// What TypeScript's library does not have yet.
export interface MovableFile extends FileSystemFileHandle {
  move(name: string): Promise<void>;
  createSyncAccessHandle(options?: { mode: 'read-only' | 'readwrite' }): Promise<FileSystemSyncAccessHandle>;
}

/**
 * Writes a file under the name `part` and renames it when it is complete. If that fails, nothing of it stays; a full device fails
 * with a `QuotaExceededError`.
 */
export async function writeWhole(folder: FileSystemDirectoryHandle, part: string, name: string, pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<MovableFile> {
  try {
    const file = (await folder.getFileHandle(part, { create: true })) as MovableFile;
    const access = await file.createSyncAccessHandle();
    try {
      access.truncate(0);
      let at = 0;
      for await (const bytes of pieces) {
        // A full device writes less than it was given, or throws.
        if (access.write(bytes, { at }) !== bytes.length) throw new DOMException('', 'QuotaExceededError');
        at += bytes.length;
      }
      access.flush();
    } finally {
      access.close();
    }
    await file.move(name);
    return file;
  } catch (error) {
    await folder.removeEntry(part).catch(() => undefined);
    throw error;
  }
}
