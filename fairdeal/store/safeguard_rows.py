"""The rows of limits and stops. As in `rows`, CHECKs and triggers hold them; all of them are append-only."""

from sqlalchemy import BigInteger, CheckConstraint, Index, Table
from sqlmodel import Field

from fairdeal.app.safeguard_ports import RAISE_DELAY_MS
from fairdeal.store.rows import SEQUENCE, Row


class LimitRow(Row, table=True):
    """The newest row of an account, asset, kind and period says all: `old_amount` holds before `from_at`, `amount` from
    then on.
    """

    __tablename__ = "limits"
    __table_args__ = (
        CheckConstraint("kind IN ('deposit', 'loss', 'stake')", name="kind"),
        CheckConstraint("period IN ('day', 'week', 'month')", name="period"),
        CheckConstraint("amount >= 0", name="amount"),
        CheckConstraint(
            f"from_at = asked_at + CASE WHEN amount <= coalesce(old_amount, amount) THEN 0 ELSE {RAISE_DELAY_MS} END",
            name="raised_late",
        ),
        Index(None, "account_id", "asset", "kind", "period", "seq"),
    )
    seq: int | None = Field(primary_key=True, sa_type=SEQUENCE)
    account_id: str = Field(foreign_key="accounts.id")
    asset: str
    kind: str
    period: str
    amount: int | None = Field(sa_type=BigInteger)
    old_amount: int | None = Field(sa_type=BigInteger)
    asked_at: int = Field(sa_type=BigInteger)
    from_at: int = Field(sa_type=BigInteger)


class ExclusionRow(Row, table=True):
    """A player's own stop; without `until` it is for good."""

    __tablename__ = "exclusions"
    __table_args__ = (
        CheckConstraint("kind IN ('cool_off', 'exclusion')", name="kind"),
        CheckConstraint("until > at", name="until"),
        CheckConstraint("kind = 'exclusion' OR until IS NOT NULL", name="for_good"),
        Index(None, "account_id", "seq"),
    )
    seq: int | None = Field(primary_key=True, sa_type=SEQUENCE)
    account_id: str = Field(foreign_key="accounts.id")
    kind: str
    at: int = Field(sa_type=BigInteger)
    until: int | None = Field(sa_type=BigInteger)


class SwitchRow(Row, table=True):
    """The operator's switch; the newest row of an account, or of everybody where it is null, is in force."""

    __tablename__ = "switches"
    __table_args__ = (
        CheckConstraint("state IN ('on', 'off')", name="state"),
        Index(None, "account_id", "seq"),
    )
    seq: int | None = Field(primary_key=True, sa_type=SEQUENCE)
    account_id: str | None = Field(foreign_key="accounts.id")
    state: str
    reason: str
    at: int = Field(sa_type=BigInteger)


def _table(name: str) -> Table:
    return Row.metadata.tables[name]


limits = _table("limits")
exclusions = _table("exclusions")
switches = _table("switches")
