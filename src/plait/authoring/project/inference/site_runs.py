"""Infers a run for each Airship site of a repository, whose site repository may be a directory in it."""

from __future__ import annotations

import os
import re

from plait.authoring.project.inference.walk import SKIPPED_DIRECTORIES, walk
from plait.authoring.project.run import Run, relative_to_cwd
from plait.authoring.project.settings import Setting, options_of
from plait.base.trust import permissions_of
from plait.layering.sites import DEFINITION, SITES
from plait.tree.nodes import MapItem

# Maximum number of sites.
_MOST = 32


def site_directories(directory: str) -> list[tuple[str, str]]:
    """The directories that contain sites, each with the name of a site, in order."""
    found = []
    for here, folders, _ in walk(directory):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one not in SKIPPED_DIRECTORIES)
        if SITES in folders:
            top = os.path.join(here, SITES)
            found += [
                (here, name) for name in sorted(os.listdir(top)) if os.path.isfile(os.path.join(top, name, DEFINITION))
            ]
        if len(found) >= _MOST:
            break
    return found[:_MOST]


def site_runs(directory: str) -> list[Run]:
    """A run for each Airship site below a directory."""
    found = []
    taken: set[str] = set()
    for here, name in site_directories(directory):
        path = f"{SITES}/{name}"
        setting = Setting("site", options_of("layer")["site"], [MapItem("site", path)])
        shown = os.path.normpath(os.path.join(os.path.relpath(here, directory), path, DEFINITION))
        if name in taken:
            name = re.sub(r"[^A-Za-z0-9_.]+", "-", os.path.relpath(os.path.join(here, name), directory))
        taken.add(name)
        run = Run(name, "layer", [setting], None, relative_to_cwd(here), None, why=f"{shown} defines a site")
        run.permissions = permissions_of("", directory)
        found.append(run)
    return found
