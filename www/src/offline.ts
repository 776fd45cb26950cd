// Registers the service worker. On a host that cannot send the two headers which threads need, the
// service worker adds them, but only to pages loaded through it: the very first visit is then
// reloaded once, unless the user has already begun something.

const RELOADED = 'plyfold.reloaded';

export function keepOffline(idle: () => boolean): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  navigator.serviceWorker.register('./sw.js', { scope: './' }).catch(() => {
    // Private windows and plain http refuse; the page works all the same, only not offline.
  });
  if (crossOriginIsolated) return;
  const reload = () => {
    if (!idle() || sessionStorage.getItem(RELOADED)) return;
    sessionStorage.setItem(RELOADED, 'yes');
    location.reload();
  };
  if (navigator.serviceWorker.controller) reload();
  else navigator.serviceWorker.addEventListener('controllerchange', reload, { once: true });
}
