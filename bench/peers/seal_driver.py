"""Driver for Microsoft SEAL 4.4 through the `seal-python` wheel (built without zlib and zstd)."""

import importlib.metadata

import numpy
import seal

from peer_protocol import Commands, Unsupported, correction_factor, serve
from seal_adapter import SealAdapter
from seal_repeats import Repeats
from seal_rows import seal_session
from seal_timing import Timing
from seal_workloads import Workloads


class SealPython(SealAdapter):
    module = seal
    compressions = ["none"]
    loadable = ["none"]

    def version(self):
        return {
            "library": "seal-python", "version": importlib.metadata.version("seal-python"),
            "compression_modes": self.compressions, "schemes": ["bfv", "bgv", "ckks"],
        }

    def call(self, session, method, *arguments):
        return getattr(session.evaluator, method)(*arguments)

    def scheme_value(self, scheme):
        return getattr(seal.scheme_type, scheme)

    def security_value(self, bits):
        return {0: seal.sec_level_type.none, 128: seal.sec_level_type.tc128, 192: seal.sec_level_type.tc192,
                256: seal.sec_level_type.tc256}[bits]

    def parameter_error(self, context):
        return f"{context.parameter_error_name()}: {context.parameter_error_message()}"

    def public_key(self, keygen):
        return keygen.create_public_key()

    def relin_keys(self, keygen):
        return keygen.create_relin_keys()

    def galois_keys(self, _session, keygen, steps):
        keys = seal.GaloisKeys()
        keygen.create_galois_keys(*([] if steps is None else [steps]), keys)
        return keys

    def no_seeded(self, *_arguments):
        raise Unsupported("Serializable (seeded) objects are not bound by this library")

    public_key_seeded = relin_keys_seeded = galois_keys_seeded = encrypt_symmetric_seeded = no_seeded

    def encrypt(self, encryptor, plain):
        return encryptor.encrypt(plain)

    def encrypt_symmetric(self, encryptor, plain):
        return encryptor.encrypt_symmetric(plain)

    def decrypt(self, decryptor, cipher):
        return decryptor.decrypt(cipher)

    def encode_integers(self, session, values):
        return session.encoder.encode(numpy.array(values, dtype=numpy.int64))

    def encode_reals(self, session, values, scale):
        return session.encoder.encode(numpy.array(values, dtype=numpy.float64), scale)

    def encode_complex(self, session, values, scale):
        return session.encoder.encode_complex(numpy.array(values, dtype=numpy.complex128), scale)

    def decode_integers(self, session, plain):
        return session.encoder.decode(plain).tolist()

    def decode_reals(self, session, plain):
        return session.encoder.decode(plain).tolist()

    def decode_complex(self, session, plain):
        return session.encoder.decode_complex(plain).tolist()

    def scale(self, thing):
        return thing.scale()

    def correction_factor(self, cipher):
        return correction_factor(cipher.to_string())


if __name__ == "__main__":
    commands = Commands(SealPython())
    suites = {"seal": seal_session, "h33": Workloads, "he-benchmark": Repeats}
    serve({**commands.handlers(), **Timing(commands, suites).handlers()})
