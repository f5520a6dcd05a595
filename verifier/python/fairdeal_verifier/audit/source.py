"""Where an audit reads: a directory, or a URL of the same paths (protocol 7.6), with every size bounded."""

import re
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from threading import Thread
from typing import Protocol
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from fairdeal_verifier.errors import FileFault, NotFetched, WrongUsage

TIMEOUT_S = 30.0
"""For the next bytes of an answer."""
FILE_S = 300.0
"""For a whole answer: of the largest file, 64 KiB a second."""
PAUSES_S = (0.5, 2.0, 5.0)
"""Before each further attempt, when a server is busy or does not answer."""
AGAIN = frozenset({429, 500, 502, 503, 504})
"""Answers that another attempt may change."""
ABSENT = frozenset({404, 410})
REFUSED = frozenset({401, 403})
ARCHIVE = "checkpoints"
MAX_LIST_BYTES = 65_536
"""A thousand sizes."""

_SIZE = re.compile(r"0|[1-9][0-9]{0,15}").fullmatch


class Source(Protocol):
    """Files by their path. Picklable, so that each worker process reads for itself."""

    def read(self, path: str, limit: int) -> bytes:
        """The whole file of at most `limit` bytes; raises FileFault (missing, damaged), NotFetched."""
        ...

    def sizes(self, since: int, most: int) -> list[int]:
        """The sizes above `since`, up to `most`, of which it says that it has checkpoints, ascending.

        Raises NotFetched.
        """
        ...


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory, as an operator exports it."""

    root: Path

    def read(self, path: str, limit: int) -> bytes:
        """See Source."""
        file = self.root / path
        try:
            if not file.is_file():
                raise FileFault("missing", path, "not there")
            with file.open("rb") as stream:
                return _bounded(stream.read(limit + 1), path, limit)
        except OSError as error:
            raise NotFetched(path, error.strerror or type(error).__name__) from None

    def sizes(self, since: int, most: int) -> list[int]:
        """See Source."""
        inside = self.root / ARCHIVE
        try:
            names = [file.name for file in inside.iterdir()] if inside.is_dir() else []
        except OSError as error:
            raise NotFetched(ARCHIVE, error.strerror or type(error).__name__) from None
        return sorted(size for name in names if _SIZE(name) and since < (size := int(name)) <= most)


@dataclass(frozen=True, slots=True)
class Web:
    """The log's prefix under a URL. The token goes to no other host."""

    prefix: str
    token: str | None = field(default=None, repr=False)

    def read(self, path: str, limit: int) -> bytes:
        """See Source."""
        for pause in PAUSES_S:
            try:
                return self._in_time(path, limit)
            except _Again:
                time.sleep(pause)
        try:
            return self._in_time(path, limit)
        except _Again as error:
            raise NotFetched(path, str(error)) from None

    def _in_time(self, path: str, limit: int) -> bytes:
        """A server that sends a byte now and then, be it of its headers, is left to itself."""
        fetched: Future[bytes] = Future()

        def fetch() -> None:
            try:
                fetched.set_result(self._once(path, limit))
            except Exception as error:  # raised where it is waited for
                fetched.set_exception(error)

        Thread(target=fetch, daemon=True).start()
        try:
            return fetched.result(FILE_S)
        except TimeoutError:
            raise NotFetched(path, f"not whole after {FILE_S:.0f} s") from None

    def _once(self, path: str, limit: int) -> bytes:
        request = Request(f"{self.prefix}/{path}")
        if self.token is not None:
            request.add_unredirected_header("Authorization", f"Bearer {self.token}")
        try:
            with urlopen(request, timeout=TIMEOUT_S) as answer:
                data: bytes = answer.read(limit + 1)
        except HTTPError as error:
            error.close()
            if error.code in ABSENT:
                raise FileFault("missing", path, f"HTTP {error.code}") from None
            if error.code in AGAIN:
                raise _Again(f"HTTP {error.code}") from None
            hint = ", the auditor’s token is missing or not the right one" if error.code in REFUSED else ""
            raise NotFetched(path, f"HTTP {error.code}{hint}") from None
        except URLError as error:
            raise _Again(str(error.reason)) from None
        except (OSError, HTTPException) as error:
            raise _Again(type(error).__name__) from None
        return _bounded(data, path, limit)

    def sizes(self, since: int, most: int) -> list[int]:
        """See Source; none where what is there has no such list."""
        found: list[int] = []
        while not found or found[-1] < most:  # a list need not come to an end
            try:
                listed = self.read(f"{ARCHIVE}?since={found[-1] if found else since}", MAX_LIST_BYTES).split()
            except FileFault:
                break
            new = [int(size) for size in listed if _SIZE(size.decode("latin-1"))]
            if not new or len(new) != len(listed) or new != sorted(set(new)) or new[0] <= (found or [since])[-1]:
                break
            found += new
        return [size for size in found if size <= most]


class _Again(Exception):
    """This attempt failed; another may not."""


def _bounded(data: bytes, path: str, limit: int) -> bytes:
    if len(data) > limit:
        raise FileFault("damaged", path, f"over {limit} bytes")
    return data


def open_source(where: str, token: str | None) -> Source:
    """The source that an argument names; raises WrongUsage when there is no such directory."""
    if where.startswith(("http://", "https://")):
        return Web(where.rstrip("/"), token)
    root = Path(where)
    if not root.is_dir():
        raise WrongUsage("no_directory", where)
    return Directory(root)
