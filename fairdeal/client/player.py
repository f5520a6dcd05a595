"""A player's whole program: an account, a table, a match played to its end, and the two files taken away from it.

player = Player(Api("https://…", token), Memory(Path("alice.db")), Path("matches"), Policy.parse(policy))
table = player.open_table(stake=1000)
player.sit(table["m"], stake=1000)
taken = player.play(table["m"], prefer_winning_tricks)
"""

import secrets
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from fairdeal.client.answers import parse_answer
from fairdeal.client.api import Answer, Api
from fairdeal.client.errors import (
    ApiError,
    CheckpointMoved,
    Contradiction,
    EventsMissing,
    Finding,
    NotLogged,
    Unacceptable,
)
from fairdeal.client.log import keeps_log
from fairdeal.client.match_client import MatchClient
from fairdeal.client.memory import Memory
from fairdeal.client.strategies import Strategy
from fairdeal.commit import Seed
from fairdeal.errors import FairdealError, WrongPhase
from fairdeal.keys import SigningKey
from fairdeal.limits import KEY_BYTES, SEED_BYTES
from fairdeal.match import Ending, Event, Terms, open_receipt, receipt_key, write_held
from fairdeal.tlog import Checkpoint, Policy, VerifierKey, leaf_hash, root

_LOOK_S: Final = 0.2
"""Between two looks at a table that is not full yet, and before a broken stream is opened again."""
_OVERTAKEN: Final = frozenset({"stale", "late", "not_your_turn", "wrong_phase"})
"""Refusals of an action that the clock, or an end, has overtaken: the events tell what happened instead."""

_NOT_YET: Final = "not_logged_yet"
_AHEAD: Final = "ahead_of_log"
"""Refusals of a question to the log: the leaf is not there yet; our checkpoint is of more leaves than it has."""

Watcher = Callable[[MatchClient], None]
"""Told after everything that was received."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What is taken away from a match: how it ended (None: a restored store has lost it), and the paths of the bundle
    and the held file.

    `witnessed`: the witnesses that the policy asks for, if it asks for any, have cosigned the bundle's checkpoint. They
    do so within seconds or minutes of the end: `Player.refresh` has the bundle with their lines then.
    """

    ending: Ending | None
    bundle: Path
    held: Path
    witnessed: bool


class Player:
    """Plays in the name of `api`'s session. `memory` is the player's own; files are written into `folder`.

    `trusted` is the player's policy, from elsewhere: with a key of the log of all matches nothing is signed that the
    log is not proven to have, with the receipts key alone no log is asked. Without a policy the one that the service
    gives out is taken and kept in the memory, and a later one must list every key of it: then nothing outside the
    service vouches for the service.
    """

    def __init__(self, api: Api, memory: Memory, folder: Path, trusted: Policy | None = None) -> None:
        self._api = api
        self._memory = memory
        self._folder = folder
        self._trusted = trusted

    def open_table(
        self,
        stake: int,
        *,
        game: str = "duel",
        private: bool = False,
        decision_ms: int | None = None,
        options: Mapping[str, int | str] | None = None,
    ) -> Answer:
        """Open a table, without sitting down; its description. `decision_ms` None is the house's usual time; `options`
        are those of the game that are not its usual ones.

        Raises ApiError, Unreachable.
        """
        form: dict[str, Any] = {"game": game, "stake": stake, "private": private, **(options or {})}
        return self._api.open_table(form if decision_ms is None else {**form, "decision_ms": decision_ms})

    def sit(
        self,
        m: str,
        stake: int,
        code: str | None = None,
        *,
        seat: int | None = None,
        partner_code: str | None = None,
    ) -> Answer:
        """Sit down for this stake, no other; the key and the seed of the match are made and kept before.

        `code` is a private table's. At a staked table of four partners choose each other: with the first of a side
        comes a code, `you.partner_code` of the answer; `partner_code` is the one of who sits face to face.

        Raises Unacceptable when the table's terms, as signed, are not those shown or not for this stake.
        """
        terms, opened = self._check_table(self._api.table(m), m, stake)
        key, seed = SigningKey.from_seed(secrets.token_bytes(KEY_BYTES)), Seed(secrets.token_bytes(SEED_BYTES))
        sitting = self._memory.begin(terms.m, opened, key, seed)
        if sitting.opened != opened:
            raise Contradiction(Finding.TERMS, 0, "this table was shown with other terms before")
        try:
            table = self._api.sit(m, code, secrets.token_hex(16), seat=seat, partner_code=partner_code)
        except ApiError as error:
            if error.problem != "already_seated":
                raise
            # We sat down before a crash and did not learn where.
            table = self._api.table(m)
        you = table.get("you")
        if you is None:
            # The answer to our first call was lost, and the opener has freed the seat since.
            raise Unacceptable("the seat was taken back, with the whole stake", {"m": m})
        self._memory.seated(m, you["seat"], you["player"])
        return table

    def play(self, m: str, strategy: Strategy, watch: Watcher | None = None) -> Taken:
        """Play the match to its end, from wherever it stands, and write its files.

        Raises Contradiction when the service's word does not hold, with the evidence written; UnknownLogKey when the
        policy lacks the log's key: with one that has the new key beside the old it goes on; NotLogged when the log
        does not show the end; AlreadySigned when another program with this memory plays too; ApiError, Unreachable.
        """
        client = self._client(m)
        while self._api.table(m)["status"] == "open":
            time.sleep(_LOOK_S)
        try:
            self._play(client, strategy, watch)
            return self._take_away(client)
        finally:
            self._write_held(client)

    def refresh(self, m: str) -> Taken:
        """Fetch the bundle of a match that is over again: its file is replaced as soon as the service has one that is
        witnessed, and stays as it is until then.

        Raises WrongPhase when this memory knows no end of it; else as `play`.
        """
        client = self._client(m)
        if not client.over:
            raise WrongPhase("the match is not over")
        try:
            return self._take_away(client)
        finally:
            self._write_held(client)

    def _client(self, m: str) -> MatchClient:
        opened = self._memory.sitting(m).opened
        return MatchClient(self._memory, m, self._folder, self._policy(Terms.parse(Event.parse(opened).data).log))

    def _play(self, client: MatchClient, strategy: Strategy, watch: Watcher | None) -> None:
        try:
            with closing(self._answers(client)) as answers:
                for answer in answers:
                    self._receive(client, answer, watch)
                    self._respond(client, strategy, watch)
                    if client.over:
                        break
        except ApiError:
            # A service whose store was restored no longer knows what we know of the match; its log says so.
            if client.size and client.logged:
                self._ask_log(client, None)
            if client.lost is None:
                raise

    def _answers(self, client: MatchClient) -> Generator[Answer, None, None]:
        """What the service says, without end: where the match stands, then the stream; again whenever it breaks."""
        while not client.over:
            yield self._api.answer(client.m, client.size)
            yield from self._api.stream(client.m, client.size)
            time.sleep(_LOOK_S)
            if client.logged:
                self._ask_log(client, None)

    def _respond(self, client: MatchClient, strategy: Strategy, watch: Watcher | None) -> None:
        """Send whatever is ours to send now."""
        while True:
            self._learn(client, watch)
            body = None if client.over else self._due(client, strategy)
            if body is None:
                return
            size = client.size
            try:
                answer = self._api.send_action(client.m, body)
            except ApiError as error:
                if error.problem not in _OVERTAKEN:
                    raise
                answer = self._api.answer(client.m, client.size)
            self._receive(client, answer, watch)
            if client.size == size:
                return

    def _due(self, client: MatchClient, strategy: Strategy) -> bytes | None:
        if client.turn is None:
            return client.join() or client.seed()
        # What was signed for this size before a crash is sent, whatever the strategy would say now.
        return client.kept_action() or client.act(strategy(client.turn))

    def _learn(self, client: MatchClient, watch: Watcher | None) -> None:
        """Ask the log for what must be proven before anything more is signed or taken away, as long as it takes."""
        while (leaf := client.awaited) is not None:
            try:
                self._ask_log(client, leaf)
            except ApiError as error:
                if error.problem != _NOT_YET:
                    raise
            if client.awaited != leaf:
                continue
            if client.over:
                raise NotLogged("the log does not show the match's end", {"m": client.m})
            time.sleep(_LOOK_S)
            self._receive(client, self._api.answer(client.m, client.size), watch)

    def _ask_log(self, client: MatchClient, leaf: str | None) -> None:
        """Again as long as another match of this memory was shown a newer state of the log meanwhile."""
        while True:
            held = client.newest
            try:
                answer = self._api.log(client.m, 0 if held is None else held.size, leaf)
                client.receive_log(answer, held, self._api.tile)
                return
            except ApiError as error:
                if error.problem == _AHEAD:
                    client.refuse_log(error.details)
                raise
            except CheckpointMoved:
                continue
            except EventsMissing:
                client.receive(self._api.answer(client.m, client.size))
                return

    def _receive(self, client: MatchClient, answer: Answer, watch: Watcher | None) -> None:
        try:
            client.receive(answer)
        except EventsMissing:
            client.receive(self._api.answer(client.m, client.size))
        if watch is not None:
            watch(client)

    def _check_table(self, table: Answer, m: str, stake: int) -> tuple[Terms, bytes]:
        """The terms that a table was opened with, its `open` line; everything shown beside it follows from it."""
        try:
            event = Event.parse(str(table.get("open")).encode())
            terms = Terms.parse(event.data)
            key = receipt_key(terms)
            keeps_log(self._policy(terms.log), terms)
            told = open_receipt(str(table.get("receipt")), key)
        except (FairdealError, UnicodeEncodeError) as error:
            raise Unacceptable(f"the table's terms do not hold: {error}") from error
        lines = [event.line]
        if told.size > 1 and table.get("you") is not None:
            # We sat down before a crash, and the match has gone on; what has happened is told to seats alone.
            lines = parse_answer(self._api.answer(m, 0), m).lines[: told.size]
        if lines[:1] != [event.line] or told != Checkpoint(terms.origin, len(lines), root(map(leaf_hash, lines))):
            raise Unacceptable("the receipt is not for this `open` and what has happened since")
        fees = terms.fees.breakdown(terms.seats * stake)
        expected = {
            "m": terms.m,
            "game": terms.ruleset.id.partition("@")[0],
            "stake": terms.stake,
            "pot": terms.seats * stake,
            "commission": fees.commission,
            "tax": fees.tax,
            "winner_net": fees.net,
            "fees": terms.data()["fees"],
            "asset": terms.data()["asset"],
            "decision_ms": terms.clock.decision_ms,
        }
        if terms.seats > terms.ruleset.sides:
            expected["options"] = terms.data()["ruleset"]["options"]
            expected["winner_nets"] = [fees.net - fees.net // 2, fees.net // 2]
        wrong = [name for name, value in expected.items() if table.get(name) != value]
        if wrong or (terms.m, terms.stake) != (m, stake):
            raise Unacceptable("the terms are not those shown or asked for", {"members": wrong})
        return terms, event.line

    def _policy(self, log: str) -> Policy:
        """The player's policy, or the one that the service gives out. Raises Unacceptable when that drops a key."""
        if self._trusted is not None:
            return self._trusted
        text, kept = self._api.policy(), self._memory.policy(log)
        policy = Policy.parse(text)
        if kept is not None and not _keys(Policy.parse(kept)) <= _keys(policy):
            raise Unacceptable("the service's policy no longer lists a key that it listed before")
        self._memory.keep_policy(log, text)
        return policy

    def _write_held(self, client: MatchClient) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._held_path(client.m).write_bytes(write_held(client.held()))

    def _take_away(self, client: MatchClient) -> Taken:
        """The bundle is made of what we saw ourselves. The service's own must have the same events and leaves; once it
        is witnessed it takes that one's place.
        """
        self._learn(client, None)
        path = self._folder / f"{client.m}.fairdeal"
        self._folder.mkdir(parents=True, exist_ok=True)
        if client.size < (client.lost or 0):
            client.receive(self._api.answer(client.m, client.size))
        own = client.bundle(self._api.tile)
        witnessed = path.exists() and _witnessed(client, path.read_bytes())
        if own is not None and not witnessed:
            path.write_bytes(own)
            witnessed = _witnessed(client, own)
        theirs = self._api.bundle(client.m)
        client.check_bundle(theirs, self._api.tile)
        if not witnessed:
            witnessed = _witnessed(client, theirs)
            if witnessed or own is None:
                path.write_bytes(theirs)
        ending = client.state.ending if client.lost is None else None
        return Taken(ending, path, self._held_path(client.m), witnessed)

    def _held_path(self, m: str) -> Path:
        return self._folder / f"{m}.held"


def _witnessed(client: MatchClient, bundle: bytes) -> bool:
    try:
        client.check_quorum(bundle)
    except FairdealError:
        return False
    return True


def _keys(policy: Policy) -> set[VerifierKey]:
    return {*(log.key for log in policy.logs), *(witness.key for witness in policy.witnesses)}
