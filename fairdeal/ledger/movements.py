"""Every way that money moves, each as one transaction. A stake of 0 moves nothing: these are not called for it."""

from collections.abc import Sequence

from fairdeal.errors import Malformed
from fairdeal.ledger.model import CASHIER, COMMISSION, TAX, Kind, Transaction, cash, held, owner, pending, postings
from fairdeal.ledger.model import pot as pot_of
from fairdeal.ledger.settlement import Line, Outcome, Refund, SeedForfeit, Win


def deposit(deposit_id: str, account_id: str, amount: int, *, asset: str, at: int) -> Transaction:
    """`cashier → cash`. `deposit_id` is 32 hex digits, new for each deposit."""
    if amount <= 0:
        raise Malformed("a deposit is more than nothing")
    entries = postings([(CASHIER, -amount), (cash(account_id), amount)])
    return Transaction(f"deposit:{deposit_id}", Kind.DEPOSIT, asset, at, entries)


def withdraw(withdrawal_id: str, account_id: str, amount: int, *, asset: str, at: int) -> Transaction:
    """`cash → pending`, as soon as it is asked for. `withdrawal_id` is 32 hex digits, new for each withdrawal."""
    if amount <= 0:
        raise Malformed("a withdrawal is more than nothing")
    entries = postings([(cash(account_id), -amount), (pending(account_id), amount)])
    return Transaction(f"withdraw:{withdrawal_id}", Kind.WITHDRAW, asset, at, entries)


def pay_withdrawal(withdrawal_id: str, account_id: str, amount: int, *, asset: str, at: int) -> Transaction:
    """`pending → cashier`: the money has left. One of this and `refuse_withdrawal` happens: they have one id."""
    entries = postings([(pending(account_id), -amount), (CASHIER, amount)])
    return Transaction(f"withdrawn:{withdrawal_id}", Kind.PAYOUT, asset, at, entries)


def refuse_withdrawal(withdrawal_id: str, account_id: str, amount: int, *, asset: str, at: int) -> Transaction:
    """`pending → cash`, whole."""
    entries = postings([(pending(account_id), -amount), (cash(account_id), amount)])
    return Transaction(f"withdrawn:{withdrawal_id}", Kind.REFUSAL, asset, at, entries)


def reverse(mistake: Transaction, *, at: int) -> Transaction:
    """Undoes a deposit or a payout that should not have been, whole: `cash → cashier`, or `cashier → cash`. One of each
    happens once: the id names it. Raises Malformed for any other kind.
    """
    if mistake.kind not in (Kind.DEPOSIT, Kind.PAYOUT):
        raise Malformed("only deposits and payouts are reversed")
    account_id = owner(next(one.account for one in mistake.postings if one.account != CASHIER))
    came_in = -next(one.amount for one in mistake.postings if one.account == CASHIER)
    entries = postings([(CASHIER, came_in), (cash(account_id), -came_in)])
    return Transaction(f"reversal:{mistake.id.partition(':')[2]}", Kind.REVERSAL, mistake.asset, at, entries)


def sit(match_id: str, account_id: str, player: str, stake: int, *, asset: str, at: int) -> Transaction:
    """`cash → held`. `player` is the seat's pseudonym, new for each sitting: a sitting holds its stake once."""
    entries = postings([(cash(account_id), -stake), (held(account_id), stake)])
    return Transaction(f"sit:{player}", Kind.SIT, asset, at, entries, match_id)


def stand_up(match_id: str, account_id: str, player: str, stake: int, *, asset: str, at: int) -> Transaction:
    """`held → cash`, whole. A sitting gives its stake back once."""
    entries = postings([(held(account_id), -stake), (cash(account_id), stake)])
    return Transaction(f"stand:{player}", Kind.STAND, asset, at, entries, match_id)


def form_pot(match_id: str, account_ids: Sequence[str], stake: int, *, asset: str, at: int) -> Transaction:
    """`held → pot` for all seats, with the last join."""
    holds = [(held(account_id), -stake) for account_id in account_ids]
    entries = postings([(pot_of(match_id), stake * len(account_ids)), *holds])
    return Transaction(f"pot:{match_id}", Kind.POT, asset, at, entries, match_id)


def cancel(match_id: str, account_ids: Sequence[str], stake: int, *, asset: str, at: int) -> Transaction:
    """`held → cash`, whole, for everybody seated at a match that ends before it has a pot."""
    moves = [pair for a in account_ids for pair in ((held(a), -stake), (cash(a), stake))]
    return Transaction(f"end:{match_id}", Kind.CANCEL, asset, at, postings(moves), match_id)


def pay_out(
    match_id: str, account_ids: Sequence[str], lines: Sequence[Line], outcome: Outcome, *, asset: str, at: int
) -> Transaction:
    """The settlement's lines as entries: `pot → cash, commission, tax`. `account_ids[seat]` sits at that seat.

    Raises Malformed for a line of no account, LedgerBroken when the lines do not sum to zero.
    """
    accounts = {f"seat:{seat}": cash(account_id) for seat, account_id in enumerate(account_ids)}
    accounts |= {"pot": pot_of(match_id), "commission": COMMISSION, "tax": TAX}
    if any(line.account not in accounts for line in lines):
        raise Malformed("a settlement line names no account of this match")
    entries = postings((accounts[line.account], line.amount) for line in lines)
    return Transaction(f"end:{match_id}", _kind(outcome), asset, at, entries, match_id)


def _kind(outcome: Outcome) -> Kind:
    match outcome:
        case Win():
            return Kind.FINISH
        case SeedForfeit():
            return Kind.SEED
        case Refund():
            return Kind.VOID
