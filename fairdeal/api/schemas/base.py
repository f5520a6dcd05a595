"""What the schemas are made of, and the two that belong to no room."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from fairdeal.ids import ASSET_CODE
from fairdeal.limits import MAX_SAFE_INTEGER

Hex16: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$", examples=["6f1c0b0e5d9a4c37a1f2e3d4c5b6a798"])]
Hex32: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Hex64: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{128}$")]
Amount: TypeAlias = Annotated[int, Field(ge=-MAX_SAFE_INTEGER, le=MAX_SAFE_INTEGER, description="Minor units.")]
AssetCode: TypeAlias = Annotated[
    str, Field(pattern=f"^{ASSET_CODE}$", examples=["JETON"], description="An asset of the house.")
]
Ms: TypeAlias = Annotated[int, Field(description="Milliseconds since 1970-01-01 UTC.")]
Kind: TypeAlias = Literal["player", "bot"]
Reason: TypeAlias = Annotated[
    str,
    Field(
        max_length=500,
        # No control characters: PostgreSQL keeps no NUL, and the auditor reads it in a terminal.
        pattern=r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$",
        examples=["complaint 17"],
    ),
]


class Model(BaseModel):
    """The base of every schema."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ProblemOut(BaseModel):
    """An error, RFC 9457: `code` is stable; more members say which rule, where there is one.

    `request` is the call's id, by which the operator finds what the service wrote about it.
    """

    type: str
    title: str
    status: int
    code: str
    detail: str | None = None
    request: str | None = None


class HealthOut(Model):
    """The service answers."""

    status: Literal["ok"]


class ReadyOut(HealthOut):
    """The service is fit to serve; `warnings` say what needs the operator soon."""

    warnings: list[str]
