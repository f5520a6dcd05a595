"""The money journal as other programs' books: CSV, beancount and hledger (docs/ledger.md, *Exports*).

CSV has the journal's own signs. In an accountant's books what the house owes stands to the credit, so the two others
have every sign turned: money that came in is an asset, what players, pots and the state are owed a liability. They end
with the balance of every account, to be met to the last unit.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Final, Literal, TypeAlias

from fairdeal.errors import Malformed
from fairdeal.ledger import CASHIER, COMMISSION, TAX, Transaction, format_amount, owner, purpose

Program: TypeAlias = Literal["csv", "beancount", "hledger"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_DAY_MS: Final = 253_402_214_400_000
"""9999-12-31: the balances are of the day after the last transaction, and no calendar here goes further."""
_NO_CURRENCIES: Final = ("FALSE", "NULL", "TRUE")
"""Words of beancount's own."""
_NAMES: Final = {CASHIER: "Assets:Cashier", COMMISSION: "Income:Commission", TAX: "Liabilities:Tax"}
_COLUMNS: Final = "index,transaction,kind,match,at,account,asset,amount,balance_before,balance_after"


def convert(journal: Iterable[Transaction], exponents: Mapping[str, int], to: Program) -> Iterator[str]:
    """The file's text in pieces; `exponents` are the decimals of each asset's unit.

    Raises Malformed for a time that has no date, or a code that the program has another meaning for.
    """
    return {"csv": _csv, "beancount": _beancount, "hledger": _hledger}[to](_Books(journal, exponents))


def account_name(account: str) -> str:
    """The one name of an account in both programs: `player:<id>:cash` is `Liabilities:Player:P<id>:Cash`."""
    if account in _NAMES:
        return _NAMES[account]
    kind = "Match" if purpose(account) == "pot" else "Player"
    return f"Liabilities:{kind}:{kind[0]}{owner(account)}:{purpose(account).capitalize()}"


def time_text(at: int) -> str:
    """A time in ms as RFC 3339, UTC. Raises Malformed beyond the calendar."""
    return _moment(at).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class _Books:
    """The balances, account by account and asset by asset, as the journal goes by."""

    def __init__(self, journal: Iterable[Transaction], exponents: Mapping[str, int]) -> None:
        self._journal = journal
        self._exponents = exponents
        self._last = _EPOCH.date()
        self.balances: dict[tuple[str, str], int] = {}

    def transactions(self) -> Iterator[tuple[int, Transaction]]:
        """With their index in the journal; the balances are those before it until the next one is asked for."""
        for index, transaction in enumerate(self._journal):
            yield index, transaction
            self._last = max(self._last, _moment(transaction.at).date())
            for posting in transaction.postings:
                self.balances[posting.account, transaction.asset] = self.balance(posting.account, transaction.asset)
                self.balances[posting.account, transaction.asset] += posting.amount

    def balance(self, account: str, asset: str) -> int:
        return self.balances.get((account, asset), 0)

    def amount(self, units: int, asset: str) -> str:
        return format_amount(units, self._exponents[asset])

    @property
    def closing(self) -> date:
        """The day that begins with all of it done. Times order nothing: the last transaction need not be the latest."""
        return self._last + timedelta(days=1)


def _csv(books: _Books) -> Iterator[str]:
    yield f"{_COLUMNS}\r\n"
    for index, made in books.transactions():
        head = f"{index},{made.id},{made.kind.value},{made.match or ''},{time_text(made.at)}"
        for posting in made.postings:
            before = books.balance(posting.account, made.asset)
            figures = (books.amount(units, made.asset) for units in (posting.amount, before, before + posting.amount))
            # No member can hold a comma or a quote.
            yield f"{head},{posting.account},{made.asset},{','.join(figures)}\r\n"


def _beancount(books: _Books) -> Iterator[str]:
    yield 'option "title" "fairdeal"\n'
    opened: set[str] = set()
    for index, made in books.transactions():
        if made.asset in _NO_CURRENCIES:
            raise Malformed(f"beancount knows no currency {made.asset}")
        for name in _new(made, opened):
            yield f"{_EPOCH.date()} open {name}\n"
        yield f'{_moment(made.at).date()} * "{made.kind.value}" ^{made.id.replace(":", "-")}\n'
        yield f'  index: {index}\n  at: "{time_text(made.at)}"\n'
        if made.match is not None:
            yield f'  match: "{made.match}"\n'
        for posting in made.postings:
            yield f"  {account_name(posting.account)}  {books.amount(-posting.amount, made.asset)} {made.asset}\n"
    for (account, asset), balance in books.balances.items():
        yield f"{books.closing} balance {account_name(account)}  {books.amount(-balance, asset)} ~ 0 {asset}\n"


def _hledger(books: _Books) -> Iterator[str]:
    opened: set[str] = set()
    commodities: set[str] = set()
    for index, made in books.transactions():
        if made.asset not in commodities:
            commodities.add(made.asset)
            # The mark stands also where no decimals follow: without one hledger would have to guess.
            unit = books.amount(0, made.asset)
            yield f"commodity {unit if '.' in unit else f'{unit}.'} {_commodity(made.asset)}\n"
        for name in _new(made, opened):
            yield f"account {name}\n"
        tags = [f"index:{index}", f"at:{time_text(made.at)}", *([f"match:{made.match}"] if made.match else [])]
        yield f"{_moment(made.at).date()} * ({made.id}) {made.kind.value}  ; {', '.join(tags)}\n"
        for posting in made.postings:
            amount = books.amount(-posting.amount, made.asset)
            yield f"    {account_name(posting.account)}  {amount} {_commodity(made.asset)}\n"
    if books.balances:
        yield f"{books.closing} * balances\n"
    for (account, asset), balance in books.balances.items():
        nothing, kept, code = books.amount(0, asset), books.amount(-balance, asset), _commodity(asset)
        yield f"    {account_name(account)}  {nothing} {code} = {kept} {code}\n"


def _new(made: Transaction, opened: set[str]) -> list[str]:
    """The names that stand here for the first time."""
    names = [account_name(posting.account) for posting in made.postings]
    new = [name for name in names if name not in opened]
    opened.update(new)
    return new


def _commodity(asset: str) -> str:
    """hledger wants quotes around a code with digits."""
    return asset if asset.isalpha() else f'"{asset}"'


def _moment(at: int) -> datetime:
    if at >= _LAST_DAY_MS:
        raise Malformed("a transaction's time is beyond the calendar")
    return _EPOCH + timedelta(milliseconds=at)
