// How the page looks and sounds: light or dark, the colours of the board, the signs of the pieces in moves, and sounds. The choices are stored on this device.
import { keep, kept } from './kept';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
export const BOARDS = ['green', 'brown', 'blue', 'grey'] as const;
export type BoardColours = (typeof BOARDS)[number];
/** King, queen, rook, bishop and knight. */
export const SIGNS = { letters: 'KQRBN', figurines: '♔♕♖♗♘', german: 'KDTLS' } as const;
export type Signs = keyof typeof SIGNS;
const SOUNDS = ['off', 'on'] as const;
export type Sounds = (typeof SOUNDS)[number];

const KEYS = { theme: 'plyfold.theme', board: 'plyfold.board', signs: 'plyfold.signs', sounds: 'plyfold.sounds' } as const;

class Looks {
  theme = $state<Theme>(stored('theme', THEMES));
  board = $state<BoardColours>(stored('board', BOARDS));
  signs = $state<Signs>(stored('signs', Object.keys(SIGNS) as Signs[]));
  /** Whether a move is heard. */
  sounds = $state<Sounds>(stored('sounds', SOUNDS));

  choose(what: Partial<{ theme: Theme; board: BoardColours; signs: Signs; sounds: Sounds }>): void {
    Object.assign(this, what);
    for (const [name, value] of Object.entries(what)) keep(KEYS[name as keyof typeof KEYS], value);
    this.apply();
  }

  apply(): void {
    const { dataset } = document.documentElement;
    if (this.theme === 'system') delete dataset['theme'];
    else dataset['theme'] = this.theme;
    dataset['board'] = this.board;
  }

  /** A move with the chosen signs. */
  written(san: string): string {
    return this.signs === 'letters' ? san : san.replace(/[KQRBN]/g, (letter) => SIGNS[this.signs][SIGNS.letters.indexOf(letter)] ?? letter);
  }
}

export const looks = new Looks();

function stored<Value extends string>(name: keyof typeof KEYS, values: readonly Value[]): Value {
  const last = kept(KEYS[name]);
  return values.find((value) => value === last) ?? values[0]!;
}
