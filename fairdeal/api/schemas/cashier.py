"""Deposits, withdrawals, and what the cashier's webhooks say."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from fairdeal.api.schemas.base import Amount, AssetCode, Hex16, Model, Ms, Reason
from fairdeal.limits import MAX_STAKE

_Moved: TypeAlias = Annotated[int, Field(gt=0, le=MAX_STAKE, examples=[1000], description="Minor units.")]
_Exponent: TypeAlias = Annotated[
    int | None, Field(description="10^`exponent` minor units make one; null for an asset that the house has no more.")
]
_Result: TypeAlias = Literal["paid", "refused"]


class DepositIn(Model):
    """Money for an account."""

    account: Hex16
    amount: _Moved
    asset: Annotated[AssetCode | None, Field(description="Absent: the usual one.")] = None


class DepositOut(Model):
    """The deposit's transaction, what it brought, and the free balance right after it."""

    transaction: str
    amount: Amount
    asset: str
    exponent: _Exponent
    balance: Amount
    at: Ms


class ReversalIn(Model):
    """A deposit or a payout that should not have been, and why. The reason is kept for the auditor, for ever."""

    transaction: Annotated[
        str,
        Field(pattern="^(deposit|withdrawn):[0-9a-f]{32}$", examples=["deposit:6f1c0b0e5d9a4c37a1f2e3d4c5b6a798"]),
    ]
    reason: Reason


class ReversalOut(DepositOut):
    """The transaction that undoes it, by how much the free money has changed, and what that is right after it."""


class WithdrawalIn(Model):
    """Money that the caller wants out."""

    amount: _Moved
    asset: Annotated[AssetCode | None, Field(description="Absent: the usual one.")] = None


class WithdrawalOut(Model):
    """A withdrawal: `pending`, and then `paid`, or `refused` with the whole amount back. One that was called paid by
    mistake is `reversed`, with the whole amount back since `reversed_at`.
    """

    id: Hex16
    amount: Amount
    asset: str
    exponent: _Exponent
    status: Literal["pending", "paid", "refused", "reversed"]
    asked_at: Ms
    ended_at: Ms | None
    reversed_at: Ms | None


class WithdrawalPage(Model):
    """Newest first. `cursor` asks for the next page; null on the last one."""

    withdrawals: list[WithdrawalOut]
    cursor: str | None


class PendingWithdrawalOut(Model):
    """A withdrawal that waits for the cashier, and whose it is."""

    id: Hex16
    account: Hex16
    amount: Amount
    asset: str
    exponent: _Exponent
    asked_at: Ms


class PendingWithdrawalPage(Model):
    """Newest first. `cursor` asks for the next page; null on the last one."""

    withdrawals: list[PendingWithdrawalOut]
    cursor: str | None


class WithdrawalResultIn(Model):
    """What became of it."""

    result: _Result


class _DepositData(Model):
    account: Hex16
    amount: _Moved
    asset: AssetCode


class DepositHook(Model):
    """Money has come in for an account."""

    type: Literal["deposit.succeeded"]
    timestamp: Annotated[str, Field(max_length=64, description="When it happened, for people: nothing goes by it.")]
    data: _DepositData


class _WithdrawalData(Model):
    withdrawal: Hex16
    result: _Result


class WithdrawalHook(Model):
    """A withdrawal has been paid out, or is refused."""

    type: Literal["withdrawal.ended"]
    timestamp: Annotated[str, Field(max_length=64, description="When it happened, for people: nothing goes by it.")]
    data: _WithdrawalData


Webhook: TypeAlias = Annotated[DepositHook | WithdrawalHook, Field(discriminator="type")]
