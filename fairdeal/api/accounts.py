"""Routes of people and money: accounts, sessions, deposits, the wallet."""

from fastapi import APIRouter, Request, Response

from fairdeal.api.caller import (
    CallerDep,
    ServicesDep,
    TokenDep,
    check_origin,
    forget_cookie,
    is_operator,
)
from fairdeal.api.door import CLIENT
from fairdeal.api.paging import Cursor, Limit, cursor_of, position_of
from fairdeal.api.schemas.accounts import (
    AccountOut,
    LogIn,
    SessionOut,
    SignUp,
    WalletLineOut,
    WalletOut,
    WalletPage,
)
from fairdeal.app.history_ports import WalletLine
from fairdeal.app.ports import Account
from fairdeal.errors import Forbidden

router = APIRouter(tags=["accounts"])


@router.post("/accounts", status_code=201, operation_id="sign_up")
async def sign_up(body: SignUp, request: Request, services: ServicesDep) -> AccountOut:
    """Makes an account."""
    if body.kind == "bot" and not is_operator(request, services):
        raise Forbidden("only the operator marks an account as a machine's")
    services.rates.count_sign_up(request.scope[CLIENT])
    account = await services.hashing.run(lambda: services.accounts.sign_up(body.name, body.password, body.kind))
    return _account(account)


@router.post("/sessions", status_code=201, operation_id="log_in")
async def log_in(body: LogIn, request: Request, response: Response, services: ServicesDep) -> SessionOut:
    """Logs in."""
    if body.cookie:
        check_origin(request, services)
    with services.rates.log_in(body.name, request.scope[CLIENT]):
        token, expires_at, account = await services.hashing.run(
            lambda: services.accounts.log_in(body.name, body.password)
        )
    if body.cookie:
        response.set_cookie(
            services.cookie, token, httponly=True, secure=services.secure_cookies, samesite="strict", path="/"
        )
    return SessionOut(token=None if body.cookie else token, expires_at=expires_at, account=_account(account))


@router.delete("/sessions/current", status_code=204, operation_id="log_out")
def log_out(response: Response, services: ServicesDep, token: TokenDep) -> None:
    """Ends the login that the call is made with, if it still is one, and its streams."""
    if token is not None:
        services.accounts.log_out(token)
    forget_cookie(response, services)


@router.delete("/sessions", status_code=204, operation_id="log_out_everywhere")
def log_out_everywhere(response: Response, services: ServicesDep, caller: CallerDep) -> None:
    """Ends every login of the caller's account, on every device, and their streams."""
    services.accounts.log_out_everywhere(caller.id)
    forget_cookie(response, services)


@router.get("/me", operation_id="me")
async def me(caller: CallerDep) -> AccountOut:
    """Whose login it is."""
    return _account(caller)


@router.get("/wallet", operation_id="wallet")
def wallet(services: ServicesDep, caller: CallerDep) -> WalletOut:
    """The caller's money."""
    asset, kept = services.accounts.asset, services.accounts.wallet(caller.id)
    return WalletOut(asset=asset.code, exponent=asset.exponent, cash=kept.cash, held=kept.held, pending=kept.pending)


@router.get("/wallet/lines", operation_id="wallet_lines")
def wallet_lines(services: ServicesDep, caller: CallerDep, cursor: Cursor = None, limit: Limit = 50) -> WalletPage:
    """What moved the caller's free money, newest first."""
    lines = services.accounts.wallet_lines(caller.id, position_of(cursor), limit)
    return WalletPage(
        lines=[wallet_line(line) for line in lines],
        cursor=cursor_of([line.seq for line in lines], limit),
    )


def wallet_line(line: WalletLine) -> WalletLineOut:
    """A line as it is sent."""
    return WalletLineOut(
        transaction=line.transaction,
        kind=line.kind,
        amount=line.amount,
        balance_before=line.balance_before,
        balance=line.balance,
        m=line.match,
        at=line.at,
    )


def _account(account: Account) -> AccountOut:
    return AccountOut(id=account.id, name=account.name, kind=account.kind)
