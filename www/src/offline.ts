// Registers the service worker and reports newer builds. If a host cannot send the two headers that
// threads need, the service worker adds them, but only to pages that are loaded through it. The very first
// visit is therefore reloaded once, unless the user has already begun something.
import type { Update } from './state/update.svelte';

const RELOADED = 'plyfold.reloaded';

export function keepOffline(idle: () => boolean, update: Update): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const container = navigator.serviceWorker;
  container.register('./sw.js', { scope: './' }).then(
    (registration?: ServiceWorkerRegistration) => {
      // A browser with service workers switched off may resolve without a registration.
      if (!registration) return;
      update.follow(registration, { container, reload: () => location.reload() });
      document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && update.lookAgain(Date.now()));
    },
    () => {
      // Private windows and plain http refuse service workers; the page then works, but not offline.
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
