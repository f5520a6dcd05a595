"""Chromium without a window, driven over its debugging pipe: JSON with a NUL after each, on descriptors 3 and 4.

No port is opened and no package is needed. Chromium answers in order, one page at a time.
"""

import fcntl
import json
import os
import selectors
import shutil
import signal
import subprocess
import time
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE = 240.0
"""Seconds to wait for an answer, or for the page to come to what is expected: a busy machine is slow, not wrong."""
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--remote-debugging-pipe",
)
_ABOVE_ALL = 10
"""Pipe ends are moved up here first, so that setting 3 and 4 closes neither."""


class BrowserFailed(Exception):
    """Chromium refused a command, or the page threw."""


class Page:
    """The one page of a browser."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._selector = selectors.DefaultSelector()
        self._selector.register(answers, selectors.EVENT_READ)
        self._rest = b""
        self._number = 0
        self._session: str | None = None
        self.requests: list[str] = []
        """Addresses that the page asked for."""
        self.complaints: list[str] = []
        """What it threw or wrote to the console as an error."""

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the DevTools protocol, and its result."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while (message := self._read()).get("id") != self._number:
            self._note(message)
        if "error" in message:
            raise BrowserFailed(f"{method}: {message['error']}")
        result: dict[str, Any] = message["result"]
        return result

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            if not self._selector.select(PATIENCE):
                raise BrowserFailed("no answer")
            read = os.read(self._answers, 1 << 16)
            if not read:
                raise BrowserFailed("chromium ended")
            self._rest += read
        text, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        parameters = message.get("params", {})
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif message.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(str(parameters["exceptionDetails"]))
        elif message.get("method") == "Log.entryAdded":
            self.complaints.append(str(parameters["entry"]))

    def attach(self) -> None:
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "DOM", "Network", "Log"):
            self.send(f"{domain}.enable")

    def size(self, width: int, height: int) -> None:
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, path: Path) -> None:
        self.send("Page.navigate", url=path.resolve().as_uri())
        self.wait_for("document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        """The value of an expression, awaited."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserFailed(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def wait_for(self, condition: str) -> None:
        """Until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.run(condition):
            if time.monotonic() > end:
                raise BrowserFailed(f"never came true: {condition}")
            time.sleep(0.02)

    def choose(self, selector: str, *files: Path) -> None:
        """Puts files into a file input, as its dialog would."""
        root = self.send("DOM.getDocument")["root"]["nodeId"]
        node = self.send("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.send("DOM.setFileInputFiles", nodeId=node, files=[str(file.resolve()) for file in files])

    def drop(self, *files: Path) -> None:
        """Drops files from outside onto the page, as a hand with a mouse would."""
        data = {"items": [], "files": [str(file.resolve()) for file in files], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.send("Input.dispatchDragEvent", type=kind, x=100, y=100, data=data)

    def picture(self, path: Path, *, whole: bool = True) -> None:
        """A PNG of the page, or of what is in view."""
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(b64decode(shot["data"]))


def _above(descriptor: int) -> int:
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD, _ABOVE_ALL)
    os.close(descriptor)
    return moved


@contextmanager
def browser(profile: Path, flags: Sequence[str] = ()) -> Iterator[Page]:
    """A new chromium with an empty profile in this folder."""
    program = shutil.which("chromium")
    if program is None:
        raise BrowserFailed("chromium is not on this machine: `make chromium` installs Debian's")
    from_us, commands = map(_above, os.pipe())
    answers, to_us = map(_above, os.pipe())
    command = [program, *_FLAGS, *flags, f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(
        ["bash", "-c", f'exec "$@" 3<&{from_us} 4>&{to_us}', "chromium", *command],
        pass_fds=(from_us, to_us),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(from_us)
    os.close(to_us)
    try:
        page = Page(commands, answers)
        page.attach()
        yield page
    finally:
        # Its whole group, which this process started: chromium leaves helpers behind when it is killed alone.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(commands)
        os.close(answers)
