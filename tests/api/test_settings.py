"""What the service is set up with, and what it does not start with."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from fairdeal import ledger
from fairdeal.errors import KeyMissing, KeyRefused, Malformed, SealBroken
from fairdeal.keys import SigningKey
from fairdeal.ledger import FeeSchedule
from fairdeal.ledger.currencies import _BY_DECIMALS, DECIMALS
from fairdeal.match.schema import OPEN
from fairdeal.settings import Settings
from fairdeal.tlog import VerifierKey
from tests.api.table import Service, start_two
from tests.simulator import play


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRDEAL_FEES__COMMISSION_BP", "700")
    monkeypatch.setenv("FAIRDEAL_CLOCK__JOIN_MS", "9000")
    monkeypatch.setenv("FAIRDEAL_DECISIONS_MS", "[30000, 10000]")
    monkeypatch.setenv("FAIRDEAL_OPERATOR_TOKEN", "a-token-that-is-long-enough")
    settings = Settings()
    assert (settings.fees.commission_bp, settings.fees.tax_bp) == (700, 0)
    assert (settings.clock.join_ms, settings.clock.overruns) == (9_000, 3)
    assert settings.decisions_ms == (30_000, 10_000)
    assert "long-enough" not in repr(settings)


@pytest.mark.parametrize(
    "wrong",
    [
        {"operator_token": "my-short-secret"},
        {"fees": {"commission_bp": 9_000, "tax_bp": 1_001}},
        {"fees": {"comission_bp": 1}},
        {"clock": {"outage_ms": 1_000}},
        {"decisions_ms": [0]},
        {"decisions_ms": []},
        {"assets": {"jeton": 0}},
        {"assets": {}},
        {"assets": {"JETON": 19}},
        {"assets": {"JPY": 2}},
        {"assets": {"EUR": 3}},
        {"assets": {"BHD": 2}},
        {"asset_fees": {"EUR": {}}},
        {"assets": {"EUR": 2}, "asset_fees": {"EUR": {"commission_bp": 9_000, "tax_bp": 1_001}}},
        {"assets": {"EUR": 2, "JPY": 0}, "fees": {"commission_cap": 500}},
        {"log": "two words"},
        {"origin": "https://play.example/path"},
        {"colour": "red"},
    ],
)
def test_what_cannot_be_is_refused_without_repeating_it(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings(**wrong)  # type: ignore[arg-type]
    assert "my-short-secret" not in str(refused.value)


@pytest.mark.parametrize("name", ["FAIRDEAL_OPERATOR_TOKN", "FAIRDEAL_FEES__TAX", "FAIRDEAL_LOG__NAME", "FAIRDEAL_"])
def test_a_mistyped_name_is_not_passed_over(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "my-short-secret")
    with pytest.raises(ValidationError) as refused:
        Settings()
    assert "my-short-secret" not in str(refused.value)


def test_every_name_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRDEAL_TABLES_MAX", "7")
    monkeypatch.setenv("FAIRDEAL_CLOCK__PAUSE_MS", "1")
    monkeypatch.setenv("FAIRDEAL_FEES", '{"tax_bp": 3}')
    assert Settings().tables_max == 7
    assert Settings().fees.tax_bp == 3


OPENED = play(1, "cancelled_empty").events[0].data


def accepts(form: Callable[[], object]) -> bool:
    try:
        form()
    except (Malformed, ValidationError):
        return False
    return True


@pytest.mark.parametrize(
    ("code", "fits"),
    [("E", True), ("E2", True), ("JETON", True), ("ABCDEFGHIJ12", True), ("ABCDEFGHIJ123", False), ("", False),
     ("1E", False), ("Eur", False), ("EU R", False), ("EUR\n", False), ("ÉCU", False)],
)  # fmt: skip
def test_what_an_asset_may_be_called_is_the_same_everywhere(code: str, fits: bool) -> None:
    """Or a service that starts with the name could not open a table, or not take a stake."""
    assert accepts(lambda: Settings(assets={code: 0})) == fits
    assert accepts(lambda: OPEN({**OPENED, "asset": {"code": code, "exponent": 0}})) == fits
    assert accepts(lambda: ledger.deposit("0" * 32, "0" * 32, 1, asset=code, at=0)) == fits


def test_the_assets_and_their_fees(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order in which they stand; a capped schedule is of one asset at most."""
    monkeypatch.setenv("FAIRDEAL_ASSETS", '{"EUR": 2, "JPY": 0, "BHD": 3, "CLF": 4, "JETON": 0, "GOLD": 6}')
    assert [*Settings().assets.items()][:3] == [("EUR", 2), ("JPY", 0), ("BHD", 3)]
    monkeypatch.setenv("FAIRDEAL_ASSETS", '{"EUR": 2, "JPY": 0}')
    monkeypatch.setenv("FAIRDEAL_FEES__COMMISSION_CAP", "500")
    monkeypatch.setenv("FAIRDEAL_ASSET_FEES", '{"JPY": {"id": "yen-1", "commission_cap": 900}}')
    assert Settings().asset_fees["JPY"].commission_cap == 900


def test_a_wrong_exponent_says_the_right_one() -> None:
    with pytest.raises(ValidationError, match=r"JPY has 0 decimals \(ISO 4217\), not 2"):
        Settings(assets={"JPY": 2})
    assert {code: DECIMALS[code] for code in ("EUR", "JPY", "KWD", "UYW", "MGA")} == {
        "EUR": 2, "JPY": 0, "KWD": 3, "UYW": 4, "MGA": 2,
    }  # fmt: skip
    assert all(re.fullmatch("[A-Z]{3}", code) for code in DECIMALS)
    assert len(DECIMALS) == sum(len(codes.split()) for codes in _BY_DECIMALS.values()), "none stands twice"


@pytest.mark.parametrize(
    ("name", "fits"),
    [("0", True), ("house-1", True), ("a._-", True), ("a" * 32, True), ("a" * 33, False), ("", False), ("House", False),
     ("-a", False), ("a b", False), ("a\n", False), ("é", False)],
)  # fmt: skip
def test_what_a_fee_schedule_may_be_called_is_the_same_everywhere(name: str, fits: bool) -> None:
    assert accepts(lambda: Settings(fees={"id": name})) == fits  # type: ignore[arg-type]
    assert accepts(lambda: OPEN({**OPENED, "fees": {**OPENED["fees"], "id": name}})) == fits
    assert accepts(lambda: FeeSchedule(name, 0, 0, 0, "pot")) == fits


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("log localhost/fairdeal+", "log example.org/fairdeal+", "key id"),
        (" http://witness.example/w", "", "without an address"),
        ("quorum w", "quorum x", "line 3"),
    ],
)
def test_witnesses_that_do_not_fit(tmp_path: Path, old: str, new: str, says: str) -> None:
    key = SigningKey.from_seed(bytes(32)).public
    log, witness = VerifierKey("localhost/fairdeal", key), VerifierKey("witness.example", key, 4)
    text = f"log {log.format()}\nwitness w {witness.format()} http://witness.example/w\nquorum w\n"
    path = tmp_path / "witnesses.txt"
    path.write_text(text)
    read = Settings(witnesses=path).read_witnesses()
    assert read is not None
    assert [(one.name, one.url) for one in read.witnesses] == [("w", "http://witness.example/w")]
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    with pytest.raises(Malformed, match=says):
        Settings(witnesses=path).read_witnesses()


def test_witnesses_of_another_log_or_from_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "witnesses.txt"
    with pytest.raises(Malformed, match="cannot be read"):
        Settings(witnesses=path).read_witnesses()
    log = VerifierKey("example.org/fairdeal", SigningKey.from_seed(bytes(32)).public)
    path.write_text(f"log {log.format()}\nquorum none\n")
    with pytest.raises(Malformed, match="of another log"):
        Settings(witnesses=path).read_witnesses()
    assert Settings().read_witnesses() is None


@pytest.mark.parametrize(("name", "error"), [("sealing.key", SealBroken), ("receipts.key", KeyMissing)])
def test_it_does_not_start_with_other_keys_than_its_matches(tmp_path: Path, name: str, error: type[Exception]) -> None:
    service = Service(tmp_path)
    start_two(service)
    (tmp_path / "keys" / name).write_text("ab" * 32 + "\n")
    with pytest.raises(error):
        service.restart(1_000)
    (tmp_path / "keys" / name).chmod(0o640)
    with pytest.raises(KeyRefused, match="open to others"):
        service.start()


def test_production_makes_no_keys(tmp_path: Path) -> None:
    with pytest.raises(KeyRefused):
        Service(tmp_path, {"environment": "production", "origin": "https://play.example", "log": "play.example"})
    with pytest.raises(ValueError, match="https"):
        Service(tmp_path, {"environment": "production"})
    assert not (tmp_path / "keys").exists()
