"""README, docs and examples do what they show.

A page runs in a directory of its own, block by block. A block of a file has its path as `title="config.yml"`, or in
backquotes at the start of the line above. A `console` block is run command by command: `plait`, `git`, `cat`, `ls`, `cd` and pipes
of them; what follows a command is all it prints. `$ cat FILE` of a file that is not there writes it as shown. Python blocks
with `>>>` are doctests, Starlark blocks with `>>>` show what code gives (`starlark_blocks`). `pytest --update` rewrites what
commands and code print.
"""

from __future__ import annotations

import doctest
import io
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tomllib
import unittest.mock
from collections.abc import Iterator
from typing import Any

import pytest

import ci
import plait
import starlark_blocks
from plait import cli
from plait.base.fast_paths import FAST
from plait.cli import COMMANDS, main
from plait.cli.commands import commands, node_of, tree

ROOT = pathlib.Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def rendered(argv: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        assert main(argv) == 0
    stream.flush()
    return buffer.getvalue().decode()


def test_the_two_commands_of_the_readme(monkeypatch: pytest.MonkeyPatch) -> None:
    """They run as they are in CI; here, what the first one renders."""
    first, second = re.findall(r"^python3 -m venv .venv && .venv/bin/pip install -q (.*)$", README, re.MULTILINE)
    assert second == "'.[test]' && .venv/bin/pytest -q -n auto"
    where, command = first.split(" && .venv/bin/plait ")
    assert where == "."
    monkeypatch.chdir(ROOT)
    expected = (ROOT / "examples/quickstart.expected").read_text("utf-8")
    assert rendered(shlex.split(command), monkeypatch) == expected


def test_each_dialect_of_the_readme_has_eight_lines_at_most() -> None:
    files = dict(re.findall(r"^`([a-z]+\.yml)`[^\n]*\n\n```yaml\n(.*?)^```", README, re.MULTILINE | re.DOTALL))
    for name in ("overlay.yml", "ops.yml", "site.yml"):
        assert files[name].count("\n") <= 8, name


def test_quickstart_prints_what_is_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = (ROOT / "examples" / "quickstart.expected").read_text("utf-8")
    assert rendered(["render", "-f", str(ROOT / "examples" / "quickstart")], monkeypatch) == expected


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("**/*.md")]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def anchors_of(page: pathlib.Path) -> set[str]:
    """The anchors of a page's headings."""
    prose = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    texts = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower() for title in titles]
    found = [re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-") for text in texts]
    return {*found, *(re.sub("-+", "-", one).strip("-") for one in found), *re.findall(r'id="([^"]+)"', prose)}


def test_anchors_lead_somewhere() -> None:
    wrong = []
    for page in PAGES:
        prose = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        for path, anchor in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", prose):
            if "://" not in path:
                target = page if not path else (page.parent / path).resolve()
                if target.suffix == ".md" and anchor not in anchors_of(target):
                    wrong.append(f"{page.name}: {path}#{anchor}")
    assert wrong == []


def test_every_page_begins_with_what_it_is_for() -> None:
    codes = ROOT / "docs" / "reference" / "codes"
    for page in PAGES:
        if page.parent == codes:
            continue
        _, _, rest = re.sub(r"<!--.*?-->\n", "", page.read_text("utf-8")).partition("# ")
        _, first, *_ = rest.split("\n\n")
        assert first[0].isalnum() or first[0] in "`[*", f"{page.name}: {first}"
        assert len(first.splitlines()) <= MOST_LINES, f"{page.name}: {first}"


# Of what a page is for.
MOST_LINES = 2


def test_every_page_is_reachable_from_the_index() -> None:
    docs = ROOT / "docs"
    seen: set[pathlib.Path] = set()
    pending = [docs / "index.md"]
    while pending:
        page = pending.pop()
        if page in seen:
            continue
        seen.add(page)
        for path in re.findall(r"\]\(([^)#\s]+\.md)(?:#[^)]*)?\)", page.read_text("utf-8")):
            if "://" not in path:
                pending.append((page.parent / path).resolve())
    # The pages of codes are found by their code.
    codes = docs / "reference" / "codes"
    assert {page for page in docs.glob("**/*.md") if page.parent != codes} - seen == set()


# Extras for those who work on plait.
OF_DEVELOPERS = {"all", "browser", "dev", "fuzz", "lint", "test"}


def test_claims_are_those_of_the_declarations() -> None:
    """Commands, flags and extras that pages name, and those that they say there are none of."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = set(project["optional-dependencies"])
    for page in PAGES:
        text = page.read_text("utf-8")
        for line in re.findall(r"pip install[^\n`|]*", text):
            assert not re.search(r"install (--?\w+ )*plait( |$)", line), f"{page.name}: plait is in no index: {line}"
        named = {one for line in re.findall(r"'\.\[([a-z,]+)\]'", text) for one in line.split(",")}
        assert named <= extras, f"{page.name}: {named - extras}"
        for command in tree():
            assert f"no `plait {command}`" not in text, f"{page.name}: there is a command {command}"
        assert not re.search(r"[Tt]here is no (service|website|playground)\b", text), page.name
    table = README.partition("## Extras")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `([a-z]+)` \|", table, re.MULTILINE)) == extras - OF_DEVELOPERS
    keeping = {name for name, one in commands().items() if any(flag.name == "keep-format" for flag in one.flags)}
    limits = README.partition("## Known limits")[2].partition("\n## ")[0]
    (sentence,) = [line for line in limits.splitlines() if "--keep-format" in line]
    assert set(re.findall(r"`(\w+)`", sentence)) == keeping


STATUSES = {
    "version": 0,
    "nope": 2,
    # As with ytt and bosh.
    **{f"{name} --nope": 1 if name in ("render", "patch") else 2 for name in COMMANDS},
    "help nope": 2,
    "render -f none.yml": 1,
    "patch none.yml": 1,
    "layer none.yml": 1,
    "explain render -f app.yml b": 2,
    "impact render -f app.yml app.yml:2": 1,
    "diff app.yml other.yml": 0,
    "diff app.yml other.yml --exit-code": 1,
    "fmt --check spaces.yml": 1,
    "test": 5,
    "render -f loop.yml --limit steps=10": 3,
}


def test_exit_statuses_are_those_of_the_table(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "reference" / "limits.md").read_text("utf-8").partition("## Exit status")[2]
    listed = {int(one) for one in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)}
    monkeypatch.chdir(tmp_path)
    texts = {
        "app": "a: 1\n# end\n",
        "other": "a: 2\n",
        "spaces": "a: 1   \n",
        "loop": "a: #@ [x for x in range(1000)]\n",
    }
    for name, text in texts.items():
        pathlib.Path(f"{name}.yml").write_text(text, "utf-8")
    assert {line: main(line.split()) for line in STATUSES} == STATUSES
    assert {*STATUSES.values(), cli._INTERRUPTED, cli._BROKEN_PIPE, 70} == listed


FENCE = re.compile(r"(?:^`([^`\n]+)`[^\n]*\n\n)?^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([^"]+)"')
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]


# Programs that pages run besides plait, for files that no block can show.
PROGRAMS = ("chmod", "cp", "git", "ln", "mkdir", "mkfifo", "rm")


class ErrorTerminal(io.TextIOWrapper):
    """Standard error that shows the codes of messages, as on a terminal."""

    def isatty(self) -> bool:
        return True


def output(line: str, given: str, monkeypatch: pytest.MonkeyPatch, *, shows_codes: bool = False) -> str:
    """What one command line prints, errors included; `given` is what the page says it does."""
    text = ""
    for command in line.split(" | "):
        command, _, target = command.partition(" > ")
        program, *argv = shlex.split(command)
        if program == "plait":
            out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
            errors = ErrorTerminal(out.buffer, "utf-8", write_through=True) if shows_codes else out
            with monkeypatch.context() as patch:
                patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
                patch.setattr(sys, "stdout", out)
                patch.setattr(sys, "stderr", errors)
                patch.setenv("NO_COLOR", "1")
                # Threads that other tests left take no memory, but a run beside them would not count its own.
                patch.setattr("plait.ytt.starlark.step_budget.has_other_threads", lambda: False)
                main(argv)
            buffer = out.buffer
            assert isinstance(buffer, io.BytesIO)
            # A fleet prints how long it took.
            text = re.sub(r"(?<=, in )\d+\.\d s;", "0.1 s;", buffer.getvalue().decode())
        elif program == "cat":
            if not os.path.exists(argv[0]):
                pathlib.Path(argv[0]).write_text(given, "utf-8")
            text = "".join(pathlib.Path(name).read_text("utf-8") for name in argv)
        elif program == "ls":
            text = "".join(f"{name}\n" for name in sorted(os.listdir(argv[0] if argv else ".")))
        elif program in PROGRAMS:
            subprocess.run([program, *argv], check=True)
        else:
            assert program == "cd", command
            monkeypatch.chdir(argv[0])
        if target:
            pathlib.Path(target).write_text(text, "utf-8")
            text = ""
    return text


def run_console(block: str, monkeypatch: pytest.MonkeyPatch, *, shows_codes: bool = False) -> str:
    """A console block with what its commands print now."""
    out = ""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, given = part.partition("\n")
        while line.endswith("\\"):
            more, _, given = given.partition("\n")
            line += "\n" + more
        printed = output(line.replace("\\\n", " "), given, monkeypatch, shows_codes=shows_codes)
        out += f"$ {line}\n{printed}" + ("\n" if printed and not printed.endswith("\n") else "")
    return out


def blocks_of(text: str) -> Iterator[tuple[re.Match[str], str, str, str]]:
    """The blocks of a page: the match, the language, the path of a file, the text."""
    for match in FENCE.finditer(text):
        named, language, info, block = match.groups("")
        title = TITLE.search(info)
        path = title[1] if title else named if "." in named and " " not in named else ""
        yield match, language, "" if path.startswith(("/", "..")) else path, block


@pytest.fixture
def mocks() -> Iterator[None]:
    """Stops what Python blocks replace for the blocks that follow. Modules that were loaded meanwhile stay: a second copy of
    some of them would not fit the others.
    """
    yield
    loaded = {name: module for name, module in sys.modules.items() if module is not None}
    unittest.mock.patch.stopall()
    for name, module in loaded.items():
        sys.modules.setdefault(name, module)


def write_or_run(
    language: str,
    path: str,
    block: str,
    top: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    shows_codes: bool = False,
) -> str:
    """Do what a block of a page shows: run its commands, or write its file; the block as it is now."""
    if language == "console":
        # A page shows the same paths wherever it runs.
        return run_console(block, monkeypatch, shows_codes=shows_codes).replace(str(top), "/home/me/project")
    if language == "starlark" and ">>>" in block:
        return starlark_blocks.run(block)
    if path:
        file = top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block, "utf-8")
    return block


# Recorded runs, and runs without passes for speed, share nothing, which their statistics show.
SHARING = [pytest.mark.untraced, pytest.mark.skipif(not FAST, reason="nothing is shared without passes for speed")]


@pytest.mark.usefixtures("mocks")
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=SHARING if page.name == "reuse.md" else []) for page in PAGES],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_blocks_of_a_page(
    page: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, update: str | None
) -> None:
    text, new, end = page.read_text("utf-8"), "", 0
    monkeypatch.chdir(tmp_path)
    names = {"plait": plait}
    for match, language, path, block in blocks_of(text):
        if language == "python" and ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, names, page.name, page.name, 0)
            names = test.globs
            runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
            assert runner.run(test, clear_globs=False).failed == 0
            continue
        now = write_or_run(language, path, block, tmp_path, monkeypatch, shows_codes=page.parent.name == "codes")
        if update == "write":
            new += text[end : match.start(4)] + now
            end = match.end(4)
        else:
            assert block == now
    if update == "write" and new + text[end:] != text:
        page.write_text(new + text[end:], "utf-8")


def test_sentences_have_lines_of_their_own() -> None:
    for page in (ROOT / "docs").glob("**/*.md"):
        prose = FENCE.sub("", page.read_text("utf-8"))
        for line in prose.splitlines():
            if line[:1].isalpha() and page.name not in GENERATED:
                assert not re.search(r"[a-z)]\. [A-Z]", line), f"{page.name}: {line}"


def commands_in(page: pathlib.Path) -> list[str]:
    """The command lines of plait that a page shows and does not run: in blocks of a shell, and within sentences."""
    text = page.read_text("utf-8")
    lines = [
        line
        for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
    ]
    lines += re.findall(r"`(plait [^`]+)`", FENCE.sub("", text))
    return [line for line in lines if "…" not in line and "..." not in line]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_command_lines_have_flags_that_exist(page: pathlib.Path) -> None:
    tables = commands()
    for line in commands_in(page):
        found = re.search(r"(?:^|[ /])plait (.*)", line.split(" | ")[0].split("&&")[-1].partition(" #")[0].strip())
        name, *words = shlex.split(found[1].partition(" > ")[0]) if found is not None else [""]
        known = {one for one, _ in tables[name].request.commands} if name in tables else set()
        if words[:1] and words[0] in known:
            node_of(name).children[words[0]].command.read(words[1:])
            continue
        # The flags of these are those of the command that they are about.
        if name in tables.keys() - {"explain", "impact", "lint", "origin", "reduce", "run", "set"}:
            tables[name].parse(words)


def test_screenshots_show_what_the_pages_say() -> None:
    shots = ci.load("screenshots")
    texts = shots.recorded()
    assert texts.keys() == shots.SHOTS.keys()
    for name, (page, _, width, height) in shots.SHOTS.items():
        # A page may say more than its picture.
        gone = set(texts[name]) - set(shots.shown_text(page))
        assert not gone, f"nox -s screenshots takes them again: {gone}"
        for theme in shots.THEMES:
            assert shots.size(shots.PICTURES / f"{name}-{theme}.png") == (width, height)


def test_pictures_are_what_their_program_draws(update: str | None) -> None:
    pictures = ci.load("pictures")
    if update == "write":
        pictures.main()
    for name, (title, rows) in pictures.PICTURES.items():
        assert (pictures.DIRECTORY / f"{name}.svg").read_text("utf-8") == pictures.picture(title, rows)
    for name in pictures.TERMINALS:
        text = pictures.printed(name)
        for theme in pictures.THEMES:
            shown = (pictures.DIRECTORY / f"{name}-{theme}.svg").read_text("utf-8")
            assert shown == pictures.terminal(name, text, theme)


# Their generator keeps sentences apart where it can.
GENERATED = {"api.md", "flags.md"}


def _entries(nav: object) -> Iterator[str]:
    """The pages of a part of the site's navigation."""
    if isinstance(nav, str):
        yield nav
    else:
        for one in nav if isinstance(nav, list) else nav.values():  # type: ignore[attr-defined]
            yield from _entries(one)


def test_the_site_has_the_groups_of_the_index_and_every_page_once() -> None:
    site: Any = plait.read(ROOT / "mkdocs.yml").to_list()[0]
    nav = site["nav"]
    index = (ROOT / "docs/index.md").read_text("utf-8")
    assert [name for group in nav for name in group] == re.findall(r"^## (.+)$", index, re.MULTILINE)
    listed = sorted(_entries(nav))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").glob("**/*.md")}
    assert listed == sorted(page for page in pages if not page.startswith("reference/codes/"))
    # The index names every page but itself, and those that a page of its own part lists.
    linked = set(re.findall(r"\]\(([^)#]+\.md)", index))
    parts = ("reference/", "compatibility/", "architecture-", "index.md")
    assert {page for page in listed if not page.startswith(parts)} <= linked


def test_the_table_of_pages_has_every_page_with_its_group_and_a_question() -> None:
    site: Any = plait.read(ROOT / "mkdocs.yml").to_list()[0]
    docs = ROOT / "docs"
    rows = re.findall(r"^\| \[(.+)\]\((.+)\) \| (.+) \| (.+) \|$", (docs / "pages.md").read_text("utf-8"), re.MULTILINE)
    titles = {page: re.search(r"^# (.+)$", (docs / page).read_text("utf-8"), re.MULTILINE) for _, page, _, _ in rows}
    assert [(page, group) for _, page, group, _ in rows] == [
        (page, name) for group in site["nav"] for name, part in group.items() for page in _entries(part)
    ]
    for title, page, _, question in rows:
        found = titles[page]
        assert found is not None
        assert title == found[1]
        assert question.endswith("?"), page
    assert len({question for *_, question in rows}) == len(rows)
