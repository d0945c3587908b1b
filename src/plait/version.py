"""The version of plait, alone in its module so that nothing else has to be imported for it."""

from __future__ import annotations

__version__ = "0.1.0"
