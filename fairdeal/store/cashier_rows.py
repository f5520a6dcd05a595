"""The rows of the cashier. As in `rows`, CHECKs and triggers hold them."""

from sqlalchemy import BigInteger, CheckConstraint, Index, Table, text
from sqlmodel import Field

from fairdeal.store.rows import SEQUENCE, Row

_PENDING = text("result IS NULL")


class WithdrawalRow(Row, table=True):
    """What a player wants out. `result` and `ended_at` come together, once, with the transaction that moves the money;
    all else is fixed.
    """

    __tablename__ = "withdrawals"
    __table_args__ = (
        CheckConstraint("amount > 0", name="amount"),
        CheckConstraint("result IN ('paid', 'refused')", name="result"),
        CheckConstraint("(result IS NULL) = (ended_at IS NULL)", name="ended"),
        Index(None, "account_id", "seq"),
        Index("pending_withdrawals", "seq", sqlite_where=_PENDING, postgresql_where=_PENDING),  # a few among millions
    )
    seq: int | None = Field(primary_key=True, sa_type=SEQUENCE)
    id: str = Field(unique=True)
    account_id: str = Field(foreign_key="accounts.id")
    asset: str
    amount: int = Field(sa_type=BigInteger)
    asked_at: int = Field(sa_type=BigInteger)
    result: str | None
    ended_at: int | None = Field(sa_type=BigInteger)


withdrawals: Table = Row.metadata.tables["withdrawals"]
