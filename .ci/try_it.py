"""For the site: an example of a page can be tried below it, in the playground with the files of the example.

A hook of MkDocs. Pages have no mark for it: a `console` block with one command that the playground can run, on files that the page
shows, is followed by the playground with these files. The environment variable TRY_IT names the directory of the site in which the
playground is built; without it, pages are left as they are.
"""

from __future__ import annotations

import base64
import html
import json
import os
import re
import zlib

from plait.base.errors import PlaitError
from plait.integrations.playground.commands import command
from plait.integrations.playground.evaluation import PIPELINE
from plait.integrations.playground.examples import examples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.structure.pages import Page

    from plait.integrations.playground.evaluation import File

# What has no form for browsers.
MISSING = re.compile("@ytt:regexp")
BLOCK = re.compile(r'^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Adds the playground to the text of a page."""
    directory = os.environ.get("TRY_IT")
    if not directory:
        return markdown
    playground = "../" * page.url.count("/") + directory
    for end, kind, files in reversed(list(tried(markdown))):
        address = html.escape(f"{playground}/?embed#{link(kind, files)}")
        frame = f'<iframe loading="lazy" title="The example in the playground" src="{address}"></iframe>'
        markdown = (
            f'{markdown[:end]}\n\n<details class="try-it"><summary>Try it</summary>{frame}</details>{markdown[end:]}'
        )
    return markdown


def tried(markdown: str) -> Iterator[tuple[int, str, list[File]]]:
    """The examples of a page that the playground can run: where each ends, its command, and its files."""
    texts: dict[str, str] = {}
    for block in BLOCK.finditer(markdown):
        if block["title"]:
            texts[block["title"]] = block["text"]
        elif block["language"] == "console":
            commands = re.findall(r"^\$ (.*)$", block["text"], re.MULTILINE)
            found = files_of(commands[0], texts) if len(commands) == 1 else None
            if found is not None:
                yield block.end(), *found


def files_of(line: str, texts: dict[str, str]) -> tuple[str, list[File]] | None:
    """The command of a command line and the files that it names; None if there is something that the playground has no place for."""
    if not line.startswith("plait ") or re.search(r"[|<>;&]", line):
        return None
    try:
        read = command({"kind": "render", "files": [], "ask": "command", "command": line})
    except PlaitError:
        return None
    files: dict[str, File] = {}
    for path, role in read["paths"]:
        within = [name for name in texts if name.startswith(f"{path}/")]
        if read["kind"] == "layer":
            within = [name for name in within if name.endswith((".yml", ".yaml"))]
        named = [path] if path in texts else within
        if not named:
            return None
        files.update({name: {"name": name, "text": texts[name], "role": role} for name in sorted(named)})
    if read["kind"] == "compose":
        if list(files) != [PIPELINE]:
            return None
        pipeline = texts[PIPELINE]
        named = [name for name in texts if name not in files and name in pipeline]
        files.update({name: {"name": name, "text": texts[name], "role": "input"} for name in named})
    if read["left"] or any(MISSING.search(one["text"]) for one in files.values()):
        return None
    return read["kind"], list(files.values())


def link(kind: str, files: list[File]) -> str:
    """The part of the playground's address behind the `#`: the shortest that has these files, as an example with edits or alone."""
    return min(_links(kind, files), key=len)


def _links(kind: str, files: list[File]) -> Iterator[str]:
    yield f"/{_packed({'kind': kind, 'files': files})}"
    for example in examples():
        if example["kind"] != kind:
            continue
        given = {one["name"]: one for one in example["files"]}
        names = [one["name"] for one in files]
        edited = [one for one in files if given.get(one["name"]) != one]
        removed = [name for name in given if name not in names]
        # The page puts new files behind those of the example.
        if [name for name in given if name in names] + [name for name in names if name not in given] != names:
            continue
        data = {key: value for key, value in (("files", edited), ("removed", removed)) if value}
        yield f"{example['name']}/{_packed(data)}" if data else example["name"]


def _packed(data: dict[str, object]) -> str:
    packed = zlib.compress(json.dumps(data, separators=(",", ":")).encode(), 9, wbits=-15)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")
