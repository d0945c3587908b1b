"""The codes of findings: families, names, and what each one says in a sentence. docs/lint.md has a section for each."""

from __future__ import annotations

from typing import NamedTuple

DEAD, ORDER, SILENT, READING, PORTABLE, STYLE, IGNORING = (
    "dead",
    "order",
    "silent",
    "reading",
    "portable",
    "style",
    "ignoring",
)
FAMILIES = (DEAD, ORDER, SILENT, READING, PORTABLE, STYLE, IGNORING)


class Code(NamedTuple):
    """One kind of finding. is_default: whether it is looked for unless somebody says otherwise."""

    code: str
    name: str
    family: str
    summary: str
    is_default: bool = True

    @property
    def anchor(self) -> str:
        """The section of docs/lint.md."""
        return f"{self.code.lower()}-{self.name}"


CODES = {
    code.code: code
    for code in (
        Code("D101", "dead-overlay", DEAD, "an overlay, or an item of one, has no part in any output"),
        Code("D102", "dead-operation", DEAD, "an operation has no part in any output"),
        Code("D103", "dead-substitution", DEAD, "a substitution has no part in any output"),
        Code("D104", "dead-value", DEAD, "a data value is used by no template"),
        Code("D105", "dead-variable", DEAD, "a variable is given and used nowhere"),
        Code("D106", "dead-function", DEAD, "a function is used by no file"),
        Code("D107", "dead-load", DEAD, "a name is loaded and not used"),
        Code("D108", "dead-name", DEAD, "a name of the program is bound and not used"),
        Code("D109", "dead-library", DEAD, "no file that a run reads names a library"),
        Code("D110", "dead-file", DEAD, "a file with functions is loaded by no file"),
        Code("D111", "dead-document", DEAD, "an abstract document is nobody's parent and no source of a substitution"),
        Code("O201", "order-overlays", ORDER, "two overlays give one value, and only the names of their files decide"),
        Code(
            "O202", "order-operations", ORDER, "two operations give one value, and only the names of their files decide"
        ),
        Code(
            "O203", "listed-order", ORDER, "two files of operations that a run lists do not commute", is_default=False
        ),
        Code("S301", "same-value", SILENT, "an overlay sets a key to what it is"),
        Code("S302", "same-operation", SILENT, "an operation changes nothing: the value is there already"),
        Code("S303", "empty-merge", SILENT, "an empty map or array is merged, which changes nothing"),
        Code("S304", "near-miss", SILENT, "something is made, or passed over, whose name is nearly one that is there"),
        Code("S305", "repeated-key", SILENT, "a map has a key twice, and only the last one counts"),
        Code("S306", "pattern-not-found", SILENT, "a substitution's pattern is found nowhere in the text at its path"),
        Code("S307", "same-as-parent", SILENT, "a layered document sets a key to what its parent gives it"),
        Code("S309", "warned", SILENT, "a run warns of something that counts for nothing"),
        Code("R401", "ambiguous-input", READING, "readers of YAML 1.1 and 1.2 take a scalar for different things"),
        Code(
            "R402",
            "ambiguous-output",
            READING,
            "readers of YAML 1.1 and 1.2 take a scalar of the output for different things",
        ),
        Code("P501", "ytt", PORTABLE, "ytt refuses this, or takes it for something else", is_default=False),
        Code("P502", "bosh", PORTABLE, "BOSH refuses this, or takes it for something else", is_default=False),
        Code("P503", "deckhand", PORTABLE, "Deckhand refuses this, or takes it for something else", is_default=False),
        Code("T601", "long-form", STYLE, "an annotation has a shorter form that is used everywhere"),
        Code("T602", "hidden-load", STYLE, "a loaded name hides another one"),
        Code("T603", "unreachable", STYLE, "code that nothing leads to"),
        Code("T604", "overlay-all", STYLE, "overlay.all matches one document in every run: its name would say which"),
        Code("T605", "plain-comment", STYLE, "a plain comment in a template"),
        Code("I901", "unused-ignore", IGNORING, "an ignore comment or setting silences nothing"),
    )
}


def is_pattern(text: str) -> bool:
    """True if a text selects codes: a code, the beginning of one (`D`, `R4`), a name (`dead-load`) or a family
    (`dead`).
    """
    return any(is_selected(code, text) for code in CODES)


def is_selected(code: str, pattern: str) -> bool:
    """True if a pattern selects a code."""
    row = CODES[code]
    return pattern in (row.name, row.family) or (pattern[:1].isupper() and code.startswith(pattern))
