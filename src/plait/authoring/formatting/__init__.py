"""Formatting that loses nothing: `plait fmt`, and `format_text` for programs.

`structure` finds where each line of a text ought to stand, `formatter` writes the lines there and checks that nothing else
has changed, `command` is the command line.
"""

from plait.authoring.formatting.formatter import FormattedText, format_text

__all__ = ["FormattedText", "format_text"]
