// Runs the checks of page-checks.js in every browser of the machine. One that is missing is skipped by name, and fails where
// PHOCA_REQUIRE_PEERS is set.

import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { browsers, launch } from './browsers.mjs'
import { checks } from './page-checks.js'
import { serve } from './server.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

for (const browser of browsers) {
  const missing = browser.path === undefined
  describe(browser.name, { skip: missing && !process.env.PHOCA_REQUIRE_PEERS && `${browser.name} is not installed` }, () => {
    let server, instance, page
    before(async () => {
      assert.ok(!missing, `${browser.name} is not installed`)
      server = await serve(root)
      instance = await launch(browser)
      page = await instance.newPage()
      page.setDefaultTimeout(60_000)
      await page.goto(`${server.origin}/test/page.html`)
      await page.waitForFunction('window.ready === true')
    })
    after(async () => {
      await instance?.close()
      server?.close()
    })
    for (const name of Object.keys(checks)) {
      it(name, async () => {
        const failure = await page.evaluate(async (name) => {
          try {
            await window.checks[name]()
          } catch (error) {
            return `${error}\n${error?.stack}`
          }
        }, name)
        assert.equal(failure, undefined)
      })
    }
  })
}
