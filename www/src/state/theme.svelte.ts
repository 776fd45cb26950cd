// Light or dark: the system decides until the user sets the switch; the choice is stored on this device.

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'plyfold.theme';

export class ThemeChoice {
  theme = $state<Theme>(stored());

  /** Goes to the next of system, light, dark. */
  turn(): void {
    this.theme = THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length] ?? 'system';
    try {
      localStorage.setItem(KEY, this.theme);
    } catch {
      // Storage is switched off: the choice lasts until the page closes.
    }
    this.apply();
  }

  apply(): void {
    if (this.theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = this.theme;
  }
}

function stored(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system';
  } catch {
    return 'system';
  }
}
