"""The variables store: what is there is never lost or made again, and the file is whole at any time."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from plait.base.errors import OpsError
from plait.ops.store import VariableStore
from plait.ops.variables import Sources

if TYPE_CHECKING:
    from pathlib import Path

    from plait.ops.options import Signers
    from plait.tree.nodes import Value


def test_a_value_is_made_once_and_written(tmp_path: Path) -> None:
    path = tmp_path / "store.yml"
    asked: list[str] = []

    def make(kind: str, _options: Value, _sources: Signers) -> Value:
        asked.append(kind)
        return f"{kind} {len(asked)}"

    store = VariableStore(str(path), make)
    assert store.get("b", "thing", None, Sources()) == (True, "thing 1")
    assert store.get("b", "thing", None, Sources()) == (True, "thing 1")
    assert store.get("a", "other", None, Sources()) == (True, "other 2")
    assert store.get("none", "", None, Sources()) == (False, None)
    assert path.read_text() == "a: other 2\nb: thing 1\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["store.yml"]


def test_what_another_run_made_meanwhile_is_used_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "store.yml"
    first, second = (VariableStore(str(path), lambda kind, _o, _s: kind) for _ in range(2))
    assert (first.values(), second.values()) == ({}, {})
    first.get("x", "mine", None, Sources())
    first.get("y", "mine", None, Sources())
    assert second.get("x", "yours", None, Sources()) == (True, "mine")
    second.get("z", "yours", None, Sources())
    assert path.read_text() == "x: mine\n" + "y: mine\n".replace("y", '"y"') + "z: yours\n"


def test_null_is_a_value(tmp_path: Path) -> None:
    path = tmp_path / "store.yml"
    path.write_text("x: ~\n")
    assert VariableStore(str(path)).get("x", "password", None, Sources()) == (True, None)
    assert path.read_text() == "x: ~\n"


def test_an_existing_file_keeps_its_mode_and_a_link_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / "real.yml", tmp_path / "link.yml"
    real.write_text("a: 1\n")
    real.chmod(0o640)
    link.symlink_to(real)
    VariableStore(str(link), lambda *_: "made").get("b", "thing", None, Sources())
    assert link.is_symlink()
    assert real.read_text() == "a: 1\nb: made\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_value_that_cannot_be_made_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.yml"
    path.write_text("# note\na: 1\n")

    def fail(*_: object) -> Value:
        raise OpsError("no")

    with pytest.raises(OpsError, match="no"):
        VariableStore(str(path), fail).get("b", "thing", None, Sources())
    assert path.read_text() == "# note\na: 1\n"
    assert [each.name for each in tmp_path.iterdir()] == ["store.yml"]


def test_a_store_that_cannot_be_written_is_an_error_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OpsError, match="cannot write the variables store"):
        VariableStore(str(tmp_path / "file" / "store.yml"), lambda *_: 1).get("b", "thing", None, Sources())


RUN = """
import sys
from plait.cli import main
sys.exit(main(["patch", sys.argv[1], "--vars-store", sys.argv[2]]))
"""


def test_two_runs_at_once_lose_and_remake_nothing(tmp_path: Path) -> None:
    base, store = tmp_path / "base.yml", tmp_path / "store.yml"
    names = [f"n{number}" for number in range(12)]
    base.write_text("variables:\n" + "".join(f"- {{name: {name}, type: password}}\n" for name in names))
    body = "".join(f"{name}: (({name}))\n" for name in names)
    base.write_text(base.read_text() + body)
    runs = [
        subprocess.Popen([sys.executable, "-c", RUN, str(base), str(store)], stdout=subprocess.PIPE, env=os.environ)
        for _ in range(4)
    ]
    printed = {run.communicate()[0] for run in runs}
    assert [run.returncode for run in runs] == [0] * 4
    assert len(printed) == 1
    assert store.read_text() == printed.pop().decode().replace("variables: []\n", "")
