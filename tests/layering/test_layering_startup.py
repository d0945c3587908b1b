"""What `plait layer` loads for a small render: no library that it does not need."""

from __future__ import annotations

import pathlib
import subprocess
import sys

POLICY = (
    "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: order}\ndata: {layerOrder: []}\n"
)
NEVER = {
    "argparse",
    "dataclasses",
    "enum",
    "hashlib",
    "inspect",
    "json",
    "jsonschema",
    "logging",
    "pathlib",
    "re",
    "typing",
}


def test_a_small_render_loads_little(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "order.yml"
    file.write_text(POLICY, "utf-8")
    program = (
        "import sys; before = set(sys.modules); from plait.cli import main; status = main(['layer', sys.argv[1]]); "
        "sys.stderr.write(' '.join(set(sys.modules) - before)); sys.exit(status)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(file)], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert "plait.layering.rendering" in loaded
    assert "plait.layering.validation" not in loaded
    assert "plait.layering.dataschema" not in loaded
    assert not loaded & NEVER
