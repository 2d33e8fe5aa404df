// node-seal 7 and this package side by side.

const PEER = '../../../../../.peers/node/node_modules/node-seal7/dist'

/** Both libraries; `variant` is throws or allows. */
export async function loadBoth(variant = 'throws') {
  const [{ default: theirs }, { default: ours }] = await Promise.all([
    import(new URL(`${PEER}/index_${variant}.js`, import.meta.url)),
    import(`phoca-seal/${variant}`),
  ])
  return { theirs: await theirs(), ours: await ours() }
}
