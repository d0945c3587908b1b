"""Schemas of documents by their kind: Kubernetes objects, custom resources, and what else a project names schemas for.

`catalogue` finds the schema of a document among the files that a project names, `schema` goes down a schema along keys,
`check` compares documents with theirs. Files are read when they are asked for; nothing is fetched.
"""

from plait.kinds.catalogue import Catalogue, catalogue_of
from plait.kinds.check import Fault, faults
from plait.kinds.schema import Schema

__all__ = ["Catalogue", "Fault", "Schema", "catalogue_of", "faults"]
