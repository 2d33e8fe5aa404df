// Where this package is meant to differ from node-seal 7: why, and what it gives there.

export const DIFFERENCES = [
  {
    cases: /^policy: a value (above|below half of) the plain modulus/,
    ours: /invalid_argument: input value is larger than plain_modulus/,
    reason: 'as SEAL 4.4: a value that would come back as another one is refused',
  },
  { cases: /^policy: a(n infinite)? number/, ours: /invalid_argument: values must be finite/, reason: 'as SEAL 4.4' },
  { cases: /^policy: a scale that is no number/, ours: /invalid_argument: scale out of bounds/, reason: 'as SEAL 4.4' },
  { cases: /^policy: encoding over/, ours: /^gives 7n/, reason: 'the destination is overwritten, whatever it was' },
  { cases: /^policy: a file of SEAL 4\.\d/, ours: /^gives 2$/, reason: 'as SEAL 4.4: older and newer minor versions are read' },
  { cases: /^policy: a file in a Buffer/, ours: /^gives 2$/, reason: "Node's Buffer is a Uint8Array" },
  { cases: /^policy: base64 with line breaks/, ours: /^gives 4096$/, reason: 'white space in base64 means nothing' },
  { cases: /^policy: a file with a scale|^ckks: save at scale NaN/, ours: /logic_error: ciphertext data is invalid/, reason: 'as SEAL 4.4' },
  {
    cases: /policy: relinearization keys of another|files: (Relin|Galois)Keys: another/,
    ours: /logic_error: KSwitchKeys data is invalid/,
    reason: 'the id of the keys is checked before the keys',
  },
  { cases: /^policy: a pool/, ours: /^gives undefined/, reason: 'pools have no effect' },
  { cases: /^policy: modReduceToNext of BFV/, ours: /^gives false/, reason: 'a BFV ciphertext stays in coefficient form, and decrypts' },
  { cases: /^policy: the correction factor/, ours: /^gives true/, reason: 'node-seal gives the scale instead' },
  { cases: /^policy: a destination/, ours: /^gives Array\[1,2,-3,0\]/, reason: 'an operation that throws changes nothing' },
  {
    cases: /^policy: another level in reserve|: reserve for another context's/,
    ours: /true/,
    reason: 'polynomials of other parameters become zero; node-seal takes their words for some of the new ones',
  },
]
