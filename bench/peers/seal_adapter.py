"""What the two wheels that bind SEAL's C++ classes have in common.

Both keep SEAL's class names; they differ in enum spelling, in destination or return forms, and in what they bind.
"""

import os
import tempfile

from peer_protocol import SCHEMES, COMPRESSIONS, Parms, Unsupported, file_compression

KINDS = {
    "plain": "Plaintext", "secret_key": "SecretKey", "public_key": "PublicKey",
    "relin_keys": "RelinKeys", "galois_keys": "GaloisKeys", "cipher": "Ciphertext",
}
METHODS = {
    "add": "add", "sub": "sub", "multiply": "multiply", "add_plain": "add_plain", "sub_plain": "sub_plain",
    "multiply_plain": "multiply_plain", "negate": "negate", "square": "square", "rescale": "rescale_to_next",
    "mod_switch": "mod_switch_to_next", "to_ntt": "transform_to_ntt", "from_ntt": "transform_from_ntt",
    "rotate_columns": "rotate_columns", "conjugate": "complex_conjugate", "apply_galois": "apply_galois",
}


class SealAdapter:
    """Shared behaviour; a subclass gives the module and whatever its wheel does differently."""

    module = None
    compressions = COMPRESSIONS
    default_compression = "none"
    loadable = COMPRESSIONS

    def call(self, session, method, *arguments):
        """An evaluator operation that makes a new ciphertext."""
        raise NotImplementedError

    def scheme_value(self, scheme):
        raise NotImplementedError

    def security_value(self, bits):
        raise NotImplementedError

    def file_version(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "parms")
            self.module.EncryptionParameters(self.scheme_value("bfv")).save(path)
            with open(path, "rb") as file:
                header = file.read(5)
        return f"{header[3]}.{header[4]}"

    def build_parms(self, request):
        scheme = request["scheme"]
        if scheme not in SCHEMES:
            raise ValueError(f"scheme must be one of {sorted(SCHEMES)}, got {scheme!r}")
        native = self.module.EncryptionParameters(self.scheme_value(scheme))
        native.set_poly_modulus_degree(int(request["n"]))
        moduli = [int(value) for value in request["coeff_modulus"]]
        native.set_coeff_modulus([self.modulus(value) for value in moduli])
        if scheme != "ckks":
            native.set_plain_modulus(self.modulus(int(request["plain_modulus"])))
        return self.parms(native, scheme)

    def load_parms(self, path):
        self.require_loadable(path)
        native = self.module.EncryptionParameters(self.scheme_value("bfv"))
        native.load(path)
        scheme = {value: name for name, value in SCHEMES.items()}.get(int(native.scheme()))
        if scheme is None:
            raise Unsupported(f"scheme number {int(native.scheme())}")
        return self.parms(native, scheme)

    def parms(self, native, scheme):
        moduli = [modulus.value() for modulus in native.coeff_modulus()]
        return Parms(native, scheme, native.poly_modulus_degree(), moduli, native.plain_modulus().value())

    def modulus(self, value):
        return self.module.Modulus(value)

    def load_modulus(self, _path):
        raise Unsupported("loading a bare Modulus is not bound by this library")

    def context(self, parms, security):
        context = self.module.SEALContext(parms.native, True, self.security_value(security))
        if not context.parameters_set():
            raise ValueError(f"parameters are not valid: {self.parameter_error(context)}")
        return context

    def encoder(self, session):
        encoder = self.module.CKKSEncoder if session.parms.scheme == "ckks" else self.module.BatchEncoder
        return encoder(session.context)

    def evaluator(self, session):
        return self.module.Evaluator(session.context)

    def keygen(self, session):
        return self.module.KeyGenerator(session.context)

    def encryptor(self, session, public, secret):
        return self.module.Encryptor(session.context, *[key for key in (public, secret) if key is not None])

    def decryptor(self, session, secret):
        return self.module.Decryptor(session.context, secret)

    def noise_budget(self, decryptor, cipher):
        return decryptor.invariant_noise_budget(cipher)

    def secret_key(self, keygen):
        return keygen.secret_key()

    def load(self, context, kind, path):
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {sorted(KINDS)}, got {kind!r}")
        self.require_loadable(path)
        loaded = getattr(self.module, KINDS[kind])()
        loaded.load(context, path)
        return loaded

    def require_loadable(self, path):
        compression = file_compression(path)
        if compression is not None and compression not in self.loadable:
            raise Unsupported(f"reading {compression} files; this build of SEAL reads {self.loadable}")

    def save(self, thing, path, compression):
        if compression not in self.compressions:
            raise Unsupported(f"saving with compression {compression}; this library offers {self.compressions}")
        if not hasattr(thing, "save"):
            raise Unsupported(f"saving a {type(thing).__name__} is not bound by this library")
        thing.save(path)

    def binary(self, session, op, left, right):
        return self.call(session, METHODS[op], left, right)

    def unary(self, session, op, cipher):
        return self.call(session, METHODS[op], cipher)

    def add_many(self, session, ciphers):
        return self.call(session, "add_many", ciphers)

    def relinearize(self, session, cipher, keys):
        return self.call(session, "relinearize", cipher, keys)

    def exponentiate(self, session, cipher, exponent, keys):
        return self.call(session, "exponentiate", cipher, exponent, keys)

    def galois(self, session, op, cipher, argument, keys):
        if op == "rotate":
            method = "rotate_vector" if session.parms.scheme == "ckks" else "rotate_rows"
        else:
            method = METHODS[op]
        return self.call(session, method, cipher, *([] if argument is None else [argument]), keys)

    def describe(self, session, cipher):
        data = session.context.get_context_data(cipher.parms_id())
        return {
            "size": cipher.size(),
            "chain_index": data.chain_index(),
            "coeff_modulus_size": cipher.coeff_modulus_size(),
            "scale": self.scale(cipher),
            "is_ntt_form": cipher.is_ntt_form(),
            "correction_factor": str(self.correction_factor(cipher)),
            "parms_id": [str(word) for word in cipher.parms_id()],
        }

    def describe_plain(self, plain):
        return {
            "coeff_count": plain.coeff_count(),
            "scale": self.scale(plain),
            "is_ntt_form": plain.is_ntt_form(),
            "parms_id": [str(word) for word in plain.parms_id()],
        }

    def prng(self, _name, _seed, _count):
        raise Unsupported("the random generators are not bound by this library")
