"""Draw the pictures of docs/runs.md, what happens in which order, and the one of the README, what a command prints.
`python .ci/pictures.py` writes docs/pictures/*.svg.

A picture has its own background, so that it can be read on light and on dark pages. A row is a step, what goes into it from
outside, and what it does.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
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


# What the README shows: a command in the directory of an example.
EXAMPLE = DIRECTORY.parent.parent / "examples" / "three-dialects"
COMMAND = ["explain", "compose", "plait.yml", "Deployment/web:spec.replicas"]
# The text, the commands of the terminal, what is quoted, what was replaced, and the ground.
THEMES = {
    "light": ("#12161d", "#0b5c8a", "#46525f", "#8a94a1", "#ffffff", "#c9d2dc"),
    "dark": ("#e9ecf1", "#7cc4f0", "#a9b4c0", "#77828f", "#13171e", "#2c3440"),
}
_CHARACTER, _LINE = 7.83, 20


def printed() -> str:
    """What the command prints."""
    done = subprocess.run(
        [sys.executable, "-m", "plait", *COMMAND], cwd=EXAMPLE, capture_output=True, text=True, check=True
    )
    return done.stdout


def terminal(text: str, theme: str) -> str:
    """The SVG of a terminal with the command and what it prints. theme: of THEMES."""
    plain, command, quoted, lost, ground, border = THEMES[theme]
    lines = [f"$ plait {' '.join(COMMAND)}", *text.rstrip("\n").split("\n")]
    width = round(max(map(len, lines)) * _CHARACTER) + 48
    height = len(lines) * _LINE + 40
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="t d">',
        f'<title id="t">A terminal</title><desc id="d">{escape(" ".join(" ".join(lines).split()))}</desc>',
        "<style>text{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:13px;white-space:pre}</style>",
        f'<rect x="1" y="1" width="{width - 2}" height="{height - 2}" rx="10" fill="{ground}" stroke="{border}"/>',
    ]
    for number, line in enumerate(lines):
        shown, bar, source = line.partition("  | ")
        colour = command if number == 0 else lost if "(overridden)" in shown else plain
        rest = f'<tspan fill="{quoted}">{escape(bar + source)}</tspan>' if bar else ""
        y = 32 + number * _LINE
        out.append(f'<text x="24" y="{y}" fill="{colour}" xml:space="preserve">{escape(shown)}{rest}</text>')
    return "\n".join([*out, "</svg>\n"])


def main() -> None:
    for name, (title, rows) in PICTURES.items():
        (DIRECTORY / f"{name}.svg").write_text(picture(title, rows), "utf-8")
    text = printed()
    for theme in THEMES:
        (DIRECTORY / f"explain-{theme}.svg").write_text(terminal(text, theme), "utf-8")


if __name__ == "__main__":
    main()
