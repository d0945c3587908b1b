"""How long the smallest commands take, whole processes: `python benchmarks/startup.py [--runs N] [--json FILE]`."""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time

PLAIT = str(pathlib.Path(sysconfig.get_path("scripts")) / "plait")


def measure(command: list[str], runs: int) -> list[float]:
    """Seconds of each run, the first (which warms the caches) left out."""
    found = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        found.append(time.perf_counter() - start)
    return found[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        plain = pathlib.Path(directory, "plain.yml")
        plain.write_text("name: app\nports: [80, 443]\n", "utf-8")
        template = pathlib.Path(directory, "template.yml")
        template.write_text("#@ port = 80\nname: app\nports:\n- #@ port\n- #@ port + 363\n", "utf-8")
        commands = {
            "bare python": [sys.executable, "-c", "pass"],
            "plait version": [PLAIT, "version"],
            "render one plain file": [PLAIT, "render", "-f", str(plain)],
            "render one template": [PLAIT, "render", "-f", str(template)],
        }
        figures = {name: measure(command, options.runs) for name, command in commands.items()}
    for name, seconds in figures.items():
        print(f"{name:<24}{statistics.median(seconds) * 1000:>8.1f} ms  (least {min(seconds) * 1000:.1f})")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), "utf-8")


if __name__ == "__main__":
    main()
