// A newer build of the site: found by the browser, kept ready by its service worker, and used when the user says so.
import { TAKE_OVER } from '../sw/words';

/** How often a tab that stays open asks for a newer build, when it comes back into sight. */
const LOOK_AGAIN_MS = 3_600_000;

/** What is wanted of the browser; the tests have another one. */
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
      // The very first build waits for nobody.
      if (registration.waiting && registration.active) this.isReady = true;
    };
    const watch = () => registration.installing?.addEventListener('statechange', look);
    registration.addEventListener('updatefound', watch);
    watch();
    look();
  }

  /** Lets the newer build take over, and loads the page from it. Other tabs stay as they are. */
  take(): void {
    const { registration, surroundings } = this;
    if (!surroundings) return;
    const waiting = registration?.waiting;
    // Another tab may have said so already.
    if (!waiting) return surroundings.reload();
    surroundings.container.addEventListener('controllerchange', () => surroundings.reload(), { once: true });
    waiting.postMessage(TAKE_OVER);
  }

  /** The notice goes; the next visit has the newer build all the same. */
  dismiss(): void {
    this.isReady = false;
  }

  /** Asks the host for a newer build, now and then. */
  lookAgain(now: number): void {
    if (now - this.looked < LOOK_AGAIN_MS) return;
    this.looked = now;
    // Without a network there is none.
    this.registration?.update().catch(() => undefined);
  }

  private looked = Date.now();
}
