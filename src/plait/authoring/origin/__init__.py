"""Reports of other tools about a rendered output, at the source lines behind it (`plait origin`)."""
