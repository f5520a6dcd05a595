import pytest
from pydantic import ValidationError

from fairdeal.settings import Settings


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
        {"asset_code": "jeton"},
        {"log": "two words"},
        {"origin": "https://play.example/path"},
        {"colour": "red"},
    ],
)
def test_what_cannot_be_is_refused_without_repeating_it(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings(**wrong)  # type: ignore[arg-type]
    assert "my-short-secret" not in str(refused.value)
