"""Formats every YAML file of directories in memory and counts: read, changed, left alone, not the same when formatted again.

`python benchmarks/formatting.py DIRECTORY...`; the exit status is 1 if formatting would lose something, or is not final.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

from plait.authoring.formatting.formatter import format_text
from plait.base.errors import PlaitError


def main(directories: list[str]) -> int:
    """Print the counts."""
    counts: Counter[str] = Counter()
    size, seconds, status = 0, 0.0, 0
    for path in (path for top in directories for path in Path(top).rglob("*.y*ml") if path.is_file()):
        try:
            text = path.read_bytes().decode("utf-8")
            start = time.process_time()
            formatted = format_text(text, str(path))
            seconds += time.process_time() - start
        except (PlaitError, UnicodeDecodeError):
            counts["not YAML"] += 1
            continue
        size += len(text)
        counts["read"] += 1
        counts["changed"] += formatted.is_changed
        counts["left alone"] += bool(formatted.left_alone)
        again = format_text(formatted.text, str(path))
        if again.is_changed or "bug" in formatted.left_alone:
            status = 1
            print(f"{path}: {formatted.left_alone or 'is changed again'}")
    print(
        ", ".join(f"{name}: {count}" for name, count in counts.items()), f"{size / 1e6 / max(seconds, 1e-9):.2f} MB/s"
    )
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
