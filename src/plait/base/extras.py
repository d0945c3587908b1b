"""Extras: the optional libraries, from the metadata of the installed distribution."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires

from plait.base.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Order of preference if several extras have the same library.
_ORDER = ("service", "validate", "lsp", "mcp", "watch", "toml", "dask", "fsspec", "postgresql", "keystone", "telemetry")
# Modules whose distribution has a different name.
_DISTRIBUTIONS = {"jwt": "pyjwt", "yaml": "pyyaml", "re2": "google_re2", "memcache": "python_memcached"}


def missing_extra(error: ModuleNotFoundError) -> UsageError | None:
    """The error for a missing library of an extra; None for any other module."""
    module = (error.name or "").partition(".")[0]
    wanted = _DISTRIBUTIONS.get(module, module.lower())
    having = {extra for extra, name in _requirements() if name == wanted or name.startswith(f"{wanted}_")}
    for extra in _ORDER:
        if extra in having:
            return UsageError(
                f'the extra "{extra}" is not installed',
                found=f"no module {error.name}",
                hint=f"pip install 'plait[{extra}]'",
                code="extra-not-installed",
            )
    return None


def _requirements() -> Iterator[tuple[str, str]]:
    """Pairs of an extra and a distribution that it requires; names in the form of modules."""
    try:
        found = requires("plait") or []
    except PackageNotFoundError:
        return
    for one in found:
        name = re.match(r"[\w.-]+", one)
        extra = re.search(r"""extra\s*==\s*["']([\w.-]+)["']""", one)
        if name is not None and extra is not None:
            yield extra[1], re.sub(r"[-_.]+", "_", name[0]).lower()
