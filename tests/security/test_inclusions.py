"""Files that name others, over and over: work is bounded, whichever command evaluates them."""

from __future__ import annotations

from pathlib import Path

import pytest

import plait
from plait.cli import main

# By the shape of the inclusions: the pipelines that the pipeline of a number runs.
SHAPES = {
    "two of the next, each": (60, 2),
    "a long chain": (2000, 1),
}


@pytest.mark.parametrize("command", [["run"], ["explain", "r", "--all"], ["lint"], ["coverage"], ["fleet"]])
@pytest.mark.parametrize("shape", SHAPES)
def test_pipelines_that_run_pipelines_end(
    shape: str, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    count, each = SHAPES[shape]
    Path("plait.yml").write_text("runs:\n  r:\n    compose: {file: s0.yml}\n", "utf-8")
    for number in range(count):
        steps = "".join(f"- {{name: s{one}, compose: {{file: s{number + 1}.yml}}}}\n" for one in range(each))
        Path(f"s{number}.yml").write_text(f"steps:\n{steps}", "utf-8")
    Path(f"s{count}.yml").write_text("steps:\n- values: {set: {a: 1}}\n", "utf-8")
    assert main([*command]) in (1, 3)
    assert "too many pipelines" in "".join(capfd.readouterr())


def test_secrets_of_a_pipeline_are_found_beside_one_that_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plait.engine.pipeline import read
    from plait.engine.pipeline_steps import has_secrets

    monkeypatch.chdir(tmp_path)
    Path("top.yml").write_text("steps:\n- {name: a, compose: a.yml}\n- {name: b, compose: broken.yml}\n", "utf-8")
    Path("a.yml").write_text("steps:\n- compose: b.yml\n", "utf-8")
    Path("b.yml").write_text("steps:\n- values: {secrets: ['file:keys.yml']}\n", "utf-8")
    Path("broken.yml").write_text("steps: 1\n", "utf-8")
    assert has_secrets(read("top.yml"))


def test_many_undefined_names_are_told_in_proportion() -> None:
    """Each is compared only with those of its own text: 20,000 lines took minutes."""
    with pytest.raises(plait.PlaitError) as info:
        plait.render({"a.yml": "#@ x\n" * 20_000})
    assert len(info.value.findings) >= 19_000
