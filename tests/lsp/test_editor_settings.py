"""The settings on the page about editors, run in the editors, and the query for editors that use tree-sitter."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from workshop import TEMPLATES

from files import write_files
from patience import LONGEST

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "editor.md").read_text("utf-8")


def settings(heading: str, language: str) -> list[str]:
    """The blocks of a section of the page."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


def project(tmp_path: Path) -> dict[str, str]:
    """An environment with `plait` on the path, whose PLAIT_ROOT is a project."""
    write_files(tmp_path / "project", TEMPLATES)
    program = tmp_path / "bin" / "plait"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m plait "$@"\n')
    program.chmod(0o755)
    return {
        **os.environ,
        "HOME": str(tmp_path),
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PLAIT_ROOT": str(tmp_path / "project"),
        "PLAIT_OUT": str(tmp_path / "out.json"),
        "PLAIT_PATIENCE": str(LONGEST),
    }


def run(argv: list[str], environment: dict[str, str]) -> Any:
    """The JSON that a session of an editor wrote."""
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False)
    out = Path(environment["PLAIT_OUT"])
    assert out.exists(), done.stderr
    return json.loads(out.read_text("utf-8"))


def has_eglot() -> bool:
    emacs = shutil.which("emacs")
    probe = "(progn (package-initialize) (require 'yaml-mode) (require 'eglot))"
    if emacs is None:
        return False
    return subprocess.run([emacs, "--batch", "--eval", probe], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not has_eglot(), reason="Emacs, eglot or yaml-mode is not installed")
def test_a_session_of_emacs(tmp_path: Path) -> None:
    environment = project(tmp_path)
    [text] = settings("Emacs", "elisp")
    (tmp_path / "settings.el").write_text(text)
    environment["PLAIT_SETTINGS"] = str(tmp_path / "settings.el")
    steps = run(["emacs", "--batch", "-l", str(Path(__file__).with_name("session.el"))], environment)
    assert steps["ok"] == "yes"
    assert steps["mode"] == "yaml-mode"
    assert steps["hooked"] == "yes"
    assert "json is loaded but never used" in steps["diagnostic"]
    assert steps["hover"].startswith("`data.values.replicas`: `3`")
    assert set(steps["completion"]) == {"replicas", "app"}
    assert steps["definition"] == "schema.yml"
    assert steps["renamed"] == "yes"
    assert steps["formatted"] == "#! a line with spaces at its end"


# Opens a file after the settings and notes its language server with the first diagnostic.
NEOVIM = """\
vim.cmd("filetype on")
vim.cmd("edit " .. vim.env.PLAIT_ROOT .. "/config/app.yml")
local function diagnostic() return vim.diagnostic.get(0)[1] end
vim.wait(tonumber(vim.env.PLAIT_PATIENCE) * 1000, diagnostic, 50)
local clients = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
local file = io.open(vim.env.PLAIT_OUT, "w")
local found = diagnostic()
file:write(vim.fn.json_encode({
  diagnostic = found and found.message,
  name = clients[1] and clients[1].name,
  root = clients[1] and clients[1].config.root_dir,
}))
file:close()
vim.cmd("qa!")
"""


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_the_settings_of_neovim(tmp_path: Path) -> None:
    environment = project(tmp_path)
    (tmp_path / "project" / ".git").mkdir()
    found = re.search(r"NVIM v0\.(\d+)", subprocess.check_output(["nvim", "--version"], text=True))
    assert found is not None
    minor = int(found[1])
    since_11, earlier = settings("Neovim", "lua")[:2]
    text = since_11 if minor >= 11 else earlier
    (tmp_path / "settings.lua").write_text(text + NEOVIM)
    argv = ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", str(tmp_path / "settings.lua")]
    answer = run(argv, environment)
    assert answer["diagnostic"] == "json is loaded but never used"
    assert answer["name"] == "plait"
    # Before vim.fs, the directory in which the editor was started.
    assert minor < 8 or answer["root"] == environment["PLAIT_ROOT"]


def test_the_settings_of_helix() -> None:
    [text] = settings("Helix", "toml")
    found = tomllib.loads(text)
    assert found["language-server"] == {"plait": {"command": "plait", "args": ["lsp"]}}
    # Names of languages in Helix; a table with a name that it has changes only the keys that are given.
    assert [one["name"] for one in found["language"]] == ["yaml", "starlark"]
    assert all(one["language-servers"][0] == "plait" for one in found["language"])
    assert all(set(one) == {"name", "language-servers"} for one in found["language"])


CODE = """\
#@ load("@ytt:data", "data")
#! a comment of the template
# a comment of YAML
#@ def name(x):
#@   return x + "-web"
#@ end
#@overlay/match by="name"
---
name: #@ name(data.values.app)
#@notcode
text: "#@ a string"
"""


def test_the_code_in_comments_is_found_by_tree_sitter() -> None:
    tree_sitter = pytest.importorskip("tree_sitter")
    if version("tree-sitter") == "0.26.1":
        pytest.skip("this release of the bindings crashes in Query")
    grammars = {
        name: tree_sitter.Language(pytest.importorskip(f"tree_sitter_{name}").language())
        for name in ("yaml", "starlark")
    }
    query_text = (ROOT / "editors" / "tree-sitter" / "queries" / "yaml" / "injections.scm").read_text("utf-8")
    # Neovim merges the query with its own.
    assert query_text.startswith(";; extends\n")
    query = tree_sitter.Query(grammars["yaml"], query_text)
    tree = tree_sitter.Parser(grammars["yaml"]).parse(CODE.encode())
    assert not tree.root_node.has_error
    found = []
    for pattern, captures in tree_sitter.QueryCursor(query).matches(tree.root_node):
        assert query.pattern_settings(pattern) == {"injection.language": "starlark"}
        [node] = captures["injection.content"]
        # As the directive `#offset!` says: without the two characters of `#@`.
        found.append(CODE.encode()[node.start_byte + 2 : node.end_byte].decode())
    assert found == [
        ' load("@ytt:data", "data")',
        " def name(x):",
        '   return x + "-web"',
        " end",
        'overlay/match by="name"',
        " name(data.values.app)",
    ]
    parsed = [tree_sitter.Parser(grammars["starlark"]).parse(text.encode()).root_node for text in found]
    assert "def" in kinds(parsed[1])
    assert {"return_statement", "string"} <= kinds(parsed[2])
    assert "string" in kinds(parsed[4])
    assert {"call", "attribute"} <= kinds(parsed[5])
    assert not parsed[5].has_error


def kinds(node: Any) -> set[str]:
    """The kinds of a node and the nodes below it."""
    return {node.type}.union(*map(kinds, node.children))
