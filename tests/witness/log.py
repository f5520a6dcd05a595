"""A log for witnesses to look at: its leaves are numbers, and it can fork."""

from fairdeal.keys import SigningKey
from fairdeal.tlog import AddCheckpoint, Checkpoint, NoteSigner, sign_note
from tests.simulator.log import Tree


class SmallLog:
    """A hundred leaves. From the index `forked_at` on they are others than those of the log that is not forked."""

    def __init__(self, origin: str = "log.example", forked_at: int = 100, seed: bytes = bytes(32)) -> None:
        self.signer = NoteSigner(origin, SigningKey.from_seed(seed))
        self.tree = Tree()
        for number in range(100):
            self.tree.append(f"{number}{'' if number < forked_at else '!'}".encode())

    @property
    def policy(self) -> str:
        return f"log {self.signer.verifier_key.format()}\nquorum none\n"

    def checkpoint(self, size: int) -> Checkpoint:
        return Checkpoint(self.signer.verifier_key.name, size, self.tree.root(size))

    def request(self, old: int, size: int) -> bytes:
        proof = tuple(bytes.fromhex(one) for one in self.tree.consistency(old, size))
        checkpoint = self.checkpoint(size)
        return AddCheckpoint(old, proof, sign_note(checkpoint.body(), self.signer), checkpoint).format()
