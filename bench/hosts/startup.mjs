// Prints the milliseconds from the import of the package to the first context, in a fresh process.

const start = performance.now()
const phoca = await import('../../bindings/npm/phoca/dist/index.js')
await phoca.initialize()
new phoca.Context({ scheme: 'ckks', degree: 8192, coeffModulus: phoca.coeffModulus.create(8192, [60, 40, 40, 60]) })
console.log(performance.now() - start)
