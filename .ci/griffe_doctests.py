"""For the site: docstrings are Markdown in the form of docs/api.md."""

from __future__ import annotations

import inspect
import pathlib
import sys

import griffe

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from docstrings import markdown


class Doctests(griffe.Extension):
    """Gives docstrings their form."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        if obj.docstring is not None:
            obj.docstring.value = markdown(inspect.cleandoc(obj.docstring.value))
