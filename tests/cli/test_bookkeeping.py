"""beancount and hledger themselves take a long journal, and reckon what the journal says."""

import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from fairdeal.cli.bookkeeping import account_name, convert
from fairdeal.ledger import format_amount
from tests.cli.books import EXPONENTS, journal, totals

COUNT = round(100_000 * float(os.environ.get("SOAK", "1")))
Books = Counter[tuple[str, str]]
"""Account, by its name in these programs, and asset → balance."""


def beancount(path: Path) -> subprocess.CompletedProcess[str]:
    return _run(Path(sys.executable).with_name("bean-check"), "--no-cache", path)


def hledger(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("hledger")
    assert program, "hledger is not on this machine: `make hledger` installs Debian's"
    return _run(program, *(arguments or ("check", "--strict")), "--file", path)


def _run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)


def reckoned_by_beancount(path: Path) -> Books:
    from beancount import loader
    from beancount.core.data import Transaction

    entries, errors, _ = loader.load_file(str(path))
    assert not errors
    sums: Books = Counter()
    for entry in entries:
        if isinstance(entry, Transaction):
            for posting in entry.postings:
                assert posting.units is not None
                sums[posting.account, posting.units.currency] += posting.units.number  # type: ignore[assignment]
    return sums


def reckoned_by_hledger(path: Path) -> Books:
    done = hledger(path, "balance", "--flat", "--empty", "--no-total", "--layout=bare", "--output-format=csv")
    assert done.returncode == 0, done.stderr
    rows = [line.strip('"').split('","') for line in done.stdout.splitlines()[1:]]
    return Counter({(account, asset): Decimal(amount) for account, asset, amount in rows})  # type: ignore[misc]


PROGRAMS = pytest.mark.parametrize(
    ("to", "check", "reckon"),
    [("beancount", beancount, reckoned_by_beancount), ("hledger", hledger, reckoned_by_hledger)],
    ids=["beancount", "hledger"],
)
Check = Callable[[Path], subprocess.CompletedProcess[str]]


@pytest.mark.soak
@PROGRAMS
def test_a_hundred_thousand_transactions(
    to: str, check: Check, reckon: Callable[[Path], Books], tmp_path: Path
) -> None:
    made = [*journal(COUNT, random.Random("the accountants"))]
    path = tmp_path / "books"
    path.write_text("".join(convert(made, EXPONENTS, to)))  # type: ignore[arg-type]
    done = check(path)
    assert (done.returncode, done.stderr) == (0, "")
    expected = {
        (account_name(account), asset): Decimal(format_amount(-balance, EXPONENTS[asset]))
        for (account, asset), balance in totals(made).items()
    }
    kept = reckon(path)
    assert {place: kept[place] for place in expected} == expected
    assert not {place for place, amount in kept.items() if amount} - expected.keys()


@pytest.mark.soak
@PROGRAMS
def test_one_unit_more_is_seen(to: str, check: Check, reckon: Callable[[Path], Books], tmp_path: Path) -> None:
    """In an entry, where a transaction no longer balances, and in the balance of an account at the end."""
    lines = "".join(convert(journal(200, random.Random("one unit")), EXPONENTS, to)).splitlines()  # type: ignore[arg-type]
    path = tmp_path / "books"
    entry = next(place for place, line in enumerate(lines) if line.startswith("  ") and ":Player:" in line)
    for place in (None, entry, len(lines) - 1):
        changed = [_one_more(line) if at == place else line for at, line in enumerate(lines)]
        path.write_text("\n".join([*changed, ""]))
        assert (check(path).returncode == 0) == (place is None)
    assert reckon


def _one_more(line: str) -> str:
    return re.sub(r'(\d)((?: ~ 0)? "?[A-Z0-9]+"?)$', lambda found: str((int(found[1]) + 1) % 10) + found[2], line)
