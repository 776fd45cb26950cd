// The only way in which tests start a browser: the system's Chromium, headless, without network traffic of its own.

import { chromium } from 'playwright-core';

export const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Path of the browser: `CHROMIUM`, or Debian's path. */
export const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Starts the browser. `flags` are added to those of every test. */
export function launch(flags = []) {
  return chromium.launch({ executablePath, args: [...FLAGS, ...flags] });
}
