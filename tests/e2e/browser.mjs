// The one way in which tests start a browser: the system's Chromium, headless, quiet on the network.

import { chromium } from 'playwright-core';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Path of the browser: `CHROMIUM`, or where Debian puts it. */
export const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Starts the browser; `flags` are added to those every test has. */
export function launch(flags = []) {
  return chromium.launch({ executablePath, args: [...FLAGS, ...flags] });
}
