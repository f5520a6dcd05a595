"""What an explanation says of files that lie or end early, what it refuses, and the command."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairdeal_verifier import cli, usage
from fairdeal_verifier.explain import explain, render, words
from fairdeal_verifier.sentences import Language
from tests.verifier.builder import ENDINGS, GAMES, Match, cancelled, target

LANGUAGES: tuple[Language, ...] = ("en", "fr")


@pytest.fixture(scope="module")
def match() -> Match:
    return target(0, "classique@1")


def said(key: str, language: Language) -> str:
    """The words of a line up to its first value."""
    return words.WORDS[key][language == "fr"].split("{}")[0]


def changed(match: Match, change: Callable[[list[dict[str, Any]]], None]) -> bytes:
    lying = match.copy()
    change(lying.events)
    return lying.bundle()


def test_a_forged_signature(match: Match) -> None:
    n = match.find("act", 3)

    def forge(events: list[dict[str, Any]]) -> None:
        sig = events[n]["data"]["sig"]
        events[n]["data"]["sig"] = ("0" if sig[0] != "0" else "1") + sig[1:]

    facts: Any = explain(changed(match, forge), 1, n)
    assert not facts["event"]["signed"]["verifies"]
    assert facts["event"]["choice"]["allowed"]
    # The next move endorses all before it, and so another root.
    after: Any = explain(changed(match, forge), 1, match.find("act", 4))
    signed = after["event"]["signed"]
    assert signed["root"] != signed["computed_root"]
    assert signed["verifies"], "what the seat signed is still what the event says"
    for language in LANGUAGES:
        assert said("verifies_not", language) in render(facts, language)
        assert said("root_other", language) in render(after, language)


def test_another_seed(match: Match) -> None:
    def swap(events: list[dict[str, Any]]) -> None:
        events[match.find("reveal")]["data"]["server_seed"] = "11" * 32

    facts: Any = explain(changed(match, swap), 1)
    assert facts["seeds"]["server"]["opens"] is False
    # Another seed is another pack: the deal of the file is not the one computed.
    assert facts["stops"] == {"at": match.find("deal"), "cause": "deal"}
    assert facts["score"] is None
    for language in LANGUAGES:
        assert said("opens_not", language) in render(facts, language)
        assert said("stops", language) in render(facts, language)


def test_a_deal_that_lies_is_explained_as_it_ought_to_be(match: Match) -> None:
    n = match.find("deal", 1)
    honest: Any = explain(match.bundle(), 2)

    def lie(events: list[dict[str, Any]]) -> None:
        events[n]["data"]["turned"] = "SA" if honest["dealing"]["turned"] != "SA" else "SK"

    facts: Any = explain(changed(match, lie), 2)
    assert facts["stops"] == {"at": n, "cause": "deal"}
    assert facts["pack"] == honest["pack"]
    assert facts["dealing"]["hands"] == honest["dealing"]["hands"]
    assert facts["tricks"] == []


def test_a_card_that_was_not_allowed(match: Match) -> None:
    honest: Any = explain(match.bundle(), 1)
    n = honest["tricks"][0]["cards"][1]["n"]
    choice: Any = explain(match.bundle(), 1, n)
    legal = [do["card"] for do in choice["event"]["choice"]["legal"]]
    foreign = honest["tricks"][0]["cards"][0]["card"]

    def cheat(events: list[dict[str, Any]]) -> None:
        events[n]["data"] = {**events[n]["data"], "do": {"card": foreign}}

    facts: Any = explain(changed(match, cheat), 1, n)
    told = facts["event"]["choice"]
    assert not told["allowed"]
    assert [do["card"] for do in told["legal"]] == legal
    for language in LANGUAGES:
        assert said("not_allowed", language) in render(facts, language)
        assert said("not_allowed", language) not in render(choice, language)


def test_a_score_that_lies_is_counted_anew(match: Match) -> None:
    n = match.find("score")
    honest: Any = explain(match.bundle(), 1)

    def lie(events: list[dict[str, Any]]) -> None:
        events[n]["data"]["marks"][0] += 10

    facts: Any = explain(changed(match, lie), 1)
    assert facts["stops"] == {"at": n, "cause": "score"}
    assert facts["score"] == honest["score"]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("ending", ["resigned", "overruns", "void", "all pass", "deal limit"])
def test_every_ending_in_play(game: str, ending: str) -> None:
    match = ENDINGS[ending](1, game)
    for number in range(1, 1 + sum(event["type"] == "deal" for event in match.events)):
        facts: Any = explain(match.bundle(), number)
        assert facts["stops"] is None
        first, last = facts["events"]
        for language in LANGUAGES:
            lines = render(facts, language)
            assert facts["score"] is not None or said("not_over", language) in lines
            assert all(render(explain(match.bundle(), number, n), language) for n in {first, last})
    if ending == "resigned":
        resigned: Any = explain(match.bundle(), number, match.find("end") - 1)
        assert resigned["event"]["choice"]["duty"] == "resign"


def test_a_pack_shuffled_after_four_void_deals() -> None:
    match = ENDINGS["all pass"](0, "annonces@1")
    how = []
    for number in range(1, 1 + sum(event["type"] == "deal" for event in match.events)):
        facts: Any = explain(match.bundle(), number)
        how.append(facts["pack"]["how"])
    voids = [event["data"]["outcome"] == "void" for event in match.events if event["type"] == "score"]
    assert voids[:4] == [True] * 4
    assert how[:5] == ["shuffled", "cut void", "cut void", "cut void", "shuffled after voids"]


@pytest.fixture(scope="module")
def files(match: Match, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("files")
    cut = match.copy()
    cut.events = cut.events[: match.find("reveal")]
    late = match.copy()
    late.events[1]["t"], late.events[2]["t"] = late.events[2]["t"] + 1, late.events[1]["t"]
    contents = {
        "bundle": match.bundle(),
        "explain": match.bundle(),
        "pending": cut.bundle(),
        "malformed": b"{}\n",
        "cancelled": cancelled(0).bundle(),
        "late": late.bundle(),
    }
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    return {name: str(folder / name) for name in contents} | {"none": str(folder / "none")}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (("pending", "--deal", "1"), 11, "not_revealed"),
        (("malformed", "--deal", "1"), 12, "no_bundle"),
        (("none", "--deal", "1"), 2, "no_file"),
        (("bundle", "--deal", "0"), 2, "no_deal"),
        (("bundle", "--deal", "-1"), 2, "no_deal"),
        (("bundle", "--deal", "99"), 2, "no_deal"),
        (("cancelled", "--deal", "1"), 2, "no_deal"),
        (("late", "--deal", "1"), 2, "replay_stops"),
        (("bundle", "--deal", "2", "--event", "0"), 2, "no_event"),
        (("bundle", "--deal", "1", "--event", "9999"), 2, "no_event"),
        (("bundle", "--deal", "1", "--event", "-1"), 2, "no_event"),
    ],
)
def test_what_is_refused(
    arguments: tuple[str, ...],
    code: int,
    text: str,
    language: Language,
    files: dict[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = [files.get(argument, argument) for argument in arguments]
    assert cli.main(["explain", *given, "--lang", language]) == code
    out, err = capsys.readouterr()
    words_of_it = (usage.TEXTS | usage.REASONS)[text][language == "fr"]
    pattern = re.escape(words_of_it).replace(r"\{\}", ".+")
    assert out == ""
    assert re.fullmatch(f"fairdeal-verify: {pattern}\n", err)


@pytest.mark.parametrize(
    "arguments",
    [["bundle"], ["--deal", "1"], ["bundle", "--deal", "x"], ["bundle", "--deal", "1", "--policy", "bundle"]],
)
def test_wrong_arguments(arguments: list[str], files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["explain", *(files.get(argument, argument) for argument in arguments)])
    assert stopped.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "fairdeal-verify explain" in err


@pytest.mark.parametrize(("language", "says"), [("en", "missing: "), ("fr", "il manque : ")])
@pytest.mark.parametrize(
    ("arguments", "lacking"),
    [(("--event", "3"), "BUNDLE, --deal"), (("bundle", "--event", "3"), "--deal"), (("--deal", "1"), "BUNDLE")],
)
def test_the_argument_that_is_missing_is_named(
    arguments: tuple[str, ...], lacking: str, language: Language, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["explain", *arguments, "--lang", language])
    assert stopped.value.code == 2
    assert capsys.readouterr().err.endswith(f"\nfairdeal-verify: {says}{lacking}\n")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_command(language: Language, files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    data = Path(files["bundle"]).read_bytes()
    for more, place in (([], None), (["--event", "9"], 9)):
        given = ["explain", files["bundle"], "--deal", "1", *more, "--lang", language]
        facts = explain(data, 1, place)
        assert cli.main(given) == 0
        assert capsys.readouterr() == (render(facts, language) + "\n", "")
        assert cli.main([*given, "--json"]) == 0
        out, err = capsys.readouterr()
        assert json.loads(out) == facts
        assert err == ""
    with pytest.raises(SystemExit) as stopped:
        cli.main(["explain", "--help", "--lang", language])
    assert stopped.value.code == 0
    assert usage.TEXTS["deal"][language == "fr"] in capsys.readouterr().out


def test_a_bundle_of_the_commands_name(
    files: dict[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(files["explain"]).parent)
    assert cli.main(["./explain", "--lang", "en"]) == 13
    assert capsys.readouterr().out.startswith("unchecked: ")


@pytest.mark.parametrize(("encoding", "jack"), [("ascii", "SJ"), ("utf-8", "♠J")])
def test_a_terminal_without_suits(encoding: str, jack: str, files: dict[str, str]) -> None:
    command = [sys.executable, "-m", "fairdeal_verifier", "explain", files["bundle"], "--deal", "1", "--lang", "en"]
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=600)
    assert jack in done.stdout.decode(encoding)


def test_a_reader_who_stops_reading(files: dict[str, str]) -> None:
    command = [sys.executable, "-m", "fairdeal_verifier", "explain", files["bundle"], "--deal", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(600) == 0


def test_every_word_has_both_languages() -> None:
    for table in (words.WORDS, words.DUTIES, words.TERMS, words.OUTCOMES, words.BIDS):
        for english, french in table.values():
            assert english
            assert french
            assert english.count("{") == french.count("{")
    source = "".join(path.read_text("utf-8") for path in Path(words.__file__).parent.glob("*.py"))
    assert {key for key in words.WORDS if f'"{key}"' not in source.replace(f'    "{key}": (', "")} == set()
