"""Modules that worker processes import before they begin."""

from __future__ import annotations

import plait.api.worker
import plait.codecache
import plait.engine.render
import plait.engine.results
import plait.engine.sharing
import plait.engine.world
import plait.fleet.workshop
import plait.overlay
import plait.project.file
import plait.schema
import plait.templates
import plait.workspace.phases
import plait.workspace.values_flags
import plait.yaml  # noqa: F401
