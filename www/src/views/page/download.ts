// Hands a file to the browser's download list.

export function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name.replace(/[\\/:*?"<>|]+/g, '_');
  link.click();
  // The browser reads the file after this task; a minute is enough for it to begin.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
