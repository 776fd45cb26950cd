// The only way in which tests start a browser: the system's Chromium, headless, without network traffic of its own.

import { existsSync } from 'node:fs';
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

/** Where Debian puts the shell without windows, and the whole browser. */
const DEBIAN = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** Path of the browser: `CHROMIUM`, or one of Debian's. */
export const executablePath = process.env.CHROMIUM ?? DEBIAN.find((path) => existsSync(path)) ?? DEBIAN[0];

/** Starts the browser. `flags` are added to those of every test. */
export function launch(flags = []) {
  return chromium.launch({ executablePath, args: [...FLAGS, ...flags] });
}
