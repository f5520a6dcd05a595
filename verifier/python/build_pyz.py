"""Makes fairdeal-verify.pyz, the verifier as one file that any Python from 3.11 on runs: `build_pyz.py [TARGET]`.

The same sources give the same bytes, on every machine: nothing is compressed, and times and modes are fixed.
"""

import io
import sys
import zipapp
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "dist" / "fairdeal-verify.pyz"
INTERPRETER = "/usr/bin/env python3"
MAIN = b"import sys\n\nfrom fairdeal_verifier.cli import main\n\nsys.exit(main())\n"
MOMENT = (1980, 1, 1, 0, 0, 0)
"""The first one that a zip can hold."""
UNIX, FILE_MODE = 3, 0o644
"""Who wrote the archive, whatever did, and how its files are to be read."""


def build(target: Path, source: Path = HERE) -> None:
    """Writes the archive of the package and its license that lie in `source`, with what makes it a program."""
    files = {
        path.relative_to(source).as_posix(): path.read_bytes() for path in source.glob("fairdeal_verifier/**/*.py")
    }
    files |= {"LICENSE": (source / "LICENSE").read_bytes(), "__main__.py": MAIN}
    plain = io.BytesIO()
    with zipfile.ZipFile(plain, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, MOMENT)
            entry.create_system, entry.external_attr = UNIX, FILE_MODE << 16
            archive.writestr(entry, files[name])
    plain.seek(0)
    target.parent.mkdir(parents=True, exist_ok=True)
    zipapp.create_archive(plain, str(target), INTERPRETER)  # given as a text, it is made executable


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
