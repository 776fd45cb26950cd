// Newer builds of the site: the browser finds one, the service worker stores it, and the page uses it when the user says so.
import { TAKE_OVER } from '../sw/words';

/** How often, at most, a tab that stays open looks for a newer build when it becomes visible again. */
const LOOK_AGAIN_MS = 3_600_000;

/** What this module needs of the browser. The tests implement it too. */
export interface Surroundings {
  container: Pick<ServiceWorkerContainer, 'addEventListener'>;
  reload(): void;
}

export class Update {
  /** Whether a newer build is ready. */
  isReady = $state(false);

  private registration: ServiceWorkerRegistration | null = null;
  private surroundings: Surroundings | null = null;

  /** Watches for newer builds. */
  follow(registration: ServiceWorkerRegistration, surroundings: Surroundings): void {
    this.registration = registration;
    this.surroundings = surroundings;
    const look = () => {
      // The first build of all has no older one to wait for.
      if (registration.waiting && registration.active) this.isReady = true;
    };
    const watch = () => registration.installing?.addEventListener('statechange', look);
    registration.addEventListener('updatefound', watch);
    watch();
    look();
  }

  /** Lets the newer build take over and reloads the page from it. Other tabs stay as they are. */
  take(): void {
    const { registration, surroundings } = this;
    if (!surroundings) return;
    const waiting = registration?.waiting;
    // Another tab may already have let it take over.
    if (!waiting) return surroundings.reload();
    surroundings.container.addEventListener('controllerchange', () => surroundings.reload(), { once: true });
    waiting.postMessage(TAKE_OVER);
  }

  /** Hides the notice. The next visit uses the newer build anyway. */
  dismiss(): void {
    this.isReady = false;
  }

  /** Looks for a newer build on the host, at most once an hour. */
  lookAgain(now: number): void {
    if (now - this.looked < LOOK_AGAIN_MS) return;
    this.looked = now;
    // Without a network there is no newer build.
    this.registration?.update().catch(() => undefined);
  }

  private looked = Date.now();
}
