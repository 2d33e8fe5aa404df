// What the build puts in the place of this import: gzipped modules in base64.
declare module 'packed-modules' {
  const modules: Partial<Record<'simd' | 'relaxed', string>>
  export default modules
}
