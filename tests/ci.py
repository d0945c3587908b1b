"""The programs of .ci, which is no package."""

from __future__ import annotations

import importlib.util
import pathlib
from types import ModuleType

DIRECTORY = pathlib.Path(__file__).parent.parent / ".ci"


def load(name: str) -> ModuleType:
    """A program as a module."""
    spec = importlib.util.spec_from_file_location(name, DIRECTORY / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
