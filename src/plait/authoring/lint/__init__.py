"""`plait lint`: unused, fragile and ambiguous code (docs/lint.md).

subject     the runs of a project evaluated with provenance, and their files proving     confirms findings by removing
the code and rendering again dead, order, silent, reading, portable, style   the checks, one function each ignoring
comments and settings that suppress findings fixing      edits of files that change no output reports     findings as
text, JSON, SARIF and annotations
"""
