"""The one place that reads settings: environment variables `FAIRDEAL_…` (nested ones with two underscores, such as
`FAIRDEAL_FEES__COMMISSION_BP`), or keyword arguments in a program. Times are in ms.
"""

import os
import re
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from fairdeal.errors import FairdealError, Malformed
from fairdeal.ids import ASSET_CODE, FEES_ID
from fairdeal.ledger import check_exponent
from fairdeal.limits import (
    MAX_CLOCK_MS,
    MAX_DEALS,
    MAX_EXPONENT,
    MAX_LOG_NAME_BYTES,
    MAX_OVERRUNS,
    MAX_POLICY_BYTES,
    MAX_SAFE_INTEGER,
)
from fairdeal.tlog import Policy

_DAY_MS = 86_400_000
_TOKEN = re.compile("[!-~]{16,}")
"""Fewer characters could be guessed, and others do not travel in a header."""
_AssetCode: TypeAlias = Annotated[str, Field(pattern=f"^{ASSET_CODE}$")]
_Exponent: TypeAlias = Annotated[int, Field(ge=0, le=MAX_EXPONENT)]


def _check_path(given: object) -> object:
    if not str(given).strip():
        raise ValueError("an empty path would be the working directory; for the usual one leave it unset")
    return given


_Path: TypeAlias = Annotated[Path, BeforeValidator(_check_path)]


class Fees(BaseModel):
    """The fee schedule of new tables; a running match keeps the one it opened with."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(default="house-1", pattern=f"^{FEES_ID}$")
    commission_bp: int = Field(default=500, ge=0, le=10_000)
    commission_cap: int = Field(default=MAX_SAFE_INTEGER, ge=0, le=MAX_SAFE_INTEGER)
    tax_bp: int = Field(default=0, ge=0, le=10_000)
    tax_base: Literal["pot", "commission"] = "pot"


class Clock(BaseModel):
    """The clock of new tables (docs/protocol.md, section 2.2)."""

    model_config = ConfigDict(extra="forbid")

    overruns: int = Field(default=3, ge=1, le=MAX_OVERRUNS)
    grace_ms: int = Field(default=250, ge=0, le=MAX_CLOCK_MS)
    join_ms: int = Field(default=60_000, ge=1, le=MAX_CLOCK_MS)
    pause_ms: int = Field(default=4_000, ge=0, le=MAX_CLOCK_MS)
    outage_ms: int = Field(default=5_000, ge=2_000, le=MAX_CLOCK_MS)
    """Not below two heartbeats, or every busy second would be an outage."""


class Limits(BaseModel):
    """How often somebody may call: `…_burst` at once after a rest, `…_per_minute` for as long as one likes. And what
    may be open at a time. In each process for itself.
    """

    model_config = ConfigDict(extra="forbid")

    account_burst: int = Field(default=3_000, ge=1)
    """Calls with a login, counted by account: far more than a program that plays as fast as it can."""
    account_per_minute: int = Field(default=6_000, ge=1)
    address_burst: int = Field(default=3_000, ge=1)
    """Calls without a login, counted by address."""
    address_per_minute: int = Field(default=12_000, ge=1)
    sign_up_burst: int = Field(default=2_000, ge=1)
    """New accounts, counted by address: a school or a telephone network has one for all of its people."""
    sign_up_per_minute: int = Field(default=60, ge=1)
    tables_burst: int = Field(default=60, ge=1)
    """Tables opened, counted by account: each is a seed and two leaves of the log, for ever, even one called off."""
    tables_per_minute: int = Field(default=20, ge=1)
    wrong_name_burst: int = Field(default=20, ge=1)
    """Wrong passwords for one name: 2,900 guesses a day."""
    wrong_name_per_minute: int = Field(default=2, ge=1)
    wrong_address_burst: int = Field(default=100, ge=1)
    """Wrong passwords from one address, whatever the names."""
    wrong_address_per_minute: int = Field(default=20, ge=1)
    streams: int = Field(default=32, ge=1)
    """Event streams that one account may have open: several devices at several tables."""
    connections: int = Field(default=4_096, ge=1)
    """Open at a time. Each takes a file, of which the process must be allowed more (`ulimit -Hn`)."""


class Settings(BaseSettings):
    """Everything an operator decides. What has several parts is JSON in its variable: the `examples` show its form."""

    model_config = SettingsConfigDict(
        env_prefix="FAIRDEAL_", env_nested_delimiter="__", extra="forbid", frozen=True, hide_input_in_errors=True
    )

    environment: Literal["development", "production"] = "development"
    """Development makes missing keys by itself and shouts at every start; production refuses to start without them."""
    database: _Path = Path("var/fairdeal.db")
    """The SQLite file, where no `database_url` is given."""
    database_url: SecretStr | None = None
    """The PostgreSQL that takes its place: postgresql://user:password@host/name."""
    workers: int = Field(default=1, ge=1, le=64)
    """Processes that serve, each on one core at most; more than one on a PostgreSQL alone."""
    keys: _Path = Path("var/keys")
    """The directory of the key files, outside the database and its backups."""
    log_copy: _Path | None = None
    """The directory of the log's copy, best on another disk than the database; None for `log` beside the database."""
    log: str = Field(default="localhost/fairdeal", pattern=rf"^[!-*,-~]{{1,{MAX_LOG_NAME_BYTES}}}$")
    """The origin of this service's logs, which its receipts are signed under: a name nobody else uses, for ever. In
    production it must be given.
    """
    witnesses: _Path | None = None
    """A policy file: the witnesses that are asked to cosign the log's checkpoints, with their addresses and quorum."""
    operator_token: SecretStr | None = None
    """Without one the operator's calls are refused to everybody."""
    auditor_token: SecretStr | None = None
    """Without one nobody reads the money journal and who sat where. It changes nothing, and the operator's is another.
    """
    webhook_secrets: tuple[SecretStr, ...] = Field(default=(), examples=['["whsec_…"]'])
    """What the cashier's webhooks may be signed with, `whsec_…` (Standard Webhooks), two while one takes the other's
    place; without one none is taken.
    """
    origin: str | None = Field(default=None, pattern=r"^https?://[^/]+$")
    """Where browsers call from, such as https://play.example; None for the host they call."""
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = Field(default=(), examples=['["127.0.0.0/8"]'])
    """Whose X-Forwarded-For is believed."""
    limits: Limits = Field(default=Limits(), examples=['{"streams": 32}'])
    metrics_port: int | None = Field(default=None, ge=1, le=65_535)
    """Where this machine, and no other, may ask for the metrics of the first worker, those of the others at the ports
    after it; None for nowhere.
    """
    disk_free_mb: int = Field(default=1_024, ge=1)
    """Less free room than this, for the database or the log's copy, is an alarm."""
    assets: dict[_AssetCode, _Exponent] = Field(default={"JETON": 0}, min_length=1, examples=['{"JETON": 0}'])
    """What may be staked: the code of each, and the decimals of its smallest unit; the first is the usual one."""
    fees: Fees = Field(default=Fees(), examples=['{"id": "house-1", "commission_bp": 500}'])
    asset_fees: dict[_AssetCode, Fees] = Field(
        default={}, examples=['{"JETON": {"id": "jeton-1", "commission_cap": 500}}']
    )
    """The fee schedule of new tables in an asset, in place of `fees`: a cap counts in the units of one asset alone."""
    clock: Clock = Field(default=Clock(), examples=['{"join_ms": 60000}'])
    decisions_ms: tuple[int, ...] = Field(default=(30_000,), min_length=1, examples=["[30000]"])
    """The times for a decision that an opener may choose from; the first is the usual one."""
    deals_max: int = Field(default=100, ge=1, le=MAX_DEALS)
    table_wait_ms: int = Field(default=600_000, ge=1)
    tables_max: int = Field(default=5, ge=1)
    """Unfinished tables that one account may have opened: they cost nothing to open, and each is kept for ever."""
    session_ms: int = Field(default=30 * _DAY_MS, ge=1)
    account_kept_days: int = Field(default=0, ge=0)
    """After its last match or money an account cannot be erased for so long."""

    def _check_money(self) -> None:
        for code, exponent in self.assets.items():
            try:
                check_exponent(code, exponent)
            except Malformed as error:
                raise ValueError(error.message) from None
        unknown, general = self.asset_fees.keys() - self.assets.keys(), self.assets.keys() - self.asset_fees.keys()
        if unknown:
            raise ValueError(f"there are fees of {', '.join(sorted(unknown))}, which is no asset here")
        if any(fees.commission_bp + fees.tax_bp > 10_000 for fees in (self.fees, *self.asset_fees.values())):
            raise ValueError("commission and tax together take at most the whole pot")
        if self.fees.commission_cap < MAX_SAFE_INTEGER and len(general) > 1:
            raise ValueError("a cap counts in the units of one asset: give the others fees of their own")

    def place(self) -> Path | str:
        """Where the records are kept: the path of a SQLite file, or the URL of a PostgreSQL."""
        return self.database if self.database_url is None else self.database_url.get_secret_value()

    def copy_place(self) -> Path:
        """Where the log's copy is kept."""
        return self.log_copy or self.database.parent / "log"

    def read_witnesses(self) -> Policy | None:
        """What the file of `witnesses` says; None without one.

        Raises Malformed when it is no policy, is of another log or has a witness without an address, KeyRefused.
        """
        if self.witnesses is None:
            return None
        policy = read_policy(self.witnesses)
        if any(listed.key.name != self.log for listed in policy.logs):
            raise Malformed(f"{self.witnesses} is of another log than {self.log}")
        if any(witness.url is None for witness in policy.witnesses):
            raise Malformed(f"{self.witnesses} lists a witness without an address")
        return policy

    @model_validator(mode="after")
    def _known_names(self) -> Self:
        """A mistyped name would otherwise leave the usual value in force, in silence."""
        known = {f"FAIRDEAL_{name.upper()}" for name in type(self).model_fields}
        known |= {f"FAIRDEAL_FEES__{name.upper()}" for name in Fees.model_fields}
        known |= {f"FAIRDEAL_CLOCK__{name.upper()}" for name in Clock.model_fields}
        known |= {f"FAIRDEAL_LIMITS__{name.upper()}" for name in Limits.model_fields}
        unknown = sorted(name for name in os.environ if name.startswith("FAIRDEAL_") and name not in known)
        if unknown:
            raise ValueError(f"there is no setting {', '.join(unknown)}")
        return self

    @model_validator(mode="after")
    def _fit_for_production(self) -> Self:
        if self.workers > 1 and self.database_url is None:
            raise ValueError("several workers need a PostgreSQL: a SQLite file is for one process")
        if self.metrics_port is not None and self.metrics_port + self.workers > 65_536:
            raise ValueError("each worker has a port for its metrics, from the first one on")
        self._check_money()
        if any(not 1 <= decision_ms <= MAX_CLOCK_MS for decision_ms in self.decisions_ms):
            raise ValueError("a decision takes from 1 ms to a day")
        given = {"FAIRDEAL_OPERATOR_TOKEN": self.operator_token, "FAIRDEAL_AUDITOR_TOKEN": self.auditor_token}
        tokens = {name: token.get_secret_value() for name, token in given.items() if token is not None}
        for name, token in tokens.items():
            if _TOKEN.fullmatch(token) is None:
                raise ValueError(f"{name}: 16 characters or more, of ASCII without spaces; for no token leave it unset")
        if len({*tokens.values()}) < len(tokens):
            raise ValueError(f"{' and '.join(tokens)}: the auditor's token is another than the operator's")
        if self.environment == "production" and (self.origin is None or not self.origin.startswith("https://")):
            raise ValueError("in production the origin is an https one (FAIRDEAL_ORIGIN)")
        if self.environment == "production" and "log" not in self.model_fields_set:
            raise ValueError("in production the log is named by FAIRDEAL_LOG, since its name can never change")
        return self


def read_policy(path: Path) -> Policy:
    """The policy in that file. Raises Malformed, KeyRefused, naming the file."""
    try:
        with path.open("rb") as file:
            return Policy.parse(file.read(MAX_POLICY_BYTES + 1))
    except OSError:
        raise Malformed(f"{path} cannot be read") from None
    except FairdealError as error:
        raise type(error)(f"{path}: {error.message}") from None
