"""Schemas of documents by their kind: Kubernetes objects, custom resources, and what else a project names schemas for.

`catalogue_of` finds the schema of a document among the files that a project names, and checks documents by theirs; a
`Schema` is gone down along keys. Files are read when they are asked for; nothing is fetched.
"""

from plait.kinds.catalogue import Catalogue, catalogue_of
from plait.kinds.check import Fault
from plait.kinds.schema import Schema

__all__ = ["Catalogue", "Fault", "Schema", "catalogue_of"]
