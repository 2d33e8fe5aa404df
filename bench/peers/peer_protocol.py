"""The line protocol of the Python peer drivers, over an adapter that hides how a wheel names things.

One JSON object a line in, one a line out: ``{"ok": true, ...}`` or ``{"ok": false, "error": "..."}``.
README.md lists the commands and their fields. Integers that can pass 2^53 travel as decimal strings.
"""

import json
import os
import sys

SCHEMES = {"bfv": 1, "ckks": 2, "bgv": 3}
COMPRESSIONS = ["none", "zlib", "zstd"]
HEADER_SIZE = 16
# Offset of the BGV correction factor in an uncompressed ciphertext: header, parms_id, flag, three counts, scale.
CORRECTION_FACTOR_OFFSET = HEADER_SIZE + 32 + 1 + 3 * 8 + 8


class Unsupported(Exception):
    """The library cannot do what was asked; the answer's error starts with ``unsupported:``."""


def serve(handlers):
    """Answers requests until stdin ends. A failing request never ends the driver."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints must not mix with the protocol
    for line in sys.stdin:
        if not line.strip():
            continue
        out.write(json.dumps(answer(handlers, line), allow_nan=False) + "\n")
        out.flush()


def answer(handlers, line):
    try:
        request = json.loads(line)
        command = request.get("command")
        if command not in handlers:
            raise Unsupported(f"command {command!r}")
        return {"ok": True, **handlers[command](request)}
    except Unsupported as error:
        return {"ok": False, "error": f"unsupported: {error}"}
    except KeyError as error:
        return {"ok": False, "error": f"missing field {error}"}
    except Exception as error:  # the library's own text is what callers match on
        return {"ok": False, "error": f"{type(error).__name__}: {error}"}


class Parms:
    """Encryption parameters as plain numbers, with the library's own object beside them."""

    def __init__(self, native, scheme, degree, moduli, plain_modulus):
        self.native = native
        self.scheme = scheme
        self.degree = degree
        self.moduli = moduli
        self.plain_modulus = plain_modulus

    @property
    def slots(self):
        return self.degree // 2 if self.scheme == "ckks" else self.degree


class Session:
    """A context with what every command needs; adapters fill it."""

    def __init__(self, adapter, parms, security):
        self.adapter = adapter
        self.parms = parms
        self.context = adapter.context(parms, security)
        self.encoder = adapter.encoder(self)
        self.evaluator = adapter.evaluator(self)

    def load(self, kind, path):
        return self.adapter.load(self.context, kind, path)

    def encode(self, request):
        values, imaginary = request["values"], request.get("values_imag")
        if self.parms.scheme != "ckks":
            return self.adapter.encode_integers(self, [int(v) for v in values])
        scale = float(request["scale"])
        if imaginary is not None:
            values = [complex(a, b) for a, b in zip(values, imaginary, strict=True)]
            return self.adapter.encode_complex(self, values, scale)
        return self.adapter.encode_reals(self, [float(v) for v in values], scale)

    def decode(self, plain, want_complex=False):
        """The slots as JSON values: decimal strings (centred) for integers, numbers for CKKS."""
        if self.parms.scheme != "ckks":
            return {"values": [str(v) for v in self.adapter.decode_integers(self, plain)]}
        if not want_complex:
            return {"values": [float(v) for v in self.adapter.decode_reals(self, plain)]}
        slots = list(self.adapter.decode_complex(self, plain))
        return {"values": [float(v.real) for v in slots], "values_imag": [float(v.imag) for v in slots]}


class Commands:
    """The commands that every SEAL-like library offers."""

    def __init__(self, adapter):
        self.adapter = adapter
        self.kept = None

    def handlers(self):
        names = ["version", "make", "encrypt", "decrypt", "decode", "resave", "compute", "evaluate_all", "prng"]
        return {name: getattr(self, name) for name in names}

    def version(self, _request):
        """`seal_version` is the stamp in the headers that the library writes, not what its documentation says."""
        return {**self.adapter.version(), "seal_version": self.adapter.file_version()}

    def session(self, request):
        """Parameters come from a file (`parms`, or `dir`/parms.seal) or inline (`scheme`, `n`, ...)."""
        path = request.get("parms")
        if path is None and "n" not in request:
            path = os.path.join(request["dir"], "parms.seal")
        security = int(request.get("security", 0))
        if not path:
            return Session(self.adapter, self.adapter.build_parms(request), security)
        return self.kept_session(path, security)

    def kept_session(self, path, security):
        """The session of the last request if that had the same file: making a context takes longer than any operation."""
        with open(path, "rb") as file:
            key = (security, file.read())
        if self.kept is None or self.kept[0] != key:
            self.kept = (key, Session(self.adapter, self.adapter.load_parms(path), security))
        return self.kept[1]

    def make(self, request):
        session = self.session(request)
        writer = Writer(self.adapter, request["dir"], request.get("compression", self.adapter.default_compression))
        os.makedirs(request["dir"], exist_ok=True)
        keygen = self.adapter.keygen(session)
        writer.write("parms.seal", lambda: session.parms.native)
        writer.write("modulus.seal", lambda: self.adapter.modulus(session.parms.moduli[0]))
        secret, public = self.adapter.secret_key(keygen), self.adapter.public_key(keygen)
        writer.write("secret_key.seal", lambda: secret)
        writer.write("public_key.seal", lambda: public)
        writer.write("public_key.seeded.seal", lambda: self.adapter.public_key_seeded(keygen))
        if len(session.parms.moduli) > 1:
            make_switch_keys(session, writer, keygen, request.get("galois_steps"))
        plain = session.encode(request)
        writer.write("plain.seal", lambda: plain)
        encryptor = self.adapter.encryptor(session, public, secret)
        writer.write("cipher.seal", lambda: self.adapter.encrypt(encryptor, plain))
        writer.write("cipher.symmetric.seal", lambda: self.adapter.encrypt_symmetric(encryptor, plain))
        writer.write("cipher.symmetric.seeded.seal", lambda: self.adapter.encrypt_symmetric_seeded(encryptor, plain))
        return writer.report()

    def encrypt(self, request):
        """Encrypts `values` (or a `plain` file) under a key file; symmetric when only `secret_key` is given."""
        session = self.session(request)
        plain = session.load("plain", request["plain"]) if "plain" in request else session.encode(request)
        public, secret = (
            session.load(kind, request[kind]) if kind in request else None for kind in ("public_key", "secret_key")
        )
        encryptor = self.adapter.encryptor(session, public, secret)
        if public is not None:
            cipher = self.adapter.encrypt(encryptor, plain)
        elif request.get("seeded"):
            cipher = self.adapter.encrypt_symmetric_seeded(encryptor, plain)
        else:
            cipher = self.adapter.encrypt_symmetric(encryptor, plain)
        compression = request.get("compression", self.adapter.default_compression)
        self.adapter.save(cipher, request["out"], compression)
        return {"bytes": os.path.getsize(request["out"])}

    def decrypt(self, request):
        session = self.session(request)
        directory = request.get("dir", "")
        path = lambda kind: request.get(kind) or os.path.join(directory, f"{kind}.seal")
        secret = session.load("secret_key", path("secret_key"))
        cipher = session.load("cipher", path("cipher"))
        decryptor = self.adapter.decryptor(session, secret)
        answer = session.decode(self.adapter.decrypt(decryptor, cipher), request.get("complex", False))
        return {**answer, **self.adapter.describe(session, cipher), "noise_budget": budget(session, decryptor, cipher)}

    def decode(self, request):
        session = self.session(request)
        plain = session.load("plain", request["plain"])
        return {**session.decode(plain, request.get("complex", False)), **self.adapter.describe_plain(plain)}

    def resave(self, request):
        """Loads an object of `kind` from `in` and saves it to `out`. Seeded objects come out in full."""
        kind, source = request["kind"], request["in"]
        if kind == "parms":
            loaded = self.adapter.load_parms(source).native
        elif kind == "modulus":
            loaded = self.adapter.load_modulus(source)
        else:
            loaded = self.session(request).load(kind, source)
        self.adapter.save(loaded, request["out"], request.get("compression", self.adapter.default_compression))
        return {"bytes": os.path.getsize(request["out"])}

    def compute(self, request):
        session = self.session(request)
        inputs = [session.load("cipher", path) for path in request["inputs"]]
        result = evaluate(session, request, inputs)
        self.adapter.save(result, request["out"], request.get("compression", self.adapter.default_compression))
        return {**self.adapter.describe(session, result), "bytes": os.path.getsize(request["out"])}

    def evaluate_all(self, request):
        return EvaluateAll(self.session(request), request).run()

    def prng(self, request):
        """The first `count` 64-bit words that SEAL's generator `prng` expands from `seed` (8 words)."""
        words = self.adapter.prng(request["prng"], [int(word) for word in request["seed"]], int(request["count"]))
        return {"words": [str(word) for word in words]}


def make_switch_keys(session, writer, keygen, steps):
    """`steps`: null for SEAL's default set, a list of rotation steps (0 = columns or conjugate), [] for none."""
    adapter = session.adapter
    writer.write("relin_keys.seal", lambda: adapter.relin_keys(keygen))
    writer.write("relin_keys.seeded.seal", lambda: adapter.relin_keys_seeded(keygen))
    if steps != []:
        writer.write("galois_keys.seal", lambda: adapter.galois_keys(session, keygen, steps))
        writer.write("galois_keys.seeded.seal", lambda: adapter.galois_keys_seeded(session, keygen, steps))


class Writer:
    """Saves objects into one directory and remembers what the library could not make."""

    def __init__(self, adapter, directory, compression):
        if compression not in adapter.compressions:
            raise Unsupported(f"saving with compression {compression}; this library offers {adapter.compressions}")
        self.adapter = adapter
        self.directory = directory
        self.compression = compression
        self.files = {}
        self.missing = {}

    def write(self, name, make):
        path = os.path.join(self.directory, name)
        try:
            self.adapter.save(make(), path, self.compression)
            self.files[name] = os.path.getsize(path)
        except Unsupported as reason:
            self.missing[name] = f"unsupported: {reason}"

    def report(self):
        return {"files": self.files, "missing": self.missing, "compression": self.compression}


def evaluate(session, request, inputs):
    """One evaluator operation on loaded ciphertexts."""
    adapter, op = session.adapter, request["op"]
    if op in ("add", "sub", "multiply"):
        return adapter.binary(session, op, inputs[0], inputs[1])
    if op in ("negate", "square", "to_ntt", "from_ntt"):
        return adapter.unary(session, op, inputs[0])
    if op in ("rescale", "mod_switch"):
        return adapter.unary(session, op, inputs[0])
    if op == "mod_reduce":
        raise Unsupported("mod_reduce is not bound by this library")
    if op == "add_many":
        return adapter.add_many(session, inputs)
    if op in ("add_plain", "sub_plain", "multiply_plain"):
        plain = session.load("plain", request["plain"]) if "plain" in request else session.encode(request)
        return adapter.binary(session, op, inputs[0], plain)
    if op in ("relinearize", "exponentiate"):
        keys = session.load("relin_keys", request["relin_keys"])
        if op == "relinearize":
            return adapter.relinearize(session, inputs[0], keys)
        return adapter.exponentiate(session, inputs[0], int(request["exponent"]), keys)
    if op in ("rotate", "rotate_columns", "conjugate", "apply_galois"):
        keys = session.load("galois_keys", request["galois_keys"])
        argument = {"rotate": "steps", "apply_galois": "element"}.get(op)
        return adapter.galois(session, op, inputs[0], int(request[argument]) if argument else None, keys)
    raise Unsupported(f"operation {op!r}")


def budget(session, decryptor, cipher):
    """SEAL's invariant noise budget in bits; CKKS has none."""
    return None if session.parms.scheme == "ckks" else session.adapter.noise_budget(decryptor, cipher)


class EvaluateAll:
    """Uses every object of a directory that another library wrote and decrypts what comes out.

    `values` is what `cipher` holds. Each result is compared with the plain computation; CKKS within `tolerance`.
    """

    def __init__(self, session, request):
        self.session = session
        self.request = request
        self.directory = request["dir"]
        self.tolerance = float(request.get("tolerance", 1e-3))
        self.results, self.correct, self.info, self.missing = {}, {}, {}, []

    def run(self):
        session, adapter = self.session, self.session.adapter
        secret, cipher = self.load("secret_key"), self.load("cipher")
        self.decryptor = adapter.decryptor(session, secret)
        values = self.padded([int(v) if self.exact else float(v) for v in self.request["values"]])
        self.check("decrypt", cipher, values)
        self.encrypted(cipher, values)
        self.multiply(cipher, values)
        self.rotate(cipher, values)
        return {
            "results": self.results, "correct": self.correct, "info": self.info,
            "missing": self.missing, "all_correct": all(self.correct.values()),
        }

    @property
    def exact(self):
        return self.session.parms.scheme != "ckks"

    def encrypted(self, cipher, values):
        session, adapter = self.session, self.session.adapter
        for name in ("cipher.symmetric", "cipher.symmetric.seeded"):
            if loaded := self.load(name, "cipher", optional=True):
                self.check(name, loaded, values)
        for name in ("public_key", "public_key.seeded"):
            if public := self.load(name, "public_key", optional=True):
                encryptor = adapter.encryptor(session, public, None)
                self.check(f"encrypt with {name}", adapter.encrypt(encryptor, session.encode(self.request)), values)
        if plain := self.load("plain", optional=True):
            self.record("decode", session.decode(plain)["values"], values)
            self.check("add_plain", adapter.binary(session, "add_plain", cipher, plain), [2 * v for v in values])

    def multiply(self, cipher, values):
        session, adapter = self.session, self.session.adapter
        squares = [v * v for v in values]
        product = adapter.binary(session, "multiply", cipher, cipher)
        self.check("multiply", product, squares)
        for name in ("relin_keys", "relin_keys.seeded"):
            keys = self.load(name, "relin_keys", optional=True)
            if not keys:
                continue
            result = adapter.relinearize(session, product, keys)
            self.check(f"multiply + relinearize ({name})", result, squares)
            if len(session.parms.moduli) > 2:
                step = "mod_switch" if self.exact else "rescale"
                self.check(f"multiply + relinearize ({name}) + {step}", adapter.unary(session, step, result), squares)

    def rotate(self, cipher, values):
        session, adapter = self.session, self.session.adapter
        row = session.parms.degree // 2
        for name in ("galois_keys", "galois_keys.seeded"):
            keys = self.load(name, "galois_keys", optional=True)
            if not keys:
                continue
            for steps in self.request.get("galois_steps") or [1]:
                if steps:
                    rows = [values[i : i + row] for i in range(0, len(values), row)]
                    want = [v for r in rows for v in r[steps:] + r[:steps]]
                    rotated = adapter.galois(session, "rotate", cipher, steps, keys)
                    self.check(f"rotate {steps} ({name})", rotated, want)
                    continue
                op = "rotate_columns" if self.exact else "conjugate"
                want = values[row:] + values[:row] if self.exact else values
                self.check(f"{op} ({name})", adapter.galois(session, op, cipher, None, keys), want)

    def load(self, name, kind=None, optional=False):
        path = os.path.join(self.directory, f"{name}.seal")
        if optional and not os.path.exists(path):
            self.missing.append(name)
            return None
        return self.session.load(kind or name, path)

    def padded(self, values):
        return values + [0] * (self.session.parms.slots - len(values))

    def check(self, name, cipher, want):
        adapter = self.session.adapter
        self.record(name, self.session.decode(adapter.decrypt(self.decryptor, cipher))["values"], want)
        noise = budget(self.session, self.decryptor, cipher)
        self.info[name] = {**adapter.describe(self.session, cipher), "noise_budget": noise}

    def record(self, name, got, want):
        shown = len(self.request["values"])
        self.results[name] = got[:shown]
        if self.exact:
            modulus = self.session.parms.plain_modulus
            self.correct[name] = all((int(a) - b) % modulus == 0 for a, b in zip(got, want, strict=True))
        else:
            self.correct[name] = all(abs(a - b) <= self.tolerance for a, b in zip(got, want, strict=True))


def file_compression(path):
    """The compression that a file's outer SEAL header names, or None when it is no SEAL file."""
    with open(path, "rb") as file:
        header = file.read(HEADER_SIZE)
    if len(header) < HEADER_SIZE or header[:2] != b"\x5e\xa1" or header[5] >= len(COMPRESSIONS):
        return None
    return COMPRESSIONS[header[5]]


def correction_factor(uncompressed):
    """The BGV correction factor of a serialized, uncompressed ciphertext."""
    return int.from_bytes(uncompressed[CORRECTION_FACTOR_OFFSET : CORRECTION_FACTOR_OFFSET + 8], "little")
