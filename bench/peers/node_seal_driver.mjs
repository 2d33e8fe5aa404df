// Driver for node-seal 6 (under Node 20) and 7 (under Node >= 22): `node node_seal_driver.mjs 6|7`.
// Speaks the protocol that README.md describes; integers travel as decimal strings.

import { mkdirSync, readFileSync, statSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { NodeSeal6, NodeSeal7, Unsupported } from './node_seal_adapters.mjs';

// Offset of the BGV correction factor in an uncompressed ciphertext: header, parms_id, flag, three counts, scale.
const CORRECTION_FACTOR_OFFSET = 16 + 32 + 1 + 3 * 8 + 8;

const adapter = await (process.argv[2] === '6' ? NodeSeal6 : NodeSeal7).create();

const commands = { version, make, encrypt, decrypt, decode, resave, compute, evaluate_all: evaluateAll };

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim()) process.stdout.write(`${JSON.stringify(answer(line))}\n`);
}

function answer(line) {
  try {
    const request = JSON.parse(line);
    if (!Object.hasOwn(commands, request.command)) throw new Unsupported(`command '${request.command}'`);
    return { ok: true, ...commands[request.command](request) };
  } catch (error) {
    return { ok: false, error: errorText(error) };
  } finally {
    adapter.release();
  }
}

function errorText(error) {
  if (error instanceof Unsupported) return `unsupported: ${error.message}`;
  // node-seal 7 throws WebAssembly.Exception with message [C++ type, text]
  if (Array.isArray(error?.message)) return error.message.join(': ');
  return `${error?.name ?? 'Error'}: ${error?.message ?? error}`;
}

function required(request, field) {
  if (request[field] === undefined) throw new Error(`missing field '${field}'`);
  return request[field];
}

/** `seal_version` is the stamp in the headers that the library writes. */
function version() {
  const header = adapter.save(adapter.modulus(0), 'none');
  return {
    library: 'node-seal', version: adapter.version, seal_version: `${header[3]}.${header[4]}`, runtime: process.version,
    compression_modes: ['none', 'zlib', 'zstd'], schemes: ['bfv', 'bgv', 'ckks'],
  };
}

/** Parameters come from a file (`parms`, or `dir`/parms.seal) or inline (`scheme`, `n`, ...). */
function openSession(request) {
  const security = request.security ?? 0;
  const path = request.parms ?? (request.n === undefined ? join(required(request, 'dir'), 'parms.seal') : undefined);
  if (path === undefined) return adapter.session(adapter.buildParms(request), security);
  const bytes = readFileSync(path);
  return adapter.keptSession(`${security} ${bytes.toString('base64')}`, () =>
    adapter.session(adapter.loadParms(bytes), security));
}

function load(session, kind, path) {
  return adapter.load(session, kind, readFileSync(path));
}

function save(object, path, compression) {
  writeFileSync(path, adapter.save(object, compression ?? 'none'));
  return { bytes: statSync(path).size };
}

function encode(session, request) {
  const values = required(request, 'values');
  if (session.scheme !== 'ckks') return adapter.encodeIntegers(session, values.map(BigInt));
  if (request.values_imag) throw new Unsupported('complex encoding is not bound by this library');
  return adapter.encodeReals(session, values.map(Number), Number(required(request, 'scale')));
}

/** The slots as JSON values: decimal strings (centred) for integers, numbers for CKKS. */
function slots(session, plain) {
  if (session.scheme === 'ckks') return Array.from(adapter.decodeReals(session, plain));
  return Array.from(adapter.decodeIntegers(session, plain), String);
}

function make(request) {
  const dir = required(request, 'dir');
  mkdirSync(dir, { recursive: true });
  const compression = request.compression ?? 'none';
  const session = openSession(request);
  const files = {};
  const write = (name, object) => (files[name] = save(object, join(dir, name), compression).bytes);
  write('parms.seal', session.parms);
  write('modulus.seal', adapter.modulus(session.moduli[0]));
  const keygen = adapter.keygen(session);
  const secret = adapter.secretKey(keygen);
  const publicKey = adapter.publicKey(keygen, false);
  write('secret_key.seal', secret);
  write('public_key.seal', publicKey);
  write('public_key.seeded.seal', adapter.publicKey(keygen, true));
  if (session.moduli.length > 1) {
    write('relin_keys.seal', adapter.relinKeys(keygen, false));
    write('relin_keys.seeded.seal', adapter.relinKeys(keygen, true));
    const steps = request.galois_steps ?? null;
    if (steps === null || steps.length > 0) {
      write('galois_keys.seal', adapter.galoisKeys(keygen, steps, false));
      write('galois_keys.seeded.seal', adapter.galoisKeys(keygen, steps, true));
    }
  }
  const plain = encode(session, request);
  write('plain.seal', plain);
  const encryptor = adapter.encryptor(session, publicKey, secret);
  write('cipher.seal', adapter.encrypt(encryptor, plain));
  write('cipher.symmetric.seal', adapter.encryptSymmetric(encryptor, plain, false));
  write('cipher.symmetric.seeded.seal', adapter.encryptSymmetric(encryptor, plain, true));
  return { files, missing: {}, compression };
}

/** Encrypts `values` (or a `plain` file) under `public_key`; symmetric when only `secret_key` is given. */
function encrypt(request) {
  const session = openSession(request);
  const plain = request.plain ? load(session, 'plain', request.plain) : encode(session, request);
  if (request.public_key) {
    const encryptor = adapter.encryptor(session, load(session, 'public_key', request.public_key), undefined);
    return save(adapter.encrypt(encryptor, plain), required(request, 'out'), request.compression);
  }
  // both versions make an Encryptor only with some public key
  const secret = load(session, 'secret_key', required(request, 'secret_key'));
  const publicKey = adapter.publicKey(adapter.keygen(session, secret), false);
  const encryptor = adapter.encryptor(session, publicKey, secret);
  const cipher = adapter.encryptSymmetric(encryptor, plain, request.seeded ?? false);
  return save(cipher, required(request, 'out'), request.compression);
}

function decrypt(request) {
  const session = openSession(request);
  if (request.complex) throw new Unsupported('complex decoding is not bound by this library');
  const path = (kind) => request[kind] ?? join(required(request, 'dir'), `${kind}.seal`);
  const decryptor = adapter.decryptor(session, load(session, 'secret_key', path('secret_key')));
  const cipher = load(session, 'cipher', path('cipher'));
  const values = slots(session, adapter.decrypt(decryptor, cipher));
  return { values, ...describe(session, cipher), noise_budget: budget(session, decryptor, cipher) };
}

function decode(request) {
  const session = openSession(request);
  if (request.complex) throw new Unsupported('complex decoding is not bound by this library');
  const plain = load(session, 'plain', required(request, 'plain'));
  return { values: slots(session, plain), ...adapter.describePlain(plain) };
}

/** Loads an object of `kind` from `in` and saves it to `out`. Seeded objects come out in full. */
function resave(request) {
  const bytes = readFileSync(required(request, 'in'));
  const kind = required(request, 'kind');
  let object;
  if (kind === 'parms') object = adapter.loadParms(bytes).native;
  else if (kind === 'modulus') object = adapter.loadModulus(bytes);
  else object = adapter.load(openSession(request), kind, bytes);
  return save(object, required(request, 'out'), request.compression);
}

function compute(request) {
  const session = openSession(request);
  const inputs = required(request, 'inputs').map((path) => load(session, 'cipher', path));
  const result = evaluate(session, request, inputs);
  return { ...describe(session, result), ...save(result, required(request, 'out'), request.compression) };
}

function evaluate(session, request, inputs) {
  const op = required(request, 'op');
  switch (op) {
    case 'add': case 'sub': case 'multiply':
      return adapter.apply(session, op, inputs[0], inputs[1]);
    case 'negate': case 'square': case 'rescale': case 'mod_switch': case 'mod_reduce': case 'to_ntt': case 'from_ntt':
      return adapter.apply(session, op, inputs[0]);
    case 'add_plain': case 'sub_plain': case 'multiply_plain':
      return adapter.apply(session, op, inputs[0],
        request.plain ? load(session, 'plain', request.plain) : encode(session, request));
    case 'relinearize':
      return adapter.apply(session, op, inputs[0], load(session, 'relin_keys', required(request, 'relin_keys')));
    case 'exponentiate':
      return adapter.exponentiate(session, inputs[0], required(request, 'exponent'),
        load(session, 'relin_keys', required(request, 'relin_keys')));
    case 'rotate': case 'apply_galois': {
      const argument = Number(required(request, op === 'rotate' ? 'steps' : 'element'));
      return rotate(session, op, inputs[0], argument, load(session, 'galois_keys', required(request, 'galois_keys')));
    }
    case 'rotate_columns': case 'conjugate':
      return adapter.apply(session, op, inputs[0], load(session, 'galois_keys', required(request, 'galois_keys')));
    default:
      throw new Unsupported(`operation '${op}'`);
  }
}

function rotate(session, op, cipher, argument, keys) {
  const name = op === 'apply_galois' ? op : session.scheme === 'ckks' ? 'rotate_vector' : 'rotate_rows';
  return adapter.apply(session, name, cipher, argument, keys);
}

function describe(session, cipher) {
  // the factor is read from the saved bytes: node-seal 6 has no getter, and the one of 7 returns the scale
  const bytes = adapter.save(cipher, 'none');
  const factor = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(CORRECTION_FACTOR_OFFSET, true);
  return { ...adapter.describe(session, cipher), correction_factor: String(factor) };
}

function budget(session, decryptor, cipher) {
  return session.scheme === 'ckks' ? null : decryptor.invariantNoiseBudget(cipher);
}

/**
 * Uses every object of a directory that another library wrote and decrypts what comes out.
 * `values` is what `cipher` holds. Each result is compared with the plain computation; CKKS within `tolerance`.
 */
function evaluateAll(request) {
  const session = openSession(request);
  const run = { session, request, dir: required(request, 'dir'), results: {}, correct: {}, info: {}, missing: [] };
  run.exact = session.scheme !== 'ckks';
  run.count = run.exact ? session.degree : session.degree / 2;
  const cipher = loadFrom(run, 'cipher', 'cipher');
  run.decryptor = adapter.decryptor(session, loadFrom(run, 'secret_key', 'secret_key'));
  const values = required(request, 'values').map(run.exact ? BigInt : Number);
  while (values.length < run.count) values.push(run.exact ? 0n : 0);
  check(run, 'decrypt', cipher, values);
  checkCiphers(run, cipher, values);
  checkMultiply(run, cipher, values);
  checkRotate(run, cipher, values);
  const { results, correct, info, missing } = run;
  return { results, correct, info, missing, all_correct: Object.values(correct).every(Boolean) };
}

function checkCiphers(run, cipher, values) {
  const { session, request } = run;
  for (const name of ['cipher.symmetric', 'cipher.symmetric.seeded']) {
    const loaded = loadFrom(run, 'cipher', name, true);
    if (loaded) check(run, name, loaded, values);
  }
  for (const name of ['public_key', 'public_key.seeded']) {
    const key = loadFrom(run, 'public_key', name, true);
    if (!key) continue;
    const encryptor = adapter.encryptor(session, key, undefined);
    check(run, `encrypt with ${name}`, adapter.encrypt(encryptor, encode(session, request)), values);
  }
  const plain = loadFrom(run, 'plain', 'plain', true);
  if (!plain) return;
  record(run, 'decode', slots(session, plain), values);
  check(run, 'add_plain', adapter.apply(session, 'add_plain', cipher, plain), values.map((v) => v + v));
}

function checkMultiply(run, cipher, values) {
  const { session } = run;
  const squares = values.map((v) => v * v);
  const product = adapter.apply(session, 'multiply', cipher, cipher);
  check(run, 'multiply', product, squares);
  for (const name of ['relin_keys', 'relin_keys.seeded']) {
    const keys = loadFrom(run, 'relin_keys', name, true);
    if (!keys) continue;
    const result = adapter.apply(session, 'relinearize', product, keys);
    check(run, `multiply + relinearize (${name})`, result, squares);
    if (session.moduli.length < 3) continue;
    const step = run.exact ? 'mod_switch' : 'rescale';
    check(run, `multiply + relinearize (${name}) + ${step}`, adapter.apply(session, step, result), squares);
  }
}

function checkRotate(run, cipher, values) {
  const { session, request } = run;
  const row = session.degree / 2;
  for (const name of ['galois_keys', 'galois_keys.seeded']) {
    const keys = loadFrom(run, 'galois_keys', name, true);
    if (!keys) continue;
    for (const steps of request.galois_steps?.length ? request.galois_steps : [1]) {
      if (steps === 0) {
        const op = run.exact ? 'rotate_columns' : 'conjugate';
        const want = run.exact ? [...values.slice(row), ...values.slice(0, row)] : values;
        check(run, `${op} (${name})`, adapter.apply(session, op, cipher, keys), want);
        continue;
      }
      const turn = (from) => values.slice(from, from + row).map((_, i) => values[from + ((i + steps + row) % row)]);
      const want = run.exact ? [...turn(0), ...turn(row)] : turn(0);
      check(run, `rotate ${steps} (${name})`, rotate(session, 'rotate', cipher, steps, keys), want);
    }
  }
}

function loadFrom(run, kind, name, optional = false) {
  const path = join(run.dir, `${name}.seal`);
  if (optional && !existsSync(path)) {
    run.missing.push(name);
    return undefined;
  }
  return load(run.session, kind, path);
}

function check(run, name, cipher, want) {
  record(run, name, slots(run.session, adapter.decrypt(run.decryptor, cipher)), want);
  run.info[name] = { ...describe(run.session, cipher), noise_budget: budget(run.session, run.decryptor, cipher) };
}

function record(run, name, got, want) {
  const { session, request, exact } = run;
  const tolerance = request.tolerance ?? 1e-3;
  const same = exact
    ? (a, b) => (BigInt(a) - b) % session.plainModulus === 0n
    : (a, b) => Math.abs(a - b) <= tolerance;
  run.results[name] = got.slice(0, request.values.length);
  run.correct[name] = got.length === want.length && got.every((value, i) => same(value, want[i]));
}
