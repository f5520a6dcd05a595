"""Asking a witness over HTTP."""

from typing import Final

import httpx2

from fairdeal.errors import WitnessRefused
from fairdeal.limits import MAX_NOTE_CHARACTERS
from fairdeal.tlog import WitnessAnswer

_TIMEOUT_S: Final = 10.0
"""A witness writes to a disk and signs; one that takes longer is asked again later."""


class HttpWitnesses:
    """Sends requests to witnesses; nothing is followed, kept or believed. Safe to call from several threads."""

    def __init__(self, transport: httpx2.BaseTransport | None = None) -> None:
        self._http = httpx2.Client(timeout=_TIMEOUT_S, transport=transport)

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def add_checkpoint(self, url: str, body: bytes) -> WitnessAnswer:
        """What the witness at `url` (its prefix, as a policy lists it) answers. Raises WitnessRefused when it does not
        answer, or with what is no text.
        """
        try:
            with self._http.stream("POST", f"{url.rstrip('/')}/add-checkpoint", content=body) as response:
                text = bytearray()
                for piece in response.iter_bytes():
                    text += piece
                    if len(text) > MAX_NOTE_CHARACTERS:
                        raise WitnessRefused("the witness does not come to an end")
                return WitnessAnswer(response.status_code, text.decode(), response.headers.get("content-type", ""))
        except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeDecodeError) as error:
            raise WitnessRefused(f"the witness does not answer: {type(error).__name__}") from None
