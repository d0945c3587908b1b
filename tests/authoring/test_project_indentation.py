"""Project files with lines at a wrong level: the error is at these lines, and its hint is their indentation."""

from __future__ import annotations

import pytest

from plait.authoring.project.file import of_source
from plait.base.errors import UsageError
from plait.base.source import Source

RUN = "runs:\n  web:\n    render:\n      files: [config]\n"
CASES = {
    "a command at the level of the names": (
        "runs:\n  web:\n  render:\n    files: [config]\n    set: {a: 1}\n",
        (3, 'indent lines 3-5 by 2 more spaces: they belong to "web"'),
    ),
    "a command at the level of the names, before another run": (
        "runs:\n  web:\n  steps:\n  - render: {files: [config]}\n  other:\n    render: {files: [config]}\n",
        (3, 'indent lines 3-4 by 2 more spaces: they belong to "web"'),
    ),
    "the same mistake twice": (
        "runs:\n  web:\n  render:\n    files: [config]\n  other:\n  render:\n    files: [config]\n",
        (3, 'indent lines 3-4 by 2 more spaces: they belong to "web"'),
    ),
    "a command at the top": (
        "runs:\n  web:\nrender:\n  files: [config]\n",
        (3, 'indent lines 3-4 by 4 more spaces: they belong to "web"'),
    ),
    "a run at the top": (
        "runs:\nweb:\n  render:\n    files: [config]\n",
        (2, 'indent lines 2-4 by 2 more spaces: they belong to "runs"'),
    ),
    "a run among the settings": (
        f"{RUN}      other:\n        render: {{files: [config]}}\n",
        (5, 'indent lines 5-6 by 4 fewer spaces: they belong to "runs"'),
    ),
    "a setting at the level of its command": (
        "runs:\n  web:\n    render:\n    files: [config]\n    set: {a: 1}\n",
        (4, 'indent lines 4-5 by 2 more spaces: they belong to "render"'),
    ),
    "a setting after those of its command": (
        f"{RUN}    data-values-file: [values.yml]\n",
        (5, 'indent line 5 by 2 more spaces: it belongs to "render"'),
    ),
    "a setting of a step": (
        "steps:\n- render:\n  files: [config]\n",
        (3, 'indent line 3 by 2 more spaces: it belongs to "render"'),
    ),
    "a value at the level of its map": (
        f"{RUN}      set:\n      # a comment\n      replicas: 2\n",
        (7, 'indent line 7 by 2 more spaces: it belongs to "set"'),
    ),
    "a base among the settings": (
        (
            "runs:\n  all:\n    abstract: true\n    render: {files: [config]}\n  web:\n    render:\n      set: {a: 1}\n"
            "      base: all\n"
        ),
        (8, 'indent line 8 by 2 fewer spaces: it belongs to "web"'),
    ),
    "a base at the level of the names": (
        "runs:\n  all:\n    abstract: true\n    render: {files: [config]}\n  web:\n    render: {}\n  base: all\n",
        (7, 'indent line 7 by 2 more spaces: it belongs to "web"'),
    ),
    "a section in a run": (
        f"{RUN}    lint: {{ignore: [D107]}}\n",
        (5, "indent line 5 by 4 fewer spaces: it belongs at the top of the file"),
    ),
    "no indentation helps: an empty run": (
        "runs:\n  web:\n",
        (2, "web: {render: {files: [PATH]}}"),
    ),
    "no indentation helps: a misspelt setting": (
        "runs:\n  web:\n    render:\n      set: {a: 1}\n      fiels: [config]\n",
        (5, 'did you mean "files"?'),
    ),
    "no indentation helps: any key is a value of set": (
        "runs:\n  web:\n    render:\n      set:\n        a: 1\n      nonsense: [config]\n",
        (6, None),
    ),
}


@pytest.mark.parametrize(("text", "wanted"), CASES.values(), ids=CASES)
def test_lines_at_a_wrong_level(text: str, wanted: tuple[int, str | None]) -> None:
    with pytest.raises(UsageError) as caught:
        of_source(Source("plait.yml", text), ".")
    error = caught.value
    assert error.at is not None
    assert (error.at.line, error.hint) == wanted


def test_a_long_file_is_not_read_again() -> None:
    text = "runs:\n  web:\n  render:\n    files: [config]\n" + "# more\n" * 500
    with pytest.raises(UsageError) as caught:
        of_source(Source("plait.yml", text), ".")
    assert caught.value.hint == "web: {render: {files: [PATH]}}"
