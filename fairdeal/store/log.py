"""The log of all matches: its queue, leaves, tiles, head and checkpoints. Inside the caller's transaction; what takes a
`Database` reads a moment by itself.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from sqlalchemy import Connection, bindparam, delete, func, insert, literal, literal_column, select, update

from fairdeal.app.log_ports import (
    CommitResult,
    JournalMark,
    LogAppend,
    LoggedLeaf,
    LogHead,
    QueuedLeaf,
    SignedCheckpoint,
)
from fairdeal.errors import RecordsBroken
from fairdeal.limits import HASH_BYTES, MAX_SAFE_INTEGER
from fairdeal.match.leaves import parse_leaf
from fairdeal.store import numbering
from fairdeal.store.database import Database
from fairdeal.store.dialects import insert_unless_there
from fairdeal.store.log_rows import checkpoints, cosignatures, head, journal_mark, leaves, queue, tiles
from fairdeal.tlog import Frontier, Tile
from fairdeal.tlog.tiles import TILE_HEIGHT


def enqueue(connection: Connection, texts: Iterable[bytes]) -> None:
    """Leaves that will get their index in this order. Raises Malformed for one that is none of protocol section 7.2."""
    rows = [{"leaf": leaf, "type": type_, "match_id": match_id} for leaf, type_, match_id in parsed(texts)]
    if rows:
        connection.execute(insert(queue), rows)


def parsed(texts: Iterable[bytes]) -> Iterator[tuple[bytes, str, str | None]]:
    """Each leaf with its type and its match. Raises Malformed."""
    for text in texts:
        leaf = parse_leaf(text)
        yield text, leaf["type"], leaf.get("m")


_QUEUED: Final = select(queue.c.seq, queue.c.leaf).order_by(queue.c.seq).limit(bindparam("most"))


def queued(database: Database, limit: int | None) -> tuple[QueuedLeaf, ...]:
    """The leaves that wait, the first one first."""
    most = MAX_SAFE_INTEGER if limit is None else limit
    return tuple(QueuedLeaf(*row) for row in database.fetch(_QUEUED, most=most))


def replace_queue(connection: Connection, texts: Iterable[bytes]) -> None:
    """These leaves wait, and no others."""
    connection.execute(delete(queue))
    enqueue(connection, texts)


def log_head(connection: Connection) -> LogHead:
    """How many leaves are stored, and their root."""
    return LogHead(*connection.execute(select(head.c.size, head.c.root)).one())


def append(connection: Connection, made: LogAppend) -> CommitResult:
    """The head first: who loses its compare-and-set writes nothing."""
    size = made.size + len(made.leaves)
    moved = update(head).where(head.c.size == made.size).values(size=size, root=made.root)
    if connection.execute(moved).rowcount != 1:
        return CommitResult.STALE
    taken = queue.c.seq.in_([one.seq for one in made.leaves])
    place = literal(made.size - 1) + func.row_number().over(order_by=queue.c.seq)
    moved_over = select(place, queue.c.leaf, queue.c.type, queue.c.match_id).where(taken).order_by(queue.c.seq)
    connection.execute(insert(leaves).from_select(["n", "leaf", "type", "match_id"], moved_over))
    for tile, data in made.tiles.items():
        # The hashes that the level had before: the tile is begun if they reach into it.
        if made.size >> TILE_HEIGHT * tile.level > tile.index << TILE_HEIGHT:
            here = (tiles.c.level == tile.level) & (tiles.c.n == tile.index)
            if connection.execute(update(tiles).where(here).values(data=data)).rowcount != 1:
                raise RecordsBroken("the log has not the tile that its size asks for")
        else:
            connection.execute(insert(tiles).values(level=tile.level, n=tile.index, data=data))
    if connection.execute(delete(queue).where(taken)).rowcount != len(made.leaves):
        raise RecordsBroken("a leaf is appended that did not wait for it")
    return CommitResult.COMMITTED


def tile_data(connection: Connection, tile: Tile) -> bytes | None:
    """As many hashes as the tile's name says, if so many are stored."""
    here = (tiles.c.level == tile.level) & (tiles.c.n == tile.index)
    data: bytes | None = connection.execute(select(tiles.c.data).where(here)).scalar_one_or_none()
    wanted = tile.width * HASH_BYTES
    return None if data is None or len(data) < wanted else data[:wanted]


def stored_leaves(connection: Connection, start: int, end: int) -> tuple[bytes, ...]:
    """The leaves from index `start` up to `end`."""
    some = select(leaves.c.leaf).where(leaves.c.n >= start, leaves.c.n < end).order_by(leaves.c.n)
    return tuple(connection.execute(some).scalars())


def match_leaves(connection: Connection, match_id: str) -> tuple[LoggedLeaf, ...]:
    """The leaves of a match, by index."""
    some = select(leaves.c.n, leaves.c.leaf).where(leaves.c.match_id == match_id).order_by(leaves.c.n)
    return tuple(LoggedLeaf(*row) for row in connection.execute(some))


def key_leaves(connection: Connection) -> tuple[LoggedLeaf, ...]:
    """The leaves that replace a key, by index."""
    some = select(leaves.c.n, leaves.c.leaf).where(leaves.c.type == literal_column("'key'")).order_by(leaves.c.n)
    return tuple(LoggedLeaf(*row) for row in connection.execute(some))


def keep_checkpoint(connection: Connection, size: int, note: str) -> None:
    """Once for each size. Raises RecordsBroken for another note of one."""
    kept = select(checkpoints.c.note).where(checkpoints.c.size == size)
    if connection.execute(kept).first() is None:
        connection.execute(insert_unless_there(checkpoints).values(size=size, note=note))
    if connection.execute(kept).scalar_one() != note:
        raise RecordsBroken("the log has signed another checkpoint of that size")


def checkpoint(connection: Connection, size: int | None) -> SignedCheckpoint | None:
    """The one of that size, or the newest."""
    if size is None:
        size = connection.execute(select(func.max(checkpoints.c.size))).scalar_one()
    note = connection.execute(select(checkpoints.c.note).where(checkpoints.c.size == size)).scalar_one_or_none()
    if size is None or note is None:
        return None
    lines = select(cosignatures.c.line).where(cosignatures.c.size == size).order_by(cosignatures.c.witness)
    return SignedCheckpoint(size, note, tuple(connection.execute(lines).scalars()))


def checkpoint_sizes(connection: Connection, since: int, limit: int) -> tuple[int, ...]:
    """Above `since`, ascending."""
    some = select(checkpoints.c.size).where(checkpoints.c.size > since).order_by(checkpoints.c.size).limit(limit)
    return tuple(connection.execute(some).scalars())


def cosigned(
    connection: Connection, least: int, witnesses: Collection[str], enough: int, limit: int
) -> tuple[SignedCheckpoint, ...]:
    """Checkpoints that `enough` of these witnesses have cosigned, the newest first."""
    theirs = (cosignatures.c.size >= least) & cosignatures.c.witness.in_(witnesses)
    some = select(cosignatures.c.size).where(theirs).group_by(cosignatures.c.size).having(func.count() >= enough)
    sizes = connection.execute(some.order_by(cosignatures.c.size.desc()).limit(limit)).scalars().all()
    found = (checkpoint(connection, size) for size in sizes)
    return tuple(one for one in found if one is not None)


def add_cosignature(connection: Connection, size: int, witness: str, line: str) -> None:
    """The first line of a witness at a size stands."""
    mine = (cosignatures.c.size == size) & (cosignatures.c.witness == witness)
    if connection.execute(select(cosignatures.c.line).where(mine)).first() is None:
        connection.execute(insert_unless_there(cosignatures).values(size=size, witness=witness, line=line))


_MARK: Final = select(journal_mark.c.size, journal_mark.c.subtrees, journal_mark.c.at)


def mark(database: Database) -> JournalMark:
    """How far the money journal is in the log."""
    ((size, subtrees, at),) = database.fetch(_MARK)
    hashes = tuple(subtrees[start : start + HASH_BYTES] for start in range(0, len(subtrees), HASH_BYTES))
    return JournalMark(Frontier(size, hashes), at)


def move_mark(connection: Connection, before: JournalMark, after: JournalMark, leaf: bytes) -> CommitResult:
    """A compare-and-set on the mark's size and the journal's, and the leaf into the queue."""
    # Who writes a transaction takes its number before its leaves, so none comes between this look and the leaf.
    if numbering.last(connection, "transactions") != after.frontier.size:
        return CommitResult.STALE
    moved = update(journal_mark).where(journal_mark.c.size == before.frontier.size)
    moved = moved.values(size=after.frontier.size, subtrees=b"".join(after.frontier.subtrees), at=after.at)
    if connection.execute(moved).rowcount != 1:
        return CommitResult.STALE
    enqueue(connection, [leaf])
    return CommitResult.COMMITTED
