"""Who people are and what they own: signing up, logging in, the wallet."""

from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

from fairdeal.app.history_ports import OwnMatch, Statement, WalletLine
from fairdeal.app.house import Clock, Entropy, House
from fairdeal.app.hub import Hub
from fairdeal.app.passwords import hash_password, password_matches
from fairdeal.app.ports import Account, AccountKind, Session, Store, Wallet
from fairdeal.errors import CredentialsRefused, Unauthenticated, UnknownAccount
from fairdeal.match.terms import Asset

_ID_BYTES: Final = 16
_TOKEN_BYTES: Final = 32
"""A session token cannot be guessed; only its SHA-256 is stored."""


class Accounts:
    """The use cases of a person. Safe to call from several threads."""

    def __init__(self, store: Store, house: House, hub: Hub, clock: Clock, entropy: Entropy) -> None:
        self._store = store
        self._house = house
        self._hub = hub
        self._clock = clock
        self._entropy = entropy
        # Checked when the name is unknown, so that the time of an answer does not tell which names exist.
        self._nobody = hash_password(entropy.take(_TOKEN_BYTES).hex())

    def sign_up(self, name: str, password: str, kind: AccountKind) -> Account:
        """A new account. Raises NameTaken."""
        account_id = self._entropy.take(_ID_BYTES).hex()
        account = Account(account_id, name, kind, hash_password(password), self._clock.now_ms())
        self._store.create_account(account)
        return account

    def log_in(self, name: str, password: str) -> tuple[str, int, Account]:
        """A session's token (64 hex digits, known to its owner alone), when it expires, whose it is.

        Raises CredentialsRefused, the same for an unknown name and a wrong password.
        """
        account = self._store.account_named(name)
        known = password_matches(account.password_hash if account else self._nobody, password)
        if account is None or not known:
            raise CredentialsRefused("no account has that name and password")
        now = self._clock.now_ms()
        token = self._entropy.take(_TOKEN_BYTES).hex()
        expires_at = now + self._house.session_ms
        self._store.open_session(Session(_token_hash(token), account.id, expires_at), now)
        return token, expires_at, account

    def who(self, token: str) -> Account:
        """Whose login this is. Raises Unauthenticated."""
        account = self._store.session_account(_token_hash(token), self._clock.now_ms())
        if account is None:
            raise Unauthenticated("the login is unknown or has expired")
        return account

    def kind(self, account_id: str) -> AccountKind:
        """Whether a person or a machine. Raises UnknownAccount."""
        account = self._store.account(account_id)
        if account is None:
            raise UnknownAccount("there is no such account")
        return account.kind

    def log_out(self, token: str) -> None:
        """Ends the login, if it is one, and the streams opened with it."""
        token_hash = _token_hash(token)
        account = self._store.session_account(token_hash, self._clock.now_ms())
        if account is not None:
            self._store.close_session(token_hash)
            self._hub.wake(account.id)

    def log_out_everywhere(self, account_id: str) -> None:
        """Ends every login of the account, and the streams opened with them."""
        self._store.close_sessions(account_id)
        self._hub.wake(account_id)

    @property
    def asset(self) -> Asset:
        """What all money here is counted in."""
        return self._house.asset

    def wallet(self, account_id: str) -> Wallet:
        """Free and held money."""
        return self._store.wallet(account_id, self._house.asset.code)

    def wallet_lines(self, account_id: str, before: int | None, limit: int) -> tuple[WalletLine, ...]:
        """What moved the free money, newest first."""
        return self._store.wallet_lines(account_id, self._house.asset.code, before, limit)

    def statement(self, account_id: str, year: int, month: int) -> Statement:
        """The free money over a calendar month, UTC."""
        start, end = _first_ms(year, month), _first_ms(year + month // 12, month % 12 + 1)
        return self._store.statement(account_id, self._house.asset.code, start, end)

    def own_matches(self, account_id: str, before: int | None, limit: int) -> tuple[OwnMatch, ...]:
        """Where the account sits or sat, by when it sat down, the newest first."""
        return self._store.own_matches(account_id, before, limit)


def _token_hash(token: str) -> bytes:
    return sha256(token.encode()).digest()


def _first_ms(year: int, month: int) -> int:
    """When a month begins, in ms since the epoch."""
    return round(datetime(year, month, 1, tzinfo=UTC).timestamp() * 1000)
