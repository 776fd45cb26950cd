// Serves a folder as different static hosts would: with or without the headers that threads need, at the
// root or under a sub-path. The options say what a test needs; two servers share nothing.

import { existsSync, readFileSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { extname, join, normalize, sep } from 'node:path';
import { createGzip } from 'node:zlib';

const CONTENT_TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.pgn': 'application/vnd.chess-pgn',
  '.zst': 'application/zstd',
  '.md': 'text/markdown; charset=utf-8',
};

/** What hosts compress on the way. */
const COMPRESSED = new Set(['.html', '.js', '.mjs', '.css', '.json', '.webmanifest', '.wasm', '.svg', '.txt']);

/** The headers that the site requests from its host for a path, in its file `_headers`: a later block replaces what an earlier one says. */
function headersOf(folder) {
  const file = join(folder, '_headers');
  const blocks = existsSync(file) ? readFileSync(file, 'utf8').split(/\n(?=\/)/).slice(1).map((block) => block.split('\n')) : [];
  const named = (lines) => lines.filter((line) => /^\s+[^\s!]/.test(line)).map((line) => [line.slice(0, line.indexOf(':')).trim(), line.slice(line.indexOf(':') + 1).trim()]);
  return (path) => Object.fromEntries(blocks.flatMap(([paths, ...lines]) => (`/${path}`.startsWith(paths.replace('*', '')) ? named(lines) : [])));
}

/**
 * Starts a server on a free port of 127.0.0.1.
 *
 * @param {string} folder what to serve
 * @param {{ isolated?: boolean, prefix?: string, port?: number, gzip?: boolean | RegExp, ranges?: boolean, cors?: boolean, demo?: string, meanwhile?: (path: string, response: import('node:http').ServerResponse) => Promise<boolean | void> | void, pace?: (bytes: number) => Promise<void> }} [options]
 *   isolated: send the headers of the site's file `_headers`, those for cross-origin isolation among them (default true);
 *   prefix: sub-path under which the folder appears, such as `/games/plyfold/` (default `/`);
 *   port: a fixed port, so that a second server can take over the origin of a first (default any free one);
 *   gzip: compress text and wasm on the way, as most hosts do, or the files that a pattern names (default false);
 *   ranges: send parts of files to those who ask for them (default true); cors: let other pages read the files (default false);
 *   demo: a file to send in the place of the demo games, of which tests know every number;
 *   meanwhile: called before a file is sent, with its path; it may wait, or answer by itself and return true;
 *   pace: called before each piece of a file is sent, with its length; it may wait
 * @returns {Promise<{ url: string, port: number, asked: { path: string, range: string | undefined }[], close: () => Promise<void> }>}
 *   url ends with a slash; asked grows with every request
 */
export async function serve(folder, { isolated = true, prefix = '/', port = 0, gzip = false, ranges = true, cors = false, demo, meanwhile = () => undefined, pace } = {}) {
  const site = isolated ? headersOf(folder) : () => ({});
  const headers = (path) => ({ ...site(path), ...(cors ? { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'Range', 'Cross-Origin-Resource-Policy': 'cross-origin' } : {}) });
  const asked = [];
  const server = createServer((request, response) => {
    answer({ folder, prefix, headers, gzip, ranges, asked, demo, meanwhile, pace }, request, response).catch((error) => {
      // A response that was cut needs no other.
      if (response.headersSent || response.destroyed) return;
      response.writeHead(500, { 'Content-Type': 'text/plain' }).end(String(error));
    });
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const taken = server.address().port;
  return {
    url: `http://127.0.0.1:${taken}${prefix}`,
    port: taken,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        // A browser keeps connections open; waiting for them would take minutes.
        server.closeAllConnections();
      }),
  };
}

async function answer({ folder, prefix, headers: headersFor, gzip, ranges, asked, demo, meanwhile, pace }, request, response) {
  const headers = headersFor(new URL(request.url, 'http://127.0.0.1').pathname.slice(prefix.length));
  const refuse = (status, text) =>
    response.writeHead(status, { ...headers, 'Content-Type': 'text/plain' }).end(text);

  if (request.method === 'OPTIONS') return response.writeHead(204, headers).end();
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return refuse(405, 'only GET and HEAD are answered here');
  }
  const { pathname } = new URL(request.url, 'http://127.0.0.1');
  if (!pathname.startsWith(prefix)) {
    return refuse(404, `everything here is under ${prefix}`);
  }
  const { range } = request.headers;
  const paced = async function* (pieces) {
    for await (const piece of pieces) {
      await pace(piece.length);
      yield piece;
    }
  };
  const steps = pace ? [paced] : [];
  asked.push({ path: pathname.slice(prefix.length), range });
  if (await meanwhile(pathname.slice(prefix.length), response)) return;
  const root = normalize(folder);
  let name;
  try {
    name = decodeURIComponent(pathname.slice(prefix.length));
  } catch {
    return refuse(400, 'a percent sign of this address begins no character');
  }
  let path = normalize(join(root, name));
  if (path !== root && !path.startsWith(root.endsWith(sep) ? root : root + sep)) {
    return refuse(404, 'there is no such file');
  }
  if (demo && name === 'demo/demo.pgn.zst') path = demo;
  let facts = await stat(path).catch(() => null);
  if (facts?.isDirectory()) {
    path = join(path, 'index.html');
    facts = await stat(path).catch(() => null);
  }
  if (!facts?.isFile()) {
    return refuse(404, 'there is no such file');
  }
  // The size and the bytes come from one open file, even if another file replaces it meanwhile.
  const file = await open(path);
  facts = await file.stat();
  const [, from, to] = (ranges && /^bytes=(\d+)-(\d+)$/.exec(range ?? '')) || [];
  if (from !== undefined) {
    const end = Math.min(Number(to), facts.size - 1);
    response.writeHead(206, { ...headers, 'Content-Type': 'application/octet-stream', 'Content-Range': `bytes ${from}-${end}/${facts.size}`, 'Content-Length': end - Number(from) + 1, 'Cache-Control': 'no-cache' });
    await send(response, file.createReadStream({ start: Number(from), end }), ...steps);
    return;
  }
  const zips = gzip && (gzip instanceof RegExp ? gzip.test(path) : COMPRESSED.has(extname(path))) && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  response.writeHead(200, {
    ...headers,
    'Content-Type': CONTENT_TYPES[extname(path)] ?? 'application/octet-stream',
    ...(zips ? { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' } : { 'Content-Length': facts.size }),
    'Cache-Control': 'no-cache',
  });
  if (request.method === 'HEAD') {
    response.end();
    await file.close();
  } else if (zips) {
    await send(response, file.createReadStream(), createGzip(), ...steps);
  } else {
    await send(response, file.createReadStream(), ...steps);
  }
}

/** Sends a file through these steps and closes it, also if the browser goes away meanwhile. */
async function send(response, ...steps) {
  await pipeline(...steps, response).catch((error) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}
