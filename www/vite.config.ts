// How the site is built: one page, relative addresses (so that any sub-path of a static host
// works), workers as ES modules, and a service worker that knows every file of the build.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { build, type Plugin } from 'vite';
import { wuchale } from 'wuchale/vite';
import { defineConfig } from 'vitest/config';
import { EXCEPTIONS, HEADERS, policyOfPage } from './headers';

const root = import.meta.dirname;

/** The folder of the local chess engine, which is fetched and stored only when the user switches it on. */
const STOCKFISH = 'assets/stockfish/';

/** The script that starts the engine's worker. */
const EARLY = resolve(root, 'src/early.ts');

/**
 * Parts that always come together are one file each, with all that they import; otherwise every module that two parts share would be a
 * file of its own, and a phone would ask for dozens of them, a few at a time. The first are chosen first.
 */
const FEW_FILES = [
  { name: 'early', test: /src\/early\.ts$/ },
  { name: 'language', test: /src\/language\.ts$/ },
  { name: 'page', test: /src\/(views\/page\/Page\.svelte|state\/app\.svelte\.ts)$/ },
  { name: 'board', test: /src\/views\/game\/Board\.svelte$/ },
  { name: 'search', test: /src\/views\/page\/SearchPage\.svelte$/ },
].map((group, nth, { length }) => ({ ...group, priority: length - nth }));

/** While somebody works on the site: threads need isolation, and Vite itself needs scripts that the policy refuses. */
const whileDeveloping = Object.fromEntries(HEADERS.filter(([name]) => name !== 'Content-Security-Policy'));

export default defineConfig({
  base: './',
  // The unit tests read the texts as they stand in the code.
  plugins: [...(process.env['VITEST'] ? [] : [wuchale()]), svelte(), contentPolicy(), preloadStart(), serviceWorker()],
  define: { STOCKFISH_SIZES: JSON.stringify({ threads: sizeOf('stockfish-19-lite'), single: sizeOf('stockfish-19-lite-single') }) },
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: FEW_FILES }, assetFileNames: ({ originalFileNames }) => `${originalFileNames.some((name) => name.includes('/stockfish/')) ? STOCKFISH : 'assets/'}[name]-[hash][extname]` } },
  },
  server: { headers: whileDeveloping },
  preview: { headers: Object.fromEntries(HEADERS) },
  test: { environment: 'node', include: ['tests/**/*.test.ts'] },
});

/** Bytes of a build of the local chess engine, so that the page can say what it would download. */
function sizeOf(build: string): number {
  return ['js', 'wasm'].reduce((sum, ending) => sum + statSync(join(root, `node_modules/stockfish/bin/${build}.${ending}`)).size, 0);
}

/** Writes the policy for content into the page, for hosts that send no headers. */
function contentPolicy(): Plugin {
  return {
    name: 'plyfold-content-policy',
    apply: 'build',
    transformIndexHtml: () => [{ tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: policyOfPage() }, injectTo: 'head-prepend' }],
  };
}

/**
 * Has the page fetch its second script together with the first, which runs it once the language is there, and before both the
 * script that starts the engine's worker, which waits for nothing.
 */
function preloadStart(): Plugin {
  return {
    name: 'plyfold-preload-start',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
        const early = chunks.find(({ moduleIds }) => moduleIds.includes(EARLY));
        const start = chunks.find(({ facadeModuleId }) => facadeModuleId === resolve(root, 'src/start.ts'));
        if (!early || !start) throw new Error('the site lacks a script that its page must name');
        const scripts = [start, ...chunks.filter(({ fileName }) => start.imports.includes(fileName))];
        const styles = new Set(scripts.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]));
        const link = (rel: string, file: string) => ({ tag: 'link', attrs: { rel, href: `./${file}`, crossorigin: true }, injectTo: 'head' as const });
        const missing = (fileName: string) => !html.includes(fileName);
        const tags = [...scripts.filter((one) => one !== early && missing(one.fileName)).map(({ fileName }) => link('modulepreload', fileName)), ...[...styles].filter(missing).map((file) => link('stylesheet', file))];
        return { html: html.replace(/(?=<script )/, `<script type="module" async crossorigin src="./${early.fileName}"></script>\n    `), tags };
      },
    },
  };
}

/** Every file below `folder`, with forward slashes, relative to it. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => name.split(sep).join('/'))
    .sort();
}

/**
 * Writes `sw.js` after everything else, with the list of files it keeps for offline use, each with its
 * digest, the list of those that it keeps once they were used, and a version that is the digest of them
 * all: a new build is a new cache, the same build is not.
 */
function serviceWorker(): Plugin {
  let outDir = '';
  return {
    name: 'plyfold-service-worker',
    apply: 'build',
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir);
    },
    closeBundle: {
      sequential: true,
      order: 'post',
      async handler() {
        // A build that failed has written nothing, and says why itself.
        if (!existsSync(outDir)) return;
        const skip = new Set(['sw.js', '_headers']);
        const files = filesBelow(outDir).filter((name) => !skip.has(name));
        const version = createHash('sha256');
        const digests = files.map((name) => {
          const bytes = readFileSync(join(outDir, name));
          version.update(name).update(bytes);
          return [name === 'index.html' ? './' : name, `sha256-${createHash('sha256').update(bytes).digest('base64')}`] as const;
        });
        // Only programs that preview links ask for the card.
        const isLater = ([name]: readonly [string, string]) => name.startsWith(STOCKFISH) || name === 'card.png';
        await build({
          configFile: false,
          publicDir: false,
          logLevel: 'warn',
          root,
          define: {
            PRECACHE: JSON.stringify(digests.filter((one) => !isLater(one))),
            LATER: JSON.stringify(digests.filter(isLater)),
            VERSION: JSON.stringify(version.digest('hex').slice(0, 12)),
            HEADERS: JSON.stringify(HEADERS),
            EXCEPTIONS: JSON.stringify(EXCEPTIONS),
          },
          build: {
            outDir,
            emptyOutDir: false,
            target: 'es2022',
            lib: { entry: resolve(root, 'src/sw/sw.ts'), formats: ['iife'], name: 'sw', fileName: () => 'sw.js' },
          },
        });
      },
    },
  };
}
