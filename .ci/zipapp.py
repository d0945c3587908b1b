"""Write plait as one file that Python runs: `python .ci/zipapp.py dist/plait-0.1.0-py3-none-any.whl plait.pyz`.

The file has the content of the wheel, and PyYAML of the environment that runs this script, without its C extension. Two
runs write the same bytes: names are sorted, times are fixed, nothing is compressed. The other packages have C extensions,
which Python does not load from an archive: `@ytt:regexp` needs google-re2, and certificates in variables need
cryptography, installed for the same Python.
"""

from __future__ import annotations

import pathlib
import sys
import zipfile
from importlib.metadata import distribution

MAIN = """\
import _signal
import gc

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
gc.disable()

from plait.cli import run

run()
"""
# The first time that an archive can have.
TIME = (1980, 1, 1, 0, 0, 0)


def content(wheel: pathlib.Path) -> dict[str, bytes]:
    """The files of the archive, by name."""
    found = {"__main__.py": MAIN.encode()}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if ".data/" not in name:
                found[name] = archive.read(name)
    for file in distribution("PyYAML").files or []:
        name = file.as_posix()
        is_module = name.startswith("yaml/") and name.endswith(".py")
        if is_module or name.endswith((".dist-info/METADATA", "LICENSE")):
            found[name] = file.read_binary()
    return found


def write(wheel: pathlib.Path, target: pathlib.Path) -> None:
    """Write the archive as an executable file."""
    with target.open("wb") as out:
        out.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
            for name, data in sorted(content(wheel).items()):
                entry = zipfile.ZipInfo(name, TIME)
                entry.create_system, entry.external_attr = 3, 0o100644 << 16
                archive.writestr(entry, data)
    target.chmod(0o755)


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
