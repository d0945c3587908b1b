"""Coverage-guided fuzzing: `python tests/fuzz/atheris_run.py TARGET [seconds]` (needs `pip install atheris`).

Without a target the names are listed. A find does not stop the run: its input is kept in `.fuzz/TARGET/finds` and the
traceback printed once for each place. At the end: executions, coverage (edges), finds. The corpus grows in
`.fuzz/TARGET/corpus` and is used again. Exit status 1 when there were finds.
"""

from __future__ import annotations

import os
import pathlib
import pkgutil
import re
import subprocess
import sys
import traceback
from typing import TYPE_CHECKING

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent), str(ROOT / "src")]

if TYPE_CHECKING:
    from collections.abc import Callable


def import_everything() -> None:
    """Lazy imports would come too late to be instrumented."""
    import importlib

    import plait

    for module in pkgutil.walk_packages(plait.__path__, "plait."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def watched(target: Callable[[bytes], None], finds: pathlib.Path) -> Callable[[bytes], None]:
    """The target with its finds written down once for each place they come from."""
    seen: set[tuple[str, str]] = set()

    def one(data: bytes) -> None:
        try:
            target(data)
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            every = list(traceback.extract_tb(error.__traceback__))
            steps = [step for step in every if "/plait/" in step.filename] or every
            place = f"{pathlib.Path(steps[-1].filename).name}:{steps[-1].lineno}"
            # However deep a recursion is, it is one find.
            key = (type(error).__name__, place if not isinstance(error, RecursionError) else steps[-1].filename)
            if key in seen:
                return
            seen.add(key)
            finds.mkdir(parents=True, exist_ok=True)
            name = re.sub(r"\W+", "_", f"{key[0]}_{place}")
            (finds / name).write_bytes(data)
            trace = "".join(traceback.format_exception(error)[-6:])
            sys.stderr.write(f"FIND {name}\n{trace[-1500:]}\n")

    return one


def fuzz(name: str, arguments: list[str]) -> None:
    import atheris

    with atheris.instrument_imports(include=["plait", "targets", "treecheck"]):
        import targets

        import_everything()
    finds = ROOT / ".fuzz" / name / "finds"
    atheris.Setup([sys.argv[0], *arguments], watched(targets.TARGETS[name], finds))
    atheris.Fuzz()


def main(argv: list[str]) -> int:
    import targets

    if not argv or argv[0] not in targets.TARGETS:
        sys.stderr.write(f"usage: atheris_run.py TARGET [seconds]\ntargets: {' '.join(targets.TARGETS)}\n")
        return 2
    name = argv[0]
    seconds = int(argv[1]) if len(argv) > 1 else 60
    place = ROOT / ".fuzz" / name
    corpus = place / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(targets.SEEDS[name]):
        (corpus / f"seed{number}").write_bytes(seed.encode("utf-8", "surrogateescape"))
    words = place / "words"
    lines = []
    for word in targets.WORDS:
        escaped = "".join(f"\\x{byte:02x}" for byte in word.encode("utf-8", "surrogateescape"))
        lines.append(f'"{escaped}"\n')
    words.write_text("".join(lines), "ascii")
    before = set(os.listdir(place / "finds")) if (place / "finds").exists() else set()
    command = [sys.executable, str(HERE / "atheris_run.py"), "--worker", name]
    command += [f"-max_total_time={seconds}", "-max_len=2048", "-timeout=20", "-rss_limit_mb=2048", f"-dict={words}"]
    command += [f"-artifact_prefix={place}/", "-print_final_stats=1", str(corpus)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, text=True, errors="replace")
    (place / "log").write_text(done.stderr, "utf-8")
    for block in re.findall(r"^FIND .*?(?=^FIND |^#\d|\Z)", done.stderr, re.MULTILINE | re.DOTALL):
        print(block)
    edges = re.findall(r"^#\d+.* cov: (\d+)", done.stderr, re.MULTILINE)
    executions = re.search(r"stat::number_of_executed_units: (\d+)", done.stderr)
    counted = executions[1] if executions else (re.findall(r"^#(\d+)", done.stderr, re.MULTILINE) or ["?"])[-1]
    found = len(set(os.listdir(place / "finds")) - before) if (place / "finds").exists() else 0
    growth = f"{edges[0]} -> {edges[-1]}" if edges else "?"
    print(f"{name}: {counted} executions in {seconds} s, edges {growth}, {found} new finds, status {done.returncode}")
    return 1 if found or done.returncode else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        fuzz(sys.argv[2], sys.argv[3:])
    else:
        raise SystemExit(main(sys.argv[1:]))
