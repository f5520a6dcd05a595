"""The command: exit codes, one sentence or one object on stdout, French and English."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from fairdeal_verifier import cli, usage, verify
from fairdeal_verifier.report import EXIT_CODES
from fairdeal_verifier.sentences import CAUSES, REASONS, sentence
from tests.verifier.builder import ENDINGS, Match, target

MEMBERS = {
    "format", "verdict", "broken_at", "step", "cause", "suspects", "m", "ending", "anchor", "log", "signatures",
    "counts", "checks", "sentence",
}  # fmt: skip
COUNTS = {"events", "deals", "voids", "timeouts", "resumes", "signatures"}


@pytest.fixture
def match() -> Match:
    return target(0, target=50)


@pytest.fixture
def files(tmp_path: Path, match: Match) -> dict[str, str]:
    cut = ENDINGS["resigned"](8)
    cut.events = cut.events[:9]
    forged = match.copy()
    forged.events[-1]["data"]["lines"][1]["amount"] += 1
    contents = {
        "bundle": match.bundle(),
        "held": match.held_file(),
        "policy": match.policy_text().encode(),
        "altered": match.bundle().replace(b'"amount":-', b'"amount":-1'),
        "malformed": b"{}\n",
        "cheated": forged.bundle(),
        "pending": cut.bundle(),
        "pending policy": cut.policy_text().encode(),
        "foreign": ENDINGS["target"](1).held_file(),
    }
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    return {name: str(tmp_path / name) for name in contents} | {"none": str(tmp_path / "none"), "here": str(tmp_path)}


def run(capsys: pytest.CaptureFixture[str], arguments: Sequence[str]) -> tuple[int, str, str]:
    code = cli.main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


CASES: list[tuple[str, tuple[str, ...]]] = [
    ("verified", ("bundle", "--policy", "policy", "--held", "held")),
    ("verified", ("bundle", "--policy", "policy", "--held", "held", "--signatures", "last")),
    ("unchecked", ("bundle", "--policy", "policy")),
    ("unchecked", ("bundle",)),
    ("unchecked", ("bundle", "--held", "held")),
    ("unchecked", ("bundle", "--policy", "pending policy")),
    ("altered", ("altered", "--policy", "policy")),
    ("malformed", ("malformed", "--policy", "policy")),
    ("cheated", ("cheated", "--policy", "policy")),
    ("pending", ("pending", "--policy", "pending policy")),
]


@pytest.mark.parametrize(("verdict", "arguments"), CASES)
@pytest.mark.parametrize("language", ["en", "fr"])
def test_verdicts(
    verdict: str, arguments: tuple[str, ...], language: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    given = [files.get(argument, argument) for argument in arguments]
    code, out, err = run(capsys, [*given, "--lang", language])
    assert code == EXIT_CODES[verdict]  # type: ignore[index]
    assert out.startswith(f"{verdict}: ")
    assert out.count("\n") == 1
    assert len(err.splitlines()) == 11

    code, out, err = run(capsys, [*given, "--json", "--lang", language])
    report = json.loads(out)
    assert code == EXIT_CODES[verdict]  # type: ignore[index]
    assert set(report) == MEMBERS
    assert set(report["counts"]) == COUNTS
    assert [check["step"] for check in report["checks"]] == list(range(11))
    assert {frozenset(check) for check in report["checks"]} == {frozenset({"step", "name", "result"})}
    assert report["format"] == "fairdeal/report@1"
    assert report["verdict"] == verdict
    assert report["sentence"].startswith(f"{verdict}: ")
    assert (report["cause"] is None) == (verdict == "verified")
    assert err == ""


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("none",), "no_file"),
        (("here",), "unreadable"),
        (("bundle", "--policy", "none"), "no_file"),
        (("bundle", "--policy", "bundle"), "policy_line"),
        (("bundle", "--held", "none"), "no_file"),
        (("bundle", "--held", "bundle"), "held_line"),
        (("bundle", "--policy", "policy", "--held", "foreign"), "held_foreign"),
        (("malformed", "--held", "malformed"), "held_line"),
    ],
)
@pytest.mark.parametrize("language", ["en", "fr"])
def test_wrong_usage(
    arguments: tuple[str, ...],
    reason: str,
    language: str,
    files: dict[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = run(capsys, [*(files.get(argument, argument) for argument in arguments), "--lang", language])
    assert (code, out) == (2, "")
    text = usage.REASONS[reason][language == "fr"]
    value = files["here"] if reason == "unreadable" else files["none"] if reason == "no_file" else "1"
    assert err == f"fairdeal-verify: {text.format(value)}\n"


def test_every_reason_of_wrong_usage_has_both_languages() -> None:
    source = "".join(path.read_text("utf-8") for path in Path(usage.__file__).parent.rglob("*.py"))
    assert set(re.findall(r'WrongUsage\("(\w+)"', source)) == set(usage.REASONS)
    for english, french in [*usage.REASONS.values(), *usage.TEXTS.values()]:
        assert english != french
        assert english.count("{}") == french.count("{}") or english == "{}"


@pytest.mark.parametrize(("held", "line"), [(b"{}\n", 1), (b'{"a":1', 0), (b"", 0)])
def test_a_held_file_is_refused_in_our_words(
    held: bytes, line: int, files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad").write_bytes(held)
    code, out, err = run(capsys, [files["bundle"], "--held", str(tmp_path / "bad"), "--lang", "en"])
    assert (code, out) == (2, "")
    told = (
        "line 1 of the held file is not of its form"
        if line
        else "the held file is empty, or its last line does not end"
    )
    assert err == f"fairdeal-verify: {told}\n"


def test_the_line_of_a_held_file_that_is_refused_is_named(
    files: dict[str, str], tmp_path: Path, match: Match, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = match.held_file().split(b"\n")
    lines[2] = b"[" * 9
    (tmp_path / "bad").write_bytes(b"\n".join(lines))
    err = run(capsys, [files["bundle"], "--held", str(tmp_path / "bad"), "--lang", "fr"])[2]
    assert err == "fairdeal-verify: la ligne 3 du fichier de joueur n’a pas la forme prévue\n"


@pytest.mark.parametrize(
    ("language", "told"), [("en", "print one JSON object"), ("fr", "afficher un objet JSON"), ("de", "print one JSON")]
)
def test_help(language: str, told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", f"{language}_X.UTF-8")
    with pytest.raises(SystemExit) as stopped:
        cli.main(["--help"])
    assert stopped.value.code == 0
    out, err = capsys.readouterr()
    assert told in out
    assert "stderr" in out
    assert err == ""


def test_wrong_arguments_in_french(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["x", "--signatures", "some", "--lang", "fr"])
    assert stopped.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("fairdeal-verify: arguments refusés ; voir --help\n")


@pytest.mark.parametrize("arguments", [[], ["x", "--lang", "de"], ["x", "--signatures", "some"], ["x", "y"]])
def test_wrong_arguments(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == 2
    assert capsys.readouterr().out == ""


def test_the_verifiers_own_failure(
    files: dict[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr("fairdeal_verifier.commands.verify.verify", fail)
    monkeypatch.delenv("FAIRDEAL_DEBUG", raising=False)
    assert run(capsys, [files["bundle"]]) == (1, "", "fairdeal-verify: the verifier failed: RuntimeError\n")
    monkeypatch.setenv("FAIRDEAL_DEBUG", "1")
    with pytest.raises(RuntimeError):
        cli.main([files["bundle"]])


@pytest.mark.parametrize(
    ("environment", "french"),
    [
        ({"LANG": "fr_FR.UTF-8"}, True),
        ({"LANG": "fr_FR.UTF-8", "LC_ALL": "C"}, False),
        ({"LANG": "C", "LC_MESSAGES": "fr_BE"}, True),
        ({"LANG": ""}, False),
        ({}, False),
    ],
)
def test_the_language_is_the_locales(
    environment: dict[str, str],
    french: bool,
    files: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("LANG", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    out = run(capsys, [files["bundle"], "--policy", files["policy"], "--held", files["held"]])[1]
    assert ("toute la partie est en règle" in out) is french
    assert out.startswith("verified: ")


def test_what_a_person_reads(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--policy", files["policy"]]
    whole = [files["bundle"], "--held", files["held"], *given]
    counts = json.loads(run(capsys, [*whole, "--json"])[1])["counts"]
    assert (counts["timeouts"], counts["resumes"], counts["voids"]) == (2, 0, 0)
    assert run(capsys, [*whole, "--lang", "en"])[1] == (
        "verified: the whole match checks out; target reached, seat 1 won; 2 timeouts, 0 resumes, 0 void deals.\n"
    )
    assert run(capsys, [*whole, "--lang", "fr"])[1] == (
        "verified: vérifiée, toute la partie est en règle ; objectif atteint, le joueur du siège 1 gagne ; "
        "2 dépassements, 0 reprise, 0 donne nulle.\n"
    )
    cheated = run(capsys, [files["cheated"], *given, "--lang", "en"])[1]
    assert cheated.startswith("cheated: the payout is wrong (at event 44, step 10); target reached, seat 1 won; ")
    cheated = run(capsys, [files["cheated"], *given, "--lang", "fr"])[1]
    assert cheated.startswith("cheated: tricherie prouvée, le règlement est faux (à l’événement 44, étape 10) ; ")
    unchecked = run(capsys, [files["cheated"], "--lang", "en"])[1]
    assert unchecked.startswith("unchecked: without a policy nobody is accused, but the payout is wrong (at event 44, ")


def test_where_a_changed_event_may_be(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """A root says that some event was changed, not which: the sentence has the span, not its end alone."""
    given = [files["altered"], "--policy", files["policy"]]
    report = json.loads(run(capsys, [*given, "--json"])[1])
    first, last = report["suspects"]
    assert first < last == report["broken_at"]
    assert f"(somewhere in events {first} to {last}, step 3); " in run(capsys, [*given, "--lang", "en"])[1]
    assert (
        f"(quelque part dans les événements {first} à {last}, étape 3) ; " in run(capsys, [*given, "--lang", "fr"])[1]
    )


def test_the_sentence_names_both_winners_of_a_side(match: Match) -> None:
    found = verify(match.bundle(), None, None)
    assert "; target reached, seats 1 and 3 won; " in sentence(replace(found, seats=4), "en")
    assert " ; objectif atteint, les joueurs des sièges 1 et 3 gagnent ; " in sentence(replace(found, seats=4), "fr")


def test_the_steps_are_told_in_the_language(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    given = [files["altered"], "--policy", files["policy"], "--lang"]
    english, french = (run(capsys, [*given, language])[2].splitlines() for language in ("en", "fr"))
    assert english[:4] == [
        " 0 bytes and schema: passed",
        " 1 policy, keys, checkpoint: passed",
        " 2 log proofs and order: not run",
        " 3 transcript root, head, leaves, held receipts: failed",
    ]
    assert french[:4] == [
        " 0 octets et forme : en règle",
        " 1 fichier de confiance, clés, état signé du journal : en règle",
        " 2 preuves et ordre du journal : non contrôlé",
        " 3 racine de la partie, en-tête signé, inscriptions au journal, reçus gardés : en défaut",
    ]
    assert not set(english) & set(french)


def test_every_cause_and_reason_has_both_languages() -> None:
    for english, french in [*CAUSES.values(), *REASONS.values()]:
        assert english
        assert french
        assert english != french


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_as_a_process_without_cryptography(encoding: str, files: dict[str, str], tmp_path: Path) -> None:
    """The command stands alone: no dependency, any terminal, the same verdict."""
    (tmp_path / "cryptography.py").write_text("raise ImportError\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONIOENCODING": encoding}
    arguments = [files["bundle"], "--policy", files["policy"], "--held", files["held"], "--lang", "fr"]
    command = [sys.executable, "-m", "fairdeal_verifier", *arguments, "--signatures", "last"]
    done = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=600)
    assert done.returncode == 0
    assert done.stdout.startswith(b"verified: ")
