// What is tested while somebody waits for it: a few sizes of window and states of the page. Everything is tested without this.

/** Whether only that is tested, from the environment variable PLYFOLD_MAIN. */
export const isMain = Boolean(process.env.PLYFOLD_MAIN);
