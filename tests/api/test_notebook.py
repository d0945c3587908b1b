"""A notebook as a reader sees it: executed by a kernel, exported as HTML, and opened in Chromium. `nox -s clients` installs
what that needs.
"""

from __future__ import annotations

import pathlib
import re
from typing import Any

import pytest

import plait
from browsing import CHROMIUM, chromium, opened

nbclient = pytest.importorskip("nbclient", reason="nox -s clients installs it")
nbconvert = pytest.importorskip("nbconvert", reason="nox -s clients installs it")
nbformat = pytest.importorskip("nbformat", reason="nox -s clients installs it")
pytest.importorskip("ipykernel", reason="nox -s clients installs it")
pytest.importorskip("playwright.sync_api")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium")

COOKBOOK = pathlib.Path(__file__).parents[2] / "docs" / "cookbook.md"
HOSTILE = "<img src=x onerror=\"document.title='executed'\"><script>document.title='executed'</script>"
CELLS = [
    "import plait\nmade = plait.render({'app.yml': '#@ port = 80\\nname: web\\nport: #@ port + 1\\n'}, trace=True)\nmade",
    "plait.explain(made, 'port')[0]",
    "plait.diff({'a.yml': 'a: 1'}, {'a.yml': 'a: 2'})",
    f"plait.documents({{'key': {HOSTILE!r}}})",
]


def executed(cells: list[str], directory: pathlib.Path) -> Any:
    """A notebook with these cells and what a kernel shows for them."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(one) for one in cells])
    nbclient.NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(directory)}}).execute()
    return notebook


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_notebook_in_a_browser(theme: str, tmp_path: pathlib.Path) -> None:
    html, _ = nbconvert.HTMLExporter(theme=theme).from_notebook_node(executed(CELLS, tmp_path))
    (tmp_path / "notebook.html").write_text(html, "utf-8")
    with chromium() as browser:
        page = opened(browser)
        page.goto((tmp_path / "notebook.html").as_uri())
        shown = [one.inner_text() for one in page.locator(".jp-OutputArea-output pre").all()]
        assert shown[0] == "name: web\nport: 81\n"
        assert re.search(r"app\.yml:3 +expression +81", shown[1])
        assert shown[2] == str(plait.diff({"a.yml": "a: 1"}, {"a.yml": "a: 2"}))
        assert shown[3] == plait.documents({"key": HOSTILE}).to_yaml()
        assert page.title() != "executed"
        keys = page.locator(".jp-OutputArea-output pre span", has_text=re.compile("^name$")).first
        colour = keys.evaluate("(one) => getComputedStyle(one).color")
        assert colour != keys.evaluate("(one) => getComputedStyle(one.parentElement).color"), "keys stand out"


def test_the_notebook_of_the_cookbook(tmp_path: pathlib.Path) -> None:
    page = COOKBOOK.read_text("utf-8")
    for name, content in re.findall(r'```yaml title="(config/[^"]+)"\n(.*?)```', page, re.DOTALL):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, "utf-8")
    part = page.partition("\n## A notebook\n")[2].partition("\n## ")[0]
    cells = [line.removeprefix(">>> ") for line in part.split("\n") if line.startswith(">>> ")]
    shown = [output for cell in executed(cells, tmp_path).cells for output in cell.outputs]
    assert sum("text/html" in output.get("data", {}) for output in shown) == 2
