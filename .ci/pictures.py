"""Draw the pictures of docs/runs.md, what happens in which order, and those of terminals, what commands print on them.
`python .ci/pictures.py` writes docs/pictures/*.svg.

A picture has its own background, so that it can be read on light and on dark pages. A row is a step, what goes into it from
outside, and what it does.
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from html import escape

DIRECTORY = pathlib.Path(__file__).parent.parent / "docs" / "pictures"
WIDTH = 760
LEFT, MIDDLE = 210, 460  # widths of the columns
HEIGHT, GAP = 56, 22

# name: (title, rows of (from outside, step, what it does))
PICTURES: dict[str, tuple[str, list[tuple[str, str, str]]]] = {
    "render": (
        "plait render",
        [
            ("-f, --file-mark", "Read the inputs", "sorted into templates, libraries and data"),
            ("-d, -v, --data-value-…", "Read the data values of flags", "broken YAML is an error here"),
            ("#@data/values-schema", "Evaluate and merge the schemas", "types, defaults, rules"),
            ("#@data/values", "Merge the data values", "files, then flags; checked after each; rules last"),
            ("", "Evaluate the templates", "code runs; libraries are evaluated where they are used"),
            ("#@overlay/match", "Apply the overlays", "in the order of the files, each on the results so far"),
            ("", "Print the documents", "in the order of the files"),
        ],
    ),
    "patch": (
        "plait patch",
        [
            ("PATH, -o, -v, -l, …", "Read everything", "in the order of the command line"),
            ("", "Apply the operations", "file by file; the first one that fails ends the run"),
            ("--vars-store", "Find or generate typed variables", "those that the variables section defines"),
            ("", "Fill the placeholders", "in keys too; values are not searched in turn"),
            ("", "Remove definitions that have a value", "from the variables section"),
            ("--var-errs, …-unused", "Report what is missing or unused", ""),
            ("--path", "Narrow to one place, and print", "keys sorted, unless --input-order is given"),
        ],
    ),
    "layer": (
        "plait layer",
        [
            ("PATH…", "Read all documents", "told apart by schema, name and layer"),
            ("--secrets-file, …-env", "Resolve secret references", ""),
            ("LayeringPolicy", "Find the parent of each document", "in the nearest layer above that has one"),
            ("", "Put the documents in order", "parents and sources before those who need them"),
            ("", "Inherit, document by document", "actions: merge, replace, delete"),
            ("", "Substitute, document by document", "values of other documents, rendered before"),
            ("", "Leave out replaced and abstract ones", ""),
            ("--validate-data", "Check the data, hide secrets, print", "filters choose what is printed"),
        ],
    ),
    "compose": (
        "plait compose",
        [
            ("plait.yml", "Read the pipeline", "steps in their order; --step stops after one"),
            ("values", "Set data values", "for the steps that follow; flags win"),
            ("render", "Render templates", "and add their documents to those so far"),
            ("layer", "Render layered documents", "of its files, and of the documents so far"),
            ("patch", "Apply operations, fill placeholders", "in the documents that select names"),
            ("overlay", "Apply overlays", "to all documents so far"),
            ("", "Print the documents", "with one history, which explain can tell"),
        ],
    ),
}

STYLE = (
    "text{font-family:system-ui,'Segoe UI',Roboto,sans-serif;fill:#1c2530}"
    ".step{font-size:15px;font-weight:600}.what{font-size:12.5px;fill:#46525f}"
    ".in{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12.5px;fill:#0b5c8a}"
    ".box{fill:#eef3f8;stroke:#5b7fa3;stroke-width:1.2}.card{fill:#fff;stroke:#c9d2dc}"
    ".line{stroke:#5b7fa3;stroke-width:1.6;fill:none}.dash{stroke-dasharray:4 3}"
)

DEFINITIONS = (
    '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 8 4 0 8z" fill="#5b7fa3"/></marker></defs>'
)


def picture(title: str, rows: list[tuple[str, str, str]]) -> str:
    """The SVG of one picture."""
    height = 24 + len(rows) * (HEIGHT + GAP) - GAP + 24
    said = ". ".join(f"{number}. {step}" for number, (_, step, _) in enumerate(rows, 1))
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="t d">',
        f'<title id="t">What {escape(title)} does, in order</title><desc id="d">{escape(said)}.</desc>',
        f"<style>{STYLE}</style>",
        DEFINITIONS,
        f'<rect class="card" x="1" y="1" width="{WIDTH - 2}" height="{height - 2}" rx="10"/>',
    ]
    x = 24 + LEFT + 36
    for number, (source, step, what) in enumerate(rows):
        y = 24 + number * (HEIGHT + GAP)
        middle = y + HEIGHT / 2
        out.append(f'<rect class="box" x="{x}" y="{y}" width="{MIDDLE}" height="{HEIGHT}" rx="7"/>')
        first = middle + 5 if not what else y + 24
        out.append(f'<text class="step" x="{x + 16}" y="{first:g}">{number + 1}. {escape(step)}</text>')
        if what:
            out.append(f'<text class="what" x="{x + 16}" y="{y + 43}">{escape(what)}</text>')
        if source:
            out.append(f'<text class="in" x="24" y="{middle + 4:g}">{escape(source)}</text>')
            out.append(f'<path class="line dash" d="M{24 + LEFT - 24} {middle:g}H{x - 3}" marker-end="url(#a)"/>')
        if number + 1 < len(rows):
            centre = x + MIDDLE / 2
            out.append(f'<path class="line" d="M{centre:g} {y + HEIGHT}V{y + HEIGHT + GAP - 3}" marker-end="url(#a)"/>')
    return "\n".join([*out, "</svg>"]) + "\n"


# What terminals show: a name, the directory of the example, the command, and the columns.
EXAMPLES = DIRECTORY.parent.parent / "examples"
TERMINALS: dict[str, tuple[str, list[str], int]] = {
    "explain": ("three-dialects", ["explain", "compose", "plait.yml", "Deployment/web:spec.replicas"], 120),
    "message-60": ("three-dialects", ["render", "-f", "app", "-v", "replica=2"], 60),
    "message-120": ("three-dialects", ["render", "-f", "app", "-v", "replica=2"], 120),
}
# Plain text, the ground and its border, then the colours of a terminal by their codes.
THEMES: dict[str, dict[str, str]] = {
    "light": {
        "": "#12161d", "ground": "#ffffff", "border": "#c9d2dc", "command": "#0b5c8a", "1": "#12161d",
        "2": "#6b7683", "31;1": "#a8261a", "33;1": "#7e4a00", "32": "#0b6152", "36": "#0b5c8a",
    },
    "dark": {
        "": "#e9ecf1", "ground": "#13171e", "border": "#2c3440", "command": "#7cc4f0", "1": "#e9ecf1",
        "2": "#8f99a8", "31;1": "#ff9a8c", "33;1": "#f0b25c", "32": "#6fd6c0", "36": "#7cc4f0",
    },
}  # fmt: skip
_CHARACTER, _LINE = 7.83, 20
_STYLED = re.compile("\x1b\\[([0-9;]*)m")


def printed(name: str) -> str:
    """What a command prints on a terminal of its width, with its colours."""
    import fcntl
    import pty
    import struct
    import termios

    directory, argv, columns = TERMINALS[name]
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "GITHUB_ACTIONS")}
    process = subprocess.Popen(
        [sys.executable, "-m", "plait", argv[0], "--color", "always", *argv[1:]],
        cwd=EXAMPLES / directory, stdin=theirs, stdout=theirs, stderr=theirs, env={**environment, "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    process.wait()
    os.close(ours)
    # Progress of a slow machine is erased again.
    return re.sub("plait: [0-9]+ s [^\r]*\r\x1b\\[K", "", seen.decode().replace("\r\n", "\n"))


def terminal(name: str, text: str, theme: str) -> str:
    """The SVG of a terminal with a command and what it prints. theme: of THEMES."""
    colours = THEMES[theme]
    _, argv, columns = TERMINALS[name]
    lines = text.rstrip("\n").split("\n")
    rows = [[("command", f"$ plait {' '.join(argv)}")], *([*_pieces(line)] for line in lines)]
    longest = max(sum(len(piece) for _, piece in row) for row in rows)
    width = round(max(longest, min(columns, 60)) * _CHARACTER) + 48
    height = len(rows) * _LINE + 40
    shown = " ".join(" ".join("".join(piece for _, piece in row) for row in rows).split())
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="t d">',
        f'<title id="t">A terminal</title><desc id="d">{escape(shown)}</desc>',
        "<style>text{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:13px;white-space:pre}.b{font-weight:600}</style>",
        f'<rect x="1" y="1" width="{width - 2}" height="{height - 2}" rx="10" fill="{colours["ground"]}" stroke="{colours["border"]}"/>',
    ]
    for number, row in enumerate(rows):
        spans = "".join(
            f'<tspan{" class=" + chr(34) + "b" + chr(34) if code.endswith("1") and code else ""} fill="{colours[code]}">{escape(piece)}</tspan>'
            for code, piece in row
        )
        out.append(f'<text x="24" y="{32 + number * _LINE}" xml:space="preserve">{spans}</text>')
    return "\n".join([*out, "</svg>\n"])


def _pieces(line: str) -> Iterator[tuple[str, str]]:
    """The pieces of a line, each with the code of its colour."""
    code, end = "", 0
    for found in _STYLED.finditer(line):
        if found.start() > end:
            yield code, line[end : found.start()]
        code, end = found[1].removeprefix("0"), found.end()
    if line[end:]:
        yield code, line[end:]


def main() -> None:
    for name, (title, rows) in PICTURES.items():
        (DIRECTORY / f"{name}.svg").write_text(picture(title, rows), "utf-8")
    for name in TERMINALS:
        text = printed(name)
        for theme in THEMES:
            (DIRECTORY / f"{name}-{theme}.svg").write_text(terminal(name, text, theme), "utf-8")


if __name__ == "__main__":
    main()
