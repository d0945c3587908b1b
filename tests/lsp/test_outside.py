"""Files that a project's run reads from outside the project's directory."""

from __future__ import annotations

from pathlib import Path

from client import editor, run
from lsprotocol import types
from workshop import workshop

from files import write_files
from plait.authoring.lsp import hover, navigation, renaming
from plait.authoring.lsp.state import content_of

FILES = {
    "shared/base.yml": "name: dep\nsize: ((size))\n",
    "project/plait.yml": "runs:\n  d:\n    patch: {base: ../shared/base.yml, ops: [ops.yml], vars: {size: 3}}\n",
    "project/ops.yml": "- type: replace\n  path: /name\n  value: other\n",
}


def test_a_base_outside_of_the_project(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()  # one repository
    with workshop(tmp_path, FILES) as made:
        made.open("project/ops.yml")
        made.open("shared/base.yml")
        place = made.at("shared/base.yml", "((si|ze))")
        [found] = navigation.definition(made.state, *place)
        assert (found.path, found.line) == (made.path("project/plait.yml"), 3)
        shown = hover.hover(made.state, *place)
        assert shown is not None
        assert "plait.yml:3" in shown.text
        renamed = renaming.rename(made.state, *place, "width")
        assert not renamed.doubt
        assert {edit.span.path for edit in renamed.edits} == {
            made.path("shared/base.yml"),
            made.path("project/plait.yml"),
        }


def test_a_base_outside_of_the_project_of_the_workspace(tmp_path: Path) -> None:
    """No file of the project itself is open."""
    (tmp_path / ".git").mkdir()
    write_files(tmp_path, FILES)

    async def steps() -> None:
        async with editor(tmp_path / "project", files={}) as (client, _):
            uri = client.open(tmp_path / "shared" / "base.yml")
            place = types.DefinitionParams(types.TextDocumentIdentifier(uri), types.Position(1, 10))
            found = await client.text_document_definition_async(place)
            assert isinstance(found, list)
            assert [one.uri for one in found if isinstance(one, types.Location)] == [
                (tmp_path / "project" / "plait.yml").as_uri()
            ]

    run(steps)


def test_a_file_that_is_larger_than_an_input_is_not_read(tmp_path: Path) -> None:
    """It has holes alone, and so takes no room on the disk of whoever clones it."""
    (tmp_path / ".git").mkdir()
    for name in ("huge.yml", "huge.star", "huge.json"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(1 << 40)
    files = {
        "plait.yml": "runs: {r: {render: {files: [app.yml, huge.yml, huge.star], schemas: huge.json}}}\n",
        "app.yml": "a: 1\n",
    }
    with workshop(tmp_path, files) as made:
        made.open("app.yml")
        for name in ("huge.yml", "huge.star", "huge.json"):
            path = made.path(name)
            assert made.state.file(path) is None
            assert content_of(path) is None
            assert hover.hover(made.state, path, 1, 1) is None
        made.state.look()
