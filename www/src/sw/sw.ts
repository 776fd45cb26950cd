// The service worker stores the whole site for offline use. It adds the headers for threads and the
// Content Security Policy where the host cannot send them. It serves the page and its own files, and
// nothing else under its scope. A new build waits until a tab lets it take over or no tab is open.
/// <reference lib="webworker" />
import { Builds, type KeptFile } from './builds';
import { TAKE_OVER } from './words';

declare const self: ServiceWorkerGlobalScope;
/** The build fills in these five. */
declare const PRECACHE: readonly KeptFile[];
/** Files that are stored once they were used: the local chess engine. */
declare const LATER: readonly KeptFile[];
declare const VERSION: string;
declare const HEADERS: readonly (readonly [string, string])[];
/** Headers of files whose paths begin so, in place of those with the same names. */
declare const EXCEPTIONS: readonly (readonly [string, readonly (readonly [string, string])[]])[];

const scope = self.registration.scope;
const builds = new Builds(caches, scope, VERSION);
// The name stands only here, because the build replaces each occurrence by the whole list.
const list: readonly KeptFile[] = PRECACHE;
const files = new Set(list.map(([path]) => path));
const listLater: readonly KeptFile[] = LATER;
const filesLater = new Map(listLater.map((file) => [file[0], file] as const));

self.addEventListener('install', (event) => event.waitUntil(builds.fetchAll(list)));

self.addEventListener('activate', (event) => event.waitUntil(takeOver()));

self.addEventListener('message', (event) => {
  if (event.data === TAKE_OVER) event.waitUntil(self.skipWaiting());
});

self.addEventListener('fetch', (event) => {
  const { request, clientId, resultingClientId } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || !`${origin}${pathname}`.startsWith(scope)) return;
  const path = `${origin}${pathname}`.slice(scope.length);
  const later = filesLater.get(path);
  if (request.mode === 'navigate') {
    // The page's state is behind the `#`. All other addresses under the scope belong to the host.
    if (path === '' || path === 'index.html') event.respondWith(answer(request, path, builds.page(resultingClientId)));
  } else if (later) {
    event.respondWith(builds.fileLater(later, clientId).then((response) => withHeaders(response, path)));
  } else if (files.has(path) || path.startsWith('assets/')) {
    // `assets` also has the files of older builds.
    event.respondWith(answer(request, path, builds.file(request, clientId)));
  }
});

async function takeOver(): Promise<void> {
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  await builds.takeFromOlder(listLater);
  await builds.dropUnused(tabs.map((tab) => tab.id));
  // Nobody waits for this: in Firefox the promise now and then stays open, and the activation with it, which holds back every fetch of
  // the page for a minute.
  void self.clients.claim();
}

/** The stored response; if there is none or it cannot be read, the host's. */
async function answer(request: Request, path: string, kept: Promise<Response | undefined>): Promise<Response> {
  return withHeaders((await kept.catch(() => undefined)) ?? (await fetch(request)), path);
}

function withHeaders(response: Response, path: string): Response {
  // Opaque responses and network errors have no headers that could be changed.
  if (response.status === 0) return response;
  const others = EXCEPTIONS.flatMap(([begins, values]) => (path.startsWith(begins) ? values : []));
  const wanted = [...new Map([...HEADERS, ...others])];
  // As the host sent it, the browser knows the response, and what it has compiled of it before. But then a worker has the address of the
  // response, without what is behind its `#`, and there Stockfish's finds where its wasm is.
  if (!filesLater.has(path) && wanted.every(([name, value]) => response.headers.get(name) === value)) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of wanted) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
