"""Lazy exports: names that a package imports on first use."""

from __future__ import annotations

import sys


def first_use(package: str, home: str | None, name: str) -> object:
    """The result of a package's module-level `__getattr__` for a name of its module `home`, cached in the package.

    Raises AttributeError if there is no such module. `importlib` would take longer than most of the modules.
    """
    if home is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    value: object = getattr(__import__(f"{package}.{home}", fromlist=[name]), name)
    setattr(sys.modules[package], name, value)
    return value
