"""The operations of suite `he-benchmark`, as far as its published times tell what they cover.

`encrypt`, `add_plain` and `multiply_plain` encode, `decrypt` decodes, products in CKKS are rescaled, and products of
ciphertexts relinearized; rows with a suffix leave that out. A row is checked over `runs` fresh inputs, all slots. The
answer has the mean absolute percentage error as `error`, a fraction of 1, and the `bytes` of a fresh ciphertext.
"""

import random

import numpy
import seal

from seal_timing import Row, TimingSession


class Repeats(TimingSession):
    def __init__(self, adapter, request):
        super().__init__(adapter, request)
        self.runs = int(request.get("runs", 100))
        self.source = random.Random(1)
        self.inputs = self.draw()
        rescale = "" if self.exact else ", rescale"
        add, multiply = lambda x, y: x + y, lambda x, y: x * y
        evaluator = self.evaluator
        rows = {
            "encrypt": (self.encrypt, "x", lambda x, _: x, "encode, encrypt under the public key"),
            "add_plain": (self.add_plain, "cy", add, "encode, add to a new ciphertext"),
            "add_plain_encoded": (evaluator.add_plain, "cp", add, "to a new ciphertext"),
            "add": (evaluator.add, "cd", add, "to a new ciphertext"),
            "multiply_plain": (self.multiply_plain, "cy", multiply, f"encode, multiply{rescale}"),
            "multiply_plain_encoded": (self.multiply_plain_encoded, "cp", multiply, f"multiply{rescale}"),
            "multiply": (self.multiply, "cd", multiply, f"multiply, relinearize{rescale}"),
            "multiply_only": (evaluator.multiply, "cd", multiply, "multiply to a new ciphertext"),
            "decrypt": (self.decrypt, "c", lambda x, _: x, "decrypt, decode to a new numpy array"),
        }
        self.table = {name: self.measured(name, *row) for name, row in rows.items()}

    def draw(self):
        """Fresh values `x` and `y` with their encryptions `c` and `d`, and `p`, the encoded `y`."""
        slots, draw = self.encoder.slot_count(), self.source
        if self.exact:
            values = [[draw.randint(0, 100) for _ in range(slots)] for _ in range(2)]
            x, y = (seal.VectorInt(row) for row in values)
        else:
            values = [[draw.random() for _ in range(slots)] for _ in range(2)]
            x, y = (seal.VectorDouble(row) for row in values)
        inputs = {"x": x, "y": y, "values": [numpy.array(row, dtype=numpy.float64) for row in values]}
        inputs["p"] = self.encode(y)
        inputs["c"], inputs["d"] = self.encrypt(x), self.encryptor.encrypt(inputs["p"])
        return inputs

    def measured(self, name, call, names, wanted, form):
        """A row that calls with the inputs of these names."""
        operands = lambda: tuple(self.inputs[letter] for letter in names)

        def verify(_operands, returned):
            errors = []
            for run in range(self.runs):
                if run:
                    self.inputs = self.draw()
                    returned = call(*operands())
                want = wanted(*self.inputs["values"])
                got = returned if isinstance(returned, numpy.ndarray) else self.decrypt(returned)
                distances, nonzero = numpy.abs(got.astype(numpy.float64) - want), want != 0
                # The mean is what is published; no single value may be wrong either.
                errors.append(float(numpy.mean(distances[nonzero] / numpy.abs(want[nonzero]))))
                if not numpy.all(distances <= self.tolerance):
                    return False
            self.findings[name] = {"error": sum(errors) / len(errors), "bytes": self.inputs["c"].save_size()}
            return True

        return Row(call, operands, verify, form)

    def encode(self, values):
        plain = seal.Plaintext()
        self.encoder.encode(*((values,) if self.exact else (values, self.scale)), plain)
        return plain

    def encrypt(self, values):
        return self.encryptor.encrypt(self.encode(values))

    def decrypt(self, cipher):
        return self.encoder.decode(self.decryptor.decrypt(cipher))

    def add_plain(self, cipher, values):
        return self.evaluator.add_plain(cipher, self.encode(values))

    def multiply_plain(self, cipher, values):
        return self.multiply_plain_encoded(cipher, self.encode(values))

    def multiply_plain_encoded(self, cipher, plain):
        return self.rescaled(self.evaluator.multiply_plain(cipher, plain))

    def multiply(self, a, b):
        product = self.evaluator.multiply(a, b)
        self.evaluator.relinearize_inplace(product, self.relin)
        return self.rescaled(product)

    def rescaled(self, product):
        if not self.exact:
            self.evaluator.rescale_to_next_inplace(product)
        return product
