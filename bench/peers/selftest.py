#!/usr/bin/env python3
"""Runs the peers against themselves and each other, and prints who reads whose files.

SEAL 4.4 reads files of every 4.x up to its own; earlier 4.x, hence node-seal and TenSEAL, read exactly their own. So
each set of files is tried as written and with its headers, nested ones too, marked as each other version.
A cell says `yes` (decrypts and evaluates rightly), `refused` (another version) or `no zstd` (compression not built in).
Usage: bench/peers/selftest.py
"""

import json
import os
import sys
import tempfile
import time

import peers

if __name__ == "__main__" and "PEERS_PYTHON" not in os.environ:
    started = time.monotonic()
    peers.setup()
    print(f"setup: {time.monotonic() - started:.1f} s", flush=True)
    python = os.path.join(peers.HERE, "../../.peers/venv/bin/python")
    os.execve(python, [python, *sys.argv], {**os.environ, "PEERS_PYTHON": "1"})

import zstandard

SCHEMES = {"bfv": "1032193", "bgv": "1032193", "ckks": "0"}
MODULI = [0xFFFFEE001, 0xFFFFC4001, 0x1FFFFE0001]  # SEAL's default chain for n = 4096 at 128 bits
PARMS = {"n": 4096, "coeff_modulus": [str(q) for q in MODULI], "security": 128}
SCALE = 2.0**30
STEPS = [1, -3, 0]
VERSIONS = ["4.1", "4.3", "4.4"]


def expected(version, compression, reader, reader_version):
    """What a reader must say of files that carry a version's stamp."""
    if reader == "seal" and compression == "zstd":
        return "no zstd"
    readable = version in VERSIONS if reader_version == "4.4" else version == reader_version
    return "yes" if readable else "refused"


class Tally:
    def __init__(self):
        self.passed, self.failed = 0, 0

    def check(self, what, good, detail=""):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"FAILED: {what} {detail}")


def main():
    tally = Tally()
    drivers = {name: peers.Peer(name) for name in peers.NAMES}
    versions = {}
    with tempfile.TemporaryDirectory() as root:
        for name, peer in drivers.items():
            version = peer.ask("version")
            versions[name] = version["seal_version"]
            modes = ", ".join(version["compression_modes"])
            print(f"{name}: {version['version']}, writes SEAL {version['seal_version']} files, {modes}")
            check_errors(peer, tally)
        for scheme in SCHEMES:
            check_scheme(drivers, versions, scheme, os.path.join(root, scheme), tally)
        check_compressions(drivers, root, tally)
        check_fixtures(drivers, tally)
    check_timing(drivers["seal"], tally)
    for name, peer in drivers.items():
        tally.check(f"{name} ends well", peer.close() == 0)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


def check_errors(peer, tally):
    """A bad request is answered, and the driver goes on."""
    for command, fields, text in (
        ("nonsense", {}, "unsupported: command"),
        ("decrypt", {"dir": "/nonexistent"}, "/nonexistent"),
        ("make", {"dir": "/nonexistent", "scheme": "rsa", "n": 8, "coeff_modulus": []}, "scheme must be"),
    ):
        try:
            peer.ask(command, **fields)
            tally.check(f"{peer.name} {command}", False, "was accepted")
        except peers.PeerError as error:
            tally.check(f"{peer.name} {command}", text in str(error), f"said {error}")
    tally.check(f"{peer.name} lives", peer.ask("version")["ok"])


def sample_values(scheme):
    return [0.5, -1.25, 3.0, 0.75] if scheme == "ckks" else [1, -2, 3, -400, 500, 7]


def make(peer, scheme, directory):
    peer.ask(
        "make", dir=directory, scheme=scheme, plain_modulus=SCHEMES[scheme], values=sample_values(scheme), scale=SCALE,
        galois_steps=STEPS, compression="zstd" if peer.name == "tenseal" else "none", **PARMS,
    )


def check_scheme(drivers, versions, scheme, root, tally):
    sets = {}  # label: (folder, version, compression)
    for name, peer in drivers.items():
        folder = os.path.join(root, name)
        make(peer, scheme, folder)
        sets[name] = (folder, versions[name], "zstd" if name == "tenseal" else "none")
        for other in VERSIONS:
            if name != "node-seal6" and (other != versions[name] or name == "tenseal"):
                label = f"{name} as {other}"
                sets[label] = (restamped(folder, os.path.join(root, label), other), other, "none")
    print(f"\n{scheme}: writer (down) / reader (across)")
    print(f"{'':20}" + "".join(f"{reader:12}" for reader in drivers))
    for label, (folder, version, compression) in sets.items():
        cells = []
        for reader, peer in drivers.items():
            cell = read_all(peer, scheme, folder)
            cells.append(cell)
            want = expected(version, compression, reader, versions[reader])
            tally.check(f"{scheme}: {reader} reads {label}", cell == want, f"got {cell!r}, expected {want!r}")
        print(f"{label:20}" + "".join(f"{cell:12}" for cell in cells))


def read_all(peer, scheme, folder):
    try:
        answer = peer.ask(
            "evaluate_all", dir=folder, security=128, values=sample_values(scheme), scale=SCALE, galois_steps=STEPS
        )
    except peers.PeerError as error:
        if "incompatible version" in str(error):
            return "refused"
        return "no zstd" if error.unsupported and "zstd" in str(error) else str(error)
    wrong = [name for name, good in answer["correct"].items() if not good]
    return f"wrong: {wrong}" if wrong else "yes"


def restamped(source, target, version):
    """A copy of a folder, uncompressed, with every header, nested ones too, marked as another 4.x."""
    os.makedirs(target)
    for name in os.listdir(source):
        with open(os.path.join(source, name), "rb") as file:
            data = file.read()
        if data[5] == 2:
            data = data[:16] + zstandard.ZstdDecompressor().decompressobj().decompress(data[16:])
            data = data[:5] + bytes(3) + len(data).to_bytes(8, "little") + data[16:]
        head = b"\x5e\xa1\x10\x04"  # magic, header size, major version
        minor = bytes([int(version[2:])])
        for old in VERSIONS:
            data = data.replace(head + bytes([int(old[2:])]) + bytes(3), head + minor + bytes(3))
        with open(os.path.join(target, name), "wb") as file:
            file.write(data)
    return target


def check_compressions(drivers, root, tally):
    """Both releases of node-seal read and write all three modes; a seeded object resaves in full."""
    folder = os.path.join(root, "bfv", "node-seal7")
    parms = os.path.join(folder, "parms.seal")
    for name in ("node-seal6", "node-seal7"):
        for mode in ("none", "zlib", "zstd"):
            out = os.path.join(root, f"{name}.{mode}")
            source = os.path.join(folder, "cipher.symmetric.seeded.seal")
            drivers[name].ask("resave", kind="cipher", parms=parms, out=out, compression=mode, **{"in": source})
            with open(out, "rb") as file:
                tally.check(f"{name} writes {mode}", file.read(6)[5] == ("none", "zlib", "zstd").index(mode))
            other = "node-seal7" if name == "node-seal6" else "node-seal6"
            answer = drivers[other].ask(
                "decrypt", parms=parms, secret_key=os.path.join(folder, "secret_key.seal"), cipher=out
            )
            want = [str(value) for value in sample_values("bfv")]
            tally.check(f"{name} {mode}", answer["values"][: len(want)] == want, answer["values"][:6])


def check_fixtures(drivers, tally):
    """The committed files of data/seal decrypt to what their expected.json says, with the library that made them."""
    data = os.path.join(peers.HERE, "../../data/seal")
    for folder, _, names in sorted(os.walk(data)):
        if "expected.json" not in names:
            continue
        with open(os.path.join(folder, "expected.json")) as file:
            expected_json = json.load(file)
        maker = os.path.basename(os.path.dirname(folder))
        peer = drivers["node-seal7" if maker == "rejection" else maker]
        tally.check(f"{folder}: files", set(names) == {*expected_json["files"], *fixture_notes(names)})
        for name, facts in expected_json["files"].items():
            path = os.path.join(folder, name)
            tally.check(f"{path}: size", os.path.getsize(path) == facts["bytes"])
            if facts["object"] == "Ciphertext" and "values" in facts:
                check_fixture(peer, folder, name, facts, expected_json, tally)


def fixture_notes(names):
    return [name for name in names if not name.endswith(".seal")]


def check_fixture(peer, folder, name, facts, expected_json, tally):
    answer = peer.ask("decrypt", dir=folder, cipher=os.path.join(folder, name))
    exact, modulus = expected_json["scheme"] != "ckks", int(expected_json["plain_modulus"])
    want = facts["values"] + [0] * (len(answer["values"]) - len(facts["values"]))
    pairs = list(zip(answer["values"], want, strict=True))
    if exact:
        good = all((int(a) - b) % modulus == 0 for a, b in pairs)
    else:
        good = all(abs(a - b) <= expected_json["tolerance"] for a, b in pairs)
    described = ("size", "chain_index", "scale", "correction_factor", "parms_id")
    facts_hold = all(answer[key] == facts[key] for key in described)
    tally.check(f"{folder}/{name}", good and facts_hold)


def check_timing(peer, tally):
    """Every row of every scheme runs and passes its check, and a check that cannot hold stops the row."""
    for scheme, modulus in SCHEMES.items():
        fields = {"scheme": scheme, "plain_modulus": modulus, **PARMS}
        for row in peer.ask("time_rows", **fields)["rows"]:
            answer = peer.ask("time", row=row, iterations=3, **fields)
            tally.check(f"{scheme} {row}", answer["checked"] and len(answer["nanoseconds"]) == 3)
    peer.ask("time_reset")
    try:
        peer.ask("time", row="encode", iterations=1, tolerance=0, **{**fields, "scheme": "ckks"})
        tally.check("a wrong result", False, "was timed")
    except peers.PeerError as error:
        tally.check("a wrong result", "wrong result" in str(error), error)


if __name__ == "__main__":
    sys.exit(main())
