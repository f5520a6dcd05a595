"""`fairdeal demo`: the whole house once, from an empty database to a verdict."""

import secrets
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Final

from fairdeal.cli.operator import log_policy
from fairdeal.cli.service import Service, running_service
from fairdeal.cli.show import Show
from fairdeal.cli.texts import Language
from fairdeal.client import Api, Memory, Player, Taken, prefer_winning_tricks
from fairdeal.match import parse_bundle
from fairdeal.tlog import Policy

DEPOSIT: Final = 5_000
STAKE: Final = 1_000
SETTINGS: Final = {"FAIRDEAL_FEES__COMMISSION_BP": "500", "FAIRDEAL_FEES__TAX_BP": "200", "FAIRDEAL_FEES__ID": "demo"}
"""Five percent for the house and two for the state, so that there is something to see."""


@dataclass(frozen=True, slots=True)
class Evening:
    """What is played: who sits, by seat, for what stake each, and the options that are not the usual ones."""

    names: tuple[str, ...] = ("Alice", "Bruno", "Chloé", "David")
    stake: int = STAKE
    options: Mapping[str, int | str] = field(default_factory=lambda: {"target": 501})


EVENINGS: Final[Mapping[str, Evening]] = {
    "duel": Evening(("Alice", "Bruno"), options={}),
    "classique": Evening(),
    "coinche": Evening(),
    "annonces": Evening(stake=0),
}
"""By game; those for four to the lowest target, so that it does not take long."""


@dataclass(frozen=True, slots=True)
class Guest:
    """One of the programs that play: its session and its player."""

    name: str
    api: Api = field(repr=False)
    player: Player = field(repr=False)


def run_demo(folder: Path, language: Language, game: str) -> int:
    """Plays one of EVENINGS, shows and verifies; the verifier's exit code.

    Raises FairdealError when the match cannot be played.
    """
    evening = EVENINGS[game]
    signal.signal(signal.SIGTERM, _end)
    folder.mkdir(parents=True, exist_ok=True)
    log, policy = folder / "server.log", folder / "policy.txt"
    show = Show(language)
    # The threads end after the service, so that a player whose opponent has failed does not wait for it.
    with (
        tempfile.TemporaryDirectory(prefix="fairdeal-demo-") as home,
        ThreadPoolExecutor(len(evening.names)) as pool,
        # The keys stay from demo to demo, so that one policy serves for the files of all of them.
        running_service(Path(home), folder / "keys", log, SETTINGS) as service,
    ):
        show.title(game, evening.stake)
        show.text("service", url=service.url, log=log.resolve())
        # The operator's word, from the key on the disk: it does not pass through the service.
        policy.write_text(log_policy(service.keys), "utf-8")
        # Alice's files are the ones to keep; everybody's memory goes with the service.
        first, *others = evening.names
        guests = [_welcome(service, first, Path(home), folder, policy, language)]
        guests += [_welcome(service, name, Path(home), Path(home, name), policy, language) for name in others]
        taken = _play(guests, game, pool, show)
    part = parse_bundle(taken.bundle.read_bytes()).log
    assert part is not None
    show.proven(part)
    show.head("files", name=first)
    for path in (taken.bundle, taken.held, policy):
        show.line(str(path.resolve()))
    return _verify(taken, policy, show)


def _end(number: int, _frame: FrameType | None) -> None:
    """Ends the demo in order: killed by the signal, it would leave its service running."""
    sys.exit(128 + number)


def _welcome(service: Service, name: str, home: Path, folder: Path, policy: Path, language: Language) -> Guest:
    """A new account with money on it, signed in."""
    api = Api(service.url, language=language)
    password = secrets.token_urlsafe(12)
    account = api.sign_up(name, password)
    with Api(service.url, service.operator_token) as operator:
        operator.deposit(account["id"], DEPOSIT, key=secrets.token_hex(16))
    api.sign_in(name, password)
    player = Player(api, Memory(home / f"{name}.db"), folder, Policy.parse(policy.read_bytes()))
    return Guest(name, api, player)


def _play(guests: list[Guest], game: str, pool: ThreadPoolExecutor, show: Show) -> Taken:
    """The match, and the money around it; what the first guest takes away."""
    evening = EVENINGS[game]
    table = guests[0].player.open_table(evening.stake, game=game, options=evening.options)
    m: str = table["m"]
    show.table(table)
    if evening.stake:
        _wallets(guests, show, "before")
    show.names = list(evening.names)
    _sit(guests, m, evening.stake, show)
    if evening.stake:
        _wallets(guests, show, "seated")
    show.head("match", m=m)
    watchers = [show.watch] + [None] * (len(guests) - 1)
    playing = [
        pool.submit(guest.player.play, m, prefer_winning_tricks, watcher)
        for guest, watcher in zip(guests, watchers, strict=True)
    ]
    for done in wait(playing, return_when=FIRST_EXCEPTION).done:
        done.result()
    if evening.stake:
        _wallets(guests, show, "after")
    for guest in guests:
        guest.api.close()
    return playing[0].result()


def _sit(guests: list[Guest], m: str, stake: int, show: Show) -> None:
    """Everybody takes their seat. The first of a side is given a code, and tells it the partner, who needs it."""
    codes: dict[int, str] = {}
    for seat, guest in enumerate(guests):
        code = guest.player.sit(m, stake, seat=seat, partner_code=codes.get(seat))["you"].get("partner_code")
        if code is not None:
            partner = (seat + 2) % len(guests)
            codes[partner] = code
            show.code(guest.name, guests[partner].name, code)


def _wallets(guests: list[Guest], show: Show, key: str) -> None:
    show.head(key)
    for guest in guests:
        show.wallet(guest.name, guest.api.wallet())


def _verify(taken: Taken, policy: Path, show: Show) -> int:
    """Shows and runs fairdeal-verify in a process of its own; its sentence is the last line."""
    bundle, held, listed = (str(path.resolve()) for path in (taken.bundle, taken.held, policy))
    command = [sys.executable, "-m", "fairdeal_verifier", bundle, "--policy", listed]
    command += ["--held", held, "--lang", show.language]
    show.head("verify")
    show.line(shlex.join(command))
    sys.stdout.flush()
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode
