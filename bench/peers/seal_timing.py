"""Times the `seal-python` wheel, with keys and operands kept alive between requests.

A session is keyed by its suite and parameters, so that another program can ask for a few iterations at a time and
interleave them with its own. The operands of a row are made, and what it returned before is freed, before the clock
starts. One thread. The correctness of a row is checked once per session, before timing.
"""

import gc
import math
from time import perf_counter_ns

import seal

from peer_protocol import Session, Unsupported


class Row:
    """`call(*prepare())` is what is timed; `verify(operands, returned)` says whether it did its work.

    `form` says what is measured. A call that does the row's work `share` times counts for that part of its time.
    """

    def __init__(self, call, prepare, verify, form, share=1):
        self.call = call
        self.prepare = prepare
        self.verify = verify
        self.form = form
        self.share = share


class Timing:
    """The commands `time`, `time_rows` and `time_reset`; `suites` maps a name to a class of sessions."""

    def __init__(self, commands, suites):
        self.adapter = commands.adapter
        self.suites = suites
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
            "row": name, "nanoseconds": samples, "form": row.form, "checked": name in session.checked,
            "call_overhead_ns": session.overhead, **session.findings.get(name, {}),
        }

    def time_rows(self, request):
        session = self.session(request)
        return {"rows": session.forms_of_rows()}

    def time_reset(self, _request):
        self.sessions.clear()
        gc.collect()
        return {}

    def session(self, request):
        fields = ("suite", "scheme", "n", "coeff_modulus", "plain_modulus", "security", "scale")
        key = tuple(str(request.get(field)) for field in fields)
        if key not in self.sessions:
            self.sessions[key] = self.suites[request.get("suite", "seal")](self.adapter, request)
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
                samples.append((end - start) // row.share)
            returned = operands = None  # freed here, not when the next call overwrites it
    finally:
        gc.enable()
    return samples


class TimingSession:
    """The keys of one parameter set; a suite adds operands and `table`, its rows by name.

    `findings` holds what checking a row found beside right or wrong, for the answer.
    """

    def __init__(self, adapter, request):
        self.session = self.make_session(adapter, request)
        self.parms = self.session.parms
        self.context = self.session.context
        self.evaluator = self.session.evaluator
        self.encoder = self.session.encoder
        self.exact = self.parms.scheme != "ckks"
        self.switchable = len(self.parms.moduli) > 1
        self.scale = float(request.get("scale") or self.default_scale())
        self.checked, self.findings, self.table = set(), {}, {}
        self.keygen = seal.KeyGenerator(self.context)
        self.public, self.secret = self.keygen.create_public_key(), self.keygen.secret_key()
        self.encryptor = seal.Encryptor(self.context, self.public, self.secret)
        self.decryptor = seal.Decryptor(self.context, self.secret)
        self.relin = self.keygen.create_relin_keys() if self.switchable else None
        self.overhead = sorted(measure(Row(seal.Ciphertext().size, tuple, None, ""), 10, 101))[50]

    def make_session(self, adapter, request):
        return Session(adapter, adapter.build_parms(request), int(request.get("security", 0)))

    def default_scale(self):
        data = self.parms.moduli[:-1] or self.parms.moduli
        return 2.0 ** min(40, (int(math.log2(math.prod(data))) - 8) // 2)

    def galois_keys(self, steps):
        keys = seal.GaloisKeys()
        self.keygen.create_galois_keys(steps, keys)
        return keys

    def forms_of_rows(self):
        return {name: row.form for name, row in self.table.items()}

    def row(self, name):
        if name not in self.table:
            raise Unsupported(f"row {name!r} for these parameters; there are {list(self.table)}")
        return self.table[name]

    def check(self, name, row, tolerance):
        if name in self.checked:
            return
        self.tolerance = tolerance
        operands = row.prepare()
        if not row.verify(operands, row.call(*operands)):
            raise ValueError(f"row {name!r} computed a wrong result; nothing was timed")
        self.checked.add(name)
