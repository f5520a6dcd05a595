"""What the proof of the books reads: all balances, and how every match ended. Inside the caller's transaction."""

from sqlalchemy import Connection, func, select

from fairdeal.app.proof_ports import MatchEnd, WholeBooks
from fairdeal.store import books, history
from fairdeal.store.dialects import take_time
from fairdeal.store.log_rows import leaves
from fairdeal.store.rows import balances, match_endings, matches, seats, transactions, unfinished


def whole_books(connection: Connection) -> WholeBooks:
    """Everything that must agree, at one moment."""
    take_time(connection)  # a million balances are seconds of work
    size: int = connection.execute(select(func.count()).select_from(transactions)).scalar_one()
    assets = connection.execute(select(balances.c.asset).distinct()).scalars().all()
    return WholeBooks(size, {asset: books.of_asset(connection, asset) for asset in assets})


def match_ends(connection: Connection, after: int, limit: int) -> tuple[MatchEnd, ...]:
    """The matches that have ended, by their number."""
    ended = (
        select(
            matches.c.seq,
            matches.c.id,
            matches.c.asset,
            matches.c.stake,
            match_endings.c.match_id.is_not(None).label("settled"),
            match_endings.c.transaction_id,
        )
        .outerjoin(match_endings, match_endings.c.match_id == matches.c.id)
        .where(matches.c.seq > after, ~unfinished)  # said so no index of `status` serves, and none is read whole a page
        .order_by(matches.c.seq)
        .limit(limit)
    )
    rows = connection.execute(ended).all()
    ids = [row.id for row in rows]
    last = history.last_events(connection, ids)
    money = books.stored_transactions(
        connection, [row.transaction_id for row in rows if row.transaction_id is not None]
    )
    seated: dict[str, dict[int, str]] = {}
    sitting = select(seats.c.match_id, seats.c.seat, seats.c.account_id).where(seats.c.match_id.in_(ids))
    for match_id, seat, account_id in connection.execute(sitting):
        seated.setdefault(match_id, {})[seat] = account_id
    return tuple(
        MatchEnd(
            seq=row.seq,
            match_id=row.id,
            asset=row.asset,
            stake=row.stake,
            seated=seated.get(row.id, {}),
            last=last.get(row.id, ()),
            settled=bool(row.settled),
            money=money.get(row.transaction_id),
        )
        for row in rows
    )


def newest_ledger_leaf(connection: Connection) -> bytes | None:
    """From the log's end backwards: there is one every few minutes while money moves."""
    last = select(leaves.c.leaf).where(leaves.c.type == "ledger").order_by(leaves.c.n.desc()).limit(1)
    leaf: bytes | None = connection.execute(last).scalar_one_or_none()
    return leaf
