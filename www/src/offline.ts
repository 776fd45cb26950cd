// Registers the service worker, and tells of newer builds. On a host that cannot send the two headers which
// threads need, the service worker adds them, but only to pages loaded through it: the very first visit is then
// reloaded once, unless the user has already begun something.
import type { Update } from './state/update.svelte';

const RELOADED = 'plyfold.reloaded';

export function keepOffline(idle: () => boolean, update: Update): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const container = navigator.serviceWorker;
  container.register('./sw.js', { scope: './' }).then(
    (registration?: ServiceWorkerRegistration) => {
      // A browser that is told to keep none may answer with nothing.
      if (!registration) return;
      update.follow(registration, { container, reload: () => location.reload() });
      document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && update.lookAgain(Date.now()));
    },
    () => {
      // Private windows and plain http refuse; the page works all the same, only not offline.
    },
  );
  if (crossOriginIsolated) return;
  const reload = () => {
    if (!idle() || sessionStorage.getItem(RELOADED)) return;
    sessionStorage.setItem(RELOADED, 'yes');
    location.reload();
  };
  if (container.controller) reload();
  else container.addEventListener('controllerchange', reload, { once: true });
}
