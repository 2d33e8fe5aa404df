"""The operations of suite `he-benchmark`, as far as its published times tell what they cover.

`encrypt`, `add_plain` and `multiply_plain` encode, `decrypt` decodes, products in CKKS are rescaled, and products of
ciphertexts relinearized; rows with a suffix leave that out. A row is checked by its mean absolute percentage error over
`runs` fresh inputs, all slots, as a fraction of 1; it is in the answer as `error`, beside `bytes` of a fresh ciphertext.
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
        self.table = {
            "encrypt": self.measured(self.encrypt, "x", lambda x, y: x, "encode, encrypt under the public key"),
            "add_plain": self.measured(self.add_plain, "cy", lambda x, y: x + y, "encode, add to a new ciphertext"),
            "add_plain_encoded": self.measured(self.evaluator.add_plain, "cp", lambda x, y: x + y, "to a new ciphertext"),
            "add": self.measured(self.evaluator.add, "cd", lambda x, y: x + y, "to a new ciphertext"),
            "multiply_plain": self.measured(self.multiply_plain, "cy", lambda x, y: x * y, self.product_form("encode, multiply")),
            "multiply_plain_encoded": self.measured(
                self.multiply_plain_encoded, "cp", lambda x, y: x * y, self.product_form("multiply")
            ),
            "multiply": self.measured(self.multiply, "cd", lambda x, y: x * y, self.product_form("multiply, relinearize")),
            "multiply_only": self.measured(self.evaluator.multiply, "cd", lambda x, y: x * y, "multiply to a new ciphertext"),
            "decrypt": self.measured(self.decrypt, "c", lambda x, y: x, "decrypt, decode to a new numpy array"),
        }

    def product_form(self, form):
        return form if self.exact else f"{form}, rescale"

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

    def measured(self, call, names, wanted, form):
        """A row that calls with the inputs of these names."""
        operands = lambda: tuple(self.inputs[name] for name in names)

        def verify(_operands, returned):
            errors = []
            for run in range(self.runs):
                if run:
                    self.inputs = self.draw()
                    returned = call(*operands())
                want = wanted(*self.inputs["values"])
                got = numpy.array(returned if isinstance(returned, numpy.ndarray) else self.decrypt(returned), dtype=numpy.float64)
                nonzero = want != 0
                errors.append(float(numpy.mean(numpy.abs(got - want)[nonzero] / numpy.abs(want)[nonzero])))
                # The mean is what is published; no single value may be wrong either.
                if not numpy.all(numpy.abs(got - want) <= self.tolerance):
                    return False
            name = next(key for key, row in self.table.items() if row.verify is verify)
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
