// WebKitGTK through its WebDriver, on a display of its own.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The driver, the display and the browser, or what is missing. `PHOCA_MINIBROWSER` names another browser. */
export function findWebKit() {
  const driver = '/usr/bin/WebKitWebDriver'
  if (!existsSync(driver)) return { missing: 'WebKitWebDriver is not installed (on Debian: webkit2gtk-driver)' }
  if (spawnSync('xvfb-run', ['--help']).error) return { missing: 'xvfb-run is not installed (on Debian: xvfb, xauth)' }
  const binary = process.env.PHOCA_MINIBROWSER ?? miniBrowser()
  return binary === undefined ? { missing: 'MiniBrowser is not installed (on Debian: libwebkit2gtk-4.1-0)' } : { driver, binary }
}

/** `/usr/lib/ARCHITECTURE/webkit2gtk-VERSION/MiniBrowser`. */
function miniBrowser() {
  for (const folder of readdirSync('/usr/lib').filter((name) => name.endsWith('-linux-gnu'))) {
    const versions = readdirSync(join('/usr/lib', folder)).filter((name) => name.startsWith('webkit2gtk-'))
    const found = versions.map((version) => join('/usr/lib', folder, version, 'MiniBrowser')).find((path) => existsSync(path))
    if (found !== undefined) return found
  }
  return undefined
}

/** A page at `url`, as `{ version, call, close }`; `call(name, argument)` is a call of an asynchronous function of the page. */
export async function openWebKit({ driver, binary }, url) {
  const port = await freePort()
  // A group of its own, so that display, driver and browser end together.
  const display = spawn('xvfb-run', ['-a', driver, `--port=${port}`], { detached: true, stdio: 'ignore' })
  const ended = () => end(display)
  process.once('exit', ended)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  const address = `http://127.0.0.1:${port}`
  try {
    const options = { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } }
    const { sessionId, capabilities } = await retry(() => post(`${address}/session`, { capabilities: { alwaysMatch: options } }))
    const session = `${address}/session/${sessionId}`
    await post(`${session}/timeouts`, { script: 600_000, pageLoad: 60_000 })
    await post(`${session}/url`, { url })
    const close = async () => {
      await fetch(session, { method: 'DELETE' }).catch(() => {})
      ended()
    }
    return { version: capabilities.browserVersion, call: (name, argument) => call(session, name, argument), close }
  } catch (error) {
    ended()
    throw error
  }
}

const SCRIPT = `
  const [name, argument, done] = arguments
  const waiting = setInterval(() => {
    if (window.ready !== true) return
    clearInterval(waiting)
    window[name](argument).then((value) => done({ value }), (error) => done({ error: String(error) }))
  }, 20)`

async function call(session, name, argument = null) {
  const { value, error } = await post(`${session}/execute/async`, { script: SCRIPT, args: [name, argument] })
  if (error !== undefined) throw new Error(error)
  return value
}

async function post(url, body) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  const { value } = await response.json()
  if (!response.ok) throw new Error(`WebDriver: ${value.error}: ${value.message}`)
  return value
}

/** Until the driver listens. */
async function retry(connect) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await connect()
    } catch (error) {
      if (attempt === 50 || error.message.startsWith('WebDriver')) throw error
      await sleep(200)
    }
  }
}

function end(display) {
  try {
    process.kill(-display.pid)
  } catch {
    // It has ended already.
  }
}

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
