"""Methods of strings, with arguments that are known when a program is compiled.

The formats of `"{}-{}".format(a, b)` and `"%s=%d" % (a, b)` are taken apart here, so that compiled code puts the parts
together by itself. What is not plain comes back as None, and is done, with its errors, by `strings` when the program
runs.
"""

from __future__ import annotations

from plait.starlark.budget import FEW, SMALL

# White space of the language that is ASCII: Python strips more.
_SPACES = " \t\n\v\f\r"


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


def short_text_arguments(name: str, values: list[object]) -> tuple[int, tuple[str, ...]] | None:
    """How Python does a method of strings: how short they have to be, and what to give it; None if it does not.

    Only for ASCII strings, given what is known.
    """
    if name in {"upper", "lower", "strip"}:
        return None if values else (SMALL, (_SPACES,) if name == "strip" else ())
    texts = tuple([value for value in values if type(value) is str and value.isascii()])
    if len(texts) != len(values):
        return None
    if name == "replace" and len(texts) == 2:
        return SMALL // (len(texts[1]) or 1), texts
    return (SMALL, texts) if name in {"find", "split"} and len(texts) == 1 and texts[0] else None
