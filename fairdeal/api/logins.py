"""Whose login a call comes with."""

from collections import OrderedDict
from hashlib import sha256
from threading import Lock
from typing import Final

from fairdeal.app.accounts import Accounts
from fairdeal.app.ports import Account
from fairdeal.errors import Unauthenticated

_REMEMBERED: Final = 100_000
"""Logins, some 20 MB; the one not looked up for longest is forgotten first."""


class Logins:
    """Looks a login up in the store, and remembers whose it was, for nothing but to count calls by account before the
    look: whether it holds is asked of the store each time. Safe to call from several threads.
    """

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        self._lock = Lock()
        self._owners: OrderedDict[bytes, str] = OrderedDict()

    def who(self, token: str | None) -> Account:
        """Whose it is. Raises Unauthenticated, for no token too."""
        if token is None:
            raise Unauthenticated("log in first")
        key = _key(token)
        try:
            account = self._accounts.who(token)
        except Unauthenticated:
            with self._lock:
                self._owners.pop(key, None)
            raise
        with self._lock:
            self._owners[key] = account.id
            self._owners.move_to_end(key)
            if len(self._owners) > _REMEMBERED:
                self._owners.popitem(last=False)
        return account

    def owner(self, token: str) -> str | None:
        """The account's id, if it was looked up before."""
        return self._owners.get(_key(token))


def _key(token: str) -> bytes:
    return sha256(token.encode()).digest()
