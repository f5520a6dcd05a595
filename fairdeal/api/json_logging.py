"""Logs: one JSON object a line on stderr, in ASCII, whatever callers write. An exception is its type and its frames,
never its message or its values.
"""

import json
import logging
import traceback
from typing import Final

from fairdeal.api.call import CURRENT

_PLAIN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}
_write: Final = json.JSONEncoder(default=str).encode


class JsonLines(logging.Formatter):
    """Formats a record with whatever `extra` it was given, and the id of the call that it was written for."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": round(record.created * 1000),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        call = CURRENT.get()
        if call is not None:
            line["request"] = call.request_id
        line |= {name: value for name, value in vars(record).items() if name not in _PLAIN}
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
            frames = traceback.extract_tb(record.exc_info[2])
            line["frames"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        return _write(line)


def configure_logging() -> None:
    """Sends everything that this process logs through `JsonLines`."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    # What no line says is not looked for either.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    # A line for every question to a witness; who asks says when one fails.
    logging.getLogger("httpx2").setLevel(logging.WARNING)
