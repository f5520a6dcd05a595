"""Tells the streams: one thread looks at what has changed, and hands each listener what its seat may know by now."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Thread

from fairdeal.app.accounts import Accounts
from fairdeal.app.hub import Hub, Listener, News
from fairdeal.app.kept import Match
from fairdeal.app.matches import Matches
from fairdeal.app.play import Play
from fairdeal.app.ports import Account
from fairdeal.errors import NotSeated

log = logging.getLogger("fairdeal.teller")


class Teller:
    """What has changed by the time that it looks is told in one turn: a match is read once for all who listen to it,
    and the logins of all are looked up together, every time: one that has ended is told nothing.
    """

    def __init__(self, hub: Hub, accounts: Accounts, matches: Matches, play: Play) -> None:
        self._hub = hub
        self._accounts = accounts
        self._matches = matches
        self._play = play
        self._thread = Thread(target=self._run, name="teller", daemon=True)

    def start(self) -> None:
        """Begins to look."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread, and waits for it."""
        self._hub.end()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while (changed := self._hub.changed()) is not None:
            with _or_stopped([listener for news in changed.values() for listener in news.listeners], "anybody"):
                self._tell_all(changed)

    def _tell_all(self, changed: Mapping[str, News]) -> None:
        wanting = {m: [listener for listener in news.listeners if listener.wants()] for m, news in changed.items()}
        owners = self._accounts.owners([listener.token for some in wanting.values() for listener in some])
        for match_id, listeners in wanting.items():
            with _or_stopped(listeners, match_id):
                match = self._matches.beyond(match_id, changed[match_id].size)
                for listener in listeners:
                    self._tell(match, listener, owners.get(listener.token))

    def _tell(self, match: Match, listener: Listener, account: Account | None) -> None:
        if account is None:
            listener.stop()
            return
        try:
            if listener.size < match.state.size:
                listener.hand(self._play.answer(account, match, listener.size))
            else:
                match.seat_of(account.id)
        except NotSeated:
            listener.stop()


@contextmanager
def _or_stopped(listeners: Sequence[Listener], of: str) -> Iterator[None]:
    """Stops them if they cannot be told: whoever listens comes back, and is told then."""
    try:
        yield
    except Exception:
        log.exception("a match cannot be told", extra={"match": of})
        for listener in listeners:
            listener.stop()
