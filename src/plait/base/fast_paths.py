"""The switch for fast paths: Starlark's optimizer, YAML's line reader, special loops.

Each has a plain counterpart that defines the correct result; `PLAIT_PLAIN=1` in the environment disables all of them.
The tests compare both: a fast path affects only the time.
"""

from __future__ import annotations

import os

# Read once, so that an evaluation uses all fast paths or none.
FAST = os.environ.get("PLAIT_PLAIN") != "1"
