"""Driver for TenSEAL 0.3 through `tenseal.sealapi`, its binding of SEAL.

Its releases up to 0.3.16 write SEAL 4.1 files, those from 0.3.17 on 4.3. It always saves with SEAL's default, zstd.
"""

import importlib.metadata
import os
import tempfile

import tenseal
import zstandard
from tenseal.sealapi import _sealapi_cpp as sealapi

from peer_protocol import HEADER_SIZE, SCHEMES, Commands, Unsupported, correction_factor, serve
from seal_adapter import SealAdapter


class TenSeal(SealAdapter):
    module = sealapi
    compressions = ["zstd"]
    default_compression = "zstd"

    def version(self):
        return {
            "library": "tenseal", "version": importlib.metadata.version("tenseal"),
            "compression_modes": self.compressions, "schemes": ["bfv", "bgv", "ckks"],
        }

    def call(self, session, method, *arguments):
        result = sealapi.Ciphertext()
        getattr(session.evaluator, method)(*arguments, result)
        return result

    def scheme_value(self, scheme):
        return SCHEMES[scheme]  # its enum has no BGV, but the constructor takes SEAL's number

    def security_value(self, bits):
        level = sealapi.SEC_LEVEL_TYPE
        return {0: level.NONE, 128: level.TC128, 192: level.TC192, 256: level.TC256}[bits]

    def parameter_error(self, context):
        return f"{context.parameters_error_name()}: {context.parameters_error_message()}"

    def load_modulus(self, path):
        modulus = sealapi.Modulus(0)
        modulus.load(path)
        return modulus

    def public_key(self, keygen):
        key = sealapi.PublicKey()
        keygen.create_public_key(key)
        return key

    def public_key_seeded(self, _keygen):
        raise Unsupported("Serializable<PublicKey> is not bound by this library")

    def relin_keys(self, keygen):
        keys = sealapi.RelinKeys()
        keygen.create_relin_keys(keys)
        return keys

    def relin_keys_seeded(self, keygen):
        return keygen.create_relin_keys()

    def galois_keys(self, session, keygen, steps):
        keys = sealapi.GaloisKeys()
        keygen.create_galois_keys(*self.galois_elements(session, steps), keys)
        return keys

    def galois_keys_seeded(self, session, keygen, steps):
        return keygen.create_galois_keys(*self.galois_elements(session, steps))

    def galois_elements(self, session, steps):
        """Its first overload takes a list as Galois elements, so steps are turned into elements here."""
        if steps is None:
            return []
        two_n = 2 * session.parms.degree
        return [[pow(3, step % (two_n // 4), two_n) if step else two_n - 1 for step in steps]]

    def encrypt(self, encryptor, plain):
        cipher = sealapi.Ciphertext()
        encryptor.encrypt(plain, cipher)
        return cipher

    def encrypt_symmetric(self, encryptor, plain):
        cipher = sealapi.Ciphertext()
        encryptor.encrypt_symmetric(plain, cipher)
        return cipher

    def encrypt_symmetric_seeded(self, encryptor, plain):
        return encryptor.encrypt_symmetric(plain)

    def decrypt(self, decryptor, cipher):
        plain = sealapi.Plaintext()
        decryptor.decrypt(cipher, plain)
        return plain

    def encode(self, session, *arguments):
        plain = sealapi.Plaintext()
        session.encoder.encode(*arguments, plain)
        return plain

    def encode_integers(self, session, values):
        # Its two overloads take a list of unsigned, then of signed words; the signed one is chosen by a negative value.
        modulus = session.parms.plain_modulus
        return self.encode(session, [value % modulus for value in values])

    def encode_reals(self, session, values, scale):
        return self.encode(session, values, scale)

    encode_complex = encode_reals

    def decode_integers(self, session, plain):
        return session.encoder.decode_int64(plain)

    def decode_reals(self, session, plain):
        return session.encoder.decode_double(plain)

    def decode_complex(self, session, plain):
        return session.encoder.decode_complex(plain)

    def scale(self, thing):
        return thing.scale

    def correction_factor(self, cipher):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "cipher")
            cipher.save(path)
            with open(path, "rb") as file:
                data = file.read()
        payload = zstandard.ZstdDecompressor().decompressobj().decompress(data[HEADER_SIZE:])
        return correction_factor(data[:HEADER_SIZE] + payload)

    def prng(self, name, seed, count):
        generator = sealapi.UniformRandomGeneratorInfo(getattr(sealapi.prng_type, name), seed).make_prng()
        halves = [generator.generate() for _ in range(2 * count)]
        return [low | high << 32 for low, high in zip(halves[::2], halves[1::2])]


class TenSealCommands(Commands):
    """Adds the files of TenSEAL's own classes, protobuf messages that hold SEAL objects."""

    def handlers(self):
        return {**super().handlers(), "make_tenseal": self.make_tenseal}

    def make_tenseal(self, request):
        """Writes a context (with and without the secret key) and a vector of its own format."""
        scheme, values, directory = request["scheme"], request["values"], request["dir"]
        os.makedirs(directory, exist_ok=True)
        context = self.tenseal_context(request)
        if scheme == "ckks":
            vector = tenseal.ckks_vector(context, [float(v) for v in values])
        else:
            vector = tenseal.bfv_vector(context, [int(v) for v in values])
        files = {
            "tenseal_context.bin": context.serialize(save_secret_key=True),
            "tenseal_context.public.bin": context.serialize(save_secret_key=False),
            f"tenseal_{scheme}_vector.bin": vector.serialize(),
        }
        for name, data in files.items():
            with open(os.path.join(directory, name), "wb") as file:
                file.write(data)
        sizes = {name: len(data) for name, data in files.items()}
        return {"files": sizes, "values": [str(v) for v in vector.decrypt()]}

    def tenseal_context(self, request):
        n, sizes = int(request["n"]), [int(bits) for bits in request["coeff_mod_bit_sizes"]]
        if request["scheme"] != "ckks":
            return tenseal.context(tenseal.SCHEME_TYPE.BFV, n, int(request["plain_modulus"]), sizes)
        context = tenseal.context(tenseal.SCHEME_TYPE.CKKS, n, -1, sizes)
        context.global_scale = float(request["scale"])
        return context


if __name__ == "__main__":
    serve(TenSealCommands(TenSeal()).handlers())
