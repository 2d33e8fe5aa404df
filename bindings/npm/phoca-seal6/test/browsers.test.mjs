// The entries in browsers without a bundler: a script, a module, and a module in a worker.

import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { browsers, launch } from '../../test/browsers.mjs'
import { serve } from '../../test/server.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** What a page or a worker does with the library; it is sent there as text. */
async function compute(SEAL) {
  const seal = await SEAL()
  const parameters = seal.EncryptionParameters(seal.SchemeType.bfv)
  parameters.setPolyModulusDegree(4096)
  parameters.setCoeffModulus(seal.CoeffModulus.BFVDefault(4096))
  parameters.setPlainModulus(seal.PlainModulus.Batching(4096, 20))
  const context = seal.Context(parameters)
  const keys = seal.KeyGenerator(context)
  const encoder = seal.BatchEncoder(context)
  const cipher = seal.CipherText()
  cipher.load(context, seal.Encryptor(context, keys.createPublicKey()).encrypt(encoder.encode(Int32Array.of(3, -4))).save())
  const result = seal.Decryptor(context, keys.secretKey()).decrypt(seal.Evaluator(context).square(cipher))
  return [...encoder.decode(result).slice(0, 3)]
}

const WAYS = {
  'a script': (page, entry) => page.addScriptTag({ url: `${entry}_web_umd.js` }).then(() => page.evaluate(`(${compute})(SEAL)`)),
  'a module': (page, entry) => page.evaluate(`import('${entry}_web_es.js').then((entry) => (${compute})(entry.default))`),
  'a module in a worker': (page, entry) => page.evaluate(`new Promise((resolve, reject) => {
    const source = "import SEAL from '" + location.origin + "${entry}_worker_es.js'; (" + ${JSON.stringify(String(compute))}
      + ")(SEAL).then((values) => postMessage(values), (error) => postMessage(String(error)))"
    const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })), { type: 'module' })
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
  })`),
}

for (const browser of browsers) {
  const missing = browser.path === undefined
  describe(browser.name, { skip: missing && !process.env.PHOCA_REQUIRE_PEERS && `${browser.name} is not installed` }, () => {
    let server, instance
    before(async () => {
      assert.ok(!missing, `${browser.name} is not installed`)
      server = await serve(root)
      instance = await launch(browser)
    })
    after(async () => {
      await instance?.close()
      server?.close()
    })
    for (const [way, load] of Object.entries(WAYS)) {
      it(`computes in ${way}`, async () => {
        const page = await instance.newPage()
        page.setDefaultTimeout(60_000)
        await page.goto(`${server.origin}/test/page.html`)
        assert.deepEqual(await load(page, '/phoca-seal6/throws_wasm'), [9, 16, 0])
        await page.close()
      })
    }
  })
}
