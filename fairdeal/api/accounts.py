"""Routes of people: accounts, sessions, the way back into an account, the wallet."""

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from fairdeal.api.caller import (
    ALSO_NOBODY,
    CallerDep,
    OperatorDep,
    Services,
    ServicesDep,
    TokenDep,
    check_origin,
    forget_cookie,
    is_operator,
)
from fairdeal.api.door import CLIENT
from fairdeal.api.paging import AssetQuery, Cursor, Limit, cursor_of, position_of
from fairdeal.api.schemas.accounts import (
    AccountOut,
    LogIn,
    NewAccountOut,
    ReasonIn,
    RecoverIn,
    RecoveryOut,
    RenewIn,
    SessionOut,
    SignUp,
    WalletLineOut,
    WalletOut,
    WalletPage,
    WalletsOut,
)
from fairdeal.app.history_ports import WalletLine
from fairdeal.app.ports import Account
from fairdeal.errors import Forbidden
from fairdeal.match.terms import Asset

router = APIRouter(tags=["accounts"])

_AccountId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="The account's id.")]


@router.post("/accounts", status_code=201, operation_id="sign_up")
async def sign_up(body: SignUp, request: Request, services: ServicesDep) -> NewAccountOut:
    """Makes an account."""
    if body.kind == "bot" and not is_operator(request, services):
        raise Forbidden("only the operator marks an account as a machine's")
    services.rates.count_sign_up(request.scope[CLIENT])
    account, code = await services.hashing.run(lambda: services.accounts.sign_up(body.name, body.password, body.kind))
    return NewAccountOut(id=account.id, name=account.name, kind=account.kind, recovery_code=code)


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


@router.delete("/sessions/current", status_code=204, operation_id="log_out", **ALSO_NOBODY)
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


@router.post("/me/recovery-code", operation_id="renew_recovery")
async def renew_recovery(body: RenewIn, request: Request, services: ServicesDep, caller: CallerDep) -> RecoveryOut:
    """Makes the caller another recovery code: the one before is worth nothing."""
    with services.rates.log_in(caller.name, request.scope[CLIENT]):
        code = await services.hashing.run(lambda: services.accounts.renew_recovery(caller.name, body.password))
    return RecoveryOut(recovery_code=code)


@router.post("/recovery", operation_id="recover")
async def recover(body: RecoverIn, request: Request, services: ServicesDep) -> RecoveryOut:
    """Sets another password by the recovery code, which serves once, ends every login of the account and answers the
    next code.
    """
    with services.rates.log_in(body.name, request.scope[CLIENT]):
        code = await services.hashing.run(lambda: services.accounts.recover(body.name, body.code, body.password))
    return RecoveryOut(recovery_code=code)


@router.post("/accounts/{account}/reset", operation_id="reset", dependencies=[OperatorDep], tags=["operator"])
def reset(
    account: _AccountId,
    body: ReasonIn,
    services: ServicesDep,
) -> RecoveryOut:
    """Ends an account's logins and its password, and answers a recovery code to give to its owner. For the operator;
    that it was done, and why, is kept for the auditor.
    """
    return RecoveryOut(recovery_code=services.accounts.reset(account, body.reason))


@router.post(
    "/accounts/{account}/erase", status_code=204, operation_id="erase", dependencies=[OperatorDep], tags=["operator"]
)
def erase(account: _AccountId, body: ReasonIn, services: ServicesDep) -> None:
    """Takes the person out of an account, for ever: name, password, recovery code and logins go. The id stays, with
    what was played and paid under it. For the operator; that it was done, and why, is kept for the auditor.
    """
    services.accounts.erase(account, body.reason)


@router.get("/me", operation_id="me")
async def me(caller: CallerDep) -> AccountOut:
    """Whose login it is."""
    return _account(caller)


@router.get("/wallet", operation_id="wallet")
def wallet(services: ServicesDep, caller: CallerDep, asset: AssetQuery = None) -> WalletOut:
    """The caller's money of one asset."""
    return _wallet(services, caller, services.accounts.asset(asset))


@router.get("/wallets", operation_id="wallets")
def wallets(services: ServicesDep, caller: CallerDep) -> WalletsOut:
    """The caller's money of every asset that the house plays for, the usual one first."""
    return WalletsOut(wallets=[_wallet(services, caller, asset) for asset in services.accounts.assets])


@router.get("/wallet/lines", operation_id="wallet_lines")
def wallet_lines(
    services: ServicesDep, caller: CallerDep, asset: AssetQuery = None, cursor: Cursor = None, limit: Limit = 50
) -> WalletPage:
    """What moved the caller's free money of one asset, newest first."""
    found = services.accounts.asset(asset)
    lines = services.accounts.wallet_lines(caller.id, found, position_of(cursor), limit)
    return WalletPage(
        lines=[wallet_line(line) for line in lines],
        cursor=cursor_of([line.seq for line in lines], limit),
    )


def _wallet(services: Services, caller: Account, asset: Asset) -> WalletOut:
    kept = services.accounts.wallet(caller.id, asset)
    return WalletOut(asset=asset.code, exponent=asset.exponent, cash=kept.cash, held=kept.held, pending=kept.pending)


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
