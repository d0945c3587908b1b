"""A run that uses secrets is first evaluated without marks; what it says is the same as if marks had been there from the start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_noninterference import CANARY, FORMS, HEAD, OTHER, SAYS, TRANSFORMATIONS

from plait.base.errors import warning
from plait.cli import main
from plait.tree.context import Context
from plait.tree.nodes import MapItem
from plait.tree.provenance import Trace
from plait.ytt.workspace import silence

if TYPE_CHECKING:
    import pathlib

LIBRARY = '#@ load("lib.star", "say")\n#@ load("@ytt:data", "data")\n'
PRINTS = "def say(x):\n  print(x)\n  return x\nend\n"
# Templates with a secret, and the options of their run; more than a program says by itself.
RUNS: dict[str, tuple[dict[str, str], list[str]]] = {
    "a library that prints": ({"a.yml": LIBRARY + "a: #@ say(data.values.pw)\n", "lib.star": PRINTS}, []),
    "a library that may print": (
        {"a.yml": LIBRARY + 'a: #@ say(1) if data.values.pw[0] == "h" else 1\n', "lib.star": PRINTS},
        [],
    ),
    "a warning": (
        {"a.yml": "#@ load('@ytt:data', 'data')\na: #@ data.values.pw\n", "note.txt": "(@= 1 @)\n#@ x\n"},
        [],
    ),
    "a warning that is refused": ({"a.yml": "a: 1\n", "note.txt": "#@ x\n"}, ["--warnings", "refuse"]),
    "a schema that refuses": ({"s.yml": "#@data/values-schema\n---\npw: 0\nuser: a\n"}, []),
    "a validation": (
        {"s.yml": "#@data/values-schema\n---\n#@schema/validation min_len=5\npw: ''\nuser: a\n", "a.yml": "a: 1\n"},
        [],
    ),
    "an overlay that finds nothing": (
        {
            "a.yml": "a: 1\n",
            "o.yml": "#@ load('@ytt:data', 'data')\n#@ load('@ytt:overlay', 'overlay')\n"
            "#@overlay/match by=overlay.all\n---\n#@ if data.values.pw[0] == 'h':\nb: 2\n#@ end\n",
        },
        [],
    ),
    "documents of the same place": (
        {"a.yml": "#@ load('@ytt:data', 'data')\nkind: #@ data.values.pw\n---\nkind: #@ data.values.pw\n"},
        ["--output-by", "{kind}.yml", "--output-files", "out"],
    ),
    "lines of --debug": ({"a.yml": "#@ load('@ytt:data', 'data')\na: #@ data.values.pw\n"}, ["--debug"]),
    "a source map": (
        {"a.yml": "#@ load('@ytt:data', 'data')\na: #@ data.values.pw\n"},
        ["--source-map", "map.json"],
    ),
}
for _name, _code in {**TRANSFORMATIONS, **SAYS}.items():
    RUNS[f"program: {_name}"] = (
        {"a.yml": HEAD + "".join(f"#@ {line}\n" for line in _code.splitlines()) + "a: #@ user\n"},
        [],
    )


def run(top: pathlib.Path, name: str, secret: str, capfd: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """The exit status of a run, its output and what it says."""
    files, options = RUNS[name]
    for path, text in files.items():
        (top / "in" / path).parent.mkdir(exist_ok=True)
        (top / "in" / path).write_text(text)
    users = "users: [{name: app, password: ''}]\n" if "schema" not in str(files) else ""
    (top / "pw.yml").write_text(f"pw: {secret}\n")
    (top / "values.yml").write_text(f"user: app\n{users}")
    status = main(["render", "-f", "in", "--data-values-file", "values.yml", "--secrets", "file:pw.yml", *options])
    out, error = capfd.readouterr()
    return status, out, "".join(line for line in error.splitlines(keepends=True) if not line.startswith("total: "))


@pytest.mark.parametrize("name", RUNS)
def test_a_run_says_what_one_with_marks_says(
    name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ends = []
    for secret in (CANARY, OTHER):
        first = run(tmp_path, name, secret, capfd)
        with monkeypatch.context() as patch:
            patch.setattr(silence, "can_be_silent", lambda _job, _context: False)
            assert run(tmp_path, name, secret, capfd) == first
        ends.append(first)
    (status, _, told), (other_status, _, other_told) = ends
    if status == other_status:
        assert told == other_told
    if "--debug" not in RUNS[name][1]:
        assert not any(form.lower() in told.lower() for form in FORMS)


@pytest.mark.untraced
@pytest.mark.parametrize("prints", [False, True])
def test_only_a_run_that_says_something_is_recorded(
    prints: bool, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    made: list[Trace] = []
    real = Trace.use_secrets

    def noted(trace: Trace) -> object:
        made.append(trace)
        return real(trace)

    monkeypatch.setattr(Trace, "use_secrets", noted)
    monkeypatch.setitem(RUNS, "one", ({"a.yml": HEAD + ("#@ print(user)\n" if prints else "") + "a: #@ pw\n"}, []))
    status, out, error = run(tmp_path, "one", CANARY, capfd)
    assert (status, out, error) == (0, f"a: {CANARY}\n", "app\n" if prints else "")
    assert bool(made) == prints


def test_a_warning_after_a_silent_run_shows_no_value() -> None:
    context = Context()
    context.silence = over = silence.Silence()
    over.is_over = True
    context.warn(warning("of a value", code="unmatched-item"), of=[MapItem("a", CANARY)])
    context.warn(warning("of no known origin", code="unmatched-item"))
    context.warn(warning("of nothing secret", code="unmatched-item"), of=())
    assert context.warnings == ["of nothing secret"]
