"""Schemas: types, defaults and rules of data values (docs/reference/schemas.md).

declaration = build(document)         # from the nodes of a schema document
value = defaults(declaration)         # the data values it stands for
findings = check(declaration, value)  # what does not conform; then
value = fill(declaration, value)      # the keys that array items and nullable maps miss
validate(declaration, document)       # rules, once, on the final data values
openapi(declaration)                  # the schema for others to read
"""
