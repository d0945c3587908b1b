"""Templates: annotated YAML, text with `(@ @)`, and Starlark files, compiled once and run as often as wanted.

What compiles is imported when the first template is: plain YAML does without.
"""

from __future__ import annotations

from plait.base.lazy_exports import first_use
from plait.ytt.templates.file import YamlFile
from plait.ytt.templates.outcome import TemplateResult
from plait.ytt.templates.template_files import read_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.ytt.templates.template import Template, compile_starlark, compile_text, compile_yaml

__all__ = [
    "Template",
    "TemplateResult",
    "YamlFile",
    "compile_starlark",
    "compile_text",
    "compile_yaml",
    "read_yaml",
]

_LATER = {
    "Template": "template",
    "compile_starlark": "template",
    "compile_text": "template",
    "compile_yaml": "template",
}


def __getattr__(name: str) -> object:
    return first_use(__name__, _LATER.get(name), name)
