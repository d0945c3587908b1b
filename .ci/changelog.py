"""Move the fragments of changelog.d into CHANGELOG.md, as the section of a version.

`python .ci/changelog.py` shows what would be moved; `--write VERSION` puts it into the section of that version, which is made
above the others if it is not there, and removes the fragments.
"""

from __future__ import annotations

import pathlib
import sys

ROOT = pathlib.Path(__file__).parent.parent
KINDS = ("added", "changed", "removed", "fixed", "faster")


def entries(directory: pathlib.Path) -> str:
    """The fragments by kind, each kind under a heading."""
    out = ""
    for kind in KINDS:
        texts = [" ".join(file.read_text("utf-8").split()) for file in sorted(directory.glob(f"*.{kind}.md"))]
        if texts:
            out += f"### {kind.capitalize()}\n\n" + "".join(f"- {text}\n" for text in texts) + "\n"
    return out


def with_section(page: str, version: str, text: str) -> str:
    """The changelog with these entries at the end of the section of a version, or in a new section above the others."""
    head, *sections = page.split("\n## ")
    for number, section in enumerate(sections):
        if section.split()[0].rstrip(",") == version:
            sections[number] = f"{section.rstrip()}\n\n{text}".rstrip() + "\n"
            break
    else:
        sections.insert(0, f"{version}\n\n{text}".rstrip() + "\n")
    return "\n## ".join([head.rstrip() + "\n", *sections])


def main() -> int:
    directory = ROOT / "changelog.d"
    text = entries(directory)
    if "--write" not in sys.argv[1:-1]:
        sys.stdout.write(text)
        return 0
    page = ROOT / "CHANGELOG.md"
    page.write_text(with_section(page.read_text("utf-8"), sys.argv[-1], text), "utf-8")
    for file in directory.glob("*.md"):
        file.unlink()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
