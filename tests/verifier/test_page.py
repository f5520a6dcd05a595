"""verify.html: the committed page is what its sources make, and asks nobody; in soak, in a real browser."""

import json
import re
import runpy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.agreement.mutants import EventDict, Mutant
from tests.agreement.sealing import Forger, Way
from tests.simulator import GAMES, Played, play
from tests.verifier.browser import Page, browser
from tests.verifier.javascript import ROOT

FILE = ROOT / "verify.html"
PHONE = (360, 640)
WORDS = {
    "verified": ("Vérifiée", "Verified"),
    "cheated": ("Tricherie prouvée", "Cheating proven"),
    "altered": ("Fichier modifié", "File altered"),
    "pending": ("En attente", "Pending"),
    "unchecked": ("Non vérifiable", "Cannot be verified"),
    "malformed": ("Illisible", "Unreadable"),
}

# Parts inside a part are there once it is open.
ALL_OPEN = """
[...document.querySelectorAll('details')].map((each) => {
  each.open = true;
  return each.childElementCount > 1;
}).every(Boolean)
"""
DIFFERENT_CARDS = """
[...document.querySelectorAll('.pack')].map((pack) =>
  new Set([...pack.querySelectorAll('.card')].map((card) => card.getAttribute('aria-label'))).size)
"""
SMALL_TARGETS = """
[...document.querySelectorAll('button, summary, textarea, .slot label')]
  .filter((each) => each.checkVisibility() && Math.min(each.offsetWidth, each.offsetHeight) < 44)
  .map((each) => each.outerHTML)
"""


def test_the_committed_page_is_what_its_sources_make() -> None:
    assert FILE.read_text(encoding="utf-8") == runpy.run_path(str(ROOT / "build_page.py"))["build"](), "make page"


def test_it_names_no_address_and_may_fetch_nothing() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert not re.search(r"(https?|wss?|ftp):|//[a-z0-9-]+\.[a-z]", text, re.IGNORECASE)
    assert re.findall(r'(?:src|href)="([^"#][^"]*)"', text) == ["data:,"]
    policy = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
    assert len(policy) == 1
    rules = dict(rule.strip().split(" ", 1) for rule in policy[0].split(";"))
    assert rules["default-src"] == "'none'"
    assert not {"connect-src", "font-src", "media-src", "frame-src"} & rules.keys()
    assert "unsafe" not in policy[0]


def test_every_word_it_asks_for_is_there_in_both_languages() -> None:
    sources = {file.name: file.read_text(encoding="utf-8") for file in (ROOT / "page").iterdir()}
    table = sources["texts.js"].partition("const TEXTS = {")[2].partition("\n};")[0]
    pairs = re.findall(r'^  (?:"([^"]+)"|(\w+)): \[\s*"(?:[^"\\]|\\.)+",\s*"(?:[^"\\]|\\.)+",?\s*\],$', table, re.M)
    assert len(pairs) == len(re.findall(r'^  ["\w].*: \[', table, re.M)) > 150
    asked = {
        key
        for text in sources.values()
        for key in re.findall(r'(?:\bsay\(|data-text=|data-label=|heading\()"([^"]+)"', text)
    }
    assert asked
    assert asked <= {quoted or plain for quoted, plain in pairs}


@dataclass(frozen=True, slots=True)
class Given:
    """Files for the page, and the verdict and step that they deserve."""

    bundle: bytes
    held: bytes | None
    policy: str | None
    verdict: str
    step: int | None = None


def long_match() -> Played:
    return play(5, "target", stake=500, target=301)


def given(name: str) -> Given:
    """The honest match, and what can be made of it."""
    match = long_match()
    forger = Forger(match)
    honest = Given(match.bundle, forger.true_held, match.policy, "verified")
    events = list(forger.events)
    at = next(n for n, event in enumerate(events) if event["type"] == "score")
    match name:
        case "good":
            return honest
        case "altered":
            changed = forger.seal(_with_score(events, at), Way.AS_IS)
            return Given(changed.bundle, honest.held, honest.policy, "altered", 3)
        case "cheated":
            # Signed again by the operator and, with their keys, by every seat: the rules alone tell.
            changed = forger.seal(_with_score(events, at), Way.EVERYBODY)
            return Given(changed.bundle, changed.held, honest.policy, "cheated", 9)
        case "fork":
            changed = forger.seal(_with_score(events, at), Way.TRUE_HELD)
            return Given(changed.bundle, honest.held, honest.policy, "cheated", 3)
        case "pending":
            cut = forger.seal_lines(forger.lines[: at + 6], at, Way.TRUE_HELD)
            return Given(cut.bundle, honest.held, honest.policy, "pending")
        case "malformed":
            return Given(match.bundle[:-40], honest.held, honest.policy, "malformed", 0)
        case "no policy":
            return Given(match.bundle, honest.held, None, "unchecked", 1)
        case "no held file":
            return Given(match.bundle, None, match.policy, "unchecked")
        case "witnesses":
            return Given(match.bundle, None, match.witnessed_policy, "verified")
        case "lost":
            lost = match.lost(match.sizes[-2])
            return Given(lost.bundle, None, lost.witnessed_policy, "verified")
    raise AssertionError(name)


def _with_score(events: list[EventDict], at: int) -> Mutant:
    """One side marks a point more."""
    score = json.loads(json.dumps(events[at]))
    score["data"]["marks"][0] += 1
    return Mutant("a point too many", at, ("data", "marks", 0), (*events[:at], score, *events[at + 1 :]))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def show(page: Page, folder: Path, files: Given, size: tuple[int, int] = PHONE) -> None:
    """A fresh page with these files dropped onto it, and the verdict there."""
    page.size(*size)
    page.open(FILE)
    page.run("document.querySelector('[data-language=fr]').click()")
    names = {
        "match.fairdeal": files.bundle,
        "match.held": files.held,
        "keys.txt": files.policy and files.policy.encode(),
    }
    paths = []
    for name, data in names.items():
        if data is not None:
            (folder / name).write_bytes(data)
            paths.append(folder / name)
    page.drop(*paths)
    page.wait_for("document.querySelector('#results > .verdict') !== null")


def verdict(page: Page, within: str = "#results >") -> str:
    value: str = page.run(f"document.querySelector('{within} [data-verdict]').dataset.verdict")
    return value


@pytest.mark.soak
@pytest.mark.parametrize(
    "name",
    [
        "good",
        "altered",
        "cheated",
        "fork",
        "pending",
        "malformed",
        "no policy",
        "no held file",
        "witnesses",
        "lost",
    ],
)
def test_its_verdict_in_a_browser_from_disk(name: str, page: Page, tmp_path: Path) -> None:
    files = given(name)
    page.requests.clear()
    show(page, tmp_path, files)
    french, english = WORDS[files.verdict]
    assert verdict(page) == files.verdict
    assert page.run("document.documentElement.dataset.runs") == "worker"
    assert page.run("document.querySelector('.verdict h2').innerText") == french
    assert page.run("document.getElementById('status').textContent").startswith(french)
    failed = page.run(
        "[...document.querySelectorAll('.checks > li')].findIndex((li) => li.querySelector('.mark.failed'))"
    )
    assert failed == (-1 if files.step is None else files.step)
    assert page.run("document.documentElement.scrollWidth <= innerWidth")
    page.run("document.querySelector('[data-language=en]').click()")
    assert page.run("document.querySelector('.verdict h2').innerText") == english
    assert not page.complaints
    assert [address for address in page.requests if not address.startswith(("file:", "blob:", "data:"))] == []


@pytest.mark.soak
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [PHONE, (1280, 800)])
def test_everything_it_shows_fits_and_can_be_reached(
    game: str, size: tuple[int, int], page: Page, tmp_path: Path
) -> None:
    match = play(2, "target", game)
    show(page, tmp_path, Given(match.bundle, match.held[0], match.policy, "verified"), size)
    assert verdict(page) == "verified"
    page.wait_for(ALL_OPEN)
    packs = page.run(DIFFERENT_CARDS)
    assert packs == [32] * sum(event.type == "deal" for event in match.events)
    assert page.run("document.documentElement.scrollWidth <= innerWidth")
    assert page.run(SMALL_TARGETS) == []
    assert "undefined" not in page.run("document.body.innerText")
    assert not page.complaints


@pytest.mark.soak
def test_it_tells_who_cosigned_and_where_the_match_stands_in_the_log(page: Page, tmp_path: Path) -> None:
    match = long_match()
    log, m = match.service_log, match.state.terms.m
    show(page, tmp_path, given("witnesses"))
    page.run("for (const step of [1, 2]) document.getElementById(`check-${step}`).open = true")
    page.wait_for("document.getElementById('check-2').childElementCount > 1")
    keys = page.run("document.getElementById('check-1').innerText")
    assert keys.count("a contresigné cet état le") == len(log.cosigners)
    assert "\nfairdeal.example/log\n" in keys
    leaves = page.run("document.getElementById('check-2').innerText")
    assert all(f"inscription n° {index}" in leaves for index, _ in log.own(m))


@pytest.mark.soak
def test_changing_one_card_turns_a_check_red_and_back(page: Page, tmp_path: Path) -> None:
    show(page, tmp_path, given("good"))
    page.run("document.getElementById('change-button').click()")
    page.wait_for("document.querySelector('#change .verdict-line') !== null")
    assert verdict(page, "#change") == "altered"
    assert page.run("document.querySelector('#change .mark.failed').textContent") == "3"
    assert verdict(page) == "verified"
    page.run("document.getElementById('change-button').click()")
    page.wait_for("document.querySelector('#change .mark.failed') === null")
    assert verdict(page, "#change") == "verified"


@pytest.mark.soak
def test_files_chosen_one_by_one_and_keys_pasted(page: Page, tmp_path: Path) -> None:
    files = given("good")
    show(page, tmp_path, given("no policy"))
    assert verdict(page) == "unchecked"
    page.run(f"document.getElementById('pasted').value = {json.dumps((files.policy or '').strip())}")
    page.run("document.getElementById('paste-button').click()")
    page.wait_for("document.querySelector('.verdict.verified') !== null")
    page.run("document.getElementById('remove-held').click()")
    page.wait_for("document.querySelector('.verdict.unchecked') !== null")
    # A held file of another match is no verdict, but a file to replace.
    other = tmp_path / "other.held"
    other.write_bytes(play(6, "target").held[0])
    page.choose("#input-held", other)
    page.wait_for("document.querySelector('#status').textContent.includes('autre partie')")
    page.choose("#input-held", tmp_path / "match.held")
    page.wait_for("document.querySelector('.verdict.verified') !== null")


@pytest.mark.soak
def test_it_checks_without_a_worker_too(page: Page, tmp_path: Path) -> None:
    script = page.send(
        "Page.addScriptToEvaluateOnNewDocument",
        source="Worker = class { constructor() { throw new Error('refused'); } };",
    )
    show(page, tmp_path, given("good"))
    page.send("Page.removeScriptToEvaluateOnNewDocument", **script)
    assert page.run("document.documentElement.dataset.runs") == "page"
    assert verdict(page) == "verified"
