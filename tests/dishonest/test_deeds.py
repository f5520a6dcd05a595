"""Every deed of a dishonest operator, and who notices it: exactly what docs/limitations.md says of it."""

from contextlib import closing
from pathlib import Path

import pytest

from tests.agreement.cases import Case, check_agreement
from tests.dishonest import deeds
from tests.dishonest.looking import readers
from tests.dishonest.operator import Operator
from tests.dishonest.table import DEEDS, INTRODUCTION, Said, documented, name, row


@pytest.mark.parametrize("said", DEEDS, ids=lambda said: said.deed.__name__)
def test_deed(said: Said, tmp_path: Path) -> None:
    found = row(said, tmp_path / "operator")
    _, rows = documented()
    assert [line for line in rows if f"`{name(said)}`" in line] == [found]


@pytest.mark.soak
def test_the_second_verifier_says_the_same_of_every_deed(tmp_path: Path) -> None:
    cases = []
    for said in DEEDS:
        with closing(Operator(tmp_path / said.deed.__name__)) as operator:
            scene = said.deed(operator)
            for reader, (policy, held) in readers(scene).items() if scene.bundle is not None else ():
                assert scene.bundle is not None
                cases.append(Case(f"{name(said)}, {reader}", scene.bundle, policy.encode(), held))
    assert len(cases) > len(DEEDS)
    check_agreement(cases)


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
