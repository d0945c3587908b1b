"""The engine: typed requests, one class per dialect, and their evaluation."""
