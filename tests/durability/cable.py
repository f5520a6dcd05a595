"""The way from a machine to its PostgreSQL, which a test cuts as one pulls a cable: nobody is told."""

import ctypes
import socket
import struct
import threading
from contextlib import suppress
from typing import Final

import psycopg
from sqlalchemy import make_url

from tests.durability.process import HOST, reserved_port

_DROP: Final = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))
"""A socket filter of one instruction, which keeps no byte of a packet: the kernel loses it before anything is
acknowledged, the probes of a keepalive too. Everybody may attach one to a socket of their own.
"""
_ATTACH_FILTER, _DETACH_FILTER = 26, 27
_NO_LINGER: Final = struct.pack("ii", 1, 0)
_CHUNK: Final = 65_536


class Cable:
    """Carries every connection to the database of `url`, until it is cut; the database's URL through it is `url`."""

    def __init__(self, url: str) -> None:
        with psycopg.connect(url) as connection:
            self._host, self._port = connection.info.host, connection.info.port
        self._lock = threading.Lock()
        self._ends: set[socket.socket] = set()
        self._whole = threading.Event()
        self._whole.set()
        self._refusing = False
        self._near = reserved_port()
        self._near.listen(128)
        through = (
            make_url(url).difference_update_query(["host", "port"]).set(host=HOST, port=self._near.getsockname()[1])
        )
        self.url = through.render_as_string(hide_password=False)
        self._accepting = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> "Cable":
        self._accepting.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.heal()
        self.refuse()
        self._near.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._near.close()

    def cut(self) -> None:
        """From here on whatever either side sends is lost, and a new connection is not answered."""
        with self._lock:
            self._whole.clear()
            for end in (self._near, *self._ends):
                _lose_all(end)

    def heal(self) -> None:
        """What both sides still hold for alive goes on."""
        with self._lock:
            self._refusing = False
            self._whole.set()
            for end in (self._near, *self._ends):
                with suppress(OSError):  # there is none
                    end.setsockopt(socket.SOL_SOCKET, _DETACH_FILTER, 0)

    def refuse(self) -> None:
        """Every connection is reset, and a new one at once."""
        with self._lock:
            self._refusing = True
            for end in self._ends:
                _reset(end)

    def far_ports(self) -> set[int]:
        """From which the database's server is called over it."""
        with self._lock:
            return {end.getsockname()[1] for end in self._ends if end.family == socket.AF_INET}

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._near.accept()
            except OSError:
                return
            far = self._connect()
            with self._lock:
                for end in (near, far):
                    self._ends.add(end)
                    if not self._whole.is_set():
                        _lose_all(end)
                    if self._refusing:
                        _reset(end)
            for pair in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=pair, daemon=True).start()

    def _connect(self) -> socket.socket:
        if self._host.startswith("/"):
            far = socket.socket(socket.AF_UNIX)
            far.connect(f"{self._host}/.s.PGSQL.{self._port}")
            return far
        return socket.create_connection((self._host, self._port))

    def _carry(self, start: socket.socket, end: socket.socket) -> None:
        with suppress(OSError):
            while data := start.recv(_CHUNK):
                self._whole.wait()
                end.sendall(data)
        with self._lock:
            for one in (start, end):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
            self._ends.discard(start)
            start.close()


def _reset(end: socket.socket) -> None:
    """With the next close."""
    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


def _lose_all(end: socket.socket) -> None:
    program = struct.pack("HL", 1, ctypes.addressof(_DROP))
    end.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, program)
