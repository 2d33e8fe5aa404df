import { bfv } from '../../phoca/dist/index.js'

self.onmessage = async ({ data: values }) => {
  const he = await bfv({ depth: 0 })
  self.postMessage(String(he.decrypt(he.encrypt(values).sum())[0]))
}
