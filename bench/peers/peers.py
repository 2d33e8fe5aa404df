"""A client for the peer drivers: starts one, asks it, and checks what other libraries may read."""

import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ["seal", "node-seal6", "node-seal7", "tenseal"]


class PeerError(Exception):
    """The driver's own error text; `unsupported` tells what the library cannot do from what it refused."""

    @property
    def unsupported(self):
        return str(self).startswith("unsupported:")


class Peer:
    """One running driver. Use it as a context manager."""

    def __init__(self, name):
        self.name = name
        command = [os.path.join(HERE, "run.sh"), name]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command, **fields):
        """The answer's fields. Raises `PeerError` when the driver says no or is gone."""
        self.process.stdin.write(json.dumps({"command": command, **fields}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise PeerError(f"the driver {self.name} ended with exit code {self.process.wait()}")
        answer = json.loads(line)
        if not answer["ok"]:
            raise PeerError(answer["error"])
        return answer

    def close(self):
        self.process.stdin.close()
        return self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.close()


def setup():
    """Installs the peers if they are not there yet."""
    subprocess.run([os.path.join(HERE, "setup.sh")], check=True)
