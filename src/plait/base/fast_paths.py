"""The switch for passes that only save time: Starlark's optimizer, YAML's line reader, special loops.

Each of them has a plain counterpart that says what is right; `PLAIT_PLAIN=1` in the environment leaves all of them out.
The tests run both ways and compare, so that nothing but time may depend on a pass.
"""

from __future__ import annotations

import os

# Read once: a run is all plain or not at all.
FAST = os.environ.get("PLAIT_PLAIN") != "1"
