"""Tells the streams: one thread looks at what has changed, and hands each listener what its seat may know by now."""

import logging
from threading import Thread

from fairdeal.app.accounts import Accounts
from fairdeal.app.hub import Hub, Listener
from fairdeal.app.matches import Match, Matches
from fairdeal.app.play import Play
from fairdeal.errors import NotSeated, Unauthenticated

log = logging.getLogger("fairdeal.teller")


class Teller:
    """A match is read once for all who listen to it, and each login is looked up every time: one that has ended is told
    nothing.
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
            for match_id, listeners in changed.items():
                try:
                    match = self._matches.load(match_id)
                    for listener in listeners:
                        self._tell(match, listener)
                except Exception:
                    # Whoever listens comes back, and is told then.
                    log.exception("a match cannot be told", extra={"match": match_id})
                    for listener in listeners:
                        listener.stop()

    def _tell(self, match: Match, listener: Listener) -> None:
        if not listener.wants():
            return
        try:
            account = self._accounts.who(listener.token)
            if listener.size < match.state.size:
                listener.hand(self._play.answer(account, match, listener.size))
            else:
                match.seat_of(account.id)
        except (Unauthenticated, NotSeated):
            listener.stop()
