"""Writes the description of the API beside this file: `python -m openapi`."""

import json
import tempfile
from pathlib import Path

from fairdeal.main import create_app
from fairdeal.settings import Settings

FILE = Path(__file__).with_name("fairdeal.v1.json")


def text() -> str:
    """The description as the service serves it, in a stable form."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Settings(database=Path(folder, "fairdeal.db"), keys=Path(folder, "keys")))
        app.state.store.close()
        return json.dumps(app.openapi(), ensure_ascii=False, indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
