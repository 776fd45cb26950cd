// The service worker: keeps the whole site for offline use and adds the two headers that threads
// need where the host cannot send them. One cache per build. The build before it is kept too, so
// that a tab opened before an update still finds the files it was built with.
/// <reference lib="webworker" />

export {};

declare const self: ServiceWorkerGlobalScope;
/** Paths relative to this file, filled in by the build. */
declare const PRECACHE: readonly string[];
declare const VERSION: string;

/** Caches belong to the origin, which may hold several sites: the scope keeps them apart. */
const FAMILY = `plyfold ${self.registration.scope} `;
const CACHE = FAMILY + VERSION;

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      // `no-cache` asks the host again, so that a file from an older build is never taken for a new one.
      .then((cache) => cache.addAll(PRECACHE.map((path) => new Request(path, { cache: 'no-cache' }))))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(dropOldBuilds().then(() => self.clients.claim()));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== self.location.origin) return;
  event.respondWith(answer(request));
});

async function dropOldBuilds(): Promise<void> {
  // `keys` lists caches in the order in which they were made.
  const older = (await caches.keys()).filter((name) => name.startsWith(FAMILY) && name !== CACHE);
  await Promise.all(older.slice(0, -1).map((name) => caches.delete(name)));
}

async function answer(request: Request): Promise<Response> {
  // Every address of the page is the same page; what it shows stands behind the `#`.
  const wanted = request.mode === 'navigate' ? './' : request;
  const cache = await caches.open(CACHE);
  const kept = (await cache.match(wanted, { ignoreSearch: true })) ?? (await caches.match(request));
  return isolated(kept ?? (await fetch(request)));
}

function isolated(response: Response): Response {
  // Opaque answers and errors of the network layer have no headers to change.
  if (response.status === 0) return response;
  const headers = new Headers(response.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
