// The rows in a browser: `node browser.mjs chromium|firefox|webkit OPTIONS`. Prints what node.mjs prints.

import { browsers, launch } from '../../bindings/npm/test/browsers.mjs'
import { serve } from '../../bindings/npm/test/server.mjs'
import { root, say } from './places.mjs'
import { findWebKit, openWebKit } from './webkit.mjs'

const [name, options] = [process.argv[2], JSON.parse(process.argv[3])]
/** A row at n = 32768 takes its time in the slowest engine. */
const TIMEOUT = 600_000

/** How to open a page, or why it cannot be done. */
function find() {
  if (name === 'webkit') {
    const webkit = findWebKit()
    return webkit.missing ? webkit : { open: (url) => openWebKit(webkit, url) }
  }
  const browser = browsers.find((known) => known.name === name)
  return browser?.path === undefined ? { missing: `${name} is not installed` } : { open: (url) => openPuppeteer(browser, url) }
}

async function openPuppeteer(browser, url) {
  const instance = await launch({ ...browser, options: { ...browser.options, protocolTimeout: TIMEOUT } })
  const page = await instance.newPage()
  await page.goto(url)
  await page.waitForFunction('window.ready === true')
  return {
    version: (await instance.version()).split('/').at(-1),
    call: (name, argument = null) => page.evaluate((name, argument) => window[name](argument), name, argument),
    close: () => instance.close(),
  }
}

const { open, missing } = find()
if (missing) {
  say({ kind: 'skipped', host: name, reason: missing })
} else {
  const server = await serve(root)
  const page = await open(`${server.origin}/bench/hosts/page.html`)
  try {
    say({ kind: 'host', host: `${name}-${page.version.match(/^\d+(\.\d+)?/)[0].replace(/\.0$/, '')}`, ...await page.call('start', options) })
    for (let row = await page.call('next'); row !== null; row = await page.call('next')) say({ kind: 'row', ...row })
  } finally {
    await page.close()
    server.close()
  }
}
process.exit(0)
