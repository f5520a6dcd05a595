"""`fairdeal ledger convert`: nothing is lost or rounded on the way into other programs' books.

The files are read back by parsers of the tests' own; in soak by beancount and hledger themselves.
"""

import csv
import random
import re
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from fairdeal import ledger
from fairdeal.cli.bookkeeping import account_name, convert
from fairdeal.cli.ledger import Exponents, read_journal
from fairdeal.errors import LedgerBroken, Malformed
from fairdeal.ledger import Transaction, cash, format_amount, held, pending, pot
from fairdeal.match.events import Event
from tests.cli.books import EXPONENTS, NOON, journal, totals, write_export
from tests.cli.command import run
from tests.simulator import play

SMALL = [*journal(400, random.Random(7))]
_POSTING = re.compile(r'\s+(\S+)  (-?\d+(?:\.\d+)?) "?([A-Z0-9]+)"?(?: = (\S+) "?[A-Z0-9]+"?)?')
_ACCOUNT = re.compile(r"(?:Assets|Liabilities|Income)(?::[A-Z0-9][A-Za-z0-9-]*)+")  # beancount's own


def back(name: str) -> str:
    """The journal's name of an account."""
    fixed = {"Assets:Cashier": "cashier", "Income:Commission": "house:commission", "Liabilities:Tax": "tax"}
    if name in fixed:
        return fixed[name]
    _, kind, owner, what = name.split(":")
    return f"{kind.lower()}:{owner[1:]}:{what.lower()}"


def units(text: str, asset: str) -> int:
    whole, _, decimals = text.partition(".")
    assert len(decimals) == EXPONENTS[asset], text
    return int(whole + decimals)


def of_journal(transactions: list[Transaction]) -> list[tuple[str, str, list[tuple[str, str, int]]]]:
    return [(one.id, one.kind.value, [(p.account, one.asset, p.amount) for p in one.postings]) for one in transactions]


def read_beancount(text: str) -> tuple[list[tuple[str, str, list[tuple[str, str, int]]]], Counter[tuple[str, str]]]:
    made: list[tuple[str, str, list[tuple[str, str, int]]]] = []
    opened, kept = set(), Counter[tuple[str, str]]()
    for line in text.splitlines():
        if found := re.fullmatch(r"1970-01-01 open (\S+)", line):
            assert found[1] not in opened
            opened.add(found[1])
        elif found := re.fullmatch(r'\d{4}-\d\d-\d\d \* "(\w+)" \^(\w+)-([0-9a-f]{32})', line):
            made.append((f"{found[2]}:{found[3]}", found[1], []))
        elif found := re.fullmatch(r"\d{4}-\d\d-\d\d balance (\S+)  (\S+) ~ 0 (\w+)", line):
            kept[back(found[1]), found[3]] = -units(found[2], found[3])
        elif found := _POSTING.fullmatch(line):
            assert found[1] in opened
            assert _ACCOUNT.fullmatch(found[1])
            made[-1][2].append((back(found[1]), found[3], -units(found[2], found[3])))
    return made, kept


def read_hledger(text: str) -> tuple[list[tuple[str, str, list[tuple[str, str, int]]]], Counter[tuple[str, str]]]:
    made: list[tuple[str, str, list[tuple[str, str, int]]]] = []
    opened, kept = set(), Counter[tuple[str, str]]()
    for line in text.splitlines():
        if line.startswith("account "):
            opened.add(line.removeprefix("account "))
        elif found := re.fullmatch(r"\d{4}-\d\d-\d\d \* \((\S+)\) (\w+)  ; .*", line):
            made.append((found[1], found[2], []))
        elif found := _POSTING.fullmatch(line):
            assert found[1] in opened
            if found[4] is None:
                made[-1][2].append((back(found[1]), found[3], -units(found[2], found[3])))
            else:
                assert units(found[2], found[3]) == 0
                kept[back(found[1]), found[3]] = -units(found[4], found[3])
    return made, kept


def test_beancount_has_every_transaction_and_every_balance() -> None:
    made, kept = read_beancount("".join(convert(SMALL, EXPONENTS, "beancount")))
    assert made == of_journal(SMALL)
    assert kept.keys() == totals(SMALL).keys()
    assert kept == totals(SMALL)


def test_hledger_has_every_transaction_and_every_balance() -> None:
    made, kept = read_hledger("".join(convert(SMALL, EXPONENTS, "hledger")))
    assert made == of_journal(SMALL)
    assert kept.keys() == totals(SMALL).keys()
    assert kept == totals(SMALL)


def test_csv_has_every_entry_with_the_balance_before_and_after() -> None:
    rows = [*csv.DictReader("".join(convert(SMALL, EXPONENTS, "csv")).splitlines())]
    balances: Counter[tuple[str, str]] = Counter()
    entries = [(index, one, posting) for index, one in enumerate(SMALL) for posting in one.postings]
    for row, (index, one, posting) in zip(rows, entries, strict=True):
        assert (row["index"], row["transaction"], row["kind"]) == (str(index), one.id, one.kind.value)
        assert (row["match"], row["account"], row["asset"]) == (one.match or "", posting.account, one.asset)
        assert units(row["amount"], one.asset) == posting.amount
        assert units(row["balance_before"], one.asset) == balances[posting.account, one.asset]
        balances[posting.account, one.asset] += posting.amount
        assert units(row["balance_after"], one.asset) == balances[posting.account, one.asset]
    assert rows[0]["at"] == "2025-12-31T23:00:00.000Z"


def test_the_balances_are_of_the_day_after_the_latest_time_whichever_transaction_has_it() -> None:
    late, early = (ledger.deposit(f"{at:032x}", "a" * 32, 5, asset="EUR", at=at) for at in (NOON + 3_600_000, NOON))
    text = "".join(convert([late, early], EXPONENTS, "beancount"))
    assert re.findall(r"(\S+) (?:\*|balance)", text) == ["2026-01-01", "2025-12-31", "2026-01-02", "2026-01-02"]
    assert "\n2026-01-02 * balances\n" in "".join(convert([late, early], EXPONENTS, "hledger"))


def test_names_of_accounts_go_back_to_the_journals() -> None:
    accounts = [
        cash("a" * 32),
        held("0f" * 16),
        pending("9" * 32),
        pot("12" * 16),
        "house:commission",
        "tax",
        "cashier",
    ]
    assert [back(account_name(account)) for account in accounts] == accounts
    assert account_name(cash("a1" * 16)) == f"Liabilities:Player:P{'a1' * 16}:Cash"


@pytest.mark.parametrize(
    ("amount", "exponent", "text"),
    [(1208, 2, "12.08"), (-5, 2, "-0.05"), (0, 2, "0.00"), (-100, 2, "-1.00"), (7, 0, "7"), (-1, 3, "-0.001")],
)
def test_an_amount_has_exactly_its_decimals(amount: int, exponent: int, text: str) -> None:
    assert format_amount(amount, exponent) == text


@pytest.mark.parametrize("exponent", [0, 2, 18])
def test_the_largest_amount_is_exact(exponent: int) -> None:
    for amount in (2**53 - 1, 1 - 2**53):
        assert Decimal(format_amount(amount, exponent)) * 10**exponent == amount


def test_what_beancount_reads_otherwise_is_refused() -> None:
    money = ledger.deposit("0" * 32, "a" * 32, 5, asset="NULL", at=NOON)
    with pytest.raises(Malformed):
        [*convert([money], {"NULL": 0}, "beancount")]
    assert [*convert([money], {"NULL": 0}, "hledger")]


def test_a_time_without_a_date_is_refused() -> None:
    money = ledger.deposit("0" * 32, "a" * 32, 5, asset="EUR", at=253_402_214_400_000)
    for to in ("csv", "beancount", "hledger"):
        with pytest.raises(Malformed):
            [*convert([money], EXPONENTS, to)]  # type: ignore[arg-type]
        assert [*convert([replace(money, at=money.at - 1)], EXPONENTS, to)]  # type: ignore[arg-type]


def test_a_transaction_is_read_from_its_one_form() -> None:
    for one in SMALL:
        assert Transaction.parse(one.canonical()) == one
    line = SMALL[0].canonical()
    for bad in (
        b"", b"{}", b"[]", b"5", line + b" ", line.replace(b'"kind":"deposit"', b'"kind":"gift"'),
        line.replace(b"fairdeal/transaction@1", b"fairdeal/transaction@2"), line.replace(b'"at":', b'"at":true,"b":'),
        line[:-1] + b',"more":1}', line.replace(b'"entries":[', b'"entries":[5,'),
    ):  # fmt: skip
        with pytest.raises(Malformed):
            Transaction.parse(bad)
    with pytest.raises(LedgerBroken):
        Transaction.parse(re.sub(rb'"amount":1', b'"amount":2', line))


def test_the_journal_of_an_export_is_read_in_its_order(tmp_path: Path) -> None:
    write_export(tmp_path, SMALL, page=7)
    assert [*read_journal(tmp_path)] == SMALL


@pytest.mark.parametrize("fault", ["unfinished", "no journal", "a page is missing", "a line is cut", "a line is false"])
def test_what_is_no_finished_export_is_refused(fault: str, tmp_path: Path) -> None:
    write_export(tmp_path, SMALL[:20], page=7)
    page = tmp_path / "ledger/1.jsonl"
    match fault:
        case "unfinished":
            (tmp_path / "checkpoint").unlink()
        case "no journal":
            for path in tmp_path.glob("ledger/*"):
                path.unlink()
        case "a page is missing":
            page.unlink()
        case "a line is cut":
            page.write_bytes(page.read_bytes()[:-1])
        case _:
            page.write_bytes(page.read_bytes().replace(b'"amount":-', b'"amount":-1', 1))
    with pytest.raises(Malformed) as refused:
        [*read_journal(tmp_path)]
    assert fault not in ("a line is cut", "a line is false") or "ledger/1.jsonl, line " in refused.value.message


def test_the_command_takes_the_decimals_from_a_match_or_from_who_calls(tmp_path: Path) -> None:
    opened = play(1, "cancelled_empty").events[0]
    euro = Event.make(0, opened.t, -1, "open", {**opened.data, "asset": {"code": "EUR", "exponent": 2}})
    money = [ledger.deposit(f"{n:032x}", "a" * 32, 1234, asset=code, at=NOON) for n, code in enumerate(("EUR", "OWN"))]
    write_export(tmp_path / "month", money)
    (tmp_path / "month/matches").mkdir()
    (tmp_path / "month/matches/m.jsonl").write_bytes(euro.line + b"\n")
    out = tmp_path / "books.csv"
    refused = run("ledger", "convert", tmp_path / "month", "--to", "csv", "--out", out)
    assert refused.returncode == 1
    assert "--exponent OWN=N" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["month"], "no half a file"
    given = run("ledger", "convert", tmp_path / "month", "--to", "csv", "--out", out, "--exponent", "OWN=3")
    assert (given.returncode, given.stdout) == (0, f"written {out}\n"), given.stderr
    assert [row["amount"] for row in csv.DictReader(out.read_text().splitlines())] == [
        "-12.34",
        "12.34",
        "-1.234",
        "1.234",
    ]
    for wrong in ("EUR", "EUR=", "EUR=-1", "EUR=19", "EUR=x", "EUR=²", f"EUR={'9' * 5_000}"):
        with pytest.raises(Malformed):
            Exponents(tmp_path, [wrong])
