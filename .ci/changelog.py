"""Move the fragments of changelog.d into CHANGELOG.md, below its first heading of a version.

`python .ci/changelog.py` shows the section; `--write` puts it in and takes the fragments away.
"""

from __future__ import annotations

import pathlib
import sys

ROOT = pathlib.Path(__file__).parent.parent
KINDS = ("added", "changed", "fixed", "removed", "faster")


def main() -> int:
    files = sorted((ROOT / "changelog.d").glob("*.md"))
    lines = []
    for kind in KINDS:
        for file in files:
            if file.name.endswith(f".{kind}.md"):
                lines.append(f"- {kind.capitalize()}: {' '.join(file.read_text('utf-8').split())}\n")
    text = "".join(lines)
    if "--write" not in sys.argv:
        sys.stdout.write(text)
        return 0
    page = ROOT / "CHANGELOG.md"
    head, mark, rest = page.read_text("utf-8").partition("\n## ")
    title, _, entries = rest.partition("\n\n")
    page.write_text(f"{head}{mark}{title}\n\n{text}{entries}", "utf-8")
    for file in files:
        file.unlink()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
