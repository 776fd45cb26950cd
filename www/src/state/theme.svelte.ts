// Light or dark: by the system until the switch is used, then as chosen on this device.

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'plyfold.theme';

export class ThemeChoice {
  theme = $state<Theme>(stored());

  /** The next of system, light, dark. */
  turn(): void {
    this.theme = THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length] ?? 'system';
    try {
      localStorage.setItem(KEY, this.theme);
    } catch {
      // Storage is switched off: the choice lasts as long as the page.
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
