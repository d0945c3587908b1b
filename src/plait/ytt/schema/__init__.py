"""Schemas: types, defaults and rules of data values (docs/reference/schemas.md).

declaration = build(document)         # from the nodes of a schema document
value = defaults(declaration)         # the data values it stands for
findings = check(declaration, value)  # what does not conform; then
value = fill(declaration, value)      # the keys that array items and nullable maps miss
validate(declaration, document)       # rules, once, on the final data values
openapi(declaration)                  # the schema for others to read
"""

from __future__ import annotations

from plait.ytt.schema.build import build
from plait.ytt.schema.check import check
from plait.ytt.schema.defaults import defaults, fill
from plait.ytt.schema.openapi import openapi
from plait.ytt.schema.types import ANY, Declaration
from plait.ytt.schema.validations import Validation, read_validation, validate

# What other packages call the declaration of a schema document.
SchemaType = Declaration

__all__ = [
    "ANY",
    "Declaration",
    "SchemaType",
    "Validation",
    "build",
    "check",
    "defaults",
    "fill",
    "openapi",
    "read_validation",
    "validate",
]
