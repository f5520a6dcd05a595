"""Routes of money that comes in or leaves. There is none from one player to another."""

from dataclasses import asdict
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Header, Path, Request
from fastapi.concurrency import run_in_threadpool

from fairdeal.api.caller import CallerDep, IdempotencyKey, OperatorDep, Services, ServicesDep
from fairdeal.api.door import ARRIVED
from fairdeal.api.paging import Cursor, Limit, cursor_of, position_of
from fairdeal.api.schemas.cashier import (
    DepositHook,
    DepositIn,
    DepositOut,
    PendingWithdrawalOut,
    PendingWithdrawalPage,
    ReversalIn,
    ReversalOut,
    Webhook,
    WithdrawalIn,
    WithdrawalOut,
    WithdrawalPage,
    WithdrawalResultIn,
)
from fairdeal.api.webhooks import check_webhook
from fairdeal.app.cashier_ports import Withdrawal
from fairdeal.errors import WebhookRefused

router = APIRouter(tags=["money"])

_WithdrawalId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="The withdrawal's id.")]
_OPERATOR: Final[dict[str, Any]] = {"dependencies": [OperatorDep], "tags": ["operator"]}


@router.post("/deposits", status_code=201, operation_id="deposit", **_OPERATOR)
def deposit(body: DepositIn, key: IdempotencyKey, services: ServicesDep) -> DepositOut:
    """Gives an account money. For the operator."""
    done = services.cashier.deposit("operator", key, body.account, body.amount, body.asset)
    return DepositOut(**asdict(done), exponent=_exponent(services, done.asset))


@router.post("/withdrawals", status_code=201, operation_id="withdraw")
def withdraw(body: WithdrawalIn, key: IdempotencyKey, services: ServicesDep, caller: CallerDep) -> WithdrawalOut:
    """Asks for money: it leaves the caller's free balance at once, and is pending until the cashier pays or refuses."""
    return _withdrawal(services, services.cashier.withdraw(caller.id, body.amount, key, body.asset))


@router.get("/withdrawals", operation_id="withdrawals")
def withdrawals(services: ServicesDep, caller: CallerDep, cursor: Cursor = None, limit: Limit = 50) -> WithdrawalPage:
    """The caller's withdrawals, newest first."""
    own = services.cashier.withdrawals(caller.id, position_of(cursor), limit)
    return WithdrawalPage(
        withdrawals=[_withdrawal(services, one) for one in own], cursor=cursor_of([one.seq for one in own], limit)
    )


@router.get("/cashier/withdrawals", operation_id="pending_withdrawals", **_OPERATOR)
def pending(services: ServicesDep, cursor: Cursor = None, limit: Limit = 50) -> PendingWithdrawalPage:
    """Everybody's withdrawals that wait for an answer, newest first. For the operator."""
    waiting = services.cashier.pending(position_of(cursor), limit)
    return PendingWithdrawalPage(
        withdrawals=[
            PendingWithdrawalOut(
                id=one.id,
                account=one.account_id,
                amount=one.amount,
                asset=one.asset,
                exponent=_exponent(services, one.asset),
                asked_at=one.asked_at,
            )
            for one in waiting
        ],
        cursor=cursor_of([one.seq for one in waiting], limit),
    )


@router.post("/cashier/withdrawals/{withdrawal}", operation_id="end_withdrawal", **_OPERATOR)
def end_withdrawal(
    withdrawal: _WithdrawalId, body: WithdrawalResultIn, key: IdempotencyKey, services: ServicesDep
) -> WithdrawalOut:
    """Ends a withdrawal: the money has left, or is given back whole. For the operator."""
    return _withdrawal(services, services.cashier.end_withdrawal("operator", key, withdrawal, body.result))


async def _signed(request: Request, services: ServicesDep) -> str:
    """The webhook's id, once it is known who says it: what else is in it is looked at afterwards."""
    if not services.webhook_secrets:
        raise WebhookRefused("this service takes no webhooks")
    ids, timestamps, signatures = (
        request.headers.getlist(f"webhook-{name}") for name in ("id", "timestamp", "signature")
    )
    now_ms = request.scope[ARRIVED]
    return check_webhook(services.webhook_secrets, ids, timestamps, signatures, await request.body(), now_ms)


@router.post("/cashier/reversals", status_code=201, operation_id="reverse", **_OPERATOR)
def reverse(body: ReversalIn, key: IdempotencyKey, services: ServicesDep) -> ReversalOut:
    """Undoes a deposit or a payout that should not have been, whole and once. For the operator; that it was done, and
    why, is kept for the auditor.
    """
    done = services.cashier.reverse(key, body.transaction, body.reason)
    return ReversalOut(**asdict(done), exponent=_exponent(services, done.asset))


@router.post("/cashier/webhook", status_code=204, operation_id="cashier_webhook", tags=["operator"])
async def webhook(
    key: Annotated[str, Depends(_signed)],
    body: Webhook,
    services: ServicesDep,
    _id: Annotated[str, Header(alias="webhook-id", description="The idempotency key: one thing happens once.")],
    _timestamp: Annotated[str, Header(alias="webhook-timestamp", description="Seconds since 1970-01-01 UTC.")],
    _signature: Annotated[str, Header(alias="webhook-signature", description="`v1,` and base64; parted by spaces.")],
) -> None:
    """Takes what the cashier's payment service says, signed as Standard Webhooks prescribes: deposits, and how
    withdrawals ended. Whoever is refused may send it again under the same id.
    """
    await run_in_threadpool(_take, services, key, body)


def _take(services: Services, key: str, body: Webhook) -> None:
    if isinstance(body, DepositHook):
        services.cashier.deposit("webhook", key, body.data.account, body.data.amount, body.data.asset)
    else:
        services.cashier.end_withdrawal("webhook", key, body.data.withdrawal, body.data.result)


def _exponent(services: Services, code: str) -> int | None:
    return next((asset.exponent for asset in services.accounts.assets if asset.code == code), None)


def _withdrawal(services: Services, one: Withdrawal) -> WithdrawalOut:
    return WithdrawalOut(
        id=one.id,
        amount=one.amount,
        asset=one.asset,
        exponent=_exponent(services, one.asset),
        status="reversed" if one.reversed_at is not None else one.result or "pending",
        asked_at=one.asked_at,
        ended_at=one.ended_at,
        reversed_at=one.reversed_at,
    )
