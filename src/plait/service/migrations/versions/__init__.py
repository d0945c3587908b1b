"""One file per step. Released steps are never changed."""
