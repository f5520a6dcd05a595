"""`fairdeal rules`: the cases, what it prints for people, and how it refuses."""

import json
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from fairdeal.cards import PACK, format_card, format_card_fr
from fairdeal.cli import app
from fairdeal.errors import FairdealError, IllegalAction, Malformed
from tests.cli.command import run
from tests.rules.questions import Question, arguments_of, facts


def invoke(*arguments: str) -> Result:
    done = CliRunner().invoke(app, arguments)
    if isinstance(done.exception, FairdealError):
        raise done.exception
    return done


def answer(*arguments: str) -> Any:
    done = invoke(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_a_case_is_answered(question: Question) -> None:
    assert facts(question, answer(*arguments_of(question.name, question.asked))) == question.expect


def test_every_card_in_both_notations() -> None:
    for held in zip(*[iter(PACK)] * 8, strict=True):
        told = answer("rules", "legal", "classique", " ".join(map(format_card_fr, held)), "--trump=♦")
        assert told["legal"] == [format_card(card) for card in held]


@pytest.mark.parametrize(
    ("lang", "lines"),
    [
        (
            "en",
            [
                "May be played: SJ",
                "  ✗ S7   The hand has a trump above S9: it must rise.",
                "  ✗ DA   The hand has no ♥, but it has trump ♠: it must ruff.",
            ],
        ),
        (
            "fr",
            [
                "Cartes jouables : V♠",
                "  ✗ 7♠   La main a un atout plus fort que 9♠ : il faut monter.",
                "  ✗ A♦   La main n’a pas de ♥, mais elle a de l’atout ♠ : il faut couper.",
            ],
        ),
    ],
)
def test_why_a_card_is_refused(lang: str, lines: list[str]) -> None:
    done = invoke("rules", "legal", "classique", "7♠ SJ A♦", "--trump=♠", "--trick=H7,HA,9♠", f"--lang={lang}")
    assert done.stdout.splitlines() == lines


def test_the_five_steps() -> None:
    line = ["classique", "--taker=0", "--cards=61,91", "--last-trick=0", "--belote=0", "--pot=81"]
    assert invoke("rules", "marks", *line, "--lang=en").stdout.splitlines() == [
        "1. The cards of each side’s tricks: 61 and 91.",
        "2. Ten for the last trick, to side 0: 71 and 91.",
        "3. 71 + 91 = 162: nothing is missing.",
        "4. Belote, 20 to side 0, outside the 162: 91 and 91.",
        "5. Both sides have 91: litige. Side 1 writes its 91; the taker’s 91 wait in the pot. The pot is 172. "
        "Written: 0 and 91.",
        "tie (litige)  side 0 0 – side 1 91  pot 172",
    ]
    last = invoke("rules", "marks", *line, "--lang=fr").stdout.splitlines()[-1]
    assert last == "litige  camp 0 0 – camp 1 91  cagnotte 172"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("coinche-demandes --points=55,107 --bid=80 --double=coinche", "Side 1 writes (162 + 80) × 2 = 484"),
        ("coinche-demandes --points=0,162 --tricks=0,8 --bid=80", "Side 1 writes 252 + 80 = 332"),
        ("coinche --points=90,72 --bid=80 --double=surcoinche", "Side 0 writes 162 × 4 = 648"),
        ("contree-cannes --points=90,72 --bid=100 --double=surcoinche", "Side 1 writes 162 + 100 × 3 = 462"),
        ("contree-cannes --points=60,102 --belote=0 --bid=100", "The belote goes to side 1."),
        ("coinche-ffb --points=80,82 --bid=80", "80 bid, 80 reached, but the defence has 82"),
        ("coinche-demandes --points=104,58 --bid=100", "The takers write the 100 bid too."),
        ("coinche --points=160,2 --bid=capot", "Capot bid, and not every trick won: failed."),
        ("annonces --points=60,102 --announcements=20,0 --pot=81", "The announcements, 20, go to side 1."),
        ("annonces --points=60,102 --announcements=20,0 --pot=81", "Side 1 takes the pot of 81."),
        ("duel --points=162,0 --tricks=16,0 --belote=1", "The belote stays with side 1."),
        ("feuille-250 --points=162,0 --tricks=8,0", "Side 0 won every trick: capot. It writes 250."),
        ("feuille --points=105,57 --rounding", "Rounded to the nearest ten. Written: 110 and 60."),
        ("feuille --points=104,58 --bid=100 --scoring=faits+demandés", "Written: 204 and 58."),
    ],
)
def test_what_the_contract_makes_of_it(line: str, sentence: str) -> None:
    fifth = answer("rules", "marks", *line.split(), "--taker=0", "--lang=en")["steps"][4]
    assert sentence in fifth["text"]


def test_the_winner_of_the_last_trick() -> None:
    asked = ("rules", "trick", "duel", "9♠ V♠", "--trump=S", "--leader=1", "--last", "--lang=fr")
    assert invoke(*asked).stdout == "Le siège 0 fait le pli avec V♠, le plus fort atout. 44 points.\n"


@pytest.mark.parametrize(
    ("auction", "bids", "turn"),
    [
        ("", 49, 0),
        ("capot♠", 2, 1),
        ("80S pass", 45, 2),
        ("80S,100♥,pass,pass,coinche", 2, 1),
        ("80S coinche pass pass", 0, 0),
        ("pass pass pass pass", 0, None),
    ],
)
def test_what_may_be_said(auction: str, bids: int, turn: int | None) -> None:
    told = answer("rules", "bids", "coinche", auction)
    assert (len(told["bids"]), told["turn"]) == (bids, turn)


def test_a_turned_card() -> None:
    first = answer("rules", "bids", "classique", "pass", "--turned=HJ", "--dealer=1")
    assert (first["bids"], first["turn"]) == (["pass", "take"], 3)
    assert answer("rules", "bids", "duel", "pass pass", "--turned=HJ")["bids"] == ["pass", "S", "D", "C"]
    assert answer("rules", "bids", "duel", "pass,pass,♠", "--turned=HJ")["trump"] == "S"


def test_announcements() -> None:
    asked = ("rules", "announcements", "SK,HK,DK,CK,SQ,SJ,SA,S10")
    lines = invoke(*asked, "--trump=S", "--lang=fr").stdout.splitlines()
    assert lines == ["carré      100  R♠ R♥ R♦ R♣", "tierce      20  10♠ V♠ D♠", "total 120", "et la belote, 20"]
    assert answer(*asked)["belote"] is None
    nothing = invoke("rules", "announcements", "S7,S8,H9,H10,DJ,DQ,CK,CA", "--lang=en").stdout
    assert nothing == "Nothing to announce.\n"


def test_a_count() -> None:
    spades = "S7 S8 S9 S10 SJ SQ SK SA"
    told = answer("rules", "count", "classique", spades, "--trump=S", "--last-trick=1")
    assert (told["cards"], told["points"], told["tricks"]) == ([62, 90], [62, 100], [2, 6])
    assert [step["name"] for step in told["steps"]] == ["tricks", "last_trick", "check"]


def test_the_list() -> None:
    listed = answer("rules", "list")
    assert [game["id"] for game in listed["rulesets"]] == ["duel@1", "classique@1", "coinche@1", "annonces@1"]
    assert {option["name"]: option["default"] for option in listed["rulesets"][2]["options"]} == {
        "scoring": "faits",
        "target": 1001,
    }
    printed = invoke("rules", "list", "--lang=fr").stdout
    for kind in ("rulesets", "presets", "sheets"):
        assert all(game["game"] in printed for game in listed[kind])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ("legal poker S7 --trump=S", Malformed, "game: one of duel, "),
        ("legal classique S7,S11 --trump=S", Malformed, "hand: 'S11' is not a card"),
        ("legal classique S7,S7 --trump=S", Malformed, "hand: S7 is there twice"),
        ("legal classique S7 --trump=S --trick=S7", Malformed, "a card is in the trick too"),
        ("legal classique S7 --trump=X", Malformed, "trump: "),
        ("legal classique S7 --trump=S --trick=H7,H8,H9,HJ", Malformed, "trick: it is full"),
        ("legal classique S7 --trump=S --phase=free", Malformed, "phase: "),
        ("legal duel S7 --trump=S", Malformed, "phase: "),
        ("trick duel S7,S8,S9 --trump=S", Malformed, "trick: 2 cards"),
        ("trick duel S7,S8 --trump=S --leader=2", Malformed, "leader: "),
        ("bids coinche 85S", Malformed, "auction: '85S' is not a word"),
        ("bids coinche 80X", Malformed, "auction: '80X' is not a word"),
        ("bids coinche --turned=S7", Malformed, "turned: "),
        ("bids classique", Malformed, "turned: "),
        ("bids coinche 80S,80H", IllegalAction, "80H: "),
        ("bids duel take,pass --turned=S7", IllegalAction, "The bidding is over"),
        ("bids coinche pass,pass,pass,pass,80S", IllegalAction, "80S: Everybody has passed"),
        ("announcements S7", Malformed, "hand: the eight"),
        ("count classique S7,S8,S9 --trump=S --last-trick=0", Malformed, "no whole tricks"),
        ("count duel S7,S8 --trump=S --last-trick=0 --other=S8,S9", Malformed, "S8 on both sides"),
        ("count duel S7,S8 --trump=S --last-trick=0 --other=S9", Malformed, "on neither side"),
        ("marks duel --taker=0 --points=100,60", Malformed, "sum 160 != 162"),
        ("marks duel --taker=0 --points=162,0", Malformed, "tricks: needed"),
        ("marks duel --taker=0 --points=162,0 --tricks=8,0", Malformed, "tricks: 16 in all"),
        ("marks classique --taker=0 --points=82,80 --tricks=8,0", Malformed, "a side without a trick"),
        ("marks classique --taker=0 --points=151,11 --last-trick=1", Malformed, "unreachable"),
        ("marks classique --taker=0 --cards=82,70", Malformed, "last_trick: "),
        ("marks classique --taker=0", Malformed, "points or cards"),
        ("marks classique --taker=0 --points=82", Malformed, "points: two numbers"),
        ("marks classique --taker=0 --points=82,80 --bid=80", Malformed, "bid: this game has no contract"),
        ("marks classique --taker=0 --points=82,80 --double=coinche", Malformed, "only with a bid"),
        ("marks classique --taker=0 --points=82,80 --rounding", Malformed, "rounding: "),
        ("marks classique --taker=0 --points=82,80 --announcements=20,0", Malformed, "announcements: "),
        ("marks annonces --taker=0 --points=82,80 --announcements=20,20", Malformed, "announcements: "),
        ("marks classique --taker=0 --points=82,80 --pot=100001", Malformed, "pot: "),
        ("marks duel --taker=0 --points=82,80 --pot=81", Malformed, "pot: "),
        ("marks coinche --taker=0 --points=82,80", Malformed, "bid: 80 to 180"),
        ("marks coinche --taker=0 --points=82,80 --bid=85", Malformed, "bid: 80 to 180"),
        ("marks coinche --taker=0 --points=82,80 --bid=80 --double=twice", Malformed, "double: "),
    ],
)
def test_what_cannot_be_asked(arguments: str, error: type[FairdealError], message: str) -> None:
    with pytest.raises(error, match=message.replace("(", r"\(")):
        invoke("rules", *arguments.split())


def test_how_it_ends() -> None:
    refused = run("rules", "bids", "coinche", "80S 80H")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("fairdeal: illegal_action: 80H: ")
    wrong = run("rules", "marks", "duel", "--taker", "2")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "Usage: fairdeal rules marks" in wrong.stderr
