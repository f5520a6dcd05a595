"""The composition root: from settings to a running service. Nothing else makes a store, reads a key or a clock."""

import asyncio
import logging
import os
import resource
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from fairdeal.api.addresses import Proxies
from fairdeal.api.app import build
from fairdeal.api.call import call_ids
from fairdeal.api.caller import Drain, Hashing, Services
from fairdeal.api.json_logging import configure_logging
from fairdeal.api.logins import Logins
from fairdeal.api.metrics import Metrics
from fairdeal.api.rates import Rate, Rates
from fairdeal.api.readings import watch_clock, watch_disks, watch_log, watch_play
from fairdeal.api.server import Server, collect_garbage_seldom, listen, serve_metrics
from fairdeal.api.webhooks import WebhookSecret
from fairdeal.api.workers import Worker, supervise
from fairdeal.app.accounts import Accounts
from fairdeal.app.assets import check_assets
from fairdeal.app.audit import Audit
from fairdeal.app.cashier import Cashier
from fairdeal.app.changes import tell_changes, tell_refusal
from fairdeal.app.clock import Ticker
from fairdeal.app.disks import LOOK_SECONDS, Disks
from fairdeal.app.heart import STEP_BACK_MS, Heart
from fairdeal.app.house import Clock, Entropy, House
from fairdeal.app.hub import Hub
from fairdeal.app.log import Log
from fairdeal.app.log_keys import LogKeys
from fairdeal.app.matches import Matches
from fairdeal.app.outside import check_copy
from fairdeal.app.play import Play
from fairdeal.app.proof import Nightly, Proof, prove
from fairdeal.app.restore import Restored, restore
from fairdeal.app.right_clock import RightClock
from fairdeal.app.safeguards import Safeguards
from fairdeal.app.sequencer import Sequencer
from fairdeal.app.tables import Tables
from fairdeal.app.teller import Teller
from fairdeal.app.witnesses import Witnesses
from fairdeal.commit import Custody
from fairdeal.errors import ClockSteppedBack, FairdealError
from fairdeal.keyfiles import LOG_KEY, RECEIPTS_KEY, SEALING_KEY, read_keys, write_key
from fairdeal.keys import SigningKey
from fairdeal.ledger import FeeSchedule
from fairdeal.limits import CUSTODY_KEY_BYTES, KEY_BYTES
from fairdeal.match import terms
from fairdeal.match.receipts import receipt_name
from fairdeal.settings import Limits, Settings
from fairdeal.store import LogCopy, Notices, SqlStore, check_file
from fairdeal.tlog import NoteSigner, format_policy
from fairdeal.witness.asking import HttpWitnesses

log = logging.getLogger("fairdeal.main")

_START_SECONDS: Final = 0.05
"""Between two looks whether another process has begun."""


class SystemClock:
    """The machine's clock, never going back within this process: a small step back is waited out."""

    def __init__(self) -> None:
        self._last = 0

    def now_ms(self) -> int:
        """Raises ClockSteppedBack while the clock is further behind the last time given."""
        now = time.time_ns() // 1_000_000
        if now < self._last - STEP_BACK_MS:
            raise ClockSteppedBack(f"the clock is {self._last - now} ms behind a time that it gave")
        self._last = max(self._last, now)
        return self._last


class SystemEntropy:
    """The operating system's randomness."""

    def take(self, count: int) -> bytes:
        return os.urandom(count)


def create_app(settings: Settings, clock: Clock | None = None, entropy: Entropy | None = None) -> FastAPI:
    """The whole service. Its lifespan runs the threads of the clock and of the log, and closes the store; for a program
    that runs no lifespan `app.state` has the clock as `ticker`, what makes the log grow as `sequencer`, what proves the
    books as `nightly`, and `store`.

    Raises KeyRefused for missing or unfit keys, SealBroken and KeyMissing when those that unfinished matches began with
    or the log goes by are not at hand, LogBehind when a witness or the log's copy has more than the database,
    ClockApart, ClockSteppedBack, DatabaseLocked, SchemaMismatch; Malformed for a file of witnesses.
    """
    clock, entropy = clock or SystemClock(), entropy or SystemEntropy()
    house = _house(settings, entropy)
    store = _open_store(settings)
    try:
        return _compose(settings, house, store, clock, entropy)
    except FairdealError as refused:
        try:
            tell_refusal(store, refused, clock.now_ms())
        except FairdealError:
            log.exception("the auditor cannot be told that this start was refused")
        store.close()
        raise


def _compose(settings: Settings, house: House, store: SqlStore, clock: Clock, entropy: Entropy) -> FastAPI:
    hub = Hub()
    notices = None
    if settings.database_url is not None:
        notices = Notices(settings.database_url.get_secret_value(), hub.hear, hub.hear_anything)
        hub.tell_others = notices.tell
    matches = Matches(store, house, hub)
    keys = _log_keys(settings, house, store, entropy)
    copy = LogCopy(settings.copy_place())
    right_clock = RightClock(store, clock)
    sequencer = Sequencer(store, keys, copy, right_clock)
    heart = Heart(store, house, matches, sequencer, copy, right_clock)
    witnessed = settings.read_witnesses()
    witnesses = Witnesses(store, keys, witnessed, HttpWitnesses)
    with _one_at_a_time(store):
        heart.check_start()
        check_copy(store, keys, copy)
        matches.check_ready()
        check_assets(store, house)
        matches.check_keys()
        witnesses.check()
        sequencer.begin()
        tell_changes(store, house, keys, clock.now_ms())
    reader = Log(store, sequencer, clock, format_policy(keys.log_keys(), witnessed))
    ticker = Ticker(store, heart, matches, clock)
    nightly = Nightly(store, right_clock)
    operator_token, auditor_token = settings.operator_token, settings.auditor_token
    disks = _disks(settings)
    metrics = Metrics()
    watch_play(metrics, store, matches, hub)
    watch_clock(metrics, store, heart, right_clock)
    watch_log(metrics, store, sequencer, witnesses)
    watch_disks(metrics, disks)
    accounts = Accounts(store, house, hub, clock, entropy)
    play = Play(house, matches, heart, reader, right_clock)
    teller = Teller(hub, accounts, matches, play)
    services = Services(
        accounts=accounts,
        logins=Logins(accounts),
        cashier=Cashier(store, house, right_clock, entropy),
        safeguards=Safeguards(store, house, matches, right_clock),
        tables=Tables(store, house, matches, right_clock, entropy),
        matches=matches,
        heart=heart,
        play=play,
        log=reader,
        audit=Audit(store, keys, clock),
        hub=hub,
        hashing=Hashing(),
        proxies=Proxies(settings.trusted_proxies),
        rates=_rates(settings.limits, settings.workers),
        metrics=metrics,
        disks=disks,
        drain=Drain(),
        streams_max=settings.limits.streams,
        connections_max=settings.limits.connections,
        operator_token=operator_token.get_secret_value() if operator_token else None,
        auditor_token=auditor_token.get_secret_value() if auditor_token else None,
        webhook_secrets=tuple(WebhookSecret.parse(one.get_secret_value()) for one in settings.webhook_secrets),
        origin=settings.origin,
        secure_cookies=settings.environment == "production",
    )

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        if notices is not None:
            notices.start()
        sequencer.start()
        witnesses.start()
        await run_in_threadpool(ticker.start)
        nightly.start()
        teller.start()
        watching = asyncio.create_task(_watch(disks))
        yield
        watching.cancel()
        await run_in_threadpool(teller.stop)
        await run_in_threadpool(nightly.stop)
        await run_in_threadpool(ticker.stop)
        await run_in_threadpool(witnesses.stop)
        await run_in_threadpool(sequencer.stop)
        if notices is not None:
            await run_in_threadpool(notices.stop)
        store.close()

    app = build(services, clock.now_ms, call_ids(secrets.token_hex(4)).__next__, lifespan)
    app.state.ticker = ticker
    app.state.nightly = nightly
    app.state.sequencer = sequencer
    app.state.store = store
    return app


@contextmanager
def _one_at_a_time(store: SqlStore) -> Iterator[None]:
    """Of several processes that begin, so that one alone says which keys were replaced."""
    while True:
        with store.alone("start") as mine:
            if mine:
                yield
                return
        time.sleep(_START_SECONDS)


async def _watch(disks: Disks) -> None:
    """Looks at the disks again and again, so that the log has the alarm whoever asks."""
    while True:
        await run_in_threadpool(disks.short)
        await asyncio.sleep(LOOK_SECONDS)


def restore_database(settings: Settings) -> Restored:
    """Makes a database that was put back go on with the log's copy. Raises LogBehind, StoreFailed, and what
    `create_app` does.
    """
    clock, entropy = SystemClock(), SystemEntropy()
    store = _open_stopped(settings)
    try:
        house = _house(settings, entropy)
        matches = Matches(store, house, Hub())
        matches.check_keys()
        keys = _log_keys(settings, house, store, entropy)
        copy = LogCopy(settings.copy_place())
        witnesses = Witnesses(store, keys, settings.read_witnesses(), HttpWitnesses)
        witnesses.check_size(copy.checkpoint())
        witnesses.stop()
        return restore(store, matches, keys, Sequencer(store, keys, copy, clock), copy, clock.now_ms())
    finally:
        store.close()


def prove_books(settings: Settings) -> Proof:
    """The proof of a stopped service's books. Raises DatabaseLocked, SchemaMismatch, StoreFailed."""
    store = _open_stopped(settings)
    try:
        return prove(store)
    finally:
        store.close()


def _open_store(settings: Settings) -> SqlStore:
    if settings.database_url is None:
        check_file(settings.database, made=True)
        if not settings.database.exists():
            log.warning("a new database", extra={"file": str(settings.database)})
        settings.database.parent.mkdir(parents=True, exist_ok=True)
    return SqlStore(settings.place())


def _open_stopped(settings: Settings) -> SqlStore:
    """A database of nobody else's. One that is not there is not made: its books would hold, and the log would go on in
    it without the money. Raises StoreFailed.
    """
    if settings.database_url is None:
        check_file(settings.database, made=False)
    return SqlStore(settings.place(), sole=True)


def _log_keys(settings: Settings, house: House, store: SqlStore, entropy: Entropy) -> LogKeys:
    log_signers = _signers(settings, LOG_KEY, settings.log, entropy)
    return LogKeys(store, log_signers, (house.receipts, *house.retired_receipts))


def _disks(settings: Settings) -> Disks:
    kept = {"log_copy": settings.copy_place()}
    if settings.database_url is None:
        kept["database"] = settings.database.parent
    return Disks(kept, settings.disk_free_mb * 1024**2)


def run(settings: Settings, host: str, port: int) -> None:
    """Serves until a signal stops it. Raises AddressRefused, and what `create_app` does."""
    configure_logging()
    # A core file would hold the seeds of live matches in clear.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with listen(host, port) as listening:
        worker = supervise(settings.workers) if settings.workers > 1 else Worker(0)
        app = create_app(settings)
        collect_garbage_seldom()
        metrics_port = None if settings.metrics_port is None else settings.metrics_port + worker.number
        with serve_metrics(app.state.services.metrics, metrics_port):
            Server(app, host, port, worker.tell_ready).run([listening])


def _house(settings: Settings, entropy: Entropy) -> House:
    receipts, *retired_receipts = _signers(settings, RECEIPTS_KEY, receipt_name(settings.log), entropy)
    sealing, *retired_sealing = _keys(settings, SEALING_KEY, CUSTODY_KEY_BYTES, entropy)
    return House(
        log=settings.log,
        receipts=receipts,
        retired_receipts=tuple(retired_receipts),
        custody=Custody(sealing, retired_sealing),
        assets=tuple(terms.Asset(code, exponent) for code, exponent in settings.assets.items()),
        fees={
            code: FeeSchedule(**settings.asset_fees.get(code, settings.fees).model_dump()) for code in settings.assets
        },
        clock=terms.Clock(decision_ms=settings.decisions_ms[0], **settings.clock.model_dump()),
        decisions_ms=settings.decisions_ms,
        deals_max=settings.deals_max,
        table_wait_ms=settings.table_wait_ms,
        tables_max=settings.tables_max,
        session_ms=settings.session_ms,
        account_kept_ms=settings.account_kept_days * 86_400_000,
    )


def _rates(limits: Limits, workers: int) -> Rates:
    return Rates(
        account=Rate(limits.account_burst, limits.account_per_minute),
        address=Rate(limits.address_burst, limits.address_per_minute),
        sign_up=Rate(limits.sign_up_burst, limits.sign_up_per_minute).share(workers),
        tables=Rate(limits.tables_burst, limits.tables_per_minute),
        wrong_name=Rate(limits.wrong_name_burst, limits.wrong_name_per_minute).share(workers),
        wrong_address=Rate(limits.wrong_address_burst, limits.wrong_address_per_minute).share(workers),
    )


def _signers(settings: Settings, file: str, name: str, entropy: Entropy) -> tuple[NoteSigner, ...]:
    """The keys of that file's name, as signers of notes under `name`; the current one first. Raises KeyRefused."""
    keys = _keys(settings, file, KEY_BYTES, entropy)
    return tuple(NoteSigner(name, SigningKey.from_seed(key)) for key in keys)


def _keys(settings: Settings, name: str, byte_count: int, entropy: Entropy) -> tuple[bytes, ...]:
    """The key of that name, then the retired ones; made first, in development, if it is missing. Raises KeyRefused."""
    path = settings.keys / name
    if settings.environment == "development":
        log.warning("DEVELOPMENT KEYS: not for real money", extra={"file": name})
        if not path.exists():
            write_key(path, entropy.take(byte_count))
    return read_keys(path, byte_count)
