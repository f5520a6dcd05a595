"""docs/threats.md is whole: each known failure and each item about money is there, and each test it names exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/threats.md").read_text()

NUMBERS = set(range(1, 41))

ITEMS = {
    "The model": [
        "Amounts are integers, and every transaction sums to zero in one asset",
        "No balance is edited",
        "Nothing but the cashier is below zero",
        "A seat holds the stake, and the last join makes the pot of all",
        "A match that somebody won pays the winners, commission and tax",
        "A cancelled or void match gives everything back",
        "Seeds of one side alone: its own stake and one of the others' each",
        "A withdrawal is held, then paid or given back",
        "A hold ends exactly once",
        "A match ends exactly once in money",
        "Play and money land together or not at all",
        "Transactions are immutable on both databases",
        "A mistake is corrected by a reversal that names it",
        "Entries first, the header seals them",
        "A key is reserved first, never expires, and keeps what was asked",
        "Locks are taken in one order",
        "The journal is a log: exact bytes, by sequence, tied into the log of all matches",
        "What was acknowledged is on the disk",
    ],
    "Fees": [
        "The schedule of the first event applies to the end",
        "Commission and tax are rounded down, with cap and both bases",
        "Winners get all the rest, an odd unit goes to the lower seat",
        "Without a winner there is no fee",
        "The lines of a settlement stand in one order, zeros kept",
        "Pot = payouts + commission + tax, for every amount and schedule",
        "Every ending is shown in money before sitting",
        "Afterwards the same, with balance before and after and the transaction's id",
    ],
    "What an auditor and a regulator ask": [
        "A record of each match: stake, fees, payouts, balances, seats, times, rules",
        "Significant events: limits changed",
        "Significant events: a key rotated",
        "Significant events: the fee schedule changed",
        "Significant events: the clock stepped, a start refused",
        "An interrupted match has its cause written, and a refund or an end by rule",
        "One seat for an account at a table",
        "A player's own history, and a statement of each month",
        "Limits of deposits, stakes and losses, lowered at once and raised a day later",
        "Cooling off and exclusion",
        "The operator's switch lets running matches finish",
        "Every night the books are proven, and a difference is an incident",
        "Signs of collusion",
        "Exports in exact bytes, CSV, beancount and hledger, accepted by these programs",
    ],
    "Faults that happened to somebody": [
        "A double click refunded twice",
        "A retry with a new key for each click",
        "Paid out and refunded both",
        "The losing retry told that funds are insufficient",
        "A list of statuses without `cancelled`",
        "A deadlock of locks that lost a charge",
        "A hold lost in a crash",
        "Limits checked, then acted on",
        "Yen times a hundred",
        "Time zones and days of 23 hours in daily limits",
        'A journal sealed by "the id after the last" that skips rows',
        "A balance of the past looked up by time",
        "A power cut or kill −9 at any step",
    ],
}
"""What money is asked, by heading, in its order."""

HEADING = re.compile(r"^### (\d+)\. .+$", re.MULTILINE)
TEST_ID = re.compile(r"`(tests/[^`\s]+)`")
ROW = re.compile(r"^\| (?!item \|)([^|\n]+) \| ([^|\n]+) \|$", re.MULTILINE)


def sections(page: str) -> dict[int, str]:
    """Number → what stands under its heading, up to the next one."""
    parts = HEADING.split(page)[1:]
    numbers = [int(number) for number in parts[::2]]
    assert len(set(numbers)) == len(numbers), "a number stands twice"
    return dict(zip(numbers, (re.split(r"^#", text, flags=re.MULTILINE)[0] for text in parts[1::2]), strict=True))


def named(section: str) -> list[str]:
    """The ids of the paragraph that begins with `Tests:`."""
    found = re.search(r"^Tests: (.+?)(?:\n\n|\Z)", section, re.MULTILINE | re.DOTALL)
    return TEST_ID.findall(found[1]) if found else []


def asked(page: str) -> dict[str, dict[str, list[str]]]:
    """Heading → item → ids, of what is said about money item by item."""
    part = page.partition("\n## Money, item by item\n")[2]
    headings = re.split(r"^### (.+)$", part, flags=re.MULTILINE)[1:]
    return {
        heading: {item: TEST_ID.findall(ids) for item, ids in ROW.findall(text)}
        for heading, text in zip(headings[::2], headings[1::2], strict=True)
    }


@cache
def collected(file: Path) -> set[str]:
    """What a file offers to be collected: test functions, test classes and the methods of those."""
    found = set()
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            methods = {f"{node.name}::{each.name}" for each in node.body if isinstance(each, ast.FunctionDef)}
            found |= {node.name, *(name for name in methods if "::test_" in name)}
        elif isinstance(node, ast.Assign):
            targets = {each.id for each in node.targets if isinstance(each, ast.Name)}
            found |= {name for name in targets if name.startswith("Test")}
    return found


def faults(page: str) -> list[str]:
    """All that is wrong with a page."""
    found, money = sections(page), asked(page)
    lists = {str(number): named(section) for number, section in found.items()}
    lists |= {item: ids for items in money.values() for item, ids in items.items()}
    wrong = [f"{number} is missing" for number in sorted(NUMBERS - found.keys())]
    wrong += [f"{number} is not of this list" for number in sorted(found.keys() - NUMBERS)]
    wrong += [f"{heading} has other items" for heading in ITEMS if ITEMS[heading] != [*money.get(heading, [])]]
    wrong += [f"{heading} is not of this list" for heading in money if heading not in ITEMS]
    for name, ids in lists.items():
        wrong += [] if ids else [f"{name} names no test"]
        wrong += [f"{name}: there is no {test_id}" for test_id in ids if not exists(test_id)]
    listed = {test_id for ids in lists.values() for test_id in ids}
    mentioned = {test_id for test_id in TEST_ID.findall(page) if "::" in test_id}
    return wrong + [f"{test_id} stands outside the lists" for test_id in sorted(mentioned - listed)]


def exists(test_id: str) -> bool:
    file, _, name = test_id.partition("::")
    path = ROOT / file
    return path.name.startswith("test_") and path.is_file() and name in collected(path)


def test_every_failure_has_tests_that_exist() -> None:
    assert faults(PAGE) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("test_deal`", "test_deal_no_more`", "there is no tests/vectors/test_shuffle.py::test_deal_no_more"),
        ("tests/api/test_time_told.py::", "tests/api/test_gone.py::", "there is no tests/api/test_gone.py::"),
        ("::TestSeeds::", "::", "there is no tests/unit/test_match_decide.py::test_a_seed"),
        ("test_any_history", "any_history", "36: there is no"),
        ("\n### 17. ", "\n### 41. ", "17 is missing"),
        ("\n### 17. ", "\n#### 17. ", "17 is missing"),
        ("\n### Fees\n", "\n### Other fees\n", "Fees has other items"),
        ("\n### Fees\n", "\n### Other fees\n", "Other fees is not of this list"),
        ("\n| Signs of collusion |", "\n| Signs |", "What an auditor and a regulator ask has other items"),
        ("::test_settlement_of_a_win_keeps_zero_lines_and_their_order`", "`", "zeros kept: there is no tests/unit"),
    ],
)
def test_a_fault_in_the_page_is_seen(old: str, new: str, fault: str) -> None:
    assert old in PAGE
    assert any(fault in each for each in faults(PAGE.replace(old, new)))


def test_a_failure_without_tests_is_seen() -> None:
    section = sections(PAGE)[18]
    assert "18 names no test" in faults(PAGE.replace(section, section.replace("Tests: ", "See ")))
