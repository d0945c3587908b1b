"""The version of plait, alone in its module so that nothing else has to be imported for it."""

from __future__ import annotations

__version__ = "0.1.0"

# The newest release of ytt all of whose changes plait has (see docs/compatibility).
YTT_VERSION = "0.55.1"
