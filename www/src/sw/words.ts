// What a page says to the service worker.

/** To a build that waits: the user wants it now. */
export const TAKE_OVER = 'take over';
