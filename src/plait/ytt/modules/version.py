"""`@ytt:version`: requires a minimum version (docs/reference/modules.md).

Templates are written for versions of ytt, so the version of ytt that plait implements counts.
"""

from __future__ import annotations

import re

from plait.base.errors import StarlarkError
from plait.base.version import YTT_VERSION
from plait.ytt.modules.members import module_of, only_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.context import Context
    from plait.ytt.modules.members import Args, Kwargs
    from plait.ytt.starlark.structs import Module

# A full semantic version: three numbers without leading zeros, then pre-release and build.
_NUMBER = r"(0|[1-9][0-9]*)"
_LABEL = r"(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
_SEMVER = rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-{_LABEL}(?:\.{_LABEL})*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?"


def module(context: Context) -> Module:  # noqa: ARG001 - the signature all modules share
    return module_of("version", {"require_at_least": _require_at_least}, slow=True)


def _require_at_least(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001 - keywords are ignored
    wanted = only_text(args)
    match = re.fullmatch(_SEMVER, wanted)
    if match is None:
        raise StarlarkError(
            f"version string '{wanted}' must be a valid semver",
            expected="a version such as 0.55.1",
            code="invalid-version",
        )
    # A pre-release comes before its release and this program is a release, so the three numbers decide.
    # Without leading zeros the longer of two numbers is the larger one.
    if [(len(part), part) for part in match.groups()] > [(len(part), part) for part in YTT_VERSION.split(".")]:
        raise StarlarkError(
            f"ytt version '{YTT_VERSION}' does not meet the minimum required version '{wanted}'", code="version-not-met"
        )
    return None
