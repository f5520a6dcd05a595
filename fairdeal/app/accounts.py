"""Who people are and what they own: signing up, logging in, the wallet."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from hmac import compare_digest
from typing import Final

from fairdeal.app.codes import new_code, spelled
from fairdeal.app.history_ports import OwnMatch, Statement, WalletLine, month_span
from fairdeal.app.house import Clock, Entropy, House
from fairdeal.app.hub import Hub
from fairdeal.app.passwords import hash_password, password_matches
from fairdeal.app.ports import Account, AccountKind, Session, Store, Wallet
from fairdeal.errors import CredentialsRefused, Unauthenticated, UnknownAccount
from fairdeal.match.terms import Asset

_ID_BYTES: Final = 16
_RECOVERY_LETTERS: Final = 25
"""125 bits: it stands in for the password, and is written down, not remembered."""
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

    def sign_up(self, name: str, password: str, kind: AccountKind) -> tuple[Account, str]:
        """A new account, and its recovery code, which is kept nowhere. Raises NameTaken."""
        account_id, code = self._entropy.take(_ID_BYTES).hex(), self._new_code()
        account = Account(account_id, name, kind, hash_password(password), self._clock.now_ms(), _code_hash(code))
        self._store.create_account(account)
        return account, code

    def log_in(self, name: str, password: str) -> tuple[str, int, Account]:
        """A session's token (64 hex digits, known to its owner alone), when it expires, whose it is.

        Raises CredentialsRefused, the same for an unknown name and a wrong password.
        """
        account = self._checked(name, password)
        now = self._clock.now_ms()
        token = self._entropy.take(_TOKEN_BYTES).hex()
        expires_at = now + self._house.session_ms
        self._store.open_session(Session(_token_hash(token), account.id, expires_at), now, account.password_hash)
        return token, expires_at, account

    def who(self, token: str) -> Account:
        """Whose login this is. Raises Unauthenticated."""
        account = self._store.session_account(_token_hash(token), self._clock.now_ms())
        if account is None:
            raise Unauthenticated("the login is unknown or has expired")
        return account

    def owners(self, tokens: Sequence[str]) -> Mapping[str, Account]:
        """Whose logins these are; without those that are none, or have ended."""
        by_hash = {_token_hash(token): token for token in tokens}
        found = self._store.session_accounts(tuple(by_hash), self._clock.now_ms())
        return {by_hash[token_hash]: account for token_hash, account in found.items()}

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

    def renew_recovery(self, name: str, password: str) -> str:
        """Another recovery code in place of the one there was. Raises CredentialsRefused."""
        account, code = self._checked(name, password), self._new_code()
        self._store.renew_recovery(account.id, account.password_hash, _code_hash(code))
        return code

    def recover(self, name: str, code: str, password: str) -> str:
        """Another password, for who has the recovery code, and the next code; every login ends, and the streams.

        Raises CredentialsRefused, the same for an unknown name and a wrong code.
        """
        # First, and in any case: the time tells nothing of the name.
        password_hash = hash_password(password)
        account, given = self._store.account_named(name), _code_hash(code)
        if account is None or account.recovery_hash is None or not compare_digest(account.recovery_hash, given):
            raise CredentialsRefused("no account has that name and recovery code")
        next_code = self._new_code()
        self._store.recover(account.id, given, password_hash, _code_hash(next_code))
        self._hub.wake(account.id)
        return next_code

    def reset(self, account_id: str, reason: str) -> str:
        """The operator's help for who has lost password and code: nobody knows the password any more, every login has
        ended, and the code that is answered makes another. The auditor sees it. Raises UnknownAccount.
        """
        code = self._new_code()
        self._store.reset(account_id, self._nobody, _code_hash(code), reason, self._clock.now_ms())
        self._hub.wake(account_id)
        return code

    def erase(self, account_id: str, reason: str) -> None:
        """Takes the person out of an account: name, password, code and logins go, for ever. The auditor sees it. Raises
        UnknownAccount, AccountInUse.
        """
        self._store.erase(account_id, self._nobody, reason, self._clock.now_ms(), self._house.account_kept_ms)
        self._hub.wake(account_id)

    def _checked(self, name: str, password: str) -> Account:
        account = self._store.account_named(name)
        known = password_matches(account.password_hash if account else self._nobody, password)
        if account is None or not known:
            raise CredentialsRefused("no account has that name and password")
        return account

    def _new_code(self) -> str:
        """In groups of five, as it is shown."""
        code = new_code(self._entropy, _RECOVERY_LETTERS)
        return "-".join(code[start : start + 5] for start in range(0, len(code), 5))

    @property
    def assets(self) -> tuple[Asset, ...]:
        """What money here is counted in, the usual one first."""
        return self._house.assets

    def asset(self, code: str | None) -> Asset:
        """The asset of that code, None for the usual one. Raises TermsRefused."""
        return self._house.asset(code)

    def wallet(self, account_id: str, asset: Asset) -> Wallet:
        """Free and held money of an asset."""
        return self._store.wallet(account_id, asset.code)

    def wallet_lines(self, account_id: str, asset: Asset, before: int | None, limit: int) -> tuple[WalletLine, ...]:
        """What moved the free money, newest first."""
        return self._store.wallet_lines(account_id, asset.code, before, limit)

    def statement(self, account_id: str, asset: Asset, year: int, month: int) -> Statement:
        """The free money over a calendar month, UTC."""
        start, end = month_span(year, month)
        return self._store.statement(account_id, asset.code, start, end)

    def statement_lines(
        self, account_id: str, asset: Asset, made: Statement, after: int | None, limit: int
    ) -> tuple[WalletLine, ...]:
        """The lines of a statement, the oldest first, from the one after that place on; None for the first."""
        place = made.after if after is None else max(after, made.after)
        return self._store.statement_lines(account_id, asset.code, place, made.last, limit)

    def own_matches(self, account_id: str, before: int | None, limit: int) -> tuple[OwnMatch, ...]:
        """Where the account sits or sat, by when it sat down, the newest first."""
        return self._store.own_matches(account_id, before, limit)


def _code_hash(code: str) -> bytes:
    # No slow hash: nobody tries 2^125 codes.
    return sha256(spelled(code).encode()).digest()


def _token_hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
