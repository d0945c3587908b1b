"""Parts that every package may use: positions, diagnostics, limits, files and processes."""
