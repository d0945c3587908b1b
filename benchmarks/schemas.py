"""Whether schemas say of values what they ought to say: `python benchmarks/schemas.py DIRECTORY`.

DIRECTORY is `tests` of the JSON Schema test suite, as it is published. For each draft it is printed how many values were
checked, and which of them were taken for right that are wrong, or the other way round. Groups that need a server are left
out; those of the newest draft for which formats say nothing differ, since formats are checked here.
"""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

from plait.ytt.json_schema.check import violations
from plait.ytt.json_schema.reference_resolution import schema_of

DRAFTS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}


def cases(directory: pathlib.Path) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """The name, the schema and the value of each case."""
    for path in sorted(directory.glob("*.json")):
        for group in json.loads(path.read_text("utf-8")):
            if isinstance(group["schema"], dict) and "localhost" not in json.dumps(group):
                for case in group["tests"]:
                    yield f"{path.stem}: {group['description']}: {case['description']}", group["schema"], case


def main() -> None:
    for name, draft in DRAFTS.items():
        count = 0
        wrong = []
        for told, schema, case in cases(pathlib.Path(sys.argv[1]) / name):
            count += 1
            made = schema_of(json.loads(json.dumps({"$schema": draft, **schema})))
            if (violations(case["data"], made) == []) != case["valid"]:
                wrong.append(told)
        print(f"{name:12} {count} values, {len(wrong)} differ", *wrong, sep="\n  ")


if __name__ == "__main__":
    main()
