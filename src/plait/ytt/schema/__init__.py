"""Schemas: types, defaults and rules of data values (docs/reference/schemas.md).

declaration = build(document)         # from the nodes of a schema document
value = defaults(declaration)         # the default data values
findings = check(declaration, value)  # faults; if there are none:
value = fill(declaration, value)      # adds missing keys of array items and nullable maps
validate(declaration, document)       # rules, once, on the final data values
openapi(declaration)                  # the schema for other programs
"""
