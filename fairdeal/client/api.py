"""The service's HTTP calls, as methods: no rule, no check and no memory, only sending, retrying and reading."""

import json
import time
from collections.abc import Generator, Mapping
from itertools import pairwise
from typing import Any, Final, Self, TypeAlias

import httpx2

from fairdeal.client.errors import ApiError, Unreachable
from fairdeal.client.reading import SIZE_DIGITS, asked_wait, read_object, refusal_of
from fairdeal.limits import MAX_BUNDLE_BYTES, MAX_EVENT_BYTES
from fairdeal.tlog import Tile

Answer: TypeAlias = Mapping[str, Any]
"""A JSON object as the service sent it; nothing in it is to be believed before it is checked."""

_ATTEMPTS: Final = 7
"""With pauses of 0.1 s, doubled each time, they span six seconds: a restart of the service."""
_FIRST_PAUSE_S: Final = 0.1
_TIMEOUT_S: Final = 20.0
_SILENCE_S: Final = 60.0
"""A stream that says nothing for so long, not even that it is alive, is taken for dead and opened again."""
_MAX_ANSWER_BYTES: Final = MAX_BUNDLE_BYTES + MAX_EVENT_BYTES * 4
"""A whole transcript as JSON strings in one answer."""
_LONG_PAGE: Final = 100
"""Records of matches, or significant events, asked for at once: the most that there are."""


class Api:
    """One session with the service at `url` (scheme, host and port). Not to be shared between threads.

    `language`, fr or en, is that of the texts in a table's description. Every method raises ApiError when the service
    refuses, Unreachable when it does not answer.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        language: str = "en",
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        headers = {"Accept-Language": language}
        self._http = httpx2.Client(base_url=url, timeout=_TIMEOUT_S, headers=headers, transport=transport)
        if token is not None:
            self.use_token(token)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def use_token(self, token: str) -> None:
        """Call in the name of this session, or of the operator, from here on."""
        self._http.headers["Authorization"] = f"Bearer {token}"

    def sign_up(self, name: str, password: str) -> Answer:
        """A new account."""
        return self._call("POST", "/v1/accounts", {"name": name, "password": password})

    def sign_in(self, name: str, password: str) -> Answer:
        """A new session, whose token is used from here on."""
        session = self._call("POST", "/v1/sessions", {"name": name, "password": password})
        self.use_token(session["token"])
        return session

    def sign_out_everywhere(self) -> None:
        """End every session of this account, this one too, on every device."""
        self._do("DELETE", "/v1/sessions")

    def renew_recovery(self, password: str) -> Answer:
        """Another recovery code for this account; the one before is worth nothing."""
        return self._call("POST", "/v1/me/recovery-code", {"password": password})

    def recover(self, name: str, code: str, password: str) -> Answer:
        """Set another password by the recovery code; the next code."""
        return self._call("POST", "/v1/recovery", {"name": name, "code": code, "password": password})

    def me(self) -> Answer:
        """The account of this session."""
        return self._call("GET", "/v1/me")

    def wallet(self, asset: str | None = None) -> Answer:
        """Free money, and what is held at tables, of the usual asset or another one."""
        return self._call("GET", "/v1/wallet", query=_of({}, asset))

    def wallets(self) -> Answer:
        """The same of every asset, the usual one first."""
        return self._call("GET", "/v1/wallets")

    def wallet_lines(self, cursor: str | None = None, asset: str | None = None) -> Answer:
        """A page of what moved the free money, newest first."""
        return self._page("/v1/wallet/lines", cursor, asset=asset)

    def statement(self, month: str, cursor: str | None = None, asset: str | None = None) -> Answer:
        """The free money over a month, such as 2026-11, with a page of its lines, the oldest first."""
        return self._page("/v1/wallet/statement", cursor, month=month, asset=asset)

    def withdraw(self, amount: int, key: str, asset: str | None = None) -> Answer:
        """Ask for money: it leaves the free money at once, and waits for the cashier."""
        return self._call("POST", "/v1/withdrawals", _of({"amount": amount}, asset), key=key)

    def withdrawals(self, cursor: str | None = None) -> Answer:
        """A page of one's own withdrawals, newest first."""
        return self._page("/v1/withdrawals", cursor)

    def limits(self) -> Answer:
        """One's own limits, in force or to come."""
        return self._call("GET", "/v1/me/limits")

    def set_limit(self, kind: str, period: str, amount: int | None, asset: str | None = None) -> Answer:
        """Set one of them (`deposit`, `stake` or `loss`; `day`, `week` or `month`), None for none."""
        return self._call("PUT", "/v1/me/limits", _of({"kind": kind, "period": period, "amount": amount}, asset))

    def exclusion(self) -> Answer:
        """One's own stop in force, its members null when there is none."""
        return self._call("GET", "/v1/me/exclusion")

    def exclude(self, kind: str, until: int | None) -> Answer:
        """Stop one's own play (`cool_off` or `exclusion`) until a time in ms, None for good. Nobody takes it back."""
        return self._call("POST", "/v1/me/exclusion", {"kind": kind, "until": until})

    def own_matches(self, cursor: str | None = None) -> Answer:
        """A page of the matches that one sits at, or sat at to their end, newest first."""
        return self._page("/v1/me/matches", cursor)

    def open_tables(self, cursor: str | None = None) -> Answer:
        """A page of the public tables that still take players, newest first."""
        return self._page("/v1/tables", cursor)

    def find_table(self, code: str) -> Answer:
        """The private table of a code."""
        return self._call("POST", "/v1/tables/find", {"code": code})

    def open_table(self, form: Mapping[str, Any]) -> Answer:
        """Open a table; its description."""
        return self._call("POST", "/v1/tables", form)

    def table(self, m: str) -> Answer:
        """The description of a table."""
        return self._call("GET", f"/v1/tables/{m}")

    def sit(
        self, m: str, code: str | None, key: str, *, seat: int | None = None, partner_code: str | None = None
    ) -> Answer:
        """Take a seat, the lowest that may be taken if none is named; the stake is held."""
        form = {"code": code, "seat": seat, "partner_code": partner_code}
        given = {name: value for name, value in form.items() if value is not None}
        return self._call("POST", f"/v1/tables/{m}/seats", given, key=key)

    def stand_up(self, m: str, key: str) -> Answer:
        """Leave a seat of a table that is not full; the stake comes back whole."""
        return self._call("DELETE", f"/v1/tables/{m}/seats/me", key=key)

    def free_seat(self, m: str, seat: int, key: str) -> Answer:
        """Free a seat of a table that we have opened and that is not full; the stake goes back whole."""
        return self._call("DELETE", f"/v1/tables/{m}/seats/{seat}", key=key)

    def cancel_table(self, m: str) -> Answer:
        """Call off a table that we have opened and that is not full; all stakes go back whole."""
        return self._call("POST", f"/v1/tables/{m}/cancel")

    def send_action(self, m: str, body: bytes) -> Answer:
        """Send a signed action, the same bytes as often as it takes."""
        return self._call("POST", f"/v1/matches/{m}/actions", body)

    def answer(self, m: str, start: int) -> Answer:
        """The events from number `start` on, with receipt and view."""
        return self._call("GET", f"/v1/matches/{m}", query={"from": start})

    def stream(self, m: str, start: int) -> Generator[Answer, None, None]:
        """Answers as they come, from event number `start` on, until the service or the network ends the stream.

        One that a busy service does not begin has ended at once.
        """
        timeout = httpx2.Timeout(_TIMEOUT_S, read=_SILENCE_S)
        try:
            with self._http.stream(
                "GET", f"/v1/matches/{m}/stream", params={"from": start}, timeout=timeout
            ) as response:
                if asked_wait(response, repeatable=True) is not None:
                    return
                if response.status_code != httpx2.codes.OK:
                    response.read()
                    raise refusal_of(response)
                for message in httpx2.EventSource(response, _MAX_ANSWER_BYTES):
                    yield read_object(message.data)
        except httpx2.TransportError:
            return

    def log(self, m: str, since: int, leaf: str | None = None) -> Answer:
        """What the log of all matches has of the match, proven from a checkpoint of `since` leaves on (0: from none).

        With `leaf`, one of MATCH_LEAVES, the service waits for that one; ApiError not_logged_yet when that takes long.
        """
        query: dict[str, int | str] = {"since": since}
        return self._call("GET", f"/v1/matches/{m}/log", query=query if leaf is None else {**query, "leaf": leaf})

    def tile(self, tile: Tile) -> bytes:
        """Hashes of the log's tree."""
        return self._send("GET", f"/log/{tile.path}").content

    def policy(self) -> bytes:
        """The policy that the operator gives out, on the service's own word."""
        return self._send("GET", "/log/policy").content

    def log_file(self, path: str) -> bytes:
        """A file below the log's prefix (protocol sections 7.1 and 7.6)."""
        return self._send("GET", f"/log/{path}").content

    def checkpoint_sizes(self, since: int) -> tuple[int, ...]:
        """Sizes above `since` that the log has checkpoints of, ascending; none when there are no more."""
        texts = self._send("GET", "/log/checkpoints", query={"since": since}).text.split()
        sizes = tuple(int(text) for text in texts if text.isascii() and text.isdecimal() and len(text) < SIZE_DIGITS)
        if len(sizes) != len(texts) or any(a >= b for a, b in pairwise((since, *sizes))):
            raise ApiError("not_sizes", 0, "the service sent something that is no list of sizes")
        return sizes

    def bundle(self, m: str) -> bytes:
        """The bundle of a match that has ended."""
        return self._send("GET", f"/v1/matches/{m}/bundle").content

    def ready(self) -> None:
        """Raises unless the service can serve."""
        self._send("GET", "/readyz")

    # By the operator's token

    def deposit(self, account: str, amount: int, key: str, asset: str | None = None) -> Answer:
        """Money for an account, of the usual asset or another one."""
        return self._call("POST", "/v1/deposits", _of({"account": account, "amount": amount}, asset), key=key)

    def pending_withdrawals(self, cursor: str | None = None) -> Answer:
        """A page of the withdrawals that wait for an answer, newest first."""
        return self._page("/v1/cashier/withdrawals", cursor)

    def end_withdrawal(self, withdrawal: str, result: str, key: str) -> Answer:
        """Say that a withdrawal was `paid`, or is `refused` and comes back whole."""
        return self._call("POST", f"/v1/cashier/withdrawals/{withdrawal}", {"result": result}, key=key)

    def reverse(self, transaction: str, reason: str, key: str) -> Answer:
        """Undo a deposit or a payout that should not have been, by its transaction's id, whole and once."""
        return self._call("POST", "/v1/cashier/reversals", {"transaction": transaction, "reason": reason}, key=key)

    def switches(self) -> Answer:
        """Whom play is stopped for."""
        return self._call("GET", "/v1/switches")

    def switch(self, account: str | None, play: str, reason: str) -> Answer:
        """Stop (`off`) an account's play, None for everybody's, or let it go on (`on`); whom it is stopped for then."""
        return self._call("POST", "/v1/switches", {"account": account, "play": play, "reason": reason})

    def reset(self, account: str, reason: str) -> Answer:
        """End an account's password and logins; the recovery code to hand over."""
        return self._call("POST", f"/v1/accounts/{account}/reset", {"reason": reason})

    def erase(self, account: str, reason: str) -> None:
        """Take the person out of an account, for ever; what was played and paid under its id stays."""
        self._do("POST", f"/v1/accounts/{account}/erase", {"reason": reason})

    def void_match(self, m: str) -> Answer:
        """End a match, all stakes back: void, or cancelled as long as a seat has not joined. The table as described."""
        return self._call("POST", f"/v1/matches/{m}/void")

    def identify(self, player: str, reason: str) -> Answer:
        """Whose a pseudonym is."""
        return self._call("POST", "/v1/audit/identify", {"player": player, "reason": reason})

    # By the auditor's

    def significant_events(self, cursor: str | None = None, kind: str | None = None) -> Answer:
        """A page of what the operator did, and what the proofs of the books found, newest first; or of one kind."""
        return self._page("/v1/audit/events", cursor, limit=_LONG_PAGE, kind=kind)

    def match_records(self, cursor: str | None = None) -> Answer:
        """A page of the records of all matches, the last one opened first."""
        return self._page("/v1/audit/matches", cursor, limit=_LONG_PAGE)

    def _page(self, path: str, cursor: str | None, **more: int | str | None) -> dict[str, Any]:
        given = {"cursor": cursor, **more}
        return self._call("GET", path, query={name: one for name, one in given.items() if one is not None})

    def _call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | bytes | None = None,
        *,
        key: str | None = None,
        query: Mapping[str, int | str] | None = None,
    ) -> dict[str, Any]:
        response = self._send(method, path, body, key, query)
        return read_object(response.text)

    def _do(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> None:
        """A call that is answered by nothing: what answers otherwise has not done it."""
        if self._send(method, path, body).status_code != httpx2.codes.NO_CONTENT:
            raise ApiError("not_of_its_form", 0, "the service sent something that is no answer to this call")

    def _send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | bytes | None = None,
        key: str | None = None,
        query: Mapping[str, int | str] | None = None,
    ) -> httpx2.Response:
        headers = {} if key is None else {"Idempotency-Key": key}
        content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if content is not None:
            headers["Content-Type"] = "application/json"
        # A call may be repeated when it reads, when it is its own idempotency key (signed bytes), or brings one.
        repeatable = method != "POST" or key is not None or isinstance(body, bytes)
        pause = _FIRST_PAUSE_S
        for attempt in range(_ATTEMPTS):
            if attempt:
                time.sleep(pause)
                pause *= 2
            try:
                response = self._http.request(method, path, content=content, headers=headers, params=query)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue
            except httpx2.DecodingError:
                raise ApiError("not_of_its_form", 0, "the service sent something that cannot be decoded") from None
            except httpx2.TransportError as error:
                if not repeatable:
                    raise Unreachable("the service did not answer, and the call is not safe to repeat") from error
                continue
            if attempt < _ATTEMPTS - 1 and (asked := asked_wait(response, repeatable=repeatable)) is not None:
                pause = max(pause, asked)
                continue
            if response.is_success:
                return response
            raise refusal_of(response)
        raise Unreachable("the service does not answer")


def _of(form: Mapping[str, int | str | None], asset: str | None) -> dict[str, Any]:
    """With the asset, where one is named."""
    return dict(form) if asset is None else {**form, "asset": asset}
