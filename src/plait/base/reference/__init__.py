"""Errors as the reference programs print them, for command lines that run in the place of one.

An error carries the reference program's text in `reference` fields, and so do its findings and the steps of its stack
(see `plait.base.errors`). A module here renders them in that program's layout; it looks at nothing that plait words itself.
"""
