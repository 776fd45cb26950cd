// The switch of the language. Another language needs a new page, because each page loads one catalog only.
import { language, storeLanguage, type Language } from './language';

export class LanguageChoice {
  /** The language that the user has chosen while a new page would lose something; null if nothing waits. */
  waiting = $state<Language | null>(null);

  private readonly reload: () => void;

  constructor(reload: () => void = () => location.reload()) {
    this.reload = reload;
  }

  /** Changes the language at once, or asks first if a new page would lose something. */
  choose(wanted: Language, loses: boolean): void {
    this.waiting = null;
    if (wanted === language()) return;
    if (loses) this.waiting = wanted;
    else this.take(wanted);
  }

  /** Changes the language that waits. */
  confirm(): void {
    if (this.waiting) this.take(this.waiting);
  }

  dismiss(): void {
    this.waiting = null;
  }

  private take(wanted: Language): void {
    storeLanguage(wanted);
    this.reload();
  }
}
