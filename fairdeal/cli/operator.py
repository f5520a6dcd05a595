"""What an operator runs: the service, and the policy to give out."""

from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fairdeal.errors import KeyRefused, Malformed
from fairdeal.ids import parse_hex
from fairdeal.keys import SigningKey
from fairdeal.limits import KEY_BYTES
from fairdeal.match import receipt_name
from fairdeal.settings import Settings
from fairdeal.tlog import VerifierKey, format_policy


def serve_until_stopped(host: str, port: int, database: Path | None, keys: Path | None) -> None:
    """Run the service. Raises KeyRefused, DatabaseLocked, SchemaMismatch; Malformed for settings that do not fit."""
    settings = _settings(database=database, keys=keys)
    # The composition root stands above this layer: it is named here, not imported.
    import_module("fairdeal.main").run(settings, host, port)


def receipt_policy(keys: Path | None) -> str:
    """The policy text of the receipt key in that directory, under the log's name. Raises KeyRefused, Malformed."""
    settings = _settings(keys=keys)
    path = settings.keys / "receipts.key"
    try:
        secret = parse_hex(path.read_text("ascii").removesuffix("\n"), KEY_BYTES)
    except (OSError, UnicodeDecodeError, Malformed):
        raise KeyRefused(f"{path} holds no key that can be read") from None
    return format_policy((VerifierKey(receipt_name(settings.log), SigningKey.from_seed(secret).public),))


def _settings(**given: Path | None) -> Settings:
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    try:
        return Settings(**chosen)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        raise Malformed(f"settings: {faults}") from None
