"""How the examples of docs/protocol.md are set."""


def block(*rows: tuple[str, str]) -> str:
    """Rows of a name and a value, as a code block."""
    width = max(len(name) for name, _ in rows)
    return "```\n" + "".join(f"{name:<{width}}  {value}\n" for name, value in rows) + "```\n"


def listed(rows: list[tuple[str, ...]]) -> list[tuple[str, str]]:
    """A row for each value, the name before the first."""
    return [("" if at else name, value) for name, *values in rows for at, value in enumerate(values)]


def escaped(text: str) -> str:
    """The text in one line."""
    return text.replace("\n", "⏎")
