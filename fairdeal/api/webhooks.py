"""Webhooks by the rules of Standard Webhooks: who sent it, and when, before anything is done about it.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

import binascii
import hmac
import re
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from fairdeal.errors import Malformed, WebhookRefused

TOLERANCE_S: Final = 300
"""How far a webhook's time may be from ours, either way: what somebody recorded is worth nothing afterwards. The id
makes it count once within that time, and for ever."""
MAX_SIGNATURES: Final = 8
"""A sender that changes its secret signs with the old one and the new one."""

_SECRET: Final = re.compile(r"whsec_[A-Za-z0-9+/]+={0,2}")
_SECRET_BYTES: Final = range(24, 65)
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")
"""No full stop, which parts the id from what follows it in the text that is signed."""
_TIMESTAMP: Final = re.compile(r"[1-9][0-9]{0,11}")
_SIGNATURE: Final = re.compile(r"v1,[A-Za-z0-9+/]{43}=")


@dataclass(frozen=True, slots=True)
class WebhookSecret:
    """The key that the cashier and this service share."""

    key: bytes = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> "WebhookSecret":
        """From `whsec_` and the base64 of 24 to 64 bytes. Raises Malformed."""
        try:
            key = b64decode(text.removeprefix("whsec_"), validate=True)
        except binascii.Error:
            key = b""
        if not _SECRET.fullmatch(text) or len(key) not in _SECRET_BYTES:
            raise Malformed("a webhook's secret is whsec_ and the base64 of 24 to 64 bytes")
        return cls(key)

    def sign(self, webhook_id: str, timestamp: int, body: bytes) -> bytes:
        """The 32 bytes that stand, in base64, behind `v1,`."""
        return hmac.digest(self.key, b"%s.%d.%s" % (webhook_id.encode(), timestamp, body), sha256)


def check_webhook(
    secrets: Sequence[WebhookSecret],
    ids: Sequence[str],
    timestamps: Sequence[str],
    signatures: Sequence[str],
    body: bytes,
    now_ms: int,
) -> str:
    """The webhook's id. The sequences are its headers' values; one signature by one of the `secrets` is enough, so that
    either side changes its secret without a break. Raises WebhookRefused.
    """
    if len(ids) != 1 or len(timestamps) != 1 or len(signatures) != 1:
        raise WebhookRefused("webhook-id, webhook-timestamp and webhook-signature stand once each")
    (webhook_id,), (timestamp,), (line,) = ids, timestamps, signatures
    given = line.split(" ")
    if not _ID.fullmatch(webhook_id) or not _TIMESTAMP.fullmatch(timestamp) or len(given) > MAX_SIGNATURES:
        raise WebhookRefused("a header is not of its form")
    if abs(now_ms - int(timestamp) * 1000) > TOLERANCE_S * 1000:
        raise WebhookRefused("the webhook's time is too far from ours")
    # All are looked at, and none is left early: the time tells nothing. Other versions than v1 are not ours.
    expected = [secret.sign(webhook_id, int(timestamp), body) for secret in secrets]
    shown = [b64decode(one[3:]) for one in given if _SIGNATURE.fullmatch(one)]
    fitting = [hmac.compare_digest(one, ours) for one in shown for ours in expected]
    if not any(fitting):
        raise WebhookRefused("no signature is by the cashier's secret over this body")
    return webhook_id
