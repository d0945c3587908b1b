"""The syntax of all scripts that the pages and the editor extension load, checked without a browser."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NODE = shutil.which("node")
STATIC = ROOT / "src/plait/integrations/playground/static"
FOLDERS = ("src/plait/integrations/playground/static", "src/plait/review", "playground/src", "editors/vscode")
SCRIPTS = sorted(file for folder in FOLDERS for file in (ROOT / folder).glob("*.js"))
IS_MODULE = re.compile(r"^(?:import|export)\b", re.MULTILINE)


def checked(text: str) -> str:
    """Return the syntax errors of a script, or an empty text."""
    assert NODE
    kind = "module" if IS_MODULE.search(text) else "commonjs"
    command = [NODE, f"--input-type={kind}", "--check"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False).stderr


def test_all_folders_with_scripts_are_known() -> None:
    """A script of the package in another folder would not be checked."""
    assert {file.parent for file in (ROOT / "src").rglob("*.js")} <= {ROOT / folder for folder in FOLDERS}


@pytest.mark.skipif(not NODE, reason="no node")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.relative_to(ROOT).as_posix())
def test_a_script_has_no_syntax_error(script: Path) -> None:
    assert checked(script.read_text()) == ""


@pytest.mark.skipif(not NODE, reason="no node")
def test_a_name_that_is_imported_and_declared_again_is_an_error() -> None:
    assert "has already been declared" in checked('import { note } from "./x.js";\nconst note = 1;\n')


def test_all_modules_and_the_examples_are_requested_with_the_page() -> None:
    """A module that is found only in the imports of another comes a round trip later."""
    requested = re.findall(
        r'<link rel="(?:modulepreload|preload)" href="([^"]+)"', (STATIC / "index.html").read_text("utf-8")
    )
    modules = {path.name for path in STATIC.glob("*.js")} - {"page.js"}
    assert sorted(requested) == sorted(modules | {"examples.json"})
