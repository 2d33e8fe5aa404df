"""Times single calls of the `seal-python` wheel, with keys and operands kept alive between requests.

A session is keyed by its parameters, so that another program can ask for a few iterations at a time and interleave
them with its own. A row is one call of the wheel; its operands are made, and what it returned before is freed, before
the clock starts. One thread. The correctness of a row is checked once per session, before timing.
"""

import gc
import math
import random
from time import perf_counter_ns

import seal

from peer_protocol import Session, Unsupported

IN_PLACE = "in place, on a copy made before the clock starts"


class Row:
    """`call(*prepare())` is what is timed; `verify(operands, returned)` says whether it did its work."""

    def __init__(self, call, prepare, verify, form):
        self.call = call
        self.prepare = prepare
        self.verify = verify
        self.form = form


class Timing:
    """The commands `time`, `time_rows` and `time_reset`."""

    def __init__(self, commands):
        self.adapter = commands.adapter
        self.sessions = {}

    def handlers(self):
        return {"time": self.time, "time_rows": self.time_rows, "time_reset": self.time_reset}

    def time(self, request):
        session, name = self.session(request), request["row"]
        row = session.row(name)
        if request.get("check", True):
            session.check(name, row, float(request.get("tolerance", 1e-2)))
        samples = measure(row, int(request.get("warmup", 1)), int(request.get("iterations", 10)))
        return {
            "row": name, "nanoseconds": samples, "form": row.form,
            "checked": name in session.checked, "call_overhead_ns": session.overhead,
        }

    def time_rows(self, request):
        session = self.session(request)
        return {"rows": {name: session.row(name).form for name in session.names()}}

    def time_reset(self, _request):
        self.sessions.clear()
        gc.collect()
        return {}

    def session(self, request):
        key = tuple(
            str(request.get(field)) for field in ("scheme", "n", "coeff_modulus", "plain_modulus", "security", "scale")
        )
        if key not in self.sessions:
            self.sessions[key] = TimingSession(self.adapter, request)
        return self.sessions[key]


def measure(row, warmup, iterations):
    """Nanoseconds of each timed call; Python's cycle collector is off so that it cannot run inside one."""
    call, prepare, samples = row.call, row.prepare, []
    gc.disable()
    try:
        for index in range(warmup + iterations):
            operands = prepare()
            start = perf_counter_ns()
            returned = call(*operands)
            end = perf_counter_ns()
            if index >= warmup:
                samples.append(end - start)
            returned = operands = None  # freed here, not when the next call overwrites it
    finally:
        gc.enable()
    return samples


class TimingSession:
    """Keys, encoders and operands of one parameter set."""

    def __init__(self, adapter, request):
        self.session = Session(adapter, adapter.build_parms(request), int(request.get("security", 0)))
        self.parms = self.session.parms
        self.context = self.session.context
        self.evaluator = self.session.evaluator
        self.encoder = self.session.encoder
        self.exact = self.parms.scheme != "ckks"
        self.switchable = len(self.parms.moduli) > 1
        self.checked = set()
        self.make_keys()
        self.make_operands(request.get("scale"))
        self.table = {**self.key_rows(), **self.coding_rows(), **self.arithmetic_rows(), **self.switching_rows()}
        empty = Row(self.cipher.size, tuple, None, "")
        self.overhead = sorted(measure(empty, 10, 101))[50]

    def make_keys(self):
        self.keygen = seal.KeyGenerator(self.context)
        self.public, self.secret = self.keygen.create_public_key(), self.keygen.secret_key()
        self.encryptor = seal.Encryptor(self.context, self.public, self.secret)
        self.decryptor = seal.Decryptor(self.context, self.secret)
        if self.switchable:
            self.relin = self.keygen.create_relin_keys()
            self.galois = seal.GaloisKeys()
            self.keygen.create_galois_keys([1, 0], self.galois)

    def make_operands(self, scale):
        source = random.Random(1)
        modulus, slots = self.parms.plain_modulus, self.parms.slots
        if self.exact:
            draw = lambda: source.randrange(-(modulus // 2), (modulus + 1) // 2)
            self.a, self.b = ([draw() for _ in range(slots)] for _ in range(2))
            self.vectors = [(seal.VectorInt(values),) for values in (self.a, self.b)]
        else:
            data = self.parms.moduli[:-1] if self.switchable else self.parms.moduli
            bits = int(math.log2(math.prod(data)))
            self.scale = float(scale) if scale else 2.0 ** min(40, (bits - 8) // 2)
            self.a, self.b = ([source.uniform(-1, 1) for _ in range(slots)] for _ in range(2))
            self.vectors = [(seal.VectorDouble(values), self.scale) for values in (self.a, self.b)]
        self.plain, self.plain_b = (self.encode(vector) for vector in self.vectors)
        self.cipher = self.encryptor.encrypt(self.plain)
        self.cipher_b = self.encryptor.encrypt(self.plain_b)

    def encode(self, vector):
        plain = seal.Plaintext()
        self.encoder.encode(*vector, plain)
        return plain

    def names(self):
        return list(self.table)

    def row(self, name):
        if name not in self.table:
            raise Unsupported(f"row {name!r} for these parameters; there are {self.names()}")
        return self.table[name]

    def check(self, name, row, tolerance):
        if name in self.checked:
            return
        self.tolerance = tolerance
        operands = row.prepare()
        if not row.verify(operands, row.call(*operands)):
            raise ValueError(f"row {name!r} computed a wrong result; nothing was timed")
        self.checked.add(name)

    # Rows

    def key_rows(self):
        public, relin, galois = seal.PublicKey(), seal.RelinKeys(), seal.GaloisKeys()
        reused = "into a destination that is reused"
        rows = {
            "keygen_secret": Row(
                seal.KeyGenerator, lambda: (self.context,), self.verify_keygen,
                "the constructor of KeyGenerator, which samples the key",
            ),
            "keygen_public": Row(self.keygen.create_public_key, lambda: (public,), self.verify_public, reused),
            "encrypt_public": Row(
                self.encryptor.encrypt, self.with_cipher(self.plain), self.verify_last(self.a), reused
            ),
            "encrypt_symmetric": Row(
                self.encryptor.encrypt_symmetric, self.with_cipher(self.plain), self.verify_last(self.a), reused
            ),
        }
        if self.switchable:
            rows["keygen_relin"] = Row(self.keygen.create_relin_keys, lambda: (relin,), self.verify_relin, reused)
            rows["keygen_galois"] = Row(
                self.keygen.create_galois_keys, lambda: ([1], galois), self.verify_galois, f"one step, {reused}"
            )
        return rows

    def coding_rows(self):
        plain, encoded = seal.Plaintext(), seal.Plaintext()
        vector = "VectorInt" if self.exact else "VectorDouble"
        return {
            "decrypt": Row(
                self.decryptor.decrypt, lambda: (self.cipher, plain),
                lambda operands, _: self.same(self.encoder.decode(operands[1]), self.a),
                "into a plaintext that is reused",
            ),
            "encode": Row(
                self.encoder.encode, lambda: (*self.vectors[0], encoded),
                lambda _operands, _: self.same(self.encoder.decode(encoded), self.a),
                f"from the wheel's {vector} (a std::vector, nothing is converted) into a plaintext that is reused",
            ),
            "decode": Row(
                self.encoder.decode, lambda: (self.plain,), lambda _, returned: self.same(returned, self.a),
                "to a new numpy array: the wheel decodes to a std::vector and then converts it",
            ),
        }

    def arithmetic_rows(self):
        a, b = self.a, self.b
        both = list(zip(a, b, strict=True))
        evaluator = self.evaluator
        sized = "in place, on a fresh ciphertext that has room for the third polynomial"
        pairs = {
            "negate": (evaluator.negate_inplace, (), [-x for x in a]),
            "add": (evaluator.add_inplace, (self.cipher_b,), [x + y for x, y in both]),
            "sub": (evaluator.sub_inplace, (self.cipher_b,), [x - y for x, y in both]),
            "add_plain": (evaluator.add_plain_inplace, (self.plain_b,), [x + y for x, y in both]),
            "sub_plain": (evaluator.sub_plain_inplace, (self.plain_b,), [x - y for x, y in both]),
            "multiply_plain": (evaluator.multiply_plain_inplace, (self.plain_b,), [x * y for x, y in both]),
        }
        rows = {
            name: Row(call, self.with_copy(self.cipher, *rest), self.verify_first(want), IN_PLACE)
            for name, (call, rest, want) in pairs.items()
        }
        rows["multiply"] = Row(
            evaluator.multiply_inplace, lambda: (self.fresh(), self.cipher_b),
            self.verify_first([x * y for x, y in both]), sized,
        )
        rows["square"] = Row(
            evaluator.square_inplace, lambda: (self.fresh(),), self.verify_first([x * x for x in a]), sized
        )
        rows.update(self.transform_rows())
        return rows

    def transform_rows(self):
        """A ciphertext transform is one transform for each of its two polynomials and each data prime."""
        evaluator, first = self.evaluator, self.context.first_parms_id()
        in_ntt, in_coefficients = seal.Ciphertext(self.cipher), seal.Ciphertext(self.cipher)
        if self.cipher.is_ntt_form():
            evaluator.transform_from_ntt_inplace(in_coefficients)
        else:
            evaluator.transform_to_ntt_inplace(in_ntt)
        form = f"both polynomials, all data primes; {IN_PLACE}"
        rows = {
            "to_ntt": Row(
                evaluator.transform_to_ntt_inplace, self.with_copy(in_coefficients), self.verify_transform, form
            ),
            "from_ntt": Row(evaluator.transform_from_ntt_inplace, self.with_copy(in_ntt), self.verify_transform, form),
        }
        if self.exact:
            rows["plain_to_ntt"] = Row(
                evaluator.transform_to_ntt_inplace, lambda: (seal.Plaintext(self.plain), first),
                lambda operands, _: operands[0].is_ntt_form(),
                f"lift and transform of one plaintext, all data primes; {IN_PLACE}",
            )
        return rows

    def switching_rows(self):
        rows, evaluator = {}, self.evaluator
        if len(self.parms.moduli) > 2:
            rows["mod_switch"] = Row(
                evaluator.mod_switch_to_next_inplace, self.with_copy(self.cipher), self.verify_first(self.a), IN_PLACE
            )
        if not self.switchable:
            return rows
        product = evaluator.multiply(self.cipher, self.cipher_b)
        products = [x * y for x, y in zip(self.a, self.b, strict=True)]
        rows["relinearize"] = Row(
            evaluator.relinearize_inplace, self.with_copy(product, self.relin), self.verify_first(products), IN_PLACE
        )
        if not self.exact and len(self.parms.moduli) > 2:
            relinearized = evaluator.relinearize(product, self.relin)
            rows["rescale"] = Row(
                evaluator.rescale_to_next_inplace, self.with_copy(relinearized), self.verify_first(products), IN_PLACE
            )
        halves = self.halves()
        turned = [value for half in halves for value in half[1:] + half[:1]]
        turn = evaluator.rotate_rows_inplace if self.exact else evaluator.rotate_vector_inplace
        flip = evaluator.rotate_columns_inplace if self.exact else evaluator.complex_conjugate_inplace
        rows["rotate_rows" if self.exact else "rotate"] = Row(
            turn, self.with_copy(self.cipher, 1, self.galois), self.verify_first(turned), f"one step; {IN_PLACE}"
        )
        rows["rotate_columns" if self.exact else "conjugate"] = Row(
            flip, self.with_copy(self.cipher, self.galois),
            self.verify_first([value for half in reversed(halves) for value in half]), IN_PLACE,
        )
        return rows

    # Operands

    def with_copy(self, cipher, *rest):
        return lambda: (seal.Ciphertext(cipher), *rest)

    def with_cipher(self, plain):
        destination = seal.Ciphertext()
        return lambda: (plain, destination)

    def fresh(self):
        """An encryption of `a` whose buffer holds three polynomials, so that a product reallocates nothing."""
        cipher = seal.Ciphertext(self.context, self.context.first_parms_id(), 3)
        self.encryptor.encrypt(self.plain, cipher)
        return cipher

    # Checks

    def same(self, got, want):
        if len(got) != len(want):
            return False
        if self.exact:
            modulus = self.parms.plain_modulus
            return all((int(x) - y) % modulus == 0 for x, y in zip(got, want))
        return all(abs(x - y) <= self.tolerance for x, y in zip(got, want))

    def decrypts_to(self, cipher, want, decryptor=None):
        plain = (decryptor or self.decryptor).decrypt(cipher)
        return self.same(self.encoder.decode(plain), want)

    def verify_first(self, want):
        return lambda operands, _: self.decrypts_to(operands[0], want)

    def verify_last(self, want):
        return lambda operands, _: self.decrypts_to(operands[-1], want)

    def verify_transform(self, operands, _):
        cipher = seal.Ciphertext(operands[0])
        if cipher.is_ntt_form() == self.cipher.is_ntt_form():
            return self.decrypts_to(cipher, self.a)
        back = "transform_to_ntt_inplace" if self.cipher.is_ntt_form() else "transform_from_ntt_inplace"
        getattr(self.evaluator, back)(cipher)
        return self.decrypts_to(cipher, self.a)

    def verify_keygen(self, _operands, keygen):
        secret = keygen.secret_key()
        cipher = seal.Encryptor(self.context, secret).encrypt_symmetric(self.plain)
        return self.decrypts_to(cipher, self.a, seal.Decryptor(self.context, secret))

    def verify_public(self, operands, _):
        return self.decrypts_to(seal.Encryptor(self.context, operands[0]).encrypt(self.plain), self.a)

    def verify_relin(self, operands, _):
        product = self.evaluator.multiply(self.cipher, self.cipher_b)
        want = [x * y for x, y in zip(self.a, self.b, strict=True)]
        return self.decrypts_to(self.evaluator.relinearize(product, operands[0]), want)

    def verify_galois(self, operands, _):
        if self.exact:
            rotated = self.evaluator.rotate_rows(self.cipher, 1, operands[1])
        else:
            rotated = self.evaluator.rotate_vector(self.cipher, 1, operands[1])
        return self.decrypts_to(rotated, [value for half in self.halves() for value in half[1:] + half[:1]])

    def halves(self):
        """The rows of the slots of `a`: two for BFV and BGV, one for CKKS."""
        row = self.parms.degree // 2
        return [self.a[start : start + row] for start in range(0, len(self.a), row)]
