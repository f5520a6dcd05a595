"""Every deed of a dishonest operator, and who notices it: exactly what docs/limitations.md says of it."""

from pathlib import Path

import pytest

from tests.dishonest import deeds
from tests.dishonest.table import DEEDS, INTRODUCTION, Said, documented, name, row


@pytest.mark.parametrize("said", DEEDS, ids=lambda said: said.deed.__name__)
def test_deed(said: Said, tmp_path: Path) -> None:
    found = row(said, tmp_path / "operator")
    _, rows = documented()
    assert [line for line in rows if f"`{name(said)}`" in line] == [found]


def test_the_page_has_every_deed_once_and_no_other() -> None:
    introduction, rows = documented()
    assert introduction == INTRODUCTION
    assert [line.split(" | ")[-1].strip(" |`\n") for line in rows] == [name(said) for said in DEEDS]
    done = {said.deed.__name__ for said in DEEDS}
    assert done == {
        one.__name__
        for one in vars(deeds).values()
        if getattr(one, "__annotations__", {}).get("return") is deeds.Scene and not one.__name__.startswith("_")
    }
