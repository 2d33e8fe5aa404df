// The same with require.
const { ckks } = require('phoca')

async function main() {
  const values = [21.5, 19.25, 24, 22.75]
  const he = await ckks({ depth: 1, precision: 25 })
  const mean = he.encrypt(values).sum().mul(1 / values.length)
  console.log(he.decrypt(mean)[0].toFixed(4)) // 21.8750
}

main()
