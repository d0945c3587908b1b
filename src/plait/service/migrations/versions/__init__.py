"""One file for each step. A step that a release has is never changed."""
