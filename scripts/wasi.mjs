// Runs a WebAssembly program for WASI: node scripts/wasi.mjs PROGRAM.wasm [ARGUMENT]...
// It sees the variable PHOCA_ARCH and no files.
import { readFile } from 'node:fs/promises';
import { argv, env, exit } from 'node:process';
import { WASI } from 'node:wasi';

const args = argv.slice(2);
if (args.length === 0) {
  console.error('usage: node scripts/wasi.mjs PROGRAM.wasm [ARGUMENT]...');
  exit(2);
}
const wasi = new WASI({
  version: 'preview1',
  args,
  env: 'PHOCA_ARCH' in env ? { PHOCA_ARCH: env.PHOCA_ARCH } : {},
});
const module = await WebAssembly.compile(await readFile(args[0]));
exit(wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject())));
