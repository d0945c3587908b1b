"""Explains one evaluation, for all dialects: histories, impact, source maps, differences.

These modules do not print. A caller sets `context.trace = Trace()` before an evaluation and queries it afterwards:

explain.histories(trace, documents, "Deployment/web:spec.*")   -> History each; history_text.to_data,
history_text.to_text why_not.absent(trace, documents, path)                         -> why something does not exist, as
text source_map.source_map(trace, documents)                        -> plain data; impact.impact(trace, documents, file,
line) diff.diff(left, right)                                         -> list[Difference]; diff.to_text, to_data,
to_operations; overlays.to_overlay
"""
