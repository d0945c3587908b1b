"""Whether `--schema` tells right values from wrong ones: `python benchmarks/values_schemas.py DIRECTORY [MUTATIONS]`.

Each directory below DIRECTORY with a schema, `values.schema.json` or `crd.yaml`, is a case; the other files of it, JSON and
YAML, are samples. Of each sample MUTATIONS more are made (10), by small changes. What `--schema` says of a sample is
compared with what the library jsonschema says of the same values with the schema's defaults; formats are checked as plait
checks them. Also counted: the samples of which the library says something else before the defaults are filled in.
Nothing is fetched; a schema that refers to others over the network is refused, and told.
"""

from __future__ import annotations

import copy
import json
import pathlib
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import jsonschema
from jsonschema.validators import validator_for

import plait
from plait.ytt.json_schema.keywords import formats
from plait.ytt.json_schema.values_schema import values_schema

NAMES = ("values.schema.json", "crd.yaml")
SCALARS: tuple[Any, ...] = ("", "x", "a b", 0, 1, -1, 2.5, 1 << 40, True, False, None, [], {}, ["x"], {"x": 1})
SUFFIXES = (".json", ".yaml", ".yml")


def plain(path: pathlib.Path) -> Any:
    """What a file holds, with texts as keys; None for what is no map, or none that can be read."""
    try:
        if path.suffix == ".json":
            found = json.loads(path.read_text("utf-8-sig"))
        else:
            [found] = plait.read(str(path)).to_list()
        found = json.loads(json.dumps(found))
    except (plait.PlaitError, ValueError, TypeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def for_library(node: Any) -> Any:
    """A schema of OpenAPI in the words of JSON Schema."""
    if isinstance(node, list):
        return [for_library(one) for one in node]
    if not isinstance(node, dict):
        return node
    found = {key: for_library(one) for key, one in node.items()}
    if found.get("nullable") is True and isinstance(found.get("type"), str):
        found["type"] = [found["type"], "null"]
    for name in ("minimum", "maximum"):
        exclusive = f"exclusive{name.capitalize()}"
        if isinstance(found.get(exclusive), bool) and found.pop(exclusive):
            found[exclusive] = found.pop(name)
    return found


def library(path: pathlib.Path) -> Any:
    """What the library checks by. Raises what it raises."""
    if path.name == "crd.yaml":
        versions: Any = plain(path)["spec"]["versions"]
        schema = for_library(next(one for one in versions if one.get("storage"))["schema"]["openAPIV3Schema"])
    else:
        schema = json.loads(path.read_text("utf-8-sig"))
    return validator_for(schema, default=jsonschema.Draft202012Validator)(schema, format_checker=formats())


def nodes(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value below another one."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield (*way, key)
        yield from nodes(inner, (*way, key))


def mutated(value: Any, chance: random.Random) -> Any:
    """The same with one small change."""
    found = copy.deepcopy(value)
    *around, key = chance.choice([*nodes(found)] or [("x",)])
    holder = found
    for step in around:
        holder = holder[step]
    change = chance.randrange(4)
    if change == 0 and key in (holder if isinstance(holder, dict) else ()):
        del holder[key]
    elif change == 1 and isinstance(holder, dict):
        holder[f"{key}x"] = holder.pop(key, 1)
    elif change == 2 and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[key]))
    else:
        holder[key] = copy.deepcopy(chance.choice(SCALARS))
    return found


def main() -> None:
    top = pathlib.Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    told: Counter[str] = Counter()
    differing: list[str] = []
    start = time.perf_counter()
    for path in sorted(one for name in NAMES for one in top.rglob(name)):
        name = str(path.parent.relative_to(top))
        samples = [
            one
            for one in (
                plain(other) for other in sorted(path.parent.iterdir()) if other != path and other.suffix in SUFFIXES
            )
            if one is not None
        ]
        if not samples and path.name in NAMES:
            samples = [{}]
        told["schemas"] += 1
        try:
            known = values_schema(str(path))
        except plait.PlaitError as error:
            told["schemas refused"] += 1
            findings = [one.message for one in error.findings] or [error.message]
            print(f"refused: {name}: {findings[0]}")
            continue
        told["schemas with patterns that are not checked"] += any("pattern" in note for note in known.notes)
        told["schemas with defaults that are not taken"] += any("default" in note for note in known.notes)
        checker = library(path)
        chance = random.Random(name)
        for number, sample in enumerate([*samples, *(mutated(one, chance) for one in samples for _ in range(count))]):
            try:
                verdict(path, sample, checker, told)
            except AssertionError as error:
                differing.append(f"{name}: {number}: {error}")
    for what, times in told.items():
        print(f"{times:8} {what}")
    print(f"{len(differing):8} differ, in {time.perf_counter() - start:.0f} s", *differing, sep="\n  ")


def verdict(path: pathlib.Path, sample: Any, checker: Any, told: Counter[str]) -> None:
    """Count what is said of a sample. Raises AssertionError if both say something else."""
    values = {"app.yml": ""}
    try:
        filled = plait.data_values(values, values=sample, schema=str(path), validate=False).to_list()
        found = plait.check_data_values(values, values=sample, schema=str(path))
        is_right = not found
    except plait.LimitError as error:
        told[f"samples ended by the limit {error.limit}"] += 1
        return
    except (plait.OverlayError, plait.UsageError) as error:
        told[f"samples that end with: {error.message}"] += 1
        return
    whole = json.loads(json.dumps(filled[0])) if filled else {}
    try:
        expected = checker.is_valid(whole)
        before = checker.is_valid(sample)
    except Exception as error:  # noqa: BLE001 - the library fails in any way for a schema that is none
        told[f"samples for which the library fails ({type(error).__name__})"] += 1
        return
    told["samples"] += 1
    told["right samples" if expected else "wrong samples"] += 1
    told["samples with defaults filled in"] += whole != sample
    told["samples that are right because of defaults"] += expected and not before
    told["samples that are wrong because of defaults"] += before and not expected
    said = [one.message for one in found][:2]
    assert is_right == expected, f"{'right' if is_right else said} where the library says {expected}"


if __name__ == "__main__":
    main()
