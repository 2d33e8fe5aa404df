"""The workloads of suite `h33`: six encrypted computations over all slots of a CKKS ciphertext, in SEAL's calls.

Inputs are the same values as on Phoca's side. A result is right when its largest error is at most `tolerance` times the
largest wanted value; the answer has the measured `error` in the same unit.
"""

import math

import numpy
import seal

from peer_protocol import Unsupported
from seal_timing import Row, TimingSession

DIMENSION = 64
BABY_STEPS = 8
POLYNOMIAL = (0.5, -0.3, 0.8, 0.6)


class Workloads(TimingSession):
    """Each workload is made, with the Galois keys that it needs, when it is first asked for."""

    def __init__(self, adapter, request):
        super().__init__(adapter, request)
        slots = self.encoder.slot_count()
        self.x = numpy.array([fraction(0.7548776662466927 * i) for i in range(slots)])
        self.y = numpy.array([fraction(0.5698402909980532 * i) for i in range(slots)])
        self.operation_scale = 2.0 ** 28
        self.a, self.b = self.encrypt(self.x), self.encrypt(self.y)
        self.makers = {
            "multiply": (self.multiply, "multiply, relinearize, rescale"),
            "add": (self.add, "add to a new ciphertext"),
            "slot_sum": (self.slot_sum, "log2(slots) rotations and additions, one after the other"),
            "dot_product": (self.dot_product, "multiply, relinearize, rescale, then the slot sum"),
            "polynomial": (self.horner, "Horner: ((c3*x + c2)*x + c1)*x + c0"),
            "polynomial_split": (self.split, "(c0 + c1*x) + x^2*(c2 + c3*x)"),
            "dense_layer": (self.diagonals, "63 rotations, 64 products with encoded diagonals, one rescale"),
            "dense_layer_bsgs": (
                self.baby_and_giant_steps, "7 + 7 rotations, 64 products with encoded diagonals, one rescale"
            ),
        }

    def forms_of_rows(self):
        return {name: form for name, (_, form) in self.makers.items()}

    def row(self, name):
        if name not in self.makers:
            raise Unsupported(f"workload {name!r}; there are {list(self.makers)}")
        if name not in self.table:
            maker, form = self.makers[name]
            self.table[name] = self.workload(name, form, *maker())
        return self.table[name]

    def workload(self, name, form, call, want):
        def verify(_operands, returned):
            got = self.encoder.decode(self.decryptor.decrypt(returned))
            error = float(numpy.max(numpy.abs(got - want)) / numpy.max(numpy.abs(want)))
            self.findings[name] = {"error": error}
            return error <= self.tolerance

        return Row(call, tuple, verify, form)

    def encrypt(self, values):
        return self.encryptor.encrypt(self.encoder.encode(values, self.scale))

    def encode_at(self, values, scale, cipher):
        """A plaintext at the level of `cipher`; a single number fills all slots."""
        plain = self.encoder.encode(numpy.full(len(self.x), values) if numpy.isscalar(values) else values, scale)
        self.evaluator.mod_switch_to_inplace(plain, cipher.parms_id())
        return plain

    def multiplied(self, a, b):
        """Multiply, relinearize, rescale; the second operand follows the first to its level."""
        evaluator = self.evaluator
        if b.parms_id() != a.parms_id():
            b = evaluator.mod_switch_to(b, a.parms_id())
        product = evaluator.multiply(a, b)
        evaluator.relinearize_inplace(product, self.relin)
        evaluator.rescale_to_next_inplace(product)
        return product

    # Workloads: what is timed, and the wanted slots.

    def multiply(self):
        return lambda: self.multiplied(self.a, self.b), self.x * self.y

    def add(self):
        return lambda: self.evaluator.add(self.a, self.b), self.x + self.y

    def slot_sum(self):
        summed = self.summer()
        return lambda: summed(self.a), numpy.full(len(self.x), math.fsum(self.x))

    def dot_product(self):
        summed = self.summer()
        want = numpy.full(len(self.x), math.fsum(self.x * self.y))
        return lambda: summed(self.multiplied(self.a, self.b)), want

    def summer(self):
        steps = [1 << power for power in range(len(self.x).bit_length() - 1)]
        keys, evaluator = self.galois_keys(steps), self.evaluator

        def summed(cipher):
            for step in steps:
                cipher = evaluator.add(cipher, evaluator.rotate_vector(cipher, step, keys))
            return cipher

        return summed

    def polynomial_values(self):
        c0, c1, c2, c3 = POLYNOMIAL
        return c0 + self.x * (c1 + self.x * (c2 + self.x * c3))

    def horner(self):
        evaluator, x = self.evaluator, self.a
        c0, c1, c2, c3 = POLYNOMIAL
        top = self.encode_at(c3, self.operation_scale, x)

        def scaled():
            y = evaluator.multiply_plain(x, top)
            evaluator.rescale_to_next_inplace(y)
            return y

        # A trial gives the scales of the constants.
        y = scaled()
        constants = []
        for value in (c2, c1, c0):
            constants.append(self.encode_at(value, y.scale(), y))
            if len(constants) < 3:
                y = self.multiplied(y, x)

        def evaluate():
            y = scaled()
            evaluator.add_plain_inplace(y, constants[0])
            for constant in constants[1:]:
                y = self.multiplied(y, x)
                evaluator.add_plain_inplace(y, constant)
            return y

        return evaluate, self.polynomial_values()

    def split(self):
        evaluator, x = self.evaluator, self.a
        c0, c1, c2, c3 = POLYNOMIAL
        top = self.encode_at(c3, self.operation_scale, x)
        second = None

        def upper():
            u = evaluator.multiply_plain(x, top)
            evaluator.rescale_to_next_inplace(u)
            if second is not None:
                evaluator.add_plain_inplace(u, second)
            return u

        u = upper()
        second = self.encode_at(c2, u.scale(), u)
        result = self.multiplied(self.multiplied(x, x), upper())
        linear = self.encode_at(c1, result.scale() / x.scale(), result)
        constant = self.encode_at(c0, result.scale(), result)

        def evaluate():
            product = self.multiplied(self.multiplied(x, x), upper())
            lower = evaluator.mod_switch_to(x, product.parms_id())
            evaluator.multiply_plain_inplace(lower, linear)
            lower.scale(product.scale())
            evaluator.add_inplace(product, lower)
            evaluator.add_plain_inplace(product, constant)
            return product

        return evaluate, self.polynomial_values()

    def layer(self):
        """The matrix, the input repeated over all slots and encrypted, and the wanted output."""
        entries = [2 * fraction(0.6180339887498949 * index) - 1 for index in range(DIMENSION * DIMENSION)]
        matrix, values = numpy.array(entries).reshape(DIMENSION, DIMENSION), self.x[:DIMENSION]
        slots = len(self.x)
        return matrix, self.encrypt(numpy.resize(values, slots)), numpy.resize(matrix @ values, slots)

    def diagonal(self, matrix, index, shift=0):
        """Slot `i` is `matrix[i - shift][i - shift + index]`, all modulo the dimension."""
        rows = (numpy.arange(len(self.x)) - shift) % DIMENSION
        return self.encoder.encode(matrix[rows, (rows + index) % DIMENSION], self.operation_scale)

    def diagonals(self):
        matrix, x, want = self.layer()
        plains = [self.diagonal(matrix, index) for index in range(DIMENSION)]
        keys, evaluator = self.galois_keys(list(range(1, DIMENSION))), self.evaluator

        def evaluate():
            total = evaluator.multiply_plain(x, plains[0])
            for index in range(1, DIMENSION):
                rotated = evaluator.rotate_vector(x, index, keys)
                evaluator.multiply_plain_inplace(rotated, plains[index])
                evaluator.add_inplace(total, rotated)
            evaluator.rescale_to_next_inplace(total)
            return total

        return evaluate, want

    def baby_and_giant_steps(self):
        matrix, x, want = self.layer()
        giants = range(0, DIMENSION, BABY_STEPS)
        plains = [[self.diagonal(matrix, giant + baby, giant) for baby in range(BABY_STEPS)] for giant in giants]
        keys, evaluator = self.galois_keys([*range(1, BABY_STEPS), *giants[1:]]), self.evaluator

        def evaluate():
            babies = [x] + [evaluator.rotate_vector(x, step, keys) for step in range(1, BABY_STEPS)]
            total = None
            for giant, row in zip(giants, plains):
                part = evaluator.multiply_plain(babies[0], row[0])
                for baby, plain in zip(babies[1:], row[1:]):
                    evaluator.add_inplace(part, evaluator.multiply_plain(baby, plain))
                if giant:
                    evaluator.rotate_vector_inplace(part, giant, keys)
                    evaluator.add_inplace(total, part)
                else:
                    total = part
            evaluator.rescale_to_next_inplace(total)
            return total

        return evaluate, want


def fraction(value):
    return value - math.floor(value)
