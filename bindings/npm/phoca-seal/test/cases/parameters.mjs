// Moduli, parameters and contexts.

/** @yields {[string, () => unknown]} what is tried, and the call */
export function* parameterCases(seal, { bfv }) {
  yield* modulusCases(seal)
  yield* choiceCases(seal)
  yield* vectorCases(seal)
  yield* settingCases(seal)
  yield* contextCases(seal)
  yield* chainCases(seal, bfv.context)
}

function* modulusCases(seal) {
  const values = [0n, 1n, 2n, 17n, 255n, 65537n, (1n << 61n) - 1n, 1n << 61n, (1n << 64n) + 5n, -1n, 17, 1.5, '17', 'x', {}, true]
  for (const value of values) {
    yield [`new Modulus(${typeof value} ${value})`, () => {
      const modulus = new seal.Modulus(value)
      return [modulus.value(), modulus.bitCount(), modulus.isZero(), modulus.isPrime(), modulus.saveToBase64(seal.ComprModeType.none)]
    }]
  }
  yield ['setValue', () => { const modulus = new seal.Modulus(17n); modulus.setValue(19n); return modulus.value() }]
  yield ['setValue that fails', () => {
    const modulus = new seal.Modulus(17n)
    try { modulus.setValue(1n) } catch { return modulus.value() }
  }]
}

function* choiceCases(seal) {
  const list = (vector) => seal.jsArrayFromVecModulus(vector)
  for (const degree of [0, 1, 2, 1000, 1024, 2048, 4096, 8192, 16384, 32768, 131072, 262144]) {
    for (const [name, level] of Object.entries({ ...seal.SecLevelType }).filter(([name]) => /^(none|tc)/.test(name))) {
      yield [`MaxBitCount(${degree}, ${name})`, () => seal.CoeffModulus.MaxBitCount(degree, level)]
      yield [`BFVDefault(${degree}, ${name})`, () => list(seal.CoeffModulus.BFVDefault(degree, level))]
    }
    yield [`Create(${degree})`, () => list(seal.CoeffModulus.Create(degree, Int32Array.of(30, 40, 30)))]
    yield [`Batching(${degree})`, () => seal.PlainModulus.Batching(degree, 22).value()]
  }
  for (const bits of [-1, 0, 1, 2, 10, 14, 20, 20.7, 26, 30, 40, 60, 61]) {
    yield [`Create of ${bits}`, () => list(seal.CoeffModulus.Create(4096, Int32Array.of(bits)))]
    yield [`Batching of ${bits}`, () => seal.PlainModulus.Batching(4096, bits).value()]
  }
  yield ['Create in order', () => list(seal.CoeffModulus.Create(8192, Int32Array.of(60, 40, 40, 60)))]
  yield ['Create of none', () => list(seal.CoeffModulus.Create(8192, Int32Array.of()))]
  yield ['Create of more than there are', () => list(seal.CoeffModulus.Create(4096, new Int32Array(5).fill(14)))]
  yield ['BatchingVector', () => list(seal.PlainModulus.BatchingVector(4096, Int32Array.of(20, 20, 30)))]
  yield ['BatchingVector of an array', () => list(seal.PlainModulus.BatchingVector(4096, [20]))]
}

function* vectorCases(seal) {
  const make = () => seal.vecFromArrayModulus([17n, 19n, 23n].map((value) => new seal.Modulus(value)))
  const list = (vector) => seal.jsArrayFromVecModulus(vector)
  yield ['push_back', () => { const vector = make(); return [vector.push_back(new seal.Modulus(5n)), list(vector)] }]
  yield ['resize', () => { const vector = make(); vector.resize(5, new seal.Modulus(5n)); return list(vector) }]
  yield ['resize down', () => { const vector = make(); vector.resize(1, new seal.Modulus(5n)); return list(vector) }]
  for (const index of [0, 2, 3, -1, 0.5, '1', undefined]) yield [`get(${typeof index} ${index})`, () => make().get(index)?.value()]
  yield ['get is a copy', () => { const vector = make(); vector.get(0).setValue(5n); return list(vector) }]
  yield ['set', () => { const vector = make(); return [vector.set(1, new seal.Modulus(5n)), list(vector)] }]
  yield ['set of another class', () => make().set(1, make())]
  yield ['clone shares', () => { const vector = make(); vector.clone().push_back(new seal.Modulus(5n)); return vector.size() }]
  yield ['vecFromArrayModulus of numbers', () => seal.vecFromArrayModulus([17n])]
  yield ['jsArrayFromVecModulus is an array', () => Array.isArray(list(make()))]
}

function* settingCases(seal) {
  const vectors = {
    none: [], one: [17n], zero: [0n], wide: [(1n << 61n) - 1n], many: new Array(65).fill(17n), more: new Array(257).fill(17n),
  }
  for (const scheme of ['none', 'bfv', 'ckks', 'bgv']) {
    const make = () => new seal.EncryptionParameters(seal.SchemeType[scheme])
    const shown = (parms) => [
      parms.scheme().value, parms.scheme() === seal.SchemeType[scheme], parms.polyModulusDegree(),
      seal.jsArrayFromVecModulus(parms.coeffModulus()), parms.plainModulus().value(), parms.parmsId().values(),
      parms.saveToBase64(seal.ComprModeType.none),
    ]
    yield [`${scheme}: fresh`, () => shown(make())]
    for (const degree of [0, 5, -1]) {
      yield [`${scheme}: degree ${degree}`, () => { const parms = make(); parms.setPolyModulusDegree(degree); return shown(parms) }]
    }
    for (const [name, values] of Object.entries(vectors)) {
      yield [`${scheme}: coefficient moduli ${name}`, () => {
        const parms = make()
        parms.setCoeffModulus(seal.vecFromArrayModulus(values.map((value) => new seal.Modulus(value))))
        return shown(parms)
      }]
    }
    for (const value of [0n, 17n]) {
      yield [`${scheme}: plain modulus ${value}`, () => {
        const parms = make()
        parms.setPlainModulus(new seal.Modulus(value))
        return shown(parms)
      }]
    }
  }
  yield ['getters copy', () => {
    const parms = new seal.EncryptionParameters(seal.SchemeType.bfv)
    parms.plainModulus().setValue(17n)
    return parms.plainModulus().value()
  }]
}

function* contextCases(seal) {
  const sets = {
    BFV: ['bfv', 4096, 'default', 1032193n],
    BGV: ['bgv', 8192, 'default', 1032193n],
    CKKS: ['ckks', 4096, 'default'],
    'no check': ['ckks', 4096, 'default', 0n, 'none'],
    'no chain': ['bfv', 8192, 'default', 1032193n, 'tc128', false],
    insecure: ['bfv', 4096, 'default', 1032193n, 'tc256'],
    'degree 5': ['bfv', 5, [68719403009n], 17n],
    'degree 0': ['bfv', 0, [68719403009n], 17n],
    'degree 262144': ['bfv', 262144, [68719403009n], 17n, 'none'],
    'small degree': ['bfv', 512, [12289n], 17n],
    'small degree unchecked': ['bfv', 512, [12289n], 17n, 'none'],
    'no transform': ['bfv', 4096, [97n, 101n], 17n, 'none'],
    composite: ['bfv', 4096, [8193n * 8193n], 17n, 'none'],
    repeated: ['bfv', 4096, [68719403009n, 68719403009n], 17n, 'none'],
    '61 bits': ['bfv', 4096, [2305843009213554689n], 17n, 'none'],
    'no plain modulus': ['bfv', 4096, 'default'],
    'no slots': ['bfv', 4096, 'default', 256n],
    'plain modulus too large': ['bfv', 4096, [40961n], 65537n, 'none'],
    'plain modulus above a level': ['bfv', 4096, 'default', (1n << 40n) + 15n],
    'plain modulus equal': ['bfv', 4096, [40961n, 65537n], 65537n, 'none'],
    'plain modulus not coprime': ['bfv', 4096, [40961n, 65537n], 40961n * 2n, 'none'],
    'one prime': ['bfv', 1024, 'default', 12289n],
  }
  for (const [name, set] of Object.entries(sets)) yield [`context: ${name}`, () => describe(seal, contextOf(seal, ...set))]
  yield ['context of no scheme', () => {
    return new seal.SEALContext(new seal.EncryptionParameters(seal.SchemeType.none), true, seal.SecLevelType.tc128).parametersSet()
  }]
  yield ['toHuman of no scheme', () => {
    return new seal.SEALContext(new seal.EncryptionParameters(seal.SchemeType.none), true, seal.SecLevelType.tc128).toHuman()
  }]
  yield ['copy and assign', () => {
    const [one, two] = [contextOf(seal, 'bfv', 4096, 'default', 1032193n), contextOf(seal, 'ckks', 4096, 'default')]
    const copy = one.copy()
    one.assign(two)
    return [one.keyParmsId().values(), copy.keyParmsId().values(), copy.isAliasOf(one)]
  }]
  yield ['qualifiers can be set', () => {
    const context = contextOf(seal, 'ckks', 4096, 'default')
    const qualifiers = context.firstContextData().qualifiers()
    qualifiers.usingNTT = false
    qualifiers.securityLevel = seal.SecLevelType.none
    return [qualifiers.usingNTT, qualifiers.securityLevel.value, context.firstContextData().qualifiers().usingNTT]
  }]
}

function contextOf(seal, scheme, degree, primes, plainModulus = 0n, level = 'tc128', expand = true) {
  const parms = new seal.EncryptionParameters(seal.SchemeType[scheme])
  parms.setPolyModulusDegree(degree)
  parms.setCoeffModulus(primes === 'default' ? seal.CoeffModulus.BFVDefault(degree, seal.SecLevelType.tc128)
    : seal.vecFromArrayModulus(primes.map((prime) => new seal.Modulus(prime))))
  parms.setPlainModulus(new seal.Modulus(plainModulus))
  return new seal.SEALContext(parms, expand, seal.SecLevelType[level])
}

/** Everything that a context says of itself. */
function describe(seal, context) {
  const levels = [context.keyContextData(), context.firstContextData(), context.lastContextData()].map((data) => {
    const qualifiers = data.qualifiers()
    return [
      data.chainIndex(), data.totalCoeffModulusBitCount(), data.parmsId().values(), seal.jsArrayFromVecModulus(data.parms().coeffModulus()),
      qualifiers.parametersSet(), qualifiers.usingFFT, qualifiers.usingNTT, qualifiers.usingBatching, qualifiers.usingFastPlainLift,
      qualifiers.usingDescendingModulusChain, qualifiers.securityLevel.value,
    ]
  })
  const ids = [context.keyParmsId(), context.firstParmsId(), context.lastParmsId()].map((id) => id.values())
  return [context.parametersSet(), context.usingKeyswitching(), context.toHuman(), ids, levels]
}

function* chainCases(seal, context) {
  const numbers = (data) => [data.chainIndex(), data.totalCoeffModulusBitCount(), data.parmsId().values()]
  yield ['the chain', () => {
    const found = []
    for (let data = context.keyContextData(), step = 0; step < 5; step++, data = data.nextContextData()) found.push(numbers(data))
    for (let data = context.lastContextData(), step = 0; step < 5; step++, data = data.prevContextData()) found.push(numbers(data))
    return found
  }]
  yield ['no level', () => {
    const data = context.getContextData(new seal.ParmsIdType())
    const parms = data.parms()
    return [numbers(data), parms.scheme().value, parms.polyModulusDegree(), parms.coeffModulus().size(), data.qualifiers().usingFFT]
  }]
  yield ['a level by id', () => numbers(context.getContextData(new seal.ParmsIdType(context.lastParmsId())))]
  yield ['an id of another class', () => new seal.ParmsIdType(context)]
  yield ['an id is a copy', () => {
    const id = context.firstParmsId()
    id.values().fill(0n)
    return id.values()
  }]
}
