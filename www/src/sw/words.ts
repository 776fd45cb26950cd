// Messages from a page to the service worker.

/** To a waiting build: the user wants it now. */
export const TAKE_OVER = 'take over';
