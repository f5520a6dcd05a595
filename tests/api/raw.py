"""Bytes to a server and back, for those who keep to no rules."""

import json
import socket
from contextlib import closing
from typing import Final

PATIENCE_S: Final = 60


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)


def heard(connection: socket.socket) -> bytes:
    """Everything until the other end closes, which it may do while something is still unread."""
    answer = b""
    try:
        while part := connection.recv(65_536):
            answer += part
    except ConnectionResetError:
        pass
    return answer


def said(port: int, *parts: bytes) -> bytes:
    """What comes back for these parts until the other end closes."""
    with closing(connect(port)) as connection:
        try:
            for part in parts:
                connection.sendall(part)
        except (BrokenPipeError, ConnectionResetError):
            pass
        return heard(connection)


def code(answer: bytes) -> tuple[int, str]:
    """Status and code of the one problem that an answer is."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head
    told = json.loads(body)
    assert told["type"] == f"/v1/errors/{told['code']}"
    assert head.startswith(b"HTTP/1.1 %d " % told["status"])
    return told["status"], told["code"]
