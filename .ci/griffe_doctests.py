"""For the site: an example in a docstring (`>>> ...`) is a Python block."""

from __future__ import annotations

import inspect

import griffe


class Doctests(griffe.Extension):
    """Puts fences around the paragraphs of docstrings that are examples."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        if obj.docstring is not None:
            parts = inspect.cleandoc(obj.docstring.value).split("\n\n")
            obj.docstring.value = "\n\n".join(
                f"```python\n{part}\n```" if part.startswith(">>>") else part for part in parts
            )
