"""One lossless tree of a YAML text: where everything is, for tools that show or change it."""
