export default {
  base: './',
  // The development server must not bundle the package, or its .wasm files are not found.
  optimizeDeps: { exclude: ['phoca'] },
  // Workers are modules that load further files.
  worker: { format: 'es' },
  build: { target: 'es2022' },
}
