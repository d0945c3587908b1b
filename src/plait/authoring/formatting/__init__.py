"""Lossless formatting: `plait fmt`, and `format_text` for programs.

`structure` computes the new column of each line, `formatter` writes the lines and checks that nothing else has changed,
`command` is the command line.
"""

from plait.authoring.formatting.formatter import FormattedText, format_text

__all__ = ["FormattedText", "format_text"]
