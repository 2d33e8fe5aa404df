// The two releases of node-seal behind one set of methods: 6 has factories, properties and optional destinations,
// 7 has classes, methods and mandatory destinations.

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const modules = join(dirname(fileURLToPath(import.meta.url)), '../../.peers/node/node_modules');
const SCHEMES = ['none', 'bfv', 'ckks', 'bgv'];
const SECURITY = { 0: 'none', 128: 'tc128', 192: 'tc192', 256: 'tc256' };

/** The library cannot do what was asked. */
export class Unsupported extends Error {}

const METHODS = {
  add: 'add', sub: 'sub', multiply: 'multiply', negate: 'negate', square: 'square', relinearize: 'relinearize',
  rescale: 'rescaleToNext', mod_switch: 'cipherModSwitchToNext', mod_reduce: 'modReduceToNext',
  to_ntt: 'cipherTransformToNtt', from_ntt: 'cipherTransformFromNtt', add_plain: 'addPlain', sub_plain: 'subPlain',
  multiply_plain: 'multiplyPlain', rotate_rows: 'rotateRows', rotate_vector: 'rotateVector',
  rotate_columns: 'rotateColumns', conjugate: 'complexConjugate', apply_galois: 'applyGalois',
};

/** What both releases share. Objects live in WebAssembly memory, so each request frees what it made. */
class NodeSeal {
  constructor(seal, version) {
    this.seal = seal;
    this.version = version;
    this.owned = [];
  }

  own(object) {
    this.owned.push(object);
    return object;
  }

  release() {
    for (const object of this.owned.splice(0).reverse()) object.delete();
  }

  /** The session of the last request if that had the same key: making a context takes far longer than any operation. */
  keptSession(key, open) {
    if (this.kept?.key === key) return this.kept.session;
    for (const object of (this.kept?.objects ?? []).reverse()) object.delete();
    this.kept = undefined;
    const before = this.owned.length;
    const session = open();
    this.kept = { key, session, objects: this.owned.splice(before) };
    return session;
  }

  security(bits) {
    if (!SECURITY[bits]) throw new Error(`security must be 0, 128, 192 or 256, got ${bits}`);
    return this.securityLevels()[SECURITY[bits]];
  }

  scheme(name) {
    if (name === 'none' || !SCHEMES.includes(name)) throw new Error(`scheme must be bfv, bgv or ckks, got '${name}'`);
    return this.seal.SchemeType[name];
  }

  compression(name) {
    const mode = this.seal.ComprModeType[name];
    if (!mode) throw new Error(`compression must be none, zlib or zstd, got '${name}'`);
    return mode;
  }

  keygenSteps(steps) {
    return Int32Array.from(steps);
  }
}

export class NodeSeal6 extends NodeSeal {
  static async create() {
    const require = createRequire(pathToFileURL(join(modules, 'node-seal6', 'package.json')));
    const seal = await require('./throws_wasm_node_umd.js')();
    return new NodeSeal6(seal, require('./package.json').version);
  }

  securityLevels() {
    return this.seal.SecurityLevel;
  }

  modulus(value) {
    return this.own(this.seal.Modulus(BigInt(value)));
  }

  loadModulus(bytes) {
    const modulus = this.modulus(0);
    modulus.loadArray(bytes);
    return modulus;
  }

  buildParms(request) {
    const native = this.own(this.seal.EncryptionParameters(this.scheme(request.scheme)));
    native.setPolyModulusDegree(Number(request.n));
    const moduli = this.own(this.seal.Vector());
    const primes = request.coeff_modulus.map((value) => this.modulus(value).instance);
    moduli.from(primes, 'Modulus'); // its type declarations name only typed arrays, but moduli work
    native.setCoeffModulus(moduli);
    if (request.scheme !== 'ckks') native.setPlainModulus(this.modulus(request.plain_modulus));
    return this.parms(native);
  }

  loadParms(bytes) {
    const native = this.own(this.seal.EncryptionParameters());
    native.loadArray(bytes);
    return this.parms(native);
  }

  parms(native) {
    return {
      native,
      scheme: SCHEMES.find((name) => native.scheme === this.seal.SchemeType[name]),
      degree: native.polyModulusDegree,
      moduli: Array.from(native.coeffModulus),
      plainModulus: this.own(native.plainModulus).value,
    };
  }

  session(parms, security) {
    const context = this.own(this.seal.Context(parms.native, true, this.security(security)));
    if (!context.parametersSet()) throw new Error('parameters are not valid');
    const encoder = this.own(this.seal[parms.scheme === 'ckks' ? 'CKKSEncoder' : 'BatchEncoder'](context));
    return { ...parms, parms: parms.native, context, encoder, evaluator: this.own(this.seal.Evaluator(context)) };
  }

  load(session, kind, bytes) {
    const factories = {
      plain: 'PlainText', secret_key: 'SecretKey', public_key: 'PublicKey', relin_keys: 'RelinKeys',
      galois_keys: 'GaloisKeys', cipher: 'CipherText',
    };
    if (!factories[kind]) throw new Error(`kind must be one of ${Object.keys(factories)}, got '${kind}'`);
    const object = this.own(this.seal[factories[kind]]());
    object.loadArray(session.context, bytes);
    return object;
  }

  save(object, compression) {
    return object.saveArray(this.compression(compression));
  }

  keygen(session, secret) {
    return this.own(secret ? this.seal.KeyGenerator(session.context, secret) : this.seal.KeyGenerator(session.context));
  }

  secretKey(keygen) {
    return this.own(keygen.secretKey());
  }

  publicKey(keygen, seeded) {
    return this.own(seeded ? keygen.createPublicKeySerializable() : keygen.createPublicKey());
  }

  relinKeys(keygen, seeded) {
    return this.own(seeded ? keygen.createRelinKeysSerializable() : keygen.createRelinKeys());
  }

  galoisKeys(keygen, steps, seeded) {
    const argument = this.keygenSteps(steps ?? []);
    return this.own(seeded ? keygen.createGaloisKeysSerializable(argument) : keygen.createGaloisKeys(argument));
  }

  encryptor(session, publicKey, secret) {
    return this.own(secret
      ? this.seal.Encryptor(session.context, publicKey, secret)
      : this.seal.Encryptor(session.context, publicKey));
  }

  encrypt(encryptor, plain) {
    return this.own(encryptor.encrypt(plain));
  }

  encryptSymmetric(encryptor, plain, seeded) {
    return this.own(seeded ? encryptor.encryptSymmetricSerializable(plain) : encryptor.encryptSymmetric(plain));
  }

  decryptor(session, secret) {
    return this.own(this.seal.Decryptor(session.context, secret));
  }

  decrypt(decryptor, cipher) {
    return this.own(decryptor.decrypt(cipher));
  }

  encodeIntegers(session, values) {
    return this.own(session.encoder.encode(BigInt64Array.from(values)));
  }

  encodeReals(session, values, scale) {
    return this.own(session.encoder.encode(Float64Array.from(values), scale));
  }

  decodeIntegers(session, plain) {
    return session.encoder.decodeBigInt(plain, true);
  }

  decodeReals(session, plain) {
    return session.encoder.decode(plain);
  }

  apply(session, op, ...operands) {
    return this.own(session.evaluator[METHODS[op]](...operands));
  }

  exponentiate(session, cipher, exponent, keys) {
    return this.own(session.evaluator.exponentiate(cipher, Number(exponent), keys));
  }

  describe(session, cipher) {
    const id = this.own(cipher.parmsId);
    return {
      size: cipher.size,
      chain_index: this.own(session.context.getContextData(id)).chainIndex,
      coeff_modulus_size: cipher.coeffModulusSize,
      scale: cipher.scale,
      is_ntt_form: cipher.isNttForm,
      parms_id: Array.from(id.values, String),
    };
  }

  describePlain(plain) {
    const id = this.own(plain.parmsId);
    return {
      coeff_count: plain.coeffCount, scale: plain.scale, is_ntt_form: plain.isNttForm,
      parms_id: Array.from(id.values, String),
    };
  }
}

export class NodeSeal7 extends NodeSeal {
  static async create() {
    const folder = join(modules, 'node-seal7');
    const { default: initialize } = await import(pathToFileURL(join(folder, 'dist', 'index_throws.js')));
    const { version } = createRequire(import.meta.url)(join(folder, 'package.json'));
    return new NodeSeal7(await initialize(), version);
  }

  securityLevels() {
    return this.seal.SecLevelType;
  }

  make(name, ...parameters) {
    return this.own(new this.seal[name](...parameters));
  }

  modulus(value) {
    return this.make('Modulus', BigInt(value));
  }

  loadModulus(bytes) {
    const modulus = this.modulus(0);
    modulus.loadFromArray(new Uint8Array(bytes));
    return modulus;
  }

  buildParms(request) {
    const native = this.make('EncryptionParameters', this.scheme(request.scheme));
    native.setPolyModulusDegree(Number(request.n));
    const moduli = this.make('VectorModulus');
    for (const value of request.coeff_modulus) moduli.push_back(this.modulus(value));
    native.setCoeffModulus(moduli);
    if (request.scheme !== 'ckks') native.setPlainModulus(this.modulus(request.plain_modulus));
    return this.parms(native);
  }

  loadParms(bytes) {
    const native = this.make('EncryptionParameters', this.seal.SchemeType.none);
    native.loadFromArray(new Uint8Array(bytes));
    return this.parms(native);
  }

  parms(native) {
    const moduli = this.own(native.coeffModulus());
    return {
      native,
      scheme: SCHEMES.find((name) => native.scheme() === this.seal.SchemeType[name]),
      degree: native.polyModulusDegree(),
      moduli: Array.from({ length: moduli.size() }, (_, i) => this.own(moduli.get(i)).value()),
      plainModulus: this.own(native.plainModulus()).value(),
    };
  }

  session(parms, security) {
    const context = this.make('SEALContext', parms.native, true, this.security(security));
    if (!context.parametersSet()) throw new Error('parameters are not valid');
    const encoder = this.make(parms.scheme === 'ckks' ? 'CKKSEncoder' : 'BatchEncoder', context);
    return { ...parms, parms: parms.native, context, encoder, evaluator: this.make('Evaluator', context) };
  }

  load(session, kind, bytes) {
    const classes = {
      plain: 'Plaintext', secret_key: 'SecretKey', public_key: 'PublicKey', relin_keys: 'RelinKeys',
      galois_keys: 'GaloisKeys', cipher: 'Ciphertext',
    };
    if (!classes[kind]) throw new Error(`kind must be one of ${Object.keys(classes)}, got '${kind}'`);
    const object = this.make(classes[kind]);
    object.loadFromArray(session.context, new Uint8Array(bytes)); // it refuses a Buffer
    return object;
  }

  save(object, compression) {
    return object.saveToArray(this.compression(compression));
  }

  keygen(session, secret) {
    return secret ? this.make('KeyGenerator', session.context, secret) : this.make('KeyGenerator', session.context);
  }

  secretKey(keygen) {
    return this.own(keygen.secretKey());
  }

  publicKey(keygen, seeded) {
    return this.own(seeded ? keygen.createPublicKeySerializable() : keygen.createPublicKey());
  }

  relinKeys(keygen, seeded) {
    return this.own(seeded ? keygen.createRelinKeysSerializable() : keygen.createRelinKeys());
  }

  galoisKeys(keygen, steps, seeded) {
    const name = `createGaloisKeys${seeded ? 'Serializable' : ''}${steps === null ? '' : 'WithSteps'}`;
    return this.own(keygen[name](...(steps === null ? [] : [this.keygenSteps(steps)])));
  }

  encryptor(session, publicKey, secret) {
    return this.make('Encryptor', session.context, publicKey, ...(secret ? [secret] : []));
  }

  encrypt(encryptor, plain) {
    const cipher = this.make('Ciphertext');
    encryptor.encrypt(plain, cipher);
    return cipher;
  }

  encryptSymmetric(encryptor, plain, seeded) {
    if (seeded) return this.own(encryptor.encryptSymmetricSerializable(plain));
    const cipher = this.make('Ciphertext');
    encryptor.encryptSymmetric(plain, cipher);
    return cipher;
  }

  decryptor(session, secret) {
    return this.make('Decryptor', session.context, secret);
  }

  decrypt(decryptor, cipher) {
    const plain = this.make('Plaintext');
    decryptor.decrypt(cipher, plain);
    return plain;
  }

  encodeIntegers(session, values) {
    const plain = this.make('Plaintext');
    session.encoder.encode(BigInt64Array.from(values), plain);
    return plain;
  }

  encodeReals(session, values, scale) {
    const plain = this.make('Plaintext');
    session.encoder.encode(Float64Array.from(values), scale, plain);
    return plain;
  }

  decodeIntegers(session, plain) {
    return session.encoder.decodeBigInt64(plain);
  }

  decodeReals(session, plain) {
    return session.encoder.decodeFloat64(plain);
  }

  apply(session, op, ...operands) {
    const destination = this.make('Ciphertext');
    session.evaluator[METHODS[op]](...operands, destination);
    return destination;
  }

  exponentiate(session, cipher, exponent, keys) {
    const destination = this.make('Ciphertext');
    session.evaluator.exponentiate(cipher, BigInt(exponent), keys, destination);
    return destination;
  }

  describe(session, cipher) {
    const id = this.own(cipher.parmsId());
    return {
      size: cipher.size(),
      chain_index: this.own(session.context.getContextData(id)).chainIndex(),
      coeff_modulus_size: cipher.coeffModulusSize(),
      scale: cipher.scale(),
      is_ntt_form: cipher.isNttForm(),
      parms_id: Array.from(id.values(), String),
    };
  }

  describePlain(plain) {
    const id = this.own(plain.parmsId());
    return {
      coeff_count: plain.coeffCount(), scale: plain.scale(), is_ntt_form: plain.isNttForm(),
      parms_id: Array.from(id.values(), String),
    };
  }
}
