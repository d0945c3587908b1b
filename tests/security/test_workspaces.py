"""The VS Code extension: a workspace sets nothing and starts nothing before it is trusted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

MANIFEST = Path(__file__).parents[2] / "editors" / "vscode" / "package.json"


def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose keys differ. Of two equal keys a reader of JSON takes the last, which a review may miss."""
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names), names
    return dict(pairs)


MANIFEST_DATA = json.loads(MANIFEST.read_text(), object_pairs_hook=unique)
SETTINGS = MANIFEST_DATA["contributes"]["configuration"]["properties"]


def test_an_untrusted_workspace_starts_nothing() -> None:
    assert MANIFEST_DATA["capabilities"]["untrustedWorkspaces"]["supported"] is False
    assert MANIFEST_DATA["capabilities"]["virtualWorkspaces"] is False


@pytest.mark.parametrize("name", SETTINGS)
def test_a_workspace_sets_no_setting(name: str) -> None:
    """Every setting says which program runs, so each is a setting of the machine."""
    assert SETTINGS[name]["scope"] == "machine"
