"""`plait lint`: unused, fragile and ambiguous code (docs/lint.md).

subject     the runs of a project evaluated, with everything recorded, and their files
proving     renders the runs again with edits: what is said to have no part in them is taken out to see
dead, order, silent, reading, portable, style   what is found, a function each
ignoring    comments and settings that silence findings
fixing      edits made in files, if no output changes
reports     findings as text, JSON, SARIF and annotations
"""
