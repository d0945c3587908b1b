"""Answers about one evaluation, for all dialects: explanations, impact, source maps, differences.

Nothing here prints or exits. A caller sets `context.trace = Trace()` before a run and queries it afterwards:

    explain.histories(trace, documents, "Deployment/web:spec.*")   -> History each; telling.to_data, telling.to_text
    absence.absent(trace, documents, path)                         -> why something is not there, as text
    sourcemap.source_map(trace, documents)                         -> plain data; impact.impact(trace, documents, file, line)
    diff.diff(left, right)                                         -> list[Difference]; diff.to_text, to_data, to_operations; overlays.to_overlay
    compose.compose(pipeline.read("plait.yml"), context)            -> the documents of a pipeline; pipeline.parse(source, directory)
"""
