"""Examples of commands for their help."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_RENDER = "plait render -f config/ -d production.yml"
_PATCH = "plait patch base.yml -o scale.yml -v name=web"
_LAYER = "plait layer documents/"
_COMPOSE = "plait compose plait.yml"
_PATH = "Deployment/web:spec.replicas"

# Example command lines, by command.
EXAMPLES: Mapping[str, str] = {
    "render": _RENDER,
    "render fmt": "plait render fmt -f config/",
    "render version": "plait render version",
    "render completion": "plait render completion bash",
    "render help": "plait render help fmt",
    "patch": _PATCH,
    "layer": _LAYER,
    "compose": _COMPOSE,
    "run": "plait run production --output-files out/",
    "fleet": "plait fleet --only 'production-*' -j 4",
    "fleet why": f"plait fleet why {_PATH}",
    "fleet diff": "plait fleet diff staging production",
    "fleet impact": "plait fleet impact values.yml:3",
    "explain": f"plait explain run production {_PATH}",
    "impact": "plait impact run production values.yml:3",
    "origin": "plait origin run production kubeconform.json",
    "log": f"plait log production {_PATH}",
    "blame": f"plait blame production {_PATH}",
    "diff": "plait diff before.yml after.yml --as ops",
    "project": "plait project -o json",
    "review": "plait review main...HEAD -o markdown --fail-on error",
    "reduce": "plait reduce --error E0101 run production",
    "lint": "plait lint --select dead --fix",
    "test": "plait test tests/ -k 'web and not slow'",
    "coverage": "plait coverage --fail-under 80",
    "set": f"plait set -w run production {_PATH}=3",
    "fmt": "plait fmt -w config/",
    "init": "plait init demo",
    "schema": "plait schema import values.schema.json > schema.yml",
    "schema import": "plait schema import crd.yml --with keys > schema.yml",
    "schema export": "plait schema export schema.yml > values.py",
    "ci": "plait ci init github --dry-run",
    "ci init": "plait ci init github --plait vendor/plait",
    "ci comment": "plait ci comment github review.md",
    "trust": "plait trust",
    "completion": "source <(plait completion bash)",
    "shims": "plait shims ~/.local/bin",
    "lsp": "plait lsp",
    "mcp": "plait mcp config/",
    "serve": "plait serve --tokens tokens.yml --port 9000",
    "serve new-token": "plait serve new-token deployer --role admin",
    "serve new-key": "plait serve new-key",
    "serve rotate": "plait serve rotate --keys file:keys.yml",
    "serve documents": "plait serve documents site/ > documents.yml",
    "serve export": "plait serve export > revisions.jsonl",
    "serve import": "plait serve import revisions.jsonl",
    "serve import-deckhand": "plait serve import-deckhand postgresql://deckhand@db/deckhand",
    "serve prune": "plait serve prune --keep last=100",
    "serve status": "plait serve status",
    "website": "plait website",
    "krm": "plait krm < resource-list.yml",
    "help": "plait help fleet why",
    "version": "plait version",
}

# The last argument in examples of `explain` and `impact`.
_ASKED = {
    "explain": _PATH,
    "impact": "config/app.yml:3",
    "origin": "kubeconform.json",
    "set": f"{_PATH}=3",
    "lint": "",
    "reduce": "",
}


def example_of(words: Sequence[str]) -> str:
    """An example of a command; "" if there is none. words: the command and its subcommands."""
    own = EXAMPLES.get(" ".join(words), "")
    if own or len(words) < 2:
        return own
    above, name = words[0], words[-1]
    if above not in _ASKED:
        return EXAMPLES.get(above, "")
    inner = EXAMPLES["run"].replace(" --output-files out/", "") if name == "run" else EXAMPLES[name]
    return f"plait {above}{inner.removeprefix('plait')} {_ASKED[above]}".rstrip()
