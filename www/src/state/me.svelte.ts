// The player who uses this device, if they said so. The name stays in this browser.

const KEPT = 'plyfold.me';

export class Me {
  name = $state(read());

  /** Remembers a name, in place of the one before. */
  set(name: string): void {
    this.name = name;
    write(name);
  }

  forget(): void {
    this.set('');
  }
}

function read(): string {
  try {
    return localStorage.getItem(KEPT) ?? '';
  } catch {
    return '';
  }
}

function write(name: string): void {
  try {
    if (name) localStorage.setItem(KEPT, name);
    else localStorage.removeItem(KEPT);
  } catch {
    // Storage is switched off: the name lasts until the page closes.
  }
}
