"""The version of plait, and the newest release of ytt that it follows."""

from __future__ import annotations

__version__ = "0.1.0"
YTT_VERSION = "0.55.1"
