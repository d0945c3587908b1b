"""Suggestions for an unknown flag: similar names, and equivalents of other programs' flags."""

from __future__ import annotations

from plait.base.similar_names import near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Flags of helm, kubectl, kustomize, spruce and similar programs, and parts of names.
_MEANT = {
    "data-values": ("data-values-file", "data-value"),
    "filename": ("file",),
    "format": ("output",),
    "inspect": ("data-values-inspect",),
    "input": ("file",),
    "op": ("ops-file",),
    "output-dir": ("output-files",),
    "output-directory": ("output-files",),
    "param": ("var", "data-value"),
    "set": ("data-value", "data-value-yaml", "var"),
    "set-file": ("data-value-file", "var-file"),
    "set-string": ("data-value",),
    "show-only": ("name",),
    "silent": ("quiet",),
    "value": ("data-value",),
    "values": ("data-values-file",),
    "values-file": ("data-values-file",),
    "vars": ("vars-file", "var", "data-value"),
    "verbose": ("debug",),
    "werror": ("warnings",),
}
_MOST = 3


def meant_by(name: str, known: Sequence[str]) -> list[str]:
    """The most likely intended flags, at most three."""
    meant = [other for other in _MEANT.get(name, ()) if other in known]
    return list(dict.fromkeys([*meant, *near(name, known)]))[:_MOST]
