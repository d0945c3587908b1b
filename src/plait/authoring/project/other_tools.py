"""The program that renders the YAML of a repository without runs. Loaded only for an error."""

from __future__ import annotations

import os
import re

from plait.base.content import file_content
from plait.base.errors import PlaitError
from plait.base.limits import current_budget
from plait.base.source import Source
from plait.yaml.reader import read
from plait.ytt.workspace.input_files import CHART, KUSTOMIZATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def other_tool(directory: str) -> str:
    """Advice for a repository whose YAML is rendered by Helm or kustomize, or has plain manifests; "" for any other."""
    plain = ""
    charts: list[str] = []
    kustomizations: dict[str, set[str]] = {}  # with the words of each
    for here, folders, names in os.walk(directory):
        for _ in names:
            current_budget().visit(directory)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        path = os.path.normpath(here)
        kustomization = next((name for name in KUSTOMIZATIONS if name in names), None)
        if CHART in names:
            charts.append(path)
            folders.clear()
        elif kustomization is not None:
            kustomizations[path] = _words(os.path.join(here, kustomization))
        elif not plain and any(map(_is_manifest, _yaml_files(here, names))) and _is_plain(here):
            plain = path
    does, builds = [], []
    if charts:
        does.append(f"Helm renders {_shortened(charts)}")
        builds.append(f"helm template {charts[0]}")
    if kustomizations:
        tops = _top_kustomizations(kustomizations)
        does.append(f"kustomize builds {_shortened(tops)}")
        builds.append(f"kustomize build {tops[0]}")
    if builds:
        pipes = ", or ".join(f"{build} | plait render -f - -f overlay.yml" for build in builds)
        return f"{' and '.join(does)}; to change the output: {pipes}"
    return f"plain manifests need no project file: plait render -f {plain} --merge patch.yml" if plain else ""


_MOST_SHOWN = 5


def _shortened(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _MOST_SHOWN} more" if len(paths) > _MOST_SHOWN else ""
    return ", ".join(paths[:_MOST_SHOWN]) + more


def _top_kustomizations(kustomizations: Mapping[str, set[str]]) -> list[str]:
    """The directories that no other kustomization names: overlays, not their bases and components. All of them if each
    is named.
    """
    named = {os.path.normpath(os.path.join(path, word)) for path, words in kustomizations.items() for word in words}
    own = [path for path, words in kustomizations.items() if path not in named and "Component" not in words]
    return own or list(kustomizations)


def _words(path: str) -> set[str]:
    """The words of a regular file, some of which are paths."""
    if os.path.islink(path) or not os.path.isfile(path):
        return set()
    with open(path, "rb") as file:
        return {*re.split(r"[\s,\[\]{}\"']+", file.read(1 << 16).decode("utf-8", "replace"))} - {"", "."}


_YAML = (".yml", ".yaml")
_MANIFEST = re.compile(rb"^apiVersion: *\S", re.MULTILINE)
_TEMPLATE = re.compile(rb"#@|\{\{")


def _yaml_files(directory: str, names: Sequence[str]) -> list[str]:
    paths = [os.path.join(directory, name) for name in sorted(names) if name.endswith(_YAML)]
    return [path for path in paths if not os.path.islink(path) and os.path.isfile(path)]


def _is_manifest(path: str) -> bool:
    """True if a file has the resource of Kubernetes."""
    with open(path, "rb") as file:
        return _MANIFEST.search(file.read(1 << 16)) is not None


def _is_plain(directory: str) -> bool:
    """True if all YAML below a directory is read without templates, of ytt or of another program."""
    for here, folders, names in os.walk(directory):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for path in _yaml_files(here, names):
            current_budget().visit(directory)
            try:
                text = file_content(path, path)
                read(Source(path, text.decode("utf-8", "replace")))
            except (OSError, PlaitError):
                return False
            if _TEMPLATE.search(text) is not None:
                return False
    return True
