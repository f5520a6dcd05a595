from openapi.__main__ import FILE, text


def test_the_committed_description_is_the_one_served() -> None:
    """`make openapi` writes it."""
    assert FILE.read_text(encoding="utf-8") == text()
