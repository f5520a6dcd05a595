"""The rows of the log of all matches (protocol section 7). As in `rows`, CHECKs and triggers hold them."""

from sqlalchemy import BigInteger, CheckConstraint, Index, Table, UniqueConstraint, text
from sqlmodel import Field

from fairdeal.store.rows import GIVEN, SEQUENCE, Row

_KEYS = text("type = 'key'")
_OF_A_MATCH = "(match_id IS NOT NULL) = (type IN ('open', 'full', 'start', 'close'))"


class QueueRow(Row, table=True):
    """Leaves that wait for their index, in the order in which they will get it; a row goes when its leaf has one."""

    __tablename__ = "log_queue"
    __table_args__ = (CheckConstraint(_OF_A_MATCH, name="of_a_match"), UniqueConstraint("match_id", "type"))
    seq: int | None = Field(primary_key=True, sa_type=SEQUENCE)
    leaf: bytes
    type: str
    match_id: str | None


class LeafRow(Row, table=True):
    """The log: leaf `n`, and what it says that is looked for. Append-only, without gaps.

    A match here need not be in this database: after a restore there may be some that only the log remembers.
    """

    __tablename__ = "leaves"
    __table_args__ = (
        CheckConstraint(_OF_A_MATCH, name="of_a_match"),
        UniqueConstraint("match_id", "type"),
        Index("key_leaves", "n", sqlite_where=_KEYS, postgresql_where=_KEYS),  # a few among millions
    )
    n: int = Field(primary_key=True, sa_type=SEQUENCE, sa_column_kwargs=GIVEN)
    leaf: bytes
    type: str
    match_id: str | None


class TileRow(Row, table=True):
    """Up to 256 hashes of one level of the tree; a tile only grows."""

    __tablename__ = "tiles"
    __table_args__ = (
        CheckConstraint("length(data) BETWEEN 32 AND 8192 AND length(data) % 32 = 0", name="hashes"),
        CheckConstraint("level >= 0 AND n >= 0", name="place"),
    )
    level: int = Field(primary_key=True)
    n: int = Field(primary_key=True, sa_type=BigInteger)
    data: bytes


class LogHeadRow(Row, table=True):
    """Exactly one row: how many leaves are stored, and their root. Two histories would have to share it."""

    __tablename__ = "log_head"
    __table_args__ = (
        CheckConstraint('"only" = 1', name="one_row"),
        CheckConstraint("size >= 0 AND length(root) = 32", name="form"),
    )
    only: int = Field(primary_key=True, sa_column_kwargs=GIVEN)
    size: int = Field(sa_type=BigInteger)
    root: bytes


class CheckpointRow(Row, table=True):
    """Every checkpoint that was signed, without the witnesses' lines. Append-only."""

    __tablename__ = "checkpoints"
    size: int = Field(primary_key=True, sa_type=SEQUENCE, sa_column_kwargs=GIVEN)
    note: str


class CosignatureRow(Row, table=True):
    """The witnesses' signature lines, by key. Append-only."""

    __tablename__ = "cosignatures"
    size: int = Field(primary_key=True, sa_type=BigInteger, foreign_key="checkpoints.size")
    witness: str = Field(primary_key=True)
    line: str


class OutageRow(Row, table=True):
    """When the service was away, in ms: what matches are owed for. Append-only."""

    __tablename__ = "outages"
    __table_args__ = (CheckConstraint("began < ended", name="order"),)
    seq: int | None = Field(primary_key=True, sa_type=SEQUENCE)
    began: int = Field(sa_type=BigInteger)
    ended: int = Field(sa_type=BigInteger, index=True)


class JournalMarkRow(Row, table=True):
    """Exactly one row: how far the money journal is in the log. `subtrees` are the hashes of its tree's frontier."""

    __tablename__ = "journal_mark"
    __table_args__ = (CheckConstraint('"only" = 1', name="one_row"),)
    only: int = Field(primary_key=True, sa_column_kwargs=GIVEN)
    size: int = Field(sa_type=BigInteger)
    subtrees: bytes
    at: int = Field(sa_type=BigInteger)


def _table(name: str) -> Table:
    return Row.metadata.tables[name]


queue = _table("log_queue")
leaves = _table("leaves")
tiles = _table("tiles")
head = _table("log_head")
checkpoints = _table("checkpoints")
cosignatures = _table("cosignatures")
outages = _table("outages")
journal_mark = _table("journal_mark")
