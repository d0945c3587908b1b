"""Formats that are known when a program is compiled: `"{}-{}".format(a, b)` and `"%s=%d" % (a, b)`.

They are taken apart here, so that compiled code puts the parts together by itself. What is not plain comes back as
None, and is done, with its errors, by `strings` when the program runs.
"""

from __future__ import annotations

from weft.starlark.budget import FEW


def format_parts(template: str, count: int) -> list[str] | None:
    """The texts around the fields of a template for `format`, if it has `count` plain ones (`{}`)."""
    texts = template.split("{}")
    if len(texts) != count + 1 or count > FEW or any("{" in text or "}" in text for text in texts):
        return None
    return texts


def percent_parts(template: str, count: int) -> tuple[list[str], str] | None:
    """The texts around the verbs of a template for `%`, and the verbs, if it has `count` and all are `s` or `d`."""
    first, *rest = template.split("%")
    verbs = "".join([part[:1] for part in rest])
    if len(rest) != count or count > FEW or verbs.strip("sd") or not all(rest):
        return None
    return [first, *(part[1:] for part in rest)], verbs
