// The player who uses this device, if they said so. The name stays in this browser.
import { keep, kept } from './kept';

const KEPT = 'plyfold.me';

export class Me {
  name = $state(kept(KEPT) ?? '');

  /** Remembers a name, in place of the one before. */
  set(name: string): void {
    this.name = name;
    keep(KEPT, name || null);
  }

  forget(): void {
    this.set('');
  }
}
