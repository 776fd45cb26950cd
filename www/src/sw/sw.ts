// The service worker: keeps the whole site for offline use and adds the headers that threads and the
// policy for content need where the host cannot send them. It answers for the page and its own files, and
// for nothing else under its scope. A new build waits until a tab says that it may take over, or none is open.
/// <reference lib="webworker" />
import { Builds, type KeptFile } from './builds';
import { TAKE_OVER } from './words';

declare const self: ServiceWorkerGlobalScope;
/** These three are filled in by the build. */
declare const PRECACHE: readonly KeptFile[];
declare const VERSION: string;
declare const HEADERS: readonly (readonly [string, string])[];

const scope = self.registration.scope;
const builds = new Builds(caches, scope, VERSION);
// Once: the build puts the list wherever its name stands.
const list: readonly KeptFile[] = PRECACHE;
const files = new Set(list.map(([path]) => path));

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
  if (request.mode === 'navigate') {
    // What the page shows stands behind the `#`. Everything else here belongs to the host.
    if (path === '' || path === 'index.html') event.respondWith(answer(request, builds.page(resultingClientId)));
  } else if (files.has(path) || path.startsWith('assets/')) {
    // The files of older builds are in `assets`, too.
    event.respondWith(answer(request, builds.file(request, clientId)));
  }
});

async function takeOver(): Promise<void> {
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  await builds.dropUnused(tabs.map((tab) => tab.id));
  await self.clients.claim();
}

/** What is kept; what is not, or cannot be read, from the host. */
async function answer(request: Request, kept: Promise<Response | undefined>): Promise<Response> {
  return withHeaders((await kept.catch(() => undefined)) ?? (await fetch(request)));
}

function withHeaders(response: Response): Response {
  // Opaque answers and errors of the network layer have no headers to change.
  if (response.status === 0) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of HEADERS) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
