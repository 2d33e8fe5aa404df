// The browsers of this machine, driven without a display.

import { existsSync } from 'node:fs'
import puppeteer from 'puppeteer-core'

const CHROMIUM_ARGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']

/** Each with how it is started. `PHOCA_CHROMIUM` and `PHOCA_FIREFOX` name other programs. */
export const browsers = [
  { name: 'chromium', path: find(process.env.PHOCA_CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'), options: { browser: 'chrome', args: CHROMIUM_ARGS } },
  { name: 'firefox', path: find(process.env.PHOCA_FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'), options: { browser: 'firefox' } },
]

function find(...paths) {
  return paths.find((path) => path !== undefined && existsSync(path))
}

export function launch({ path, options }) {
  return puppeteer.launch({ ...options, executablePath: path, headless: true })
}
