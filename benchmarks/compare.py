"""Two runs of one benchmark side by side: `python benchmarks/compare.py OLD.json NEW.json`. A ratio below 1 is faster."""

from __future__ import annotations

import json
import pathlib
import statistics
import sys


def rows(old: dict[str, list[float]], new: dict[str, list[float]]) -> list[tuple[str, float, float, float]]:
    """(name, old seconds, new seconds, new / old) by medians, for each name that both have, in the order of `new`."""
    found = []
    for name, seconds in new.items():
        if name in old:
            before, after = statistics.median(old[name]), statistics.median(seconds)
            found.append((name, before, after, after / before))
    return found


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    old, new = (json.loads(pathlib.Path(path).read_text("utf-8")) for path in sys.argv[1:])
    print(f"{'':<24}{'old ms':>10}{'new ms':>10}{'ratio':>8}")
    for name, before, after, ratio in rows(old, new):
        print(f"{name:<24}{before * 1000:>10.1f}{after * 1000:>10.1f}{ratio:>8.2f}")


if __name__ == "__main__":
    main()
