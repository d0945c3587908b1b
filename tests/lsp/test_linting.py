"""What lint says of one file alone is shown as notes, with quick fixes."""

from __future__ import annotations

from pathlib import Path

from workshop import edited, workshop

from plait.authoring.lsp import diagnostics
from plait.authoring.lsp.unused_diagnostics import NOTE

FILES = {
    "app.yml": (
        '#@ load("@ytt:data", "data")\n'
        "#@ def f():\n"
        "#@   return 1\n"
        "#@   print(2)\n"
        "#@ end\n"
        "---\n"
        "a: yes\n"
        "mode: 0644\n"
        "b: #@ f() + len(data.values.all)\n"
        "c: no #! plait: ignore[R401] as it was\n"
    ),
    "schema.yml": '#@data/values-schema\n---\nall: ""\n',
}


def test_notes_and_their_fixes(tmp_path: Path) -> None:
    with workshop(tmp_path, FILES) as made:
        path = made.open("app.yml")
        notes = [one for one in diagnostics.problems(made.state, path) if one.severity == NOTE]
        assert [(one.code, one.span.line, one.span.column, one.span.end) for one in notes] == [
            ("T603", 4, 6, 14),
            ("R401", 7, 4, 7),
            ("R401", 8, 7, 11),
        ]
        [fix] = [fix for one in notes for fix in one.fixes]
        assert fix.title == "Write true, which is the same in both versions"
        text = edited(FILES, tmp_path, fix.edits)["app.yml"]
        assert text == FILES["app.yml"].replace("yes", "true")


def test_a_broken_file_has_errors_alone(tmp_path: Path) -> None:
    with workshop(tmp_path, FILES) as made:
        path = made.open("app.yml", "a: yes\nb: [\n")
        assert NOTE not in [one.severity for one in diagnostics.problems(made.state, path)]
