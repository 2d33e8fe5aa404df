"""The rows of suite `seal`: every call of SEAL that its own benchmark times, as far as the wheel binds it.

An operation comes as `name`, which returns a new ciphertext, and as `name_assign`, in place. Evaluator operands are
encrypted under the secret key, so that they decrypt even at n = 1024, where a public key leaves hardly a bit.
"""

import math
import random

import seal

from peer_protocol import Session
from seal_timing import Row, TimingSession

TO_NEW = "to a new ciphertext"
IN_PLACE = "in place, on a copy made before the clock starts"


class SealRows(TimingSession):
    """Operands and rows for one parameter set of suite `seal`."""

    def __init__(self, adapter, request):
        super().__init__(adapter, request)
        self.galois = self.galois_keys([1, 0]) if self.switchable else None
        self.make_operands()
        self.table = {**self.key_rows(), **self.coding_rows(), **self.arithmetic_rows(), **self.switching_rows()}

    def make_operands(self):
        source = random.Random(1)
        modulus, slots = self.parms.plain_modulus, self.parms.slots
        if self.exact:
            draw = lambda: source.randrange(-(modulus // 2), (modulus + 1) // 2)
            self.a, self.b = ([draw() for _ in range(slots)] for _ in range(2))
            self.vectors = [(seal.VectorInt(values),) for values in (self.a, self.b)]
        else:
            self.a, self.b = ([source.uniform(-1, 1) for _ in range(slots)] for _ in range(2))
            self.vectors = [(seal.VectorDouble(values), self.scale) for values in (self.a, self.b)]
        self.plain, self.plain_b = self.encode(0), self.encode(1)
        self.cipher = self.encryptor.encrypt_symmetric(self.plain)
        self.cipher_b = self.encryptor.encrypt_symmetric(self.plain_b)

    def encode(self, index):
        plain = seal.Plaintext()
        self.encoder.encode(*self.vectors[index], plain)
        return plain

    def decode(self, plain):
        return self.encoder.decode(plain)

    def product(self, a, b):
        return [x * y for x, y in zip(a, b, strict=True)]

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
                lambda operands, _: self.same(self.decode(operands[1]), self.a),
                "into a plaintext that is reused",
            ),
            "encode": Row(
                self.encoder.encode, lambda: (*self.vectors[0], encoded),
                lambda _operands, _: self.same(self.decode(encoded), self.a),
                f"from the wheel's {vector} (a std::vector, nothing is converted) into a plaintext that is reused",
            ),
            "decode": Row(
                self.encoder.decode, lambda: (self.plain,), lambda _, returned: self.same(returned, self.a),
                "to a new numpy array: the wheel decodes to a std::vector and then converts it",
            ),
        }

    def arithmetic_rows(self):
        """Both forms of each operation; `multiply` and `square` in place have room for the third polynomial."""
        a, b, evaluator = self.a, self.b, self.evaluator
        both = list(zip(a, b, strict=True))
        wanted = {
            "negate": ((), [-x for x in a]),
            "add": ((self.cipher_b,), [x + y for x, y in both]),
            "sub": ((self.cipher_b,), [x - y for x, y in both]),
            "add_plain": ((self.plain_b,), [x + y for x, y in both]),
            "sub_plain": ((self.plain_b,), [x - y for x, y in both]),
            "multiply_plain": ((self.plain_b,), self.product(a, b)),
            "multiply": ((self.cipher_b,), self.product(a, b)),
            "square": ((), self.product(a, a)),
        }
        rows = {}
        for name, (rest, want) in wanted.items():
            rows.update(self.both_forms(name, name, self.cipher, rest, want))
        sized = "in place, on a fresh ciphertext that has room for the third polynomial"
        for name in ("multiply", "square"):
            row, rest = rows[f"{name}_assign"], wanted[name][0]
            row.prepare, row.form = lambda rest=rest: (self.fresh(), *rest), sized
        return {**rows, **self.transform_rows()}

    def both_forms(self, name, method, operand, rest, want, form=None):
        """The rows `name` and `name_assign` of an evaluator's `method`."""
        note = f"{form}; " if form else ""
        return {
            name: Row(
                getattr(self.evaluator, method), lambda: (operand, *rest),
                lambda _, returned: self.decrypts_to(returned, want), note + TO_NEW,
            ),
            f"{name}_assign": Row(
                getattr(self.evaluator, f"{method}_inplace"), self.with_copy(operand, *rest), self.verify_first(want),
                note + IN_PLACE,
            ),
        }

    def transform_rows(self):
        """A ciphertext transform is one transform for each of its two polynomials and each data prime."""
        evaluator, first = self.evaluator, self.context.first_parms_id()
        forms = self.forms(self.cipher)
        form = f"both polynomials, all data primes; {IN_PLACE}"
        to_ntt, from_ntt = evaluator.transform_to_ntt_inplace, evaluator.transform_from_ntt_inplace
        rows = {
            "to_ntt_assign": Row(to_ntt, self.with_copy(forms[0]), self.verify_transform, form),
            "from_ntt_assign": Row(from_ntt, self.with_copy(forms[1]), self.verify_transform, form),
        }
        if self.exact:
            rows["plain_to_ntt"] = Row(
                to_ntt, lambda: (seal.Plaintext(self.plain_b), first), self.verify_plain_transform,
                f"lift and transform of one plaintext, all data primes; {IN_PLACE}",
            )
        last = seal.Ciphertext(self.cipher)
        self.evaluator.mod_switch_to_inplace(last, self.context.last_parms_id())
        forms = self.forms(last)
        form = f"half the time of a ciphertext of two polynomials under one prime; {IN_PLACE}"
        rows["ntt_forward_one_prime"] = Row(to_ntt, self.with_copy(forms[0]), self.verify_transform, form, 2)
        rows["ntt_inverse_one_prime"] = Row(from_ntt, self.with_copy(forms[1]), self.verify_transform, form, 2)
        return rows

    def forms(self, cipher):
        """A ciphertext as coefficients and transformed."""
        as_coefficients, transformed = seal.Ciphertext(cipher), seal.Ciphertext(cipher)
        if cipher.is_ntt_form():
            self.evaluator.transform_from_ntt_inplace(as_coefficients)
        else:
            self.evaluator.transform_to_ntt_inplace(transformed)
        return as_coefficients, transformed

    def switching_rows(self):
        rows, evaluator = {}, self.evaluator
        if not self.switchable:
            return rows
        products = self.product(self.a, self.b)
        product = evaluator.multiply(self.cipher, self.cipher_b)
        rows.update(self.both_forms("relinearize", "relinearize", product, (self.relin,), products))
        if len(self.parms.moduli) > 2:
            rows.update(self.both_forms("mod_switch", "mod_switch_to_next", self.cipher, (), self.a))
            if not self.exact:
                relinearized = evaluator.relinearize(product, self.relin)
                rows.update(self.both_forms("rescale", "rescale_to_next", relinearized, (), products))
                rows["multiply_relinearize_rescale"] = self.fused_row(products)
        halves = self.halves()
        turned = [value for half in halves for value in half[1:] + half[:1]]
        flipped = [value for half in reversed(halves) for value in half]
        turn, flip = ("rotate_rows", "rotate_columns") if self.exact else ("rotate_vector", "complex_conjugate")
        rows.update(self.both_forms("rotate", turn, self.cipher, (1, self.galois), turned, "one step"))
        name = "rotate_columns" if self.exact else "conjugate"
        rows.update(self.both_forms(name, flip, self.cipher, (self.galois,), flipped))
        if not self.exact:
            rows["rotate_many"] = self.rotations_row()
        return rows

    def fused_row(self, products):
        multiply, relin = self.evaluator.multiply, self.relin
        relinearize, rescale = self.evaluator.relinearize_inplace, self.evaluator.rescale_to_next_inplace

        def fused(a, b):
            product = multiply(a, b)
            relinearize(product, relin)
            rescale(product)
            return product

        return Row(
            fused, lambda: (self.cipher, self.cipher_b), lambda _, returned: self.decrypts_to(returned, products),
            "three calls: multiply to a new ciphertext, the others in place",
        )

    def rotations_row(self):
        """Eight rotations of one ciphertext, which SEAL does one after the other."""
        steps = list(range(1, 9))
        keys, rotate = self.galois_keys(steps), self.evaluator.rotate_vector
        return Row(
            lambda cipher: [rotate(cipher, step, keys) for step in steps], lambda: (self.cipher,),
            lambda _, returned: all(
                self.decrypts_to(rotated, self.a[step:] + self.a[:step])
                for step, rotated in zip(steps, returned, strict=True)
            ),
            "eight calls, steps 1 to 8, each to a new ciphertext",
        )

    # Operands

    def with_copy(self, cipher, *rest):
        return lambda: (seal.Ciphertext(cipher), *rest)

    def with_cipher(self, plain):
        destination = seal.Ciphertext()
        return lambda: (plain, destination)

    def fresh(self):
        """An encryption of `a` whose buffer holds three polynomials, so that a product reallocates nothing."""
        cipher = seal.Ciphertext(self.context, self.context.first_parms_id(), 3)
        self.encryptor.encrypt_symmetric(self.plain, cipher)
        return cipher

    # Checks

    def same(self, got, want):
        if len(got) != len(want):
            return False
        if self.exact:
            modulus = self.parms.plain_modulus
            return all((int(x) - y) % modulus == 0 for x, y in zip(got, want))
        errors = [abs(x - y) for x, y in zip(got, want)]
        mean_square = math.fsum(error * error for error in errors) / len(errors)
        return math.sqrt(mean_square) <= self.tolerance and max(errors) <= 8 * self.tolerance

    def decrypts_to(self, cipher, want, decryptor=None):
        plain = (decryptor or self.decryptor).decrypt(cipher)
        return self.same(self.decode(plain), want)

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

    def verify_plain_transform(self, operands, _):
        """A transformed plaintext is right if a product with it is."""
        product = self.evaluator.multiply_plain(self.forms(self.cipher)[1], operands[0])
        if not self.cipher.is_ntt_form():
            self.evaluator.transform_from_ntt_inplace(product)
        return self.decrypts_to(product, self.product(self.a, self.b))

    def verify_keygen(self, _operands, keygen):
        secret = keygen.secret_key()
        cipher = seal.Encryptor(self.context, secret).encrypt_symmetric(self.plain)
        return self.decrypts_to(cipher, self.a, seal.Decryptor(self.context, secret))

    def verify_public(self, operands, _):
        return self.decrypts_to(seal.Encryptor(self.context, operands[0]).encrypt(self.plain), self.a)

    def verify_relin(self, operands, _):
        product = self.evaluator.multiply(self.cipher, self.cipher_b)
        return self.decrypts_to(self.evaluator.relinearize(product, operands[0]), self.product(self.a, self.b))

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


class PolynomialRows(SealRows):
    """Plaintexts that are polynomials and not slots, for a plain modulus too small for batching.

    At n = 1024 and a prime of 27 bits no product of two ciphertexts decrypts under a modulus that allows batching.
    The time of a product does not depend on the plain modulus, so there it is checked and timed under a small one.
    """

    def make_session(self, adapter, request):
        adapter = WithoutEncoder(adapter)
        return Session(adapter, adapter.build_parms(request), int(request.get("security", 0)))

    def make_operands(self):
        source, modulus = random.Random(1), self.parms.plain_modulus
        self.a, self.b = ([source.randrange(modulus) for _ in range(self.parms.degree)] for _ in range(2))
        self.plain, self.plain_b = (self.polynomial(values) for values in (self.a, self.b))
        self.cipher = self.encryptor.encrypt_symmetric(self.plain)
        self.cipher_b = self.encryptor.encrypt_symmetric(self.plain_b)

    def polynomial(self, coefficients):
        terms = [f"{value:X}x^{power}" if power else f"{value:X}" for power, value in enumerate(coefficients) if value]
        return seal.Plaintext(" + ".join(reversed(terms)))

    def decode(self, plain):
        values = [0] * self.parms.degree
        for term in plain.to_string().split(" + "):
            value, _, power = term.partition("x^")
            values[int(power or 0)] = int(value, 16)
        return values

    def coding_rows(self):
        return {}

    def product(self, a, b):
        """Modulo X^n + 1, by one product of integers that have the coefficients as digits."""
        digit = 2 * self.parms.plain_modulus.bit_length() + self.parms.degree.bit_length()
        width, n = -(-digit // 8), self.parms.degree
        pack = lambda values: int.from_bytes(b"".join(value.to_bytes(width, "little") for value in values), "little")
        packed = (pack(a) * pack(b)).to_bytes(2 * n * width, "little")
        wide = [int.from_bytes(packed[i * width : (i + 1) * width], "little") for i in range(2 * n)]
        return [low - high for low, high in zip(wide[:n], wide[n:], strict=True)]


class WithoutEncoder:
    """An adapter whose sessions have no encoder."""

    def __init__(self, adapter):
        self.adapter = adapter

    def __getattr__(self, name):
        return getattr(self.adapter, name)

    def encoder(self, _session):
        return None


def seal_session(adapter, request):
    """The session of suite `seal` that suits the plain modulus."""
    batching = request["scheme"] == "ckks" or int(request["plain_modulus"]) % (2 * int(request["n"])) == 1
    return (SealRows if batching else PolynomialRows)(adapter, request)
