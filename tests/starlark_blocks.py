"""Blocks of Starlark in docs: `>>> ` before code, and below it what the code gives.

What is shown of an expression is `repr` of its value, nothing for None; then what it prints comes first, and a mistake is
shown as its message. Modules that are named in a block are loaded; assignments hold until the end of the block.
"""

from __future__ import annotations

import re

import plait
from plait.ytt.modules import MODULES

ITEM = re.compile(r"^>>> (.*\n(?:\.\.\. .*\n)*)", re.MULTILINE)


def run(block: str) -> str:
    """The block with what its code gives now."""
    code = [found.replace("\n... ", "\n") for found in ITEM.findall(block)]
    loads = "".join(f'load("@ytt:{name}", "{name}")\n' for name in MODULES if re.search(rf"\b{name}\.", block))
    before = loads
    out = ""
    for item in code:
        out += ">>> " + item.rstrip("\n").replace("\n", "\n... ") + "\n"
        if re.match(r"def |[\w, ]+ = |[\w.]+\.(append|clear|extend|insert|remove|update)\(", item):
            before += item
        else:
            out += shown(before, item)
    return out


def shown(before: str, expression: str) -> str:
    """What an expression prints, and gives."""
    lines = (before + f"value = {expression}").splitlines()
    template = "".join(f"#@ {line}\n" for line in lines) + "is_none: #@ value == None\nshown: #@ repr(value)\n"
    try:
        rendered = plait.render({"block.yml": template})
    except plait.PlaitError as error:
        return f"error: {error.message}\n"
    value = rendered.to_dict()
    text = "".join(f"{line}\n" for line in rendered.printed)
    return text if value["is_none"] else f"{text}{value['shown']}\n"
