"""Tools over all dialects: where values come from, what differs, several steps in one run."""
