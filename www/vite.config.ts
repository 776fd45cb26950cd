// How the site is built: one page, relative addresses (so that any sub-path of a static host
// works), workers as ES modules, and a service worker that knows every file of the build.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { build, type Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const root = import.meta.dirname;

/** Headers that a page needs before it may share memory between threads. */
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

export default defineConfig({
  base: './',
  plugins: [svelte(), serviceWorker()],
  worker: { format: 'es' },
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { headers: isolation },
  preview: { headers: isolation },
  test: { environment: 'node', include: ['tests/**/*.test.ts'] },
});

/** Every file below `folder`, with forward slashes, relative to it. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => name.split(sep).join('/'))
    .sort();
}

/**
 * Writes `sw.js` after everything else, with the list of files it keeps for offline use and a
 * version that is the digest of their contents: a new build is a new cache, the same build is not.
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
        const skip = new Set(['sw.js', '_headers']);
        const files = filesBelow(outDir).filter((name) => !skip.has(name));
        const digest = createHash('sha256');
        for (const name of files) digest.update(name).update(readFileSync(join(outDir, name)));
        await build({
          configFile: false,
          publicDir: false,
          logLevel: 'warn',
          root,
          define: {
            PRECACHE: JSON.stringify(['./', ...files.filter((name) => name !== 'index.html')]),
            VERSION: JSON.stringify(digest.digest('hex').slice(0, 12)),
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
