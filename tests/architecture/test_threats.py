"""docs/threats.md is whole: each known failure is there, and each test it names exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/threats.md").read_text()

NUMBERS = set(range(1, 41))

HEADING = re.compile(r"^### (\d+)\. .+$", re.MULTILINE)
TEST_ID = re.compile(r"`(tests/[^`\s]+)`")


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
    found = sections(page)
    wrong = [f"{number} is missing" for number in sorted(NUMBERS - found.keys())]
    wrong += [f"{number} is not of this list" for number in sorted(found.keys() - NUMBERS)]
    for number, section in found.items():
        ids = named(section)
        wrong += [] if ids else [f"{number} names no test"]
        for test_id in ids:
            file, _, name = test_id.partition("::")
            path = ROOT / file
            if not path.name.startswith("test_") or not path.is_file() or name not in collected(path):
                wrong.append(f"{number}: there is no {test_id}")
    wrong += [f"{test_id} stands outside the lists" for test_id in sorted(outside(page, found))]
    return wrong


def outside(page: str, found: dict[int, str]) -> set[str]:
    """Ids that are mentioned where nothing checks them."""
    return {each for each in TEST_ID.findall(page) if "::" in each} - {
        i for text in found.values() for i in named(text)
    }


def test_every_failure_has_tests_that_exist() -> None:
    assert faults(PAGE) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("test_deal`", "test_deal_no_more`", "there is no tests/vectors/test_shuffle.py::test_deal_no_more"),
        ("tests/api/test_time_told.py::", "tests/api/test_gone.py::", "there is no tests/api/test_gone.py::"),
        ("::TestSeeds::", "::", "there is no tests/unit/test_match_decide.py::test_a_seed"),
        ("TestAnyHistory", "AnyHistory", "36: there is no"),
        ("\n### 17. ", "\n### 41. ", "17 is missing"),
        ("\n### 17. ", "\n#### 17. ", "17 is missing"),
    ],
)
def test_a_fault_in_the_page_is_seen(old: str, new: str, fault: str) -> None:
    assert old in PAGE
    assert any(fault in each for each in faults(PAGE.replace(old, new)))


def test_a_failure_without_tests_is_seen() -> None:
    section = sections(PAGE)[18]
    assert "18 names no test" in faults(PAGE.replace(section, section.replace("Tests: ", "See ")))
