// Which texts of the page are translated. `npx wuchale` finds them in the code and adds them to the catalogs of src/locales,
// one file per language except English, which stands in the code. A text is what stands in markup or begins with a capital
// letter; in a script it also has a space. Any other text is the argument of `say` (src/state/say.ts). Texts outside functions
// of a .ts file are not found, and `say` must not stand there: only functions have the catalog.
import { basename } from 'node:path';
import { adapter as svelte, svelteDefaultHeuristic } from '@wuchale/svelte';
import { defaultHeuristic, defineConfig, pofile } from 'wuchale';
import { adapter as vanilla } from 'wuchale/adapter-vanilla';

/** Keys of the keyboard, moves, and drawing commands look like texts. */
const NO_TEXT = /^(Enter|Escape|Esc|Tab|Home|End|Backspace|Delete|Arrow(Left|Right|Up|Down)|Files|Ctrl \w+|M#.*|KRPvKR|Nf3)$/;

/** `heuristic`, without what is no text. */
function texts(heuristic) {
  return (message) => {
    const [text = ''] = message.msgStr;
    const { scope, insideProgram } = message.details;
    const isCode = scope === 'script' && insideProgram && !text.includes(' ');
    return !isCode && !NO_TEXT.test(text) && heuristic(message);
  };
}

/** Functions whose argument is a text: with its plural, and as it stands. */
const patterns = [
  { name: 'counted', args: ['other', 'message', 'pluralFunc'] },
  { name: 'say', args: ['message'] },
];

/** The files of the catalogs, without one for the source language, which would only repeat the code. */
function storage(options) {
  const isSource = (file) => basename(file) === `${options.sourceLocale}.po`;
  const { fs } = options;
  return pofile()({
    ...options,
    fs: {
      ...fs,
      read: (file) => (isSource(file) ? null : fs.read(file)),
      write: (file, content) => (isSource(file) ? undefined : fs.write(file, content)),
    },
  });
}

export default defineConfig({
  locales: ['en', 'de'],
  localesDir: 'src/locales',
  adapters: {
    main: svelte({ loader: 'custom', storage, files: ['src/**/*.svelte'], patterns, heuristic: texts(svelteDefaultHeuristic) }),
    // The workers have no catalogs: what the engine says is English.
    js: vanilla({ loader: 'custom', storage, files: ['src/state/*.ts', 'src/views/*/*.ts', 'src/analysis/*.ts', 'src/offline.ts'], patterns, heuristic: texts((message) => message.details.funcName != null && defaultHeuristic(message)) }),
  },
});
