"""Templates: annotated YAML, text with `(@ @)`, and Starlark files, compiled once and run as often as wanted."""

from __future__ import annotations

from weft.templates.construct import Replacement
from weft.templates.template import (
    Outcome,
    Template,
    compile_starlark,
    compile_text,
    compile_yaml,
)
from weft.templates.yaml_file import YamlFile, read_yaml

__all__ = [
    "Outcome",
    "Replacement",
    "Template",
    "YamlFile",
    "compile_starlark",
    "compile_text",
    "compile_yaml",
    "read_yaml",
]
