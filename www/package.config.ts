// How the npm package `plyfold` is built into `npm/dist`: entries for browsers and for Node, an element, a worker, both wasm builds,
// and types. Other programs bundle it, or load it from any host, so every address in it is relative to the file that has it.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { defineConfig, type Plugin } from 'vite';

const root = import.meta.dirname;
const outDir = resolve(root, '../npm/dist');
const source = (name: string) => join(root, 'src/package', `${name}.ts`);

const PARTS = 'parts/[name]-[hash]';
const output = { chunkFileNames: `${PARTS}.js`, assetFileNames: `${PARTS}[extname]` };

export default defineConfig({
  root,
  base: './',
  publicDir: false,
  plugins: [types()],
  worker: { format: 'es', rolldownOptions: { output: { ...output, entryFileNames: `${PARTS}.js` } } },
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: false,
    rolldownOptions: {
      input: { plyfold: source('browser'), node: source('node'), element: source('element') },
      preserveEntrySignatures: 'strict',
      external: /^node:/,
      output: { ...output, entryFileNames: '[name].js' },
    },
  },
});

/** Writes the types of the entries, which name `api.ts` alone, and the licence. */
function types(): Plugin {
  const files = { api: 'api', browser: 'plyfold', node: 'node', element: 'element' };
  return {
    name: 'plyfold-package-types',
    apply: 'build',
    writeBundle() {
      const options = { ...ts.getDefaultCompilerOptions(), target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, declaration: true, emitDeclarationOnly: true, types: ['vite/client', 'node'], skipLibCheck: true };
      const program = ts.createProgram(Object.keys(files).map(source), options);
      for (const [from, to] of Object.entries(files)) {
        program.emit(program.getSourceFile(source(from)), (_, text) => writeFileSync(join(outDir, `${to}.d.ts`), text));
      }
      copyFileSync(resolve(root, '../LICENSE'), join(outDir, 'LICENSE'));
    },
  };
}
