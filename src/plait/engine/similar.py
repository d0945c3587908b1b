"""Suggestions for an unknown flag."""

from __future__ import annotations

from plait.base.similar_names import listed, near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Flags of helm, kubectl and others, and parts of names.
_MEANT = {
    "data-value-files": ("data-values-file",),
    "apply": ("write",),
    "data-values": ("data-values-file", "data-value"),
    "filename": ("file",),
    "format": ("output",),
    "i": ("write",),
    "in-place": ("write",),
    "inspect": ("data-values-inspect",),
    "input": ("file",),
    "op": ("ops-file",),
    "output-dir": ("output-files",),
    "output-directory": ("output-files",),
    "param": ("var", "data-value"),
    "set": ("data-value-yaml", "data-value", "var"),
    "set-file": ("data-value-file", "var-file"),
    "set-string": ("data-value",),
    "show-only": ("name",),
    "silent": ("quiet",),
    "value": ("data-value",),
    "values": ("data-values-file",),
    "values-file": ("data-values-file",),
    "var-files": ("vars-file",),
    "vars": ("vars-file", "var", "data-value"),
    "verbose": ("debug",),
    "werror": ("warnings",),
    "environment": ("only",),
    "filter": ("only",),
    "run": ("only",),
    "select": ("only",),
    "selector": ("only",),
    "where": ("only",),
    "yes": ("write",),
}
# Other ways to the result of a flag without an equivalent.
_ELSEWHERE = {
    "in-place": "--output-files DIRECTORY writes the result",
    "k": "kustomize builds a kustomization: kustomize build DIR | plait render -f - -f overlay.yml",
    "n": "an overlay sets metadata.namespace, and kubectl apply -n NAME chooses one",
    "namespace": "an overlay sets metadata.namespace, and kubectl apply -n NAME chooses one",
}
_MOST = 3


def meant_by(name: str, known: Sequence[str]) -> list[str]:
    """At most three likely intended flags."""
    meant = [other for other in _MEANT.get(name, ()) if other in known]
    return list(dict.fromkeys([*meant, *near(name, known)]))[:_MOST]


def unknown_hint(command: str, usage: str, name: str, known: Sequence[str], meant: Sequence[str] | None) -> str:
    """The hint for an unknown flag. usage: the command's arguments. meant: as of `flags_hint`."""
    if name == "f" and usage:
        if "RUN]" not in usage:
            ops = " -o OPS-FILE" if "ops-file" in known else ""
            return f"pass inputs without a flag: {command} {usage}{ops}"
        return f"RUN is a run of the project file, which plait init writes: {command} {usage}"
    return flags_hint(name, known, meant) or f"{command} --help lists the flags"


def flags_hint(name: str, known: Sequence[str], meant: Sequence[str] | None = None) -> str | None:
    """The hint for an unknown flag, or None. meant: the intended ones; by default the most likely."""
    if name in _ELSEWHERE and {name, "write"}.isdisjoint(known) and "file" in known:
        return _ELSEWHERE[name]
    meant = meant_by(name, known) if meant is None else meant
    if name == "dry-run" and not meant and "write" in known:
        return "nothing is written without --write"
    return f"did you mean {listed([f'--{one}' for one in meant], quote=chr(34))}?" if meant else None
