#!/usr/bin/env python3
"""Writes the real SEAL files of `data/seal/` anew, with the peers. Keys and noise are random, so every byte of a
ciphertext or key changes; what `expected.json` says of the values does not.

Usage: bench/peers/make_fixtures.py [folder]
"""

import json
import os
import shutil
import sys
import tempfile
import zlib

import peers

if __name__ == "__main__" and "PEERS_PYTHON" not in os.environ:
    peers.setup()  # the zstd reader lives in the peers' environment
    python = os.path.join(peers.HERE, "../../.peers/venv/bin/python")
    os.execve(python, [python, *sys.argv], {**os.environ, "PEERS_PYTHON": "1"})

import zstandard

ROOT = os.path.abspath(os.path.join(peers.HERE, "../../data/seal"))
DEGREE = 64
# Two data primes of 36 bits, one of 37, and a special prime of 54 bits; all are 1 mod 128.
MODULI = [0xFFFFEE001, 0xFFFFC4001, 0x1FFFFE0001, 0x3FFFFFFF000001]
PLAIN_MODULI = {"bfv": 65537, "bgv": 12289, "ckks": 0}
SCALE = 2.0**30
STEPS = [1, 0]  # rotate left by one; swap the rows, or conjugate
# Primes far from a power of two (about 0.6 * 2^60), where a uniform word is often rejected. They are 1 mod 2048.
ODD_DEGREE = 1024
TOLERANCE = 1e-3

KINDS = {
    "parms": "EncryptionParameters", "modulus": "Modulus", "secret_key": "SecretKey", "public_key": "PublicKey",
    "relin_keys": "RelinKeys", "galois_keys": "GaloisKeys", "plain": "Plaintext", "cipher": "Ciphertext",
}
COMPRESSIONS = ["none", "zlib", "zstd"]


class Folder:
    """One folder of fixtures, made by one library under one parameter set."""

    def __init__(self, peer, name, scheme, degree, moduli, values):
        self.peer = peer
        self.path = os.path.join(ROOT, name)
        self.scheme, self.degree, self.moduli, self.values = scheme, degree, moduli, values
        shutil.rmtree(self.path, ignore_errors=True)
        os.makedirs(self.path)
        self.files = {}
        self.native = "zstd" if peer.name == "tenseal" else "none"
        self.parms = self.file("parms.seal")

    def file(self, name):
        return os.path.join(self.path, name)

    @property
    def exact(self):
        return self.scheme != "ckks"

    def make(self, steps):
        self.peer.ask(
            "make", dir=self.path, scheme=self.scheme, n=self.degree, coeff_modulus=[str(q) for q in self.moduli],
            plain_modulus=str(PLAIN_MODULI[self.scheme]), security=0, compression=self.native, values=self.values,
            scale=SCALE, galois_steps=steps,
        )
        for name in sorted(os.listdir(self.path)):
            self.note(name)
            if KINDS[self.kind(name)] == "Ciphertext":
                self.note_values(name, self.values)
            elif KINDS[self.kind(name)] == "Plaintext":
                self.files[name]["values"] = self.values

    def kind(self, name):
        return name.split(".")[0]

    def note(self, name, **facts):
        with open(self.file(name), "rb") as file:
            data = file.read()
        self.files[name] = {
            "object": KINDS[self.kind(name)], "compression": COMPRESSIONS[data[5]],
            "version": f"{data[3]}.{data[4]}", "seeded": ".seeded" in name, "bytes": len(data), **facts,
        }

    def note_values(self, name, values, **facts):
        """Decrypts a ciphertext with the library that made it, compares, and records what a reader must find."""
        answer = self.peer.ask(
            "decrypt", parms=self.parms, secret_key=self.file("secret_key.seal"), cipher=self.file(name)
        )
        self.compare(name, answer["values"], values)
        keep = ["size", "chain_index", "coeff_modulus_size", "scale", "is_ntt_form", "correction_factor", "parms_id"]
        self.files[name].update({key: answer[key] for key in keep}, values=values, **facts)
        if self.exact:
            self.files[name]["noise_budget"] = answer["noise_budget"]

    def compare(self, name, got, want):
        want = want + [0] * (len(got) - len(want))
        if self.exact:
            modulus = PLAIN_MODULI[self.scheme]
            same = all((int(a) - int(b)) % modulus == 0 for a, b in zip(got, want, strict=True))
        else:
            same = all(abs(a - b) <= TOLERANCE for a, b in zip(got, want, strict=True))
        if not same:
            raise SystemExit(f"{self.path}/{name}: decrypts to {got[:4]}..., expected {want[:4]}...")

    def compute(self, name, op, source, values, **fields):
        self.peer.ask(
            "compute", parms=self.parms, op=op, inputs=[self.file(part) for part in source], out=self.file(name),
            compression=self.native, **fields,
        )
        self.note(name)
        self.note_values(name, values, made_by=f"{op} of {', '.join(source)}")

    def products(self):
        """Ciphertexts of three polynomials, at lower levels, rescaled, rotated; BGV's factor becomes other than 1."""
        keys = {kind: self.file(f"{kind}.seal") for kind in ("relin_keys", "galois_keys")}
        squares = [self.reduced(v * v) for v in self.values]
        self.compute("cipher.product.seal", "multiply", ["cipher.seal", "cipher.seal"], squares)
        self.compute("cipher.relinearized.seal", "relinearize", ["cipher.product.seal"], squares, **keys)
        down = "mod_switch" if self.exact else "rescale"
        self.compute("cipher.switched.seal", down, ["cipher.relinearized.seal"], squares)
        if self.scheme == "bgv":  # the correction factor is squared too
            fourth = [self.reduced(v * v) for v in squares]
            self.compute("cipher.switched_product.seal", "square", ["cipher.switched.seal"], fourth)
        row = self.degree // 2
        halves = [self.values[start : start + row] for start in range(0, len(self.values), row)]
        turned = [value for half in halves for value in half[1:] + half[:1]]
        flipped = [value for half in reversed(halves) for value in half]
        self.compute("cipher.rotated.seal", "rotate", ["cipher.seal"], turned, steps=1, **keys)
        op = "rotate_columns" if self.exact else "conjugate"
        self.compute(f"cipher.{op}.seal", op, ["cipher.seal"], flipped, **keys)
        self.compute("cipher.lowest.seal", "mod_switch", ["cipher.seal"], self.values)
        self.compute("cipher.lowest.seal", "mod_switch", ["cipher.lowest.seal"], self.values)

    def complex_values(self):
        """CKKS slots with imaginary parts, and their conjugates."""
        imaginary = [((5 * i) % 17 - 8) / 8 for i in range(len(self.values))]
        name, conjugate = "cipher.complex.seal", "cipher.complex_conjugate.seal"
        self.peer.ask(
            "encrypt", parms=self.parms, public_key=self.file("public_key.seal"), values=self.values,
            values_imag=imaginary, scale=SCALE, out=self.file(name), compression=self.native,
        )
        self.peer.ask(
            "compute", parms=self.parms, op="conjugate", inputs=[self.file(name)], out=self.file(conjugate),
            galois_keys=self.file("galois_keys.seal"), compression=self.native,
        )
        for file, sign in ((name, 1), (conjugate, -1)):
            want = [sign * part for part in imaginary]
            answer = self.peer.ask(
                "decrypt", parms=self.parms, secret_key=self.file("secret_key.seal"), cipher=self.file(file),
                complex=True,
            )
            self.compare(file, answer["values_imag"], want)
            self.note(file)
            self.note_values(file, self.values, values_imag=want)

    def reduced(self, value):
        if not self.exact:
            return value
        modulus = PLAIN_MODULI[self.scheme]
        value %= modulus
        return value - modulus if value > modulus // 2 else value

    def compressed(self):
        """The same objects as zlib and zstd; the smaller kinds only."""
        for name in ["parms.seal", "modulus.seal", "secret_key.seal", "public_key.seal", "plain.seal", "cipher.seal"]:
            for mode in ("zlib", "zstd"):
                out = name.replace(".seal", f".{mode}.seal")
                self.resave(self.kind(name), name, self.file(out), mode)
                self.note(out, same_as=name)
        for mode in ("zlib", "zstd"):
            name = f"cipher.symmetric.seeded.{mode}.seal"
            self.peer.ask(
                "encrypt", parms=self.parms, secret_key=self.file("secret_key.seal"), seeded=True, values=self.values,
                scale=SCALE, out=self.file(name), compression=mode,
            )
            self.note(name)
            self.note_values(name, self.values)

    def resave(self, kind, name, out, compression="none"):
        """Loads an object and saves it again; a seeded one comes out in full."""
        self.peer.ask(
            "resave", kind=kind, parms=self.parms, out=out, compression=compression, **{"in": self.file(name)}
        )

    def write(self, **more):
        version = self.peer.ask("version")
        expected = {
            "library": version["library"], "library_version": version["version"],
            "seal_version": version["seal_version"], "scheme": self.scheme, "n": self.degree,
            "coeff_modulus": [str(q) for q in self.moduli], "plain_modulus": str(PLAIN_MODULI[self.scheme]),
            "security": 0, "scale": None if self.exact else SCALE, "tolerance": None if self.exact else TOLERANCE,
            "values": self.values, "key_parms_id": self.key_parms_id(), **more,
            "files": dict(sorted(self.files.items())),
        }
        write_json(self.file("expected.json"), expected)

    def key_parms_id(self):
        """A secret key begins with the identifier of the key level."""
        body = payload(self.file("secret_key.seal"))
        return [str(int.from_bytes(body[at : at + 8], "little")) for at in range(0, 32, 8)]


def write_json(path, value):
    with open(path, "w") as file:
        file.write(render(value, "") + "\n")


def render(value, indent):
    """JSON with one line for each leaf object and each list, so that it reads and compares well."""
    nested = isinstance(value, dict) and (not indent or any(isinstance(item, dict) for item in value.values()))
    if not nested:
        return json.dumps(value)
    inner = indent + "  "
    lines = [f"{inner}{json.dumps(key)}: {render(item, inner)}" for key, item in value.items()]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


def payload(path):
    """What follows the outer header of a SEAL file, decompressed."""
    with open(path, "rb") as file:
        data = file.read()
    if data[5] == 1:
        return zlib.decompress(data[16:])
    if data[5] == 2:
        return zstandard.ZstdDecompressor().decompressobj().decompress(data[16:])
    return data[16:]


# Layout of an uncompressed ciphertext's payload: identifier, flag, three counts, scale, factor, array header and count.
CIPHER_DATA = 32 + 1 + 3 * 8 + 8 + 8 + 16 + 8
PRNG_INFO_TYPE = 16  # offset of the generator's type behind its own header; the seed of 64 bytes follows


def words(data):
    return [int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data), 8)]


def expand(tenseal, prng, seed, degree, moduli):
    """SEAL's uniform polynomial from a seed, computed here: the values and how many words were rejected."""
    need = degree * len(moduli)
    stream = tenseal.ask("prng", prng=prng, seed=[str(word) for word in words(seed)], count=need + need // 4)["words"]
    stream = [int(word) for word in stream]
    values, following, rejected = [], need, 0
    for index in range(need):
        modulus = moduli[index // degree]
        bound = 2**64 - 1 - (2**64 - 1) % modulus - 1
        word = stream[index]
        while word >= bound:
            word, following, rejected = stream[following], following + 1, rejected + 1
        values.append(word % modulus)
    return values, rejected


def make_library(name):
    with peers.Peer(name) as peer:
        for scheme in PLAIN_MODULI:
            folder = Folder(peer, f"{name}/{scheme}", scheme, DEGREE, MODULI, sample_values(scheme, DEGREE))
            folder.make(STEPS)
            folder.products()
            if peer.name.startswith("node-seal"):
                folder.compressed()
            elif scheme == "ckks":
                folder.complex_values()
            folder.write(galois_steps=STEPS)


def sample_values(scheme, degree):
    if scheme == "ckks":
        return [((7 * i) % 33 - 16) / 16 for i in range(degree // 2)]
    return [(37 * i) % 201 - 100 for i in range(degree)]


def make_rejection(node, tenseal):
    """Seeded objects whose expansion rejects many words, with the full objects that the library expands them to."""
    moduli = [prime_below(part * 2**60 // 100, 2 * ODD_DEGREE) for part in (60, 95, 85)]
    for scheme in PLAIN_MODULI:
        folder = Folder(node, f"rejection/{scheme}", scheme, ODD_DEGREE, moduli, sample_values(scheme, 16))
        folder.make([])
        seeded = ["cipher.symmetric.seeded.seal"] + (["public_key.seeded.seal"] if scheme == "ckks" else [])
        for name in sorted(set(folder.files) - {"parms.seal", "secret_key.seal", *seeded}):
            os.remove(folder.file(name))
            del folder.files[name]
        for name in seeded:
            check_expansion(folder, tenseal, name, "blake2xb")
        if scheme == "bfv":
            make_shake256(folder, tenseal)
        folder.write()


def check_expansion(folder, tenseal, name, prng):
    kind = folder.kind(name)
    full = name.replace(".seeded", ".expanded")
    folder.resave(kind, name, folder.file(full))
    seeded, expanded = payload(folder.file(name)), payload(folder.file(full))
    moduli = folder.moduli if kind == "public_key" else folder.moduli[:-1]
    half = 8 * folder.degree * len(moduli)
    info = seeded[CIPHER_DATA + half :]
    seed = info[PRNG_INFO_TYPE + 1 : PRNG_INFO_TYPE + 65]
    values, rejected = expand(tenseal, prng, seed, folder.degree, moduli)
    if values != words(expanded[CIPHER_DATA + half : CIPHER_DATA + 2 * half]):
        raise SystemExit(f"{folder.path}/{name}: the library expanded the seed to something else")
    folder.note(full, expanded_from=name)
    folder.files[name].update(prng=prng, rejected_words=rejected)


def make_shake256(folder, tenseal):
    """No release of these libraries writes SHAKE256 seeds, but all read them: only the type byte is changed.

    The second polynomial is another one then, so the ciphertext decrypts to noise; its expansion is what counts.
    """
    name = "cipher.shake256.seeded.seal"
    with open(folder.file("cipher.symmetric.seeded.seal"), "rb") as file:
        data = bytearray(file.read())
    data[-65] = 2
    with open(folder.file(name), "wb") as file:
        file.write(data)
    folder.note(name)
    check_expansion(folder, tenseal, name, "shake256")


def prime_below(limit, step):
    candidate = (limit - 1) // step * step + 1
    while not is_prime(candidate):
        candidate -= step
    return candidate


def is_prime(number):
    """Miller-Rabin with the bases that decide every number below 2^64."""
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        power = pow(base, odd, number)
        if power in (1, number - 1):
            continue
        if not any((power := power * power % number) == number - 1 for _ in range(twos - 1)):
            return False
    return True


def make_prng(tenseal):
    """Words of both generators at the start and around the ends of the blocks of 512 words."""
    seed = [str(0x0123456789ABCDEF * (i + 1) % 2**64) for i in range(8)]
    streams = {}
    for prng in ("blake2xb", "shake256"):
        stream = tenseal.ask("prng", prng=prng, seed=seed, count=1028)["words"]
        streams[prng] = {str(at): stream[at : at + 8] for at in (0, 508, 1020)}
    version = tenseal.ask("version")
    write_json(os.path.join(ROOT, "prng.json"), {
        "library": version["library"], "library_version": version["version"], "seal_version": version["seal_version"],
        "seed": seed, "words_from_index": streams,
    })


def make_tenseal_files(tenseal):
    """TenSEAL's own protobuf messages: contexts with and without the secret key, and vectors."""
    values = {"ckks": [0.5, -1.25, 3.0], "bfv": [1, -2, 300]}
    for scheme, numbers in values.items():
        path = os.path.join(ROOT, "tenseal", scheme)
        parms = {"n": 2048, "coeff_mod_bit_sizes": [27, 27], "scale": 2.0**20, "plain_modulus": "65537"}
        with tempfile.TemporaryDirectory() as directory:
            answer = tenseal.ask("make_tenseal", dir=directory, scheme=scheme, values=numbers, **parms)
            kept = [name for name in answer["files"] if scheme == "ckks" or ".public" not in name]
            for name in kept:
                shutil.copyfile(os.path.join(directory, name), os.path.join(path, name))
        version = tenseal.ask("version")
        write_json(os.path.join(path, "tenseal.json"), {
            "library": version["library"], "library_version": version["version"],
            "seal_version": version["seal_version"], "scheme": scheme, **parms, "values": numbers,
            "tolerance": 1e-2 if scheme == "ckks" else None, "decrypted_by_tenseal": answer["values"],
            "files": {name: {"bytes": answer["files"][name]} for name in kept},
        })


def main():
    for name in peers.NAMES:
        make_library(name)
    with peers.Peer("node-seal7") as node, peers.Peer("tenseal") as tenseal:
        make_rejection(node, tenseal)
        make_prng(tenseal)
        make_tenseal_files(tenseal)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        ROOT = os.path.abspath(sys.argv[1])
    main()
